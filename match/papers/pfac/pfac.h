/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac.h - the failureless automaton (PFAC): a dictionary as a tree of states,
 * what pfac_build.c makes and the tables of pfac_table.h are made from.
 *
 * After Chien, Hon, Lin and Liu, Perfect Hashing of String Matching on GPU, section I. There are no
 * failure links: a walk of its own begins at every byte of the text and ends where the tree has no
 * edge for the next byte. States are numbered in three kinds: plain ones, then those in which a run
 * ends that others go on from, then leaves, in which a walk ends. So one comparison tells whether
 * something is found, and leaves need no row in any table. Of each kind those near the root come
 * first, for they are the ones in use, and behind them those of each branch together, for a walk
 * that has come so deep goes from one to the next.
 */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_H
#define BURIN_MATCH_PAPERS_PFAC_PFAC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"

/* A pattern whose run ends in a state. */
struct pfac_output {
    uint32_t pattern;
    uint8_t len;   /* of the pattern */
    uint8_t at;    /* of the run in the pattern */
    uint8_t exact; /* nothing left to compare */
    uint8_t unused;
};

struct pfac_found {
    uint32_t first, count; /* in outputs; at least one */
};

struct pfac {
    uint32_t states, finding,
        leaf; /* all; the first that finds; the first leaf. The root is state 0, and never a leaf */
    uint32_t *first;          /* [leaf + 1]: of the edges from a state */
    uint32_t *next;           /* [states - 1]: where an edge leads */
    uint8_t *bytes;           /* [states - 1]: what it is for */
    struct pfac_found *found; /* [states - finding] */
    struct pfac_output *outputs;
    uint32_t output_count;
    uint32_t longest; /* pattern, bytes */
    bool folds;       /* capitals of the text are to be taken for small letters */
    bool whole;       /* every run is its pattern from the first byte to the last */
};

/* Errors: ERR_ENV for want of memory. Also for a dictionary without literals. */
ERR_MUST_CHECK enum err_code pfac_build(const struct match_dictionary *dictionary,
                                        struct pfac **out, struct err *err);
void pfac_destroy(struct pfac *pfac); /* NULL is a no-op */

static inline uint32_t pfac_leaves(const struct pfac *pfac)
{
    return pfac->states - pfac->leaf;
}

/* R of the paper: a tree has an edge to each state but the root. */
static inline uint32_t pfac_edges(const struct pfac *pfac)
{
    return pfac->states - 1;
}

static inline uint32_t pfac_branches(const struct pfac *pfac, uint32_t state)
{
    return pfac->first[state + 1] - pfac->first[state];
}

#endif
