/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_rows_scan.h - how regex_rows.h goes over a text. A template.
 *
 * Define ROWS_TARGET (a function attribute, or nothing) before. A start's bit stands in its row at
 * a place that goes by its number, modulo the words of a row; the oldest word is cleared everywhere
 * before it is used again.
 */
#include "match/regex/regex_rows_ring.h"

/* Who stands at which port; returns the runs behind all that are not empty. */
ROWS_TARGET static inline uint64_t rows_ports(struct rows_state *state)
{
    const struct regex_rows *rows = state->rows;
    uint64_t reach = 0;

    state->port_any = 0;
    ROWS_EACH(state->out_any, r)
    {
        const uint32_t p = rows->runs[r].port;
        const rows_lanes *row = rows_row(state, state->out, r);

        if (!rows_has(state->port_any, p)) {
            state->at[p] = row;
            state->port_any |= (uint64_t)1 << p;
            reach |= rows->ports[p].to;
            continue;
        }
        rows_lanes *all = rows_row(state, state->port, p);
        if (state->at[p] != all)
            rows_copy(all, state->at[p], state->lanes);
        rows_join(all, row, state->lanes);
        state->at[p] = all;
    }
    return reach;
}

/* Bodies whose bytes stand before text[at + 1]. */
ROWS_TARGET static void rows_steps(struct rows_state *state, uint32_t class)
{
    const struct regex_rows *rows = state->rows;
    const uint64_t *takes = rows->steps + (size_t) class * rows->step_words;
    uint64_t carry = 0;

    for (uint32_t w = 0; w < rows->step_words; w++) {
        const uint64_t before = state->steps[w];

        state->steps[w] = (before << 1 | carry | rows->step_starts[w]) & takes[w];
        carry = before >> 63;
    }
}

/* Goes over one byte. */
ROWS_TARGET static void rows_byte(struct rows_state *state, uint32_t class, bool begins,
                                  uint32_t at)
{
    const struct regex_rows *rows = state->rows;
    const uint64_t takes = rows->takes[class], reach = rows_ports(state);
    const uint64_t enter =
        takes & (reach | (begins ? rows->begins : 0) | (rows->many & state->out_any));
    uint64_t any = 0;

    rows_steps(state, class);
    ROWS_EACH(enter & ~rows->rings, r)
    {
        any |= (uint64_t)rows_enter(state, (uint32_t)r, begins, at, rows_row(state, state->next, r))
               << r;
    }
    ROWS_EACH((enter & rows->rings) | state->busy, r)
    {
        any |= (uint64_t)rows_ring(state, (uint32_t)r, rows_has(enter, r), rows_has(takes, r),
                                   begins, at, rows_row(state, state->next, r))
               << r;
    }
    rows_lanes *swap = state->out;
    state->out = state->next;
    state->next = swap;
    state->out_any = any;
}

/* Writes the time into the columns of the starts `here`: those bits of it that are in `bits`. */
ROWS_TARGET static inline void rows_stamp(struct rows_state *state, uint32_t i,
                                          const rows_lanes *here, uint32_t at, uint32_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        const uint32_t bit = (uint32_t)__builtin_ctz(bits);
        rows_lanes *stamp = &state->stamp[bit * state->lanes + i];

        *stamp = (*stamp & ~*here) | (*here & -(uint64_t)(at >> bit & 1));
    }
}

/*
 * Notes that matches end before text[at], for the starts that have just gone through the last run.
 */
ROWS_TARGET static void rows_end(struct rows_state *state, uint32_t at)
{
    rows_lanes *before = rows_row(state, state->ended, 1);
    const rows_lanes *now = state->ended;
    uint32_t count = 0;

    ROWS_EACH(state->out_any & state->rows->ends, r)
    {
        const rows_lanes *row = rows_row(state, state->out, r);

        if (count++ == 0) {
            now = row;
            continue;
        }
        if (now != state->ended)
            rows_copy(state->ended, now, state->lanes);
        now = state->ended;
        rows_join(state->ended, row, state->lanes);
    }
    for (uint32_t i = 0; i < state->lanes && count > 0; i++) {
        const rows_lanes known = state->ended_any ? before[i] : (rows_lanes){ 0 };
        rows_lanes here = now[i], fresh;

        if (state->rows->shortest)
            here &= ~state->matched[i];
        fresh = here & ~known;
        /*
         * Of a start that was here one byte before, the stamp is right but for the bits that have
         * changed since.
         */
        if (!rows_empty(&fresh, 1))
            rows_stamp(state, i, &here, at, ROWS_STAMP_MASK);
        else if (!rows_empty(&here, 1))
            rows_stamp(state, i, &here, at, (at ^ (at - 1)) & ROWS_STAMP_MASK);
        state->matched[i] |= here;
        before[i] = now[i];
    }
    state->ended_any = count > 0;
}

/* The match of a start, if it has one; false when the sink is full. */
ROWS_TARGET static bool rows_give(const struct rows_state *state, uint32_t start)
{
    const uint32_t word = start / 64 % state->rows->words, bit = start % 64;
    struct match_sink *sink = state->task->sink;
    uint32_t stamp = 0;

    if ((*rows_word(state->matched, word) >> bit & 1) == 0)
        return true;
    if (sink->count == sink->max)
        return false;
    for (uint32_t k = 0; k < ROWS_STAMP_BITS; k++)
        stamp |= (uint32_t)(*rows_word(&state->stamp[k * state->lanes], word) >> bit & 1) << k;
    sink->items[sink->count++] = (struct hit){ .offset = state->task->text->offset + start,
                                               .pattern = state->task->pattern,
                                               .len = (stamp - start) & ROWS_STAMP_MASK };
    return true;
}

