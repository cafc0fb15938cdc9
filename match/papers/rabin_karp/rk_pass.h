/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_pass.h - one pass of Rabin-Karp over a text on a device, for patterns
 * whose runs have one length: what the forms share that follow the paper step by step (rk_scan.c,
 * rk_direct.c). Groups, hashes and hash tables are those of ../rk.h.
 *
 * Hash tables are made on the device for each pass, as the paper does it: step 2 belongs to its
 * time.
 */
#ifndef BURIN_MATCH_PAPERS_RABIN_KARP_RK_PASS_H
#define BURIN_MATCH_PAPERS_RABIN_KARP_RK_PASS_H

#include <stddef.h>

#include "base/err.h"
#include "match/kernel/collect.h"
#include "match/papers/rabin_karp/rk_prime.h"

struct rk_pass_entry {
    uint32_t what; /* as ring_hit.what */
    uint32_t at;   /* of the run in the pattern */
};

struct rk_pass_group {
    uint32_t first, count; /* entries */
    uint32_t len;          /* of the runs */
    uint32_t folded;       /* runs are looked for in a text of small letters */
};

/* In one piece of memory, on the host and on the device: this, groups, powers, entries, and
 * ring_hit.what of patterns without a run. */
struct rk_pass_head {
    uint32_t base, steps; /* steps: of the paper's algorithm that are taken, 5: all */
    uint32_t group_count, plain_count, entry_count, masked_count;
    uint32_t groups_at, powers_at, entries_at, masked_at; /* bytes behind the head */
};

/* Arguments of all kernels. */
struct rk_pass {
    struct search search;
    const uint16_t *powers;              /* [RK_PRIME_Q] */
    const struct rk_pass_entry *entries; /* [count] */
    uint32_t count, len, folded, base;
    uint32_t *sums;            /* [n]: terms, and then their sums */
    uint32_t *control, *table; /* [RK_PRIME_Q] */
    uint32_t *hashes;          /* [count] */
    void *temporary;           /* of the scan */
    uint64_t temporary_size;
};
static_assert(sizeof(struct rk_pass) <= 256, "DEVICE_ARGS_MAX");

/* Bytes of the text from the first one on with which a match may begin that is asked for. */
HOST_DEVICE uint32_t rk_pass_n(const struct rk_pass *p)
{
    return p->search.view.to - search_first(&p->search);
}

HOST_DEVICE uint32_t rk_pass_fold(const struct rk_pass *p, uint8_t byte)
{
    return p->folded && byte >= 'A' && byte <= 'Z' ? byte | 0x20u : byte;
}

HOST_DEVICE uint32_t rk_pass_byte(const struct rk_pass *p, uint32_t i)
{
    return rk_pass_fold(p, p->search.view.text[search_first(&p->search) + i]);
}

/* The hash of a pattern's run. */
HOST_DEVICE uint32_t rk_pass_pattern(const struct rk_pass *p, uint32_t i)
{
    const struct tables *tables = &p->search.tables;
    const struct rk_pass_entry entry = p->entries[i];
    const uint8_t *run = tables->blob + tables->patterns[entry.what >> 8].at + entry.at;
    uint32_t hash = 0;

    for (uint32_t k = 0; k < p->len; k++)
        hash = rk_prime_modulo(hash * p->base + rk_pass_fold(p, run[k]));
    return hash;
}

/* The power of the base with an exponent from 0 on, and with one from 0 down. */
HOST_DEVICE uint32_t rk_pass_power(const struct rk_pass *p, uint32_t exponent)
{
    return p->powers[exponent % (RK_PRIME_Q - 1)];
}

HOST_DEVICE uint32_t rk_pass_inverse(const struct rk_pass *p, uint32_t exponent)
{
    return p->powers[RK_PRIME_Q - 1 - exponent % (RK_PRIME_Q - 1)];
}

/* Compares pattern i, whose run may stand at place j. */
HOST_DEVICE void rk_pass_try(const struct rk_pass *p, uint32_t i, uint32_t j,
                             struct collect *collect)
{
    const struct rk_pass_entry entry = p->entries[i];
    const uint32_t at = search_first(&p->search) + j;

    if (at >= entry.at)
        collect_try(collect, &p->search, at - entry.at, entry.what >> 8, entry.what & 0xff);
}

struct match_dictionary;
struct offload_extra;
struct device_stream;

/* A dictionary as rk_build sees it. Made with malloc. */
ERR_MUST_CHECK enum err_code rk_pass_build(const struct match_dictionary *dictionary, uint32_t base,
                                           uint32_t steps, void **out, size_t *size,
                                           struct err *err);

/* Device memory that all passes over a text use in turn. */
size_t rk_pass_scratch(uint32_t text_max);

/* The pass for group g. */
struct rk_pass rk_pass_of(const struct tables *tables, const struct offload_extra *extra,
                          const struct ring_view *view, uint32_t g);

const struct rk_pass_group *rk_pass_groups(const struct offload_extra *extra);

/* Searches for the patterns without a run. */
ERR_MUST_CHECK enum err_code rk_pass_masked(const struct tables *tables,
                                            const struct offload_extra *extra,
                                            const struct ring_view *view,
                                            struct device_stream *stream, struct err *err);

#ifdef BURIN_HAVE_CUDA
size_t rk_scan_temporary_cuda(uint32_t n);
int rk_scan_insert_cuda(const void *args, void *stream);
int rk_scan_terms_cuda(const void *args, void *stream);
int rk_scan_sums_cuda(const void *args, void *stream);
int rk_scan_windows_cuda(const void *args, void *stream);
int rk_direct_hash_cuda(const void *args, void *stream);
int rk_direct_find_cuda(const void *args, void *stream);
#define RK_PASS_CUDA(name) name##_cuda
#else
#define RK_PASS_CUDA(name) NULL
#endif

#endif
