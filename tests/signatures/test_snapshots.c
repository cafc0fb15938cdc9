/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_snapshots.c - a validator's state and input can be copied and copied back
 * (the rule on snapshots in sig.h).
 *
 * Every sample is run up to some cluster borders. There the two are copied, the validator reads
 * garbage on, both are copied back to their places, and it goes on with the right bytes: it must
 * come to the verdict that it comes to without all that. Of the state of a thorough check what says
 * nothing (sig_state_live) is not copied, and is garbage then.
 *
 * Labels: slow
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signatures/list.h"
#include "tests/signatures/harness.h"
#include "tests/signatures/sample.h"

enum { BORDERS = 24, CLUSTER = 512, GARBAGE = 1 << 14 };

/* Leaves the right way at `border`, comes back, and goes on. */
static void snapshot_try(const struct sample *sample, uint64_t border, bool thorough,
                         const struct harness_verdict *want, uint8_t *wrong)
{
    const size_t state_size = sig_state_size(sample->sig, true);
    struct harness run;
    uint8_t *saved = malloc(state_size + 1);

    assert_non_null(saved);
    harness_begin(&run, sample->sig, sample->bytes, sample->len);
    run.in.thorough = thorough;
    if (!harness_go(&run, border)) {
        const struct sig_input in = run.in;
        const struct harness_verdict out = run.out;
        const uint64_t limit = sample->len + GARBAGE;
        const size_t live = thorough ? sig_state_live(sample->sig, run.state) : state_size;

        assert_true(live <= state_size);
        memcpy(saved, run.state, live);
        memcpy(wrong, sample->bytes, border);
        run.source.bytes = wrong;
        run.in.limit = limit < sample->sig->size_max ? limit : sample->sig->size_max;
        harness_go(&run, limit);

        run.in = in;
        memset(run.state, 0xa5, state_size);
        memcpy(run.state, saved, live);
        run.source.bytes = sample->bytes;
        run.out = out;
        assert_true(harness_go(&run, sample->len));
    }
    harness_compare(sample->sig, want, &run.out, (size_t)border);
    harness_end(&run);
    free(saved);
}

static void snapshot_sample(struct sample *sample, void *unused)
{
    uint8_t *wrong = malloc(sample->len + GARBAGE);
    uint64_t seed = 88172645463325252u;

    (void)unused;
    assert_non_null(wrong);
    for (size_t i = 0; i < sample->len + GARBAGE; i++)
        wrong[i] = sample_random(&seed);
    for (int thorough = 0; thorough < 2; thorough++) {
        const struct harness_verdict want =
            thorough != 0 ? harness_run_thorough(sample->sig, sample->bytes, sample->len)
                          : harness_run(sample->sig, sample->bytes, sample->len, 0, 0);
        const uint64_t clusters = sample->len / CLUSTER;

        for (uint64_t i = 0; i < BORDERS; i++) {
            /* An even choice; of a file that is smaller than a cluster, single bytes. */
            const uint64_t border = clusters < 2 ? sample->len * (i + 1) / (BORDERS + 1)
                                                 : (1 + (clusters - 1) * i / BORDERS) * CLUSTER;

            snapshot_try(sample, border, thorough != 0, &want, wrong);
        }
    }
    free(wrong);
}

static void test_snapshots(void **unused)
{
    (void)unused;
    assert_true(samples_each(snapshot_sample, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_snapshots) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
