/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_rows_ring.h - what regex_rows.h keeps while it goes over a text, rows, and the
 * rings that they enter and leave. A template.
 *
 * Define ROWS_TARGET (a function attribute, or nothing) before.
 */
#include <string.h>

#include "match/regex/regex_rows.h"

enum { ROWS_LANES = 4 }; /* words of 64 bits that are worked on at a time */

typedef uint64_t rows_lanes __attribute__((vector_size(ROWS_LANES * 8), may_alias));

/*
 * What has entered a ring at every len-th place. Entries are counted from where the queue was
 * empty.
 */
struct rows_queue {
    uint32_t count; /* entries */
    uint32_t live;  /* entries to come until the last one that is not empty has left */
    uint16_t head,
        right;      /* of the ring: where the next entry goes, and the newest one of the window */
    uint16_t phase; /* of the right end in its part of the window's length */
    bool wrapped;   /* there is a part before it */
    bool pre_any;
};

struct rows_state {
    const struct regex_rows *rows;
    const struct regex_task *task;
    uint32_t lanes;   /* in a row, ROWS_LANES words each */
    uint32_t word;    /* of a row: the newest starts' */
    uint32_t decided; /* starts before it have been given out */

    rows_lanes *out, *next; /* [run_count]: who has just gone through a run */
    rows_lanes *port;       /* [port_count]: who stands at a port that several runs lead to, */
    const rows_lanes **at;  /* [port_count]: and at any port that is not empty */
    rows_lanes *ring;       /* [ring_count] */
    rows_lanes *pre;        /* [queue_count]: of a window, its newer part */
    rows_lanes *stamp;      /* [ROWS_STAMP_BITS]: where the match of a start ends */
    rows_lanes *matched;    /* [1]: starts that have one */
    rows_lanes *ended;      /* [2]: starts of which one ends here, and one byte before */
    struct rows_queue *queues;
    uint64_t *steps;                  /* [step_words]: bodies whose last bytes stand here */
    uint8_t *ring_any;                /* [ring_count]: the row is not empty */
    uint16_t *turn;                   /* [run_count]: the queue that enters now */
    uint16_t *alive;                  /* [run_count]: queues that are not empty */
    uint64_t out_any, port_any, busy; /* runs and ports that are not empty; rings at work */
    bool ended_any;                   /* of one byte before */
};

