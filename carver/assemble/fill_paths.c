/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fill_paths.c - see fill_impl.h.
 *
 * A path is the first pieces of a file. The likeliest one that the validator was not asked about is
 * asked about next; where it goes on, each hole that may be next is a path more. So a piece that
 * wrong bytes pass for costs the others little.
 */
#include <stdlib.h>
#include <string.h>

#include "carver/assemble/fill_impl.h"

enum {
    PATHS_MAX = 1 << 14, /* of one file */
    PATHS_BEHIND = 128,  /* holes behind one piece that are tried, the likeliest ones */
    PATHS_UNLIKE =
        20 * 256, /* what a hole costs at most that resembles the file less than others */
    PATHS_UNLIKE_KNOWN = 5 * 256, /* do, also where it is known how holes were filled; */
    PATHS_PIECE = 4 * 256,        /* and how much likelier a path that the validator takes on, */
    PATHS_SHORT = 6 * 256,        /* or less likely one whose last piece ends before its hole does:
                                     256ths of a bit */
    PATHS_FAR = 8192,             /* bytes of such a piece, at least */
    PATHS_MORE = 64,              /* paths that are asked about behind a proven one, and as many as
                                     before: units of another file may pass */
    PATHS_ROOT = FILL_PIECES * PATHS_PIECE,
};

struct path {
    uint32_t parent;     /* the path without its last piece */
    uint32_t pieces;     /* with its last one */
    uint32_t cost;       /* how unlikely it is */
    bool part;           /* its last piece does not fill its hole */
    uint64_t begin, end; /* of that piece: image offsets */
};

/* What it costs to go on in a way of struct fill. */
struct next {
    uint32_t cost, way;
};

struct paths {
    struct fill *fill;
    struct next next[HOLES_MAX];
    struct path items[PATHS_MAX]; /* the first one is the first piece */
    uint32_t count;
    uint32_t heap[PATHS_MAX]; /* those that are not asked about: the likeliest is the first one */
    uint32_t open;
    /* The path that the validator has seen, and the validator behind each piece of it. */
    uint32_t seen[FILL_PIECES], seen_count;
    struct sig_input ins[FILL_PIECES];
    uint8_t *states; /* [FILL_PIECES] */
    /* The path that is proven. */
    struct fill_way proven;
    uint32_t proven_behind; /* which path it goes on from */
    bool two;               /* there is another one */
};

static bool paths_before(const struct paths *paths, uint32_t a, uint32_t b)
{
    const struct path *x = &paths->items[a], *y = &paths->items[b];

    return x->cost != y->cost ? x->cost < y->cost : a < b;
}

static void paths_swap(struct paths *paths, uint32_t a, uint32_t b)
{
    const uint32_t kept = paths->heap[a];

    paths->heap[a] = paths->heap[b];
    paths->heap[b] = kept;
}

static void paths_push(struct paths *paths, const struct path *path)
{
    if (paths->count == PATHS_MAX)
        return;
    uint32_t at = paths->open++;
    paths->items[paths->count] = *path;
    paths->heap[at] = paths->count++;
    for (; at > 0 && paths_before(paths, paths->heap[at], paths->heap[(at - 1) / 2]);
         at = (at - 1) / 2)
        paths_swap(paths, at, (at - 1) / 2);
}

/* The likeliest one, which is not there any more then. */
static uint32_t paths_pop(struct paths *paths)
{
    const uint32_t top = paths->heap[0];
    uint32_t at = 0;

    paths->heap[0] = paths->heap[--paths->open];
    for (;;) {
        uint32_t first = at;

        for (uint32_t k = 2 * at + 1; k <= 2 * at + 2 && k < paths->open; k++)
            first = paths_before(paths, paths->heap[k], paths->heap[first]) ? k : first;
        if (first == at)
            return top;
        paths_swap(paths, at, first);
        at = first;
    }
}

/* Takes the piece that the validator was shown last, which ends the path. */
static void paths_take(struct paths *paths, uint32_t path)
{
    struct fill *fill = paths->fill;
    const uint32_t at = fill->count;
    const struct path *piece = &paths->items[path];

    fill->runs[at] = (struct io_range){ piece->begin, piece->end - piece->begin };
    fill->cut += piece->end - piece->begin;
    fill->count++;
    fill_keep(fill);
    paths->seen[at] = path;
    paths->seen_count = fill->count;
    paths->ins[at] = fill->in;
    memcpy(paths->states + at * fill->state_size, fill->state, fill->state_size);
}

/* Shows the validator a path, up to its end; what it has seen of it already is not shown again. */
static enum err_code paths_show(struct paths *paths, uint32_t path, struct err *err)
{
    struct fill *fill = paths->fill;
    const uint32_t pieces = paths->items[path].pieces;
    uint32_t way[FILL_PIECES] = { 0 }, same = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t at = path, i = pieces; i-- > 0; at = paths->items[at].parent)
        way[i] = at;
    while (same < pieces && same < paths->seen_count && way[same] == paths->seen[same])
        same++;
    if (same < fill->count) {
        fill->count = paths->seen_count = same;
        fill->cut = 0;
        for (uint32_t i = 0; i < same; i++)
            fill->cut += fill->runs[i].len;
        fill->in = paths->ins[same - 1];
        memcpy(fill->state, paths->states + (same - 1) * fill->state_size, fill->state_size);
    }
    for (uint32_t i = same; rc == ERR_OK && i < pieces; i++) {
        const struct path *piece = &paths->items[way[i]];
        struct sig_result result;

        rc = fill_show(fill, piece->begin, piece->end, UINT64_MAX, &result, err);
        if (rc == ERR_OK)
            paths_take(paths, way[i]);
    }
    return rc;
}

