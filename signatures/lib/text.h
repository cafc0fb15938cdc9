/*
 * signatures/lib/text.h - text read character by character, for formats that are text.
 *
 * Goal: checkers of text formats see plain bytes, whatever the encoding, and know where the text ends. Method: ASCII, UTF-8,
 * Latin-1 and their like are looked at where they lie; UTF-16 with a byte order mark is turned into one byte a unit (0x80
 * for what is not ASCII). A NUL, a control character or half a surrogate pair is no text and ends it. A file of text has no
 * length anywhere: where its format has no end mark, the first byte that is no text (slack of zeros, binary data) is its end.
 */
#ifndef BURIN_SIGNATURES_LIB_TEXT_H
#define BURIN_SIGNATURES_LIB_TEXT_H

#include "signatures/sig.h"

enum {
    TEXT_ROOM = 4096,      /* characters of UTF-16 turned at a time */
    TEXT_CHUNK = 16384,    /* most characters given at a time */
    TEXT_WANT_MAX = 4096,  /* most characters that may be asked for */
    TEXT_CHANCE = 16,      /* random bytes in a row that may look like characters */
    TEXT_SECTOR = 512,     /* files begin at multiples of it */
    TEXT_HASH = 2166136261 /* where the hash of a name begins */
};

enum text_step { TEXT_RIGHT, TEXT_WAIT, TEXT_CUT };

enum text_stop {
    TEXT_GOES_ON,
    TEXT_STOP_LIMIT, /* the image or the limit of the type ends */
    TEXT_STOP_NUL,
    TEXT_STOP_BINARY,
};

/* Kept between calls; zeroed before the first. */
struct text {
    uint64_t at;         /* object offset of the next character */
    uint64_t good;       /* the bytes below are text */
    enum text_stop stop; /* why nothing but the bytes below `good` is text; TEXT_GOES_ON: no end seen yet */
    uint32_t unit;       /* bytes of a character: 1 or 2; 0: not begun */
    bool big, high;      /* UTF-16: big-endian; the unit before `good` is the first half of a pair */
    bool tolerant;       /* set by the checker: single control characters are text, as in strings of scripts */
    uint64_t room_at;    /* object offset of the first character in `room` */
    uint32_t room_len;   /* how many are there */
    uint8_t room[TEXT_ROOM];
};

/* Reads the byte order mark, if there is one, and stands behind it. */
enum text_step text_open(struct sig_input *in, struct text *text);

/*
 * Characters from text->at on: at least want (1..TEXT_WANT_MAX) of them, fewer only when the text ends there (none: it has ended). Valid
 * until the next sig_ or text_ call. TEXT_WAIT: return sig_short(in).
 */
enum text_step text_look(struct sig_input *in, struct text *text, uint32_t want, const uint8_t **chars, uint32_t *len);

static inline void text_skip(struct text *text, uint32_t chars)
{
    text->at += (uint64_t)chars * text->unit;
}

/* Whether further text follows the next `left` characters, as far as is known. */
static inline bool text_more(const struct text *text, uint32_t left)
{
    return text->stop == TEXT_GOES_ON || text->at + (uint64_t)left * text->unit < text->good;
}

/*
 * Where a file ends whose end mark ends at text->at: newlines behind it belong to it, and any white space when nothing but zeros or the
 * end follows.
 */
enum text_step text_tail(struct sig_input *in, struct text *text, uint64_t *end);

/*
 * Where a text ends that has no end mark and has stopped (text->stop). Random bytes behind it that look like characters by chance, up
 * to the first one that does not, are not taken along. TEXT_CUT: it breaks off in a line and at the end of a sector, as files in pieces do.
 */
enum text_step text_last(struct sig_input *in, struct text *text, uint64_t *end);

/* A line of text, or the first TEXT_WANT_MAX characters of a longer one. */
struct text_line {
    const uint8_t *chars; /* valid like those of text_look */
    uint32_t len, all; /* characters without and with what ends the line: LF, CR LF or CR; all 0: the text has ended */
};

/* The line at text->at. */
enum text_step text_next_line(struct sig_input *in, struct text *text, struct text_line *line);

/* What a base64 character stands for; 0xff: it is none. */
uint8_t text_base64(uint8_t c);

/* Whether the characters begin with the word, which is written in lower case; the case of ASCII letters is ignored. */
bool text_begins(const uint8_t *chars, uint32_t len, const char *word);

static inline bool text_is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool text_is_letter(uint8_t c)
{
    return (uint8_t)((c | 0x20) - 'a') < 26;
}

static inline bool text_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

/* One more byte of a name into its hash (FNV-1a). */
static inline uint32_t text_hash(uint32_t hash, uint8_t c)
{
    return (hash ^ c) * 16777619u;
}

#endif
