/* SPDX-License-Identifier: Apache-2.0
 * tests/match/offload/test_completion_time.c - the completion-time theorems of Zha and Sahni
 * against schedules played move by move.
 *
 * Method: the two strategies of the paper's Figures 4 and 5 are played with a clock that goes up by
 * one, every operation beginning as soon as the figure and the channels let it; the formulas must
 * say when the last read ends, for every instance of small whole numbers. The player knows nothing
 * of the formulas. The bounds of Theorems 3, 6, 8, 9 and 12 are then checked on the same instances,
 * and on large ones at random.
 */
#include "match/offload/completion_time.h"
#include "tests/match/match_test.h"

enum { SEGMENTS_MAX = 7, TIME_MAX = 6, MOVES_MAX = SEGMENTS_MAX * 3 };

enum unit { UNIT_WRITE, UNIT_DEVICE, UNIT_READ, UNIT_COUNT };

/* One operation: it may begin when all of those it comes after have ended and its unit is idle. */
struct move {
    enum unit unit;
    uint32_t len;
    uint32_t after_count;
    uint32_t after[MOVES_MAX];
    int begin, end; /* -1: not yet */
};

struct play {
    struct move moves[MOVES_MAX]; /* in the order in which the figure issues them: the first that
                                     can, begins */
    uint32_t count;
    uint32_t channels;
};

static uint32_t play_move(struct play *play, enum unit unit, double len)
{
    play->moves[play->count] =
        (struct move){ .unit = unit, .len = (uint32_t)len, .begin = -1, .end = -1 };
    return play->count++;
}

static void play_after(struct play *play, uint32_t move, uint32_t before)
{
    play->moves[move].after[play->moves[move].after_count++] = before;
}

static bool play_idle(const struct play *play, enum unit unit, int now)
{
    for (uint32_t i = 0; i < play->count; i++) {
        const struct move *move = &play->moves[i];
        const bool shared = play->channels == 1 && unit != UNIT_DEVICE && move->unit != UNIT_DEVICE;

        if ((move->unit == unit || shared) && move->begin >= 0 && move->end > now)
            return false;
    }
    return true;
}

static bool play_can_begin(const struct play *play, const struct move *move, int now)
{
    for (uint32_t i = 0; i < move->after_count; i++) {
        const struct move *before = &play->moves[move->after[i]];

        if (before->begin < 0 || before->end > now)
            return false;
    }
    return play_idle(play, move->unit, now);
}

static double play_all(struct play *play)
{
    uint32_t left = play->count;
    int last = 0;

    for (int now = 0; left > 0; now++) {
        assert_true(now < 1000);
        for (uint32_t i = 0; i < play->count; i++) {
            struct move *move = &play->moves[i];

            if (move->begin >= 0 || !play_can_begin(play, move, now))
                continue;
            move->begin = now;
            move->end = now + (int)move->len;
            last = move->end > last ? move->end : last;
            left--;
            if (move->len == 0)
                i = UINT32_MAX; /* it has ended already: others may begin in this moment */
        }
    }
    return last;
}

/* Figure 4. With one channel the writes were all issued before the first read, and go first. */
static double play_a(const struct completion_time_job *job)
{
    struct play play = { .channels = job->channels };
    uint32_t write[SEGMENTS_MAX], process[SEGMENTS_MAX], before = 0;

    for (uint32_t i = 0; i < job->segments; i++) {
        write[i] = play_move(&play, UNIT_WRITE, job->write);
        if (i > 0)
            play_after(&play, write[i], write[i - 1]);
    }
    for (uint32_t i = 0; i < job->segments; i++) {
        process[i] = play_move(&play, UNIT_DEVICE, job->process);
        play_after(&play, process[i], write[i]);
        if (i > 0)
            play_after(&play, process[i], process[i - 1]);
    }
    for (uint32_t i = 0; i < job->segments; i++) {
        const uint32_t read = play_move(&play, UNIT_READ, job->read);

        play_after(&play, read, process[i]);
        if (job->channels == 1)
            play_after(&play, read, write[job->segments - 1]);
        if (i > 0)
            play_after(&play, read, before);
        before = read;
    }
    return play_all(&play);
}

