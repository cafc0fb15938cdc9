/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_scratch.c - see regex_scratch.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "match/regex/regex_scratch.h"

enum {
    SCRATCH_CACHE_MIN = REGEX_DFA_WORDS_MIN * 4, /* bytes of a cache, */
    SCRATCH_CACHE_MAX = 256 << 10,               /* and at most */
    SCRATCH_ALIGN = 64,
    SCRATCH_SLOT = (sizeof(struct regex_slot) + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN,
};

static size_t scratch_round(size_t size)
{
    return (size + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
}

/* Lays out a scratch but for its caches, or with NULL says how much it is. */
static size_t scratch_lay(const struct regex_scratches *all, uint8_t *memory)
{
    const size_t slow = scratch_round(sizeof(struct regex_scratch));
    const size_t slots = slow + scratch_round(all->slow);
    const size_t caches = slots + (size_t)all->slots * SCRATCH_SLOT;
    struct regex_scratch *scratch = (struct regex_scratch *)memory;

    if (memory != NULL) {
        scratch->slow = memory + slow;
        scratch->slots = (struct regex_slot *)(memory + slots);
        scratch->caches = memory + caches;
        memset(scratch->slots, 0, all->slots * sizeof *scratch->slots);
    }
    return caches;
}

/* What items need. */
static void scratch_measure(struct regex_scratches *all, struct regex_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct regex_item *item = &items[i];
        const size_t rows = item->slow_by_rows ? regex_rows_size(&item->rows) : 0;
        const size_t slow = rows > 0 ? rows : regex_table_size();

        if (item->table.states == 0)
            item->slot = all->large++;
        all->slow = slow > all->slow ? slow : all->slow;
    }
}

/* Shares out room bytes. */
static void scratch_share(struct regex_scratches *all, size_t room, uint32_t threads)
{
    const size_t fixed = scratch_lay(all, NULL);
    const size_t least = fixed + (all->large > 0 ? SCRATCH_SLOT + SCRATCH_CACHE_MIN : 0);

    all->count = room / least < threads ? (uint32_t)(room / least) : threads;
    assert(all->count > 0);
    if (all->large > 0) {
        const size_t each = room / all->count - fixed;
        const size_t share = each / all->large,
                     cache = share > SCRATCH_SLOT ? share - SCRATCH_SLOT : 0;

        all->cache = cache / SCRATCH_ALIGN * SCRATCH_ALIGN;
        all->cache = all->cache < SCRATCH_CACHE_MIN ? SCRATCH_CACHE_MIN : all->cache;
        all->cache = all->cache > SCRATCH_CACHE_MAX ? SCRATCH_CACHE_MAX : all->cache;
        const size_t slots = each / (SCRATCH_SLOT + all->cache);
        all->slots = slots < all->large ? (uint32_t)slots : all->large;
    }
    all->size = scratch_lay(all, NULL) + all->slots * all->cache;
}

enum err_code regex_scratches_open(struct regex_scratches *all, struct regex_item *items,
                                   uint32_t count, size_t room, uint32_t threads, struct err *err)
{
    *all = (struct regex_scratches){ .large = 0 };
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->returned, NULL);
    scratch_measure(all, items, count);
    scratch_share(all, room, threads);
    all->memory = aligned_alloc(SCRATCH_ALIGN, all->count * all->size);
    if (all->memory == NULL)
        return ERR_NO_MEMORY(err, all->count * all->size);
    for (uint32_t i = 0; i < all->count; i++) {
        struct regex_scratch *scratch = (struct regex_scratch *)(all->memory + i * all->size);

        scratch_lay(all, (uint8_t *)scratch);
        scratch->next = all->free;
        all->free = scratch;
    }
    return ERR_OK;
}

void regex_scratches_close(struct regex_scratches *all)
{
    free(all->memory);
    pthread_cond_destroy(&all->returned);
    pthread_mutex_destroy(&all->lock);
}

struct regex_scratch *regex_scratches_borrow(struct regex_scratches *all)
{
    pthread_mutex_lock(&all->lock);
    while (all->free == NULL)
        pthread_cond_wait(&all->returned, &all->lock);
    struct regex_scratch *scratch = all->free;
    all->free = scratch->next;
    pthread_mutex_unlock(&all->lock);
    return scratch;
}

void regex_scratches_return(struct regex_scratches *all, struct regex_scratch *scratch)
{
    pthread_mutex_lock(&all->lock);
    scratch->next = all->free;
    all->free = scratch;
    pthread_cond_signal(&all->returned);
    pthread_mutex_unlock(&all->lock);
}

struct regex_slot *regex_scratch_slot(const struct regex_scratches *all,
                                      struct regex_scratch *scratch, const struct regex_item *item,
                                      int64_t credit)
{
    if (item->table.states > 0)
        return NULL;
    const size_t which = item->slot % all->slots;
    struct regex_slot *slot = &scratch->slots[which];
    if (slot->owner != item->slot + 1) {
        uint32_t *cache = (uint32_t *)(scratch->caches + which * all->cache);

        slot->owner = item->slot + 1;
        slot->pace = (struct regex_pace){ .credit = credit };
        regex_dfa_init(&slot->dfa, &item->nfa, &scratch->work, cache,
                       (uint32_t)(all->cache / sizeof *cache));
    }
    return slot;
}
