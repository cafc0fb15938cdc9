/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/mapped.c - see mapped.h. */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/assemble/guess.h"
#include "carver/assemble/mapped_impl.h"

enum {
    MAPPED_READ = 64,                /* bytes that are looked at in one unit of work */
    MAPPED_DOUBT = 16,               /* as GUESS_DOUBT */
    MAPPED_LEAST = 1000,             /* the least chance to be wrong, of GUESS_ONE */
    MAPPED_STEP = 16 * RESEMBLE_BIT, /* a way that is so much worse is half as likely */
    MAPPED_STEPS = 16,
    /* What is less sure was wrong as often as not in images whose files are known. */
    MAPPED_SAVED = 4800 * RESEMBLE_BIT,
    MAPPED_EDGE = 1200 * RESEMBLE_BIT,
    MAPPED_NARROW = 4, /* a part of that is enough where the validator leaves few cuts */
};

/* Whether two of the pieces, of a file of so many bytes, have bytes in common. */
static bool mapped_overlaps(const struct io_range *runs, uint32_t count, uint64_t len)
{
    bool overlaps = false;
    uint64_t left = len; /* the last one goes on behind the end */

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t mine = runs[i].len < left ? runs[i].len : left;

        for (uint32_t k = 0; k < i; k++)
            overlaps = overlaps || (runs[i].offset < runs[k].offset + runs[k].len &&
                                    runs[k].offset < runs[i].offset + mine);
        left -= mine;
    }
    return overlaps;
}

enum err_code mapped_ask(struct mapped *mapped, const struct landmarks_way *way,
                         const uint64_t *cuts, struct mapped_whole *out, struct err *err)
{
    const struct fork_job *job = mapped->job;
    const uint32_t last = way->count - 1;
    struct sig_result result;
    uint64_t from = 0; /* object offset */

    *out = (struct mapped_whole){ .count = way->count };
    for (uint32_t i = 0; i <= last; i++) {
        const uint64_t begin = job->start->offset + from + (uint64_t)way->pieces[i].shift;
        const uint64_t to = i < last ? cuts[i] : from + fork_piece_end(job, begin) - begin;

        out->runs[i] = (struct io_range){ begin, to - from };
        if (to <= from)
            return ERR_OK;
        from = to;
    }
    mapped->tried++;
    const enum err_code rc =
        trial_all(mapped->trial, job->start->sig, out->runs, way->count, &result, err);
    if (rc != ERR_OK || result.verdict != SIG_COMPLETE || result.len <= cuts[last - 1] ||
        mapped_overlaps(out->runs, way->count, result.len))
        return rc;
    out->proven = trial_proves(mapped->trial, &result);
    if (mapped_proves(mapped) && !out->proven)
        return ERR_OK;
    out->len = result.len;
    out->type = trial_type(mapped->trial);
    out->why = result.why;
    return ERR_OK;
}

bool mapped_proves(const struct mapped *mapped)
{
    return mapped->job->start->sig->seam >= SIG_SEAM_UNIT;
}

bool mapped_ordered(const struct mapped *mapped)
{
    return (mapped->job->start->sig->flags & SIG_ORDERED) != 0;
}

uint64_t mapped_weight(int64_t worse)
{
    if (worse <= 0)
        return MAPPED_WEIGHT;
    return worse >= MAPPED_STEPS * MAPPED_STEP ? 0
                                               : (uint64_t)MAPPED_WEIGHT >> (worse / MAPPED_STEP);
}

void mapped_better(struct mapped_whole *best, const struct mapped_whole *other)
{
    if (other->len == 0)
        return;
    if (best->len == 0) {
        *best = *other;
        return;
    }
    const bool better = other->saved > best->saved;
    const struct mapped_whole worse = better ? *best : *other;

    if (better)
        *best = *other;
    best->rivals += mapped_weight(best->saved - worse.saved);
}

/* Whether the validator refuses a cut one sector before the best one of a seam, or behind it. */
static enum err_code mapped_refuses(struct mapped *mapped, const struct landmarks_way *way,
                                    uint32_t seam, uint64_t *at, bool behind, bool *refuses,
                                    struct err *err)
{
    const uint64_t best = at[seam];
    struct mapped_whole whole = { 0 };
    enum err_code rc = ERR_OK;

    at[seam] = behind ? best + LIMIT_SECTOR : best - LIMIT_SECTOR;
    if (at[seam] >= way->pieces[seam].to && at[seam] <= way->pieces[seam + 1].from)
        rc = mapped_ask(mapped, way, at, &whole, err);
    at[seam] = best;
    /* What the landmarks leave out says nothing of its content. */
    *refuses = whole.len == 0 && way->pieces[seam].to != way->pieces[seam + 1].from;
    return rc;
}