/* Figure 5: "wait for all" is a wait for every move before it. */
static double play_b(const struct completion_time_job *job)
{
    struct play play = { .channels = job->channels };
    const uint32_t first = play_move(&play, UNIT_WRITE, job->write);
    uint32_t barrier = first + 1; /* what follows waits for the moves before this one */

    for (uint32_t i = 1; i < job->segments; i++) {
        /* The read issued at the end of the turn before is in front of this turn's write. */
        const uint32_t write = play_move(&play, UNIT_WRITE, job->write);
        const uint32_t process = play_move(&play, UNIT_DEVICE, job->process);

        for (uint32_t k = 0; k < barrier; k++) {
            play_after(&play, write, k);
            play_after(&play, process, k);
        }
        barrier = play.count;
        const uint32_t read = play_move(&play, UNIT_READ, job->read);
        for (uint32_t k = 0; k < barrier; k++)
            play_after(&play, read, k);
    }
    const uint32_t process = play_move(&play, UNIT_DEVICE, job->process);
    for (uint32_t k = 0; k < barrier; k++)
        play_after(&play, process, k);
    const uint32_t read = play_move(&play, UNIT_READ, job->read);
    for (uint32_t k = 0; k + 1 < play.count; k++)
        play_after(&play, read, k);
    return play_all(&play);
}

typedef void instance_check(const struct completion_time_job *job);

static void each_small_instance(instance_check *check)
{
    for (uint32_t channels = 1; channels <= 2; channels++)
        for (uint32_t s = 1; s <= SEGMENTS_MAX; s++)
            for (uint32_t w = 0; w <= TIME_MAX; w++)
                for (uint32_t p = 0; p <= TIME_MAX; p++)
                    for (uint32_t r = 0; r <= TIME_MAX; r++)
                        check(&(struct completion_time_job){ .segments = s,
                                                             .channels = channels,
                                                             .write = w,
                                                             .process = p,
                                                             .read = r });
}

static void each_random_instance(instance_check *check)
{
    uint64_t seed = 0x5eed;

    for (uint32_t i = 0; i < 200000; i++) {
        struct completion_time_job job = { .channels = 1 + test_random(&seed, 2) };

        job.segments = 1 + test_random(&seed, 1u << test_random(&seed, 12));
        job.write = test_random(&seed, 1u << test_random(&seed, 16));
        job.process = test_random(&seed, 1u << test_random(&seed, 16));
        job.read = test_random(&seed, 1u << test_random(&seed, 16));
        check(&job);
    }
}

static void must_be(const struct completion_time_job *job, const char *what, double got,
                    double want)
{
    if (got != want)
        fail_msg("%s: s %u, %u channels, times %g %g %g: %g, want %g", what, job->segments,
                 job->channels, job->write, job->process, job->read, got, want);
}

static void must_hold(const struct completion_time_job *job, const char *what, bool holds)
{
    if (!holds)
        fail_msg("%s: s %u, %u channels, times %g %g %g: A %g, B %g", what, job->segments,
                 job->channels, job->write, job->process, job->read, completion_time_a(job),
                 completion_time_b(job));
}

static void check_schedules(const struct completion_time_job *job)
{
    must_be(job, "strategy A", completion_time_a(job), play_a(job));
    must_be(job, "strategy B", completion_time_b(job), play_b(job));
}

static void formulas_say_what_the_schedules_take(void **state)
{
    (void)state;
    each_small_instance(check_schedules);
}

static void check_bounds(const struct completion_time_job *job)
{
    const double a = completion_time_a(job), b = completion_time_b(job);
    const double excess = completion_time_b_excess(job->segments, job->channels);
    struct completion_time_job one = *job, two = *job;

    one.channels = 1;
    two.channels = 2;
    must_be(job, "A is optimal", a, completion_time_least(job));
    must_hold(job, "B is not faster than A", b >= a);
    /* The paper has no instance with t_p = 0, the limit in which the bound is reached. */
    must_hold(job, "B is within its bound",
              a == b || b - a < excess * a * (1 + (job->process == 0 ? 1e-12 : 0)));
    must_hold(job, "the bounds of all s",
              excess <= (job->channels == 1 ? 2.0 / 15 : 1.0 / 3) &&
                  (job->channels == 1 || job->segments > 1 || a == b));
    must_hold(job, "one channel takes at most twice as long",
              completion_time_a(&one) <= COMPLETION_TIME_CHANNELS_GAIN * completion_time_a(&two));
    must_hold(job, "two channels are not slower",
              completion_time_a(&two) <= completion_time_a(&one));
}

