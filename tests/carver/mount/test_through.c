/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/mount/test_through.c - what the kernel is told of files that it reads itself: places
 * of bytes are those of include/uapi/linux/fuse.h of Linux 6.9. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "carver/mount/through.h"

enum {
    ASKED_HEAD = 40,
    ASKED_FLAGS = ASKED_HEAD + 12,
    ASKED_FLAGS2 = ASKED_HEAD + 16,
    ASKED_LEN = ASKED_HEAD + 64,
    ANSWER_HEAD = 16,
    ANSWER_FLAGS = ANSWER_HEAD + 12,
    ANSWER_FLAGS2 = ANSWER_HEAD + 32,
    ANSWER_DEPTH = ANSWER_HEAD + 36,
    ANSWER_LEN = ANSWER_HEAD + 64,
};
#define INIT_EXT UINT32_C(0x40000000)
#define PASSTHROUGH UINT32_C(0x20) /* 1ULL << 37 */

static uint32_t number(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static void put(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static void the_answer_takes_what_the_kernel_offers(void **state)
{
    uint8_t asked[ASKED_LEN] = { 0 }, answer[ANSWER_LEN], want[ANSWER_LEN];

    (void)state;
    memset(answer, 0x10, sizeof answer);
    memcpy(want, answer, sizeof want);
    put(asked + ASKED_FLAGS, INIT_EXT | 1);
    put(asked + ASKED_FLAGS2, PASSTHROUGH | 4);
    through_offer(asked, sizeof asked, answer, sizeof answer);
    put(want + ANSWER_FLAGS, number(want + ANSWER_FLAGS) | INIT_EXT);
    put(want + ANSWER_FLAGS2, number(want + ANSWER_FLAGS2) | PASSTHROUGH);
    put(want + ANSWER_DEPTH, 1);
    assert_memory_equal(answer, want, sizeof want);
}

static void the_answer_stays_where_the_kernel_offers_nothing(void **state)
{
    uint8_t asked[ASKED_LEN] = { 0 }, answer[ANSWER_LEN] = { 0 };
    const uint8_t none[ANSWER_LEN] = { 0 };

    (void)state;
    put(asked + ASKED_FLAGS, ~INIT_EXT);
    put(asked + ASKED_FLAGS2, UINT32_MAX);
    through_offer(asked, sizeof asked, answer, sizeof answer);
    put(asked + ASKED_FLAGS, UINT32_MAX);
    put(asked + ASKED_FLAGS2, ~PASSTHROUGH);
    through_offer(asked, sizeof asked, answer, sizeof answer);
    put(asked + ASKED_FLAGS2, UINT32_MAX);
    through_offer(asked, sizeof asked - 1, answer, sizeof answer);
    through_offer(asked, sizeof asked, answer, sizeof answer - 1);
    assert_memory_equal(answer, none, sizeof none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_takes_what_the_kernel_offers),
        cmocka_unit_test(the_answer_stays_where_the_kernel_offers_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
