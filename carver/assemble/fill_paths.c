/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fill_paths.c - see fill_impl.h.
 *
 * The likeliest path that the validator was not asked about is asked about next; where it goes on,
 * each hole that may be next is a path more. So a piece that wrong bytes pass for costs the others
 * little.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/fill_impl.h"
#include "carver/assemble/fit.h"
#include "carver/assemble/path_heap.h"
#include "carver/assemble/resemble_impl.h"

enum {
    PATHS_KEPT = 32,      /* paths behind which the validator is kept */
    PATHS_BEHIND = 128,   /* holes behind one piece that are tried, the likeliest ones */
    PATHS_SORTED = 256,   /* more of them are made fewer before they are sorted; */
    PATHS_COSTS = 8192,   /* what they cost is mostly less than this */
    PATHS_FAR = 8192,     /* bytes of a piece that ends before its hole does, at least */
    PATHS_DEAR = 1 << 15, /* work of asking about a path */
    PATHS_MORE = 64,      /* paths that are asked about behind a proven one, and as many as before:
                             units of another file may pass */
    PATHS_MORE_WORK = 2,  /* times as much work again for that */
    PATHS_LIKELY = 1024,  /* paths that are asked about for what is likely, */
    PATHS_NOTHING = 64,   /* bytes of a last piece that say nothing, */
    PATHS_DOUBT = 4,      /* see paths_wrong; */
    PATHS_SELDOM = 10,    /* it takes fewer than one of so many */
    PATHS_ENDS = 64,      /* and ends of it that are held against each other */
    /* What is unlikely about a path, in 256ths of a bit: */
    PATHS_UNLIKE = 20 * 256,      /* holes that resemble the file more, at most, */
    PATHS_UNLIKE_KNOWN = 4 * 256, /* also where it is known how holes were filled; */
    PATHS_SHORT = 6 * 256,        /* a piece that ends before its hole does; */
    PATHS_UNFIT = 8 * 256,        /* an end that does not look like one; */
    PATHS_FIT = 4 * 256,          /* less: one that does, */
    PATHS_FLOWS_NOT = 12 * 256,   /* packed bytes that do not go on so, where others do; */
    PATHS_PIECE = 4 * 256,        /* and each piece that the validator takes */
    PATHS_ROOT = FILL_PIECES * PATHS_PIECE,
};

/* The validator when it had seen a path. */
struct kept {
    uint32_t path;
    uint64_t used; /* when it was used last; 0: there is none */
    struct sig_input in;
};

/* What it costs to go on in a way of struct fill. */
struct next {
    uint32_t cost, way;
};

/* The end of a file that is not proven. */
struct end {
    struct fill_way way;
    uint32_t behind, pieces; /* the path that it goes on from; with the last one */
    uint64_t tried;          /* paths, with this one */
    int64_t cost;            /* how unlikely it is, but for what the validator says */
};

struct paths {
    struct fill *fill;
    struct next next[HOLES_MAX]; /* the likeliest ones first */
    uint32_t next_count;
    struct path_heap all; /* the first one is the first piece */
    /* The validator behind some paths. The first piece is always among them. */
    struct kept kept[PATHS_KEPT];
    uint64_t uses;
    uint8_t *states; /* [PATHS_KEPT] */
    /* The path that is proven. */
    struct fill_way proven;
    uint32_t proven_behind; /* which path it goes on from */
    bool two;               /* there is another one */
    /* Where files end that are not proven, and how many ways the validator takes. */
    struct end ends[PATHS_ENDS];
    uint32_t end_count, alive;
};

/* Keeps the validator, which has seen this path, in the place that was not used for longest. */
static void paths_keep(struct paths *paths, uint32_t path)
{
    struct fill *fill = paths->fill;
    uint32_t at = path == 0 ? 0 : 1; /* the first piece stays */

    for (uint32_t i = 2; path != 0 && i < PATHS_KEPT; i++)
        at = paths->kept[i].used < paths->kept[at].used ? i : at;
    paths->kept[at] = (struct kept){ path, ++paths->uses, fill->in };
    trial_copy(fill->job->start->sig, paths->states + at * fill->state_size, fill->state);
}

/* Takes the piece that the validator was shown last, which ends the path. */
static void paths_take(struct paths *paths, uint32_t path)
{
    struct fill *fill = paths->fill;
    const struct path *piece = &paths->all.items[path];

    fill->runs[fill->count++] = (struct io_range){ piece->begin, piece->end - piece->begin };
    fill->cut += piece->end - piece->begin;
    fill_keep(fill);
    paths_keep(paths, path);
}

