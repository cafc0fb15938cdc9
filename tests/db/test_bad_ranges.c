/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_bad_ranges.c - bytes that lie in bad ranges, against an array with one flag a byte.
 *
 * Ranges are added in any order, twice, and overlapping, with questions between them: so the list
 * in memory is extended, thrown away and loaded again.
 */
#include "tests/db/case_fixture.h"
#include "tests/db/run_row.h"

enum { SIZE = 4096, RANGES = 120 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void ask(struct db_case *db, const bool *is_bad, uint64_t offset, uint64_t len)
{
    struct err err = { 0 };
    uint64_t got, want = 0;

    for (uint64_t i = offset; i < offset + len && i < SIZE; i++)
        want += is_bad[i];
    OK(db_bad_bytes(db, 2, offset, len, &got, &err));
    if (got != want)
        fail_msg("[%llu, +%llu): %llu bytes, want %llu", (unsigned long long)offset,
                 (unsigned long long)len, (unsigned long long)got, (unsigned long long)want);
}

static void every_question_is_answered(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    bool is_bad[SIZE] = { 0 };

    for (uint32_t seed = 1; seed <= 3; seed++) {
        uint32_t r = seed;

        for (int i = 0; i < RANGES; i++) {
            const uint32_t at = seed == 1 ? (uint32_t)i * 30
                                          : next_random(&r) % (SIZE - 64); /* seed 1: ascending */
            const struct db_bad_range range = { .image_id = 2,
                                                .offset = at,
                                                .len = 1 + next_random(&r) % 60,
                                                .cause = 5,
                                                .source = "read",
                                                .status = '-' };

            OK(db_bad_range_add(db, 1, &range, &err));
            memset(is_bad + range.offset, 1, range.len);
            ask(db, is_bad, next_random(&r) % SIZE, next_random(&r) % SIZE);
            ask(db, is_bad, next_random(&r) % SIZE, 1);
            ask(db, is_bad, at, range.len);
        }
        ask(db, is_bad, 0, SIZE);
        ask(db, is_bad, 0, 0);
        ask(db, is_bad, SIZE - 1, UINT64_MAX - SIZE);
    }
    db_case_close(db);

    uint64_t got, want = 0;
    OK(db_case_open(f->path, DB_READ, &db, &err)); /* from the file alone */
    for (int i = 0; i < SIZE; i++) {
        want += is_bad[i];
        ask(db, is_bad, (uint64_t)i, 100);
    }
    OK(db_bad_bytes(db, 2, 1, UINT64_MAX, &got, &err));
    assert_int_equal(got, want - is_bad[0]);
    OK(db_bad_bytes(db, 1, 0, UINT64_MAX, &got, &err)); /* the other image has its own */
    assert_int_equal(got, 512);
    db_case_close(db);
}

static void a_range_that_was_rolled_back_is_forgotten(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_bad_range range = { .image_id = 1,
                                        .offset = 0,
                                        .len = 100,
                                        .source = "read",
                                        .status = '-' },
                              wrong = { .image_id = 77, .len = 1, .source = "read", .status = '-' };
    struct err err = { 0 };
    uint64_t got;

    OK(db_bad_bytes(db, 1, 0, 1 << 20, &got, &err));
    assert_int_equal(got, 512);
    OK(db_begin(db, &err));
    OK(db_bad_range_add(db, 1, &range, &err));
    OK(db_bad_bytes(db, 1, 0, 1 << 20, &got, &err));
    assert_int_equal(got, 612);
    FAILS(db_bad_range_add(db, 1, &wrong, &err), ERR_INPUT, "FOREIGN KEY");
    FAILS(db_commit(db, &err), ERR_ENV, "failed");
    OK(db_bad_bytes(db, 1, 0, 1 << 20, &got, &err));
    assert_int_equal(got, 512);
    db_case_close(db);
}

/* A stretch that comes in pieces is one row; another image, run, cause, source
 * or status, or a gap, begins
 * a new one. */
static void pieces_that_touch_are_one_row(void **state)
{
    static const struct db_bad_range pieces[] = {
        { 2, 0, 512, 5, "read", '-' },           { 2, 512, 512, 5, "read", '-' },
        { 2, 1024, 4096, 5, "read", '-' },       { 2, 5120, 512, 6, "read", '-' },
        { 2, 5632, 512, 6, "checksum", '-' },    { 2, 6144, 512, 6, "acquisition", '-' },
        { 2, 7168, 512, 6, "acquisition", '-' }, { 1, 7680, 512, 6, "acquisition", '-' },
        { 1, 8192, 512, 6, "acquisition", '-' }, { 1, 8704, 512, 6, "acquisition", '*' },
    };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    uint64_t got;

    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        OK(db_bad_range_add(db, 1, &pieces[i], &err));
    OK(db_bad_bytes(db, 2, 0, 1 << 20, &got, &err));
    assert_int_equal(got, 5120 + 4 * 512);
    db_case_close(db);
    SQL_SAYS(
        f->path,
        "SELECT image_id, offset, len, cause, source, status FROM bad_ranges WHERE id > 1 ORDER BY "
        "id",
        "2|0|5120|5|read|-\n2|5120|512|6|read|-\n2|5632|512|6|checksum|-\n2|6144|512|6|acquisition|"
        "-\n"
        "2|7168|512|6|acquisition|-\n1|7680|1024|6|acquisition|-\n1|8704|512|6|acquisition|*\n");
}

static enum err_code take_range(void *arg, const struct db_bad_range *range, struct err *err)
{
    struct db_extent **next = arg;

    (void)err;
    *(*next)++ = (struct db_extent){ range->offset, range->len };
    return ERR_OK;
}

static void a_run_has_its_own(void **state)
{
    static const struct db_bad_range ranges[] = { { 2, 4096, 512, 5, "read", '-' },
                                                  { 2, 0, 512, 5, "checksum", '-' } };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_run carve = run_row("carve", 0);
    struct db_extent got[3] = { 0 }, *next = got;
    struct err err = { 0 };
    int64_t later;

    OK(db_run_add(db, &carve, &later, &err));
    OK(db_bad_range_add(db, 1, &ranges[0], &err));
    OK(db_bad_range_add(db, 1, &ranges[1], &err));
    OK(db_bad_range_add(db, later, &(struct db_bad_range){ 2, 8192, 512, 5, "read", '-' }, &err));
    OK(db_bad_ranges_walk(db, 2, 1, take_range, &next, &err));
    assert_ptr_equal(next, got + 2);
    assert_int_equal(got[0].offset, 0);
    assert_int_equal(got[1].offset, 4096);
    assert_int_equal(got[1].len, 512);
    OK(db_bad_ranges_walk(db, 2, later, take_range, &next, &err));
    assert_ptr_equal(next, got + 3);
    assert_int_equal(got[2].offset, 8192);
    db_case_close(db);
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(every_question_is_answered),
        CASE_TEST(a_range_that_was_rolled_back_is_forgotten),
        CASE_TEST(pieces_that_touch_are_one_row),
        CASE_TEST(a_run_has_its_own),
    };
    return cmocka_run_group_tests_name("bad ranges", tests, NULL, NULL);
}
