/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_ph.c - perfect hashing in two levels (Fredman, Komlós and Szemerédi, 1984;
 * Chien et al., section II).
 *
 * An edge has the number id = state * 256 + byte. The first level spreads the R edges over R bins
 * by (k id mod p) mod R, with the first k for which the sum of the squares of the bins' counts is
 * below 5 R; the second gives each bin of B edges B * B cells and the first k_j by which they do
 * not meet there. The same table with 1 / s_j, k_j and s_j as doubles saves the division.
 */
#include <stdlib.h>
#include <string.h>

#include "match/papers/pfac/pfac_hash.h"
#include "match/papers/pfac/pfac_table.h"

enum {
    PH_TRIES = 1000, /* of factors: half of all will do */
    PH_SMALL = 8,    /* factors that are tried first */
};

static const double ph_product_max =
    1e13; /* of a factor and an id: pfac_hash.h is exact up to there */

struct ph {
    const struct pfac *pfac;
    uint32_t bins;   /* R, or 1 where there are no edges */
    uint32_t id_max; /* ids are below it */
    uint32_t factor; /* k */
    uint32_t *first; /* [bins + 1]: of the edges of a bin, in ids */
    uint32_t *ids;   /* [edges] by bin */
    uint32_t *next;  /* [edges]: of the same edges */
    struct pfac_ph_row *rows;
};

/*
 * The try-th factor, from 1 on, of those that may be multiplied with ids up to that one: a few
 * small ones, then some from all over. As long as factor * id is below p nothing is shuffled, and
 * ids that differ by a multiple of s stay together.
 */
static uint32_t ph_factor(uint32_t try, uint32_t id_max)
{
    const double most = ph_product_max / (id_max + 1.0);
    const uint32_t limit = most < PFAC_PH_PRIME ? (uint32_t)most : PFAC_PH_PRIME;

    return try <= PH_SMALL ?
    try:
        1 + (uint32_t)((uint64_t)try * 2654435761u % (limit - 1));
}

static uint32_t ph_mod(uint32_t factor, uint32_t id, uint32_t size)
{
    const double inner = pfac_mod_divided((double)factor * id, PFAC_PH_PRIME);

    return (uint32_t)pfac_mod_divided(inner, size);
}

/* Counts of the bins under a factor, in first[1..bins]; the sum of their squares. */
static uint64_t ph_spread(struct ph *ph, uint32_t factor)
{
    const struct pfac *pfac = ph->pfac;
    uint64_t squares = 0;

    memset(ph->first, 0, (ph->bins + 1u) * sizeof *ph->first);
    for (uint32_t state = 0; state < pfac->leaf; state++)
        for (uint32_t e = pfac->first[state]; e < pfac->first[state + 1]; e++)
            ph->first[ph_mod(factor, state * 256 + pfac->bytes[e], ph->bins) + 1]++;
    for (uint32_t i = 1; i <= ph->bins; i++)
        squares += (uint64_t)ph->first[i] * ph->first[i];
    return squares;
}

/* Half of all factors will do (corollary 3 of Fredman et al.). */
static enum err_code ph_first_level(struct ph *ph, struct err *err)
{
    const struct pfac *pfac = ph->pfac;
    const uint64_t enough = (uint64_t)5 * ph->bins;
    uint32_t try = 1;

    while (ph_spread(ph, ph_factor(try, ph->id_max)) >= enough)
        if (++try > PH_TRIES)
            return ERR_RAISE(err, ERR_FULL, "no factor spreads %u edges; use engine pfac:mfph",
                             pfac_edges(pfac));
    ph->factor = ph_factor(try, ph->id_max);
    for (uint32_t i = 0; i < ph->bins; i++)
        ph->first[i + 1] += ph->first[i];
    for (uint32_t state = 0; state < pfac->leaf; state++)
        for (uint32_t e = pfac->first[state]; e < pfac->first[state + 1]; e++) {
            const uint32_t id = state * 256 + pfac->bytes[e],
                           bin = ph_mod(ph->factor, id, ph->bins);
            const uint32_t at = ph->first[bin]++; /* put right below */

            ph->ids[at] = id;
            ph->next[at] = pfac->next[e];
        }
    memmove(ph->first + 1, ph->first, ph->bins * sizeof *ph->first);
    ph->first[0] = 0;
    return ERR_OK;
}

static bool ph_apart(const uint32_t *ids, uint32_t count, uint32_t factor, uint32_t size)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (ph_mod(factor, ids[i], size) == ph_mod(factor, ids[k], size))
                return false;
    return true;
}

static enum err_code ph_second_level(struct ph *ph, struct pfac_table *table, struct err *err)
{
    uint32_t slots = 0;

