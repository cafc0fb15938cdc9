/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/chars.c - see chars.h. */
#include <string.h>

#include "base/limits.h"
#include "signatures/lib/chars.h"

enum {
    CHARS_TAIL = 256, /* characters looked at behind an end mark */
    CHARS_BACK = 512, /* bytes looked at before the end of a text */
    CHARS_CUT_MIN =
        4, /* characters of a line at the end of a sector that show that it goes on elsewhere */
    CHARS_ZEROS = 8,    /* bytes that are zero where slack is zero */
    CHARS_AROUND = 256, /* bytes in which a control character may be one of CHARS_AROUND_BAD */
    CHARS_AROUND_BAD = 12,
    CHARS_NEWLINES = 8,     /* that belong to a file at its end when other data follows them */
    CHARS_LINE_FIRST = 256, /* characters in which the end of a line is looked for first */
};

static inline bool text_is_bad(uint8_t c)
{
    return (c < '\t') | ((uint8_t)(c - 14) < 27 - 14) | ((uint8_t)(c - 28) < ' ' - 28) |
           (c == 0x7f);
}

/* Bytes that are compared at once; written out, for compilers do not find it in a loop over bytes.
 */
typedef uint8_t text_vector __attribute__((vector_size(16)));
typedef uint64_t text_words __attribute__((vector_size(16)));
typedef uint8_t text_wide __attribute__((vector_size(32)));
typedef uint64_t text_wide_words __attribute__((vector_size(32)));

enum {
    TEXT_VECTOR = sizeof(text_vector),
    TEXT_WIDE = sizeof(text_wide),
    TEXT_AT_ONCE = 4 * TEXT_WIDE, /* bytes that are looked at together, where there are as many */
};

static inline bool text_is_plain(uint8_t c)
{
    return (uint8_t)(c - ' ') <= '~' - ' ' || chars_is_space(c);
}

/* Whether all of `len` bytes, a multiple of TEXT_WIDE, are plain. */
static inline __attribute__((always_inline)) bool text_all_plain(const uint8_t *bytes, uint32_t len)
{
    text_wide plain = ~(text_wide){ 0 };

    for (uint32_t i = 0; i < len; i += TEXT_WIDE) {
        text_wide c;

        memcpy(&c, bytes + i, sizeof c);
        plain &= (text_wide)((c - ' ' <= '~' - ' ') | (c - '\t' <= '\r' - '\t'));
    }
    const text_wide_words all = (text_wide_words)plain;
    return (all[0] & all[1] & all[2] & all[3]) == UINT64_MAX;
}

