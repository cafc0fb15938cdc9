/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/literals.h - the literals of a dictionary as bytes under masks, and the run of each
 * that a text book's algorithm, which knows neither masks nor case folding, can look for.
 *
 * Case folding is a mask that leaves out the bit between the cases (0xdf on a letter). So there are
 * three kinds of place: exact (mask 0xff), letter (either case, nothing else) and masked.
 */
#ifndef BURIN_MATCH_PATTERN_LITERALS_H
#define BURIN_MATCH_PATTERN_LITERALS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "match/dictionary.h"
#include "match/pattern/letter.h"

/* The bits in which a byte must agree with the pattern's at index i. */
static inline uint8_t match_pattern_mask(const struct match_pattern *pattern, uint32_t i)
{
    const uint8_t mask = pattern->mask == NULL ? 0xff : pattern->mask[i];
    const uint8_t byte = pattern->bytes[i];

    return pattern->fold_case && match_other_case(byte) != byte ? mask & 0xdf : mask;
}

/* Whether the pattern stands at text, with as many bytes as it has. */
static inline bool match_pattern_equal(const struct match_pattern *pattern, const uint8_t *text)
{
    for (uint32_t i = 0; i < pattern->len; i++)
        if (((text[i] ^ pattern->bytes[i]) & match_pattern_mask(pattern, i)) != 0)
            return false;
    return true;
}

struct match_literal {
    const uint8_t *bytes; /* [len], bits outside of the mask are 0 */
    const uint8_t *masks; /* [len] */
    uint32_t index, len;  /* number in the dictionary; bytes */
    bool plain;           /* every place is exact */
};

struct match_literals {
    struct match_literal *items; /* in the order of the dictionary */
    uint8_t *bytes;
    uint32_t count, longest;
};

ERR_MUST_CHECK enum err_code match_literals_open(const struct match_dictionary *dictionary,
                                                 struct match_literals *out, struct err *err);
void match_literals_close(struct match_literals *literals);

/* Places [at, at + len) of a literal without a masked one. */
struct match_run {
    uint8_t at, len; /* len 0: every place is masked */
    bool letters;    /* one of them at least is a letter: look for it in folded text */
};

/* The longest run, cut to its last max places. */
struct match_run match_literal_run(const struct match_literal *literal, uint32_t max);

/* Small letters for capitals; what a run with letters is looked for with. Every other byte stands
 * for itself. */
void match_literal_fold(uint8_t fold[256]);

/* The same when a literal of the dictionary folds case, which is the answer; else every byte stands
 * for itself. */
bool match_literals_fold(const struct match_dictionary *dictionary, uint8_t fold[256]);

static inline bool match_place_takes(const struct match_literal *literal, uint32_t place,
                                     uint8_t byte)
{
    return ((byte ^ literal->bytes[place]) & literal->masks[place]) == 0;
}

static inline bool match_literal_equal(const struct match_literal *literal, const uint8_t *text)
{
    if (literal->plain)
        return memcmp(literal->bytes, text, literal->len) == 0;
    for (uint32_t i = 0; i < literal->len; i++)
        if (!match_place_takes(literal, i, text[i]))
            return false;
    return true;
}

#endif
