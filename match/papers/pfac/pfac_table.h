/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_table.h - the edges of the failureless automaton as a table to look them
 * up in, in one of five forms.
 *
 * Chien et al., Perfect Hashing of String Matching on GPU. 2-D is "time-driven", MFPH
 * "space-driven" there. In all but one form a row is the number of a state; in PFAC_LINKED a cell
 * says where the row of the next state is and how it is hashed, so that a step is one look-up that
 * waits for the one before instead of two.
 */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_TABLE_H
#define BURIN_MATCH_PAPERS_PFAC_PFAC_TABLE_H

#include <stddef.h>

#include "match/papers/pfac/pfac.h"

enum pfac_kind {
    PFAC_2D,            /* uint32_t [leaf][256], 0 where there is no edge */
    PFAC_MFPH,          /* rows: pfac_mfph_row [leaf]; cells: pfac_cell */
    PFAC_LINKED,        /* no rows; cells: pfac_link */
    PFAC_PH,            /* rows: pfac_ph_row [bins]; cells: pfac_cell */
    PFAC_PH_RECIPROCAL, /* rows: double [bins][3], then int32_t [bins]; cells: pfac_cell */
    PFAC_KINDS,
};

/* A device loads each of these at once. */
struct pfac_cell {
    uint32_t next __attribute__((aligned(8)));
    uint32_t key; /* MFPH: the byte; PH: state * 256 + byte; PFAC_EMPTY: no edge is here */
};
enum { PFAC_EMPTY = 0xffffffff };

struct pfac_mfph_row {
    uint32_t at __attribute__((aligned(8))); /* of its cells */
    uint32_t hash;                           /* k << 16 | s - 1 */
};

struct pfac_link {
    uint32_t
        at; /* of the row that it leads to; of a leaf: its index in pfac.found. In front of the row
               of a state that finds and goes on there is one cell more, which has its index */
    uint32_t tag; /* byte + 1, or 0 for none, | k - 1 << 9 | s - 1 << 17 | PFAC_LINK_FINDS |
                     PFAC_LINK_LEAF */
};
enum {
    PFAC_LINK_BYTE = 0x1ff,
    PFAC_LINK_FACTOR = 9, /* shifts */
    PFAC_LINK_SIZE = 17,
    PFAC_LINK_FINDS = 1 << 25,
    PFAC_LINK_LEAF = 1 << 26,
};

struct pfac_ph_row {
    int32_t at; /* of its cells; -1: it has none */
    uint32_t factor, size;
};

/* Made of an automaton; owned by the caller of pfac_table_build. */
struct pfac_table {
    enum pfac_kind kind;
    void *rows, *cells;
    size_t rows_size, cells_size; /* bytes */
    uint64_t slots;               /* cells in all */
    uint32_t start_at, start_tag; /* PFAC_LINKED: the root; else 0 */
    uint32_t bins;                /* PH */
    double factor;                /* PH: of the first level */
};

const char *pfac_kind_name(
    enum pfac_kind kind); /* "2d", "mfph", "mfph-linked", "ph", "ph-reciprocal" */

/* Errors: ERR_ENV for want of memory; ERR_FULL for an automaton that this form has no table for:
 * says which form has. */
ERR_MUST_CHECK enum err_code pfac_table_build(const struct pfac *pfac, enum pfac_kind kind,
                                              struct pfac_table *out, struct err *err);
void pfac_table_release(struct pfac_table *table);

/* Compression rate of the paper (section 4.1): bytes of the table beside those of 256 integers for
 * each state. */
static inline double pfac_table_rate(const struct pfac *pfac, const struct pfac_table *table)
{
    return (double)(table->rows_size + table->cells_size) /
           ((double)pfac->states * 256 * sizeof(uint32_t));
}

/* Figure 12: cells for a state with so many edges; and what Theorem 1 allows in all. */
uint32_t pfac_mfph_size(uint32_t branches);
uint64_t pfac_mfph_bound(const struct pfac *pfac);

/* For pfac_table_build: one form each. Tables are zeroed before, and released by the caller
 * whatever comes of it. */
ERR_MUST_CHECK enum err_code pfac_mfph_build(const struct pfac *pfac, struct pfac_table *table,
                                             struct err *err);
ERR_MUST_CHECK enum err_code pfac_linked_build(const struct pfac *pfac, struct pfac_table *table,
                                               struct err *err);
ERR_MUST_CHECK enum err_code pfac_ph_build(const struct pfac *pfac, struct pfac_table *table,
                                           struct err *err);

#endif
