/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/mapped_units.c - see mapped_impl.h.
 *
 * When a file is cut too late, its validator breaks in the first unit that goes on behind the right
 * cut; when it is cut too early, behind the place where it is cut. So from where the first piece
 * breaks on, cuts are too early up to one that the validator takes, and too late behind the last
 * one that it takes: between both there is a single unit. That has no other file's bytes in it,
 * and no zeros as files have behind their ends.
 */
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/mapped_impl.h"

enum {
    UNITS_BEFORE = 2, /* sectors before the unit that breaks that the validator may refuse */
    UNITS_LEN = 256,  /* sectors of a unit, at most */
    UNITS_ZEROS = 8,  /* bytes at the end of a sector that no unit has */
    UNITS_BESIDE = 256 * RESEMBLE_BIT, /* for a cut beside what is foreign */
    UNITS_NEAR = 16,                   /* sectors before all cuts, and */
    UNITS_NEXT = 8,                    /* behind them, which are the file's own */
};

/* Asks about this cut. *to: the object offset up to which the validator has gone; UINT64_MAX: it
 * takes the file. */
static enum err_code mapped_goes_to(struct mapped *mapped, const struct landmarks_way *way,
                                    uint64_t cut, uint64_t *to, struct err *err)
{
    const struct fork_job *job = mapped->job;
    const uint64_t begin = job->start->offset + cut + (uint64_t)way->pieces[1].shift;
    const uint64_t end = fork_piece_end(job, begin);
    const struct io_range runs[] = { { job->start->offset, cut }, { begin, end - begin } };
    struct sig_result result;

    *to = 0;
    if (end <= begin || cut == 0)
        return ERR_OK;
    mapped->tried++;
    const enum err_code rc = trial_all(mapped->trial, job->start->sig, runs, 2, &result, err);
    if (rc == ERR_OK && result.verdict == SIG_COMPLETE && result.len > cut)
        *to = UINT64_MAX;
    else if (rc == ERR_OK && result.verdict == SIG_BREAKS)
        *to = result.len;
    return rc;
}

/* Goes up or down from a sector as long as the validator takes the cuts there; *taken is the last
 * one of them, and stays 0 if there is none. */
static enum err_code mapped_walk(struct mapped *mapped, const struct landmarks_way *way,
                                 uint64_t sector, bool up, uint64_t *taken, struct err *err)
{
    const uint64_t low = way->pieces[0].to, high = way->pieces[1].from;
    const uint32_t most = up ? UNITS_LEN : UNITS_BEFORE; /* that are too early, or too late */
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < UNITS_LEN; i++) {
        const uint64_t cut = (up ? sector + i : sector - i) * LIMIT_SECTOR;
        uint64_t to;

        if (cut < low || cut > high)
            break;
        rc = mapped_goes_to(mapped, way, cut, &to, err);
        if (to == UINT64_MAX)
            *taken = cut;
        else if (*taken != 0 || i >= most)
            break;
    }
    return rc;
}

/* Whether what lies in this sector of the image is no unit's: another file's, or its beginning, or
 * its padded end. */
static bool mapped_is_foreign(const struct mapped *mapped, uint64_t at)
{
    static const uint8_t zeros[UNITS_ZEROS];
    const struct fork_job *job = mapped->job;
    uint8_t end[UNITS_ZEROS];
    size_t count, i = starts_at(job->starts, at, &count);
    bool begins = false;

    for (const size_t behind = i + count; i < behind; i++)
        begins = begins || !job->starts->items[i].weak;
    if (at > job->image_len - LIMIT_SECTOR)
        return true; /* there is none */
    splice_copy(&mapped->trial->splice, at + LIMIT_SECTOR - sizeof end, end, sizeof end);
    return begins || memcmp(end, zeros, sizeof end) == 0 ||
           ground_owner(job->ground, at, at + LIMIT_SECTOR, NULL, 0) != NULL;
}

/* The first cut has no foreign sector behind it, and the last one none before it. */
static void mapped_limit(const struct mapped *mapped, struct landmarks_way *way)
{
    const uint64_t here = mapped->job->start->offset, there = here + (uint64_t)way->pieces[1].shift;
    uint64_t *first = &way->pieces[0].to, *last = &way->pieces[1].from;

    for (uint64_t at = *first; at < *last; at += LIMIT_SECTOR)
        if (mapped_is_foreign(mapped, here + at))
            *last = at;
    for (uint64_t at = *last; at > *first; at -= LIMIT_SECTOR)
        if (mapped_is_foreign(mapped, there + at - LIMIT_SECTOR))
            *first = at;
}