#define ROWS_EACH(mask, i)                                                                         \
    for (uint64_t i##_left = (mask), i = 0;                                                        \
         i##_left != 0 && (i = (uint64_t)__builtin_ctzll(i##_left), true);                         \
         i##_left &= i##_left - 1)

ROWS_TARGET static inline bool rows_has(uint64_t mask, uint64_t i)
{
    return (mask >> i & 1) != 0;
}

ROWS_TARGET static inline void rows_copy(rows_lanes *to, const rows_lanes *from, uint32_t lanes)
{
    for (uint32_t i = 0; i < lanes; i++)
        to[i] = from[i];
}

ROWS_TARGET static inline void rows_join(rows_lanes *to, const rows_lanes *from, uint32_t lanes)
{
    for (uint32_t i = 0; i < lanes; i++)
        to[i] |= from[i];
}

ROWS_TARGET static inline void rows_zero(rows_lanes *row, uint32_t lanes)
{
    for (uint32_t i = 0; i < lanes; i++)
        row[i] = (rows_lanes){ 0 };
}

/* Word w of a row. */
ROWS_TARGET static inline uint64_t *rows_word(rows_lanes *row, uint32_t w)
{
    return (uint64_t *)row + w;
}

ROWS_TARGET static inline bool rows_empty(rows_lanes *row, uint32_t lanes)
{
    uint64_t all = 0;

    for (uint32_t w = 0; w < lanes * ROWS_LANES; w++)
        all |= *rows_word(row, w);
    return all == 0;
}

ROWS_TARGET static inline rows_lanes *rows_row(const struct rows_state *state, rows_lanes *rows,
                                               uint64_t i)
{
    return rows + i * state->lanes;
}

/* Who enters run r at text[at]; false: nobody. */
ROWS_TARGET static inline bool rows_enter(const struct rows_state *state, uint32_t r, bool begins,
                                          uint32_t at, rows_lanes *to)
{
    const struct regex_rows *rows = state->rows;
    const struct rows_run *run = &rows->runs[r];
    bool any = false;

    if (run->kind == ROWS_MANY && rows_has(state->out_any, r)) {
        rows_copy(to, rows_row(state, state->out, r), state->lanes);
        any = true;
    }
    ROWS_EACH(run->feeds & state->port_any, p)
    {
        if (any)
            rows_join(to, state->at[p], state->lanes);
        else
            rows_copy(to, state->at[p], state->lanes);
        any = true;
    }
    if (begins && rows_has(rows->begins, r)) {
        if (!any)
            rows_zero(to, state->lanes);
        *rows_word(to, state->word) |= (uint64_t)1 << (at % 64);
        any = true;
    }
    return any;
}

/* Empties a queue. */
ROWS_TARGET static void rows_restart(struct rows_state *state, uint32_t r, struct rows_queue *queue)
{
    if (queue->count == 0)
        return;
    *queue = (struct rows_queue){ 0 };
    if (--state->alive[r] == 0)
        state->busy &= ~((uint64_t)1 << r);
}

/* One more entry for a queue that has some, or for one that is empty when somebody enters. */
ROWS_TARGET static void rows_push(struct rows_state *state, uint32_t r, uint32_t which, bool enters,
                                  bool begins, uint32_t at)
{
    const struct rows_run *run = &state->rows->runs[r];
    struct rows_queue *queue = &state->queues[run->queue + which];
    const uint32_t slot = run->ring + which * run->max + queue->head;

    if (enters)
        enters = rows_enter(state, r, begins, at, rows_row(state, state->ring, slot));
    if (!enters && queue->count == 0)
        return;
    if (!enters && --queue->live == 0) {
        rows_restart(state, r, queue);
        return;
    }
    if (queue->count == 0) {
        state->alive[r]++;
        state->busy |= (uint64_t)1 << r;
    }
    if (enters)
        queue->live = run->max;
    state->ring_any[slot] = enters;
    queue->head = queue->head + 1 == run->max ? 0 : queue->head + 1;
    queue->count++;
}

/* Entries of the part before the right end, each joined with those behind it in that part. */
ROWS_TARGET static void rows_suffixes(struct rows_state *state, const struct rows_run *run,
                                      uint32_t ring, uint32_t last, uint32_t count)
{
    for (uint32_t behind = last; count > 0; count--) {
        const uint32_t i = behind == 0 ? run->max - 1u : behind - 1;

        if (state->ring_any[ring + behind] && state->ring_any[ring + i])
            rows_join(rows_row(state, state->ring, ring + i),
                      rows_row(state, state->ring, ring + behind), state->lanes);
        else if (state->ring_any[ring + behind])
            rows_copy(rows_row(state, state->ring, ring + i),
                      rows_row(state, state->ring, ring + behind), state->lanes);
        state->ring_any[ring + i] |= state->ring_any[ring + behind];
        behind = i;
    }
}

/* Moves the window of a queue by one entry; who is in it goes to *to. False: nobody. */
ROWS_TARGET static bool rows_window(struct rows_state *state, uint32_t r, uint32_t which,
                                    rows_lanes *to)
{
    const struct rows_run *run = &state->rows->runs[r];
    struct rows_queue *queue = &state->queues[run->queue + which];
    const uint32_t ring = run->ring + which * run->max, len = run->max - run->min + 1u;
    rows_lanes *pre = rows_row(state, state->pre, run->queue + which);
    const uint32_t right = queue->right, slot = ring + right;
    bool any;

    queue->right = right + 1 == run->max ? 0 : (uint16_t)(right + 1);
    if (len == 1) {
        if (state->ring_any[slot])
            rows_copy(to, rows_row(state, state->ring, slot), state->lanes);
        return state->ring_any[slot];
    }
    if (queue->phase == len) {
        rows_suffixes(state, run, ring, right == 0 ? run->max - 1u : right - 1, len - 2);
        queue->phase = 0;
        queue->wrapped = true;
    }
    if (state->ring_any[slot] && queue->phase > 0 && queue->pre_any)
        rows_join(pre, rows_row(state, state->ring, slot), state->lanes);
    else if (state->ring_any[slot])
        rows_copy(pre, rows_row(state, state->ring, slot), state->lanes);
    queue->pre_any = state->ring_any[slot] || (queue->phase > 0 && queue->pre_any);
    queue->phase++;

    any = queue->pre_any;
    if (any)
        rows_copy(to, pre, state->lanes);
    if (queue->wrapped && queue->phase < len) {
        const uint32_t left =
            ring + (right >= len - 1 ? right - (len - 1) : right + run->max - (len - 1));

        if (state->ring_any[left] && any)
            rows_join(to, rows_row(state, state->ring, left), state->lanes);
        else if (state->ring_any[left])
            rows_copy(to, rows_row(state, state->ring, left), state->lanes);
        any |= state->ring_any[left];
    }
    return any;
}

/* A byte for a ring: who enters it, and who leaves. */
ROWS_TARGET static bool rows_ring(struct rows_state *state, uint32_t r, bool enters, bool takes,
                                  bool begins, uint32_t at, rows_lanes *to)
{
    const struct rows_run *run = &state->rows->runs[r];
    const uint32_t which = state->turn[r], behind = which + 1u == run->len ? 0 : which + 1u;

    rows_push(state, r, which, enters, begins, at);
    state->turn[r] = (uint16_t)behind;
    struct rows_queue *queue = &state->queues[run->queue + behind];
    if (queue->count == 0)
        return false;
    const bool right =
        run->len == 1 ? takes : (state->steps[run->end_bit / 64] >> (run->end_bit % 64) & 1) != 0;
    if (!right) {
        rows_restart(state, r, queue);
        return false;
    }
    return queue->count >= run->min && rows_window(state, r, behind, to);
}
