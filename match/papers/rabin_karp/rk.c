/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk.c - Rabin-Karp by prefix sums: the hash of every window of a text is
 * the difference of two prefix sums, and a hash table says whether patterns have that hash; they
 * are compared.
 *
 * The algorithm of Nunes, Bordim, Ito and Nakano, A Rabin-Karp Implementation for Handling Multiple
 * Pattern-Matching on the GPU (IEICE Transactions E103-D, 2020): section 2 for the hash and Match,
 * section 4 (algorithm 5) for its five steps. Steps 1 and 2, powers and hash tables, are
 * rk_build.c; 3 to 5, prefix sums and look-ups, are here. In the OpenMP form blocks of text are
 * spread over the threads, each with prefix sums of its own: no window is longer than what
 * neighbours share, so to put the blocks' sums together, as the paper does, is not needed. Nor is
 * memory for the sums of a whole text: a block's stand on the stack.
 *
 * The paper's patterns have one length. Here those of one length are a group with a table of its
 * own, and all groups use the same prefix sums. Its base is 2, which leaves the hashes of words of
 * six letters within a range of 1,600: ours is a prime beyond the alphabet. Masks and case folding,
 * of which it knows nothing: a pattern goes by its longest run of places without a mask; runs with
 * letters of either case are a group of their own and looked for in a text of small letters.
 * Patterns with a mask on every place are compared everywhere.
 *
 * Time: n * (1 + groups) + n * length * patterns / q for n bytes, whatever the text, unless it is
 * full of matches.
 */
#include "base/uninitialized.h"
#include "match/papers/rabin_karp/rk_paper.h"

enum { RK_STEP = 64 };

bool rk_match(struct rk_scan *scan, const struct rk_entry *entry, uint32_t at)
{
    const struct match_literal *literal = &scan->rk->literals.items[entry->literal];

    if (at < entry->at)
        return true;
    const uint32_t start = at - entry->at;
    const uint64_t past = (uint64_t)start + literal->len;
    if (past <= scan->from || past > scan->to ||
        !match_literal_equal(literal, scan->text->bytes + start))
        return true;
    return sink_part_add(scan->part, (struct hit){ .offset = scan->text->offset + start,
                                                   .pattern = literal->index,
                                                   .len = literal->len });
}

/* All patterns of the group that may have this hash. */
static bool rk_look_up(struct rk_scan *scan, const struct rk_group *group, uint32_t hash,
                       uint32_t at)
{
    uint32_t slot = hash;

    while (group->control[slot] != 0) {
        const struct rk_entry *entry = &scan->rk->entries[group->first + group->table[slot]];

        if (entry->hash == hash && !rk_match(scan, entry, at))
            return false;
        if (group->control[slot] == 1)
            break;
        slot = slot + 1 < RK_Q ? slot + 1 : 0;
    }
    return true;
}

/* The windows of the group's length that begin at the first count bytes of a text of n, which is
 * text[at] of the whole. */
static bool rk_group(struct rk_scan *scan, const struct rk_group *group, const uint16_t *sums,
                     uint32_t n, uint32_t count, uint32_t at)
{
    const uint32_t end = n < group->len               ? 0
                         : n - group->len + 1 < count ? n - group->len + 1
                                                      : count;

    for (uint32_t j = 0; j < end; j += RK_STEP) {
        const uint32_t step = end - j < RK_STEP ? end - j : RK_STEP;
        uint16_t hashes[RK_STEP] UNINITIALIZED;

        rk_windows(sums, n, j, group->len, scan->rk->powers, RK_Q, hashes, step);
        for (uint32_t i = 0; i < step; i++)
            if (group->control[hashes[i]] != 0 && !rk_look_up(scan, group, hashes[i], at + j + i))
                return false;
    }
    return true;
}

/* The prefix sums of a block are those of all its groups. */
static bool rk_sums(struct rk_scan *scan, uint32_t first, uint32_t past,
                    const struct rk_block *block)
{
    uint16_t sums[RK_BLOCK + LIMIT_PATTERN_LEN] = {
        0
    }; /* analysers cannot see that all that is read is written */

    rk_prefix_sums(block->bytes, block->n, scan->rk->powers, RK_Q, sums);
    for (uint32_t i = first; i < past; i++)
        if (!rk_group(scan, &scan->rk->groups[i], sums, block->n, block->count, block->at))
            return false;
    return true;
}

