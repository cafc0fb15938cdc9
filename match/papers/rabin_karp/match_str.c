/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/match_str.c - MatchStr: every pattern is compared at every place of the
 * text, nothing else.
 *
 * What the paper that rk.c names measures its work against (section 5; the algorithm is Dayarathne
 * and Ragel's, ICIAfS 2014), for comparison. Patterns follow each other, each over a block of text
 * that stays in the cache.
 */
#include "match/papers/rabin_karp/rk_program.h"

static bool match_str_scan(const void *program, const struct match_text *text, uint32_t from,
                           uint32_t to, struct match_sink *sink)
{
    return rk_run(program, text, from, to, sink, NULL, false);
}

static bool match_str_scan_openmp(const void *program, const struct match_text *text, uint32_t from,
                                  uint32_t to, struct match_sink *sink)
{
    return rk_run(program, text, from, to, sink, NULL, true);
}

const struct match_engine match_match_str_engine = {
    .name = "match-str",
    .what = "every pattern compared at every place",
    .device = "CPU",
    .missing = rk_missing,
    .compile = rk_compile,
    .release = rk_release,
    .scan = match_str_scan,
};

const struct match_engine match_match_str_openmp_engine = {
    .name = "match-str:openmp",
    .what = "match-str, blocks of text spread over threads by OpenMP",
    .device = "CPU",
    .threads_itself = true,
    .missing = rk_openmp_missing,
    .compile = rk_compile,
    .release = rk_release,
    .scan = match_str_scan_openmp,
};
