/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/qgrams_search.h - the kernel that searches by qgrams.h, and its steps, the same
 * on host and device. */
#ifndef BURIN_MATCH_SHIFT_AND_QGRAMS_SEARCH_H
#define BURIN_MATCH_SHIFT_AND_QGRAMS_SEARCH_H

#include "match/kernel/search.h"
#include "match/shift_and/qgrams.h"

enum {
    QGRAMS_CHUNK = 16, /* bytes that a slot looks at together */
    QGRAMS_BEFORE = 8, /* qgrams of a chunk begin in these bytes before it and in all but the last
                           as many of its own */
};

struct qgrams_search {
    struct search search; /* found->candidates counts the places that are looked up */
    const struct qgrams *qgrams;
    const struct qgrams_entry *entries;
    const struct qgrams_slot *slots;
    uint32_t stride, qgram; /* those of *qgrams */
};

/* Places count from the 16-byte aligned address at or before the text, so that chunks begin at
 * multiples of 16. */
HOST_DEVICE uint32_t qgrams_skew(const struct qgrams_search *s)
{
    return (uint32_t)((uintptr_t)s->search.view.text % QGRAMS_CHUNK);
}

/* Chunks [first, end) are those whose qgrams may belong to a match. */
HOST_DEVICE uint32_t qgrams_first(const struct qgrams_search *s)
{
    return (search_first(&s->search) + qgrams_skew(s) + QGRAMS_BEFORE) / QGRAMS_CHUNK;
}

HOST_DEVICE uint32_t qgrams_end(const struct qgrams_search *s)
{
    return (s->search.view.to + qgrams_skew(s) + QGRAMS_BEFORE + QGRAMS_CHUNK - 1) / QGRAMS_CHUNK;
}

/* Chunks from here on hold no byte of the text. */
HOST_DEVICE uint32_t qgrams_text_end(const struct qgrams_search *s)
{
    return (s->search.view.len + qgrams_skew(s) + QGRAMS_CHUNK - 1) / QGRAMS_CHUNK;
}

/* The eight bytes of the text from a place on; what is not text may be anything. */
HOST_DEVICE uint64_t qgrams_load(const struct qgrams_search *s, uint32_t place)
{
    const uint32_t skew = qgrams_skew(s), end = (s->search.view.len + skew + 3) / 4,
                   shift = place % 4 * 8;
    const uint32_t *words = (const uint32_t *)(const void *)(s->search.view.text - skew);
    uint32_t three[3];

#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (uint32_t i = 0; i < 3; i++)
        three[i] = place / 4 + i < end ? words[place / 4 + i] : 0;
#ifdef __CUDA_ARCH__
    return (uint64_t)__funnelshift_r(three[1], three[2], shift) << 32 |
           __funnelshift_r(three[0], three[1], shift);
#else
    const uint64_t low = (uint64_t)three[1] << 32 | three[0], high = three[2];
    return shift == 0 ? low : low >> shift | high << (64 - shift);
#endif
}

/* The eight bytes before a place. */
HOST_DEVICE uint64_t qgrams_load_before(const struct qgrams_search *s, uint32_t place)
{
    if (place >= QGRAMS_AROUND)
        return qgrams_load(s, place - QGRAMS_AROUND);
    return place == 0 ? 0 : qgrams_load(s, 0) << (QGRAMS_AROUND - place) * 8;
}

/* The text around a place. */
struct qgrams_around {
    uint64_t before, behind;
};

/* The slot of the qgram that begins with these bytes, or one with a count of 0. */
HOST_DEVICE struct qgrams_slot qgrams_find(const struct qgrams_search *s, uint64_t text)
{
    const struct qgrams *qgrams = s->qgrams;
    const uint32_t mask = (1u << qgrams->slot_bits) - 1;
    const uint32_t key =
        qgrams_key(qgrams, qgrams_fold((uint32_t)text), qgrams_fold((uint32_t)(text >> 32)));
    uint32_t i = qgrams_slot_of(qgrams, key);
    struct qgrams_slot slot = s->slots[i];

    while (slot.count > 0 && slot.key != key)
        slot = s->slots[i = (i + 1) & mask];
    return slot;
}

/* Whether the entry's pattern stands in the view with its qgram at index `at`. */
HOST_DEVICE bool qgrams_match(const struct qgrams_search *s, const struct qgrams_entry *entry,
                              const struct qgrams_around *text, uint32_t at)
{
    const struct ring_view *view = &s->search.view;

    if (((text->behind ^ entry->behind) & entry->behind_mask) != 0 ||
        ((text->before ^ entry->before) & entry->before_mask) != 0)
        return false;
    const uint32_t len = entry->what & 0xff, start = at - entry->at, stop = start + len;
    if (at < entry->at || stop > view->len || stop <= view->from || stop > view->to)
        return false;
    return entry->more == 0 ||
           search_compare(&s->search.tables, entry->what >> 8, len, view->text + start);
}

#ifdef BURIN_HAVE_CUDA
int qgrams_cuda(const void *args, void *stream);
#define QGRAMS_CUDA qgrams_cuda
#else
#define QGRAMS_CUDA NULL
#endif

#endif
