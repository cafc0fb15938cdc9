/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/mapped_cuts.c - see mapped_impl.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/mapped_impl.h"

enum {
    MAPPED_NEAR = 16,   /* sectors of the first piece that are compared, */
    MAPPED_AROUND = 8,  /* of the second one, and on both sides of where bytes change */
    MAPPED_LEARN = 4,   /* sectors of the first piece that are learnt from */
    MAPPED_SPAN = 2816, /* sectors between two landmarks, at most */
    MAPPED_EXACT = 4,   /* sectors of what lies between, at least, that tell of what kind it is */
    MAPPED_FLAT = 1024 * RESEMBLE_BIT,  /* as GUESS_FLAT */
    MAPPED_NEXT = 512 * RESEMBLE_BIT,   /* as GUESS_FITS */
    MAPPED_CHANGE = 256 * RESEMBLE_BIT, /* what is saved at each end of what is foreign */
};

/*
 * Both pieces around the sectors between their landmarks: those of the first one, as it goes on
 * behind its last landmark, and those of the second one, as it would begin before its first one.
 */
struct mapped_window {
    struct resemble window;
    uint32_t low, high;    /* sectors of the file before the first cut, and before the last one */
    uint32_t first;        /* sectors of the file before the window's first one */
    uint32_t second;       /* sectors of the window that are the first piece's, */
    uint32_t second_first; /* and of the file before those of the second one */
    uint32_t between;      /* sectors between the pieces that are compared, at most MAPPED_AROUND */
};

/* Adds the image offsets of sectors [from, to) of the file, where it lies with this shift. */
static void mapped_sectors(const struct mapped *mapped, int64_t shift, uint32_t from, uint32_t to,
                           uint64_t *sectors, uint32_t *count)
{
    const struct fork_job *job = mapped->job;

    for (uint32_t i = from; i < to; i++) {
        const uint64_t at = job->start->offset + (uint64_t)i * LIMIT_SECTOR + (uint64_t)shift;

        /* Behind the image there is nothing: the sector at its beginning is as good as any. */
        sectors[(*count)++] = at < job->image_len - LIMIT_SECTOR ? at : 0;
    }
}

static enum err_code mapped_open(const struct mapped *mapped, const struct landmarks_piece *one,
                                 struct mapped_window *out, struct err *err)
{
    const struct landmarks_piece *other = one + 1;
    const uint32_t low = (uint32_t)(one->to / LIMIT_SECTOR);
    const uint32_t high = (uint32_t)(other->from / LIMIT_SECTOR);
    const uint32_t first = low > MAPPED_NEAR ? low - MAPPED_NEAR : 0;
    const uint32_t second = low > MAPPED_AROUND ? low - MAPPED_AROUND : 0;
    uint32_t count = 0;
    uint64_t *sectors = calloc((high - first) + (high - second) + 4 * MAPPED_NEAR, sizeof *sectors);

    if (sectors == NULL)
        return ERR_NO_MEMORY(err, (high - first) * sizeof *sectors);
    mapped_sectors(mapped, one->shift, first, high + MAPPED_AROUND, sectors, &count);
    const int64_t gap = (other->shift - one->shift) / LIMIT_SECTOR;
    *out = (struct mapped_window){ .between = gap > 0 && gap < MAPPED_AROUND ? (uint32_t)gap
                                                                             : MAPPED_AROUND,
                                   .low = low,
                                   .high = high,
                                   .first = first,
                                   .second = count,
                                   .second_first = second };
    mapped_sectors(mapped, other->shift, second, high + MAPPED_AROUND, sectors, &count);
    const enum err_code rc =
        resemble_open_at(&out->window, mapped->table, &mapped->trial->splice, sectors, count, err);
    free(sectors);
    return rc;
}

/* Sectors [from, to) of the file in the first piece, or in the second one, as far as the window
 * has them. */
