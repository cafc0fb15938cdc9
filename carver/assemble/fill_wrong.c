/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fill_wrong.c - see fill_impl.h. */
#include "base/limits.h"
#include "carver/assemble/fill_impl.h"
#include "carver/assemble/fit.h"

enum {
    FILL_PLACE = 64,                    /* work of comparing a place */
    FILL_NULLS_ASKED = 16,              /* places that the validator is asked about */
    FILL_DOUBT = 16,                    /* as GUESS_DOUBT: what images with known files showed, */
    FILL_DOUBT_KNOWN = 8,               /* where it is known how holes were filled, */
    FILL_UNEXPECTED = 3 * RESEMBLE_BIT, /* and twice that for each so much that a hole costs, */
    FILL_UNFIT = 3, /* so many times more where the end does not look like one */
};

/* The weights of the other ways that the validator takes, or was not asked about. */
static uint64_t fill_rivals(const struct fill *fill)
{
    const struct fill_way *best = &fill->ways[fill->best];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < fill->way_count; i++) {
        const struct fill_way *way = &fill->ways[i];
        const int64_t worse = (best->saved - way->saved) / fill_step(best);

        if (i == fill->best || way->dead || worse >= FILL_STEPS_MOST)
            continue;
        sum += worse > 0 ? (uint64_t)FILL_WEIGHT >> worse : FILL_WEIGHT;
    }
    return sum;
}

/* Leaves out the places that are in the file itself. Returns the number of the others. */
static uint32_t fill_elsewhere(const struct fill *fill, uint64_t *places, uint32_t count)
{
    const struct fill_way *best = &fill->ways[fill->best];
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t to = places[i] + (uint64_t)RESEMBLE_PLACE * LIMIT_SECTOR;
        bool own = to > best->begin && places[i] < best->end;

        for (uint32_t k = 0; k < fill->count; k++)
            own = own || (to > fill->runs[k].offset &&
                          places[i] < fill->runs[k].offset + fill->runs[k].len);
        if (!own)
            places[kept++] = places[i];
    }
    return kept;
}

/* Places all over the image that resemble the file as well as the best way does. */
static enum err_code fill_alike(struct fill *fill, uint64_t places[RESEMBLE_PLACES],
                                uint32_t *count, struct err *err)
{
    const struct fill_way *best = &fill->ways[fill->best];
    const struct io_range *last = &fill->runs[fill->count - 1];
    const uint32_t tail = fill->tail->window.sectors;
    const uint64_t len = best->len != 0 ? best->len - fill->cut : best->end - best->begin;
    const uint32_t behind =
        len / LIMIT_SECTOR < HOLES_HEAD ? (uint32_t)(len / LIMIT_SECTOR) : HOLES_HEAD;
    const struct resemble_with with = { .strings = &fill->tail->strings,
                                        .edges = &fill->tail->edges,
                                        .before = fill_last(fill),
                                        .at = fill->cut };
    const struct resemble_range near = { tail > FILL_NEAR ? tail - FILL_NEAR : 0, tail };
    uint64_t ats[FILL_TAIL + HOLES_HEAD];
    struct resemble both;

    for (uint32_t i = 0; i < tail; i++)
        ats[i] = last->offset + last->len - (uint64_t)(tail - i) * LIMIT_SECTOR;
    for (uint32_t i = 0; i < behind; i++)
        ats[tail + i] = best->begin + (uint64_t)i * LIMIT_SECTOR;
    const enum err_code rc =
        resemble_open_at(&both, fill->job->table, &fill->trial->splice, ats, tail + behind, err);
    if (rc != ERR_OK)
        return rc;
    *count = fill_elsewhere(
        fill, places,
        resemble_sample_alike(fill->job->sample, &both, &with, near, tail, behind, places));
    resemble_close(&both);
    return ERR_OK;
}

/* Whether the validator takes a place as it takes the best way: if that is the end, it is one, too.
 */
static enum err_code fill_null(struct fill *fill, uint64_t begin, bool *takes, struct err *err)
{
    const struct fill_way *best = &fill->ways[fill->best];
    struct splice *splice = &fill->trial->splice;
    const uint64_t len = best->end - best->begin, left = io_image_size(splice->image) - begin;
    struct sig_result result = { 0 };
    enum err_code rc =
        fill_show(fill, begin, begin + (len < left ? len : left), UINT64_MAX, &result, err);
    const bool on = rc == ERR_OK && fill_goes_on(fill, &result);

    *takes = on || (rc == ERR_OK && result.verdict == SIG_COMPLETE && result.len > fill->cut);
    if (*takes && best->len != 0)
        *takes = !on && ((best->fit & FIT_SLACK) == 0 ||
                         (fit_behind(splice, fill->job->starts, begin + (result.len - fill->cut)) &
                          FIT_SLACK) != 0);
    return rc;
}

/* Ways that the validator takes, and that are better than the best one but for what it has seen. */
static uint32_t fill_rank(const struct fill *fill)
{
    uint32_t rank = 1;

    for (uint32_t i = 0; i < fill->best; i++)
        rank += !fill->ways[i].dead;
    return rank;
}

/* By how much more is doubted than what was measured: still more, where the hole is one that was
 * not to be expected. */
static uint64_t fill_doubt(const struct fill *fill)
{
    const uint32_t cost = fill->costs[fill->ways[fill->best].hole];

    return fill->job->filled->follows ? (uint64_t)FILL_DOUBT_KNOWN << cost / FILL_UNEXPECTED
                                      : FILL_DOUBT;
}

enum err_code fill_wrong(struct fill *fill, uint64_t *wrong, struct err *err)
{
    const struct fill_way *best = &fill->ways[fill->best];
    const uint64_t all = resemble_sample_count(fill->job->sample) + 1;
    const uint64_t unfit = best->len != 0 && best->fit == FIT_KNOWN ? FILL_UNFIT : 1;
    const uint64_t rivals = fill_rivals(fill), doubt = fill_doubt(fill);
    const uint64_t beside = rivals * GUESS_ONE / (rivals + FILL_WEIGHT);
    uint64_t places[RESEMBLE_PLACES];
    uint32_t alike = 0, taken = 0;

    /* Where it is too much if the validator refuses all places, they are not asked about. */
    const uint64_t least = (uint64_t)GUESS_ONE * fill->alive / (fill->asked + FILL_NULLS_ASKED) *
                               fill_rank(fill) * unfit / all +
                           beside;
    *wrong = GUESS_ONE;
    if (least * doubt > GUESS_MOST)
        return ERR_OK;
    enum err_code rc = fill_alike(fill, places, &alike, err);

    /* Where there are many, an even choice of them is asked about. */
    const uint32_t asked = alike < FILL_NULLS_ASKED ? alike : FILL_NULLS_ASKED;
    for (uint32_t i = 0; rc == ERR_OK && i < asked && !fill_spent(fill); i++) {
        bool takes = false;

        rc = fill_null(fill, places[(uint64_t)i * alike / asked], &takes, err);
        taken += takes;
    }
    /* Of one place more, so much as the validator takes of all. */
    const uint64_t more = (uint64_t)GUESS_ONE * (fill->alive + taken) / (fill->asked + asked);
    const uint64_t count = asked > 0 ? (uint64_t)taken * alike / asked : 0;
    fill->trial->work += all * FILL_PLACE;
    const uint64_t one = (count * GUESS_ONE + more) * fill_rank(fill) * unfit / all + beside;
    /* Where the work ended before, not all was asked. */
    *wrong = one < GUESS_ONE / doubt && !fill_spent(fill) ? one * doubt : GUESS_ONE;
    return rc;
}
