/*
 * match/choose.c - `--engine auto`: the engine that is the fastest on this machine, for this dictionary, on these bytes.
 *
 *   shape of the dictionary --> candidates, the likeliest first --> some segments shared out among them piece by piece, and timed
 *                                                              --> the other segments to the fastest
 *
 * Shape alone decides where it can: too many patterns for one engine, too large a table for another. Where two engines are near each
 * other, what they meet decides, and that is measured on the work itself: candidates take turns at neighbouring pieces, which are alike,
 * of a segment as it came, in the cache or not. All engines find the same, so the choice is seen in nothing but time, and nothing is
 * scanned twice. Means fade, so that a disk whose text comes behind its music is noticed. Trials become ever fewer.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "match/engine.h"

enum {
    CHOOSE_MAX = 4,             /* candidates */
    CHOOSE_VECTOR_MAX = 48,     /* patterns up to which the vector engine is the likeliest */
    CHOOSE_TABLE_MAX = 1 << 16, /* bytes of patterns up to which the automaton's table is small */
    CHOOSE_SHIFT_COUNT = 2,     /* at most so many patterns, each at least so long, and skipping can win */
    CHOOSE_SHIFT_LEN = 32,
    CHOOSE_PIECE = 32 << 10, /* bytes that a candidate scans at a time when it is tried */
    CHOOSE_TURNS =
        4, /* pieces of each candidate in a trial, in a row; the first one only brings its tables into the cache */
    CHOOSE_FIRST = 3,    /* trials that hopeless candidates take part in */
    CHOOSE_SELDOM = 8,   /* and then one in so many */
    CHOOSE_HOPELESS = 2, /* times slower than the fastest */
    CHOOSE_GROWTH = 4,   /* n trials are followed by n^2 / 4 calls of scan without one, */
    CHOOSE_EVERY = 32,   /* up to this many, */
    CHOOSE_SETTLED = 96, /* or this many where all others are slower by a half */
    CHOOSE_SLOW = 8,     /* times the mean, */
    CHOOSE_SLOW_MAX = 3, /* so often in turn: the data is of another kind, and all begins anew */
    CHOOSE_BETTER = 20,  /* another one is chosen when it is faster by one part in so many */
    CHOOSE_MEMORY = 32,  /* trials that a mean goes back, about */
    CHOOSE_SUDDEN = 8,   /* times the mean: some other program had the processor */
};

struct choose_candidate {
    const struct match_engine *engine;
    void *program;
    const char *why; /* it is a candidate */
};

/* What changes while threads scan; none of it must be exact. */
struct choose_state {
    _Atomic uint32_t best;             /* candidate that scans */
    _Atomic uint32_t calls;            /* of scan that were long enough to be measured */
    _Atomic uint32_t next;             /* call that is measured next */
    _Atomic uint32_t trials;           /* since the start, or since the data changed */
    _Atomic uint32_t slow;             /* calls in turn that were far slower than the mean */
    _Atomic uint64_t time[CHOOSE_MAX]; /* of a trial, in nanoseconds, older ones counting less and less */
};

struct choose {
    struct choose_candidate candidates[CHOOSE_MAX];
    uint32_t count, patterns, shortest, longest;
    struct choose_state *state;
};

static uint64_t choose_of(const struct choose *choose, uint32_t candidate)
{
    return atomic_load_explicit(&choose->state->time[candidate], memory_order_relaxed);
}

static uint32_t choose_best(const struct choose *choose)
{
    return atomic_load_explicit(&choose->state->best, memory_order_relaxed);
}

static const char *choose_missing(void)
{
    return NULL;
}

/* Takes the engine as a candidate if it runs here, suits the dictionary, and can be compiled for it. */
static void choose_add(struct choose *choose, const struct match_engine *engine, const char *why,
                       const struct match_dictionary *dictionary, const struct match_setup *setup)
{
    struct choose_candidate *candidate = &choose->candidates[choose->count];

    if (choose->count == CHOOSE_MAX || engine->missing() != NULL ||
        (engine->suits != NULL && !engine->suits(dictionary)))
        return;
    candidate->engine = engine;
    candidate->why = why;
    if (engine->compile(dictionary, setup, &candidate->program, NULL) == ERR_OK)
        choose->count++;
}

static void choose_release(void *program)
{
    struct choose *choose = program;

    if (choose == NULL)
        return;
    for (uint32_t i = 0; i < choose->count; i++)
        choose->candidates[i].engine->release(choose->candidates[i].program);
    free(choose->state);
    free(choose);
}

/* Number and lengths of the literals; returns their bytes. */
static uint64_t choose_measure(struct choose *choose, const struct match_dictionary *dictionary)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        choose->shortest = choose->patterns == 0 || pattern->len < choose->shortest ? pattern->len : choose->shortest;
        choose->longest = pattern->len > choose->longest ? pattern->len : choose->longest;
        choose->patterns++;
        bytes += pattern->len;
    }
    return bytes;
}

