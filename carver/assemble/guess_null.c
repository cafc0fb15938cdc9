/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess_null.c - see guess_impl.h. */
#include "base/limits.h"
#include "carver/assemble/guess_impl.h"

enum { GUESS_NULLS_ASKED = 32 /* places whose end the validator is asked for */ };

/* Leaves out the places that are in the pieces themselves. Returns the number of the others. */
static uint32_t guess_elsewhere(const struct guess *guess, uint64_t *places, uint32_t count)
{
    const struct guess_way *best = &guess->best;
    const uint64_t cut = (uint64_t)best->cut * LIMIT_SECTOR;
    const uint64_t start = guess->job->start->offset;
    const uint64_t begin = start + cut + (uint64_t)best->gap * LIMIT_SECTOR;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const bool first =
            places[i] + RESEMBLE_PLACE * LIMIT_SECTOR > start && places[i] < start + cut;
        const bool second = places[i] + RESEMBLE_PLACE * LIMIT_SECTOR > begin &&
                            places[i] < begin + (best->len - cut);

        if (!first && !second)
            places[kept++] = places[i];
    }
    return kept;
}

enum err_code guess_nulls(struct guess *guess, struct guess_null *out, struct err *err)
{
    const struct guess_way best = guess->best;
    const uint64_t all = best.len / LIMIT_SECTOR - best.cut;
    const uint32_t behind = all < GUESS_BEHIND ? (uint32_t)all : GUESS_BEHIND;
    uint64_t alike[RESEMBLE_PLACES];
    struct resemble_with with;
    guess_learn(guess, best.cut, &with);
    const uint32_t all_alike = resemble_sample_alike(
        guess->sample, &guess->window, &with, guess_before(guess, best.cut, GUESS_NEAR),
        guess_behind(guess, &best, behind).from, behind, alike);
    const uint32_t n = guess_elsewhere(guess, alike, all_alike);
    /* Where there are many, an even choice of them is asked about. */
    const uint32_t most = n < GUESS_NULLS_ASKED ? n : GUESS_NULLS_ASKED;
    uint32_t ends = 0, fits = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < most; i++) {
        struct sig_result result;
        uint64_t len = 0;

        const uint64_t begin = alike[(uint64_t)i * n / most];
        rc = guess_ends(guess, best.cut, begin, &result, &len, err);
        if (rc != ERR_OK || len == 0)
            continue;
        const uint32_t fit = fit_behind(&guess->trial->splice, guess->job->starts,
                                        begin + (len - (uint64_t)best.cut * LIMIT_SECTOR)) |
                             FIT_KNOWN;
        ends += guess_comes_far(guess, best.cut, len);
        fits += (fit & best.fit) == best.fit && len >= best.len;
    }
    *out = (struct guess_null){ .asked = most,
                                .ends = ends,
                                .count = most > 0 ? (uint32_t)((uint64_t)fits * n / most) : 0 };
    return rc;
}
