/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/armour.c - binary data as text: OpenPGP messages and keys (asc), keys and
 * certificates (key, pem).
 *
 *   [text] | -----BEGIN label----- | [Name: value ... empty line] | base64 | [=CRC-24] | -----END
 * label----- | [text] | next block ...
 *
 * Every line is base64 and the labels agree. OpenPGP's CRC is compared; what is DER is as long as
 * its first element says. Blocks that follow each other, with a little text between them (openssl
 * prints what is in a certificate), are one file; it ends with the newline behind its last block.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum {
    ARMOUR_LABEL_MAX = 40,
    ARMOUR_BETWEEN = 16 << 10, /* bytes of text before, between and behind blocks */
    ARMOUR_HEADERS = 32,       /* lines */
    ARMOUR_HEAD = 16,          /* bytes of what is in a block that are kept */
    ARMOUR_LINE_MAX = 256,     /* characters of a line of base64 */
    ARMOUR_BROKEN_MIN =
        256, /* bytes out of base64 that make a broken file more than a stray header */
};

enum armour_phase {
    ARMOUR_TEXT,
    ARMOUR_BEGUN,
    ARMOUR_HEADER,
    ARMOUR_BODY,
    ARMOUR_SUM,
    ARMOUR_CLEAR
};
enum { ARMOUR_ASC, ARMOUR_KEY, ARMOUR_PEM };

struct armour_state {
    struct chars text;
    enum armour_phase phase;
    bool pgp, encrypted, padded, summed;
    uint32_t type, blocks, headers, label_len;
    uint32_t bits, bit_count, crc, sum;
    uint64_t len;  /* bytes in the block so far */
    uint64_t from; /* object offset where text between blocks begins */
    uint64_t end;  /* behind the last whole block */
    uint8_t label[ARMOUR_LABEL_MAX], head[ARMOUR_HEAD];
};

static const struct sig_type armour_types[] = {
    { "asc", "asc" }, { "pem-key", "key" }, { "pem", "pem" }, { 0 }
};

/* CRC-24 of RFC 4880 6.1, four bits at a time. */
static uint32_t armour_crc(uint32_t crc, uint8_t byte)
{
    static const uint32_t table[16] = { 0x000000, 0x864cfb, 0x8ad50d, 0x0c99f6, 0x93e6e1, 0x15aa1a,
                                        0x1933ec, 0x9f7f17, 0xa18139, 0x27cdc2, 0x2b5434, 0xad18cf,
                                        0x3267d8, 0xb42b23, 0xb8b2d5, 0x3efe2e };

    crc = (crc << 4 & 0xffffff) ^ table[(crc >> 20 ^ (uint32_t)byte >> 4) & 15];
    return (crc << 4 & 0xffffff) ^ table[(crc >> 20 ^ byte) & 15];
}

/* -----BEGIN label-----; *label of *len characters. */
static bool armour_dashes(const struct chars_line *line, const uint8_t **label, uint32_t *len)
{
    const uint32_t from = 11;
    uint32_t end = line->len;

    while (end > 0 && (line->chars[end - 1] == ' ' || line->chars[end - 1] == '\t'))
        end--;
    if (end < from + 5 + 1 || memcmp(line->chars, "-----BEGIN ", from) != 0 ||
        memcmp(line->chars + end - 5, "-----", 5) != 0)
        return false;
    *label = line->chars + from;
    *len = end - 5 - from;
    if (*len > ARMOUR_LABEL_MAX)
        return false;
    for (uint32_t i = 0; i < *len; i++)
        if (!((*label)[i] >= 'A' && (*label)[i] <= 'Z') && !chars_is_digit((*label)[i]) &&
            (*label)[i] != ' ' && (*label)[i] != '.' && (*label)[i] != '#')
            return false;
    return true;
}

static bool armour_has(const struct armour_state *state, const char *word)
{
    return memmem(state->label, state->label_len, word, strlen(word)) != NULL;
}

