/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/scan/test_pace.c - how many parts are read at a time: rates worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "carver/scan/pace.h"

#define SECOND UINT64_C(1000000000)
#define MB UINT64_C(1000000)

enum { THREADS = 8 };

static const struct io_storage some_disk = { IO_STORAGE_UNKNOWN, "sdx" };

static void what_is_known_is_not_measured(void **state)
{
    static const struct {
        enum io_storage_kind kind;
        uint32_t threads, asked;
        bool cached;
        uint32_t at_once;
        const char *why;
    } rows[] = {
        { IO_STORAGE_SPINNING, THREADS, 0, false, 1, "sdx is a spinning disk" },
        { IO_STORAGE_SPINNING, THREADS, 0, true, THREADS, "the page cache has the image" },
        { IO_STORAGE_SPINNING, THREADS, 3, false, 3, "--parts-at-once" },
        { IO_STORAGE_MEMORY, THREADS, 0, false, THREADS, "in memory" },
        { IO_STORAGE_MANY, THREADS, 0, false, THREADS, "sdx takes many requests" },
        { IO_STORAGE_MANY, THREADS, 1, false, 1, "--parts-at-once" },
        { IO_STORAGE_UNKNOWN, 1, 0, false, 1, "one thread" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct io_storage disk = { rows[i].kind, "sdx" };
        struct pace pace;

        pace_begin(&pace, rows[i].threads, rows[i].asked, &disk, rows[i].cached);
        assert_int_equal(pace.at_once, rows[i].at_once);
        assert_non_null(strstr(pace.why, rows[i].why));
        for (uint64_t second = 0; second < 100; second++) /* 1 MB/s, all of it waited for */
            assert_false(pace_note(&pace, second * SECOND, second * MB, second * SECOND));
        assert_int_equal(pace.at_once, rows[i].at_once);
    }
}

static void threads_that_would_not_pay_are_told_of(void **state)
{
    const struct io_storage memory = { IO_STORAGE_MEMORY, "" };
    struct pace pace;

    (void)state;
    pace_begin(&pace, 2, 0, &memory, false);
    pace_add_asked(&pace, 32);
    assert_string_equal(pace.why, "read 2 parts at a time: the image lies in memory; of 32 threads "
                                  "2 scan, as more would only share the processors");
    assert_int_equal(pace.at_once, 2);
}

/*
 * A disk of which one part at a time has `one` MB/s and all have `all`. Of each second, so many
 * percent are waited. Returns what it comes to.
 */
static struct pace after_ten_seconds(uint64_t one, uint64_t all, uint64_t waited_percent)
{
    uint64_t bytes = 0, waited = 0;
    struct pace pace;

    pace_begin(&pace, THREADS, 0, &some_disk, false);
    assert_int_equal(pace.at_once, 1); /* an unknown disk is read in order first */
    for (uint64_t tenth = 100; tenth < 200; tenth++) {
        pace_note(&pace, tenth * (SECOND / 10), bytes, waited);
        bytes += (pace.at_once == 1 ? one : all) * MB / 10;
        waited += SECOND / 10 * waited_percent / 100;
    }
    return pace;
}

static void a_disk_that_seeks_is_read_in_order(void **state)
{
    (void)state;
    const struct pace seeks = after_ten_seconds(180, 60, 100);
    const struct pace same = after_ten_seconds(180, 185, 100);
    const struct pace stick = after_ten_seconds(9, 9, 100);

    assert_int_equal(seeks.state, PACE_SETTLED);
    assert_int_equal(seeks.at_once, 1);
    assert_string_equal(seeks.why,
                        "read one part at a time, in the order of the image: one at a time "
                        "delivered 180 MB/s, 8 at a time 60 MB/s");
    assert_true(seeks.slow);
    assert_int_equal(same.at_once, 1);
    assert_int_equal(stick.at_once, 1);
}

static void a_disk_that_takes_many_is_read_by_all(void **state)
{
    (void)state;
    const struct pace network = after_ten_seconds(100, 300, 100);
    const struct pace quick = after_ten_seconds(500, 2000, 100);
    const struct pace busy = after_ten_seconds(50, 60, 20);

    assert_int_equal(network.at_once, THREADS);
    assert_string_equal(network.why, "read 8 parts at a time: one at a time delivered 100 MB/s, 8 "
                                     "at a time 300 MB/s");
    assert_true(network.slow);
    assert_int_equal(quick.at_once, THREADS);
    assert_false(quick.slow);
    assert_false(busy.slow);
    assert_non_null(strstr(quick.why, "already"));
    assert_int_equal(busy.at_once, THREADS); /* the processors are slower than the disk */
    assert_non_null(strstr(busy.why, "did not wait"));
}

static void a_rate_is_not_believed_too_early(void **state)
{
    struct pace pace;

    (void)state;
    pace_begin(&pace, THREADS, 0, &some_disk, false);
    assert_false(pace_note(&pace, SECOND, 0, 0));
    /* 31 MB in a moment: that may have been the page cache */
    assert_false(pace_note(&pace, SECOND + 1000, 31 * MB, 1000));
    assert_int_equal(pace.state, PACE_TRIES_ONE);
    /* 101 MB in a second are no quick disk, and a second is too short for a slow one */
    assert_false(pace_note(&pace, 2 * SECOND, 101 * MB, SECOND));
    assert_int_equal(pace.state, PACE_TRIES_ONE);
    assert_true(pace_note(&pace, 3 * SECOND, 102 * MB, 2 * SECOND));
    assert_int_equal(pace.state, PACE_TRIES_ALL);
    assert_int_equal(pace.at_once, THREADS);
    /* a disk that delivers nothing says nothing */
    assert_false(pace_note(&pace, 60 * SECOND, 102 * MB, 60 * SECOND));
    assert_int_equal(pace.state, PACE_TRIES_ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_is_not_measured),
        cmocka_unit_test(threads_that_would_not_pay_are_told_of),
        cmocka_unit_test(a_disk_that_seeks_is_read_in_order),
        cmocka_unit_test(a_disk_that_takes_many_is_read_by_all),
        cmocka_unit_test(a_rate_is_not_believed_too_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
