/* SPDX-License-Identifier: Apache-2.0
 * match/papers/quick_search/quick_search_gpu.h - Quick Search for one keyword over a stretch of
 * text, the same on host and device.
 *
 * Keywords are bytes under masks (match/pattern/literals.h), and their shifts those of
 * match/quick_search/quick_search.h.
 */
#ifndef BURIN_MATCH_PAPERS_QUICK_SEARCH_QUICK_SEARCH_GPU_H
#define BURIN_MATCH_PAPERS_QUICK_SEARCH_QUICK_SEARCH_GPU_H

#include "match/kernel/collect.h"
#include "match/kernel/stage.h"

enum { QUICK_SEARCH_SHIFTS = 256 };

struct quick_search_word {
    uint32_t what;            /* as ring_hit.what */
    uint32_t at;              /* of its bytes behind the head; its masks are behind them */
    uint32_t last, last_mask; /* byte and mask of the last place */
};

/* In one piece of memory, on the host and on the device: this, words, shifts, and bytes and masks
 * of all words. */
struct quick_search_head {
    uint32_t count;
    uint32_t shifts_at; /* bytes behind the head; the words begin there at 0 */
    uint32_t unused[2];
};

struct quick_search_args {
    struct search search;
    const struct quick_search_head *head; /* on the device */
    uint32_t count;
    struct stage_device device;
};

HOST_DEVICE const struct quick_search_word *quick_search_words(const struct quick_search_head *head)
{
    return (const struct quick_search_word *)(const void *)(head + 1);
}

HOST_DEVICE const uint8_t *quick_search_bytes(const struct quick_search_head *head)
{
    return (const uint8_t *)(const void *)(head + 1);
}

HOST_DEVICE bool quick_search_equal(const uint8_t *bytes, uint32_t len, const uint8_t *window)
{
    for (uint32_t i = len; i-- > 0;)
        if (((window[i] ^ bytes[i]) & bytes[len + i]) != 0)
            return false;
    return true;
}

/* Where the window goes that ends before text[past], past < to; behind `to` when it goes out. */
HOST_DEVICE uint32_t quick_search_shift(const uint8_t *shifts, const uint8_t *text, uint32_t past,
                                        uint32_t to)
{
    return past < to ? past + shifts[text[past]] + 1 : to + 1;
}

/* The end of the first window from `past` on, and up to `to`, in which the word stands; to + 1:
 * none. */
HOST_DEVICE uint32_t quick_search_next(const struct quick_search_word *word, const uint8_t *bytes,
                                       const uint8_t *shifts, const uint8_t *text, uint32_t past,
                                       uint32_t to)
{
    const uint32_t len = word->what & 0xff;

    for (; past <= to; past = quick_search_shift(shifts, text, past, to))
        if (((text[past - 1] ^ word->last) & word->last_mask) == 0 &&
            quick_search_equal(bytes, len, text + past - len))
            return past;
    return to + 1;
}

#ifdef BURIN_HAVE_CUDA
int quick_search_cuda(const void *args, void *stream);
#define QUICK_SEARCH_CUDA quick_search_cuda
#else
#define QUICK_SEARCH_CUDA NULL
#endif

#endif
