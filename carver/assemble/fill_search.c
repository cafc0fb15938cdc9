/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fill_search.c - see fill_impl.h. */
#include <stdlib.h>

#include "carver/assemble/fill_impl.h"

enum {
    FILL_FAR = 8192,  /* bytes of a piece that ends before its hole does, at least, */
    FILL_FARTHER = 2, /* and so many times what any other has */
    FILL_MOST = 4,    /* of so many ways, one is not refused */
    FILL_MORE = 64,   /* ways that are asked about behind a proven one, and twice those before */
};

/* Whether the file has this byte of the image already. */
static bool fill_has(const struct fill *fill, uint64_t at)
{
    bool has = false;

    for (uint32_t i = 0; i < fill->count; i++)
        has = has || (at >= fill->runs[i].offset && at - fill->runs[i].offset < fill->runs[i].len);
    return has;
}

void fill_list_ways(struct fill *fill)
{
    const struct fill_job *job = fill->job;

    filled_costs(job->filled, fill->runs, fill->count, fill->costs);
    fill->way_count = 0;
    for (size_t i = 0; i < job->holes->count; i++) {
        const struct filled_hole hole = job->filled->holes[i];

        if (!fill_has(fill, hole.begin))
            fill->ways[fill->way_count++] = (struct fill_way){ .hole = (uint32_t)i,
                                                               .begin = hole.begin,
                                                               .end = hole.begin + hole.size };
    }
    fill->trial->work += fill->way_count * (uint64_t)FILL_LISTED;
}

/* Compares all ways with the pieces, and holds against each how unlikely its hole was chosen. */
static void fill_compare_ways(struct fill *fill)
{
    struct fill_way most = { 0 };

    for (uint32_t i = 0; i < fill->way_count; i++) {
        fill->ways[i].saved = fill_saved(fill, &fill->ways[i], HOLES_HEAD);
        most.saved = fill->ways[i].saved > most.saved ? fill->ways[i].saved : most.saved;
    }
    for (uint32_t i = 0; i < fill->way_count; i++) {
        struct fill_way *way = &fill->ways[i];

        way->unlike = fill_step(&most) * fill->costs[way->hole] / RESEMBLE_BIT;
        way->saved -= way->unlike;
    }
    fill->trial->work += fill->way_count * (uint64_t)FILL_COMPARED;
}

static int fill_compare(const void *a, const void *b)
{
    const struct fill_way *x = a, *y = b;

    if (x->saved != y->saved)
        return x->saved > y->saved ? -1 : 1;
    return x->hole < y->hole ? -1 : x->hole > y->hole;
}

/* Whether a way is better than the best one so far: proof comes before resemblance. */
static bool fill_better(const struct fill *fill, const struct fill_way *way)
{
    const struct fill_way *best = &fill->ways[fill->best];

    if (way->dead)
        return false;
    return fill->best == fill->way_count ||
           (way->proven != best->proven ? way->proven : way->saved > best->saved);
}

/*
 * Whether nothing that this way could say matters any more. Where the validator proves seams, the
 * one that ends the file proves it, however little it resembles the piece before.
 */
static bool fill_settled(const struct fill *fill, const struct fill_way *way)
{
    const enum sig_seam seam = fill->job->start->sig->seam;

    if (fill->best == fill->way_count)
        return false;
    const struct fill_way *best = &fill->ways[fill->best];
    if (seam >= SIG_SEAM_UNIT)
        return best->proven &&
               (seam == SIG_SEAM_EXACT || fill->asked >= 2 * (fill->best + 1) + FILL_MORE);
    /* Where it takes the best one alone, what it says of all others tells how sure that is. */
    return way->saved < best->saved - FILL_STEPS_MOST * fill_step(best) && fill->alive > 1;
}

/* Those that go on first, the longest piece before all others. */
static int fill_compare_pieces(const void *a, const void *b)
{
    const struct fill_way *x = a, *y = b;
    const bool on_x = x->asked && !x->dead, on_y = y->asked && !y->dead;
    const uint64_t len_x = x->end - x->begin, len_y = y->end - y->begin;

    if (on_x != on_y)
        return on_x ? -1 : 1;
    if (on_x && len_x != len_y)
        return len_x > len_y ? -1 : 1;
    return fill_compare(a, b);
}

/*
 * Where the validator refuses most ways, one of the others is the more likely right the longer its
 * piece is: wrong bytes are seen in the end.
 */
static void fill_prefer_long(struct fill *fill)
{
    if (fill->job->start->sig->seam < SIG_SEAM_UNIT || fill->best == fill->way_count ||
        fill->ways[fill->best].len != 0 || fill->alive * FILL_MOST > fill->asked)
        return;
    qsort(fill->ways, fill->way_count, sizeof fill->ways[0], fill_compare_pieces);
    fill->best = 0;
}

/*
 * Where no way goes on to the end of its hole, the piece may end before: another file is behind it
 * that nobody knows. Takes the way that came farther than all others to where it breaks.
 */
static enum err_code fill_part(struct fill *fill, struct err *err)
{
    const uint64_t unit = fill->job->islands->unit;
    uint64_t most = 0, second = 0;
    uint32_t at = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < fill->way_count; i++) {
        const uint64_t far = fill->ways[i].far;

        if (far > most)
            at = i;
        second = far > most ? most : far > second ? far : second;
        most = far > most ? far : most;
    }
    if (most < FILL_FAR || most < FILL_FARTHER * second)
        return ERR_OK;
    struct fill_way *way = &fill->ways[at];
    const uint64_t ends[] = { (most + unit - 1) / unit * unit, most / unit * unit };
    for (int k = 0; rc == ERR_OK && way->dead && k < 2; k++) {
        struct sig_result result;

        if (ends[k] == 0 || ends[k] >= way->end - way->begin)
            continue;
        rc = fill_show(fill, way->begin, way->begin + ends[k], UINT64_MAX, &result, err);
        if (rc != ERR_OK || !fill_goes_on(fill, &result))
            continue;
        way->end = way->begin + ends[k];
        way->dead = false;
        fill->alive++;
        fill->best = at;
    }
    return rc;
}

enum err_code fill_search(struct fill *fill, struct err *err)
{
    enum err_code rc = fill_learn(fill, err);

    fill_list_ways(fill);
    if (rc == ERR_OK)
        fill_compare_ways(fill);
    qsort(fill->ways, fill->way_count, sizeof fill->ways[0], fill_compare);
    fill->best = fill->way_count;
    fill->asked = fill->alive = 0;
    for (uint32_t i = 0; rc == ERR_OK && i < fill->way_count && !fill_spent(fill); i++) {
        if (fill_settled(fill, &fill->ways[i]))
            break;
        rc = fill_ask(fill, &fill->ways[i], err);
        fill->asked++;
        fill->alive += !fill->ways[i].dead;
        if (rc == ERR_OK && fill_better(fill, &fill->ways[i]))
            fill->best = i;
    }
    fill_prefer_long(fill);
    return rc == ERR_OK && fill->best == fill->way_count ? fill_part(fill, err) : rc;
}
