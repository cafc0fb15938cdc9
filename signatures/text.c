/* signatures/text.c - see text.h. */
#include <string.h>

#include "signatures/text.h"

enum {
    TEXT_TAIL = 256,   /* characters looked at behind an end mark */
    TEXT_NEWLINES = 8, /* that belong to a file at its end when other data follows them */
    TEXT_CHANCE = 16,  /* random bytes in a row that may look like characters */
};

static inline bool text_is_bad(uint8_t c)
{
    return (c < '\t') | ((uint8_t)(c - 14) < 27 - 14) | ((uint8_t)(c - 28) < ' ' - 28) | (c == 0x7f);
}

/* How many bytes at the start are text. ESC is: ISO 2022 switches alphabets with it. */
static uint32_t text_good(const uint8_t *bytes, uint32_t len)
{
    uint32_t i = 0;

    for (; i + 64 <= len; i += 64) {
        uint8_t bad = 0;

        for (uint32_t k = 0; k < 64; k++)
            bad |= text_is_bad(bytes[i + k]);
        if (bad)
            break;
    }
    while (i < len && !text_is_bad(bytes[i]))
        i++;
    return i;
}

enum text_step text_open(struct sig_input *in, struct text *text)
{
    if (text->unit != 0)
        return TEXT_RIGHT;
    const uint8_t *bytes = sig_bytes(in, 0, in->limit >= 3 ? 3 : in->limit > 0 ? (uint32_t)in->limit : 1);
    if (bytes == NULL)
        return TEXT_WAIT;
    text->unit = 1;
    if (in->limit >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        text->at = 3;
    } else if (in->limit >= 3 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0)) {
        text->unit = 2;
        text->big = bytes[0] == 0xfe;
        text->at = 2;
    }
    text->good = text->at;
    return TEXT_RIGHT;
}

static void text_ends(struct text *text, uint64_t at, enum text_stop why)
{
    text->good = at;
    text->stop = why;
}

/* Turns units of UTF-16 at text->at into bytes; returns how many are text. */
static uint32_t text_turn(struct text *text, const uint8_t *bytes, uint32_t units)
{
    for (uint32_t i = 0; i < units; i++) {
        const uint32_t code =
            text->big ? (uint32_t)bytes[2 * i] << 8 | bytes[2 * i + 1] : (uint32_t)bytes[2 * i + 1] << 8 | bytes[2 * i];

        text->room[i] = code < 0x80 ? (uint8_t)code : 0x80;
        if (text->at + 2 * i < text->good)
            continue;
        const bool high = (code & 0xfc00) == 0xd800, low = (code & 0xfc00) == 0xdc00;
        if (text->high != low || (code < 0x80 && text_is_bad((uint8_t)code)) || code >= 0xfffe) {
            text_ends(text, text->at + 2 * i, code == 0 ? TEXT_STOP_NUL : TEXT_STOP_BINARY);
            return i;
        }
        text->high = high;
        text->good = text->at + 2 * (i + 1);
    }
    return units;
}

enum text_step text_look(struct sig_input *in, struct text *text, uint32_t want, const uint8_t **chars, uint32_t *len)
{
    const uint64_t end = text->stop == TEXT_GOES_ON ? in->limit : text->good;
    const uint64_t left = text->at < end ? (end - text->at) / text->unit : 0;
    uint32_t have;

    *len = 0;
    *chars = text->room;
    if (left < want)
        want = (uint32_t)left;
    if (want == 0) {
        if (text->stop == TEXT_GOES_ON)
            text_ends(text, text->at, TEXT_STOP_LIMIT);
        return TEXT_RIGHT;
    }
    const uint8_t *bytes = sig_span(in, text->at, &have);
    if (bytes != NULL && have < want * text->unit) {
        have = want * text->unit;
        bytes = sig_bytes(in, text->at, have);
    }
    if (bytes == NULL)
        return TEXT_WAIT;
    have /= text->unit;
    if (have > left)
        have = (uint32_t)left;
    if (text->unit == 2) {
        *len = text_turn(text, bytes, have < TEXT_ROOM ? have : TEXT_ROOM);
        return TEXT_RIGHT;
    }
    *chars = bytes;
    *len = have < TEXT_CHUNK ? have : TEXT_CHUNK;
    if (text->stop == TEXT_GOES_ON && text->at + *len > text->good) {
        const uint32_t known = text->good > text->at ? (uint32_t)(text->good - text->at) : 0;

        const uint32_t good = known + text_good(bytes + known, *len - known);
        text->good = text->at + good;
        if (good < *len)
            text_ends(text, text->good, bytes[good] == 0 ? TEXT_STOP_NUL : TEXT_STOP_BINARY);
        *len = good;
    }
    return TEXT_RIGHT;
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

enum text_step text_tail(struct sig_input *in, struct text *text, uint64_t *end)
{
    const uint8_t *chars;
    uint32_t len, i = 0;

    if (text_look(in, text, TEXT_TAIL, &chars, &len) == TEXT_WAIT)
        return TEXT_WAIT;
    while (i < len && text_is_space(chars[i]))
        i++;
    if (i == len && len < TEXT_TAIL && text->stop != TEXT_STOP_BINARY) {
        *end = text->at + (uint64_t)len * text->unit;
        return TEXT_RIGHT;
    }
    i = text_newline(chars, len, 0);
    const uint32_t first = i;
    for (uint32_t k = 1; i > 0 && k < TEXT_NEWLINES; k++) {
        const uint32_t more = text_newline(chars, len, i);
        if (more == 0 || more != first || memcmp(chars, chars + i, more) != 0)
            break;
        i += more;
    }
    *end = text->at + (uint64_t)i * text->unit;
    return TEXT_RIGHT;
}

uint64_t text_last(const struct text *text, uint64_t line)
{
    return text->stop == TEXT_STOP_BINARY && text->good - line <= (uint64_t)TEXT_CHANCE * text->unit ? line
                                                                                                     : text->good;
}

bool text_begins(const uint8_t *chars, uint32_t len, const char *word)
{
    for (; *word != '\0'; word++, chars++, len--) {
        const uint8_t c = len == 0 ? 0 : *chars >= 'A' && *chars <= 'Z' ? *chars | 0x20 : *chars;

        if (c != (uint8_t)*word)
            return false;
    }
    return true;
}
