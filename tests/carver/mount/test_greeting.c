/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/mount/test_greeting.c - what the kernel is told that libfuse3 does not know: places
 * of bytes are those of include/uapi/linux/fuse.h of Linux 6.9. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "carver/mount/greeting.h"

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
#define DIRECT_IO_ALLOW_MMAP UINT32_C(0x10) /* 1ULL << 36 */
#define PASSTHROUGH UINT32_C(0x20)          /* 1ULL << 37 */
#define BOTH (DIRECT_IO_ALLOW_MMAP | PASSTHROUGH)

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
    greeting_take(asked, sizeof asked, BOTH, answer, sizeof answer);
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
    greeting_take(asked, sizeof asked, BOTH, answer, sizeof answer);
    put(asked + ASKED_FLAGS, UINT32_MAX);
    put(asked + ASKED_FLAGS2, ~BOTH);
    greeting_take(asked, sizeof asked, BOTH, answer, sizeof answer);
    put(asked + ASKED_FLAGS2, UINT32_MAX);
    greeting_take(asked, sizeof asked - 1, BOTH, answer, sizeof answer);
    greeting_take(asked, sizeof asked, BOTH, answer, sizeof answer - 1);
    assert_memory_equal(answer, none, sizeof none);
}

/* The depth of stacks is told for files that the kernel reads itself alone. */
static void one_of_two_offers(void **state)
{
    uint8_t asked[ASKED_LEN] = { 0 }, answer[ANSWER_LEN] = { 0 }, want[ANSWER_LEN] = { 0 };

    (void)state;
    put(asked + ASKED_FLAGS, INIT_EXT);
    put(asked + ASKED_FLAGS2, DIRECT_IO_ALLOW_MMAP | 4);
    greeting_take(asked, sizeof asked, PASSTHROUGH, answer, sizeof answer);
    assert_memory_equal(answer, want, sizeof want);
    put(want + ANSWER_FLAGS, INIT_EXT);
    put(want + ANSWER_FLAGS2, DIRECT_IO_ALLOW_MMAP);
    greeting_take(asked, sizeof asked, BOTH, answer, sizeof answer);
    assert_memory_equal(answer, want, sizeof want);
    memset(answer, 0, sizeof answer);
    put(asked + ASKED_FLAGS2, BOTH);
    greeting_take(asked, sizeof asked, DIRECT_IO_ALLOW_MMAP, answer, sizeof answer);
    assert_memory_equal(answer, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_takes_what_the_kernel_offers),
        cmocka_unit_test(one_of_two_offers),
        cmocka_unit_test(the_answer_stays_where_the_kernel_offers_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