/* What begins at text [at, at + count). False when the sink is full. */
static bool rk_block(struct rk_scan *scan, rk_groups *groups, uint32_t at, uint32_t count)
{
    const struct rk *rk = scan->rk;
    const uint32_t rest = scan->to - at;
    struct rk_block block = { .bytes = scan->text->bytes + at,
                              .n = rest < count + rk->longest - 1 ? rest : count + rk->longest - 1,
                              .count = count,
                              .at = at };

    if (groups != NULL && rk->plain_count > 0 && !groups(scan, 0, rk->plain_count, &block))
        return false;
    if (groups != NULL && rk->group_count > rk->plain_count) {
        uint8_t folded[RK_BLOCK + LIMIT_PATTERN_LEN] UNINITIALIZED;

        for (uint32_t i = 0; i < block.n; i++)
            folded[i] = rk->fold[block.bytes[i]];
        block.bytes = folded;
        if (!groups(scan, rk->plain_count, rk->group_count, &block))
            return false;
    }
    for (uint32_t i = groups != NULL ? rk->masked : 0; i < rk->literals.count; i++)
        for (uint32_t j = 0; j < count; j++)
            if (!rk_match(scan, &rk->entries[i], at + j))
                return false;
    return true;
}

bool rk_run(const struct rk *rk, const struct match_text *text, uint32_t from, uint32_t to,
            struct match_sink *sink, rk_groups *groups, bool openmp)
{
    const uint32_t before = rk->literals.longest - 1, start = from > before ? from - before : 0;
    const uint32_t blocks = (to - start + RK_BLOCK - 1) / RK_BLOCK;
    struct sink_writer writer;

    sink_writer_init(&writer, sink, openmp);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(rk->threads) if (openmp && blocks > 1)
#endif
    for (uint32_t i = 0; i < blocks; i++) {
        const uint32_t at = start + i * RK_BLOCK, count = to - at < RK_BLOCK ? to - at : RK_BLOCK;
        struct sink_part part;
        struct rk_scan scan = { .rk = rk, .text = text, .from = from, .to = to, .part = &part };

        sink_part_init(&part, &writer);
        if (!sink_writer_full(&writer))
            (void)(rk_block(&scan, groups, at, count) &&
                   sink_part_end(&part)); /* the share knows when it was too full */
    }
    return sink_writer_end(&writer);
}

static bool rk_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                    struct match_sink *sink)
{
    return rk_run(program, text, from, to, sink, rk_sums, false);
}

static bool rk_scan_openmp(const void *program, const struct match_text *text, uint32_t from,
                           uint32_t to, struct match_sink *sink)
{
    return rk_run(program, text, from, to, sink, rk_sums, true);
}

enum err_code rk_compile(const struct match_dictionary *dictionary, const struct match_setup *setup,
                         void **program, struct err *err)
{
    struct rk *rk = NULL;
    const enum err_code rc = rk_build(dictionary, RK_BASE, setup->threads, &rk, err);

    *program = rk;
    return rc;
}

enum err_code rk_compile_paper(const struct match_dictionary *dictionary,
                               const struct match_setup *setup, void **program, struct err *err)
{
    struct rk *rk = NULL;
    const enum err_code rc = rk_build(dictionary, RK_PAPER_BASE, setup->threads, &rk, err);

    *program = rk;
    return rc;
}

void rk_release(void *program)
{
    rk_destroy(program);
}

const char *rk_missing(void)
{
    return NULL;
}

const char *rk_openmp_missing(void)
{
#ifdef _OPENMP
    return NULL;
#else
    return "this build has no OpenMP";
#endif
}

const struct match_engine match_rk_engine = {
    .name = "rk",
    .what = "Rabin-Karp by prefix sums, a hash table for each length",
    .device = "CPU",
    .missing = rk_missing,
    .compile = rk_compile,
    .release = rk_release,
    .scan = rk_scan,
};

const struct match_engine match_rk_openmp_engine = {
    .name = "rk:openmp",
    .what = "Rabin-Karp by prefix sums, blocks of text spread over threads by OpenMP",
    .device = "CPU",
    .threads_itself = true,
    .missing = rk_openmp_missing,
    .compile = rk_compile,
    .release = rk_release,
    .scan = rk_scan_openmp,
};