static void bounds_hold(void **state)
{
    (void)state;
    each_small_instance(check_bounds);
    each_random_instance(check_bounds);
}

static void worked_instances(void **state)
{
    /* After Theorem 6: s = 4, t_r = t_p = 3, t_w = 1. */
    const struct completion_time_job tight = {
        .segments = 4, .channels = 1, .write = 1, .process = 3, .read = 3
    };
    /* Theorem 5: s = 3 and t_w > t_p > t_r. */
    const struct completion_time_job worse = {
        .segments = 3, .channels = 1, .write = 5, .process = 4, .read = 3
    };
    /* Theorem 12, case 2: t_p next to nothing, t_w = t_r = 2: B takes 2s + 4. */
    const struct completion_time_job apart = {
        .segments = 9, .channels = 2, .write = 2, .process = 0.001, .read = 2
    };
    /* Section 5.2, 10 MB a segment, in ms: A takes T_w + T_r, B takes t_p - t_w more. */
    const struct completion_time_job table = {
        .segments = 50, .channels = 1, .write = 1.87, .process = 2.73, .read = 3.63
    };

    (void)state;
    must_be(&tight, "A", completion_time_a(&tight), 16);
    must_be(&tight, "B", completion_time_b(&tight), 18);
    must_hold(&tight, "1/8",
              (18.0 - 16.0) / 16.0 == 1.0 / 8 && 1.0 / 8 < completion_time_b_excess(4, 1));
    must_be(&tight, "2/15", completion_time_b_excess(4, 1), 2.0 / 15);
    must_be(&worse, "B", completion_time_b(&worse), 3 * 5 + 4 + 2 * 3);
    must_hold(&worse, "A is faster", completion_time_a(&worse) < completion_time_b(&worse));
    must_be(&apart, "B", completion_time_b(&apart), 2 * 9 + 4);
    must_be(&apart, "A", completion_time_a(&apart), 2 * 9 + 0.001 + 2);
    assert_true(completion_time_b_excess(20, 1) > 0.045 &&
                completion_time_b_excess(20, 1) < 0.0452);

    const double a = completion_time_a(&table), b = completion_time_b(&table);
    assert_true(a > 274.99 && a < 275.01);
    assert_true(b - a > 0.8599 && b - a < 0.8601);
}

/* Theorem 9: the factor of two is reached in the limit. Theorem 12: so is 1 / (s + 1). */
static void bounds_are_tight(void **state)
{
    struct completion_time_job job = {
        .segments = 4096, .channels = 1, .write = 1, .process = 1e-6, .read = 1
    };
    const double one = completion_time_a(&job);

    (void)state;
    job.channels = 2;
    assert_true(one / completion_time_a(&job) > 1.999);
    job.segments = 2;
    assert_true((completion_time_b(&job) - completion_time_a(&job)) / completion_time_a(&job) >
                0.3333);
}

static void check_ring(const struct completion_time_job *job)
{
    if (job->segments > 512)
        return;
    const double least = completion_time_least(job);
    double before = completion_time_ring(job, 1);

    must_be(job, "one buffer: nothing overlaps but the read", before > 0 || least == 0, true);
    must_be(job, "a buffer for each segment", completion_time_ring(job, job->segments),
            completion_time_a(job));
    must_hold(job, "two are not slower than B",
              completion_time_ring(job, 2) <= completion_time_b(job));
    for (uint32_t buffers = 1; buffers <= 8; buffers++) {
        const double now = completion_time_ring(job, buffers);

        must_hold(job, "not faster than possible", now >= least);
        must_hold(job, "two channels: more buffers are not slower",
                  job->channels == 1 || now <= before);
        before = now;
    }
}

static void rings_lie_between_b_and_a(void **state)
{
    (void)state;
    each_small_instance(check_ring);
    each_random_instance(check_ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_say_what_the_schedules_take),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(worked_instances),
        cmocka_unit_test(bounds_are_tight),
        cmocka_unit_test(rings_lie_between_b_and_a),
    };
    return cmocka_run_group_tests_name("completion times", tests, NULL, NULL);
}
