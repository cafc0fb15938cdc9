/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_kill.c - a writer that is killed at any moment leaves a whole case file with a
 * prefix of what it wrote.
 *
 * A child writes hits and objects in transactions, each with the position that it stands for, and
 * is killed with SIGKILL after a random time, which in three cases of four begins when it has the
 * file open; the next one goes on where the file says. The sqlite3 tool is the judge.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/asan.h"
#include "tests/db/case_fixture.h"

enum { BATCH = 200, SPREAD = 6000000 }; /* nanoseconds in which a creator is killed */
#define KILLS FEW_OR_ALL(20, 40, 40)

static struct db_case *start_case(const char *path)
{
    static const struct db_image_part parts[] = { { "/d", UINT64_MAX, NULL } };
    const struct db_image image = {
        .path = "/d", .format = "raw", .size = (uint64_t)1 << 50, .parts = parts, .part_count = 1
    };
    const struct db_run run = { .image_id = 1,
                                .command = "scan",
                                .command_line = "",
                                .version = "",
                                .build = "",
                                .libraries = "",
                                .options = "{}",
                                .host = "",
                                .user = "",
                                .status = "running" };
    const struct db_signature signature = {
        .run_id = 1, .name = "jpg", .kind = "rule", .origin = "built-in", .header = "x"
    };
    struct err err = { 0 };
    struct db_case *db;
    int64_t id;

    OK(db_case_create(path, false, &db, &err));
    OK(db_begin(db, &err));
    OK(db_image_add(db, &image, &id, &err));
    OK(db_run_add(db, &run, &id, &err));
    OK(db_signature_add(db, &signature, &id, &err));
    OK(db_commit(db, &err));
    return db;
}

/* One transaction: BATCH hits, an object for every other one, a log entry and the position, which
 * is the last hit's offset. */
static enum err_code write_batch(struct db_case *db, int64_t *id, struct err *err)
{
    struct db_hit hits[BATCH];
    struct db_object objects[BATCH / 2];
    struct db_extent extents[BATCH / 2];
    enum err_code rc = db_begin(db, err);

    for (int i = 0; i < BATCH; i++)
        hits[i] = (struct db_hit){ .id = *id + i + 1,
                                   .image_id = 1,
                                   .signature_id = 1,
                                   .offset = (uint64_t)(*id + i + 1) * 512,
                                   .len = 3 };
    if (rc == ERR_OK)
        rc = db_hits_insert(db, hits, BATCH, err);
    for (int i = 0; i < BATCH / 2; i++) {
        extents[i] = (struct db_extent){ hits[i * 2].offset, 100 };
        objects[i] = (struct db_object){ .id = hits[i * 2].id,
                                         .image_id = 1,
                                         .signature_id = 1,
                                         .type = "jpg",
                                         .extension = "jpg",
                                         .state = "complete",
                                         .reason = "",
                                         .offset = extents[i].offset,
                                         .len = 100,
                                         .extents = &extents[i],
                                         .extent_count = 1,
                                         .name = "jpg/x" };
    }
    if (rc == ERR_OK)
        rc = db_objects_insert(db, objects, BATCH / 2, err);
    if (rc == ERR_OK)
        rc = db_log(db, 1, "note", "batch", err);
    *id += BATCH;
    if (rc == ERR_OK)
        rc = db_run_progress(db, 1, (uint64_t)*id * 512, err);
    return rc == ERR_OK ? db_commit(db, err) : rc;
}

static void write_until_killed(const char *path, int ready)
{
    struct err err = { 0 };
    struct db_case *db;
    int64_t id = 0;
    enum err_code rc = db_case_open(path, DB_WRITE, &db, &err);

    if (rc == ERR_OK)
        rc = db_hit_last_id(db, &id, &err);
    if (rc == ERR_OK)
        db_bulk_begin(db); /* as a scan does */
    if (write(ready, "", 1) != 1)
        _exit(2);
    while (rc == ERR_OK)
        rc = write_batch(db, &id, &err);
    fprintf(stderr, "%s\n", err.text);
    _exit(1);
}

static void a_killed_writer_leaves_a_prefix(void **state)
{
    const struct fixture *f = *state;
    uint32_t seed = 12345;
    struct err err = { 0 };
    int64_t before = 0, last = 0, broken;

    db_case_close(start_case(f->path));
    for (uint32_t i = 0; i < KILLS; i++) {
        struct timespec delay = { 0 };
        struct db_case *db;
        int status, ready[2];

        assert_int_equal(pipe(ready), 0);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            write_until_killed(f->path, ready[1]);
        if (i % 4 != 0)
            assert_int_equal(read(ready[0], &status, 1), 1);
        seed = seed * 1664525u + 1013904223u;
        delay.tv_nsec = (long)(seed >> 8) * 3; /* 0 .. 50 ms */
        nanosleep(&delay, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status)); /* and did not end by itself */
        close(ready[0]);
        close(ready[1]);

        if (i % 2 == 0) /* half of the files are opened with the -wal file of the dead writer by
                           burin first, half by the tool */
            SQL_SAYS(f->path,
                     "PRAGMA integrity_check; PRAGMA foreign_key_check; SELECT count(*) = "
                     "coalesce(max(id), 0) AND "
                     "coalesce(max(id), 0) % 200 = 0 AND coalesce(max(id), 0) * 512 = (SELECT "
                     "position FROM runs) AND "
                     "count(*) = 2 * (SELECT count(*) FROM objects) AND count(*) = 200 * (SELECT "
                     "count(*) FROM log "
                     "WHERE text = 'batch') "
                     "AND count(*) = 2 * (SELECT count(*) FROM extents) FROM hits",
                     "ok\n1\n");
        OK(db_case_open(f->path, DB_READ, &db, &err));
        OK(db_hit_last_id(db, &last, &err));
        OK(db_log_verify(db, &broken, &err));
        assert_int_equal(broken, 0);
        assert_true(last >= before && last % BATCH == 0);
        before = last;
        db_case_close(db);
    }
    assert_true(last > 0); /* something was written at all */
}

/* Killed while it makes the file: afterwards there is none, an empty one, or a case file; --force
 * makes a new one. */
static void a_killed_creator_leaves_nothing_that_is_in_the_way(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };

    for (uint32_t i = 0; i < KILLS; i++) {
        const struct timespec delay = { .tv_nsec = SPREAD / KILLS * i };
        struct db_case *db;
        int status;
        const pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            db_case_close(start_case(f->path));
            _exit(0);
        }
        nanosleep(&delay, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        OK(db_case_create(f->path, true, &db, &err));
        db_case_close(db);
        SQL_SAYS(f->path, "PRAGMA integrity_check; SELECT count(*) FROM images", "ok\n0\n");
        unlink(f->path);
    }
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(a_killed_writer_leaves_a_prefix),
        CASE_TEST(a_killed_creator_leaves_nothing_that_is_in_the_way),
    };
    return cmocka_run_group_tests_name("killed writers", tests, NULL, NULL);
}