static enum err_code choose_compile(const struct match_dictionary *dictionary, const struct match_setup *setup,
                                    void **program, struct err *err)
{
    struct choose *choose = calloc(1, sizeof *choose);

    *program = NULL;
    if (choose != NULL)
        choose->state = calloc(1, sizeof *choose->state);
    if (choose == NULL || choose->state == NULL) {
        free(choose);
        return ERR_NO_MEMORY(err, sizeof *choose + sizeof *choose->state);
    }
    const uint64_t bytes = choose_measure(choose, dictionary);
    const bool few = choose->patterns <= CHOOSE_VECTOR_MAX;
    if (few)
        choose_add(choose, &match_simd_engine, "few patterns", dictionary, setup);
    choose_add(choose, &match_words_engine, "many patterns", dictionary, setup);
    if (!few)
        choose_add(choose, &match_simd_engine, "not too many patterns", dictionary, setup);
    if (choose->patterns <= CHOOSE_SHIFT_COUNT && choose->shortest >= CHOOSE_SHIFT_LEN)
        choose_add(choose, &match_quick_search_engine, "one or two long patterns", dictionary, setup);
    if (bytes <= CHOOSE_TABLE_MAX || choose->count == 0)
        choose_add(choose, &match_ac_engine, "the same speed on all data", dictionary, setup);
    if (choose->count == 0) {
        const enum err_code rc = match_ac_engine.compile(dictionary, setup, program, err); /* to say why */

        if (rc == ERR_OK)
            match_ac_engine.release(*program);
        *program = NULL;
        choose_release(choose);
        return rc != ERR_OK ? rc : ERR_NO_MEMORY(err, bytes);
    }
    *program = choose;
    return ERR_OK;
}

static uint64_t choose_now(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The mean of the last trials with one more. A time far from it is that of another program, or the mean was. */
static uint64_t choose_mean(uint64_t before, uint64_t time, uint32_t trials)
{
    const uint64_t share = trials < CHOOSE_MEMORY ? trials + 1 : CHOOSE_MEMORY;

    if (before == 0 || time < before / CHOOSE_SUDDEN)
        return time;
    if (time > before * CHOOSE_SUDDEN)
        time = before * CHOOSE_SUDDEN;
    return (before * (share - 1) + time) / share;
}

/* Candidates that take part in a trial, by number; how many. */
static uint32_t choose_invite(const struct choose *choose, uint32_t trials, uint32_t invited[CHOOSE_MAX])
{
    const uint64_t fastest = choose_of(choose, choose_best(choose));
    const bool all = trials < CHOOSE_FIRST || trials % CHOOSE_SELDOM == 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < choose->count; i++)
        if (all || choose_of(choose, i) <= fastest * CHOOSE_HOPELESS)
            invited[count++] = i;
    return count;
}

/* Calls of scan until the next trial. */
static uint32_t choose_apart(const struct choose *choose)
{
    const uint32_t trials = atomic_load_explicit(&choose->state->trials, memory_order_relaxed);
    const uint32_t grown = trials < CHOOSE_SETTLED ? trials * trials / CHOOSE_GROWTH : CHOOSE_SETTLED;
    const uint32_t best = choose_best(choose);
    uint32_t most = CHOOSE_SETTLED;

    for (uint32_t i = 0; i < choose->count; i++)
        if (i != best && choose_of(choose, i) < choose_of(choose, best) + choose_of(choose, best) / 2)
            most = CHOOSE_EVERY;
    return grown < most ? grown : most;
}

/* Takes the times of a trial into the means and chooses anew. */
static void choose_anew(const struct choose *choose, const uint64_t times[CHOOSE_MAX])
{
    struct choose_state *state = choose->state;
    const uint32_t trials = atomic_fetch_add_explicit(&state->trials, 1, memory_order_relaxed);
    const uint32_t now = choose_best(choose);
    uint32_t best = now;

    for (uint32_t i = 0; i < choose->count; i++) {
        if (times[i] != 0)
            atomic_store_explicit(&state->time[i], choose_mean(choose_of(choose, i), times[i], trials),
                                  memory_order_relaxed);
        if (choose_of(choose, i) < choose_of(choose, best))
            best = i;
    }
    if (choose_of(choose, best) < choose_of(choose, now) - choose_of(choose, now) / CHOOSE_BETTER)
        atomic_store_explicit(&state->best, best, memory_order_relaxed);
}

/* Shares text from *at on out among the candidates, moves *at on, and chooses anew; false when the sink is full. */
static bool choose_try(const struct choose *choose, const struct match_text *text, uint32_t *at, uint32_t to,
                       struct match_sink *sink)
{
    uint32_t invited[CHOOSE_MAX];
    uint64_t times[CHOOSE_MAX] = { 0 };
    const uint32_t trials = atomic_load_explicit(&choose->state->trials, memory_order_relaxed);
    const uint32_t count = choose_invite(choose, trials, invited);