/* Whether the cut of a seam is the only one there that the validator takes. */
static enum err_code mapped_decides(struct mapped *mapped, const struct landmarks_way *way,
                                    uint32_t seam, uint64_t *at, bool *decides, struct err *err)
{
    bool behind = false;
    enum err_code rc = mapped_refuses(mapped, way, seam, at, false, decides, err);

    if (rc == ERR_OK && *decides) {
        rc = mapped_refuses(mapped, way, seam, at, true, &behind, err);
        *decides = behind;
    }
    return rc;
}

/*
 * Takes the best cut that the validator agrees with between two pieces, the other cuts being as
 * they are.
 */
static enum err_code mapped_choose(struct mapped *mapped, const struct landmarks_way *way,
                                   uint32_t seam, const struct mapped_cuts *cuts, uint64_t *at,
                                   struct mapped_whole *best, struct err *err)
{
    const struct mapped_whole before = *best;
    uint64_t best_at = cuts->items[0].at;
    enum err_code rc = ERR_OK;

    *best = (struct mapped_whole){ 0 };
    for (uint32_t i = 0; rc == ERR_OK && i < cuts->count; i++) {
        struct mapped_whole whole;

        if (best->proven ||
            (best->len != 0 && mapped_weight(best->saved - cuts->items[i].saved) == 0))
            break;
        at[seam] = cuts->items[i].at;
        rc = mapped_ask(mapped, way, at, &whole, err);
        whole.saved = cuts->items[i].saved;
        whole.edge = cuts->items[i].edge;
        whole.decided = cuts->items[i].exact;
        if (best->len == 0 && whole.len != 0)
            best_at = at[seam];
        mapped_better(best, &whole);
    }
    at[seam] = best_at;
    if (rc == ERR_OK && best->len != 0 && !best->proven && !best->decided)
        rc = mapped_decides(mapped, way, seam, at, &best->decided, err);
    if (best->len == 0)
        *best = before;
    else {
        best->decided = best->decided && (before.len == 0 || before.decided);
        best->saved += before.saved;
        best->edge = before.len != 0 && before.edge < best->edge ? before.edge : best->edge;
        best->rivals += before.rivals;
    }
    return rc;
}

enum err_code mapped_way(struct mapped *mapped, struct landmarks_way *way,
                         struct mapped_whole *best, struct err *err)
{
    struct mapped_cuts *cuts = calloc(LANDMARKS_PIECES, sizeof *cuts);
    const uint32_t seams = way->count - 1;
    uint64_t at[LANDMARKS_PIECES] = { 0 };
    struct mapped_whole whole = { 0 };
    bool all = true, narrow = true;
    enum err_code rc = ERR_OK;

    if (cuts == NULL)
        return ERR_NO_MEMORY(err, LANDMARKS_PIECES * sizeof *cuts);
    if (mapped_ordered(mapped))
        rc = mapped_narrow(mapped, way, &all, err);
    for (uint32_t i = 0; rc == ERR_OK && all && i < seams; i++) {
        mapped_sum_cuts(mapped, &way->pieces[i], &cuts[i]);
        if (mapped_ordered(mapped))
            rc = mapped_unit_cuts(mapped, &way->pieces[i], &cuts[i], err);
        else if (cuts[i].count == 0)
            rc = mapped_find_cuts(mapped, &way->pieces[i], &cuts[i], err);
        all = cuts[i].count > 0;
        narrow = narrow && way->pieces[i].limited;
        at[i] = all ? cuts[i].items[0].at : 0;
    }
    for (uint32_t i = 0; rc == ERR_OK && all && i < seams; i++)
        rc = mapped_choose(mapped, way, i, &cuts[i], at, &whole, err);
    whole.narrow = narrow;
    if (rc == ERR_OK)
        mapped_better(best, &whole);
    free(cuts);
    return rc;
}

/* The chance that it is wrong, of GUESS_ONE. */
static uint64_t mapped_wrong(const struct mapped_whole *whole)
{
    return whole->rivals * GUESS_ONE / (whole->rivals + MAPPED_WEIGHT) * MAPPED_DOUBT +
           MAPPED_LEAST;
}

/* Whether a file of the format begins where this one would if it lay as a piece of it does. */
static bool mapped_has_head(const struct mapped *mapped, int64_t shift)
{
    const struct start *start = mapped->job->start;
    size_t count, at = starts_at(mapped->job->starts, start->offset + (uint64_t)shift, &count);
    bool has = false;

    for (size_t i = at; i < at + count; i++)
        has = has || mapped->job->starts->items[i].sig == start->sig;
    return has;
}

/* Whether the validator alone tells the cuts. What lies within another whole file, or where another
 * one would go on, is that one's: those of one program begin alike. */
