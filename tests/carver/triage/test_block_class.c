/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/triage/test_block_class.c - chi square and entropy against values worked out by
 * hand, and blocks on both sides of each bound.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "carver/triage/block_class.h"

enum { LEN = 4096 };

static uint64_t chi_of(const uint8_t *bytes, size_t len)
{
    uint32_t counts[256];

    block_counts(bytes, len, counts);
    return block_chi_square(counts, len);
}

static double entropy_of(const uint8_t *bytes, size_t len)
{
    uint32_t counts[256];

    block_counts(bytes, len, counts);
    return block_entropy(counts, len);
}

static void chi_square_and_entropy_are_as_by_hand(void **state)
{
    uint8_t block[LEN] = { 0 };

    (void)state;
    assert_int_equal(chi_of(block, LEN), 255 * (uint64_t)LEN * LEN); /* all in one of 256 */
    assert_true(fabs(entropy_of(block, LEN)) < 1e-9);
    for (size_t i = 0; i < LEN; i++)
        block[i] = (uint8_t)i; /* each value 16 times: as expected */
    assert_int_equal(chi_of(block, LEN), 0);
    assert_true(fabs(entropy_of(block, LEN) - 8) < 1e-9);
    memset(block, 'a', LEN / 2);
    memset(block + LEN / 2, 'b', LEN / 2); /* 2 * (2048 - 16)^2 / 16 + 254 * 16 = 127 * 4096 */
    assert_int_equal(chi_of(block, LEN), 127 * (uint64_t)LEN * LEN);
    assert_true(fabs(entropy_of(block, LEN) - 1) < 1e-9);
    /* "abbc": two bits for a and for c, one for b: 1.5 bits a byte. */
    assert_true(fabs(entropy_of((const uint8_t *)"abbc", 4) - 1.5) < 1e-9);
}

/*
 * A block of 4,096 bytes in which `pairs` pairs of values stand 17 and 15 times, and `far` pairs 20
 * and 12 times: chi square is (2 * pairs + 32 * far) / 16.
 */
static void skewed(uint8_t *block, uint32_t pairs, uint32_t far)
{
    size_t at = 0;

    for (uint32_t v = 0; v < 256; v++) {
        const uint32_t pair = v / 2, by = pair < far ? 4 : pair < far + pairs ? 1 : 0;
        const uint32_t count = v % 2 == 0 ? 16 + by : 16 - by;

        memset(block + at, (int)v, count);
        at += count;
    }
    assert_int_equal(at, LEN);
}

static void uniform_is_within_three_sigma(void **state)
{
    uint8_t block[LEN];

    (void)state;
    skewed(block, 26, 92); /* (52 + 2944) / 16 = 187.25 */
    assert_int_equal(chi_of(block, LEN) * 4, 749 * (uint64_t)LEN);
    assert_int_equal(block_class(block, LEN), BLOCK_UNIFORM);
    skewed(block, 25, 92); /* 187.125: too even to be random */
    assert_int_equal(block_class(block, LEN), BLOCK_DENSE);
    skewed(block, 0, 128); /* 256 */
    assert_int_equal(block_class(block, LEN), BLOCK_UNIFORM);
    for (size_t i = 0; i < LEN; i++)
        block[i] = (uint8_t)(i % 128); /* 128 values 32 times: chi square 4,096, 7 bits a byte */
    assert_int_equal(block_class(block, LEN), BLOCK_DENSE);
    assert_int_equal(block_class(block, 1024), BLOCK_DENSE);
}

static void each_class_has_its_blocks(void **state)
{
    uint8_t block[LEN] = { 0 };

    (void)state;
    assert_int_equal(block_class(block, LEN), BLOCK_ZERO);
    assert_int_equal(block_class(block, 1), BLOCK_ZERO);
    memset(block, 0xff, LEN);
    assert_int_equal(block_class(block, LEN), BLOCK_FILL);
    for (size_t i = 0; i < LEN; i++)
        block[i] = (uint8_t) "DEADBEEF"[i % 8];
    assert_int_equal(block_class(block, LEN), BLOCK_FILL);
    block[LEN - 1] = 'x';
    assert_int_equal(block_class(block, LEN), BLOCK_TEXT);
    memset(block, 0, LEN);
    block[LEN - 1] = 1;
    assert_int_equal(block_class(block, LEN), BLOCK_STRUCTURED);
}

/* 95 % of 4,000 bytes are 3,800. */
static void text_is_95_percent_of_it(void **state)
{
    uint8_t block[4000];

    (void)state;
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (uint8_t)("The quick brown fox\n"[i % 20]);
    memset(block, 1, 200);
    assert_int_equal(block_class(block, sizeof block), BLOCK_TEXT);
    memset(block, 1, 201);
    assert_int_equal(block_class(block, sizeof block), BLOCK_STRUCTURED);
    for (size_t i = 0; i < sizeof block; i++) /* U+0416 and a line feed, 19 letters to one */
        block[i] = i % 39 == 38 ? '\n' : (uint8_t)("\xd0\x96"[i % 39 % 2]);
    assert_int_equal(block_class(block, sizeof block), BLOCK_TEXT);
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = i % 2 == 0 ? (uint8_t)("little end"[i / 2 % 10]) : 0;
    block[0] = 'L';
    assert_int_equal(block_class(block, sizeof block), BLOCK_TEXT);
}

/* The bounds of text that is none of ASCII, from both sides; 1,900 of 2,000 pairs are 95 %. */
static void other_text_is_95_percent_of_it(void **state)
{
    uint8_t block[4000];

    (void)state;
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (uint8_t)("\xd0\x96"[i % 2]);
    memset(block, 1, 200);
    assert_int_equal(block_class(block, sizeof block), BLOCK_TEXT);
    memset(block, 1, 202);
    assert_int_equal(block_class(block, sizeof block), BLOCK_STRUCTURED);
    memset(block + 202, 0x96, sizeof block - 202); /* parts of no character */
    block[300] = 'a';
    assert_int_equal(block_class(block, sizeof block), BLOCK_STRUCTURED);
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = i % 2 == 0 ? (uint8_t)("little end"[i / 2 % 10]) : 0;
    memset(block, 1, 200);
    assert_int_equal(block_class(block, sizeof block), BLOCK_TEXT);
    memset(block, 1, 202);
    assert_int_equal(block_class(block, sizeof block), BLOCK_STRUCTURED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chi_square_and_entropy_are_as_by_hand),
        cmocka_unit_test(uniform_is_within_three_sigma),
        cmocka_unit_test(each_class_has_its_blocks),
        cmocka_unit_test(text_is_95_percent_of_it),
        cmocka_unit_test(other_text_is_95_percent_of_it),
    };
    return cmocka_run_group_tests_name("block_class", tests, NULL, NULL);
}