/* Whether the validator was kept when it had seen this path: *at is its place then. */
static bool paths_is_kept(const struct paths *paths, uint32_t path, uint32_t *at)
{
    for (*at = 0; *at < PATHS_KEPT; ++*at)
        if (paths->kept[*at].used != 0 && paths->kept[*at].path == path)
            return true;
    return false;
}

/* Shows the validator a path, up to its end; what it was kept behind is not shown again. */
static enum err_code paths_show(struct paths *paths, uint32_t path, struct err *err)
{
    struct fill *fill = paths->fill;
    const uint32_t pieces = paths->all.items[path].pieces;
    uint32_t way[FILL_PIECES] = { 0 }, same = 0, at = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = pieces, k = path; i-- > 0; k = paths->all.items[k].parent) {
        const struct path *piece = &paths->all.items[k];

        way[i] = k;
        fill->runs[i].offset = piece->begin;
        fill->runs[i].len = piece->end - piece->begin;
        if (same == 0 && paths_is_kept(paths, k, &at)) {
            same = i + 1;
            paths->kept[at].used = ++paths->uses;
            fill->in = paths->kept[at].in;
            trial_copy(fill->job->start->sig, fill->state, paths->states + at * fill->state_size);
        }
    }
    fill->count = same;
    fill->cut = 0;
    for (uint32_t i = 0; i < same; i++)
        fill->cut += fill->runs[i].len;
    for (uint32_t i = same; rc == ERR_OK && i < pieces; i++) {
        const struct path *piece = &paths->all.items[way[i]];
        struct sig_result result;

        rc = fill_show(fill, piece->begin, piece->end, UINT64_MAX, &result, err);
        if (rc == ERR_OK)
            paths_take(paths, way[i]);
    }
    return rc;
}

static int next_compare(const void *a, const void *b)
{
    const struct next *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->way < y->way ? -1 : x->way > y->way;
}

/*
 * What costs no more than so much is PATHS_BEHIND holes at least, if there are as many. Costs above
 * PATHS_COSTS are taken for that.
 */
static uint32_t paths_dearest(const struct paths *paths)
{
    uint16_t counts[PATHS_COSTS + 1] = { 0 };
    uint32_t cost = 0, sum = 0;

    for (uint32_t i = 0; i < paths->next_count; i++)
        counts[paths->next[i].cost < PATHS_COSTS ? paths->next[i].cost : PATHS_COSTS]++;
    for (sum = counts[0]; sum < PATHS_BEHIND && cost < PATHS_COSTS; sum += counts[cost])
        cost++;
    return cost;
}

/* Sorts the holes that may be next, and leaves out the least likely ones: most, where there are
 * many, before they are sorted. */
static void paths_fewer(struct paths *paths)
{
    if (paths->next_count > PATHS_SORTED) {
        const uint32_t dearest = paths_dearest(paths);
        uint32_t kept = 0;

        for (uint32_t i = 0; i < paths->next_count; i++)
            if (paths->next[i].cost <= dearest || dearest == PATHS_COSTS)
                paths->next[kept++] = paths->next[i];
        paths->next_count = kept;
    }
    qsort(paths->next, paths->next_count, sizeof paths->next[0], next_compare);
    if (paths->next_count > PATHS_BEHIND)
        paths->next_count = PATHS_BEHIND;
}

/* Adds to what each hole costs that others resemble the file more. */
static enum err_code paths_compare(struct paths *paths, struct err *err)
{
    struct fill *fill = paths->fill;
    const int64_t cap = fill->job->filled->follows ? PATHS_UNLIKE_KNOWN : PATHS_UNLIKE;
    struct fill_way most = { .saved = INT64_MIN };
    const enum err_code rc = fill_learn(fill, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < paths->next_count; i++) {
        struct fill_way *way = &fill->ways[paths->next[i].way];

        way->saved = fill_saved(fill, way, HOLES_HEAD);
        most.saved = way->saved > most.saved ? way->saved : most.saved;
    }
    for (uint32_t i = 0; i < paths->next_count; i++) {
        const int64_t less = most.saved - fill->ways[paths->next[i].way].saved;
        const int64_t unlike = less * RESEMBLE_BIT / fill_step(&most);

        paths->next[i].cost += (uint32_t)(unlike < cap ? unlike : cap);
    }
    fill->trial->work += paths->next_count * (uint64_t)FILL_COMPARED;
    return ERR_OK;
}

/* Adds to what the other holes cost where packed bytes go on in one. */
static void paths_flow(struct paths *paths)
{
    bool follows[HOLES_MAX];

    if (!fill_flows(paths->fill, follows))
        return;
    for (uint32_t i = 0; i < paths->next_count; i++)
        paths->next[i].cost += follows[paths->next[i].way] ? 0 : PATHS_FLOWS_NOT;
}

