/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/ssh.c - public keys of SSH (id_*.pub, authorized_keys, known_hosts) and private
 * keys of PuTTY (ppk).
 *
 *   lines of: [|1|salt|hash] type base64 [comment]
 *
 *   PuTTY-User-Key-File-2: type | Encryption: | Comment: | Public-Lines: n, n lines of base64 |
 *   [Key-Derivation ... Argon2 ...] | Private-Lines: n, n lines | Private-MAC: digits
 *
 * What the base64 of a public key stands for is strings with their lengths, the first one the type
 * again, and they fill it. A file of them ends with the last line that is one. PuTTY's ends with
 * the digits of its MAC.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum {
    SSH_BLOB_MAX = 3072, /* bytes of a public key: what fits a line */
    SSH_STRINGS_MAX = 16,
    SSH_LINES_MAX = 1 << 20,
    PPK_LINES_MAX = 4096,
};

struct ssh_state {
    struct chars text;
    uint32_t lines;
    uint64_t end; /* behind the last line that is a key */
};

static const struct sig_type ssh_types[] = { { "ssh-pub", "pub" },
                                             { "known_hosts", "known_hosts" },
                                             { 0 } };

/* The word at line[*at]; steps over it and one space. */
static uint32_t ssh_word(const struct chars_line *line, uint32_t *at, const uint8_t **word)
{
    const uint32_t from = *at;

    while (*at < line->len && line->chars[*at] > ' ' && line->chars[*at] < 0x7f)
        ++*at;
    *word = line->chars + from;
    const uint32_t len = *at - from;
    if (*at < line->len && line->chars[*at] == ' ')
        ++*at;
    return len;
}

/* Bytes that base64 stands for; 0: it is none. */
static uint32_t ssh_decode(const uint8_t *word, uint32_t len, uint8_t blob[SSH_BLOB_MAX])
{
    uint32_t bits = 0, count = 0, out = 0;

    while (len > 0 && word[len - 1] == '=')
        len--;
    for (uint32_t i = 0; i < len; i++) {
        const uint8_t value = chars_base64(word[i]);

        if (value == 0xff || out == SSH_BLOB_MAX)
            return 0;
        bits = (bits << 6 | value) & 0xffff;
        count += 6;
        if (count >= 8) {
            count -= 8;
            blob[out++] = (uint8_t)(bits >> count);
        }
    }
    return out;
}

/* Whether the line is a key. */
static bool ssh_key(const struct chars_line *line, bool *host)
{
    uint8_t blob[SSH_BLOB_MAX];
    const uint8_t *type, *base64;
    uint32_t at = 0, strings = 0, place = 0;
    uint32_t type_len = ssh_word(line, &at, &type);

    *host = type_len > 3 && memcmp(type, "|1|", 3) == 0;
    if (*host)
        type_len = ssh_word(line, &at, &type);
    const uint32_t base64_len = ssh_word(line, &at, &base64);
    if (type_len < 7 || base64_len < 32)
        return false;
    const uint32_t len = ssh_decode(base64, base64_len, blob);
    while (strings < SSH_STRINGS_MAX && len - place >= 4) {
        const uint32_t string = bytes_u32be(blob + place);

        if (string > len - place - 4)
            return false;
        if (strings == 0 && (string != type_len || memcmp(blob + 4, type, type_len) != 0))
            return false;
        place += 4 + string;
        strings++;
    }
    return place == len && strings >= 2;
}

static struct sig_result ssh_check(struct sig_input *in, void *memory)
{
    struct ssh_state *state = memory;
    struct chars_line line;
    bool host, goes_on = true;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (goes_on && state->lines < SSH_LINES_MAX) {
        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        const bool key = line.all > 0 && ssh_key(&line, &host);
        if (key && state->lines++ == 0)
            in->type = &ssh_types[host];
        chars_skip(&state->text, line.all);
        if (key)
            state->end = state->text.at;
        goes_on =
            key || (line.all > 0 && state->lines > 0 && (line.len == 0 || line.chars[0] == '#'));
    }
    if (state->end == 0)
        return sig_reject("there is no public key");
    if (state->end == state->text.good && state->text.stop == CHARS_STOP_BINARY &&
        chars_last(in, &state->text, &state->end) == CHARS_WAIT)
        return sig_short(in);
    return sig_complete(in, state->end, "the parts of every public key fill it");
}

