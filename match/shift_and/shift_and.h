/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/shift_and.h - the kernels of the engine shift-and. */
#ifndef BURIN_MATCH_SHIFT_AND_SHIFT_AND_H
#define BURIN_MATCH_SHIFT_AND_SHIFT_AND_H

#include "match/kernel/search.h"
#include "match/shift_and/filter.h"

enum { SHIFT_AND_CHUNK = 16 }; /* bytes that are filtered, and then verified, together */

/* A candidate is the number of a chunk, counted from the aligned address at or before the text. */
struct shift_and {
    struct search search; /* scratch: the candidates; found->candidates counts them */
    const struct filter *filter;
    const struct filter_entry *entries;
    const struct filter_slot *slots;
};

/* Bytes of the first chunk that stand before the text. */
HOST_DEVICE uint32_t shift_and_skew(const struct shift_and *a)
{
    return (uint32_t)((uintptr_t)a->search.view.text % SHIFT_AND_CHUNK);
}

/* Chunks [first, end) hold all bytes with which a qgram can end. */
HOST_DEVICE uint32_t shift_and_first(const struct shift_and *a)
{
    return (search_first(&a->search) + shift_and_skew(a)) / SHIFT_AND_CHUNK;
}

HOST_DEVICE uint32_t shift_and_end(const struct shift_and *a)
{
    return (a->search.view.to + shift_and_skew(a) + SHIFT_AND_CHUNK - 1) / SHIFT_AND_CHUNK;
}

/* The words of a chunk, with the one before it in front. What stands before the first chunk belongs
 * to no run. */
struct shift_and_words {
    uint32_t word[1 + SHIFT_AND_CHUNK / 4];
};

HOST_DEVICE struct shift_and_words shift_and_load(const struct shift_and *a, uint32_t chunk)
{
    const uint32_t *at =
        (const uint32_t *)(const void *)(a->search.view.text - shift_and_skew(a)) + chunk * 4;
    struct shift_and_words words;

#ifdef __CUDA_ARCH__
    const uint4 bytes = *reinterpret_cast<const uint4 *>(at);
    words.word[1] = bytes.x;
    words.word[2] = bytes.y;
    words.word[3] = bytes.z;
    words.word[4] = bytes.w;
#else
    for (uint32_t i = 0; i < SHIFT_AND_CHUNK / 4; i++)
        words.word[1 + i] = at[i];
#endif
    words.word[0] = chunk == 0 ? 0 : *(at - 1);
    return words;
}

/* Bit i: the filter answers at byte i of the chunk. */
HOST_DEVICE uint32_t shift_and_places(const struct filter *filter,
                                      const struct shift_and_words *words)
{
    uint32_t state = 0xffffffff, places = 0;

#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (uint32_t i = 0; i < sizeof words->word; i++) {
        state = (state << FILTER_BUCKETS | 0xff) &
                filter->table[words->word[i / 4] >> i % 4 * 8 & 0xff];
        if (i >= 4 && state >> (FILTER_DEPTH - 1) * FILTER_BUCKETS != 0)
            places |= 1u << (i - 4);
    }
    return places;
}

/* The four bytes that end with byte `place` of the chunk. */
HOST_DEVICE uint32_t shift_and_qgram(const struct shift_and_words *words, uint32_t place)
{
    const uint32_t at = (place + 1) / 4, shift = (place + 1) % 4 * 8;
    uint32_t low = words->word[4], high = 0;

    /* A loop that chooses, for an index would put the words in slow memory. */
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (uint32_t i = 0; i < 4; i++)
        if (at == i) {
            low = words->word[i];
            high = words->word[i + 1];
        }
    return shift == 0 ? low : low >> shift | high << (32 - shift);
}

/* The four bytes of the text from index `first` on; what is before the text is 0. */
HOST_DEVICE uint32_t shift_and_word(const struct shift_and *a, int64_t first)
{
    uint32_t word = 0;

    for (uint32_t i = 0; i < 4; i++)
        if (first + i >= 0)
            word |= (uint32_t)a->search.view.text[first + i] << i * 8;
    return word;
}