static bool armour_begin(struct armour_state *state, const struct chars_line *line)
{
    const uint8_t *label;
    uint32_t len;

    if (!armour_dashes(line, &label, &len))
        return false;
    memcpy(state->label, label, len);
    state->label_len = len;
    state->pgp = len > 4 && memcmp(label, "PGP ", 4) == 0;
    state->encrypted = state->padded = state->summed = false;
    state->bits = state->bit_count = state->headers = state->sum = 0;
    state->crc = 0xb704ce;
    state->len = 0;
    state->phase = state->pgp && armour_has(state, "SIGNED MESSAGE") ? ARMOUR_CLEAR : ARMOUR_BEGUN;
    if (state->blocks == 0)
        state->type = state->pgp                         ? ARMOUR_ASC
                      : armour_has(state, "PRIVATE KEY") ? ARMOUR_KEY
                                                         : ARMOUR_PEM;
    return true;
}

/* Takes a line of base64. */
static bool armour_base64(struct armour_state *state, const struct chars_line *line)
{
    if (line->len > ARMOUR_LINE_MAX)
        return false;
    for (uint32_t i = 0; i < line->len; i++) {
        const uint8_t c = line->chars[i], value = chars_base64(c);

        if (c == ' ' || c == '\t')
            continue;
        if (c == '=') {
            state->padded = true;
            continue;
        }
        if (value == 0xff || state->padded)
            return false;
        state->bits = (state->bits << 6 | value) & 0xffff;
        state->bit_count += 6;
        if (state->bit_count < 8)
            continue;
        state->bit_count -= 8;
        const uint8_t byte = (uint8_t)(state->bits >> state->bit_count);
        if (state->len < ARMOUR_HEAD)
            state->head[state->len] = byte;
        state->len++;
        if (state->pgp)
            state->crc = armour_crc(state->crc, byte);
    }
    return true;
}

/* The CRC of an OpenPGP block: = and four characters. */
static bool armour_sum(struct armour_state *state, const struct chars_line *line)
{
    state->sum = 0;
    for (uint32_t i = 1; i < 5; i++) {
        const uint8_t value = chars_base64(line->chars[i]);

        if (value == 0xff)
            return false;
        state->sum = state->sum << 6 | value;
    }
    state->summed = true;
    return state->sum == state->crc;
}

/* Whether the bytes of a block are those that its label promises. */
static bool armour_content(const struct armour_state *state)
{
    const uint8_t *head = state->head;
    uint64_t len;

    if (state->len < 8)
        return false;
    if (state->pgp)
        return (head[0] & 0x80) != 0;
    if (armour_has(state, "OPENSSH"))
        return memcmp(head, "openssh-key-v1", 15) == 0;
    if (state->encrypted)
        return true;
    if (armour_has(state, "SSH") || armour_has(state, "OPENVPN"))
        return true;
    if (head[0] != 0x30)
        return armour_has(state, "PARAMETERS") && head[0] == 0x06;
    if (head[1] < 0x80)
        len = 2 + (uint64_t)head[1];
    else if (head[1] == 0x81)
        len = 3 + (uint64_t)head[2];
    else if (head[1] == 0x82)
        len = 4 + (uint64_t)bytes_u16be(head + 2);
    else if (head[1] == 0x83)
        len = 5 + ((uint64_t)head[2] << 16 | bytes_u16be(head + 3));
    else
        return head[1] == 0x80; /* of indefinite length */
    return len == state->len;
}

/* Not enum step: a line is at hand. It goes on, ends a block, or no more lines follow. */
enum armour_step { ARMOUR_ON, ARMOUR_BLOCK, ARMOUR_DONE, ARMOUR_BAD };

static enum armour_step armour_end(struct armour_state *state, const struct chars_line *line)
{
    const uint32_t label = 9, dashes = label + state->label_len;

    if (line->len < dashes + 5 || memcmp(line->chars, "-----END ", label) != 0)
        return ARMOUR_ON;
    if (memcmp(line->chars + label, state->label, state->label_len) != 0 ||
        memcmp(line->chars + dashes, "-----", 5) != 0 || !armour_content(state))
        return ARMOUR_BAD;
    state->blocks++;
    state->phase = ARMOUR_TEXT;
    return ARMOUR_BLOCK;
}

/* In a block, behind its first line. */
static enum armour_step armour_body(struct armour_state *state, const struct chars_line *line)
{
    const enum armour_step end = armour_end(state, line);