static inline __attribute__((always_inline)) uint32_t text_plain(const uint8_t *chars, uint32_t len)
{
    uint32_t i = 0;

    while (i + TEXT_AT_ONCE <= len && text_all_plain(chars + i, TEXT_AT_ONCE))
        i += TEXT_AT_ONCE;
    while (i + TEXT_WIDE <= len && text_all_plain(chars + i, TEXT_WIDE))
        i += TEXT_WIDE;
    while (i < len && text_is_plain(chars[i]))
        i++;
    return i;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static uint32_t text_plain_avx2(const uint8_t *chars, uint32_t len)
{
    return text_plain(chars, len);
}

uint32_t chars_plain(const uint8_t *chars, uint32_t len)
{
    return __builtin_cpu_supports("avx2") ? text_plain_avx2(chars, len) : text_plain(chars, len);
}
#else
uint32_t chars_plain(const uint8_t *chars, uint32_t len)
{
    return text_plain(chars, len);
}
#endif

/* Whether one of TEXT_VECTOR bytes is no text. */
static inline bool text_any_bad(const uint8_t *bytes)
{
    text_vector c;

    memcpy(&c, bytes, sizeof c);
    const text_words bad =
        (text_words)((c < '\t') | ((c - 14) < 27 - 14) | ((c - 28) < ' ' - 28) | (c == 0x7f));
    return (bad[0] | bad[1]) != 0;
}

/* How many bytes at the start are text, of which the first `plain` are plain. ESC is text: ISO 2022
 * switches alphabets with it. */
static uint32_t text_good(const uint8_t *bytes, uint32_t len, uint32_t plain)
{
    uint32_t i = plain;

    for (; i < len && !text_is_bad(bytes[i]); i += chars_plain(bytes + i, len - i)) {
        const uint32_t from = i;

        while (i + TEXT_VECTOR <= len && !text_any_bad(bytes + i))
            i += TEXT_VECTOR;
        i += i == from;
    }
    return i;
}

enum chars_step chars_open(struct sig_input *in, struct chars *text)
{
    if (text->unit != 0)
        return CHARS_RIGHT;
    const uint8_t *bytes = sig_bytes(in, 0,
                                     in->limit >= 3  ? 3
                                     : in->limit > 0 ? (uint32_t)in->limit
                                                     : 1);
    if (bytes == NULL)
        return CHARS_WAIT;
    text->unit = 1;
    if (in->limit >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        text->at = 3;
    } else if (in->limit >= 3 &&
               (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0)) {
        text->unit = 2;
        text->big = bytes[0] == 0xfe;
        text->at = 2;
    }
    text->good = text->at;
    return CHARS_RIGHT;
}

static void text_ends(struct chars *text, uint64_t at, enum chars_stop why)
{
    text->good = at;
    text->stop = why;
}

/* Turns units of UTF-16 at text->at into bytes; returns how many are text. */
static uint32_t text_turn(struct chars *text, const uint8_t *bytes, uint32_t units)
{
    for (uint32_t i = 0; i < units; i++) {
        const uint32_t code = text->big ? (uint32_t)bytes[2 * i] << 8 | bytes[2 * i + 1]
                                        : (uint32_t)bytes[2 * i + 1] << 8 | bytes[2 * i];

        text->room[i] = code < 0x80 ? (uint8_t)code : 0x80;
        if (text->at + 2 * i < text->good)
            continue;
        const bool high = (code & 0xfc00) == 0xd800, low = (code & 0xfc00) == 0xdc00;
        if (text->high != low || (code < 0x80 && text_is_bad((uint8_t)code)) || code >= 0xfffe) {
            text_ends(text, text->at + 2 * i, code == 0 ? CHARS_STOP_NUL : CHARS_STOP_BINARY);
            return i;
        }
        text->high = high;
        text->good = text->at + 2 * (i + 1);
    }
    return units;
}

/* Whether the byte at object offset at, which is no text, stands nearly alone. */
static enum chars_step text_tolerates(struct sig_input *in, uint64_t at, bool *yes)
{
    const uint64_t left = in->limit - at;
    const uint32_t len = left < CHARS_AROUND ? (uint32_t)left : CHARS_AROUND;
    const uint8_t *bytes = sig_bytes(in, at, len);
    uint32_t bad = 0;

    if (bytes == NULL)
        return CHARS_WAIT;
    *yes = memchr(bytes, 0, len) == NULL;
    for (uint32_t i = 0; i < len; i++)
        bad += text_is_bad(bytes[i]);
    *yes = *yes && bad <= CHARS_AROUND_BAD;
    return CHARS_RIGHT;
}

/*
 * Notes how far the len characters at text->at are text. CHARS_CUT: other bytes had to be asked
 * for; the characters have to be fetched again.
 */
static enum chars_step text_judge(struct sig_input *in, struct chars *text, const uint8_t *bytes,
                                  uint32_t *len)
{
    const uint32_t known = text->good > text->at ? (uint32_t)(text->good - text->at) : 0;
    const uint32_t plain = chars_plain(bytes + known, *len - known);
    const uint32_t good = known + text_good(bytes + known, *len - known, plain);
    bool yes;

    text->plain_from = text->at + known;
    text->plain_to = text->plain_from + plain;

    text->good = text->at + good;
    if (good == *len)
        return CHARS_RIGHT;
    const uint8_t bad = bytes[good];
    if (!text->tolerant || bad == 0) {
        text_ends(text, text->good, bad == 0 ? CHARS_STOP_NUL : CHARS_STOP_BINARY);
        *len = good;
        return CHARS_RIGHT;
    }
    if (text_tolerates(in, text->good, &yes) == CHARS_WAIT)
        return CHARS_WAIT;
    if (yes)
        text->good++;
    else
        text_ends(text, text->good, CHARS_STOP_BINARY);
    return CHARS_CUT;
}

/* chars_look, or CHARS_CUT: to be called again. */
static enum chars_step text_fetch(struct sig_input *in, struct chars *text, uint32_t want,
                                  const uint8_t **chars, uint32_t *len)
{
    const uint64_t end = text->stop == CHARS_GOES_ON ? in->limit : text->good;
    const uint64_t left = text->at < end ? (end - text->at) / text->unit : 0;
    uint32_t have;

    *len = 0;
    *chars = text->room;
    if (left < want)
        want = (uint32_t)left;
    if (want == 0) {
        if (text->stop == CHARS_GOES_ON)
            text_ends(text, text->at, CHARS_STOP_LIMIT);
        return CHARS_RIGHT;
    }
    if (text->unit == 2 && text->at >= text->room_at &&
        (text->at - text->room_at) / 2 + want <= text->room_len) {
        const uint32_t from = (uint32_t)((text->at - text->room_at) / 2); /* turned already */

        *chars = text->room + from;
        *len = text->room_len - from;
        return CHARS_RIGHT;
    }
    const uint8_t *bytes = sig_span(in, text->at, &have);
    if (bytes != NULL && have < want * text->unit) {
        have = want * text->unit;
        bytes = sig_bytes(in, text->at, have);
    }
    if (bytes == NULL)
        return CHARS_WAIT;
    have /= text->unit;
    if (have > left)
        have = (uint32_t)left;
    if (text->unit == 2) {
        text->room_at = text->at;
        text->room_len = *len = text_turn(text, bytes, have < CHARS_ROOM ? have : CHARS_ROOM);
        return CHARS_RIGHT;
    }
    *chars = bytes;
    *len = have < CHARS_CHUNK ? have : CHARS_CHUNK;
    if (text->stop != CHARS_GOES_ON || text->at + *len <= text->good)
        return CHARS_RIGHT;
    return text_judge(in, text, bytes, len);
}

enum chars_step chars_look(struct sig_input *in, struct chars *text, uint32_t want,
                           const uint8_t **chars, uint32_t *len)
{
    enum chars_step step;

    do
        step = text_fetch(in, text, want, chars, len);
    while (step == CHARS_CUT);
    return step;
}

/* Characters of a newline at chars[i], spaces before it included; 0: none. */
static uint32_t text_newline(const uint8_t *chars, uint32_t len, uint32_t i)
{
    const uint32_t from = i;

    while (i < len && (chars[i] == ' ' || chars[i] == '\t'))
        i++;
    if (i < len && chars[i] == '\n')
        return i + 1 - from;
    if (i < len && chars[i] == '\r')
        return i + 1 - from + (i + 1 < len && chars[i + 1] == '\n');
    return 0;
}

enum chars_step chars_tail(struct sig_input *in, struct chars *text, uint64_t *end)
{
    const uint8_t *chars;
    uint32_t len, i = 0;

    if (chars_look(in, text, CHARS_TAIL, &chars, &len) == CHARS_WAIT)
        return CHARS_WAIT;
    while (i < len && chars_is_space(chars[i]))
        i++;
    if (i == len && len < CHARS_TAIL && text->stop != CHARS_STOP_BINARY) {
        *end = text->at + (uint64_t)len * text->unit;
        return CHARS_RIGHT;
    }
    i = text_newline(chars, len, 0);
    const uint32_t first = i;
    for (uint32_t k = 1; i > 0 && k < CHARS_NEWLINES; k++) {
        const uint32_t more = text_newline(chars, len, i);
        if (more == 0 || more != first || memcmp(chars, chars + i, more) != 0)
            break;
        i += more;
    }
    *end = text->at + (uint64_t)i * text->unit;
    return CHARS_RIGHT;
}

/* Bytes of the UTF-8 sequence at the start, 0: none, or it is cut. */
static uint32_t text_utf8(const uint8_t *bytes, uint32_t len)
{
    const uint8_t lead = bytes[0];
    const uint32_t want = lead < 0x80                   ? 1
                          : lead >= 0xc2 && lead < 0xe0 ? 2
                          : (lead & 0xf0) == 0xe0       ? 3
                          : (lead & 0xf8) == 0xf0       ? 4
                                                        : 0;

    for (uint32_t i = 1; i < want; i++)
        if (i >= len || (bytes[i] & 0xc0) != 0x80)
            return 0;
    return want;
}

/* Whether a line is what random bytes make by chance: `ended` by a newline it must be worse to be
 * called so. */
static bool text_is_chance(const uint8_t *line, uint32_t len, bool ended)
{
    uint32_t good = 0, broken = 0, step;

    for (uint32_t i = 0; i < len; i += step == 0 ? 1 : step) {
        step = text_utf8(line + i, len - i);
        if (step == 0)
            broken++;
        else if (step > 1 || chars_is_letter(line[i]) || chars_is_digit(line[i]) ||
                 chars_is_space(line[i]))
            good += step;
    }
    if (broken > 0 && (ended || len > CHARS_CHANCE))
        return good * 4 < len * 3;
    return !ended && (len <= CHARS_CHANCE || good * 2 < len);
}

enum chars_step chars_last(struct sig_input *in, struct chars *text, uint64_t *end)
{
    const uint64_t good = text->good;
    const uint32_t back = good < CHARS_BACK ? (uint32_t)good : CHARS_BACK;
    const uint64_t left = in->limit - good;
    const uint32_t zeros = left < CHARS_ZEROS ? (uint32_t)left : CHARS_ZEROS;

    *end = good;
    if (text->stop == CHARS_STOP_LIMIT || text->unit != 1 || back == 0)
        return CHARS_RIGHT;
    if (good % LIMIT_SECTOR == 0) {
        const uint8_t *last = sig_bytes(in, good - 1, 1);

        if (last == NULL)
            return CHARS_WAIT;
        if (last[0] != '\n' && last[0] != '\r')
            return CHARS_CUT;
    }
    const uint8_t *bytes = sig_bytes(in, good, zeros);
    if (bytes == NULL)
        return CHARS_WAIT;
    uint32_t i = 0;
    while (i < zeros && bytes[i] == 0)
        i++;
    if (i == zeros)
        return CHARS_RIGHT;
    bytes = sig_bytes(in, good - back, back);
    if (bytes == NULL)
        return CHARS_WAIT;
    uint32_t len = back;
    for (bool ended = false; len > 0; ended = true) {
        const uint8_t *newline = memrchr(bytes, '\n', len - ended);
        const uint32_t line = newline == NULL ? 0 : (uint32_t)(newline - bytes) + 1;

        if (newline == NULL || (line < len && !text_is_chance(bytes + line, len - line, ended)))
            break;
        const uint32_t whole = LIMIT_SECTOR - (uint32_t)((good - back + line) % LIMIT_SECTOR);
        if (!ended && line + whole < len && whole >= CHARS_CUT_MIN &&
            !text_is_chance(bytes + line, whole, true))
            return CHARS_CUT;
        len = line;
        if (line + CHARS_BACK / 2 < back)
            break;
    }
    *end = good - back + len;
    return CHARS_RIGHT;
}

/*
 * Finds the line in len characters; false when none of them ends it, or what follows a CR is not
 * among them.
 */
static bool text_cut_line(struct chars_line *line, uint32_t len)
{
    const uint8_t *newline = memchr(line->chars, '\n', len);

    line->len = newline == NULL ? len : (uint32_t)(newline - line->chars);
    line->all = newline == NULL ? len : line->len + 1;
    const uint8_t *cr = memchr(line->chars, '\r', line->len);
    if (cr != NULL) {
        line->len = (uint32_t)(cr - line->chars);
        if (cr + 1 != newline)
            line->all = line->len + 1;
    }
    return newline != NULL || (cr != NULL && line->len + 1 < len);
}

enum chars_step chars_next_line(struct sig_input *in, struct chars *text, struct chars_line *line)
{
    /*
     * Most lines are short. To ask for the longest one each time would turn 4096 characters of
     * UTF-16 for each.
     */
    static const uint32_t wants[] = { CHARS_LINE_FIRST, CHARS_WANT_MAX };
    uint32_t len;

    *line = (struct chars_line){ 0 };
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++) {
        if (chars_look(in, text, wants[i], &line->chars, &len) == CHARS_WAIT)
            return CHARS_WAIT;
        if (text_cut_line(line, len < wants[i] ? len : wants[i]))
            break;
    }
    return CHARS_RIGHT;
}

uint8_t chars_base64(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return (uint8_t)(c - 'a' + 26);
    if (chars_is_digit(c))
        return (uint8_t)(c - '0' + 52);
    return c == '+' ? 62 : c == '/' ? 63 : 0xff;
}

bool chars_begins(const uint8_t *chars, uint32_t len, const char *word)
{
    for (; *word != '\0'; word++, chars++, len--) {
        const uint8_t c = len == 0 ? 0 : *chars >= 'A' && *chars <= 'Z' ? *chars | 0x20 : *chars;

        if (c != (uint8_t)*word)
            return false;
    }
    return true;
}
