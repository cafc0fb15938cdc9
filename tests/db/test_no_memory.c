/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_no_memory.c - every allocation of SQLite's fails in turn, once and for good: the
 * call says so (and nothing else, such as that the file is damaged), crashes nothing, and leaves a
 * whole file.
 *
 * Labels: slow
 */
#include <sqlite3.h>

#include "tests/asan.h"
#include "tests/db/case_fixture.h"

/* SQLite's allocator is one for the process; this stands in front of it. */
static struct {
    sqlite3_mem_methods methods;
    long countdown; /* allocations until the first that fails; below 0: none fails */
    bool for_good;  /* the ones after it fail too */
    bool failed;
} memory;

static bool memory_fails(void)
{
    if (memory.countdown < 0 || (memory.countdown > 0 && --memory.countdown > 0))
        return false;
    if (!memory.for_good)
        memory.countdown = -1;
    memory.failed = true;
    return true;
}

static void *memory_malloc(int size)
{
    return memory_fails() ? NULL : memory.methods.xMalloc(size);
}

static void *memory_realloc(void *old, int size)
{
    return memory_fails() ? NULL : memory.methods.xRealloc(old, size);
}

static enum err_code use_all(const char *path, struct err *err)
{
    const struct db_hit hit = {
        .id = 7, .image_id = 1, .signature_id = 1, .offset = 9000, .len = 3
    };
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    struct db_image image;
    struct db_run run;
    struct db_totals totals;
    struct db_case *db;
    bool found = true;
    int64_t broken;
    enum err_code rc = db_case_open(path, DB_WRITE, &db, err);

    if (rc == ERR_OK)
        rc = db_image_get(db, 1, &image, err);
    if (rc == ERR_OK)
        rc = db_run_latest(db, 1, &run, err);
    if (rc == ERR_OK)
        rc = db_objects_open(db, 0, &cursor, err);
    while (rc == ERR_OK && found)
        rc = db_objects_next(cursor, &found, &object, err);
    db_objects_close(cursor);
    if (rc == ERR_OK)
        rc = db_totals(db, 0, &totals, err);
    if (rc == ERR_OK)
        rc = db_log_verify(db, &broken, err);
    if (rc == ERR_OK)
        rc = db_begin(db, err);
    if (rc == ERR_OK)
        rc = db_hits_insert(db, &hit, 1, err);
    if (rc == ERR_OK)
        rc = db_log(db, 1, "note", "x", err);
    if (rc == ERR_OK)
        rc = db_commit(db, err);
    db_case_close(db);
    return rc;
}

static enum err_code make(const char *path, struct err *err)
{
    struct db_case *db;
    const enum err_code rc = db_case_create(path, false, &db, err);

    db_case_close(db);
    return rc;
}

/* Until the work is done without meeting the failure. */
static void fail_each(const struct fixture *f,
                      enum err_code (*work)(const char *path, struct err *err), bool keep)
{
    char out[64];
    long last = 0;

    for (int for_good = 0; for_good < 2; for_good++) {
        bool failed = true;

        /* every one of the first ones, then fewer and fewer */
        for (long n = 1; failed; n += 1 + n / FEW_OR_ALL(12, 16, 40)) {
            struct err err = { 0 };

            if (keep)
                db_case_close(fixture_case(f));
            memory.countdown = n;
            memory.for_good = for_good;
            memory.failed = false;
            const enum err_code rc = work(f->path, &err);
            memory.countdown = -1;
            failed = memory.failed;
            if (rc != ERR_OK && (rc != ERR_ENV || strstr(err.text, "no memory") == NULL || !failed))
                fail_msg("allocation %ld: code %d, \"%s\"", n, (int)rc, err.text);
            if (rc == ERR_OK || keep) {
                fixture_sql(f->path, "PRAGMA integrity_check; SELECT count(*) - max(id) FROM hits",
                            out, sizeof out);
                assert_memory_equal(out, "ok\n", 3);
            } else {
                assert_int_not_equal(access(f->path, F_OK), 0);
            }
            unlink(f->path);
            last = n;
        }
    }
    assert_true(last > 100);
}

static void using_a_case_file(void **state)
{
    fail_each(*state, use_all, true);
}

static void making_a_case_file(void **state)
{
    fail_each(*state, make, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(using_a_case_file, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(making_a_case_file, fixture_setup, fixture_teardown),
    };
    sqlite3_mem_methods ours;

    memory.countdown = -1;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory.methods) != SQLITE_OK)
        return 1;
    ours = memory.methods;
    ours.xMalloc = memory_malloc;
    ours.xRealloc = memory_realloc;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) != SQLITE_OK)
        return 1;
    return cmocka_run_group_tests_name("no memory", tests, NULL, NULL);
}
