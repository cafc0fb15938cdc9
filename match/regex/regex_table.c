/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_table.c - see regex_table.h. */
#include <string.h>

#include "match/regex/regex_table.h"

enum { TABLE_NONE = UINT16_MAX };

/* A start on its way, or one that has become part of a younger one. */
struct table_start {
    uint32_t last;      /* where its match ends, as far as it is known: of one that has no walker */
    uint32_t joined_at; /* where it became part of another one, */
    uint32_t joined;    /* and which: that start; itself: none */
    uint16_t walker;    /* TABLE_NONE: it has ended, or is part of another one */
};

struct table_state {
    const struct regex_table *table;
    const struct regex_task *task;
    uint32_t decided; /* starts before it have been given out */
    uint32_t count;   /* walkers */
    uint32_t state[TABLE_WALKERS];
    uint32_t last[TABLE_WALKERS];    /* where a match ended last; the start itself: none did */
    uint32_t start[TABLE_WALKERS];   /* the youngest one */
    uint16_t seen[TABLE_STATES_MAX]; /* the youngest walker in a state, counted from 1 */
    struct table_start starts[TABLE_STARTS];
};

size_t regex_table_size(void)
{
    return (sizeof(struct table_state) + 63) / 64 * 64;
}

bool regex_table_build(struct regex_dfa *dfa, bool shortest, struct arena *arena,
                       struct regex_table *table)
{
    uint32_t places[TABLE_STATES_MAX];
    const uint32_t classes = dfa->nfa->classes,
                   states = regex_dfa_complete(dfa, TABLE_STATES_MAX - 1, places);

    *table = (struct regex_table){ .states = states == 0 ? 0 : states + 1 };
    if (states == 0)
        return true;
    while (1u << table->shift < classes)
        table->shift++;
    table->next = arena_alloc(arena, ((size_t)table->states << table->shift) * sizeof *table->next);
    if (table->next == NULL)
        return false;
    table->start = 1u << table->shift;
    for (uint32_t s = 0; s < states; s++)
        for (uint32_t c = 0; c < classes; c++) {
            bool ends;
            const uint32_t next = regex_dfa_next(dfa, places[s], c, &ends);

            table->next[((s + 1) << table->shift) + c] =
                (ends ? TABLE_ENDS : 0) | (ends && shortest ? 0 : next << table->shift);
        }
    return true;
}

uint32_t regex_table_match(const struct regex_table *table, const struct regex_nfa *nfa,
                           const uint8_t *bytes, uint32_t len, int64_t *effort)
{
    uint32_t longest = 0, at = 0;

    for (uint32_t state = table->start; at < len;) {
        state = table->next[(state & ~TABLE_ENDS) + nfa->class_of[bytes[at++]]];
        if (state == 0)
            break;
        if ((state & TABLE_ENDS) != 0)
            longest = at;
    }
    *effort += at;
    return longest;
}

#define TABLE_STEP(name)                                                                           \
    static void name(uint32_t *state, uint32_t *last, uint32_t count, const uint32_t *next,        \
                     uint32_t now)                                                                 \
    {                                                                                              \
        for (uint32_t i = 0; i < count; i++) {                                                     \
            state[i] = next[state[i] & ~TABLE_ENDS];                                               \
            last[i] = (state[i] & TABLE_ENDS) != 0 ? now : last[i];                                \
        }                                                                                          \
    }

TABLE_STEP(table_step_portable)
#ifdef __x86_64__
__attribute__((target("avx2"))) TABLE_STEP(table_step_avx2)
#endif

    typedef void table_step(uint32_t *state, uint32_t *last, uint32_t count, const uint32_t *next,
                            uint32_t now);

static table_step *table_choose(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return table_step_avx2;
#endif
    return table_step_portable;
}

static struct table_start *table_start(struct table_state *t, uint32_t at)
{
    return &t->starts[at % TABLE_STARTS];
}

/*
 * Lets starts that became part of one that became part of another one be part of that at once,
 * every second one on the way.
 */
static void table_shorten(struct table_state *t, uint32_t at)
{
    struct table_start *start = table_start(t, at);

    for (;;) {
        const struct table_start *other = table_start(t, start->joined);

        if (other->joined == start->joined)
            return;
        if (other->last > start->joined_at)
            start->last = other->last;
        start->joined_at = other->joined_at;
        start->joined = other->joined;
        start = table_start(t, start->joined);
    }
}

