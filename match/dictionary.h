/* SPDX-License-Identifier: Apache-2.0
 * match/dictionary.h - the patterns to look for.
 *
 * A pattern is a string of bytes, a regular expression, or what code of the caller's finds. A
 * string has a mask: a bit of the text is compared only where the mask's bit is 1. A string may
 * ignore the case of ASCII letters. Patterns are numbered from 0 in the order in which they are
 * added; struct hit carries that number. Two equal patterns are two patterns: each gets its own
 * hits.
 *
 * Threads: one thread builds a dictionary; after the last add any number of threads may read it.
 */
#ifndef BURIN_MATCH_DICTIONARY_H
#define BURIN_MATCH_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"

enum match_kind {
    MATCH_LITERAL,
    MATCH_REGEX,
    MATCH_SECTOR_ALIGNED, /* a literal that counts only where (offset - at) is a multiple of
                             LIMIT_SECTOR */
    MATCH_FOUND,          /* what the finder of the dictionary finds: see match_dictionary_find */
};

enum { MATCH_ZEROS_MAX = 3 };

/* Half a line of the cache: a dictionary may have millions of them. */
struct match_pattern {
    /* [len]; MATCH_REGEX: the text of the expression, see regex.h; MATCH_FOUND: any name of it */
    const uint8_t *bytes;
    const uint8_t *mask; /* [len], or NULL for all 0xff; MATCH_REGEX, MATCH_FOUND: NULL */
    enum match_kind kind;
    uint32_t len;   /* bytes, 1..LIMIT_PATTERN_LEN */
    uint32_t at;    /* MATCH_SECTOR_ALIGNED: bytes from the start of a sector, any number; else 0 */
    bool fold_case; /* the case of ASCII letters is ignored */
    /*
     * MATCH_REGEX: so many zeros stand before and behind each byte of the text that the expression
     * speaks of, as in UTF-16 and UTF-32; 0..MATCH_ZEROS_MAX each, else 0.
     */
    uint8_t zeros_before, zeros_after;
    bool escapes; /* MATCH_REGEX: in brackets a backslash is one, as in Perl; else false */
};

struct match_text;
struct match_sink;

/*
 * Looks for what neither strings nor expressions describe: code of the caller's, which goes over
 * the text once for all its patterns.
 *
 * Whether there is a match at a place depends on the `before` bytes in front of it, and on the
 * LIMIT_REGEX_MATCH_LEN bytes from it on alone, or on what the range has of them; so it does not
 * depend on how the image is cut. At each place there is one match of a pattern at most.
 *
 * scan   Appends to sink the matches that begin in text [from, to), in any order. False when they
 *        do not all fit: sink is of no use then. Many threads call it at a time.
 */
struct match_finder {
    uint32_t before; /* bytes */
    bool (*scan)(const void *arg, const struct match_text *text, uint32_t from, uint32_t to,
                 struct match_sink *sink);
    const void *arg; /* must outlive the dictionary */
};

struct match_dictionary; /* owned by the caller of match_dictionary_create */

/* Makes an empty dictionary. Errors: ERR_ENV for no memory. */
ERR_MUST_CHECK enum err_code match_dictionary_create(struct match_dictionary **out,
                                                     struct err *err);
void match_dictionary_destroy(struct match_dictionary *dictionary); /* NULL is a no-op */

/*
 * Adds a copy of pattern; *index becomes its number, counted from 0.
 *
 * Errors  ERR_INPUT  the pattern is empty or too long, its mask is all zeros, or its expression is
 *                    bad.
 *         ERR_FULL   the dictionary has LIMIT_PATTERN_COUNT patterns already.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code match_dictionary_add(struct match_dictionary *dictionary,
                                                  const struct match_pattern *pattern,
                                                  uint32_t *index, struct err *err);

/* Sets what finds the patterns of kind MATCH_FOUND: once, for all of them. */
void match_dictionary_find(struct match_dictionary *dictionary, const struct match_finder *finder);
/* NULL: none was set. */
const struct match_finder *match_dictionary_finder(const struct match_dictionary *dictionary);

size_t match_dictionary_bytes(const struct match_dictionary *dictionary); /* of memory */
uint32_t match_dictionary_count(const struct match_dictionary *dictionary);
const struct match_pattern *match_dictionary_get(const struct match_dictionary *dictionary,
                                                 uint32_t index);

/*
 * The bytes that must stand in front of a segment so that a match across its start is found: the
 * length of the longest match that a pattern of the dictionary can have, less 1.
 */
uint32_t match_dictionary_carry(const struct match_dictionary *dictionary);

#endif
