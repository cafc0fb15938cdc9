/* SPDX-License-Identifier: Apache-2.0
 * tests/cluster/test_claims.c - who does which part: each one once, again after a failure, by
 * another host where bytes could not be read, and twice only where one is slow.
 *
 * Method: the rules of claims.h, worked out by hand; and ranks at random, with a list of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/claims.h"

static const uint32_t one_host[8] = { 0 }, two_hosts[8] = { 0, 1, 0, 1, 0, 1, 0, 1 };

static void each_part_is_done_once(void **state)
{
    struct claims *claims = claims_open(5, 2, one_host);
    uint32_t part;

    (void)state;
    claims_set_done(claims, 1);
    claims_set_done(claims, 1);
    claims_set_done(claims, 99);
    assert_int_equal(claims_done(claims), 1);
    assert_int_equal(claims_next(claims, 0, 0), 0);
    assert_int_equal(claims_next(claims, 1, 0), 2);
    assert_int_equal(claims_part(claims, 1), 2);
    assert_int_equal(claims_end(claims, 1, 0, 10), CLAIMS_NONE);
    assert_int_equal(claims_part(claims, 1), CLAIMS_NONE);
    assert_int_equal(claims_next(claims, 1, 10), 3);
    assert_int_equal(claims_end(claims, 0, 0, 20), CLAIMS_NONE);
    assert_int_equal(claims_next(claims, 0, 20), 4);
    assert_int_equal(claims_end(claims, 0, 0, 30), CLAIMS_NONE);
    assert_int_equal(claims_next(claims, 0, 30), CLAIMS_NONE); /* part 3 is not slow */
    assert_int_equal(claims_end(claims, 1, 1, 30), CLAIMS_NONE);
    assert_int_equal(claims_done(claims), 5);
    assert_int_equal(claims_failed(claims, &part), 0);
    assert_int_equal(claims_next(claims, 0, 1000000), CLAIMS_NONE);
    claims_close(claims);
}

static void what_fails_is_tried_three_times(void **state)
{
    static const struct {
        int status, tries, want;
    } rows[] = { { 4, 3, 4 }, { 137, 3, 4 }, { 130, 3, 4 }, { 3, 1, 3 }, { 2, 1, 2 } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct claims *claims = claims_open(3, 1, one_host);
        uint32_t part = 9;

        assert_int_equal(claims_next(claims, 0, 0), 0);
        assert_int_equal(claims_end(claims, 0, 0, 0), CLAIMS_NONE);
        for (int n = 0; n < rows[i].tries; n++) {
            assert_int_equal(claims_failed(claims, &part), 0);
            assert_int_equal(claims_next(claims, 0, 0), 1);
            assert_int_equal(claims_end(claims, 0, rows[i].status, 0), CLAIMS_NONE);
        }
        assert_int_equal(claims_failed(claims, &part), rows[i].want);
        assert_int_equal(part, 1);
        assert_int_equal(claims_done(claims), 1);
        claims_close(claims);
    }
}

static void another_host_tries_what_one_could_not_read(void **state)
{
    struct claims *claims = claims_open(1, 4, two_hosts);

    (void)state;
    assert_int_equal(claims_next(claims, 0, 0), 0);
    assert_int_equal(claims_end(claims, 0, 1, 0), CLAIMS_NONE);
    assert_int_equal(claims_done(claims), 0);
    assert_int_equal(claims_next(claims, 2, 0), CLAIMS_NONE); /* of the same host */
    assert_int_equal(claims_next(claims, 0, 99999), CLAIMS_NONE);
    assert_int_equal(claims_next(claims, 3, 0), 0);
    assert_int_equal(claims_end(claims, 3, 1, 0), CLAIMS_NONE);
    assert_int_equal(claims_done(claims), 1);
    claims_close(claims);

    claims = claims_open(1, 4, one_host); /* there is no other: the merge has to say so */
    assert_int_equal(claims_next(claims, 0, 0), 0);
    assert_int_equal(claims_end(claims, 0, 1, 0), CLAIMS_NONE);
    assert_int_equal(claims_done(claims), 1);
    claims_close(claims);
}

/* Two parts take 1000 ms each; the third is slow when it has taken 2 x 1000 + 5000 ms. */
static void a_slow_part_is_given_out_twice(void **state)
{
    for (int first = 0; first < 2; first++) {
        struct claims *claims = claims_open(3, 3, one_host);

        (void)state;
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(claims_next(claims, i, 0), i);
        assert_int_equal(claims_end(claims, 0, 0, 1000), CLAIMS_NONE);
        assert_int_equal(claims_end(claims, 1, 0, 1000), CLAIMS_NONE);
        assert_int_equal(claims_next(claims, 0, 7000), CLAIMS_NONE);
        assert_int_equal(claims_next(claims, 0, 7001), 2);
        assert_int_equal(claims_next(claims, 1, 9000), CLAIMS_NONE); /* two are enough */
        if (first == 0) { /* who came later is done first */
            assert_int_equal(claims_end(claims, 0, 0, 9000), 2);
            assert_int_equal(claims_done(claims), 3);
            assert_int_equal(claims_end(claims, 2, 143, 9001), CLAIMS_NONE);
        } else { /* who came later is killed: the first one goes on */
            assert_int_equal(claims_end(claims, 0, 137, 9000), CLAIMS_NONE);
            assert_int_equal(claims_done(claims), 2);
            assert_int_equal(claims_end(claims, 2, 0, 9001), CLAIMS_NONE);
        }
        assert_int_equal(claims_done(claims), 3);
        claims_close(claims);
    }
}

/* Ranks at random, of which some fail: in the end all is done, and nothing that was done is given
 * again. */
static void ranks_at_random(void **state)
{
    enum { PARTS = 40, RANKS = 8 };
    uint64_t random = 7, now_ms = 0;

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct claims *claims = claims_open(PARTS, RANKS, two_hosts);
        bool done[PARTS] = { false };
        uint32_t failures[PARTS] = { 0 }, count = 0, part;

        for (; count < PARTS; now_ms += 700) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const uint32_t rank = (uint32_t)(random >> 40) % RANKS;
            const uint32_t has = claims_part(claims, rank);

            if (has == CLAIMS_NONE) {
                part = claims_next(claims, rank, now_ms);
                assert_true(part == CLAIMS_NONE || !done[part]);
                continue;
            }
            const bool fails = (random >> 33) % 4 == 0 && failures[has] < CLAIMS_TRIES - 1;
            claims_end(claims, rank, fails ? 137 : 0, now_ms);
            failures[has] += fails && !done[has];
            count += !fails && !done[has];
            done[has] = done[has] || !fails;
            assert_int_equal(claims_done(claims), count);
        }
        assert_int_equal(claims_failed(claims, &part), 0);
        claims_close(claims);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_is_done_once),
        cmocka_unit_test(what_fails_is_tried_three_times),
        cmocka_unit_test(another_host_tries_what_one_could_not_read),
        cmocka_unit_test(a_slow_part_is_given_out_twice),
        cmocka_unit_test(ranks_at_random),
    };

    return cmocka_run_group_tests_name("cluster claims", tests, NULL, NULL);
}
