/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_mfph.c - modulo-free perfect hashing (Chien et al., section III), as in
 * the paper and with its two look-ups made one.
 *
 * Each state's edges are hashed by themselves: the cell of a byte is (k * byte mod 257) mod s,
 * where s is a power of two. MFPH takes s from Figure 12, for which Lemma 1 has a k that keeps all
 * edges apart. PFAC_LINKED takes the least s for which there is one.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "match/papers/pfac/pfac_hash.h"
#include "match/papers/pfac/pfac_table.h"

enum { MFPH_SIZE_MAX = 256 };

/* How the edges of a state are hashed. */
struct mfph_hash {
    uint32_t factor, size; /* k, s */
};

uint32_t pfac_mfph_size(uint32_t branches)
{
    static const uint8_t sizes[] = { 0, 1, 4, 16, 16, 32, 64, 64, 64, 128, 128, 128 };

    return branches < sizeof sizes ? sizes[branches] : MFPH_SIZE_MAX;
}

/* Theorem 1: min(21.4, 1 + 71 (L - 1) / (S - 1)) R. */
uint64_t pfac_mfph_bound(const struct pfac *pfac)
{
    const double edges = pfac_edges(pfac);
    const double rate = edges > 0 ? 1 + 71 * ((double)pfac_leaves(pfac) - 1) / edges : 0;

    return (uint64_t)((rate < 21.4 ? rate : 21.4) * edges + 1e-6);
}

static bool mfph_apart(const uint8_t *bytes, uint32_t count, struct mfph_hash hash)
{
    uint64_t taken[MFPH_SIZE_MAX / 64] = { 0 };

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t cell = pfac_mod_257(hash.factor, bytes[i]) & (hash.size - 1);

        if (taken[cell / 64] >> cell % 64 & 1)
            return false;
        taken[cell / 64] |= (uint64_t)1 << cell % 64;
    }
    return true;
}

/* The first k for the size, or for the next one that has any: 256 has k = 1. */
static struct mfph_hash mfph_find(const uint8_t *bytes, uint32_t count, uint32_t size)
{
    struct mfph_hash hash = { .factor = 1, .size = size };

    while (!mfph_apart(bytes, count, hash))
        if (++hash.factor == PFAC_MFPH_PRIME)
            hash = (struct mfph_hash){ .factor = 1, .size = hash.size * 2 };
    return hash;
}

enum err_code pfac_mfph_build(const struct pfac *pfac, struct pfac_table *table, struct err *err)
{
    struct pfac_mfph_row *rows = malloc(pfac->leaf * sizeof *rows);
    uint32_t slots = 0;

    table->rows = rows;
    table->rows_size = pfac->leaf * sizeof *rows;
    if (rows == NULL)
        return ERR_NO_MEMORY(err, table->rows_size);
    for (uint32_t state = 0; state < pfac->leaf; state++) {
        const uint32_t branches = pfac_branches(pfac, state), size = pfac_mfph_size(branches);
        const struct mfph_hash hash =
            mfph_find(pfac->bytes + pfac->first[state], branches, size == 0 ? 1 : size);

        assert(branches == 0 || hash.size == size); /* Lemma 1 */
        rows[state] =
            (struct pfac_mfph_row){ .at = slots, .hash = hash.factor << 16 | (hash.size - 1) };
        slots += branches == 0 ? 1 : hash.size; /* a tree without edges is its root alone */
    }
    assert(pfac_edges(pfac) == 0 || slots <= pfac_mfph_bound(pfac)); /* Theorem 1 */
    table->slots = slots;
    table->cells_size = slots * sizeof(struct pfac_cell);
    struct pfac_cell *cells = malloc(table->cells_size + sizeof *cells);
    table->cells = cells;
    if (cells == NULL)
        return ERR_NO_MEMORY(err, table->cells_size);
    memset(cells, 0xff, table->cells_size); /* PFAC_EMPTY */
    for (uint32_t state = 0; state < pfac->leaf; state++)
        for (uint32_t e = pfac->first[state]; e < pfac->first[state + 1]; e++) {
            const uint32_t hash =
                pfac_mod_257(rows[state].hash >> 16, pfac->bytes[e]) & rows[state].hash;

            cells[rows[state].at + hash] =
                (struct pfac_cell){ .next = pfac->next[e], .key = pfac->bytes[e] };
        }
    return ERR_OK;
}

/* The cell that leads to a state. */
static struct pfac_link linked_to(const struct pfac *pfac, const struct pfac_link *rows,
                                  uint32_t state)
{
    if (state >= pfac->leaf)
        return (struct pfac_link){ .at = state - pfac->finding,
                                   .tag = PFAC_LINK_FINDS | PFAC_LINK_LEAF };
    return rows[state];
}

enum err_code pfac_linked_build(const struct pfac *pfac, struct pfac_table *table, struct err *err)
{
    struct pfac_link *rows = calloc(pfac->leaf, sizeof *rows);
    uint32_t slots = 0;

    if (rows == NULL)
        return ERR_NO_MEMORY(err, pfac->leaf * sizeof *rows);
    for (uint32_t state = 0; state < pfac->leaf; state++) {
        const uint32_t branches = pfac_branches(pfac, state);
        const bool finds = state >= pfac->finding;
        uint32_t least = 1;

        while (least < branches)
            least *= 2;
        const struct mfph_hash hash = mfph_find(pfac->bytes + pfac->first[state], branches, least);
        slots += finds;
        rows[state] = (struct pfac_link){
            .at = slots,
            .tag = (hash.factor - 1) << PFAC_LINK_FACTOR | (hash.size - 1) << PFAC_LINK_SIZE |
                   (finds ? PFAC_LINK_FINDS : 0u),
        };
        slots += hash.size;
    }
    table->slots = slots;
    table->cells_size = slots * sizeof(struct pfac_link);
    struct pfac_link *cells = calloc(slots, sizeof *cells);
    table->cells = cells;
    for (uint32_t state = 0; state < pfac->leaf && cells != NULL; state++) {
        const uint32_t factor = (rows[state].tag >> PFAC_LINK_FACTOR & 0xff) + 1;
        const uint32_t mask = rows[state].tag >> PFAC_LINK_SIZE & 0xff;

        if (state >= pfac->finding)
            cells[rows[state].at - 1].at = state - pfac->finding;
        for (uint32_t e = pfac->first[state]; e < pfac->first[state + 1]; e++) {
            struct pfac_link *cell =
                &cells[rows[state].at + (pfac_mod_257(factor, pfac->bytes[e]) & mask)];

            *cell = linked_to(pfac, rows, pfac->next[e]);
            cell->tag |= pfac->bytes[e] + 1u;
        }
    }
    table->start_at = rows[0].at;
    table->start_tag = rows[0].tag;
    free(rows);
    return cells != NULL ? ERR_OK : ERR_NO_MEMORY(err, table->cells_size);
}
