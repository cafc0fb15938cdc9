/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_fused.h - Rabin-Karp in one pass: hashes roll through registers, and
 * what they are compared with is a filter.
 *
 * Patterns whose windows have one length are a group. A window is some bytes of a pattern, those of
 * its longest run without a mask; its hash in the text leads, where the filter has it, to a table
 * of hashes, and that to the patterns, which are compared.
 *
 * Three ways to roll:
 *   WORDS  letters of four bytes, a window of whole words; only windows that end at multiples of
 *          four are looked up, and each pattern
 *          is in the table four times, with the windows at four neighbouring places, one of which
 *          does.
 *   BYTES  letters of a byte, every window is looked up: for short patterns, and for those of few
 *          different letters, whose hashes need
 *          all of their bytes to tell anything.
 *   PRIME  as BYTES, with the hash of ../rk.h, modulo its prime q.
 * WORDS and BYTES count modulo 2^32, for there a remainder costs nothing; a multiplication mixes
 * the sum before bits of it are used.
 */
#ifndef BURIN_MATCH_PAPERS_RABIN_KARP_RK_FUSED_H
#define BURIN_MATCH_PAPERS_RABIN_KARP_RK_FUSED_H

#include <stddef.h>

#include "base/err.h"
#include "match/kernel/collect.h"
#include "match/kernel/stage.h"
#include "match/papers/rabin_karp/rk_prime.h"

enum rk_fused_way { RK_FUSED_WORDS, RK_FUSED_BYTES, RK_FUSED_PRIME };

enum {
    RK_FUSED_LETTER = 4,      /* bytes of a word */
    RK_FUSED_WINDOW = 32,     /* bytes of a window at most */
    RK_FUSED_GROUPS = 2 * 12, /* at most: of windows of 1, 2, 4 ... bytes or words, or few */
    RK_FUSED_SHARED =
        40 << 10,            /* bytes of filters that a block of threads keeps in shared memory */
    RK_FUSED_OWN = 32 << 10, /* of one of them */
};

#define RK_FUSED_BASE 0x9e3779b1u /* odd, and 2^32 by the golden ratio */
#define RK_FUSED_MIX 0x85ebca6bu  /* odd */

struct rk_fused_group {
    uint32_t way;    /* enum rk_fused_way */
    uint32_t window; /* bytes */
    uint32_t fold; /* set in each word of the text: 0x20 in all bytes where letters may have either
                      case */
    uint32_t base; /* what a sum is multiplied with for each letter */
    uint32_t drop; /* what a letter that leaves the window is multiplied with: -base^letters */
    uint32_t
        filter_at; /* in words; in shared memory, or behind the head, where filter_far says so */
    uint32_t filter_far;
    uint32_t filter_words,
        filter_bits; /* a power of two, and which; of PRIME: RK_FUSED_PRIME_WORDS and 0 */
    uint32_t slot_at, slot_bits; /* in words behind the head; 2^slot_bits of them */
    uint32_t entry_at;           /* in words behind the head */
};

/* A sum of PRIME is below 2^17, and not the least that it could be. */
enum { RK_FUSED_PRIME_WORDS = (1 << 17) / 32 };

struct rk_fused_slot {
    uint32_t hash, first, count; /* entries; count 0: free */
};

struct rk_fused_entry {
    uint32_t what; /* as ring_hit.what */
    uint32_t end;  /* of the window in the pattern */
};

/* On the host and, with all that is behind it, on the device. */
struct rk_fused_head {
    struct rk_fused_group groups[RK_FUSED_GROUPS];
    uint32_t group_count;
    uint32_t near_words; /* of filters for shared memory, which stand first behind the head */
    uint32_t masked_at, masked_count; /* patterns without a window: ring_hit.what of each */
    uint32_t words;                   /* behind the head in all */
    uint32_t unused[3];
};

