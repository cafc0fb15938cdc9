/* SPDX-License-Identifier: Apache-2.0
 * match/auto/trials.c - see trials.h. */
#include <assert.h>

#include "match/auto/trials.h"

enum {
    TRIALS_SHARE = 256,     /* trials may cost one part in so many of the time, */
    TRIALS_SHARE_NEW = 64,  /* or in so many when the data has become unlike what it was */
    TRIALS_APART = 4 << 20, /* bytes between trials, at least */
    TRIALS_FIRST = 3,       /* trials that hopeless candidates take part in, */
    TRIALS_SELDOM = 8,      /* and then one in so many */
    TRIALS_HOPELESS = 2,    /* times slower than the fastest */
    TRIALS_MEMORY = 8,      /* trials that a mean goes back, about */
    TRIALS_SUDDEN = 8,      /* times the mean: some other program had the processor */
    TRIALS_BETTER = 64,     /* another one is chosen when it is faster by one part in so many, */
    TRIALS_BETTER_ONCE = 3, /* or, by what one trial alone says, in so many */
    TRIALS_UNUSUAL = 3,     /* scans in turn that show that the data is of another kind */
    TRIALS_GIB = 30,        /* log 2 */
};

static uint64_t trials_of(const _Atomic uint64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static void trials_set(_Atomic uint64_t *number, uint64_t value)
{
    atomic_store_explicit(number, value, memory_order_relaxed);
}

static void trials_add(_Atomic uint64_t *number, uint64_t value)
{
    atomic_fetch_add_explicit(number, value, memory_order_relaxed);
}

/* At least 1. A time beyond all reason is cut. */
static uint64_t trials_per_gib(struct trials_time time)
{
    const uint64_t ns = time.ns < UINT64_MAX >> TRIALS_GIB ? time.ns : UINT64_MAX >> TRIALS_GIB;

    return (ns << TRIALS_GIB) / time.bytes + 1;
}

static bool trials_is_new(const struct match_trials *results)
{
    return atomic_load_explicit(&results->unusual, memory_order_relaxed) >= TRIALS_UNUSUAL;
}

/* Whether another trial is worth its time: as much as the last one. */
static bool trials_due(const struct match_trials *results)
{
    const uint64_t share = trials_is_new(results) ? TRIALS_SHARE_NEW : TRIALS_SHARE;

    if (trials_is_first(results))
        return true;
    return trials_of(&results->since) >= TRIALS_APART &&
           trials_of(&results->spent) + trials_of(&results->last) <=
               trials_of(&results->worked) / share;
}

struct trials_time trials_of_turns(const uint64_t turns[TRIALS_TURNS], uint32_t piece)
{
    static_assert(TRIALS_TURNS == 4, "there is one in the middle of the last three");
    const uint64_t a = turns[1] < turns[2] ? turns[1] : turns[2],
                   b = turns[1] < turns[2] ? turns[2] : turns[1];
    const uint64_t middle = turns[3] < a ? a : turns[3] < b ? turns[3] : b;

    return (struct trials_time){ .bytes = piece, .ns = middle };
}

uint32_t trials_begin(struct match_trials *results, uint32_t invited[TRIALS_MAX])
{
    const uint32_t trials = atomic_load_explicit(&results->trials, memory_order_relaxed);
    const uint64_t fastest = trials_pace(results, trials_best(results));
    const bool all = trials < TRIALS_FIRST || trials % TRIALS_SELDOM == 0 || trials_is_new(results);
    const uint32_t candidates = trials_count(results);
    uint32_t count = 0;

    if (candidates < 2 || !trials_due(results) ||
        atomic_exchange_explicit(&results->trying, true, memory_order_acquire))
        return 0;
    for (uint32_t i = 0; i < candidates; i++)
        if (all || trials_pace(results, i) <= fastest * TRIALS_HOPELESS)
            invited[count++] = i;
    return count;
}

/* The mean of the last trials with one more; of data of another kind, this one alone. */
static uint64_t trials_mean(const struct match_trials *results, uint64_t before, uint64_t pace)
{
    const uint64_t trials = atomic_load_explicit(&results->trials, memory_order_relaxed);
    const uint64_t share = trials < TRIALS_MEMORY ? trials + 1 : TRIALS_MEMORY;

    if (before == 0 || pace < before / TRIALS_SUDDEN || trials_is_new(results))
        return pace;
    if (pace > before * TRIALS_SUDDEN)
        pace = before * TRIALS_SUDDEN;
    return (before * (share - 1) + pace) / share;
}

void trials_end(struct match_trials *results, const struct trials_time times[TRIALS_MAX],
                struct trials_time all)
{
    uint32_t best = trials_best(results);
    bool learned = false;

    for (uint32_t i = 0; i < trials_count(results); i++)
        if (times[i].bytes != 0) {
            trials_set(&results->pace[i],
                       trials_mean(results, trials_pace(results, i), trials_per_gib(times[i])));
            learned = true;
        }
    const uint64_t now = trials_pace(results, best);
    const bool is_once = trials_is_new(results) && !trials_is_first(results);
    const uint64_t enough = now - now / (is_once ? TRIALS_BETTER_ONCE : TRIALS_BETTER);
    for (uint32_t i = 0; i < trials_count(results) && now != 0; i++)
        if (trials_pace(results, i) != 0 && trials_pace(results, i) < enough &&
            trials_pace(results, i) < trials_pace(results, best))
            best = i;
    const uint64_t needed = learned ? all.bytes * trials_pace(results, best) >> TRIALS_GIB : 0;
    const uint64_t cost = all.ns > needed ? all.ns - needed : 0;
    trials_set(&results->last, cost);
    trials_set(&results->since, 0);
    trials_add(&results->spent, cost);
    trials_add(&results->worked, all.ns);
    if (trials_is_new(results) || best != trials_best(results)) {
        trials_set(&results->usual, 0);
        atomic_store_explicit(&results->unusual, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&results->best, best, memory_order_release); /* and its program */
    atomic_fetch_add_explicit(&results->trials, 1, memory_order_relaxed);
    atomic_store_explicit(&results->trying, false, memory_order_release);
}

void trials_worked(struct match_trials *results, struct trials_time time)
{
    const uint64_t usual = trials_of(&results->usual), pace = trials_per_gib(time);

    trials_add(&results->worked, time.ns);
    trials_add(&results->since, time.bytes);
    if (usual == 0)
        trials_set(&results->usual, pace);
    else if (pace > 2 * usual || pace < usual / 2)
        atomic_fetch_add_explicit(&results->unusual, 1, memory_order_relaxed);
    else if (!trials_is_new(results)) {
        trials_set(&results->usual, (usual * (TRIALS_MEMORY - 1) + pace) / TRIALS_MEMORY);
        atomic_store_explicit(&results->unusual, 0, memory_order_relaxed);
    }
}
