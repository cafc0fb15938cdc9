/* SPDX-License-Identifier: Apache-2.0
 * tests/match/auto/test_trials.c - `auto` is never slower than the best single engine by more than
 * a twentieth.
 *
 * Method: engines that are nothing but speeds scan data of several kinds, and their clock is a sum.
 * A scan with the results is compared with one by the best engine for all of it. What the speeds
 * are was measured, or is worse than that.
 */
#include "match/auto/trials.h"
#include "tests/match/match_test.h"

enum {
    KINDS = 3,
    PIECE = 32 << 10,
    COLD = 4,      /* times slower is the first piece, and that is a lot */
    STALL = 85000, /* nanoseconds */
};

struct trials_case {
    const char *name;
    uint32_t count;
    uint32_t megabytes_per_second[TRIALS_MAX][KINDS]; /* by kind of data */
    uint32_t segments[KINDS];                         /* of each kind in turn, */
    uint32_t rounds;                                  /* so often */
    uint32_t segment, noise; /* bytes; percent by which times are too long, at most */
    uint32_t dips; /* trials of so many in which the first engine is half as fast, for it waits for
                      memory */
    uint32_t cold[TRIALS_MAX]; /* percent by which an engine is slower in whole segments, for its
                                  tables are in the cache in a trial alone */
    uint32_t stalls; /* pieces of so many in which the processor does other things for a while */
    bool any_best;   /* which one is the best changes: no slower than by a quarter than the best for
                        each kind */
};

static const struct trials_case cases[] = {
    { .name = "far apart",
      .count = 3,
      .megabytes_per_second = { { 30000 }, { 12000 }, { 1000 } },
      .segments = { 256 },
      .rounds = 1,
      .segment = 1 << 20,
      .noise = 20 },
    { .name = "the first is the slowest",
      .count = 3,
      .megabytes_per_second = { { 300 }, { 12000 }, { 3000 } },
      .segments = { 256 },
      .rounds = 1,
      .segment = 1 << 20,
      .noise = 20 },
    { .name = "near each other",
      .count = 2,
      .megabytes_per_second = { { 2000 }, { 2120 } },
      .segments = { 400 },
      .rounds = 1,
      .segment = 1 << 20,
      .noise = 20 },
    { .name = "large segments",
      .count = 3,
      .megabytes_per_second = { { 9000 }, { 10000 }, { 1000 } },
      .segments = { 64 },
      .rounds = 1,
      .segment = 16 << 20,
      .noise = 10 },
    { .name = "small segments",
      .count = 3,
      .megabytes_per_second = { { 900 }, { 1000 }, { 100 } },
      .segments = { 3000 },
      .rounds = 1,
      .segment = 1 << 16,
      .noise = 10 },
    { .name = "slow everywhere",
      .count = 2,
      .megabytes_per_second = { { 40 }, { 10 } },
      .segments = { 100 },
      .rounds = 1,
      .segment = 1 << 20,
      .noise = 10 },
    { .name = "a processor that is often called away",
      .count = 3,
      .megabytes_per_second = { { 25000, 12000 }, { 13000, 7000 }, { 2000, 2000 } },
      .segments = { 300, 300 },
      .rounds = 20,
      .segment = 1 << 20,
      .noise = 10,
      .stalls = 20 },
    { .name = "memory that others use too",
      .count = 2,
      .megabytes_per_second = { { 25000, 16000 }, { 13000, 13000 } },
      .segments = { 20, 20 },
      .rounds = 200,
      .segment = 1 << 20,
      .noise = 10,
      .dips = 3 },
    { .name = "large tables, and the first in trials",
      .count = 3,
      .megabytes_per_second = { { 10000 }, { 9500 }, { 1000 } },
      .segments = { 2000 },
      .rounds = 1,
      .segment = 1 << 19,
      .noise = 20,
      .cold = { 60, 10, 10 } },
    { .name = "large tables, and yet the first",
      .count = 2,
      .megabytes_per_second = { { 10000 }, { 6000 } },
      .segments = { 2000 },
      .rounds = 1,
      .segment = 1 << 19,
      .noise = 20,
      .cold = { 40, 10 } },
    { .name = "text behind music",
      .count = 2,
      .megabytes_per_second = { { 9000, 600 }, { 3000, 2000 } },
      .segments = { 200, 200 },
      .rounds = 2,
      .segment = 1 << 20,
      .noise = 10,
      .any_best = true },
    { .name = "three kinds",
      .count = 3,
      .megabytes_per_second = { { 30000, 500, 8000 }, { 3000, 2000, 9000 }, { 1000, 1000, 1000 } },
      .segments = { 100, 300, 100 },
      .rounds = 3,
      .segment = 1 << 20,
      .noise = 10,
      .any_best = true },
};

