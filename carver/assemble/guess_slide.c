/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess_slide.c - see guess_impl.h. */
#include "base/limits.h"
#include "carver/assemble/guess_impl.h"

enum {
    GUESS_SLIDES = 64, /* other cuts that the validator is asked about: all others are rivals */
    GUESS_SLIDE_STEP = 64 * RESEMBLE_BIT, /* a cut that is so much worse is half as likely */
    GUESS_PAST = 4, /* clusters behind the last cut: a validator may break before it sees more */
};

enum err_code guess_may_slide(struct guess *guess, bool *may, struct err *err)
{
    const struct guess_way best = guess->best;
    const uint32_t step = guess->job->islands->unit / LIMIT_SECTOR;
    enum err_code rc = ERR_OK;

    *may = false;
    for (int way = 0; way < 2 && rc == ERR_OK && !*may; way++) {
        const uint32_t cut = way == 0 ? best.cut - step : best.cut + step;
        const uint32_t from = way == 0 ? cut : best.cut; /* what changes sides */
        struct sig_result result;
        uint64_t len = 0;

        if (cut < guess->low || cut > guess->high || !guess_dense(guess, from, step) ||
            !guess_dense(guess, from + best.gap, step))
            continue;
        rc = guess_ends(guess, cut,
                        guess->job->start->offset + (uint64_t)(cut + best.gap) * LIMIT_SECTOR,
                        &result, &len, err);
        *may = len == best.len;
    }
    return rc;
}

/* What is saved by a cut with as much between the pieces as the best way has. */
static int64_t guess_slid(struct guess *guess, uint32_t cut)
{
    const struct guess_way way = { .cut = cut, .gap = guess->best.gap };
    const uint64_t behind = guess->best.len / LIMIT_SECTOR - cut;

    return guess_saved(guess, &way, behind < GUESS_BEHIND ? (uint32_t)behind : GUESS_BEHIND);
}

enum err_code guess_slides(struct guess *guess, struct err *err)
{
    const struct guess_way best = guess->best;
    const uint32_t step = guess->job->islands->unit / LIMIT_SECTOR;
    const int64_t saved = guess_slid(guess, best.cut);
    const uint64_t end = best.len / LIMIT_SECTOR;
    const uint32_t past = guess->high + GUESS_PAST * step;
    const uint32_t last = past < end ? past : (uint32_t)end;
    const uint64_t before = guess->trial->work;
    uint32_t asked = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t cut = guess->low + (best.cut - guess->low) % step; rc == ERR_OK && cut <= last;
         cut += step) {
        struct sig_result result;
        uint64_t len = 0;

        if (cut == best.cut || cut - guess->first + best.gap >= guess->window.sectors)
            continue;
        const int64_t worse = saved - guess_slid(guess, cut);
        const uint64_t weight = guess_weight(guess, worse, GUESS_SLIDE_STEP);
        if (weight == 0)
            continue;
        if (asked++ < GUESS_SLIDES && guess->trial->work - before <= guess->job->budget)
            rc = guess_ends(guess, cut,
                            guess->job->start->offset + (uint64_t)(cut + best.gap) * LIMIT_SECTOR,
                            &result, &len, err);
        else
            len = best.len;
        guess->rivals += len == best.len ? weight : 0;
    }
    return rc;
}
