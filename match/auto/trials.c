/* match/auto/trials.c - see trials.h. */
#include <assert.h>

#include "match/auto/trials.h"

enum {
    CHOICE_SHARE = 256,     /* trials may cost one part in so many of the time, */
    CHOICE_SHARE_NEW = 64,  /* or in so many when the data has become unlike what it was */
    CHOICE_APART = 4 << 20, /* bytes between trials, at least */
    CHOICE_FIRST = 3,       /* trials that hopeless candidates take part in, */
    CHOICE_SELDOM = 8,      /* and then one in so many */
    CHOICE_HOPELESS = 2,    /* times slower than the fastest */
    CHOICE_MEMORY = 8,      /* trials that a mean goes back, about */
    CHOICE_SUDDEN = 8,      /* times the mean: some other program had the processor */
    CHOICE_BETTER = 64,     /* another one is chosen when it is faster by one part in so many, */
    CHOICE_BETTER_ONCE = 3, /* or, by what one trial alone says, in so many */
    CHOICE_UNUSUAL = 3,     /* scans in turn that show that the data is of another kind */
    CHOICE_GIB = 30,        /* log 2 */
};

static uint64_t choice_of(const _Atomic uint64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static void choice_set(_Atomic uint64_t *number, uint64_t value)
{
    atomic_store_explicit(number, value, memory_order_relaxed);
}

static void choice_add(_Atomic uint64_t *number, uint64_t value)
{
    atomic_fetch_add_explicit(number, value, memory_order_relaxed);
}

/* At least 1. A time beyond all reason is cut. */
static uint64_t choice_per_gib(struct choice_time time)
{
    const uint64_t ns = time.ns < UINT64_MAX >> CHOICE_GIB ? time.ns : UINT64_MAX >> CHOICE_GIB;

    return (ns << CHOICE_GIB) / time.bytes + 1;
}

static bool choice_is_new(const struct match_choice *choice)
{
    return atomic_load_explicit(&choice->unusual, memory_order_relaxed) >= CHOICE_UNUSUAL;
}

/* Whether another trial is worth its time: as much as the last one. */
static bool choice_due(const struct match_choice *choice)
{
    const uint64_t share = choice_is_new(choice) ? CHOICE_SHARE_NEW : CHOICE_SHARE;

    if (choice_is_first(choice))
        return true;
    return choice_of(&choice->since) >= CHOICE_APART &&
           choice_of(&choice->spent) + choice_of(&choice->last) <=
               choice_of(&choice->worked) / share;
}

struct choice_time choice_of_turns(const uint64_t turns[CHOICE_TURNS], uint32_t piece)
{
    static_assert(CHOICE_TURNS == 4, "there is one in the middle of the last three");
    const uint64_t a = turns[1] < turns[2] ? turns[1] : turns[2],
                   b = turns[1] < turns[2] ? turns[2] : turns[1];
    const uint64_t middle = turns[3] < a ? a : turns[3] < b ? turns[3] : b;

    return (struct choice_time){ .bytes = piece, .ns = middle };
}

uint32_t choice_begin(struct match_choice *choice, uint32_t invited[CHOICE_MAX])
{
    const uint32_t trials = atomic_load_explicit(&choice->trials, memory_order_relaxed);
    const uint64_t fastest = choice_pace(choice, choice_best(choice));
    const bool all = trials < CHOICE_FIRST || trials % CHOICE_SELDOM == 0 || choice_is_new(choice);
    const uint32_t candidates = choice_count(choice);
    uint32_t count = 0;

    if (candidates < 2 || !choice_due(choice) ||
        atomic_exchange_explicit(&choice->trying, true, memory_order_acquire))
        return 0;
    for (uint32_t i = 0; i < candidates; i++)
        if (all || choice_pace(choice, i) <= fastest * CHOICE_HOPELESS)
            invited[count++] = i;
    return count;
}

/* The mean of the last trials with one more; of data of another kind, this one alone. */
static uint64_t choice_mean(const struct match_choice *choice, uint64_t before, uint64_t pace)
{
    const uint64_t trials = atomic_load_explicit(&choice->trials, memory_order_relaxed);
    const uint64_t share = trials < CHOICE_MEMORY ? trials + 1 : CHOICE_MEMORY;

    if (before == 0 || pace < before / CHOICE_SUDDEN || choice_is_new(choice))
        return pace;
    if (pace > before * CHOICE_SUDDEN)
        pace = before * CHOICE_SUDDEN;
    return (before * (share - 1) + pace) / share;
}

void choice_end(struct match_choice *choice, const struct choice_time times[CHOICE_MAX],
                struct choice_time all)
{
    uint32_t best = choice_best(choice);
    bool learned = false;

    for (uint32_t i = 0; i < choice_count(choice); i++)
        if (times[i].bytes != 0) {
            choice_set(&choice->pace[i],
                       choice_mean(choice, choice_pace(choice, i), choice_per_gib(times[i])));
            learned = true;
        }
    const uint64_t now = choice_pace(choice, best);
    const bool is_once = choice_is_new(choice) && !choice_is_first(choice);
    const uint64_t enough = now - now / (is_once ? CHOICE_BETTER_ONCE : CHOICE_BETTER);
    for (uint32_t i = 0; i < choice_count(choice) && now != 0; i++)
        if (choice_pace(choice, i) != 0 && choice_pace(choice, i) < enough &&
            choice_pace(choice, i) < choice_pace(choice, best))
            best = i;
    const uint64_t needed = learned ? all.bytes * choice_pace(choice, best) >> CHOICE_GIB : 0;
    const uint64_t cost = all.ns > needed ? all.ns - needed : 0;
    choice_set(&choice->last, cost);
    choice_set(&choice->since, 0);
    choice_add(&choice->spent, cost);
    choice_add(&choice->worked, all.ns);
    if (choice_is_new(choice) || best != choice_best(choice)) {
        choice_set(&choice->usual, 0);
        atomic_store_explicit(&choice->unusual, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&choice->best, best, memory_order_release); /* and its program */
    atomic_fetch_add_explicit(&choice->trials, 1, memory_order_relaxed);
    atomic_store_explicit(&choice->trying, false, memory_order_release);
}

void choice_worked(struct match_choice *choice, struct choice_time time)
{
    const uint64_t usual = choice_of(&choice->usual), pace = choice_per_gib(time);

    choice_add(&choice->worked, time.ns);
    choice_add(&choice->since, time.bytes);
    if (usual == 0)
        choice_set(&choice->usual, pace);
    else if (pace > 2 * usual || pace < usual / 2)
        atomic_fetch_add_explicit(&choice->unusual, 1, memory_order_relaxed);
    else if (!choice_is_new(choice)) {
        choice_set(&choice->usual, (usual * (CHOICE_MEMORY - 1) + pace) / CHOICE_MEMORY);
        atomic_store_explicit(&choice->unusual, 0, memory_order_relaxed);
    }
}