struct rk_fused {
    struct search search;
    const struct rk_fused_head *head; /* on the device */
    uint32_t group_count, near_words;
    struct stage_device device;
};

HOST_DEVICE const uint32_t *rk_fused_words(const struct rk_fused_head *head)
{
    return (const uint32_t *)(const void *)(head + 1);
}

HOST_DEVICE uint32_t rk_fused_mix(uint32_t hash)
{
    return hash * RK_FUSED_MIX;
}

/* The sum with a further letter, and without one, or 0, that was `window` bytes before. */
HOST_DEVICE uint32_t rk_fused_roll(uint32_t way, uint32_t base, uint32_t drop, uint32_t sum,
                                   uint32_t letter, uint32_t old)
{
    const uint32_t next = sum * base + (old * drop + letter);

    return way == RK_FUSED_PRIME ? rk_prime_reduce(next) : next;
}

/* What the filter is asked for a sum: a word of it, and two bits there, counted from the top; their
 * low five bits count. */
struct rk_fused_probe {
    uint32_t word, one, two;
};

HOST_DEVICE struct rk_fused_probe rk_fused_probe_of(uint32_t way, uint32_t bits, uint32_t sum)
{
    struct rk_fused_probe probe = { sum >> 5, sum, sum };

    if (way != RK_FUSED_PRIME) { /* the middle of the product depends on all of the sum, and so does
                                    its low half's top */
        const uint64_t product = (uint64_t)sum * RK_FUSED_MIX;

        probe.word = (uint32_t)product >> (32 - bits);
        probe.one = (uint32_t)(product >> 32);
        probe.two = (uint32_t)(product >> 37);
    }
    return probe;
}

/* Bit 31 says whether the sum may be a pattern's. */
HOST_DEVICE uint32_t rk_fused_passes(uint32_t way, uint32_t word,
                                     const struct rk_fused_probe *probe)
{
#ifdef __CUDA_ARCH__
    const uint32_t one = __funnelshift_l(0, word, probe->one),
                   two = __funnelshift_l(0, word, probe->two);
#else
    const uint32_t one = word << (probe->one & 31), two = word << (probe->two & 31);
#endif

    return way == RK_FUSED_PRIME ? one : one & two;
}

/* The hash that sums of one window have in common. */
HOST_DEVICE uint32_t rk_fused_hash(uint32_t way, uint32_t sum)
{
    if (way != RK_FUSED_PRIME)
        return sum;
    return sum < RK_PRIME_Q ? sum : sum - RK_PRIME_Q;
}

/* Four bytes, or one, of a text from index `at` on. */
HOST_DEVICE uint32_t rk_fused_letter(const struct rk_fused_group *g, const uint8_t *at)
{
    if (g->way != RK_FUSED_WORDS)
        return at[0] | (g->fold & 0xff);
    return (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24) | g->fold;
}

HOST_DEVICE uint32_t rk_fused_sum(const struct rk_fused_group *g, const uint8_t *window)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < g->window; i += g->way == RK_FUSED_WORDS ? RK_FUSED_LETTER : 1)
        sum = rk_fused_roll(g->way, g->base, g->drop, sum, rk_fused_letter(g, window + i), 0);
    return sum;
}

