/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/chars.h - reads the characters of an object whose format is text.
 *
 * A validator of a text format sees one byte for each character, whatever the encoding, and learns
 * where the text ends. Encodings of one byte or more for a character (ASCII, UTF-8, Latin-1) are
 * read in place. UTF-16 with a byte order mark is converted to one byte for each 16-bit unit; a
 * unit that is not ASCII becomes 0x80. A NUL, a control character or half a surrogate pair is not
 * text and ends the text. A text file stores no length: if its format has no end mark, it ends at
 * the first byte that is not text (zeros in the slack, binary data).
 */
#ifndef BURIN_SIGNATURES_LIB_CHARS_H
#define BURIN_SIGNATURES_LIB_CHARS_H

#include "signatures/sig.h"

enum {
    CHARS_ROOM = 4096,      /* units of UTF-16 that are converted at a time */
    CHARS_CHUNK = 16384,    /* most characters that chars_look returns */
    CHARS_WANT_MAX = 4096,  /* most characters that a caller may ask for */
    CHARS_CHANCE = 16,      /* random bytes in a row that may look like characters */
    CHARS_HASH = 2166136261 /* initial value of chars_hash */
};

/* Not enum step: no text is wrong. CHARS_CUT: it ends where a piece of a file does. */
enum chars_step { CHARS_RIGHT, CHARS_WAIT, CHARS_CUT };

enum chars_stop {
    CHARS_GOES_ON,
    CHARS_STOP_LIMIT, /* the image or the limit of the type ends */
    CHARS_STOP_NUL,
    CHARS_STOP_BINARY,
};

/* A validator keeps it in its state between calls. It is zeroed before the first call. */
struct chars {
    uint64_t at;          /* object offset of the next character */
    uint64_t good;        /* object offset; the bytes before it are text */
    enum chars_stop stop; /* why the text ends at `good`; CHARS_GOES_ON: no end was seen yet */
    uint32_t unit;        /* bytes of a character: 1 or 2; 0: not begun */
    /* UTF-16: big-endian; the unit before `good` is the first half of a pair */
    bool big, high;
    bool tolerant; /* set by the validator: single control characters count as text */
    /* Object offsets: chars_plain counts all bytes in between, as was seen on the way. */
    uint64_t plain_from, plain_to;
    uint64_t room_at;  /* object offset of the first character in `room` */
    uint32_t room_len; /* number of characters in `room` */
    uint8_t room[CHARS_ROOM];
};

/* Reads the byte order mark, if there is one; text->at is then behind it. */
enum chars_step chars_open(struct sig_input *in, struct chars *text);

/*
 * Gives the characters from text->at on: at least want (1..CHARS_WANT_MAX) of them, or fewer when
 * the text ends before, or 0 when it has ended. They are valid until the next sig_ or text_ call.
 * CHARS_WAIT: the validator returns sig_short(in).
 */
enum chars_step chars_look(struct sig_input *in, struct chars *text, uint32_t want,
                           const uint8_t **chars, uint32_t *len);

static inline void chars_skip(struct chars *text, uint32_t chars)
{
    text->at += (uint64_t)chars * text->unit;
}

/* How many of the next characters are known to be such as chars_plain counts; 0: nobody has looked.
 */
static inline uint64_t chars_known_plain(const struct chars *text)
{
    const bool known = text->at >= text->plain_from && text->at < text->plain_to;

    return known ? text->plain_to - text->at : 0;
}

/* Whether text follows the next `left` characters; also true while that is not known. */
static inline bool chars_more(const struct chars *text, uint32_t left)
{
    return text->stop == CHARS_GOES_ON || text->at + (uint64_t)left * text->unit < text->good;
}

/*
 * Finds the end of a file whose end mark ends at text->at. Newlines behind the mark belong to the
 * file. Other white space belongs to it only when zeros or the end of the image follow.
 */
enum chars_step chars_tail(struct sig_input *in, struct chars *text, uint64_t *end);

/*
 * Finds the end of a text that has no end mark and has stopped (text->stop). Random bytes behind
 * the text that look like characters by chance do not belong to it. CHARS_CUT: the text ends inside
 * a line and at the end of a sector, as the first piece of a fragmented file does.
 */
enum chars_step chars_last(struct sig_input *in, struct chars *text, uint64_t *end);

/* A line of text, or the first CHARS_WANT_MAX characters of a longer one. */
struct chars_line {
    const uint8_t *chars; /* valid like those of chars_look */
    /*
     * Characters without and with the LF, CR LF or CR that ends the line. all is 0 when the text
     * has ended.
     */
    uint32_t len, all;
};

/* The line at text->at. */
enum chars_step chars_next_line(struct sig_input *in, struct chars *text, struct chars_line *line);

/* The value of a base64 character, 0..63; 0xff: c is not one. */
uint8_t chars_base64(uint8_t c);

/* Whether the characters begin with the lower-case word; the case of ASCII letters is ignored. */
bool chars_begins(const uint8_t *chars, uint32_t len, const char *word);

static inline bool chars_is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether all are ASCII and neither control characters nor white space but ' '. */
static inline bool text_is_printable(const uint8_t *chars, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        if (chars[i] < ' ' || chars[i] > '~')
            return false;
    return true;
}

static inline bool chars_is_letter(uint8_t c)
{
    return (uint8_t)((c | 0x20) - 'a') < 26;
}

static inline bool chars_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

/* How many of the characters at the start are printable ASCII or white space. 64 take a nanosecond
 * or two. */
uint32_t chars_plain(const uint8_t *chars, uint32_t len);

/* The hash (FNV-1a) of a name that goes on with the byte c. */
static inline uint32_t chars_hash(uint32_t hash, uint8_t c)
{
    return (hash ^ c) * 16777619u;
}

#endif