enum err_code mapped_narrow(struct mapped *mapped, struct landmarks_way *way, bool *narrow,
                            struct err *err)
{
    const uint64_t low = way->pieces[0].to, high = way->pieces[1].from;
    uint64_t first = 0, last = 0, to;
    enum err_code rc = ERR_OK;

    *narrow = false;
    if (way->count != 2 || high < low + LIMIT_SECTOR)
        return ERR_OK;
    /* What the mark is in may begin in the sector before it. */
    rc = mapped_goes_to(mapped, way, high - LIMIT_SECTOR, &to, err);
    if (rc != ERR_OK || to < low)
        return rc;
    const uint64_t sector = (to < high ? to : high) / LIMIT_SECTOR;
    rc = mapped_walk(mapped, way, sector, false, &first, err);
    if (rc == ERR_OK)
        rc = mapped_walk(mapped, way, sector + 1, true, &last, err);
    *narrow = rc == ERR_OK && (first != 0 || last != 0);
    if (*narrow) {
        way->pieces[0].to = first != 0 ? first : (sector + 1) * LIMIT_SECTOR;
        way->pieces[1].from = last != 0 ? last : sector * LIMIT_SECTOR;
        mapped_limit(mapped, way);
    }
    return rc;
}

/* Adds the image offsets of so many sectors; outside of the image, its first one is as good as any.
 */
static void mapped_add(const struct mapped *mapped, uint64_t at, uint32_t count, uint64_t *sectors,
                       uint32_t *total)
{
    for (uint32_t i = 0; i < count; i++, at += LIMIT_SECTOR)
        sectors[(*total)++] = at <= mapped->job->image_len - LIMIT_SECTOR ? at : 0;
}

/* How unlike a sector is to the file's own. */
static int64_t mapped_unlike(const struct resemble *window, uint32_t own, uint32_t sector)
{
    return resemble_apart(window, (struct resemble_range){ 0, own },
                          (struct resemble_range){ sector, sector + 1 });
}

enum err_code mapped_unit_cuts(const struct mapped *mapped, const struct landmarks_piece *one,
                               struct mapped_cuts *out, struct err *err)
{
    const uint64_t first = one[0].to, last = one[1].from;
    const uint64_t here = mapped->job->start->offset + first;
    const uint64_t there = here + (uint64_t)one[1].shift;
    const uint32_t before = first > UNITS_NEAR * LIMIT_SECTOR ? UNITS_NEAR : 1;
    const uint32_t count = (uint32_t)((last - first) / LIMIT_SECTOR); /* one less than cuts */
    const uint32_t own = before + UNITS_NEXT;
    uint64_t sectors[UNITS_NEAR + UNITS_NEXT + 4 * UNITS_LEN];
    struct resemble window = { 0 };
    uint32_t total = 0;
    int64_t saved = 0;

    out->count = 0;
    if (count > 2 * UNITS_LEN)
        return ERR_OK;
    mapped_add(mapped, here - before * LIMIT_SECTOR, before, sectors, &total);
    mapped_add(mapped, there + last - first, UNITS_NEXT, sectors, &total);
    mapped_add(mapped, here, count, sectors, &total);
    mapped_add(mapped, there, count, sectors, &total);
    const enum err_code rc =
        resemble_open_at(&window, mapped->table, &mapped->trial->splice, sectors, total, err);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        saved -= mapped_unlike(&window, own, own + count + i);
    for (uint32_t i = 0; rc == ERR_OK && i <= count; i++) {
        const uint64_t at = i * (uint64_t)LIMIT_SECTOR;
        const int64_t beside =
            (mapped_is_foreign(mapped, here + at) ? UNITS_BESIDE : 0) +
            (mapped_is_foreign(mapped, there + at - LIMIT_SECTOR) ? UNITS_BESIDE : 0);

        mapped_keep(out, &(struct mapped_cut){ .at = first + at, .saved = saved + beside });
        if (i < count)
            saved +=
                mapped_unlike(&window, own, own + count + i) - mapped_unlike(&window, own, own + i);
    }
    resemble_close(&window);
    return rc;
}