static struct resemble_range mapped_range(const struct mapped_window *window, bool second,
                                          uint32_t from, uint32_t to)
{
    const uint32_t low = second ? window->second_first : window->first;
    const uint32_t at = second ? window->second : 0;
    const uint32_t end = second ? window->window.sectors : window->second;
    const struct resemble_range range = { at + (from > low ? from - low : 0),
                                          at + (to > low ? to - low : 0) };

    return (struct resemble_range){ range.from < end ? range.from : end,
                                    range.to < end ? range.to : end };
}

/* What is saved when the sectors on both sides of a cut do not share a code; see guess_ways.c. */
static int64_t mapped_changes(const struct mapped_window *window, bool second, uint32_t cut)
{
    /* What lies between the pieces may be less than is compared. */
    const uint32_t back = second ? window->between : MAPPED_AROUND;
    const uint32_t ahead = second ? MAPPED_AROUND : window->between;
    const uint32_t from = cut > back ? cut - back : 0;
    const struct resemble *in = &window->window;
    const struct resemble_range before = mapped_range(window, second, from, cut);
    const struct resemble_range behind = mapped_range(window, second, cut, cut + ahead);
    const bool edge = before.from < before.to && behind.from < behind.to &&
                      resemble_is_flat(in, behind.from - 1) != resemble_is_flat(in, behind.from);

    return resemble_apart(in, before, behind) + (edge ? MAPPED_FLAT : 0);
}

/* Whether another file begins where the first piece ends. */
static bool mapped_next(const struct mapped *mapped, int64_t shift, uint64_t cut)
{
    const struct fork_job *job = mapped->job;
    size_t count, at = starts_at(job->starts, job->start->offset + cut + (uint64_t)shift, &count);
    bool next = false;

    for (size_t i = at; i < at + count; i++)
        next = next || job->starts->items[i].object;
    return next;
}

/* How well the bytes before the cut go on behind it, and what is known of the seam beside. */
static int64_t mapped_goes_on(const struct mapped_window *window, struct edges *edges, uint32_t cut)
{
    const struct resemble *in = &window->window;
    const uint32_t from = cut > MAPPED_NEAR ? cut - MAPPED_NEAR : 0;
    const struct resemble_range ranges[] = { mapped_range(window, false, from, cut),
                                             mapped_range(window, true, cut, cut + MAPPED_AROUND) };
    const uint32_t before = ranges[0].to, have = ranges[0].to - ranges[0].from;
    const uint32_t learn = have < MAPPED_LEARN ? have : MAPPED_LEARN;
    const uint8_t *end = in->bytes + (size_t)before * LIMIT_SECTOR;
    const uint8_t *next = in->bytes + (size_t)ranges[1].from * LIMIT_SECTOR;
    const uint64_t at = (uint64_t)cut * LIMIT_SECTOR;

    edges_learn(edges, end - (size_t)learn * LIMIT_SECTOR, learn * LIMIT_SECTOR,
                at - (uint64_t)learn * LIMIT_SECTOR);
    int64_t goes_on = resemble_edges(edges, end - EDGES_BYTES, next, at) -
                      resemble_edges(edges, end - EDGES_BYTES, end, at);
    if (ranges[1].from > window->second)
        goes_on -= resemble_edges(edges, next - EDGES_BYTES, next, at);
    return resemble_saved(in, ranges, 2) + goes_on;
}

/* Whether as many sectors of a range are packed, or text, as is asked: all of them, or none. */
static bool mapped_all_are(const struct mapped_window *window, struct resemble_range range,
                           bool text, bool all)
{
    bool so = range.from < range.to;

    for (uint32_t i = range.from; so && i < range.to; i++) {
        const struct resemble_range one = { i, i + 1 };

        so = (text ? resemble_is_text(&window->window, &one)
                   : resemble_is_dense(&window->window, i)) == all;
    }
    return so;
}

/*
 * Whether the sectors between the pieces, whose number the shift tells, are all packed, or all
 * text, and those beside them are not.
 */
static bool mapped_is_run(const struct mapped_window *window, uint32_t cut, uint32_t gap)
{
    const uint32_t before = cut > MAPPED_NEAR ? cut - MAPPED_NEAR : 0;
    bool run = false;

    for (int text = 0; !run && text < 2; text++)
        run =
            mapped_all_are(window, mapped_range(window, false, cut, cut + gap), text, true) &&
            mapped_all_are(window, mapped_range(window, true, cut > gap ? cut - gap : 0, cut), text,
                           true) &&
            mapped_all_are(window, mapped_range(window, false, before, cut), text, false) &&
            mapped_all_are(window, mapped_range(window, true, cut, cut + MAPPED_NEAR), text, false);
    return run;
}