    if (end != ARMOUR_ON)
        return end;
    if (state->phase == ARMOUR_BEGUN)
        state->phase = memchr(line->chars, ':', line->len) != NULL || line->len == 0 ? ARMOUR_HEADER
                                                                                     : ARMOUR_BODY;
    if (state->phase == ARMOUR_HEADER) {
        if (line->len == 0)
            state->phase = ARMOUR_BODY;
        else if (chars_begins(line->chars, line->len, "proc-type: 4,encrypted"))
            state->encrypted = true;
        return ++state->headers <= ARMOUR_HEADERS ? ARMOUR_ON : ARMOUR_BAD;
    }
    if (state->pgp && line->len >= 5 && line->chars[0] == '=' && state->phase == ARMOUR_BODY) {
        state->phase = ARMOUR_SUM;
        return armour_sum(state, line) ? ARMOUR_ON : ARMOUR_BAD;
    }
    if (state->phase == ARMOUR_SUM)
        return line->len == 0 ? ARMOUR_ON : ARMOUR_BAD;
    return armour_base64(state, line) ? ARMOUR_ON : ARMOUR_BAD;
}

static enum armour_step armour_line(struct armour_state *state, const struct chars_line *line)
{
    switch (state->phase) {
    case ARMOUR_TEXT:
        if (armour_begin(state, line))
            return ARMOUR_ON;
        if (state->text.at == 0 && line->chars[0] == '-')
            return ARMOUR_BAD;
        return state->text.at - state->from > ARMOUR_BETWEEN ? ARMOUR_DONE : ARMOUR_ON;
    case ARMOUR_CLEAR:
        if (line->len >= 10 && memcmp(line->chars, "-----BEGIN", 10) == 0)
            return armour_begin(state, line) && armour_has(state, "SIGNATURE") ? ARMOUR_ON
                                                                               : ARMOUR_BAD;
        return ARMOUR_ON;
    default:
        return armour_body(state, line);
    }
}

static struct sig_result armour_check(struct sig_input *in, void *memory)
{
    struct armour_state *state = memory;
    enum armour_step step = ARMOUR_ON;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (step == ARMOUR_ON) {
        struct chars_line line;

        if (state->blocks > 0 && state->end == 0) {
            if (chars_tail(in, &state->text, &state->end) == CHARS_WAIT)
                return sig_short(in);
            state->text.at = state->from = state->end;
        }
        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        step = line.all == 0 ? ARMOUR_DONE : armour_line(state, &line);
        if (step == ARMOUR_BLOCK) {
            chars_skip(&state->text, 9 + state->label_len + 5);
            state->end = 0;
            step = ARMOUR_ON;
        } else {
            chars_skip(&state->text, line.all);
        }
    }
    in->type = &armour_types[state->type];
    if (state->blocks > 0 && state->phase == ARMOUR_TEXT && state->text.stop != CHARS_GOES_ON &&
        state->text.at >= state->text.good) {
        uint64_t end;
        const enum chars_step cut = chars_last(in, &state->text, &end);

        if (cut == CHARS_WAIT)
            return sig_short(in);
        if (cut == CHARS_CUT && state->text.at > state->end)
            state->phase = ARMOUR_CLEAR; /* text between blocks that goes on elsewhere */
    }
    if (state->blocks > 0 && state->phase == ARMOUR_TEXT)
        return sig_complete(in, state->end, "every block is base64 of the right length or CRC");
    if (state->blocks == 0 && state->len < ARMOUR_BROKEN_MIN)
        return sig_reject("there is no whole block");
    sig_valid(in, state->text.at);
    return sig_breaks(in, "a line does not belong in a block");
}

const struct sig sig_armour = {
    .name = "armour",
    .what = "OpenPGP armour, PEM keys and certificates",
    .proves = "lines are base64, labels agree; OpenPGP has its CRC-24, DER its length; nothing is "
              "deciphered",
    .source = "RFC 4880 6.2 Forming ASCII Armor, 7 Cleartext Signature Framework; RFC 7468; RFC "
              "1421 (headers); OpenSSH, "
              "PROTOCOL.key",
    .types = armour_types,
    .headers = { SIG_PATTERN("-----BEGIN "), SIG_PATTERN("Certificate:\n    Data:\n"),
                 SIG_PATTERN("Bag Attributes\n"), SIG_PATTERN("# Issuer: "),
                 SIG_PATTERN("\n# Issuer: "), SIG_PATTERN("##\n## Bundle of CA Root") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = UINT64_C(1) << 30, /* policy */
    .state_size = sizeof(struct armour_state),
    .check = armour_check,
};
