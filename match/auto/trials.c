/* SPDX-License-Identifier: Apache-2.0
 * match/auto/trials.c - see trials.h. */
#include <assert.h>

#include "match/auto/trials.h"

enum {
    TRIALS_SHARE = 256,      /* trials may cost one part in so many of the time, */
    TRIALS_SHARE_NEW = 64,   /* or in so many when the data has become unlike what it was */
    TRIALS_APART = 4 << 20,  /* bytes between trials, at least */
    TRIALS_FIRST = 3,        /* trials that hopeless candidates take part in, */
    TRIALS_SELDOM = 8,       /* and then one in so many */
    TRIALS_HOPELESS = 2,     /* times slower than the fastest */
    TRIALS_MEMORY = 8,       /* trials that a mean goes back, about */
    TRIALS_SUDDEN = 8,       /* times the mean: some other program had the processor */
    TRIALS_SUDDEN_HEAT = 2,  /* the same, in heats */
    TRIALS_BETTER = 64,      /* another one is chosen when it is faster by one part in so many, */
    TRIALS_BETTER_ONCE = 3,  /* or, by what one trial alone says, in so many */
    TRIALS_NEAR = 4,         /* who is slower by one part in so many at most is near, */
    TRIALS_HEATS = 8,        /* and takes part in so many heats, one a scan, */
    TRIALS_HEATS_APART = 64, /* and then in one of so many scans */
    TRIALS_UNUSUAL = 3,      /* scans in turn that show that the data is of another kind */
    TRIALS_GIB = 30,         /* log 2 */
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

/* The mean of what was measured `times` times with one more; see TRIALS_SUDDEN. */
static uint64_t trials_mean(uint64_t before, uint64_t pace, uint32_t times, uint32_t sudden)
{
    const uint64_t share = times < TRIALS_MEMORY ? times + 1 : TRIALS_MEMORY;

    if (before == 0 || pace < before / sudden)
        return pace;
    if (pace > before * sudden)
        pace = before * sudden;
    return (before * (share - 1) + pace) / share;
}

static bool trials_is_near(uint64_t pace, uint64_t other)
{
    return pace <= other + other / TRIALS_NEAR && other <= pace + pace / TRIALS_NEAR;
}

/* Whether candidate a is the faster one by one part in `better`: by heats of both where trials have
 * them near each other, else by trials. */
static bool trials_beats(const struct match_trials *results, uint32_t a, uint32_t b,
                         uint32_t better)
{
    uint64_t one = trials_pace(results, a), other = trials_pace(results, b);

    if (one == 0 || other == 0)
        return false;
    if (trials_is_near(one, other) && trials_of(&results->whole[a]) != 0 &&
        trials_of(&results->whole[b]) != 0) {
        one = trials_of(&results->whole[a]);
        other = trials_of(&results->whole[b]);
    }
    return one < other - other / better;
}

/* What heats have said is of other data. */
static void trials_forget_heats(struct match_trials *results)
{
    for (uint32_t i = 0; i < TRIALS_MAX; i++)
        trials_set(&results->whole[i], 0);
    atomic_store_explicit(&results->heats, 0, memory_order_relaxed);
}

/* The candidate that is nearest to the best one; that one itself where none is near. */
static uint32_t trials_nearest(const struct match_trials *results)
{
    const uint32_t best = trials_best(results);
    uint32_t nearest = best;

    for (uint32_t i = 0; i < trials_count(results); i++) {
        const uint64_t pace = trials_pace(results, i);

        if (i != best && pace != 0 && trials_is_near(pace, trials_pace(results, best)) &&
            (nearest == best || pace < trials_pace(results, nearest)))
            nearest = i;
    }
    return nearest;
}

bool trials_heat(struct match_trials *results, uint32_t pair[2])
{
    const uint32_t scans = atomic_fetch_add_explicit(&results->scans, 1, memory_order_relaxed);
    const uint32_t heats = atomic_load_explicit(&results->heats, memory_order_relaxed);
    const uint32_t best = trials_best(results), other = trials_nearest(results);

    if (other == best || (heats >= TRIALS_HEATS && scans < TRIALS_HEATS_APART) ||
        atomic_exchange_explicit(&results->trying, true, memory_order_acquire))
        return false;
    pair[heats % 2] = best;
    pair[1 - heats % 2] = other;
    return true;
}

void trials_heat_end(struct match_trials *results, const uint32_t pair[2],
                     const struct trials_time times[2])
{
    const uint32_t heats = atomic_load_explicit(&results->heats, memory_order_relaxed);
    const uint32_t best = trials_best(results), other = pair[0] == best ? pair[1] : pair[0];

    /* The first one brings in what a candidate has not used yet. */
    for (uint32_t i = 0; heats > 0 && i < 2 && times[0].bytes != 0 && times[1].bytes != 0; i++) {
        _Atomic uint64_t *whole = &results->whole[pair[i]];

        trials_set(whole, trials_mean(trials_of(whole), trials_per_gib(times[i]), heats - 1,
                                      TRIALS_SUDDEN_HEAT));
        trials_add(&results->worked, times[i].ns);
    }
    atomic_store_explicit(&results->heats, heats + 1, memory_order_relaxed);
    atomic_store_explicit(&results->scans, 0, memory_order_relaxed);
    if (heats + 1 >= TRIALS_HEATS && trials_beats(results, other, best, TRIALS_BETTER))
        atomic_store_explicit(&results->best, other, memory_order_release);
    atomic_store_explicit(&results->trying, false, memory_order_release);
}

void trials_end(struct match_trials *results, const struct trials_time times[TRIALS_MAX],
                struct trials_time all)
{
    const uint32_t trials = atomic_load_explicit(&results->trials, memory_order_relaxed);
    const uint32_t first = trials_best(results);
    const bool is_new = trials_is_new(results), is_once = is_new && trials > 0;
    uint32_t best = first;
    bool learned = false;

    for (uint32_t i = 0; i < trials_count(results); i++)
        if (times[i].bytes != 0) {
            trials_set(&results->pace[i],
                       trials_mean(is_new ? 0 : trials_pace(results, i), trials_per_gib(times[i]),
                                   trials, TRIALS_SUDDEN));
            learned = true;
        }
    if (is_new)
        trials_forget_heats(results);
    for (uint32_t i = 0; i < trials_count(results); i++)
        if (trials_beats(results, i, first, is_once ? TRIALS_BETTER_ONCE : TRIALS_BETTER) &&
            (best == first || trials_pace(results, i) < trials_pace(results, best)))
            best = i;
    const uint64_t needed = learned ? all.bytes * trials_pace(results, best) >> TRIALS_GIB : 0;
    const uint64_t cost = all.ns > needed ? all.ns - needed : 0;
    trials_set(&results->last, cost);
    trials_set(&results->since, 0);
    trials_add(&results->spent, cost);
    trials_add(&results->worked, all.ns);
    if (is_new || best != first) {
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
