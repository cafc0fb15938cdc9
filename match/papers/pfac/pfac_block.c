/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_block.c - the automaton with one of its tables, its sieve and what it
 * finds, in one block of memory. */
#include <stdlib.h>
#include <string.h>

#include "match/papers/pfac/pfac_gpu.h"

enum {
    BLOCK_ALIGN = 256,
    BLOCK_SIEVED = 4, /* bytes that the sieve looks at */
    BLOCK_FEW = 64,   /* strings of three bytes that are spread over those of four */
};

struct block {
    const struct pfac *pfac;
    struct pfac_sieve sieve;
    uint32_t *bits;               /* NULL while strings are counted */
    uint32_t short_, three, four; /* strings of one or two, three, four bytes */
};

static void block_mark(uint32_t *bits, uint32_t bit)
{
    bits[bit / 32] |= 1u << bit % 32;
}

/* A path of depth bytes from the root: to a state that finds, or of four bytes to any. */
static void block_string(struct block *block, uint32_t window, uint32_t depth)
{
    const struct pfac_sieve *sieve = &block->sieve;

    if (block->pfac->folds)
        window |= (uint32_t)((1ull << depth * 8) - 1) & PFAC_SMALL_LETTERS;
    if (block->bits == NULL) {
        block->short_ += depth <= 2;
        block->three += depth == 3;
        block->four += depth == 4;
    } else if (depth == 1) {
        for (uint32_t second = 0; second < 256; second++)
            block_mark(block->bits, window | second << 8);
    } else if (depth == 2) {
        block_mark(block->bits, window);
    } else if (depth == 3 && sieve->three > 0) {
        block_mark(block->bits + sieve->two, pfac_sieve_hash(window) >> sieve->three_shift);
    } else if (depth == 3) {
        for (uint32_t last = 0; last < 256; last++)
            block_string(block, window | last << 24, BLOCK_SIEVED);
    } else {
        block_mark(block->bits + sieve->two + sieve->three,
                   pfac_sieve_hash(window) >> sieve->four_shift);
    }
}

/* Every string that the sieve must let through. */
static void block_strings(struct block *block)
{
    const struct pfac *pfac = block->pfac;
    uint32_t state[BLOCK_SIEVED] = { 0 }, edge[BLOCK_SIEVED] = { pfac->first[0] }, window = 0,
             depth = 0;

    for (;;) { /* edge[depth] is the next to try from state[depth], where `depth` bytes of the
                  window lead */
        if (edge[depth] == pfac->first[state[depth] + 1]) {
            if (depth-- == 0)
                return;
            continue;
        }
        const uint32_t e = edge[depth]++, next = pfac->next[e];

        window = (window & ((1u << depth * 8) - 1)) | (uint32_t)pfac->bytes[e] << depth * 8;
        if (next >= pfac->finding || depth + 1 == BLOCK_SIEVED)
            block_string(block, window, depth + 1);
        if (next < pfac->leaf && depth + 1 < BLOCK_SIEVED) {
            depth++;
            state[depth] = next;
            edge[depth] = pfac->first[next];
        }
    }
}

static uint32_t block_sieve_words(uint32_t strings)
{
    uint32_t words = PFAC_SIEVE_MIN;

    while (words < PFAC_SIEVE_MAX && (uint64_t)words * 32 < (uint64_t)strings * PFAC_SIEVE_BITS)
        words *= 2;
    return strings == 0 ? 0 : words;
}

/* To the number of one of words * 32 bits. */
static uint32_t block_shift(uint32_t words)
{
    uint32_t shift = 32;

    for (uint64_t bits = 1; bits < (uint64_t)words * 32; bits *= 2)
        shift--;
    return shift;
}

static void block_sieve(struct block *block)
{
    struct pfac_sieve *sieve = &block->sieve;

    block_strings(block);
    if (block->three <= BLOCK_FEW) {
        block->four += block->three * 256;
        block->three = 0;
    }
    sieve->two = block->short_ > 0 ? PFAC_SIEVE_TWO : 0;
    sieve->three = block_sieve_words(block->three);
    sieve->four = block_sieve_words(block->four);
    sieve->three_shift = block_shift(sieve->three);
    sieve->four_shift = block_shift(sieve->four);
    sieve->words = sieve->two + sieve->three + sieve->four;
}

static bool block_certain(const struct pfac *pfac)
{
    for (uint32_t i = 0; i < pfac->output_count; i++)
        if (!pfac->outputs[i].exact)
            return false;
    return true;
}

static size_t block_place(size_t *end, size_t size)
{
    const size_t place = *end;

    *end = (place + size + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    return place;
}

static void block_copy(struct pfac_block *to, size_t at, const void *from, size_t size)
{
    if (size > 0)
        memcpy((uint8_t *)to + at, from, size);
}

enum err_code pfac_block_build(const struct pfac *pfac, enum pfac_kind kind,
                               struct pfac_block **out, struct err *err)
{
    struct block block = { .pfac = pfac };
    struct pfac_block layout = { .kind = kind };
    struct pfac_table table;
    const size_t found = (pfac->states - pfac->finding) * sizeof *pfac->found;

    *out = NULL;
    const enum err_code rc = pfac_table_build(pfac, kind, &table, err);
    if (rc != ERR_OK)
        return rc;
    block_sieve(&block);
    block_place(&layout.size, sizeof layout);
    layout.rows_at = block_place(&layout.size, table.rows_size);
    layout.cells_at = block_place(&layout.size, table.cells_size);
    layout.found_at = block_place(&layout.size, found);
    layout.outputs_at = block_place(&layout.size, pfac->output_count * sizeof *pfac->outputs);
    layout.sieve_at = block_place(&layout.size, block.sieve.words * sizeof *block.bits);
    layout.view = (struct pfac_view){ .factor = table.factor,
                                      .bins = table.bins,
                                      .start_at = table.start_at,
                                      .start_tag = table.start_tag,
                                      .finding = pfac->finding,
                                      .leaf = pfac->leaf,
                                      .folds = pfac->folds,
                                      .certain = block_certain(pfac),
                                      .sieve = block.sieve };
    struct pfac_block *made = calloc(1, layout.size);
    if (made != NULL) {
        *made = layout;
        block_copy(made, layout.rows_at, table.rows, table.rows_size);
        block_copy(made, layout.cells_at, table.cells, table.cells_size);
        block_copy(made, layout.found_at, pfac->found, found);
        block_copy(made, layout.outputs_at, pfac->outputs,
                   pfac->output_count * sizeof *pfac->outputs);
        block.bits = (uint32_t *)((uint8_t *)made + layout.sieve_at);
        block_strings(&block);
    }
    pfac_table_release(&table);
    *out = made;
    return made != NULL ? ERR_OK : ERR_NO_MEMORY(err, layout.size);
}

struct pfac_view pfac_block_view(const struct pfac_block *here, const void *there)
{
    const uint8_t *base = there;
    struct pfac_view view = here->view;

    view.rows = base + here->rows_at;
    view.cells = base + here->cells_at;
    view.found = (const struct pfac_found *)(base + here->found_at);
    view.outputs = (const struct pfac_output *)(base + here->outputs_at);
    view.sieve_bits = (const uint32_t *)(base + here->sieve_at);
    return view;
}
