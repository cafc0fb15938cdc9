/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/mapped_twice.c - see mapped_impl.h.
 *
 * What lies between the three pieces has as many sectors together as the last one is shifted by.
 * So of four places where the bytes change, which are where pieces end and begin, three are free.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "carver/assemble/mapped_impl.h"

enum {
    TWICE_NEAR = 16,     /* sectors of a piece that are compared before a seam, */
    TWICE_AROUND = 8,    /* behind it, and on both sides of where bytes change */
    TWICE_SPAN = 4096,   /* sectors in which both seams lie, at most, */
    TWICE_BETWEEN = 512, /* and foreign ones */
    TWICE_CHANGES = 32,  /* places where the bytes change most */
    TWICE_ASKED = 64,    /* ways that the validator is asked about */
};
#define TWICE_CHANGE (INT64_C(256) * RESEMBLE_BIT) /* at each of the four places, at least */

/* Four places, as sectors of the window, where pieces end and begin in turn. */
struct twice_way {
    uint32_t at[4];
    int64_t saved, edge; /* see struct mapped_cut */
};

struct twice {
    struct resemble window;
    uint32_t first, low,
        high;         /* sectors of the file before the window; in it: first and last place */
    uint32_t between; /* foreign sectors, in both seams together */
    struct mapped_cuts changes;
    struct twice_way ways[TWICE_ASKED];
    uint32_t count;
};

static struct resemble_range twice_range(const struct twice *twice, uint32_t from, uint32_t to)
{
    const uint32_t end = twice->window.sectors;

    return (struct resemble_range){ from < end ? from : end, to < end ? to : end };
}

/* What is saved when both sides of a seam do not share a code: little where the one goes on as the
 * other. */
static int64_t twice_unlike(const struct twice *twice, uint32_t end, uint32_t begin)
{
    return resemble_apart(&twice->window,
                          twice_range(twice, end > TWICE_AROUND ? end - TWICE_AROUND : 0, end),
                          twice_range(twice, begin, begin + TWICE_AROUND));
}

/* How well what is before one place goes on behind another one. */
static int64_t twice_goes_on(const struct twice *twice, uint32_t end, uint32_t begin)
{
    const struct resemble_range ranges[] = {
        twice_range(twice, end > TWICE_NEAR ? end - TWICE_NEAR : 0, end),
        twice_range(twice, begin, begin + TWICE_AROUND)
    };

    return resemble_saved(&twice->window, ranges, 2);
}

/* The places where the bytes change more than next to them. */
static void twice_find_changes(struct twice *twice)
{
    int64_t before = 0, here = twice_unlike(twice, twice->low, twice->low);

    for (uint32_t at = twice->low; at <= twice->high; at++) {
        const int64_t next = twice_unlike(twice, at + 1, at + 1);

        if (here >= before && here >= next && here >= TWICE_CHANGE)
            mapped_keep(&twice->changes, &(struct mapped_cut){ .at = at, .saved = here });
        before = here;
        here = next;
    }
}

static void twice_keep(struct twice *twice, const struct twice_way *way)
{
    uint32_t at = twice->count < TWICE_ASKED ? twice->count++ : TWICE_ASKED - 1;

    if (at == TWICE_ASKED - 1 && twice->ways[at].saved >= way->saved && twice->ways[at].at[3] != 0)
        return;
    for (; at > 0 && twice->ways[at - 1].saved < way->saved; at--)
        twice->ways[at] = twice->ways[at - 1];
    twice->ways[at] = *way;
}

static int64_t twice_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* All ways with these two places: where the first piece ends, and where the second one begins. */
static void twice_find_second(struct twice *twice, const struct mapped_cut *first,
                              const struct mapped_cut *second)
{
    const struct mapped_cuts *changes = &twice->changes;
    const uint32_t end = (uint32_t)first->at, begin = (uint32_t)second->at;
    const uint32_t rest = twice->between - (begin - end);
    const int64_t goes_on = twice_goes_on(twice, end, begin);
    const int64_t least = twice_least(first->saved, second->saved);

    if (twice_unlike(twice, end, begin) > least)
        return;
    for (uint32_t i = 0; i < changes->count; i++)
        for (uint32_t k = 0; k < changes->count; k++) {
            const struct mapped_cut *third = &changes->items[i], *last = &changes->items[k];
            const uint32_t next_end = (uint32_t)third->at, next = (uint32_t)last->at;

            if (next_end <= begin || next != next_end + rest ||
                twice_unlike(twice, next_end, next) > least)
                continue;
            twice_keep(twice,
                       &(struct twice_way){
                           .at = { end, begin, next_end, next },
                           .saved = first->saved + second->saved + third->saved + last->saved +
                                    goes_on + twice_goes_on(twice, next_end, next),
                           .edge = twice_least(twice_least(first->saved, second->saved),
                                               twice_least(third->saved, last->saved)) });
        }
}