    if ((to - *at) / CHOOSE_PIECE < CHOOSE_TURNS * count)
        return true;
    uint64_t before = choose_now(CLOCK_THREAD_CPUTIME_ID);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t turn = 0; turn < CHOOSE_TURNS; turn++, *at += CHOOSE_PIECE) {
            const struct choose_candidate *candidate = &choose->candidates[invited[i]];

            if (!candidate->engine->scan(candidate->program, text, *at, *at + CHOOSE_PIECE, sink))
                return false;
            const uint64_t now = choose_now(CLOCK_THREAD_CPUTIME_ID);
            times[invited[i]] += turn > 0 ? now - before + 1 : 0;
            before = now;
        }
    choose_anew(choose, times);
    return true;
}

/* Has an eye on the engine at work: when it becomes far slower than it was, what was learned does not hold any more. */
static void choose_watch(const struct choose *choose, uint32_t best, uint64_t time, uint32_t bytes)
{
    struct choose_state *state = choose->state;
    const uint64_t mean = choose_of(choose, best) * bytes / (CHOOSE_PIECE * (CHOOSE_TURNS - 1));

    if (mean == 0 || time < mean * CHOOSE_SLOW) {
        if (atomic_load_explicit(&state->slow, memory_order_relaxed) != 0)
            atomic_store_explicit(&state->slow, 0, memory_order_relaxed);
        return;
    }
    if (atomic_fetch_add_explicit(&state->slow, 1, memory_order_relaxed) + 1 < CHOOSE_SLOW_MAX)
        return;
    atomic_store_explicit(&state->slow, 0, memory_order_relaxed);
    atomic_store_explicit(&state->trials, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < choose->count; i++)
        atomic_store_explicit(&state->time[i], 0, memory_order_relaxed);
    atomic_store_explicit(&state->next, atomic_load_explicit(&state->calls, memory_order_relaxed),
                          memory_order_relaxed);
}

/* Lets the candidates try, if it is time for that; moves *at behind what they scanned. False when the sink is full. */
static bool choose_maybe_try(const struct choose *choose, const struct match_text *text, uint32_t *at, uint32_t to,
                             struct match_sink *sink)
{
    struct choose_state *state = choose->state;
    const uint32_t call = atomic_fetch_add_explicit(&state->calls, 1, memory_order_relaxed);
    uint32_t next = atomic_load_explicit(&state->next, memory_order_relaxed);

    if (call - next >= UINT32_MAX / 2 ||
        !atomic_compare_exchange_strong_explicit(&state->next, &next, call + 1 + choose_apart(choose),
                                                 memory_order_relaxed, memory_order_relaxed))
        return true; /* not yet, or another thread does it */
    return choose_try(choose, text, at, to, sink);
}

static bool choose_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                        struct match_sink *sink)
{
    const struct choose *choose = program;
    const bool watched = choose->count > 1 && to - from >= CHOOSE_PIECE * CHOOSE_TURNS;
    const uint32_t before = sink->count;
    uint32_t at = from;
    bool fits = !watched || choose_maybe_try(choose, text, &at, to, sink);

    if (fits && at < to) {
        const uint32_t best = choose_best(choose);
        const struct choose_candidate *candidate = &choose->candidates[best];
        const uint64_t begin = watched ? choose_now(CLOCK_MONOTONIC) : 0;

        fits = candidate->engine->scan(candidate->program, text, at, to, sink);
        if (watched)
            choose_watch(choose, best, choose_now(CLOCK_MONOTONIC) - begin, to - at);
    }
    if (!fits)
        sink->count = before;
    return fits;
}

const char *match_choose_name(const void *program)
{
    const struct choose *choose = program;

    return choose == NULL ? match_auto_engine.name : choose->candidates[choose_best(choose)].engine->name;
}

void match_choose_why(const void *program, char *text, size_t size)
{
    const struct choose *choose = program;
    size_t used;

    if (choose == NULL) {
        snprintf(text, size, "no engine: no pattern is a literal");
        return;
    }
    const uint32_t best = choose_best(choose);
    const uint64_t fastest = choose_of(choose, best);
    snprintf(text, size, "engine %s for %u patterns of %u to %u bytes: %s", choose->candidates[best].engine->name,
             choose->patterns, choose->shortest, choose->longest,
             fastest == 0 ? choose->candidates[best].why : "the fastest on samples of the data; times of");
    for (uint32_t i = 0; fastest != 0 && i < choose->count; i++) {
        used = strlen(text);
        snprintf(text + used, size - used, "%s %s %.2f", i == 0 ? "" : ",", choose->candidates[i].engine->name,
                 (double)choose_of(choose, i) / (double)fastest);
    }
}

const struct match_engine match_auto_engine = {
    .name = "auto",
    .what = "the fastest of the others for the dictionary, on samples of the data",
    .device = "CPU",
    .missing = choose_missing,
    .compile = choose_compile,
    .release = choose_release,
    .scan = choose_scan,
};