/* Where the match of a start ends, or the start itself. */
static uint32_t table_last(struct table_state *t, uint32_t at)
{
    const struct table_start *start = table_start(t, at);

    table_shorten(t, at);
    uint32_t last = start->walker == TABLE_NONE ? start->last : t->last[start->walker];
    while (start->joined != at) {
        const uint32_t since = start->joined_at;

        at = start->joined;
        start = table_start(t, at);
        const uint32_t its = start->walker == TABLE_NONE ? start->last : t->last[start->walker];
        if (its > since)
            last = its;
    }
    return last;
}

/*
 * Decides all starts before `to`, for which it is known whether text[at] is the beginning of a
 * match; false: the sink is full.
 */
static bool table_decide(struct table_state *t, uint32_t to)
{
    struct match_sink *sink = t->task->sink;

    for (; t->decided < to; t->decided++) {
        const uint32_t last = table_last(t, t->decided);

        if (last == t->decided)
            continue;
        if (sink->count == sink->max)
            return false;
        sink->items[sink->count++] = (struct hit){ .offset = t->task->text->offset + t->decided,
                                                   .pattern = t->task->pattern,
                                                   .len = last - t->decided };
    }
    return true;
}

/* Ends a walker: its start goes on as a part of the start `joined`, from `at` on, or not at all. */
static void table_leave(struct table_state *t, uint32_t walker, uint32_t joined, uint32_t at)
{
    struct table_start *start = table_start(t, t->start[walker]);

    start->last = t->last[walker];
    start->joined = joined;
    start->joined_at = at;
    start->walker = TABLE_NONE;
}

/*
 * Takes out walkers that have nothing before them, and makes those one that are in the same state.
 */
static void table_tidy(struct table_state *t, uint32_t at)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < t->count; i++) { /* from old to young */
        const uint32_t number = (t->state[i] & ~TABLE_ENDS) >> t->table->shift;
        const bool late = at - t->start[i] >= t->task->window;

        t->seen[number] = (uint16_t)(number == 0 || late ? 0 : i + 1);
    }
    for (uint32_t i = 0; i < t->count; i++) {
        const uint32_t number = (t->state[i] & ~TABLE_ENDS) >> t->table->shift,
                       young = t->seen[number];

        if (young != i + 1) { /* one that is late has nothing left to say */
            table_leave(t, i, young == 0 ? t->start[i] : t->start[young - 1], at);
            continue;
        }
        t->state[kept] = t->state[i];
        t->last[kept] = t->last[i];
        t->start[kept] = t->start[i];
        table_start(t, t->start[kept])->walker = (uint16_t)kept;
        kept++;
    }
    t->count = kept;
}

static void table_begin(struct table_state *t, uint32_t at, bool may)
{
    struct table_start *start = table_start(t, at);

    *start = (struct table_start){ .last = at, .joined = at, .walker = TABLE_NONE };
    if (!may)
        return;
    start->walker = (uint16_t)t->count;
    t->state[t->count] = t->table->start;
    t->last[t->count] = at;
    t->start[t->count++] = at;
}

uint32_t regex_table_scan(const struct regex_table *table, const struct regex_task *task)
{
    const uint32_t end = regex_task_end(task), window = task->window;
    table_step *step = table_choose();
    struct table_state *t = task->memory;

    t->table = table;
    t->task = task;
    t->decided = task->from;
    t->count = 0;
    for (uint32_t at = task->from; at < end; at++) {
        const uint32_t class = task->nfa->class_of[task->text->bytes[at]];
        const uint32_t known = at >= window ? at - window + 1 : 0;
        const uint32_t sure = known < task->to ? known : task->to;

        if (sure > t->decided && !table_decide(t, sure))
            return t->decided;
        if ((at - task->from) % TABLE_BLOCK == 0)
            table_tidy(t, at);
        if (at >= task->to && t->count == 0)
            break;
        if (at < task->to)
            table_begin(t, at, table->next[table->start + class] != 0);
        step(t->state, t->last, t->count, table->next + class, at + 1);
    }
    table_decide(t, task->to);
    return t->decided;
}