const struct sig sig_ssh = {
    .name = "ssh",
    .what = "SSH public keys",
    .proves = "the parts of every key fill it, line by line",
    .source = "RFC 4253 6.6 Public Key Algorithms; OpenSSH, sshd(8): AUTHORIZED_KEYS and "
              "SSH_KNOWN_HOSTS FILE FORMAT",
    .types = ssh_types,
    .headers = { SIG_PATTERN("ssh-rsa AAAAB3NzaC1yc2EAAAA"),
                 SIG_PATTERN("ssh-dss AAAAB3NzaC1kc3MAAAC"),
                 SIG_PATTERN("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"),
                 SIG_PATTERN("ecdsa-sha2-nistp256 AAAAE2VjZHNh"),
                 SIG_PATTERN("ecdsa-sha2-nistp384 AAAAE2VjZHNh"),
                 SIG_PATTERN("ecdsa-sha2-nistp521 AAAAE2VjZHNh"),
                 SIG_PATTERN("sk-ssh-ed25519@openssh.com AAAA"),
                 SIG_PATTERN("sk-ecdsa-sha2-nistp256@openssh.com AAAA"), SIG_PATTERN("|1|") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = UINT64_C(64) << 20, /* policy */
    .state_size = sizeof(struct ssh_state),
    .check = ssh_check,
};

enum ppk_phase {
    PPK_NAME,
    PPK_ENCRYPTION,
    PPK_COMMENT,
    PPK_PUBLIC,
    PPK_DERIVATION,
    PPK_PRIVATE,
    PPK_MAC
};

struct ppk_state {
    struct chars text;
    enum ppk_phase phase;
    uint32_t lines; /* of base64 that follow */
    bool sha256;
};

static bool ppk_is(const struct chars_line *line, const char *name)
{
    const uint32_t len = (uint32_t)strlen(name);

    return line->len >= len && memcmp(line->chars, name, len) == 0;
}

/* "name: n": that many lines of base64 follow. */
static bool ppk_lines(struct ppk_state *state, const struct chars_line *line, const char *name)
{
    if (!ppk_is(line, name))
        return false;
    for (uint32_t i = (uint32_t)strlen(name); i < line->len; i++) {
        if (!chars_is_digit(line->chars[i]) || state->lines > PPK_LINES_MAX)
            return false;
        state->lines = state->lines * 10 + (uint32_t)(line->chars[i] - '0');
    }
    return state->lines > 0;
}

/* Takes a line; *done: it was the MAC, which is what is left of the file. */
static bool ppk_line(struct ppk_state *state, const struct chars_line *line, uint32_t *done)
{
    switch (state->phase) {
    case PPK_NAME:
        state->sha256 = line->len > 20 && line->chars[20] == '3';
        state->phase = PPK_ENCRYPTION;
        return ppk_is(line, "PuTTY-User-Key-File-2: ") || ppk_is(line, "PuTTY-User-Key-File-3: ");
    case PPK_ENCRYPTION:
        state->phase = PPK_COMMENT;
        return ppk_is(line, "Encryption: none") || ppk_is(line, "Encryption: aes256-cbc");
    case PPK_COMMENT:
        state->phase = PPK_PUBLIC;
        return ppk_is(line, "Comment: ");
    case PPK_PUBLIC:
        state->phase = PPK_DERIVATION;
        return ppk_lines(state, line, "Public-Lines: ");
    case PPK_DERIVATION:
        if (ppk_is(line, "Key-Derivation: Argon2") || ppk_is(line, "Argon2-"))
            return true;
        state->phase = PPK_PRIVATE;
        return ppk_lines(state, line, "Private-Lines: ");
    default: {
        const uint32_t digits = state->sha256 ? 64 : 40, from = 13;

        if (!ppk_is(line, "Private-MAC: ") || line->len < from + digits)
            return false;
        for (uint32_t i = 0; i < digits; i++)
            if (!chars_is_digit(line->chars[from + i]) &&
                (uint8_t)(line->chars[from + i] - 'a') > 5)
                return false;
        *done = from + digits;
        return true;
    }
    }
}

static bool ppk_base64(const struct chars_line *line)
{
    for (uint32_t i = 0; i < line->len; i++)
        if (chars_base64(line->chars[i]) == 0xff && line->chars[i] != '=')
            return false;
    return line->len > 0 && line->len <= 64;
}

static struct sig_result ppk_check(struct sig_input *in, void *memory)
{
    struct ppk_state *state = memory;
    struct chars_line line;
    uint32_t done = 0;
    uint64_t end;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (done == 0) {
        bool right;

        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.all == 0)
            return sig_reject("there is no whole key");
        if (state->lines > 0) {
            state->lines--;
            right = ppk_base64(&line);
        } else {
            right = ppk_line(state, &line, &done);
        }
        if (!right)
            return sig_reject("a line does not belong in a key");
        if (done == 0)
            chars_skip(&state->text, line.all);
    }
    struct chars behind = state->text; /* the place is kept for another call */
    chars_skip(&behind, done);
    if (chars_tail(in, &behind, &end) == CHARS_WAIT)
        return sig_short(in);
    return sig_complete(in, end, "the lines lead to the MAC");
}

const struct sig sig_ppk = {
    .name = "ppk",
    .what = "PuTTY private key",
    .proves = "every line up to the MAC, which needs the password",
    .source = "PuTTY, User Manual: Appendix C, PPK file format",
    .types = (const struct sig_type[]){ { "ppk", "ppk" }, { 0 } },
    .headers = { SIG_PATTERN("PuTTY-User-Key-File-2: "), SIG_PATTERN("PuTTY-User-Key-File-3: ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 128,
    .size_max = 1 << 20,
    .state_size = sizeof(struct ppk_state),
    .check = ppk_check,
};
