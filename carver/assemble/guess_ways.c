/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess_ways.c - see guess_impl.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/guess_impl.h"

enum {
    GUESS_AROUND = 8,     /* sectors on both sides of a cut that tell whether it may be one, */
    GUESS_NEXT = 4,       /* clusters next to the break */
    GUESS_TEXT_APART = 2, /* sectors from where a text breaks, that are too many */
    GUESS_LEARN = 4,      /* sectors of the first piece that are learnt from */
    GUESS_SHORT = 2,      /* sectors of a second piece that may have no more */
    GUESS_EDGE = 4,       /* sectors at both ends of what lies between whose strings count */
    GUESS_APART = 96 * RESEMBLE_BIT,  /* a cut twice as far from the break is so much worse */
    GUESS_FLAT = 1024 * RESEMBLE_BIT, /* and more so where those of one value begin or end */
};

/* The sectors of the file from `from` on, `count` of them at most, in the window. */
static struct resemble_range guess_range(const struct guess *guess, uint32_t from, uint32_t count)
{
    const uint32_t at = from - guess->first;
    const uint32_t low = at < guess->window.sectors ? at : guess->window.sectors;
    const uint32_t room = guess->window.sectors - low;

    return (struct resemble_range){ low, low + (count < room ? count : room) };
}

struct resemble_range guess_before(const struct guess *guess, uint32_t cut, uint32_t sectors)
{
    const uint32_t most = cut - guess->first;
    const uint32_t count = most < sectors ? most : sectors;

    return guess_range(guess, cut - count, count);
}

struct resemble_range guess_behind(const struct guess *guess, const struct guess_way *way,
                                   uint32_t behind)
{
    return guess_range(guess, way->cut + way->gap, behind);
}

bool guess_dense(const struct guess *guess, uint32_t from, uint32_t sectors)
{
    const struct resemble_range range = guess_range(guess, from, sectors);
    bool dense = range.to - range.from == sectors;

    for (uint32_t i = range.from; i < range.to; i++)
        dense = dense && resemble_is_dense(&guess->window, i);
    return dense;
}

uint32_t guess_apart(const struct guess *guess, uint32_t cut)
{
    const uint32_t broke = cut > guess->broke ? cut - guess->broke : guess->broke - cut;
    const uint32_t high = guess->high - cut;

    return guess->broke == 0 ? 0 : broke < high ? broke : high;
}

/*
 * Whether the first piece is text, and the cut is not where its validator broke: a validator that
 * knows no places sees at once what is no text, and bytes of another text seldom lie there.
 */
static bool guess_cuts_text(const struct guess *guess, uint32_t cut)
{
    const bool behind = guess->broke != 0 && cut > guess->broke;
    const struct resemble_range piece =
        guess_before(guess, behind ? guess->broke : cut, GUESS_NEAR);

    return guess->job->start->sig->seam == SIG_SEAM_NONE && !guess->proof &&
           (behind ? cut - guess->broke : guess_apart(guess, cut)) >= GUESS_TEXT_APART &&
           resemble_is_text(&guess->window, &piece);
}

/* What is saved when GUESS_AROUND sectors share a code: each range is one side of two places. */
static int64_t guess_around(struct guess *guess, struct resemble_range range)
{
    int64_t *known = &guess->around[range.from];

    if (range.to - range.from != GUESS_AROUND)
        return resemble_saved(&guess->window, &range, 1);
    if (*known == 0)
        *known = resemble_saved(&guess->window, &range, 1);
    return *known;
}

/* What is saved when so many sectors on both sides of a place do not share a code. */
static int64_t guess_changes_of(struct guess *guess, uint32_t at, uint32_t back, uint32_t ahead)
{
    const uint32_t in_window = at - guess->first;
    const uint32_t room = in_window < back ? in_window : back;
    const struct resemble_range before = guess_range(guess, at - room, room);
    const struct resemble_range behind = guess_range(guess, at, ahead);
    const bool edge = behind.from > 0 && behind.from < behind.to &&
                      resemble_is_flat(&guess->window, behind.from - 1) !=
                          resemble_is_flat(&guess->window, behind.from);

    const struct resemble_range both[] = { before, behind };
    return guess_around(guess, before) + guess_around(guess, behind) -
           resemble_saved(&guess->window, both, 2) + (edge ? GUESS_FLAT : 0);
}

