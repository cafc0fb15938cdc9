/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/mount/test_open_ranges.c - bytes of an image by a name, and the numbers of such
 * names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "carver/mount/open_ranges.h"
#include "carver/mount/ranges.h"

enum { IMAGE = 30000 /* bytes */ };

static void names_say_where_bytes_lie(void **state)
{
    struct ranges ranges;

    (void)state;
    assert_true(ranges_read("4096+8192_S512_20480+512.jpg", IMAGE, &ranges));
    assert_int_equal(ranges.count, 3);
    assert_int_equal(ranges.len, 8192 + 512 + 512);
    assert_int_equal(ranges.pieces[0].start, 0);
    assert_int_equal(ranges.pieces[0].offset, 4096);
    assert_int_equal(ranges.pieces[1].start, 8192);
    assert_true(ranges.pieces[1].offset == RANGES_HOLE);
    assert_int_equal(ranges.pieces[2].start, 8192 + 512);
    assert_int_equal(ranges.pieces[2].offset, 20480);
    assert_true(ranges_read("0+30000", IMAGE, &ranges));
    assert_int_equal(ranges.len, IMAGE);
    assert_true(ranges_read("S9223372036854775807", IMAGE, &ranges));
    assert_true(ranges.len == INT64_MAX);
}

static void what_the_image_has_not_is_no_name(void **state)
{
    static const char *const wrong[] = { "",
                                         "0+30001",
                                         "30000+1",
                                         "30001+0",
                                         "1+0",
                                         "S0",
                                         "01+1",
                                         "1+01",
                                         "1+1_",
                                         "_1+1",
                                         "1+1.",
                                         "1+1.a.b",
                                         "1+1.abcdefghijklmnopq",
                                         "-1+1",
                                         "1+-1",
                                         " 1+1",
                                         "1+1 ",
                                         "9223372036854775808+1",
                                         "18446744073709551615+2",
                                         "18446744073709551617+1",
                                         "1+18446744073709551617",
                                         "S9223372036854775807_0+1" };
    struct ranges ranges;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (ranges_read(wrong[i], IMAGE, &ranges))
            fail_msg("'%s' is taken for ranges", wrong[i]);
}

/* 64 pieces of three characters, and the 63 lines between them, are 255 bytes. */
static void a_name_has_as_many_pieces_as_fit(void **state)
{
    char name[RANGES_NAME_MAX + 8] = "1+1";
    struct ranges ranges;

    (void)state;
    while (strlen(name) < RANGES_NAME_MAX)
        strcat(name, "_1+1");
    assert_int_equal(strlen(name), RANGES_NAME_MAX);
    assert_true(ranges_read(name, IMAGE, &ranges));
    assert_int_equal(ranges.count, 64);
    strcat(name, "1");
    assert_false(ranges_read(name, IMAGE, &ranges));
    memset(name, '\0', sizeof name);
    strcpy(name, "S1");
    while (strlen(name) + 3 <= RANGES_NAME_MAX)
        strcat(name, "_S1");
    assert_false(ranges_read(name, IMAGE, &ranges)); /* 85 of them */
}

/* Reads the name and asks for its number. */
static int ask(struct open_ranges *open, const char *name, uint64_t *number)
{
    struct ranges ranges;

    assert_true(ranges_read(name, IMAGE, &ranges));
    return open_ranges_add(open, 1, name, &ranges, number);
}

static void those_in_use_stay_and_others_make_room(void **state)
{
    struct open_ranges open;
    struct ranges ranges;
    uint64_t held, first, again, number;
    uint32_t image = 0;
    char name[32];

    (void)state;
    assert_int_equal(open_ranges_open(&open, NULL), 0);
    assert_int_equal(ask(&open, "1+1", &held), 0);
    assert_true(open_ranges_hold(&open, held, 1));
    assert_int_equal(ask(&open, "1+2", &first), 0);
    assert_int_equal(ask(&open, "1+2", &again), 0);
    assert_true(first == again && first != held);
    for (int i = 0; i < OPEN_RANGES_MAX; i++) {
        snprintf(name, sizeof name, "%d+7", i);
        assert_int_equal(ask(&open, name, &number), 0);
    }
    assert_true(open_ranges_get(&open, held, &image, &ranges));
    assert_int_equal(image, 1);
    assert_int_equal(ranges.len, 1);
    assert_false(open_ranges_get(&open, first, &image, &ranges));
    assert_false(open_ranges_hold(&open, first, 1));
    assert_int_equal(ask(&open, "1+2", &again), 0);
    assert_true(again > first); /* never the number of others */
    open_ranges_close(&open);
}

static void when_all_are_in_use_there_is_no_more(void **state)
{
    struct open_ranges open;
    uint64_t number, last = 0;
    char name[32];

    (void)state;
    assert_int_equal(open_ranges_open(&open, NULL), 0);
    for (int i = 0; i < OPEN_RANGES_MAX; i++) {
        snprintf(name, sizeof name, "%d+7", i);
        assert_int_equal(ask(&open, name, &last), 0);
        assert_true(open_ranges_hold(&open, last, 1));
    }
    assert_int_equal(ask(&open, "1+1", &number), ENFILE);
    assert_true(open_ranges_hold(&open, last, -1));
    assert_int_equal(ask(&open, "1+1", &number), 0);
    open_ranges_close(&open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_where_bytes_lie),
        cmocka_unit_test(what_the_image_has_not_is_no_name),
        cmocka_unit_test(a_name_has_as_many_pieces_as_fit),
        cmocka_unit_test(those_in_use_stay_and_others_make_room),
        cmocka_unit_test(when_all_are_in_use_there_is_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
