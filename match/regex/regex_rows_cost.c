/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_rows_cost.c - what a byte takes at most; see regex_rows.h.
 *
 * Which runs can be at work at the same time is found by trying: from none on, all classes of bytes
 * in all orders, a match beginning at every byte. A ring is taken to be at work as long as its
 * bytes are right, and to be left at each of them, which is more than can be.
 */
#include "match/regex/regex_rows.h"

enum {
    COST_BYTE = 40,  /* a byte as such, */
    COST_ENDS = 24,  /* the ends of matches, for each vector of a row, */
    COST_STEPS = 3,  /* a word of steps, */
    COST_RUN = 4,    /* a run, */
    COST_RING = 24,  /* and more when it has a ring, */
    COST_PORT = 3,   /* a run at a port, */
    COST_ROW = 5,    /* and a row that is joined to another one, with 1 for each vector of it: */
    COST_VECTOR = 4, /* so many words */

    COST_SETS = 512, /* of runs at work at the same time, that are tried */
};

struct cost {
    const struct regex_rows *rows;
    uint32_t join;
    uint32_t most;
    uint32_t count;
    uint64_t sets[COST_SETS];
};

#define COST_EACH(mask, i)                                                                         \
    for (uint64_t i##_left = (mask), i = 0;                                                        \
         i##_left != 0 && (i = (uint64_t)__builtin_ctzll(i##_left), true);                         \
         i##_left &= i##_left - 1)

static uint32_t cost_count(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

/* What a byte of a class takes when those runs are at work; *after: the runs that are then. */
static uint32_t cost_byte(const struct cost *cost, uint64_t runs, uint32_t class, uint64_t *after)
{
    const struct regex_rows *rows = cost->rows;
    uint64_t ports = 0, reach = rows->begins | (runs & rows->many), strings = 0;
    uint32_t all = 0;

    COST_EACH(runs, r)
    {
        const uint32_t port = rows->runs[r].port;
        const bool joined = cost_count(rows->ports[port].from & runs) > 1;

        ports |= (uint64_t)1 << port;
        reach |= rows->ports[port].to;
        all += COST_PORT + (joined ? cost->join : 0);
    }
    reach &= rows->takes[class];
    COST_EACH(rows->rings, r)
    {
        strings |= (uint64_t)(rows->runs[r].len > 1) << r;
    }
    *after = reach | (runs & rows->rings & (rows->takes[class] | strings));
    COST_EACH(*after, r)
    {
        const bool ring = (rows->rings >> r & 1) != 0;

        all += COST_RUN + (cost_count(rows->runs[r].feeds & ports) + 1) * cost->join;
        all += ring ? COST_RING + 4 * cost->join : 0;
    }
    return all;
}

/* Tries a byte of each class; false: there are more sets than are kept. */
static bool cost_try(struct cost *cost, uint64_t runs, uint32_t classes)
{
    bool kept = true;

    for (uint32_t c = 0; c < classes; c++) {
        uint64_t after;
        const uint32_t takes = cost_byte(cost, runs, c, &after);
        uint32_t i = 0;

        cost->most = takes > cost->most ? takes : cost->most;
        while (i < cost->count && cost->sets[i] != after)
            i++;
        kept &= i < COST_SETS;
        if (i == cost->count && i < COST_SETS)
            cost->sets[cost->count++] = after;
    }
    return kept;
}

uint32_t regex_rows_cost(const struct regex_rows *rows, uint32_t classes)
{
    const uint32_t vectors = (rows->words + COST_VECTOR - 1) / COST_VECTOR;
    struct cost cost = { .rows = rows, .join = COST_ROW + vectors, .count = 1 };
    bool all = true;

    for (uint32_t i = 0; i < cost.count && all; i++)
        all = cost_try(&cost, cost.sets[i], classes);
    if (!all)
        (void)cost_try(&cost, UINT64_MAX >> (64 - rows->run_count),
                       classes); /* as if all could be at work */
    return COST_BYTE + COST_ENDS * vectors + COST_STEPS * rows->step_words + cost.most;
}