/* Nanoseconds, somewhat too many. */
static uint64_t case_ns(const struct trials_case *c, uint32_t engine, uint32_t kind, uint32_t bytes,
                        uint64_t *random)
{
    const uint64_t ns = (uint64_t)bytes * 1000 / c->megabytes_per_second[engine][kind] + 1;

    return ns + ns * test_random(random, c->noise + 1) / 100;
}

/* As it is in a segment, or half of one. */
static uint64_t case_whole_ns(const struct trials_case *c, uint32_t engine, uint32_t kind,
                              uint32_t bytes, uint64_t *random)
{
    return case_ns(c, engine, kind, bytes, random) * (100 + c->cold[engine]) / 100;
}

/* A segment that two engines share; its time. */
static uint64_t case_heat(const struct trials_case *c, struct match_trials *results,
                          const uint32_t pair[2], uint32_t kind, uint64_t *random)
{
    struct trials_time times[2];

    for (uint32_t i = 0; i < 2; i++)
        times[i] =
            (struct trials_time){ .bytes = c->segment / 2,
                                  .ns = case_whole_ns(c, pair[i], kind, c->segment / 2, random) };
    trials_heat_end(results, pair, times);
    return times[0].ns + times[1].ns;
}

/* A segment as auto.c scans it; its time. */
static uint64_t case_segment(const struct trials_case *c, struct match_trials *results,
                             uint32_t kind, uint64_t *random)
{
    const uint32_t most = c->segment / (TRIALS_TURNS * c->count) / 4096 * 4096;
    const uint32_t wanted = trials_is_first(results) ? PIECE / 4 : PIECE,
                   piece = most < wanted ? most : wanted;
    struct trials_time times[TRIALS_MAX] = { 0 }, all = { 0 };
    uint32_t invited[TRIALS_MAX], pair[2];

    const uint32_t count = trials_begin(results, invited);
    if (count == 0 && trials_heat(results, pair))
        return case_heat(c, results, pair, kind, random);
    for (uint32_t i = 0; i < count; i++) {
        const bool dips = c->dips != 0 && invited[i] == 0 && test_random(random, c->dips) == 0;
        uint64_t turns[TRIALS_TURNS];

        for (uint32_t turn = 0; turn < TRIALS_TURNS; turn++) {
            turns[turn] = case_ns(c, invited[i], kind, piece, random) * (turn == 0 ? COLD : 1) *
                          (dips ? 2 : 1);
            if (c->stalls != 0 && test_random(random, c->stalls) == 0)
                turns[turn] += STALL;
            all.bytes += piece;
            all.ns += turns[turn];
        }
        times[invited[i]] = trials_of_turns(turns, piece);
    }
    if (count > 0)
        trials_end(results, times, all);
    const uint32_t left = c->segment - (uint32_t)all.bytes;
    const uint64_t ns = case_whole_ns(c, trials_best(results), kind, left, random);
    trials_worked(results, (struct trials_time){ .bytes = left, .ns = ns });
    return all.ns + ns;
}

