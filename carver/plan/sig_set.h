/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/sig_set.h - a set of signatures by their number. There are hundreds, and a part of an
 * image has to do with a dozen: who asks all of them reads tens of KiB for each part.
 */
#ifndef BURIN_CARVER_PLAN_SIG_SET_H
#define BURIN_CARVER_PLAN_SIG_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed has none, and room for none; sig_set_close. */
struct sig_set {
    uint64_t *words;
    uint32_t count; /* signatures that there are: numbers are below it */
};

/* False: no memory. */
static inline bool sig_set_open(struct sig_set *set, uint32_t count)
{
    *set = (struct sig_set){ .words = calloc(count / 64 + 1, sizeof(uint64_t)), .count = count };
    return set->words != NULL;
}

static inline void sig_set_close(struct sig_set *set)
{
    free(set->words);
    *set = (struct sig_set){ 0 };
}

static inline void sig_set_clear(struct sig_set *set)
{
    memset(set->words, 0, (set->count / 64 + 1) * sizeof *set->words);
}

static inline void sig_set_add(struct sig_set *set, uint32_t sig)
{
    set->words[sig / 64] |= UINT64_C(1) << sig % 64;
}

static inline void sig_set_remove(struct sig_set *set, uint32_t sig)
{
    set->words[sig / 64] &= ~(UINT64_C(1) << sig % 64);
}

/* The first one of either set, which are of the same signatures, from this number on; their count:
 * there is none. */
static inline uint32_t sig_set_next_of(const struct sig_set *a, const struct sig_set *b,
                                       uint32_t from)
{
    uint32_t word = from / 64;

    if (from >= a->count)
        return a->count;
    uint64_t bits = (a->words[word] | b->words[word]) & UINT64_MAX << from % 64;
    while (bits == 0 && ++word <= a->count / 64)
        bits = a->words[word] | b->words[word];
    return bits != 0 ? word * 64 + (uint32_t)__builtin_ctzll(bits) : a->count;
}

static inline uint32_t sig_set_next(const struct sig_set *set, uint32_t from)
{
    return sig_set_next_of(set, set, from);
}

#endif