/* The same of GUESS_AROUND sectors. It costs much, and is asked for again and again. */
static int64_t guess_changes(struct guess *guess, uint32_t at)
{
    int64_t *known = &guess->changes[guess_range(guess, at, 0).from];

    if (*known == 0)
        *known = guess_changes_of(guess, at, GUESS_AROUND, GUESS_AROUND);
    return *known;
}

/* How much the bytes change at both ends of what lies between the pieces. */
static int64_t guess_ends_change(struct guess *guess, uint32_t cut, uint32_t gap)
{
    return gap < GUESS_AROUND ? guess_changes_of(guess, cut, GUESS_AROUND, gap) +
                                    guess_changes_of(guess, cut + gap, gap, GUESS_AROUND)
                              : guess_changes(guess, cut) + guess_changes(guess, cut + gap);
}

/* The last bytes before a sector of the file, and its first ones. */
static const uint8_t *guess_bytes(const struct guess *guess, uint32_t sector)
{
    return guess->window.bytes + (size_t)guess_range(guess, sector, 0).from * LIMIT_SECTOR;
}

/* What the strings say that the first piece, as it was learnt last, has in common with a range. */
static int64_t guess_shared(struct guess *guess, struct resemble_range range)
{
    return resemble_shared(guess->sample, &guess->window, &guess->strings, guess->shares, range);
}

void guess_learn(struct guess *guess, uint32_t cut, struct resemble_with *with)
{
    const struct resemble_range piece = guess_before(guess, cut, GUESS_LEARN);
    const uint32_t sectors = piece.to - piece.from;

    if (guess->learnt_cut != cut) {
        memset(&guess->strings, 0, sizeof guess->strings);
        memset(guess->shares, 0, guess->window.sectors * sizeof guess->shares[0]);
        resemble_add_grams(&guess->window, guess_before(guess, cut, GUESS_BEFORE), &guess->strings);
        edges_learn(&guess->edges, guess_bytes(guess, cut - sectors), sectors * LIMIT_SECTOR,
                    (uint64_t)(cut - sectors) * LIMIT_SECTOR);
    }
    *with = (struct resemble_with){ .strings = &guess->strings,
                                    .edges = &guess->edges,
                                    .before = guess_bytes(guess, cut) - EDGES_BYTES,
                                    .at = (uint64_t)cut * LIMIT_SECTOR };
    if (guess->learnt_cut != cut)
        guess->learnt_behind = guess_shared(guess, guess_range(guess, cut, GUESS_EDGE));
    guess->learnt_cut = cut;
}

/*
 * What the strings say that both pieces have in common, and the bytes at the seam; less what those
 * say of what lies between, at both of its ends.
 */
static int64_t guess_shares(struct guess *guess, const struct guess_way *way, uint32_t behind)
{
    const uint32_t to = way->cut + way->gap, half = way->gap - way->gap / 2;
    const uint32_t edge = half < GUESS_EDGE ? half : GUESS_EDGE;
    const uint32_t last = way->gap - edge < GUESS_EDGE ? way->gap - edge : GUESS_EDGE;
    struct resemble_with with;

    if (guess->sample == NULL)
        return 0;
    guess_learn(guess, way->cut, &with);
    const int64_t left = edge == GUESS_EDGE
                             ? guess->learnt_behind
                             : guess_shared(guess, guess_range(guess, way->cut, edge));
    const uint8_t *next = guess_bytes(guess, to);
    return guess_shared(guess, guess_behind(guess, way, behind)) - left -
           guess_shared(guess, guess_range(guess, to - last, last)) +
           resemble_edges(with.edges, with.before, next, with.at) -
           resemble_edges(with.edges, with.before, with.before + EDGES_BYTES, with.at) -
           resemble_edges(with.edges, next - EDGES_BYTES, next, with.at);
}

int64_t guess_saved(struct guess *guess, const struct guess_way *way, uint32_t behind)
{
    const uint32_t cut = way->cut;
    const struct resemble_range near[] = { guess_before(guess, cut, GUESS_NEAR),
                                           guess_behind(guess, way, behind) };
    const struct resemble_range far[] = { guess_before(guess, cut, GUESS_BEFORE), near[1] };

    return (resemble_saved(&guess->window, near, 2) + resemble_saved(&guess->window, far, 2)) / 2 +
           guess_ends_change(guess, cut, way->gap) + guess_shares(guess, way, behind) -
           (31 - __builtin_clz(1 + guess_apart(guess, cut))) * (int64_t)GUESS_APART;
}

