/*
 * match/dictionary.h - the patterns to look for.
 *
 * A pattern is a string of bytes with a mask (a bit that is 0 in the mask matches anything), with or without case
 * folding of ASCII letters, or a regular expression. Patterns keep the index in which they were added: it comes back in
 * struct hit. Two equal patterns are two patterns: each gets its own hits.
 */
#ifndef BURIN_MATCH_DICTIONARY_H
#define BURIN_MATCH_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"

enum match_kind {
    MATCH_LITERAL,
    MATCH_REGEX,
    MATCH_GRID, /* a literal that counts only where (offset - at) is a multiple of LIMIT_SECTOR; see grid.h */
};

struct match_pattern {
    enum match_kind kind;
    const uint8_t *bytes; /* literal, grid: len bytes; regex: the POSIX extended expression, len bytes; see regex.h */
    const uint8_t *mask;  /* literal, grid: len bytes, or NULL for all 0xff. regex: NULL */
    uint32_t len;         /* literal, grid: 1..LIMIT_PATTERN_LEN */
    bool fold_case;       /* A-Z match a-z and the other way round */
    uint32_t at;          /* MATCH_GRID: bytes from the start of a sector, any number; else 0 */
};

struct match_dictionary; /* owned by the caller of match_dictionary_create */

ERR_MUST_CHECK enum err_code match_dictionary_create(struct match_dictionary **out, struct err *err);
void match_dictionary_destroy(struct match_dictionary *dictionary); /* NULL is a no-op */

/*
 * Adds a copy of pattern; *index is its number, counted from 0.
 * Errors: ERR_INPUT for an empty or too long pattern, a mask of zeros alone, a bad expression; ERR_FULL for too many.
 */
ERR_MUST_CHECK enum err_code match_dictionary_add(struct match_dictionary *dictionary,
                                                  const struct match_pattern *pattern, uint32_t *index,
                                                  struct err *err);

uint32_t match_dictionary_count(const struct match_dictionary *dictionary);
const struct match_pattern *match_dictionary_get(const struct match_dictionary *dictionary, uint32_t index);

/* Bytes that must stand in front of a segment so that a match across its start is found: longest pattern - 1. */
uint32_t match_dictionary_carry(const struct match_dictionary *dictionary);

#endif