static void twice_find_ways(struct twice *twice)
{
    const struct mapped_cuts *changes = &twice->changes;

    for (uint32_t i = 0; i < changes->count; i++)
        for (uint32_t k = 0; k < changes->count; k++) {
            const struct mapped_cut *end = &changes->items[i], *begin = &changes->items[k];

            if (begin->at > end->at && begin->at - end->at < twice->between)
                twice_find_second(twice, end, begin);
        }
}

/* Asks the validator about the ways, the best first. */
static enum err_code twice_ask(struct mapped *mapped, const struct twice *twice,
                               const struct landmarks_way *way, struct mapped_whole *out,
                               struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < twice->count; i++) {
        const uint32_t *at = twice->ways[i].at, left = at[1] - at[0];
        const struct landmarks_way three = {
            .pieces = { way->pieces[0], { .shift = (int64_t)left * LIMIT_SECTOR }, way->pieces[1] },
            .count = 3
        };
        const uint64_t cuts[] = { (uint64_t)(twice->first + at[0]) * LIMIT_SECTOR,
                                  (uint64_t)(twice->first + at[2] - left) * LIMIT_SECTOR };
        struct mapped_whole whole;

        if (out->len != 0 && mapped_weight(out->saved - twice->ways[i].saved) == 0)
            break;
        rc = mapped_ask(mapped, &three, cuts, &whole, err);
        whole.saved = twice->ways[i].saved;
        whole.edge = twice->ways[i].edge;
        mapped_better(out, &whole);
    }
    return rc;
}

/* The sectors from the first piece's last mark to the last one's first mark, as far as the image
 * goes. */
static enum err_code twice_open(const struct mapped *mapped, struct twice *twice, struct err *err)
{
    const struct fork_job *job = mapped->job;
    const uint32_t most = twice->high + TWICE_AROUND;
    uint64_t *sectors = calloc(most, sizeof *sectors);
    uint32_t count = 0;

    if (sectors == NULL)
        return ERR_NO_MEMORY(err, most * sizeof *sectors);
    for (uint32_t i = 0; i < most; i++) {
        const uint64_t at = job->start->offset + (uint64_t)(twice->first + i) * LIMIT_SECTOR;

        if (at + LIMIT_SECTOR <= job->image_len)
            sectors[count++] = at;
    }
    const enum err_code rc = resemble_open_at(&twice->window, mapped->table, &mapped->trial->splice,
                                              sectors, count, err);
    free(sectors);
    return rc;
}

enum err_code mapped_twice(struct mapped *mapped, const struct landmarks_way *way,
                           struct mapped_whole *out, struct err *err)
{
    const struct landmarks_piece *last = &way->pieces[1];
    const uint64_t low = way->pieces[0].to / LIMIT_SECTOR, high = last->from / LIMIT_SECTOR;
    const uint64_t between = last->shift > 0 ? (uint64_t)last->shift / LIMIT_SECTOR : 0;
    const uint64_t first = low > TWICE_NEAR ? low - TWICE_NEAR : 0;

    if (way->count != 2 || between < 2 || high <= low || between > TWICE_BETWEEN ||
        high - low + between > TWICE_SPAN)
        return ERR_OK;
    struct twice *twice = calloc(1, sizeof *twice);
    if (twice == NULL)
        return ERR_NO_MEMORY(err, sizeof *twice);
    twice->first = (uint32_t)first;
    twice->low = (uint32_t)(low - first);
    twice->high = (uint32_t)(high - first + between);
    twice->between = (uint32_t)between;
    enum err_code rc = twice_open(mapped, twice, err);
    if (rc == ERR_OK && twice->window.sectors > twice->high) {
        twice_find_changes(twice);
        twice_find_ways(twice);
        rc = twice_ask(mapped, twice, way, out, err);
    }
    resemble_close(&twice->window);
    free(twice);
    return rc;
}