/* Whether to ask about a path takes more than to compare holes. */
static bool paths_are_dear(const struct fill *fill)
{
    return fill->trial->work - fill->spent_from > fill->tried * PATHS_DEAR;
}

/*
 * All paths that go on behind the one that the validator has seen. Where it is known in which order
 * holes were filled, that says more than how well they resemble the file, which is looked at for
 * the likeliest ones alone, and not where the validator is soon asked about all of them.
 */
static enum err_code paths_go_on(struct paths *paths, uint32_t path, struct err *err)
{
    struct fill *fill = paths->fill;
    const uint32_t cost = paths->all.items[path].cost, pieces = paths->all.items[path].pieces + 1;
    const bool known = fill->job->filled->follows;
    enum err_code rc = ERR_OK;

    if (pieces == FILL_PIECES)
        return ERR_OK;
    fill_list_ways(fill);
    for (uint32_t i = 0; i < fill->way_count; i++)
        paths->next[i] = (struct next){ fill->costs[fill->ways[i].hole], i };
    paths->next_count = fill->way_count;
    paths_flow(paths);
    if (known)
        paths_fewer(paths);
    if (!known || fill->job->start->sig->seam != SIG_SEAM_EXACT || paths_are_dear(fill))
        rc = paths_compare(paths, err);
    paths_fewer(paths);
    for (uint32_t i = 0; rc == ERR_OK && i < paths->next_count; i++) {
        const struct fill_way *way = &fill->ways[paths->next[i].way];

        path_heap_push(&paths->all,
                       &(struct path){ .parent = path,
                                       .pieces = pieces,
                                       .cost = cost - PATHS_PIECE + paths->next[i].cost,
                                       .begin = way->begin,
                                       .end = way->end });
    }
    return rc;
}

/* Where a path breaks, its last piece may end before its hole does: another file is behind it that
 * nobody knows. */
static void paths_shorten(struct paths *paths, const struct path *path, uint64_t far)
{
    const uint64_t unit = paths->fill->job->islands->unit;
    const uint64_t ends[] = { (far + unit - 1) / unit * unit, far / unit * unit };

    for (int k = 0; k < 2 && far >= PATHS_FAR && !path->part; k++) {
        struct path part = *path;

        part.part = true;
        part.end = path->begin + ends[k];
        part.cost += PATHS_SHORT;
        if (part.end < path->end && (k == 0 || ends[1] != ends[0]))
            path_heap_push(&paths->all, &part);
    }
}

/* Whether the last piece of a file whose end nothing marks has but zeros, or hardly anything, or
 * what was begun before it alone: it ends so in many a place. */
static bool paths_is_nothing(struct fill *fill, const struct fill_way *way)
{
    const uint64_t len = way->len - fill->cut;

    return (fill->job->start->sig->flags & SIG_LOOSE_END) != 0 &&
           (len < PATHS_NOTHING || way->len <= fill->in.wanted ||
            splice_image_zeros(&fill->trial->splice, way->begin,
                               len < LIMIT_SECTOR ? (uint32_t)len : LIMIT_SECTOR));
}

/* Notes where a file may end. */
static void paths_end(struct paths *paths, const struct path *piece, const struct fill_way *way)
{
    struct fill *fill = paths->fill;
    const uint32_t fit =
        fit_behind(&fill->trial->splice, fill->job->starts, way->begin + (way->len - fill->cut));

    if (paths_is_nothing(fill, way))
        return;
    fill->more = fill->job->budget; /* how many others there are says how sure it is */
    if (paths->end_count == PATHS_ENDS)
        return;
    paths->ends[paths->end_count++] =
        (struct end){ .way = *way,
                      .behind = piece->parent,
                      .pieces = piece->pieces,
                      .tried = fill->tried,
                      .cost = (int64_t)piece->cost + (int64_t)PATHS_PIECE * piece->pieces +
                              ((fit & FIT_SLACK) != 0 ? -PATHS_FIT
                               : fit == FIT_KNOWN     ? PATHS_UNFIT
                                                      : 0) };
}

/* The likeliest end. A wrong piece passes as often as the validator took what it was asked about,
 * so that more pieces that pass tell more. */
static const struct end *paths_likeliest(struct paths *paths)
{
    const int64_t each = (int64_t)resemble_log2((uint32_t)paths->fill->tried + 1) -
                         (int64_t)resemble_log2(paths->alive + 1);
    struct end *best = &paths->ends[0];

    for (uint32_t i = 0; i < paths->end_count; i++) {
        paths->ends[i].cost -= each * paths->ends[i].pieces;
        best = paths->ends[i].cost < best->cost ? &paths->ends[i] : best;
    }
    return best;
}

