/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/filled.c - see filled.h. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "carver/assemble/filled.h"
#include "carver/assemble/resemble_impl.h"

enum {
    FILLED_ROOM = 1024, /* clusters in front in which a hole is to be expected */
    FILLED_LEAST = 2,   /* steps forward that are as they should be, before that is believed, */
    FILLED_TIMES = 4,   /* and so many for each that is not */
    FILLED_ODDS = 4,    /* ways to be at odds with what is known, at most, */
    FILLED_ODD = 512,   /* what each of them costs, */
    FILLED_LESS = 2,    /* of them that it is smaller than what was chosen later: where the file
                           ends in it, others may have what was left; */
    FILLED_HUGE = 2,    /* a hole of more than so many times what a file has, */
    FILLED_SMALL = 8,   /* and so many clusters, */
    FILLED_HUGES = 2,   /* is at odds in so many ways */
    FILLED_BACK = 512,  /* and a hole that is not in front, though there is room */
};

enum err_code filled_note(struct filled *filled, const struct io_range *runs, uint32_t count,
                          struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 1; rc == ERR_OK && i < count && filled->count < FILLED_STEPS; i++) {
        rc = grow_items(&filled->noted, filled->count, &filled->room, sizeof *filled->noted, err);
        if (rc == ERR_OK)
            filled->noted[filled->count++] =
                (struct filled_step){ .from = { runs[i - 1].offset, runs[i - 1].len },
                                      .to = { runs[i].offset, runs[i].len },
                                      .last = i + 1 == count };
    }
    return rc;
}

/* Whether a hole is chosen before another one, where both may be. */
static bool filled_before(struct filled_hole a, struct filled_hole b)
{
    return a.size != b.size ? a.size > b.size : a.begin < b.begin;
}

/* Whether this place lies where room is looked for behind a piece that begins at `from`. */
static bool filled_in_front(const struct filled *filled, uint64_t from, uint64_t at)
{
    const uint64_t begin = from + FILLED_SKIP * filled->unit;

    return at >= begin && at - begin < FILLED_WINDOW * filled->unit;
}

/* Whether there is much room where it is looked for behind a piece that begins at `from`: near the
 * end of the volume there may be none, and it is as behind it. */
static bool filled_has_room(const struct filled *filled, uint64_t from)
{
    return from + (FILLED_SKIP + FILLED_ROOM) * filled->unit < filled->end;
}

/* Whether so many steps are as they should be that the others are chance. */
static bool filled_is_followed(const struct filled *filled)
{
    uint64_t right = 0, wrong = 0;

    for (size_t i = 0; i < filled->count; i++) {
        const struct filled_step *step = &filled->steps[i];

        if (step->to.begin < step->from.begin || !filled_has_room(filled, step->from.begin))
            continue; /* those that begin again say little */
        if (filled_in_front(filled, step->from.begin, step->to.begin) &&
            (step->last || !filled_before(step->to, step->from)))
            right++;
        else
            wrong++;
    }
    return right >= FILLED_LEAST && right >= FILLED_TIMES * wrong;
}

static void filled_sizes(struct filled *filled, const struct islands *islands)
{
    for (size_t i = 0; i < filled->count; i++) {
        struct filled_step *step = &filled->steps[i];
        const uint64_t unit = filled->unit;
        const uint64_t len = (step->to.size + unit - 1) / unit * unit;
        const size_t behind = islands_from(islands, step->to.begin + len);

        step->to.size = len;
        if (step->last && behind < islands->count &&
            islands->begins[behind] == step->to.begin + len)
            step->to.size += islands->ends[behind] - islands->begins[behind];
    }
}

struct filled_item {
    struct filled_hole hole;
    uint32_t number;
};

static int filled_compare(const void *a, const void *b)
{
    const struct filled_item *x = a, *y = b;

    return filled_before(x->hole, y->hole) ? -1 : filled_before(y->hole, x->hole);
}

static enum err_code filled_sort(struct filled *filled, const struct holes *holes,
                                 const struct islands *islands, struct err *err)
{
    const size_t count = holes->count;
    struct filled_item *items = calloc(count + 1, sizeof *items);

    free(filled->order);
    free(filled->holes);
    free(filled->behind);
    filled->behind = calloc(count + 1, sizeof *filled->behind);
    filled->order = calloc(count + 1, sizeof *filled->order);
    filled->holes = calloc(count + 1, sizeof *filled->holes);
    filled->hole_count = 0;
    if (items == NULL || filled->order == NULL || filled->holes == NULL || filled->behind == NULL) {
        free(items);
        return ERR_NO_MEMORY(err, count * sizeof *items);
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t begin = holes->begins[i];
        const size_t island = islands_from(islands, begin);
        const uint64_t size = islands->ends[island] - begin;

        filled->holes[i] = (struct filled_hole){ begin, size };
        filled->behind[i] = begin != islands->begins[island];
        items[i] = (struct filled_item){ filled->holes[i], (uint32_t)i };
    }
    qsort(items, count, sizeof *items, filled_compare);
    for (size_t i = 0; i < count; i++)
        filled->order[i] = items[i].number;
    filled->hole_count = count;
    free(items);
    return ERR_OK;
}