/* Keeps the cuts around which the bytes change most, and those next to the break. */
static void guess_find_cuts(struct guess *guess, uint32_t step)
{
    int64_t changes[GUESS_CUTS] = { 0 }; /* as many as there are cuts */

    for (uint32_t cut = guess->high; cut >= guess->low && cut > 0; cut -= step < cut ? step : cut) {
        const bool next = guess->high - cut < GUESS_NEXT * step ||
                          (guess->broke != 0 && guess_apart(guess, cut) < GUESS_NEXT * step);
        if (guess_cuts_text(guess, cut))
            continue;
        const int64_t change = next ? INT64_MAX : guess_changes(guess, cut);
        uint32_t at = guess->cut_count;

        while (at > 0 && changes[at - 1] < change)
            at--;
        if (at == GUESS_CUTS)
            continue;
        const uint32_t last = guess->cut_count < GUESS_CUTS ? guess->cut_count : GUESS_CUTS - 1;
        memmove(&changes[at + 1], &changes[at], (last - at) * sizeof changes[0]);
        memmove(&guess->cuts[at + 1], &guess->cuts[at], (last - at) * sizeof guess->cuts[0]);
        changes[at] = change;
        guess->cuts[at] = cut;
        guess->cut_count = last + 1;
    }
}

static int guess_compare(const void *a, const void *b)
{
    const struct guess_way *x = a, *y = b;

    if (x->saved != y->saved)
        return x->saved > y->saved ? -1 : 1;
    if (x->cut != y->cut)
        return x->cut < y->cut ? -1 : 1;
    return x->gap < y->gap ? -1 : x->gap > y->gap;
}

static bool guess_is_free(const struct fork_job *job, uint64_t at)
{
    const size_t i = islands_from(job->islands, at);

    if (job->believed)
        return at < job->image_len &&
               ground_owner(job->ground, at, at + LIMIT_SECTOR, &job->start->hit_id, 1) == NULL;
    return at < job->image_len && i < job->islands->count && job->islands->begins[i] <= at;
}

uint32_t guess_owned(const struct guess *guess, uint32_t cut)
{
    const struct fork_job *job = guess->job;
    const uint64_t at = job->start->offset + (uint64_t)cut * LIMIT_SECTOR;
    const size_t i = islands_from(job->islands, at);

    if (job->believed || i >= job->islands->count || job->islands->begins[i] <= at)
        return 0;
    const uint64_t sectors = (job->islands->begins[i] - at) / LIMIT_SECTOR;
    return sectors < RESEMBLE_SECTORS ? (uint32_t)sectors : 0;
}

/* Notes the way with so many sectors between the pieces, if the file may go on there. */
static void guess_add_way(struct guess *guess, uint32_t cut, uint32_t gap, bool text)
{
    const struct fork_job *job = guess->job;
    struct guess_way way = { .cut = cut, .gap = gap };
    const uint32_t to = way.cut + way.gap;

    if (to - guess->first >= guess->window.sectors ||
        !guess_is_free(job, job->start->offset + (uint64_t)to * LIMIT_SECTOR))
        return;
    way.saved = guess_saved(guess, &way, GUESS_BEHIND);
    const int64_t soon = text ? guess_saved(guess, &way, GUESS_SHORT) : way.saved;
    way.saved = soon > way.saved ? soon : way.saved;
    guess->ways[guess->way_count++] = way;
}

void guess_find_ways(struct guess *guess)
{
    const uint32_t step = guess->job->islands->unit / LIMIT_SECTOR;

    guess_find_cuts(guess, step);
    for (uint32_t i = 0; i < guess->cut_count; i++) {
        const uint32_t cut = guess->cuts[i], owned = guess_owned(guess, cut);
        const struct resemble_range piece = guess_before(guess, cut, GUESS_NEAR);
        const bool text = resemble_is_text(&guess->window, &piece);

        for (uint32_t n = 1; n <= GUESS_GAPS; n++)
            if (!guess->job->believed || guess->fits[n])
                guess_add_way(guess, cut, n * step, text);
        if (owned > GUESS_GAPS * step)
            guess_add_way(guess, cut, owned, text);
    }
    qsort(guess->ways, guess->way_count, sizeof guess->ways[0], guess_compare);
}