    for (uint32_t bin = 0; bin < ph->bins; bin++) {
        const uint32_t count = ph->first[bin + 1] - ph->first[bin], size = count * count;
        uint32_t try = 1;

        while (!ph_apart(ph->ids + ph->first[bin], count, ph_factor(try, ph->id_max), size))
            if (++try > PH_TRIES)
                return ERR_RAISE(err, ERR_FULL,
                                 "no factor keeps %u edges apart; use engine pfac:mfph", count);
        ph->rows[bin] = (struct pfac_ph_row){ .at = count == 0 ? -1 : (int32_t)slots,
                                              .factor = ph_factor(try, ph->id_max),
                                              .size = size };
        slots += size;
    }
    struct pfac_cell *cells = malloc((slots + 1u) * sizeof *cells);
    table->cells = cells;
    table->cells_size = slots * sizeof *cells;
    table->slots = slots;
    if (cells == NULL)
        return ERR_NO_MEMORY(err, table->cells_size);
    memset(cells, 0xff, (slots + 1u) * sizeof *cells); /* PFAC_EMPTY */
    for (uint32_t bin = 0; bin < ph->bins; bin++)
        for (uint32_t i = ph->first[bin]; i < ph->first[bin + 1]; i++) {
            const struct pfac_ph_row *row = &ph->rows[bin];

            cells[(uint32_t)row->at + ph_mod(row->factor, ph->ids[i], row->size)] =
                (struct pfac_cell){ .next = ph->next[i], .key = ph->ids[i] };
        }
    return ERR_OK;
}

static enum err_code ph_open(struct ph *ph, struct err *err)
{
    const size_t edges = pfac_edges(ph->pfac) + 1u;

    ph->bins = edges > 1 ? (uint32_t)edges - 1 : 1;
    ph->first = malloc((ph->bins + 1u) * sizeof *ph->first);
    ph->ids = calloc(edges, sizeof *ph->ids);
    ph->next = calloc(edges, sizeof *ph->next);
    ph->rows = malloc(ph->bins * sizeof *ph->rows);
    if (ph->first == NULL || ph->ids == NULL || ph->next == NULL || ph->rows == NULL)
        return ERR_NO_MEMORY(err, edges * (3 * sizeof *ph->ids + sizeof *ph->rows));
    return ERR_OK;
}

/* The rows as they are, or with what saves the division; these in two parts, for 28 bytes have no
 * good alignment. */
static enum err_code ph_rows(struct ph *ph, struct pfac_table *table, struct err *err)
{
    if (table->kind == PFAC_PH) {
        table->rows = ph->rows;
        table->rows_size = ph->bins * sizeof *ph->rows;
        ph->rows = NULL;
        return ERR_OK;
    }
    table->rows_size = ph->bins * (3 * sizeof(double) + sizeof(int32_t));
    double *numbers = malloc(table->rows_size + sizeof *numbers);
    table->rows = numbers;
    if (numbers == NULL)
        return ERR_NO_MEMORY(err, table->rows_size);
    void *places = numbers + (size_t)3 * ph->bins;
    int32_t *at = places;
    for (uint32_t bin = 0; bin < ph->bins; bin++) {
        const struct pfac_ph_row *row = &ph->rows[bin];

        at[bin] = row->at;
        numbers[3 * (size_t)bin] = row->factor;
        numbers[3 * (size_t)bin + 1] = row->size;
        numbers[3 * (size_t)bin + 2] = row->size == 0 ? 0 : pfac_reciprocal(row->size);
    }
    return ERR_OK;
}

enum err_code pfac_ph_build(const struct pfac *pfac, struct pfac_table *table, struct err *err)
{
    struct ph ph = { .pfac = pfac, .id_max = pfac->leaf * 256 };

    if ((uint64_t)pfac->leaf * 256 >= PFAC_PH_PRIME)
        return ERR_RAISE(
            err, ERR_FULL,
            "perfect hashing by the prime %d ends at %d states, not %u; use engine pfac:mfph",
            (int)PFAC_PH_PRIME, (int)PFAC_PH_PRIME / 256, pfac->leaf);
    enum err_code rc = ph_open(&ph, err);
    if (rc == ERR_OK)
        rc = ph_first_level(&ph, err);
    if (rc == ERR_OK)
        rc = ph_second_level(&ph, table, err);
    if (rc == ERR_OK)
        rc = ph_rows(&ph, table, err);
    table->bins = ph.bins;
    table->factor = ph.factor;
    free(ph.first);
    free(ph.ids);
    free(ph.next);
    free(ph.rows);
    return rc;
}
