/* SPDX-License-Identifier: Apache-2.0
 * match/offload/ring_sort.c - see ring_sort.h.
 *
 * A kernel's blocks leave their hits in the order in which they come to an end, which for a sort by
 * insertion is none, and a sort by comparison would take a core longer than the device takes for
 * the segment. This is a radix sort from the most significant digit down, each hit put in its place
 * by exchange ("American flag sort": McIlroy, Bostic and McIlroy, "Engineering Radix Sort", 1993).
 */
#include "match/offload/ring_sort.h"

enum {
    SORT_DIGIT = 8, /* bits */
    SORT_BUCKETS = 1 << SORT_DIGIT,
    SORT_FEW = 24, /* are sorted by insertion */
};

static uint64_t sort_key(const struct ring_hit *hit)
{
    return (uint64_t)hit->start << 32 | hit->what;
}

static void sort_insert(struct ring_hit *hits, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct ring_hit hit = hits[i];
        uint32_t to = i;

        for (; to > 0 && sort_key(&hit) < sort_key(&hits[to - 1]); to--)
            hits[to] = hits[to - 1];
        hits[to] = hit;
    }
}

/* All keys are alike above bit `top`. */
static void sort_digit(struct ring_hit *hits, uint32_t count, uint32_t top)
{
    const uint32_t shift = top > SORT_DIGIT ? top - SORT_DIGIT : 0;
    uint32_t end[SORT_BUCKETS] = { 0 }, at[SORT_BUCKETS], sum = 0;

    for (uint32_t i = 0; i < count; i++)
        end[sort_key(&hits[i]) >> shift & (SORT_BUCKETS - 1)]++;
    for (uint32_t b = 0; b < SORT_BUCKETS; b++) {
        at[b] = sum;
        sum += end[b];
        end[b] = sum;
    }
    for (uint32_t b = 0; b < SORT_BUCKETS; b++)
        while (at[b] < end[b]) {
            struct ring_hit hit = hits[at[b]];
            uint32_t to;

            while ((to = sort_key(&hit) >> shift & (SORT_BUCKETS - 1)) != b) {
                const struct ring_hit other = hits[at[to]];

                hits[at[to]++] = hit;
                hit = other;
            }
            hits[at[b]++] = hit;
        }
    for (uint32_t b = 0, from = 0; b < SORT_BUCKETS; from = end[b++])
        if (end[b] - from > SORT_FEW && shift > 0)
            sort_digit(hits + from, end[b] - from, shift);
        else
            sort_insert(hits + from, end[b] - from);
}

void ring_sort(struct ring_hit *hits, uint32_t count, uint32_t text_len)
{
    uint32_t top = 32;

    while (top < 64 && text_len >> (top - 32) != 0)
        top++;
    if (count > SORT_FEW)
        sort_digit(hits, count, top);
    else
        sort_insert(hits, count);
}
