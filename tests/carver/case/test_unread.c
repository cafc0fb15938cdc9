/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/case/test_unread.c - what a scan could not read is zeros and is not read again; all
 * else is as it is.
 *
 * Method: ranges in any order, some over each other, against an array with one flag a byte; an
 * image that fails where it must not be read, and in places of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "carver/case/unread.h"
#include "io/image/image_fault.h"
#include "tests/carver/run_fixture.h"
#include "tests/db/run_row.h"

enum { SIZE = 64 * 1024, SECTOR = 512, ASKED = 2000 };

static uint64_t seed = 3;

static uint64_t roll(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

static void count_bad(void *arg, const struct io_bad_range *range)
{
    uint64_t *bytes = arg;

    *bytes += range->len;
}

/* Ranges of the scan's run into flags, and the same as faults of the image. */
static uint32_t make_ranges(struct db_case *db, int64_t image_id, int64_t run_id, bool *unread,
                            struct io_fault *faults)
{
    enum { RANGES = 20 };

    for (uint32_t i = 0; i < RANGES; i++) {
        const uint64_t at = roll(SIZE / SECTOR - 4) * SECTOR, len = (1 + roll(4)) * SECTOR;
        const struct db_bad_range range = { image_id, at, len, 5, "read", '-' };

        assert_int_equal(db_bad_range_add(db, run_id, &range, NULL), ERR_OK);
        memset(unread + at, 1, len);
        faults[i] =
            (struct io_fault){ .offset = at, .len = len, .kind = IO_FAULT_FAIL, .cause = 5 };
    }
    return RANGES;
}

static void what_was_not_read_is_zeros(void **state)
{
    static const struct io_fault fresh[] = { { .offset = 1024, .len = 512, .cause = 5 },
                                             { .offset = 40960, .len = 1024, .cause = 5 } };
    static bool unread_flags[SIZE], fresh_flags[SIZE];
    static uint8_t bytes[SIZE], got[SIZE];
    struct io_fault faults[32];
    char path[] = "/tmp/test_unread_XXXXXX";
    struct unread unread;
    struct io_image *inner, *image;
    struct db_case *db;
    int64_t image_id, run_id, other_run;
    struct err err = { 0 };

    (void)state;
    for (uint32_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(1 + roll(255));
    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(db_case_create(path, false, &db, NULL), ERR_OK);
    assert_int_equal(db_begin(db, NULL), ERR_OK);
    fixture_run(db, SIZE, &image_id, &run_id);
    const struct db_run run = run_row("carve", 0);
    assert_int_equal(db_run_add(db, &run, &other_run, NULL), ERR_OK);
    const struct db_bad_range others = {
        image_id, 0, SIZE, 5, "read", '-'
    }; /* what another run could not read */
    assert_int_equal(db_bad_range_add(db, other_run, &others, NULL), ERR_OK);
    uint32_t count = make_ranges(db, image_id, run_id, unread_flags, faults);
    assert_int_equal(db_commit(db, NULL), ERR_OK);
    for (uint32_t i = 0; i < 2; i++) {
        faults[count++] = fresh[i];
        memset(fresh_flags + fresh[i].offset, 1, fresh[i].len);
    }
    assert_int_equal(io_image_open_memory(bytes, SIZE, &inner, NULL), ERR_OK);
    assert_int_equal(
        io_image_open_fault(inner, &(struct io_fault_script){ .faults = faults, .count = count },
                            &image, NULL),
        ERR_OK);
    assert_int_equal(unread_load(db, image_id, run_id, &unread, &err), ERR_OK);
    for (int i = 0; i < ASKED; i++) {
        const uint64_t at = i == 0 ? 0 : roll(SIZE), len = i == 0 ? SIZE : roll(SIZE - at + 1);
        uint64_t bad = 0, want_bad = 0, want_unread = 0;

        memset(got, 0xee, sizeof got);
        assert_int_equal(unread_read(&unread, image, at, got, len, count_bad, &bad, &err), ERR_OK);
        for (uint64_t k = 0; k < len; k++) {
            const bool lost = unread_flags[at + k] || fresh_flags[at + k];

            if (got[k] != (lost ? 0 : bytes[at + k]))
                fail_msg("byte %llu", (unsigned long long)(at + k));
            want_bad += fresh_flags[at + k] && !unread_flags[at + k];
            want_unread += unread_flags[at + k];
        }
        assert_true(len == SIZE || got[len] == 0xee);
        assert_int_equal(bad, want_bad);
        assert_int_equal(unread_bytes(&unread, at, len), want_unread);
    }
    unread_release(&unread);
    io_image_close(image);
    io_image_close(inner);
    db_case_close(db);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_was_not_read_is_zeros) };

    return cmocka_run_group_tests_name("unread", tests, NULL, NULL);
}