/* What a hole costs behind a piece; most: how well the one resembles it that does most. */
static uint32_t next_cost(const struct fill *fill, const struct fill_way *way,
                          const struct fill_way *most)
{
    const int64_t cap = fill->job->filled->follows ? PATHS_UNLIKE_KNOWN : PATHS_UNLIKE;
    const int64_t unlike =
        (most->saved - way->saved - way->unlike) * RESEMBLE_BIT / fill_step(most);

    return (uint32_t)(unlike < cap ? unlike : cap) + fill->costs[way->hole];
}

static int next_compare(const void *a, const void *b)
{
    const struct next *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->way < y->way ? -1 : x->way > y->way;
}

/* All paths that go on behind the one that the validator has seen. */
static enum err_code paths_go_on(struct paths *paths, uint32_t path, struct err *err)
{
    struct fill *fill = paths->fill;
    const uint32_t cost = paths->items[path].cost, pieces = paths->items[path].pieces + 1;
    struct fill_way most = { .saved = INT64_MIN };

    if (pieces == FILL_PIECES)
        return ERR_OK;
    const enum err_code rc = fill_ways(fill, err);
    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < fill->way_count; i++)
        if (fill->ways[i].saved + fill->ways[i].unlike > most.saved)
            most.saved = fill->ways[i].saved + fill->ways[i].unlike;
    for (uint32_t i = 0; i < fill->way_count; i++)
        paths->next[i] = (struct next){ next_cost(fill, &fill->ways[i], &most), i };
    qsort(paths->next, fill->way_count, sizeof paths->next[0], next_compare);
    for (uint32_t i = 0; i < fill->way_count && i < PATHS_BEHIND; i++) {
        const struct fill_way *way = &fill->ways[paths->next[i].way];

        paths_push(paths, &(struct path){ .parent = path,
                                          .pieces = pieces,
                                          .cost = cost - PATHS_PIECE + paths->next[i].cost,
                                          .begin = way->begin,
                                          .end = way->end });
    }
    return ERR_OK;
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
            paths_push(paths, &part);
    }
}

/* Asks the validator about a path, whose pieces before the last one it takes. */
static enum err_code paths_ask(struct paths *paths, uint32_t path, struct err *err)
{
    struct fill *fill = paths->fill;
    const struct path piece = paths->items[path];
    struct fill_way way = { .begin = piece.begin, .end = piece.end };
    enum err_code rc = paths_show(paths, piece.parent, err);

    if (rc == ERR_OK)
        rc = fill_look(fill, &way, err);
    if (rc != ERR_OK)
        return rc;
    if (way.dead) {
        paths_shorten(paths, &piece, way.far);
        return ERR_OK;
    }
    if (way.len == 0) {
        paths_take(paths, path);
        return paths_go_on(paths, path, err);
    }
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
    uint64_t until = UINT64_MAX;
    enum err_code rc = paths_go_on(paths, 0, err);

    while (rc == ERR_OK && paths->open > 0 && !paths->two && fill->tried < until &&
           !fill_spent(fill)) {
        rc = paths_ask(paths, paths_pop(paths), err);
        if (paths->proven.proven && until == UINT64_MAX)
            until = exact ? 0 : 2 * fill->tried + PATHS_MORE;
    }
    return rc;
}

enum err_code fill_paths(struct fill *fill, bool *proven, struct err *err)
{
    struct paths *paths = malloc(sizeof *paths);
    uint8_t *states = malloc(FILL_PIECES * fill->state_size + 1);
    enum err_code rc = ERR_OK;

    *proven = false;
    if (paths == NULL || states == NULL) {
        free(paths);
        free(states);
        return ERR_NO_MEMORY(err, sizeof *paths + FILL_PIECES * fill->state_size);
    }
    paths->fill = fill;
    paths->open = 0;
    paths->count = paths->seen_count = 1;
    paths->items[0] = (struct path){ .pieces = 1, .cost = PATHS_ROOT };
    paths->seen[0] = 0;
    paths->ins[0] = fill->in;
    paths->states = states;
    paths->proven = (struct fill_way){ 0 };
    paths->two = false;
    memcpy(states, fill->state, fill->state_size);
    rc = paths_search(paths, err);
    /* Where not all of the others could be asked about, they may pass as well. */
    if (rc == ERR_OK && paths->proven.proven && !paths->two && !fill_spent(fill)) {
        rc = paths_show(paths, paths->proven_behind, err);
        fill->ways[0] = paths->proven;
        fill->way_count = 1;
        fill->best = 0;
        *proven = true;
    }
    free(states);
    free(paths);
    return rc;
}
