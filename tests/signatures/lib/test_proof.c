/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/lib/test_proof.c - what a validator notes for files in pieces: how far it has
 * read, what is sure, and what is open.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "signatures/sig.h"

enum { ROOM = 4096 };

static const uint8_t *see(struct sig_source *source, uint64_t at, uint32_t want, uint32_t *have)
{
    static uint8_t room[ROOM];

    (void)source;
    if (at + want > ROOM / 2)
        return NULL; /* the second half is not there yet */
    *have = (uint32_t)(ROOM / 2 - at);
    return room + at;
}

static struct sig_input input(struct sig_source *source)
{
    return (struct sig_input){ .source = source, .limit = ROOM, .thorough = true };
}

static void what_was_returned_was_reached(void **state)
{
    struct sig_source source = { see };
    struct sig_input in = input(&source);
    uint64_t at;
    uint32_t len;

    (void)state;
    assert_non_null(sig_bytes(&in, 10, 20));
    assert_int_equal(in.reached, 30);
    assert_null(sig_bytes(&in, ROOM / 2, 1));
    assert_int_equal(in.reached, 30);
    assert_non_null(sig_span_to(&in, 5, 100, &len));
    assert_int_equal(len, 95);
    assert_int_equal(in.reached, 100);
    assert_int_equal(sig_find(&in, 0, 1000, "x", 1, &at), SIG_FIND_NONE);
    assert_int_equal(in.reached, 1000);
    assert_non_null(sig_span(&in, 0, &len));
    assert_int_equal(in.reached, ROOM / 2);
}

static void the_farthest_sure_byte_counts(void **state)
{
    struct sig_input in = { 0 };

    (void)state;
    sig_sure(&in, 100);
    sig_sure(&in, 50);
    assert_int_equal(in.sure, 100);
}

static void open_stretches_are_kept_once(void **state)
{
    struct sig_input in = { .thorough = true };

    (void)state;
    sig_open(&in, 100, 100); /* nothing */
    sig_open(&in, 100, 200);
    sig_open(&in, 100, 200); /* as a validator that is called again does */
    sig_open(&in, 120, 180);
    assert_int_equal(in.open_count, 1);
    sig_open(&in, 150, 300); /* over its end */
    assert_int_equal(in.open_count, 1);
    assert_int_equal(in.open[0].from, 100);
    assert_int_equal(in.open[0].to, 300);
    sig_open_field(&in, 1000, 1511); /* holds no sector */
    assert_int_equal(in.open_count, 1);
    sig_open_field(&in, 1000, 1512);
    assert_int_equal(in.open_count, 2);

    in.thorough = false;
    sig_open(&in, 5000, 6000);
    assert_int_equal(in.open_count, 2);
}

static void the_last_open_stretch_takes_in_what_is_too_many(void **state)
{
    struct sig_input in = { .thorough = true };

    (void)state;
    for (uint64_t i = 0; i < SIG_OPEN_MAX + 3; i++)
        sig_open(&in, i * 100, i * 100 + 10);
    assert_int_equal(in.open_count, SIG_OPEN_MAX);
    assert_int_equal(in.open[SIG_OPEN_MAX - 2].to, (SIG_OPEN_MAX - 2) * 100 + 10);
    assert_int_equal(in.open[SIG_OPEN_MAX - 1].from, (SIG_OPEN_MAX - 1) * 100);
    assert_int_equal(in.open[SIG_OPEN_MAX - 1].to, (SIG_OPEN_MAX + 2) * 100 + 10);
}

/* A validator that proves all, but for a stretch when its state says so. */
static struct sig_result check(struct sig_input *in, void *state)
{
    if (*(const bool *)state)
        sig_open(in, 10, 20);
    return sig_complete(in, 100, "whole");
}

static void a_thorough_check_with_open_stretches_is_not_proven(void **state)
{
    const struct sig sig = { .check = check, .seam = SIG_SEAM_EXACT };
    bool open = false;

    (void)state;
    for (int thorough = 0; thorough < 2; thorough++)
        for (int i = 0; i < 2; i++) {
            struct sig_input in = { .sig = &sig, .limit = 1000, .thorough = thorough != 0 };

            open = i != 0;
            const struct sig_result result = sig_check(&sig, &in, &open);
            assert_int_equal(result.verdict, SIG_COMPLETE);
            assert_int_equal(result.proven, !(in.thorough && open));
            assert_int_equal(in.sure, in.thorough ? 100 : 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_returned_was_reached),
        cmocka_unit_test(the_farthest_sure_byte_counts),
        cmocka_unit_test(open_stretches_are_kept_once),
        cmocka_unit_test(the_last_open_stretch_takes_in_what_is_too_many),
        cmocka_unit_test(a_thorough_check_with_open_stretches_is_not_proven),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