/* Whether other whole files fill what lies between the pieces. */
static bool mapped_is_owned(const struct mapped *mapped, uint64_t from, uint64_t to)
{
    const struct ground *ground = mapped->job->ground;

    while (from < to) {
        const struct ground_owned *owner = ground_owner(ground, from, from + LIMIT_SECTOR, NULL, 0);

        if (owner == NULL || owner->begin != from)
            return false;
        from += (owner->end - owner->begin + LIMIT_SECTOR - 1) / LIMIT_SECTOR * LIMIT_SECTOR;
    }
    return from == to;
}

/* See struct mapped_cut. */
static bool mapped_is_exact(const struct mapped *mapped, const struct mapped_window *window,
                            const struct landmarks_piece *one, uint64_t cut)
{
    const int64_t gap = one[1].shift - one->shift;
    const uint64_t end = mapped->job->start->offset + cut + (uint64_t)one->shift;

    return gap >= MAPPED_EXACT * LIMIT_SECTOR && gap <= MAPPED_SPAN * LIMIT_SECTOR &&
           (mapped_is_run(window, (uint32_t)(cut / LIMIT_SECTOR),
                          (uint32_t)((uint64_t)gap / LIMIT_SECTOR)) ||
            mapped_is_owned(mapped, end, end + (uint64_t)gap));
}

void mapped_keep(struct mapped_cuts *cuts, const struct mapped_cut *cut)
{
    uint32_t at = cuts->count;

    while (at > 0 && cuts->items[at - 1].saved < cut->saved)
        at--;
    if (at == MAPPED_CUTS)
        return;
    if (cuts->count < MAPPED_CUTS)
        cuts->count++;
    memmove(&cuts->items[at + 1], &cuts->items[at], (cuts->count - 1 - at) * sizeof cuts->items[0]);
    cuts->items[at] = *cut;
}

enum err_code mapped_find_cuts(const struct mapped *mapped, const struct landmarks_piece *one,
                               struct mapped_cuts *out, struct err *err)
{
    struct mapped_window window = { 0 };
    struct mapped_cuts changes = { .count = 0 };
    struct edges *edges = NULL;

    out->count = 0;
    if (one[1].from < one->to || (one[1].from - one->to) / LIMIT_SECTOR > MAPPED_SPAN)
        return ERR_OK;
    edges = malloc(sizeof *edges);
    if (edges == NULL)
        return ERR_NO_MEMORY(err, sizeof *edges);
    const enum err_code rc = mapped_open(mapped, one, &window, err);
    for (uint32_t cut = window.low; rc == ERR_OK && cut <= window.high; cut++) {
        const uint64_t at = (uint64_t)cut * LIMIT_SECTOR;
        const int64_t end = mapped_changes(&window, false, cut) +
                            (mapped_next(mapped, one->shift, at) ? MAPPED_NEXT : 0);
        const int64_t begin = mapped_changes(&window, true, cut);

        /* Where a piece ends and where one begins, other bytes do, too, unless few cuts are left.
         */
        const int64_t edge = end < begin ? end : begin;
        const bool only = one->limited || window.low == window.high;
        if (edge >= MAPPED_CHANGE || mapped_proves(mapped) || only)
            mapped_keep(&changes,
                        &(struct mapped_cut){ .at = at, .saved = end + begin, .edge = edge });
    }
    for (uint32_t i = 0; i < changes.count; i++) {
        struct mapped_cut cut = changes.items[i];

        cut.exact = mapped_is_exact(mapped, &window, one, cut.at);
        cut.saved += mapped_goes_on(&window, edges, (uint32_t)(cut.at / LIMIT_SECTOR));
        mapped_keep(out, &cut);
    }
    resemble_close(&window.window);
    free(edges);
    return rc;
}