/* Decides all starts before `to`; false when the sink is full. */
ROWS_TARGET static bool rows_decide(struct rows_state *state, uint32_t to)
{
    for (; state->decided < to; state->decided++) {
        const uint32_t left = 64 - state->decided % 64;

        if (*rows_word(state->matched, state->decided / 64 % state->rows->words) >>
                (state->decided % 64) ==
            0) {
            state->decided = to - state->decided < left
                                 ? to - 1
                                 : state->decided + left - 1; /* none in this word */
            continue;
        }
        if (!rows_give(state, state->decided))
            return false;
    }
    return true;
}

/* Makes room for the 64 starts from `at` on. */
ROWS_TARGET static void rows_turn(struct rows_state *state, uint32_t at)
{
    const struct regex_rows *rows = state->rows;

    state->word = at / 64 % rows->words;
    *rows_word(state->matched, state->word) = 0;
    *rows_word(rows_row(state, state->ended, 1), state->word) = 0;
    ROWS_EACH(state->out_any, r)
    {
        rows_lanes *row = rows_row(state, state->out, r);

        *rows_word(row, state->word) = 0;
        if (rows_empty(row, state->lanes))
            state->out_any &= ~((uint64_t)1 << r);
    }
    ROWS_EACH(state->busy, r)
    {
        const struct rows_run *run = &rows->runs[r];

        for (uint32_t i = 0; i < (uint32_t)run->len * run->max; i++)
            *rows_word(rows_row(state, state->ring, run->ring + i), state->word) = 0;
        for (uint32_t i = 0; i < run->len; i++)
            *rows_word(rows_row(state, state->pre, run->queue + i), state->word) = 0;
    }
}

/* size bytes of memory, or none of it where there is none; *at counts them. */
ROWS_TARGET static void *rows_take(uint8_t *memory, size_t *at, size_t size)
{
    void *taken = memory == NULL ? NULL : memory + *at;

    *at += (size + 63) / 64 * 64;
    return taken;
}

/* Lays the state out; returns the bytes that it takes. With NULL for memory that is all. */
ROWS_TARGET static size_t rows_lay(const struct regex_rows *rows, uint8_t *memory,
                                   struct rows_state *state)
{
    const uint32_t lanes = (rows->words + ROWS_LANES - 1) / ROWS_LANES;
    const size_t row = lanes * sizeof(rows_lanes);
    size_t at = 0;

    *state = (struct rows_state){ .rows = rows, .lanes = lanes };
    state->out = rows_take(memory, &at, rows->run_count * row);
    state->next = rows_take(memory, &at, rows->run_count * row);
    state->port = rows_take(memory, &at, rows->port_count * row);
    state->at = rows_take(memory, &at, rows->port_count * sizeof *state->at);
    state->ring = rows_take(memory, &at, rows->ring_count * row);
    state->pre = rows_take(memory, &at, rows->queue_count * row);
    state->stamp = rows_take(memory, &at, ROWS_STAMP_BITS * row);
    state->matched = rows_take(memory, &at, row);
    state->ended = rows_take(memory, &at, 2 * row);
    state->queues = rows_take(memory, &at, rows->queue_count * sizeof *state->queues);
    state->steps = rows_take(memory, &at, rows->step_words * sizeof *state->steps);
    state->turn = rows_take(memory, &at, rows->run_count * sizeof *state->turn);
    state->alive = rows_take(memory, &at, rows->run_count * sizeof *state->alive);
    state->ring_any = rows_take(memory, &at, rows->ring_count);
    return at;
}

/* Nobody is on the way: all starts so far are decided, and the next one is at text[at]. */
ROWS_TARGET static void rows_begin(struct rows_state *state, uint32_t at)
{
    rows_zero(state->matched, state->lanes);
    memset(state->steps, 0, state->rows->step_words * sizeof *state->steps);
    state->ended_any = false;
    state->word = at / 64 % state->rows->words;
}

ROWS_TARGET static void rows_open(const struct regex_rows *rows, const struct regex_task *task,
                                  struct rows_state *state)
{
    rows_lay(rows, task->memory, state);
    state->task = task;
    state->decided = task->from;
    memset(state->queues, 0, rows->queue_count * sizeof *state->queues);
    memset(state->turn, 0, rows->run_count * sizeof *state->turn);
    memset(state->alive, 0, rows->run_count * sizeof *state->alive);
    rows_begin(state, task->from);
}

ROWS_TARGET static uint32_t rows_scan(const struct regex_rows *rows, const struct regex_task *task)
{
    const uint32_t end = regex_task_end(task);
    struct rows_state state;

    rows_open(rows, task, &state);
    for (uint32_t at = task->from; at < end; at++) {
        const uint32_t class = task->nfa->class_of[task->text->bytes[at]];
        const bool idle = (state.out_any | state.busy) == 0;
        const uint32_t known = idle ? at : at >= rows->window ? at - rows->window + 1 : 0;
        const uint32_t sure = known < task->to ? known : task->to;

        if (sure > state.decided && !rows_decide(&state, sure))
            return state.decided;
        if (idle && at >= task->to)
            break;
        if (idle && (rows->takes[class] & rows->begins) == 0) {
            state.decided = at + 1;
            continue;
        }
        if (idle)
            rows_begin(&state, at);
        else if (at % 64 == 0)
            rows_turn(&state, at);
        rows_byte(&state, class, at < task->to, at);
        rows_end(&state, at + 1);
    }
    rows_decide(&state, task->to);
    return state.decided;
}
