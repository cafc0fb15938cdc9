/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_full_disk.c - a disk that is full at any moment: one clear error, and the file
 * keeps what was committed.
 *
 * Two kinds of full: a limit on the size of files (RLIMIT_FSIZE, where writes fail with EFBIG) at
 * every 20 KiB of growth, and a real one (a small tmpfs, where the test may mount it).
 */
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/db/case_fixture.h"

enum { BATCH = 2000, BATCHES = 100 };

/* Writes batches until one fails. The exit status says how it went; 0 is right. */
static int fill(const char *path, bool bulk, int64_t *committed)
{
    static struct db_hit hits[BATCH];
    struct err err = { 0 };
    struct db_case *db = NULL;
    int64_t id;
    enum err_code rc = db_case_open(path, DB_WRITE, &db, &err);

    if (rc == ERR_OK)
        rc = db_hit_last_id(db, &id, &err);
    if (rc == ERR_OK && bulk)
        db_bulk_begin(db); /* as a scan does */
    for (int i = 0; i < BATCHES && rc == ERR_OK; i++) {
        rc = db_begin(db, &err);
        for (int k = 0; k < BATCH; k++) {
            id++;
            hits[k] = (struct db_hit){
                .id = id, .image_id = 1, .signature_id = 1, .offset = (uint64_t)id << 20, .len = 3
            };
        }
        if (rc == ERR_OK)
            rc = db_hits_insert(db, hits, BATCH, &err);
        if (rc == ERR_OK)
            rc = db_commit(db, &err);
        if (rc == ERR_OK)
            *committed = id;
    }
    const bool named = strstr(err.text, path) != NULL &&
                       strstr(err.text, "no space left for the case file") != NULL &&
                       strstr(err.text, "--case") != NULL;
    if (rc != ERR_ENV || !named)
        fprintf(stderr, "code %d: %s\n", (int)rc, err.text);
    db_case_close(db);
    return rc == ERR_ENV && named ? 0 : rc == ERR_OK ? 2 : 1;
}

static void whole_up_to(const char *path, int64_t committed)
{
    char want[128];

    snprintf(want, sizeof want, "ok\n%lld|%lld\n", (long long)committed, (long long)committed);
    SQL_SAYS(path, "PRAGMA integrity_check; SELECT max(id), count(*) FROM hits", want);
}

static void files_that_may_not_grow(void **state)
{
    const struct fixture *f = *state;
    const struct rlimit no_limit = { RLIM_INFINITY, RLIM_INFINITY };
    struct stat st;
    int64_t committed = FIXTURE_HITS;

    signal(SIGXFSZ, SIG_IGN); /* so that a write fails instead */
    db_case_close(fixture_case(f));
    assert_int_equal(stat(f->path, &st), 0);
    for (rlim_t room = 0; room <= 400 * 1024; room += 20 * 1024) {
        const struct rlimit limit = { (rlim_t)st.st_size + room, RLIM_INFINITY };

        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const int answer = fill(f->path, room / (20 * 1024) % 2 == 1, &committed);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &no_limit), 0);
        if (answer != 0)
            fail_msg("room for %lu bytes: answer %d", (unsigned long)room, answer);
        whole_up_to(f->path, committed);
    }
    assert_true(committed > FIXTURE_HITS); /* some of it had room */
}

/* No case file is better than one without tables. */
static void no_room_for_a_new_file(void **state)
{
    const struct fixture *f = *state;
    const struct rlimit no_limit = { RLIM_INFINITY, RLIM_INFINITY };
    struct err err = { 0 };

    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t room = 0; room < 64 * 1024; room += 3000) {
        const struct rlimit limit = { room, RLIM_INFINITY };
        struct db_case *db;

        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const enum err_code rc = db_case_create(f->path, false, &db, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &no_limit), 0);
        assert_int_equal(rc, ERR_ENV);
        assert_non_null(strstr(err.text, "no space left for the case file"));
        assert_int_not_equal(access(f->path, F_OK), 0);
    }
}

static void a_small_disk_becomes_full(void **state)
{
    const struct fixture *f = *state;
    struct fixture small;
    int64_t committed = FIXTURE_HITS;
    struct err err = { 0 };
    struct db_case *db;

    snprintf(small.folder, sizeof small.folder, "%.50s/disk", f->folder);
    assert_int_equal(mkdir(small.folder, 0700), 0);
    if (mount("tmpfs", small.folder, "tmpfs", 0, "size=1M") != 0)
        skip();
    snprintf(small.path, sizeof small.path, "%s/case.burin", small.folder);
    db_case_close(fixture_case(&small));
    const int answer = fill(small.path, true, &committed);
    const bool kept = committed > FIXTURE_HITS;
    char out[128], want[128];

    fixture_sql(small.path, "PRAGMA integrity_check; SELECT max(id), count(*) FROM hits", out,
                sizeof out);
    const enum err_code rc =
        db_case_open(small.path, DB_READ, &db, &err); /* a full disk can be read */
    db_case_close(db);
    assert_int_equal(umount(small.folder), 0);
    assert_int_equal(answer, 0);
    assert_true(kept);
    assert_int_equal(rc, ERR_OK);
    snprintf(want, sizeof want, "ok\n%lld|%lld\n", (long long)committed, (long long)committed);
    assert_string_equal(out, want);
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(files_that_may_not_grow),
        CASE_TEST(no_room_for_a_new_file),
        CASE_TEST(a_small_disk_becomes_full),
    };
    return cmocka_run_group_tests_name("full disks", tests, NULL, NULL);
}