HOST_DEVICE void shift_and_try(const struct shift_and *a, const struct filter_entry *entry,
                               uint32_t end)
{
    const struct ring_view *view = &a->search.view;
    const uint32_t len = entry->what & 0xff, before = entry->end & (FILTER_BEHIND - 1);
    const uint32_t start = end - before, stop = start + len;

    if (end < before || stop > view->len || stop <= view->from || stop > view->to)
        return;
    if (search_compare(&a->search.tables, entry->what >> 8, len, view->text + start))
        search_emit(view, start, entry->what >> 8, len);
}

/* The lowest bit that is set. */
HOST_DEVICE uint32_t shift_and_lowest(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__ffs((int)bits) - 1;
#else
    return (uint32_t)__builtin_ctz(bits);
#endif
}

/* Tries the patterns with these four bytes, which end before index `end`. */
HOST_DEVICE void shift_and_look_up(const struct shift_and *a, uint32_t qgram, uint32_t end)
{
    const uint32_t key = filter_key(qgram), mask = (1u << a->filter->slot_bits) - 1;
    uint32_t at = filter_hash(key, a->filter->slot_bits);
    struct filter_slot slot = a->slots[at];

    while (slot.count > 0 && slot.key != key)
        slot = a->slots[at = (at + 1) & mask];
    if (slot.count == 0)
        return;
    const uint32_t before = shift_and_word(a, (int64_t)end - 2 * FILTER_DEPTH),
                   behind = shift_and_word(a, end);
    for (uint32_t i = slot.first; i < slot.first + slot.count; i++) {
        const struct filter_entry entry = a->entries[i];

        if (((entry.end & FILTER_BEHIND ? behind : before) & entry.mask) == entry.value)
            shift_and_try(a, &entry, end);
    }
}

/* Tries the patterns listed for the buckets that answer. Loops are such that slots of a warp stay
 * together. */
HOST_DEVICE void shift_and_go_through(const struct shift_and *a, uint32_t qgram, uint32_t end)
{
    const struct filter *filter = a->filter;
    uint32_t buckets = 0xff;

    for (uint32_t i = 0; i < FILTER_DEPTH; i++)
        buckets &= filter->table[qgram >> i * 8 & 0xff] >> i * FILTER_BUCKETS;
    for (; buckets != 0; buckets &= buckets - 1) {
        const uint32_t bucket = shift_and_lowest(buckets);

        for (uint32_t i = filter->first[bucket]; i < filter->first[bucket + 1]; i++) {
            const struct filter_entry entry = a->entries[i];

            if ((qgram & entry.mask) == entry.value)
                shift_and_try(a, &entry, end);
        }
    }
}

/* Reports the matches whose qgram ends in the chunk. */
HOST_DEVICE void shift_and_verify(const struct shift_and *a, uint32_t chunk)
{
    const uint32_t skew = shift_and_skew(a), first = search_first(&a->search),
                   to = a->search.view.to;
    const uint32_t begin = chunk * SHIFT_AND_CHUNK; /* of the chunk, counted like skew */
    const struct shift_and_words words = shift_and_load(a, chunk);

    for (uint32_t places = shift_and_places(a->filter, &words); places != 0; places &= places - 1) {
        const uint32_t place = shift_and_lowest(places), at = begin + place;

        if (at < skew + first || at >= skew + to)
            continue;
        const uint32_t qgram = shift_and_qgram(&words, place);
        shift_and_look_up(a, qgram, at - skew + 1);
        if (a->filter->first[FILTER_BUCKETS] > 0)
            shift_and_go_through(a, qgram, at - skew + 1);
    }
}

#ifdef BURIN_HAVE_CUDA
int shift_and_filter_cuda(const void *args, void *stream);
int shift_and_verify_cuda(const void *args, void *stream);
#define SHIFT_AND_FILTER_CUDA shift_and_filter_cuda
#define SHIFT_AND_VERIFY_CUDA shift_and_verify_cuda
#else
#define SHIFT_AND_FILTER_CUDA NULL
#define SHIFT_AND_VERIFY_CUDA NULL
#endif

#endif
