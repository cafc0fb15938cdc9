/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/picture/test_pnm.c - portable bitmaps: comments, numbers, one picture behind
 * another, and what is no picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

static struct harness_verdict check(const void *bytes, size_t len)
{
    return harness_check(harness_sig("pnm"), bytes, len);
}

static void expect(const char *bytes, size_t len, enum sig_verdict verdict, uint64_t end)
{
    const struct harness_verdict v = check(bytes, len);

    assert_int_equal(v.result.verdict, verdict);
    if (verdict == SIG_COMPLETE)
        assert_int_equal(v.result.len, end);
}
#define EXPECT(literal, verdict, end) expect(literal, sizeof(literal) - 1, verdict, end)

static void headers_may_have_comments(void **state)
{
    (void)state;
    EXPECT("P5\n# one\n4 # two\n2\n255\n\1\2\3\4\5\6\7\10 more", SIG_COMPLETE, 31);
    EXPECT("P5 4 2 255 \1\2\3\4\5\6\7\10 more", SIG_COMPLETE, 19);
}

static void a_second_picture_is_a_file_of_its_own(void **state)
{
    (void)state;
    EXPECT("P4\n8 2\n\252\125P4\n8 2\n\252\125", SIG_COMPLETE, 9);
    EXPECT("P1\n2 1\n01\nP1\n2 1\n01\n", SIG_COMPLETE, 10);
}

static void plain_samples_are_counted(void **state)
{
    (void)state;
    EXPECT("P3\n1 2\n9\n1 2 3\n4 5 6\nand more", SIG_COMPLETE, 21);
    EXPECT("P3\n1 2\n9\n1 2 3\n4 5 6 \n", SIG_COMPLETE, 22);
    EXPECT("P3\n1 2\n9\n1 2 3\n4 5 6 7 8", SIG_COMPLETE, 21);
    EXPECT("P3\n1 2\n9\n1 2 3\n4 5", SIG_REJECT, 0);
    EXPECT("P3\n1 2\n9\n1 2 3\n4 5 10\n", SIG_REJECT, 0);
    EXPECT("P3\n1 2\n9\n1 2 3\n4 5 x\n", SIG_REJECT, 0);
}

static void thumbnails_of_xv_have_one_byte_a_sample(void **state)
{
    static const char file[] = "P7 332\n#END_OF_COMMENTS\n3 2 255\n\1\2\3\4\5\6 more";

    (void)state;
    const struct harness_verdict v = check(file, sizeof file - 1);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, sizeof file - 1 - 5);
    assert_string_equal(v.type->name, "xv");
}

static void no_sample_is_above_the_greatest(void **state)
{
    (void)state;
    EXPECT("P5\n4 1\n7\n\1\2\3\7", SIG_COMPLETE, 13);
    EXPECT("P5\n4 1\n7\n\1\2\3\10", SIG_REJECT, 0);
    EXPECT("P5\n2 1\n1000\n\3\350\0\1", SIG_COMPLETE, 16);
    EXPECT("P5\n2 1\n1000\n\3\351\0\1", SIG_REJECT, 0);
}

static void text_is_no_picture(void **state)
{
    (void)state;
    EXPECT("P5 10 10 255 is how such a file begins, as this text explains at some length: the "
           "number of columns, that "
           "of rows, then the greatest sample.",
           SIG_REJECT, 0);
    EXPECT("P5\n0 10\n255\n", SIG_REJECT, 0);
    EXPECT("P8\n1 1\n255\nx", SIG_REJECT, 0);
    EXPECT("P5\n10 10\n70000\n", SIG_REJECT, 0);
}

/* A soft picture of 256 x 64 with something else in its sectors. */
static void foreign_sectors_are_seen(void **state)
{
    static const char head[] = "P5\n256 64\n255\n";
    enum { HEAD = sizeof head - 1, SIZE = 256 * 64 };
    static uint8_t file[HEAD + SIZE];
    uint32_t seed = 12345;

    (void)state;
    memcpy(file, head, HEAD);
    for (uint32_t i = 0; i < SIZE; i++)
        file[HEAD + i] = (uint8_t)(128 + (i % 256) / 4 + i / 256 / 2);
    assert_int_equal(check(file, sizeof file).result.verdict, SIG_COMPLETE);
    memset(file + 8192, 0, 2048); /* a hole, at the edges of sectors */
    assert_int_equal(check(file, sizeof file).result.verdict, SIG_BREAKS);
    assert_int_equal(check(file, sizeof file).result.len, 8192);
    for (uint32_t i = 0; i < 2048; i++)
        file[8192 + i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    assert_int_equal(check(file, sizeof file).result.verdict, SIG_BREAKS);
    for (uint32_t i = 0; i < 2048; i++)
        file[8192 + i] = (uint8_t) "the quick brown fox jumps over lazy dogs\n"[i % 41];
    assert_int_equal(check(file, sizeof file).result.verdict, SIG_BREAKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_may_have_comments),
        cmocka_unit_test(a_second_picture_is_a_file_of_its_own),
        cmocka_unit_test(plain_samples_are_counted),
        cmocka_unit_test(thumbnails_of_xv_have_one_byte_a_sample),
        cmocka_unit_test(no_sample_is_above_the_greatest),
        cmocka_unit_test(text_is_no_picture),
        cmocka_unit_test(foreign_sectors_are_seen),
    };
    return cmocka_run_group_tests_name("pnm", tests, NULL, NULL);
}