#ifdef __CUDACC__
/* The same, all loads under way at once. */
static __device__ __forceinline__ uint32_t rk_fused_sum_loaded(const struct rk_fused_group *g,
                                                               const uint8_t *window)
{
    const uint32_t skew = (uint32_t)((uintptr_t)window % RK_FUSED_LETTER);
    const uint32_t *from = reinterpret_cast<const uint32_t *>(window - skew);
    uint32_t words[RK_FUSED_WINDOW / RK_FUSED_LETTER + 1], sum = 0;

#pragma unroll
    for (uint32_t i = 0; i <= RK_FUSED_WINDOW / RK_FUSED_LETTER; i++)
        words[i] = i * RK_FUSED_LETTER < skew + g->window ? from[i] : 0;
#pragma unroll
    for (uint32_t i = 0; i < RK_FUSED_WINDOW / RK_FUSED_LETTER; i++) {
        const uint32_t word = __funnelshift_r(words[i], words[i + 1], skew * 8) | g->fold;

        if (g->way == RK_FUSED_WORDS && i * RK_FUSED_LETTER < g->window)
            sum = rk_fused_roll(RK_FUSED_WORDS, g->base, g->drop, sum, word, 0);
        for (uint32_t b = 0; g->way != RK_FUSED_WORDS && b < RK_FUSED_LETTER; b++)
            if (i * RK_FUSED_LETTER + b < g->window)
                sum = rk_fused_roll(g->way, g->base, g->drop, sum, word >> b * 8 & 0xff, 0);
    }
    return sum;
}
#endif

/* A place of the text that passed the filter: the window before index `end`. */
HOST_DEVICE void rk_fused_verify(const struct rk_fused *a, const struct rk_fused_group *g,
                                 uint32_t end, struct collect *collect)
{
    const struct ring_view *view = &a->search.view;

    if (end < g->window || end > view->len)
        return;
    const uint32_t *words = rk_fused_words(a->head), mask = (1u << g->slot_bits) - 1;
    const struct rk_fused_slot *slots =
        (const struct rk_fused_slot *)(const void *)(words + g->slot_at);
    const struct rk_fused_entry *entries =
        (const struct rk_fused_entry *)(const void *)(words + g->entry_at);
#ifdef __CUDA_ARCH__
    const uint32_t sum = rk_fused_sum_loaded(g, view->text + end - g->window);
#else
    const uint32_t sum = rk_fused_sum(g, view->text + end - g->window);
#endif
    const uint32_t hash = rk_fused_hash(g->way, sum);
    uint32_t at = rk_fused_mix(hash) >> (32 - g->slot_bits);

    while (slots[at].count > 0 && slots[at].hash != hash)
        at = (at + 1) & mask;
    const uint32_t first = slots[at].first, past = first + slots[at].count;
    for (uint32_t i = first; i < past; i++)
        if (end >= entries[i].end)
            collect_try(collect, &a->search, end - entries[i].end, entries[i].what >> 8,
                        entries[i].what & 0xff);
}

/* Bytes between the aligned address at or before the text and the text: places are counted from
 * there. */
HOST_DEVICE uint32_t rk_fused_skew(const struct rk_fused *a)
{
    return (uint32_t)((uintptr_t)a->search.view.text % 16);
}

/* Shapes of the kernel's blocks: threads, words of a stretch, words that are gone through between
 * branches, tiles in shared memory. */
#define RK_FUSED_DEFAULT 256, 21, 7, 2
#define RK_FUSED_SHAPES(X)                                                                         \
    X(128, 33, 11, 2)                                                                              \
    X(256, 33, 11, 2)                                                                              \
    X(256, 27, 9, 2)                                                                               \
    X(128, 21, 7, 3)                                                                               \
    X(256, 15, 5, 3)

struct match_dictionary;

/* prime: all groups PRIME, with this base; else for each the faster of the others. *out: *size
 * bytes, made with malloc. */
ERR_MUST_CHECK enum err_code rk_fused_build(const struct match_dictionary *dictionary, bool prime,
                                            uint32_t base, struct rk_fused_head **out, size_t *size,
                                            struct err *err);

struct offload_extra;

/* The enqueue of an offload_form; extra is what rk_fused_build made. */
ERR_MUST_CHECK enum err_code rk_fused_enqueue(const struct tables *tables,
                                              const struct offload_extra *extra,
                                              struct device_stream *stream,
                                              const struct ring_view *view, struct err *err);

#ifdef BURIN_HAVE_CUDA
int rk_fused_cuda(const void *args, void *stream);
#define RK_FUSED_CUDA rk_fused_cuda
#else
#define RK_FUSED_CUDA NULL
#endif

#endif
