/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_tables.c - see words_tables.h. */
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "match/words/words_tables.h"

enum {
    TABLES_BITMAP_FIRST = 18,  /* bits, log 2: fits in the first cache */
    TABLES_BITMAP_SECOND = 21, /* in the second, with room for other things, */
    TABLES_BITMAP_FULL = 3,    /* unless more than one bit in so many would be set, log 2; */
    TABLES_BITMAP_MOST = 23,   /* then, at most */
    TABLES_BITMAP_SPARSE =
        5, /* a bit in so many is set, log 2; with room in the first cache, two more */
    TABLES_SECOND_SPARSE = 4,
    TABLES_SECOND_COUNT =
        1 << 12, /* fingerprints: fewer leave a bitmap empty enough that is in the first cache */
    TABLES_HEADS_FIRST =
        14, /* with so many there is room for two more: hardly two fingerprints have the same */
    TABLES_HEADS_BITS = 22,
    TABLES_MAP_MAX = 8000,   /* fingerprints: more would fill the map; */
    TABLES_MAP_FEW = 1000,   /* for fewer than these it is */
    TABLES_MAP_BITS = 14,    /* hashes, log 2, else twice as many: it fits in the first cache */
    TABLES_SIEVE_MIN = 64,   /* fingerprints: the sets of fewer are sharp enough, */
    TABLES_SIEVE_MAX = 6000, /* and of more let nearly all through */
    TABLES_LINE = 64,
    TABLES_HUGE_PAGE = 2 << 20,
};

static const uint64_t tables_keys[2] = { 0x9e3779b97f4a7c15u,
                                         0xc2b2ae3d27d4eb4fu }; /* odd, of no pattern */

static uint32_t tables_log(uint32_t count)
{
    uint32_t log = 0;

    while (1u << log < count)
        log++;
    return log;
}

void words_items_free(struct words_items *items)
{
    free(items->items);
    free(items->starts);
    *items = (struct words_items){ 0 };
}

enum err_code words_items_open(uint32_t max, struct words_items *out, struct err *err)
{
    *out = (struct words_items){ .items = malloc((max + (size_t)1) * sizeof *out->items),
                                 .starts = malloc((max + (size_t)1) * sizeof *out->starts),
                                 .max = max };
    if (out->items != NULL && out->starts != NULL)
        return ERR_OK;
    words_items_free(out);
    return ERR_NO_MEMORY(err, max * (sizeof *out->items + sizeof *out->starts));
}

void words_items_add(struct words_items *items, struct words_item item, uint64_t start)
{
    assert(items->count < items->max);
    items->starts[items->count] = start;
    items->items[items->count++] = item;
}

void words_group_init(struct words_group *group, uint32_t fingerprint, bool folds)
{
    group->fingerprint = fingerprint;
    group->depth = fingerprint < WORDS_DEPTH ? fingerprint : WORDS_DEPTH;
    group->fold = folds ? 0x2020202020202020u : 0;
#ifdef __x86_64__
    group->by_halves = __builtin_cpu_is("intel");
#endif
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t behind =
            (i + 1) * WORDS_WORD > fingerprint ? (i + 1) * WORDS_WORD - fingerprint : 0;
        group->key[i] = behind < WORDS_WORD ? tables_keys[i] << 8 * behind : 0;
    }
}

bool words_sieve_suits(const struct words_form *form, const struct words_group *group,
                       uint32_t count)
{
    return form->sieve && group->depth >= WORDS_SIEVE_DEPTH && count > TABLES_SIEVE_MIN &&
           count < TABLES_SIEVE_MAX;
}

/* The map of the fingerprints in items, if it is of use. */
static enum err_code tables_map(const struct words_form *form, struct words_group *group,
                                const struct words_items *items, struct err *err)
{
    const uint32_t bits = TABLES_MAP_BITS + (items->count >= TABLES_MAP_FEW);

    if (!form->map || group->fingerprint < 3 || items->count > TABLES_MAP_MAX)
        return ERR_OK;
    group->map_shift = 64 - bits;
    group->map = calloc(1, (size_t)1 << bits);
    if (group->map == NULL)
        return ERR_NO_MEMORY(err, (size_t)1 << bits);
    for (uint32_t i = 0; i < items->count; i++)
        group->map[items->items[i].hash >> group->map_shift] = 1;
    return ERR_OK;
}

/*
 * Room for the tables of a group, of zeros: text that is full of words is looked up all over them,
 * so they lie together, in huge pages where they are large.
 */
