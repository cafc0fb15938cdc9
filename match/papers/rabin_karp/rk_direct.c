/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_direct.c - Rabin-Karp as one would first write it for many patterns: a
 * hash rolls over the text and is compared with the hash of every pattern.
 *
 * Algorithm 4 (IntuitivePRK) of the paper that rk.c names, section 3, for comparison: its time is
 * that of n * patterns comparisons of two bytes. Here a vector's worth of hashes is compared at
 * once. Groups, masks and folding are rk.c's.
 */
#include "match/papers/rabin_karp/rk_program.h"

enum { RK_DIRECT_STEP = 64 }; /* hashes compared before it is asked whether one was equal */

/* All patterns of the group that have this hash. */
static bool rk_direct_compare(struct rk_scan *scan, const struct rk_group *group, uint16_t hash,
                              uint32_t at)
{
    const uint16_t *hashes = scan->rk->hashes + group->first;

    for (uint32_t i = 0; i < group->count; i += RK_DIRECT_STEP) {
        const uint32_t past = group->count - i < RK_DIRECT_STEP ? group->count : i + RK_DIRECT_STEP;
        uint16_t any = 0;

        for (uint32_t k = i; k < past; k++)
            any |= hashes[k] == hash ? 1 : 0;
        for (uint32_t k = i; any != 0 && k < past; k++)
            if (hashes[k] == hash && !rk_match(scan, &scan->rk->entries[group->first + k], at))
                return false;
    }
    return true;
}

static bool rk_direct_group(struct rk_scan *scan, const struct rk_group *group,
                            const struct rk_block *block)
{
    const uint32_t len = group->len, base = scan->rk->base;
    const uint32_t drop =
        RK_Q -
        scan->rk->powers[len]; /* what a byte that leaves the window still counts, negative */

    if (block->n < len)
        return true;
    uint32_t hash = rk_hash(block->bytes, len, base, RK_Q);
    for (uint32_t j = 0; j < block->count; j++) {
        if (!rk_direct_compare(scan, group, (uint16_t)hash, block->at + j))
            return false;
        if (j + len >= block->n)
            break;
        hash = rk_modulo(
            hash * base + block->bytes[j + len] + rk_modulo(drop * block->bytes[j], RK_Q), RK_Q);
    }
    return true;
}

static bool rk_direct_groups(struct rk_scan *scan, uint32_t first, uint32_t past,
                             const struct rk_block *block)
{
    for (uint32_t i = first; i < past; i++)
        if (!rk_direct_group(scan, &scan->rk->groups[i], block))
            return false;
    return true;
}

static bool rk_direct_scan(const void *program, const struct match_text *text, uint32_t from,
                           uint32_t to, struct match_sink *sink)
{
    return rk_run(program, text, from, to, sink, rk_direct_groups, false);
}

static bool rk_direct_scan_openmp(const void *program, const struct match_text *text, uint32_t from,
                                  uint32_t to, struct match_sink *sink)
{
    return rk_run(program, text, from, to, sink, rk_direct_groups, true);
}

const struct match_engine match_rk_direct_engine = {
    .name = "rk:direct",
    .what = "Rabin-Karp with a rolling hash that is compared with each pattern's",
    .device = "CPU",
    .missing = rk_missing,
    .compile = rk_compile,
    .release = rk_release,
    .scan = rk_direct_scan,
};

const struct match_engine match_rk_direct_openmp_engine = {
    .name = "rk:direct-openmp",
    .what = "rk:direct, blocks of text spread over threads by OpenMP",
    .device = "CPU",
    .threads_itself = true,
    .missing = rk_openmp_missing,
    .compile = rk_compile,
    .release = rk_release,
    .scan = rk_direct_scan_openmp,
};