static void never_much_slower_than_the_best(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct trials_case *c = &cases[i];
        struct match_trials results = { .count = c->count };
        uint64_t random = 17 + i, took = 0, alone[TRIALS_MAX] = { 0 }, best = UINT64_MAX,
                 best_of_each = 0;

        for (uint32_t round = 0; round < c->rounds; round++)
            for (uint32_t kind = 0; kind < KINDS; kind++)
                for (uint32_t s = 0; s < c->segments[kind]; s++) {
                    uint64_t least = UINT64_MAX;

                    took += case_segment(c, &results, kind, &random);
                    for (uint32_t e = 0; e < c->count; e++) {
                        const uint64_t ns = case_whole_ns(c, e, kind, c->segment, &random);

                        alone[e] += ns;
                        least = ns < least ? ns : least;
                    }
                    best_of_each += least;
                }
        for (uint32_t e = 0; e < c->count; e++)
            best = alone[e] < best ? alone[e] : best;
        if (took > best + best / 20)
            fail_msg("%s: %.3f times the best engine's time", c->name, (double)took / (double)best);
        if (c->any_best && took > best_of_each + best_of_each / 4)
            fail_msg("%s: %.3f times the time of the best engine for each kind of data", c->name,
                     (double)took / (double)best_of_each);
    }
}

/* A trial that had to be given up, for the sink was full, leaves things as they were, and the next
 * one waits. */
static void a_trial_that_fails_is_paid_for(void **state)
{
    const struct trials_time none[TRIALS_MAX] = { 0 };
    struct match_trials results = { .count = 2 };
    uint32_t invited[TRIALS_MAX];

    (void)state;
    assert_int_equal(trials_begin(&results, invited), 2);
    assert_int_equal(trials_begin(&results, invited), 0); /* one at a time */
    trials_end(&results, none, (struct trials_time){ .bytes = 0, .ns = 1000000 });
    assert_int_equal(trials_best(&results), 0);
    assert_int_equal(trials_pace(&results, 0), 0);
    trials_worked(&results, (struct trials_time){ .bytes = 32 << 20, .ns = 10000000 });
    assert_int_equal(trials_begin(&results, invited), 0);
    trials_worked(&results, (struct trials_time){ .bytes = 320 << 20, .ns = 600000000 });
    assert_int_equal(trials_begin(&results, invited), 2);
    trials_end(&results, none, (struct trials_time){ 0 });
}

/* A heat that had to be given up says nothing, and the next one waits until it has ended. */
static void a_heat_that_fails_says_nothing(void **state)
{
    const uint64_t ms = 1000000;
    const struct trials_time tried[TRIALS_MAX] = { { 1 << 20, ms }, { 1 << 20, ms + 1 } };
    const struct trials_time none[2] = { 0 }, said[2] = { { 1 << 20, 3 * ms }, { 1 << 20, ms } };
    struct match_trials results = { .count = 2 };
    uint32_t invited[TRIALS_MAX], pair[2], other[2];

    (void)state;
    assert_false(trials_heat(&results, pair)); /* nobody is known to be near anybody */
    assert_int_equal(trials_begin(&results, invited), 2);
    trials_end(&results, tried, (struct trials_time){ 2 << 20, 2 * ms });
    for (uint32_t i = 0; i < 32; i++) {
        assert_true(trials_heat(&results, pair));
        assert_int_not_equal(pair[0], pair[1]);
        assert_false(trials_heat(&results, other)); /* one at a time */
        trials_heat_end(&results, pair, none);
        for (uint32_t scan = 0; i >= 7 && scan < 64; scan++)
            assert_false(trials_heat(&results, other)); /* once all is known, now and then */
    }
    assert_int_equal(trials_best(&results), 0);
    assert_true(trials_heat(&results, pair));
    trials_heat_end(&results, pair,
                    pair[0] == 0 ? said : (struct trials_time[]){ said[1], said[0] });
    assert_int_equal(trials_best(&results), 1);
}

static void one_candidate_is_never_tried(void **state)
{
    struct match_trials results = { .count = 1 };
    uint32_t invited[TRIALS_MAX];

    (void)state;
    assert_int_equal(trials_begin(&results, invited), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_much_slower_than_the_best),
        cmocka_unit_test(a_trial_that_fails_is_paid_for),
        cmocka_unit_test(a_heat_that_fails_says_nothing),
        cmocka_unit_test(one_candidate_is_never_tried),
    };
    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