static enum err_code tables_room(struct words_group *group, uint32_t entries, size_t bitmap,
                                 size_t second, size_t heads, struct err *err)
{
    const size_t heads_at = (bitmap + second + TABLES_LINE - 1) / TABLES_LINE * TABLES_LINE;
    const size_t entries_at = (heads_at + heads + TABLES_LINE - 1) / TABLES_LINE * TABLES_LINE;
    const size_t all =
        entries_at +
        (entries + (size_t)1) * sizeof *group->entries; /* and one that is asked for ahead */
    const size_t unit = all >= TABLES_HUGE_PAGE ? TABLES_HUGE_PAGE : TABLES_LINE,
                 size = (all + unit - 1) / unit * unit;
    uint8_t *tables = aligned_alloc(unit, size);

    if (tables == NULL)
        return ERR_NO_MEMORY(err, size);
    if (unit == TABLES_HUGE_PAGE)
        (void)madvise(tables, size, MADV_HUGEPAGE);
    memset(tables, 0, size);
    group->tables = tables;
    group->bitmap = (uint64_t *)(void *)tables;
    group->second = second > 0 ? (uint64_t *)(void *)(tables + bitmap) : NULL;
    group->heads = (uint32_t *)(void *)(tables + heads_at);
    group->entries = (struct words_entry *)(void *)(tables + entries_at);
    group->entry_count = entries;
    return ERR_OK;
}

enum err_code words_tables_fill(const struct words_form *form, struct words_group *group,
                                const struct words_items *items, words_entry_fn entry,
                                const void *arg, struct err *err)
{
    const uint32_t log = tables_log(items->count), all = 8 * (group->fingerprint < 2 ? 1 : 2);
    const bool is_doubted = items->count > TABLES_SECOND_COUNT && group->fingerprint > 2;
    uint32_t bits = log + TABLES_BITMAP_SPARSE, heads = log + 1;

    if (bits < TABLES_BITMAP_FIRST)
        bits = bits + 2 < TABLES_BITMAP_FIRST ? bits + 2 : TABLES_BITMAP_FIRST;
    if (bits > TABLES_BITMAP_SECOND)
        bits = log + TABLES_BITMAP_FULL < TABLES_BITMAP_SECOND ? TABLES_BITMAP_SECOND
               : log + TABLES_BITMAP_FULL < TABLES_BITMAP_MOST ? log + TABLES_BITMAP_FULL
                                                               : TABLES_BITMAP_MOST;
    bits = bits < all ? all : bits;
    if (heads < TABLES_HEADS_FIRST)
        heads = heads + 2 < TABLES_HEADS_FIRST ? heads + 2 : TABLES_HEADS_FIRST;
    heads = heads < 8                   ? 8
            : heads > TABLES_HEADS_BITS ? TABLES_HEADS_BITS
                                        : heads; /* never more than of the bitmap */
    group->bitmap_shift = 64 - bits;
    group->heads_shift = 64 - heads;
    group->second_shift = 64 - log - TABLES_SECOND_SPARSE;
    const enum err_code rc =
        tables_room(group, items->count, ((size_t)1 << bits) / 8,
                    is_doubted ? ((size_t)1 << (log + TABLES_SECOND_SPARSE)) / 8 : 0,
                    (((size_t)1 << heads) + 2) * sizeof *group->heads, err);
    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < items->count; i++) {
        const uint64_t bit = items->items[i].hash >> group->bitmap_shift;

        group->bitmap[bit / 64] |= (uint64_t)1 << bit % 64;
        group->heads[(items->items[i].hash >> group->heads_shift) + 2]++;
        if (group->second != NULL) {
            const uint64_t other = items->items[i].hash * WORDS_SECOND >> group->second_shift;

            group->second[other / 64] |= (uint64_t)1 << other % 64;
        }
    }
    for (size_t h = 2; h < ((size_t)1 << heads) + 2; h++)
        group->heads[h] += group->heads[h - 1];
    for (uint32_t i = 0; i < items->count; i++) { /* each hash's place moves on to where it ends */
        uint32_t *place = &group->heads[(items->items[i].hash >> group->heads_shift) + 1];

        entry(arg, items->items[i].pattern, &group->entries[(*place)++]);
    }
    for (size_t h = 0; h < (size_t)1 << heads; h++) {
        const uint32_t first = group->heads[h], past = group->heads[h + 1];

        if (first < past)
            group->entries[past - 1].ends = true;
        group->heads[h] |= past > first + 1 ? WORDS_HEAD_SEVERAL : 0;
    }
    return tables_map(form, group, items, err);
}

void words_group_free(struct words_group *group)
{
    free(group->tables);
    free(group->pairs);
    free(group->map);
    free(group->sieve);
    free(group->couples);
    free(group->twins);
    free(group->lines);
}
