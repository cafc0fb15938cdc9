/* SPDX-License-Identifier: Apache-2.0
 * match/ac/ac.h - the Aho-Corasick automaton as tables: what ac_build.c makes and ac.c walks.
 *
 * A state is the place of its row in the table, so that one step is next = table[state + class of
 * byte]. States in which something has been found have the bit `flag` set and all others have not:
 * rows below flag are for the one kind, rows from flag on for the other, with memory between them
 * that is never touched. Cells have 16 bits where that is enough.
 */
#ifndef BURIN_MATCH_AC_AC_H
#define BURIN_MATCH_AC_AC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"

enum { AC_NONE = UINT32_MAX };

/* One pattern that ends, or may end, in a state. */
struct ac_output {
    uint32_t pattern;
    uint8_t len;     /* of the pattern */
    uint8_t end;     /* of the literal in the pattern */
    uint8_t literal; /* its length */
    bool exact;      /* nothing left to compare */
};

/* What is found in one state: its own outputs, and those of the next shorter state that has any. */
struct ac_found {
    uint32_t first, count; /* in outputs */
    uint32_t link;         /* index in found, or AC_NONE */
};

struct ac {
    const struct match_dictionary *dictionary;
    uint32_t longest;        /* pattern, bytes */
    uint8_t classes[256];    /* of bytes; class 0: in no literal */
    uint32_t width;          /* cells of a row: classes in all */
    uint32_t flag;           /* a power of two */
    uint32_t plain, finding; /* rows of the two kinds */
    bool narrow;             /* cells of 16 bits */
    bool direct;             /* a row has a cell for each byte, and every byte is its own class */
    void *table;             /* mapped */
    size_t table_size;       /* bytes */
    struct ac_found *found;  /* [(state - flag) / width] */
    struct ac_output *outputs;
};

static inline uint32_t ac_next(const struct ac *ac, uint32_t state, uint8_t byte)
{
    const size_t cell = (size_t)state + ac->classes[byte];

    return ac->narrow ? ((const uint16_t *)ac->table)[cell] : ((const uint32_t *)ac->table)[cell];
}

ERR_MUST_CHECK enum err_code ac_build(const struct match_dictionary *dictionary, struct ac **out,
                                      struct err *err);

/*
 * Gives a small automaton a cell for each byte, so that a step has one look-up less. The larger
 * table is no slower as long as its busy rows stay in the cache.
 */
void ac_widen(struct ac *ac);

void ac_destroy(struct ac *ac); /* NULL is a no-op */

#endif