/*
 * How likely it is that another end is right, of GUESS_ONE: one of those that were found, by what
 * they cost; or that this one was come to by chance, as so many others were, of all that was asked
 * about, before it was its turn. Where the validator refuses nearly all that it is asked about,
 * that was PATHS_DOUBT times too much in images whose files are known.
 */
static uint64_t paths_wrong(const struct paths *paths, const struct end *best)
{
    const uint64_t others = 2 * (uint64_t)(paths->end_count - 1) + 1; /* and half of one */
    uint64_t rivals = 0;

    for (uint32_t i = 0; i < paths->end_count; i++) {
        const int64_t worse = (paths->ends[i].cost - best->cost) / RESEMBLE_BIT;

        if (&paths->ends[i] != best && worse < FILL_STEPS_MOST)
            rivals += (uint64_t)FILL_WEIGHT >> worse;
    }
    const bool seldom = paths->alive * (uint64_t)PATHS_SELDOM < paths->fill->tried;

    return (rivals * GUESS_ONE / (rivals + FILL_WEIGHT) +
            best->tried * others * GUESS_ONE / (2 * paths->fill->tried)) /
           (seldom ? PATHS_DOUBT : 1);
}

/* Asks the validator about a path, whose pieces before the last one it takes. */
static enum err_code paths_ask(struct paths *paths, uint32_t path, struct err *err)
{
    struct fill *fill = paths->fill;
    const struct path piece = paths->all.items[path];
    struct fill_way way = { .begin = piece.begin, .end = piece.end };
    enum err_code rc = paths_show(paths, piece.parent, err);

    if (rc == ERR_OK)
        rc = fill_look(fill, &way, err);
    if (rc != ERR_OK)
        return rc;
    paths->alive += !way.dead;
    if (way.dead) {
        paths_shorten(paths, &piece, way.far);
        return ERR_OK;
    }
    if (way.len == 0) {
        paths_take(paths, path);
        return paths_go_on(paths, path, err);
    }
    if (fill->job->likely)
        paths_end(paths, &piece, &way);
    if (way.proven) {
        paths->two = paths->proven.proven;
        paths->proven = way;
        paths->proven_behind = piece.parent;
    }
    return ERR_OK;
}

/* Asks about paths until one is proven, and no other one seems to be. */
static enum err_code paths_search(struct paths *paths, struct err *err)
{
    struct fill *fill = paths->fill;
    const bool exact = fill->job->start->sig->seam == SIG_SEAM_EXACT;
    uint64_t until = fill->job->likely ? PATHS_LIKELY : UINT64_MAX;
    enum err_code rc = paths_go_on(paths, 0, err);

    while (rc == ERR_OK && paths->all.open > 0 && !paths->two && fill->tried < until &&
           !fill_spent(fill)) {
        rc = paths_ask(paths, path_heap_pop(&paths->all), err);
        if (paths->proven.proven && until == UINT64_MAX) {
            until = exact ? 0 : 2 * fill->tried + PATHS_MORE;
            fill->more = PATHS_MORE_WORK * fill->job->budget;
        }
    }
    return rc;
}

enum err_code fill_paths(struct fill *fill, bool *found, struct err *err)
{
    struct paths *paths = calloc(1, sizeof *paths);
    uint8_t *states = malloc(PATHS_KEPT * fill->state_size + 1);
    enum err_code rc = ERR_OK;

    *found = false;
    if (paths == NULL || states == NULL) {
        free(paths);
        free(states);
        return ERR_NO_MEMORY(err, sizeof *paths + PATHS_KEPT * fill->state_size);
    }
    paths->fill = fill;
    paths->all.count = 1;
    paths->all.items[0] = (struct path){ .pieces = 1,
                                         .cost = PATHS_ROOT,
                                         .begin = fill->runs[0].offset,
                                         .end = fill->runs[0].offset + fill->runs[0].len };
    paths->states = states;
    paths_keep(paths, 0);
    rc = paths_search(paths, err);
    /* Where not all of the others could be asked about, they may pass as well. */
    const bool exact = fill->job->start->sig->seam == SIG_SEAM_EXACT;
    if (rc == ERR_OK && paths->proven.proven && !paths->two && (exact || !fill_spent(fill))) {
        rc = paths_show(paths, paths->proven_behind, err);
        fill->ways[0] = paths->proven;
        fill->way_count = 1;
        fill->best = 0;
        *found = true;
    } else if (rc == ERR_OK && paths->end_count > 0 && fill->job->likely) {
        const struct end *best = paths_likeliest(paths);

        fill->wrong = paths_wrong(paths, best);
        fill->ways[0] = best->way;
        fill->way_count = 1;
        fill->best = 0;
        *found = true;
        rc = paths_show(paths, best->behind, err);
    }
    free(states);
    free(paths);
    return rc;
}
