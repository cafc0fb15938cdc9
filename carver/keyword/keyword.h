/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword.h - words to look for, as the bytes that they are in each of several
 * encodings.
 *
 *   "Grüße", utf-8 + utf-16le, ignoring case ──► two patterns ──► dictionary ──► hit ──► confirm
 *
 * A word becomes one pattern for each encoding. Without regard to case, the bits in which the forms
 * of a letter differ are masked out; where that lets through more than those forms, the hit is
 * compared letter by letter (keyword_confirm).
 *
 * Two characters are the same without regard to case when Unicode's simple mappings give them the
 * same capital letter and they take as many bytes; ASCII letters are the same as ASCII letters
 * only. The mappings are those of the C library's C.UTF-8.
 */
#ifndef BURIN_CARVER_KEYWORD_KEYWORD_H
#define BURIN_CARVER_KEYWORD_KEYWORD_H

#include <iconv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "carver/feature/feature.h"
#include "carver/plan/patterns.h"

enum {
    KEYWORD_FORMS_MAX = 4,      /* of a letter, itself included */
    KEYWORD_CHAR_MAX = 8,       /* bytes of a character in any encoding */
    KEYWORD_ENCODING_NAME = 32, /* bytes of an encoding's name, the NUL included */
};

/* A character in all its forms; all take len bytes; 0: the encoding does not have it. */
struct keyword_char {
    uint8_t forms[KEYWORD_FORMS_MAX][KEYWORD_CHAR_MAX];
    uint8_t form_count, len;
};

struct keyword {
    const char *text;       /* UTF-8, as given; of a hexadecimal one its digits; a pack's name */
    const char *encoding;   /* "utf-16le"; "hex" */
    const uint8_t *bytes;   /* len of them */
    const uint8_t *mask;    /* len bytes; NULL: all 0xff */
    uint32_t len;           /* 1..LIMIT_PATTERN_LEN */
    bool fold_case;         /* ASCII letters stand for both cases */
    bool regex;             /* bytes are a regular expression, with mask NULL */
    bool feature;           /* what the pack finds; bytes are its name */
    enum feature_pack pack; /* of a feature */
    uint8_t zeros_before, zeros_after; /* of an expression or a feature: see match_pattern */
    /*
     * For keyword_confirm, of each character: the number of its forms, the bytes that each of them
     * takes, and the forms. NULL: every match of the pattern is one of the word.
     */
    const uint8_t *forms;
};

struct keyword_known;

struct keyword_encoding {
    char name[KEYWORD_ENCODING_NAME];
    iconv_t converter; /* from UTF-8 */
    uint32_t unit;     /* bytes of "A" */
    bool ascii;        /* printable ASCII is its own bytes, each among so many zeros: */
    uint8_t zeros_before, zeros_after;
    struct keyword_known *known; /* the commonest characters as they are in it, as they come up */
};

struct keyword_set {
    struct keyword *items;
    uint32_t count;
    size_t room;
    struct keyword_encoding encodings[LIMIT_ENCODINGS];
    uint32_t encoding_count;
    uint32_t word_count; /* as given, those of --hex too */
    bool ignore_case;
    struct arena arena;
    struct keyword_letters *letters; /* the case mappings, turned round */
    /* Finds features: its numbers of patterns are those of keyword_patterns. No forms: none. */
    struct feature_finder *finder;
};

/*
 * encodings: comma-separated names that iconv knows. ERR_ARG for one that is unknown, or that keeps
 * state between characters or begins with a byte order mark, so that a word in the middle of a text
 * would not be what it gives.
 */
ERR_MUST_CHECK enum err_code keyword_set_open(const char *encodings, bool ignore_case,
                                              struct keyword_set *out, struct err *err);
void keyword_set_close(struct keyword_set *set); /* of a zeroed set: a no-op */

/*
 * ERR_ARG for an empty word, one that is no UTF-8, is too long or has a character that no encoding
 * has, or one too many: LIMIT_KEYWORDS words, each in all encodings, are taken.
 */
ERR_MUST_CHECK enum err_code keyword_add(struct keyword_set *set, const char *text,
                                         struct err *err);

/*
 * Pairs of hexadecimal digits, spaces between them allowed; "?" stands for any digit. ERR_ARG names
 * the column.
 */
ERR_MUST_CHECK enum err_code keyword_add_hex(struct keyword_set *set, const char *text,
                                             struct err *err);

/*
 * A regular expression (match/regex/regex_parse.h), in each encoding that has ASCII as bytes, or as
 * bytes among zeros; one with further characters in those alone that have them as bytes. ERR_ARG
 * for one that is wrong, or cannot be looked for.
 */
ERR_MUST_CHECK enum err_code keyword_add_regex(struct keyword_set *set, const char *text,
                                               struct err *err);

/*
 * Features of these packs (feature_packs_parse), in the encodings that have ASCII as bytes or are
 * UTF-16; once for each set. ERR_ARG when none of the encodings is such a one.
 */
ERR_MUST_CHECK enum err_code keyword_add_features(struct keyword_set *set, uint32_t packs,
                                                  struct err *err);

/* How words of a file are added: keyword_add, keyword_add_regex. */
typedef enum err_code (*keyword_add_fn)(struct keyword_set *set, const char *text, struct err *err);

/*
 * One word a line (LF or CR LF); empty lines are left out. path "-": standard input. ERR_INPUT
 * names the line.
 */
ERR_MUST_CHECK enum err_code keyword_add_file(struct keyword_set *set, const char *path,
                                              keyword_add_fn add, struct err *err);

/*
 * Patterns, and their rows, numbered as the set's items are; all are of signature 0. Release with
 * patterns_release, before the set, which must not move.
 */
ERR_MUST_CHECK enum err_code keyword_patterns(const struct keyword_set *set, struct patterns *out,
                                              struct err *err);

/* "keyword", "regex" or "feature": with the encoding the origin of its row of signatures. */
const char *keyword_kind(const struct keyword *keyword);

/* Whether bytes (keyword->len of them), which the pattern matched, are the word. */
bool keyword_confirm(const struct keyword *keyword, const uint8_t *bytes);

#endif
