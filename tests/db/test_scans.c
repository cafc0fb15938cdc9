/*
 * tests/db/test_scans.c - whether an image was scanned, and whether another program writes to the
 * case file now.
 *
 * The other program is the sqlite3 tool, which holds a transaction open while we ask.
 */
#include <sys/stat.h>

#include "tests/db/case_fixture.h"

static void a_search_is_no_scan(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_run search = { .image_id = 2,
                                   .command = "search",
                                   .command_line = "burin",
                                   .version = "0",
                                   .build = "b",
                                   .libraries = "l",
                                   .options = "{}",
                                   .host = "h",
                                   .user = "u",
                                   .status = "done" };
    struct err err = { 0 };
    bool exists = false;
    int64_t id;

    OK(db_run_add(db, &search, &id, &err));
    OK(db_scan_exists(db, 1, &exists, &err));
    assert_true(exists);
    OK(db_scan_exists(db, 2, &exists, &err));
    assert_false(exists);
    OK(db_scan_exists(db, 99, &exists, &err));
    assert_false(exists);
    db_case_close(db);
}

/* The sqlite3 tool in a transaction; it goes on when its standard input ends. */
static FILE *begin_writing(const struct fixture *f, const char *sql)
{
    char command[256], ready[128];
    FILE *tool;

    snprintf(ready, sizeof ready, "%s/ready", f->folder);
    snprintf(command, sizeof command, "sqlite3 '%s' >/dev/null", f->path);
    tool = popen(command, "w");
    assert_non_null(tool);
    fprintf(tool, "%s;\n.shell touch '%s'\n", sql, ready);
    fflush(tool);
    while (access(ready, F_OK) != 0)
        usleep(1000);
    assert_int_equal(remove(ready), 0);
    return tool;
}

static void who_writes_is_noticed(void **state)
{
    static const enum db_mode modes[] = { DB_READ, DB_WRITE };
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;

    db_case_close(fixture_case(f));
    for (int i = 0; i < 2; i++) {
        OK(db_case_open(f->path, modes[i], &db, &err));
        assert_false(db_written_now(db));
        FILE *reader = begin_writing(f, "BEGIN; SELECT count(*) FROM hits");
        assert_false(db_written_now(db));
        assert_int_equal(pclose(reader), 0);
        FILE *writer = begin_writing(f, "BEGIN IMMEDIATE");
        assert_true(db_written_now(db));
        assert_int_equal(pclose(writer), 0);
        assert_false(db_written_now(db));
        uint32_t count; /* the handle is as good as before */
        OK(db_image_count(db, &count, &err));
        assert_int_equal(count, 2);
        db_case_close(db);
    }
}

/* A -wal file that a killed program left stays as it is: it may be evidence of its own. */
static void what_waits_in_the_wal_stays_there(void **state)
{
    const struct fixture *f = *state;
    char command[512], wal[128];
    struct stat before, after;
    struct err err = { 0 };
    struct db_case *db;

    db_case_close(fixture_case(f));
    snprintf(wal, sizeof wal, "%s-wal", f->path);
    snprintf(command, sizeof command,
             "cd '%s' && mkfifo pipe && { sqlite3 case.burin <pipe >/dev/null & } && "
             "{ echo \"UPDATE runs SET user = 'x';\"; echo '.shell touch ready'; "
             "while [ ! -e ready ]; do sleep 0.01; done; kill -9 $!; } >pipe; wait 2>/dev/null; true",
             f->folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(stat(wal, &before), 0);
    assert_true(before.st_size > 0);
    OK(db_case_open(f->path, DB_READ, &db, &err));
    assert_false(db_written_now(db));
    db_case_close(db);
    assert_int_equal(stat(wal, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
    SQL_SAYS(f->path, "SELECT user FROM runs", "x\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_search_is_no_scan, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(who_writes_is_noticed, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(what_waits_in_the_wal_stays_there, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests_name("scans", tests, NULL, NULL);
}