static bool mapped_decided(const struct mapped *mapped, const struct mapped_whole *whole)
{
    bool decided = whole->decided;
    uint64_t from = 0; /* object offset of the piece */

    for (uint32_t i = 1; decided && i < whole->count; i++) {
        const uint64_t begin = whole->runs[i].offset;
        const struct ground_owned *owner =
            ground_owner(mapped->job->ground, begin, begin + LIMIT_SECTOR, NULL, 0);

        from += whole->runs[i - 1].len;
        decided = (owner == NULL || owner->begin >= begin) &&
                  !mapped_has_head(mapped, (int64_t)(begin - mapped->job->start->offset - from));
    }
    return decided;
}

static bool mapped_fits(const struct mapped_whole *whole)
{
    const int64_t part = whole->narrow ? MAPPED_NARROW : 1;

    return whole->saved >= MAPPED_SAVED / part && whole->edge >= MAPPED_EDGE / part;
}

static bool mapped_is_sure(const struct mapped *mapped, const struct mapped_whole *whole)
{
    return whole->proven ||
           (whole->len != 0 && mapped_wrong(whole) <= GUESS_MOST &&
            (mapped_ordered(mapped) || mapped_decided(mapped, whole) || mapped_fits(whole)));
}

static enum err_code mapped_tell(const struct mapped *mapped, const struct mapped_whole *best,
                                 struct whole *out, struct err *err)
{
    out->start = mapped->job->start;
    out->type = best->type;
    out->why = best->why;
    out->tried = mapped->tried;
    out->wrong = best->proven ? MAPPED_LEAST : (uint32_t)mapped_wrong(best);
    out->kind = "resemblance";
    snprintf(
        out->text, sizeof out->text,
        "sectors that its header tells of say where its pieces lie; of all cuts this fits best");
    return whole_keep(out, best->runs, best->count, best->len, err);
}

/* Tries the ways that explain the landmarks; of three pieces one may have none. */
static enum err_code mapped_ways(struct mapped *mapped, struct landmarks_way *ways, uint32_t count,
                                 struct mapped_whole *best, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && !best->proven && i < count; i++)
        rc = mapped_way(mapped, &ways[i], best, err);
    for (uint32_t i = 0;
         rc == ERR_OK && !mapped_is_sure(mapped, best) && !mapped_ordered(mapped) && i < count; i++)
        rc = mapped_twice(mapped, &ways[i], best, err);
    return rc;
}

/* Goes on from the ways where the validator breaks, and from the beginning of the file, if its
 * landmarks are in their places. */
static enum err_code mapped_go_on(struct mapped *mapped, const struct landmarks_way *ways,
                                  uint32_t count, bool in_place, struct mapped_whole *best,
                                  struct err *err)
{
    const struct landmarks_way first = { .pieces = { { .to = SIG_MARK } }, .count = 1 };
    struct mapped_whole on = { 0 };
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && !mapped_is_sure(mapped, &on) && i < count; i++)
        rc = mapped_on(mapped, &ways[i], &on, err);
    if (rc == ERR_OK && in_place && !mapped_is_sure(mapped, &on))
        rc = mapped_on(mapped, &first, &on, err);
    /* With fewer cuts to choose from, what was the best one may be sure. */
    if (on.len != 0 && on.saved >= best->saved)
        *best = on;
    return rc;
}

enum err_code mapped_try(const struct fork_job *job, const struct resemble_table *table,
                         struct trial *trial, struct whole *out, struct err *err)
{
    const struct landmarks_job marks = { .sig = job->start->sig,
                                         .start = job->start->offset,
                                         .image_len = job->image_len };
    struct mapped mapped = { .job = job, .table = table, .trial = trial };
    struct landmarks_way ways[LANDMARKS_WAYS], kept[LANDMARKS_WAYS]; /* the nearest ones */
    struct mapped_whole best = { 0 };
    uint32_t count = 0, kept_count = 0;
    uint64_t read = 0;
    enum err_code rc = ERR_OK;

    struct landmarks *landmarks = malloc(sizeof *landmarks);
    if (landmarks == NULL)
        return ERR_NO_MEMORY(err, sizeof *landmarks);
    bool on = landmarks_open(landmarks, &marks, &trial->splice);
    /* Files of one kind have landmarks that look alike: all ways are compared, far ones too. */
    while (rc == ERR_OK && !best.proven && on) {
        on = landmarks_next(landmarks, &trial->splice, ways, &count, &read);
        for (uint32_t i = 0; i < count && kept_count < LANDMARKS_WAYS; i++)
            kept[kept_count++] = ways[i];
        rc = on ? mapped_ways(&mapped, ways, count, &best, err) : splice_error(&trial->splice, err);
    }
    trial->work += read / MAPPED_READ;
    if (rc == ERR_OK && !mapped_proves(&mapped) && !mapped_ordered(&mapped) &&
        !mapped_is_sure(&mapped, &best))
        rc = mapped_go_on(&mapped, kept, kept_count, landmarks_stay(landmarks, &trial->splice),
                          &best, err);
    free(landmarks);
    return rc == ERR_OK && mapped_is_sure(&mapped, &best) ? mapped_tell(&mapped, &best, out, err)
                                                          : rc;
}
