/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_unpack.c - how much an object may unpack, and how much of a state is
 * cleared for each header.
 *
 * The numbers are those of the law: 1040 bytes for each byte read, divided by the square of the
 * number of objects that share it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

/* The largest multiple of 1040 bytes that an object which has read `from` bytes may unpack. */
static uint64_t allowance(uint32_t sharers, uint64_t from)
{
    struct sig_input in = { .limit = UINT64_MAX, .sharers = sharers };
    uint64_t bytes = 0;

    while (sig_unpacked(&in, from, 1040))
        bytes += 1040;
    assert_true(in.spent);
    assert_int_equal(in.unpacked, bytes + 1040);
    return bytes;
}

static void the_allowance_falls_with_the_square_of_the_sharers(void **state)
{
    (void)state;
    /* One below 1040 * 3600 / (n + 1)^2, counted in 1040: 3600, 900, 400, 225, 36. */
    assert_int_equal(allowance(0, 3600), 1040 * 3599);
    assert_int_equal(allowance(1, 3600), 1040 * 899);
    assert_int_equal(allowance(2, 3600), 1040 * 399);
    assert_int_equal(allowance(3, 3600), 1040 * 224);
    assert_int_equal(allowance(9, 3600), 1040 * 35);
    assert_int_equal(allowance(255, 1 << 20), 1040 * 15);
    assert_int_equal(allowance(UINT32_MAX, 1 << 20), 1040 * 15); /* as 255 */
}

/* A buffer of this length is enough to learn that no more may be unpacked, and not much longer. */
static void the_room_ends_with_the_allowance(void **state)
{
    struct sig_input in = { .limit = UINT64_MAX, .sharers = 3 };

    (void)state;
    assert_int_equal(sig_unpack_room(&in, 3600, 1000), 1000);
    assert_int_equal(sig_unpack_room(&in, 3600, 1 << 20), 1040 * 226); /* 225, and one */
    assert_true(sig_unpacked(&in, 3600, 1040 * 224));
    assert_int_equal(sig_unpack_room(&in, 3600, 1 << 20), 1040 * 2);
    assert_false(sig_unpacked(&in, 3600, 1040 * 2));
}

/*
 * An object that was let do as it wanted would have been with so many sharers, and with no more: it
 * is run once more with each number.
 */
static void it_is_known_with_how_many_sharers_all_is_the_same(void **state)
{
    static const uint64_t unpacked[] = { 0, 1040, 1040 * 30, 1040 * 100, 1040 * 399, 1040 * 800 };

    (void)state;
    for (size_t i = 0; i < sizeof unpacked / sizeof unpacked[0]; i++) {
        struct sig_input first = { .limit = UINT64_MAX, .sharers = 1 };
        const bool free = sig_unpacked(&first, 3600, unpacked[i]);
        const uint32_t most = sig_sharers_most(&first);

        assert_true(free && most >= 1);
        for (uint32_t n = 0; n <= SIG_SHARERS_MAX; n++) {
            struct sig_input in = { .limit = UINT64_MAX, .sharers = n };

            assert_int_equal(sig_unpacked(&in, 3600, unpacked[i]), n <= most);
        }
    }
    for (uint32_t want = 100; want < 1 << 20; want *= 3) { /* and for the room that it was given */
        struct sig_input first = { .limit = UINT64_MAX };
        const uint32_t room = sig_unpack_room(&first, 3600, want);
        const uint32_t most = sig_sharers_most(&first);

        for (uint32_t n = 0; n <= SIG_SHARERS_MAX; n++) {
            struct sig_input in = { .limit = UINT64_MAX, .sharers = n };

            assert_int_equal(sig_unpack_room(&in, 3600, want) == room, n <= most);
        }
    }
}

/* What left some of its room does the same in any room that is not filled either; what filled it
 * does so in the same room only. */
static void it_is_known_with_how_many_sharers_the_room_is_enough(void **state)
{
    uint32_t better = 0;

    (void)state;
    for (uint32_t want = 100; want < 1 << 20; want *= 3)
        for (uint32_t part = 0; part <= 64; part++) {
            struct sig_input first = { .limit = UINT64_MAX, .sharers = 1 };
            const uint32_t room = sig_unpack_room(&first, 3600, want);
            const uint32_t got = (uint32_t)((uint64_t)room * part / 64);
            const uint32_t unknown = sig_sharers_most(&first);
            const bool free = sig_unpacked(&first, 3600, got);
            const uint32_t most = sig_sharers_most(&first);

            better += most > unknown;
            for (uint32_t n = 1; free && n <= SIG_SHARERS_MAX; n++) {
                struct sig_input in = { .limit = UINT64_MAX, .sharers = n };
                const uint32_t other = sig_unpack_room(&in, 3600, want);
                const bool same = other == room || (got < room && got < other);

                assert_int_equal(same && sig_unpacked(&in, 3600, got), n <= most);
            }
        }
    assert_true(better > 100);
}

static void no_deflated_data_alone_reaches_it(void **state)
{
    struct sig_input in = { .limit = UINT64_MAX };

    (void)state;
    for (uint64_t at = 1; at <= 1 << 20; at++) /* 258 bytes for two bits */
        assert_true(sig_unpacked(&in, at, 4 * 258));
    assert_int_equal(in.unpacked, UINT64_C(1032) << 20);
}

/* Counts where it has come to as read, what it said before as not. */
static struct sig_result spender(struct sig_input *in, void *state)
{
    (void)state;
    sig_valid(in, 10);
    while (sig_unpacked(in, 5000, 100000))
        ;
    return sig_reject("a validator's word does not count then");
}

static void what_is_spent_is_cut_where_it_was_read(void **state)
{
    static const struct sig sig = { .name = "spender", .size_max = 1 << 20, .check = spender };
    struct sig_input in = { .sig = &sig, .limit = 1 << 20 };
    const struct sig_result result = sig_check(&sig, &in, NULL);

    (void)state;
    assert_int_equal(result.verdict, SIG_BREAKS);
    assert_int_equal(result.len, 5000);
    assert_true(result.spent);
    in = (struct sig_input){ .sig = &sig, .limit = 3000 };
    assert_int_equal(sig_check(&sig, &in, NULL).len, 3000);
}

/* 16 KiB cleared for each byte of header take a second for each 2 MiB of nothing but headers. */
static void little_is_cleared_for_a_header(void **state)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < SIG_HEADERS_MAX && all[i]->headers[k].len != 0; k++) {
            const uint32_t apart =
                (all[i]->flags & SIG_SECTOR_ALIGNED) != 0 ? 512 : all[i]->headers[k].len;

            if (sig_state_clean(all[i]) / apart > 16 << 10)
                fail_msg("%s clears %u bytes for a header of %u", all[i]->name,
                         sig_state_clean(all[i]), apart);
            assert_true(sig_state_clean(all[i]) <= all[i]->state_size);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_allowance_falls_with_the_square_of_the_sharers),
        cmocka_unit_test(the_room_ends_with_the_allowance),
        cmocka_unit_test(it_is_known_with_how_many_sharers_all_is_the_same),
        cmocka_unit_test(it_is_known_with_how_many_sharers_the_room_is_enough),
        cmocka_unit_test(no_deflated_data_alone_reaches_it),
        cmocka_unit_test(what_is_spent_is_cut_where_it_was_read),
        cmocka_unit_test(little_is_cleared_for_a_header),
    };

    return cmocka_run_group_tests_name("unpack", tests, NULL, NULL);
}