enum err_code filled_settle(struct filled *filled, const struct holes *holes,
                            const struct islands *islands, uint64_t image_len, struct err *err)
{
    filled->unit = islands->unit;
    filled->end = image_len;
    free(filled->steps);
    filled->steps = calloc(filled->count + 1, sizeof *filled->steps);
    if (filled->steps == NULL)
        return ERR_NO_MEMORY(err, filled->count * sizeof *filled->steps);
    if (filled->count > 0)
        memcpy(filled->steps, filled->noted, filled->count * sizeof *filled->steps);
    filled_sizes(filled, islands);
    filled->follows = filled_is_followed(filled);
    return filled_sort(filled, holes, islands, err);
}

void filled_release(struct filled *filled)
{
    free(filled->noted);
    free(filled->steps);
    free(filled->order);
    free(filled->holes);
    free(filled->behind);
    *filled = (struct filled){ 0 };
}

/* Whether a step tells what was free when a piece that begins at `at` was followed: both were
 * chosen in one stretch of the volume, so the larger one came first. */
static bool filled_is_near(const struct filled *filled, uint64_t a, uint64_t b)
{
    const uint64_t differ = a > b ? a - b : b - a;

    return differ < FILLED_SKIP / 2 * filled->unit;
}

/* Whether the hole was one that a step chose from, and did not choose, or the other way round. */
static bool filled_is_against(const struct filled *filled, const struct filled_step *step,
                              bool before, struct filled_hole from, struct filled_hole hole)
{
    const bool wraps = step->to.begin < step->from.begin;

    /* What was free then, and is free still, is no larger than what was chosen. */
    if (before)
        return (wraps || filled_in_front(filled, step->from.begin, hole.begin)) &&
               filled_before(hole, step->to);
    /* What was chosen later was free already. */
    return (hole.begin < from.begin || filled_in_front(filled, from.begin, step->to.begin)) &&
           filled_before(step->to, hole);
}

/* Whether the hole is so much larger than all that the file has that it would have been filled
 * before: all of the volume is filled in turn, the larger holes first. What looks like such a hole
 * belongs to files that nobody knows. */
static bool filled_is_huge(const struct filled *filled, const struct io_range *runs, uint32_t count,
                           struct filled_hole hole)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < count; i++)
        most = runs[i].len > most ? runs[i].len : most;
    return hole.size > FILLED_HUGE * most + FILLED_SMALL * filled->unit;
}

/* In how many ways it is at odds with what is known that this hole was chosen behind the pieces. */
static uint32_t filled_odds(const struct filled *filled, const struct io_range *runs,
                            uint32_t count, struct filled_hole hole)
{
    const struct filled_hole from = { runs[count - 1].offset, runs[count - 1].len };
    /* What is in front of a piece was in front of what it was chosen behind, too. */
    const bool may = hole.begin < from.begin || (filled_in_front(filled, from.begin, hole.begin) &&
                                                 !filled_before(hole, from));
    uint32_t odds = may ? 0 : FILLED_ODDS, less = 0;

    for (uint32_t i = 1; odds < FILLED_ODDS && i < count; i++) {
        const struct filled_step step = { .from = { runs[i - 1].offset, runs[i - 1].len },
                                          .to = { runs[i].offset, runs[i].len } };

        odds += filled_is_against(filled, &step, true, from, hole) ? FILLED_ODDS : 0;
    }
    for (size_t i = 0; odds < FILLED_ODDS && i < filled->count; i++) {
        const struct filled_step *step = &filled->steps[i];
        const bool before = filled_before(step->from, from);

        /* The last hole of a file may have been larger, and so may what was left of others. */
        if (filled_is_near(filled, step->from.begin, from.begin) && !(before && step->last))
            *(before ? &odds : &less) += filled_is_against(filled, step, before, from, hole);
    }
    odds += less < FILLED_LESS ? less : FILLED_LESS;
    if (filled_is_huge(filled, runs, count, hole))
        odds += FILLED_HUGES;
    return odds < FILLED_ODDS ? odds : FILLED_ODDS;
}

void filled_costs(const struct filled *filled, const struct io_range *runs, uint32_t count,
                  uint32_t *costs)
{
    const uint64_t begin = runs[count - 1].offset;
    const bool room = begin + FILLED_SKIP * filled->unit < filled->end;
    /* Those that begin a free place, and those behind another file in one: what is free there is
     * one hole, and counts once for all others. */
    uint32_t before[2][FILLED_ODDS + 1] = { 0 }, inside[2][FILLED_ODDS + 1] = { 0 };

    memset(costs, 0, filled->hole_count * sizeof *costs);
    if (!filled->follows)
        return;
    for (size_t i = 0; i < filled->hole_count; i++) {
        const uint32_t number = filled->order[i];
        const struct filled_hole hole = filled->holes[number];
        const bool back = hole.begin < begin, behind = filled->behind[number];
        const uint32_t odds = filled_odds(filled, runs, count, hole);
        uint32_t rank = 1;

        for (uint32_t k = 0; k <= odds; k++)
            rank += before[back][k] + (behind ? inside[back][k] : 0);
        before[back][odds] += !behind;
        inside[back][odds] += behind;
        costs[number] = resemble_log2(rank) + odds * FILLED_ODD + (back && room ? FILLED_BACK : 0);
    }
}
