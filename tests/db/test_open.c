/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_open.c - making, replacing and opening: every file that may lie at the path, and
 * every way that it fails.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include "db/lock.h"
#include "tests/db/case_fixture.h"

static void write_file(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static bool file_is(const char *path, const char *text)
{
    char got[256] = { 0 };
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    const size_t len = fread(got, 1, sizeof got - 1, file);
    fclose(file);
    return len == strlen(text) && memcmp(got, text, len) == 0;
}

static bool exists(const char *path, const char *suffix)
{
    char name[256];

    snprintf(name, sizeof name, "%s%s", path, suffix);
    return access(name, F_OK) == 0;
}

/* A database of some other program. */
static void make_foreign(const char *path)
{
    char out[64];

    fixture_sql(path, "CREATE TABLE t (a); INSERT INTO t VALUES (1);", out, sizeof out);
    assert_string_equal(out, "");
}

static void an_existing_case_file_stays_without_force(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;

    db_case_close(fixture_case(f));
    FAILS(db_case_create(f->path, false, &db, &err), ERR_INPUT,
          "case.burin exists; use --force to replace it or --case to name another");
    assert_null(db);
    SQL_SAYS(f->path, "SELECT count(*) FROM hits", "6\n");
}

/* A case file whose writer was killed: what it left beside the file is part of the old case. */
static void force_moves_a_case_file_with_runs_aside(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_lock *lock;
    struct db_case *db;
    char kept[DB_KEPT_MAX], want[128];
    int status;

    for (int i = 1; i <= 3; i++) {
        const pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            unlink(f->path); /* the empty one that the round before has made */
            (void)fixture_case(f);
            _exit(0); /* with its -wal file */
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(exists(f->path, "-wal"));
        assert_true(exists(f->path, ".lock"));
        OK(db_lock_take(f->path, NULL, &lock, &err));
        OK(db_case_create_locked(lock, true, kept, &db, &err));
        db_case_close(db);
        snprintf(want, sizeof want, "%s.old.%d", f->path, i);
        assert_string_equal(kept, want);
        SQL_SAYS(want, "SELECT count(*) FROM hits; PRAGMA integrity_check", "6\nok\n");
        SQL_SAYS(f->path, "SELECT count(*) FROM hits; PRAGMA integrity_check", "0\nok\n");
        assert_false(exists(f->path, "-wal"));
        assert_false(exists(f->path, "-shm"));
        assert_false(exists(f->path, ".lock"));
        assert_false(exists(f->path, ".new"));
    }
    OK(db_lock_take(f->path, NULL, &lock, &err)); /* nothing is kept of a case file without runs */
    OK(db_case_create_locked(lock, true, kept, &db, &err));
    db_case_close(db);
    assert_string_equal(kept, "");
}

/* Any file may have the name of one that SQLite or burin would write, evidence too. */
static void files_beside_the_case_file_are_left_alone(void **state)
{
    static const char *const suffixes[] = { "-wal", "-shm", "-journal", ".lock", ".new" };
    static const char zeros[40000];
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char name[128], other[128];

    snprintf(other, sizeof other, "%s/evidence", f->folder);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        for (int there = 0; there < 2; there++)
            for (int what = 0; what < 3; what++) {
                unlink(f->path);
                if (there)
                    db_case_close(fixture_case(f));
                snprintf(name, sizeof name, "%s%s", f->path, suffixes[i]);
                write_file(other, what == 1 ? zeros : "some evidence",
                           what == 1 ? sizeof zeros : 13);
                assert_int_equal(what == 2 ? link(other, name) : rename(other, name), 0);
                if (there) {
                    FAILS(db_case_open(f->path, DB_READ, &db, &err), ERR_INPUT, "move it away");
                    FAILS(db_case_open(f->path, DB_WRITE, &db, &err), ERR_INPUT, "move it away");
                    FAILS(db_case_create(f->path, true, &db, &err), ERR_INPUT, "move it away");
                }
                FAILS(db_case_create(f->path, false, &db, &err), ERR_INPUT, "move it away");
                if (what != 1)
                    assert_true(file_is(name, "some evidence"));
                assert_int_equal(exists(f->path, ""), there);
                assert_int_equal(unlink(name), 0);
                unlink(other);
                if (there)
                    SQL_SAYS(f->path, "SELECT count(*) FROM hits", "6\n");
            }
}

/*
 * A writer that is killed while it makes its journal leaves one without the magic number: zeros, a
 * random number, pages 0, sectors of 512 and pages of 4096 bytes (fileformat2.html, section 3).
 */
static void a_journal_that_was_not_finished_is_ours(void **state)
{
    static const char head[512] = { [12] = 1, 2, 3, 4, [22] = 2, [26] = 16 };
    static const char other[512] = { [12] = 1, 2, 3, 4, [22] = 3, [26] = 16 };
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char name[128];

    db_case_close(fixture_case(f));
    snprintf(name, sizeof name, "%s-journal", f->path);
    write_file(name, head, sizeof head);
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT count(*) FROM hits; PRAGMA integrity_check", "6\nok\n");
    write_file(name, other, sizeof other); /* sectors of 768 bytes there are not */
    FAILS(db_case_open(f->path, DB_WRITE, &db, &err), ERR_INPUT, "move it away");
    assert_int_equal(unlink(name), 0);
}

/* The -wal file of a case file that is somewhere else may hold results. */
static void a_new_case_file_wants_its_names_free(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char name[128], away[128];
    int status;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        (void)fixture_case(f);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    snprintf(away, sizeof away, "%s/away", f->folder);
    assert_int_equal(rename(f->path, away), 0);
    FAILS(db_case_create(f->path, false, &db, &err), ERR_INPUT, "there without its case file");
    FAILS(db_case_create(f->path, true, &db, &err), ERR_INPUT, "there without its case file");
    assert_int_equal(rename(away, f->path), 0);
    SQL_SAYS(f->path, "SELECT count(*) FROM hits", "6\n");
    snprintf(name, sizeof name, "%s.lock", f->path);
    unlink(name);
}

/* The index of a -wal file is made of it: without one it holds nothing, unless somebody has it. */
static void an_index_that_was_left_is_used_again(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char name[128], away[128], byte = 0;
    int status, tell[2], end[2];

    assert_int_equal(pipe(tell), 0);
    assert_int_equal(pipe(end), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(end[1]);
        (void)fixture_case(f);
        snprintf(name, sizeof name, "%s.lock", f->path);
        unlink(name); /* as a reader, which has none */
        (void)!write(tell[1], "x", 1);
        (void)!read(end[0], &byte, 1);
        _exit(0);
    }
    close(end[0]);
    assert_int_equal(read(tell[0], &byte, 1), 1);
    snprintf(away, sizeof away, "%s/away", f->folder);
    assert_int_equal(rename(f->path, away), 0);
    snprintf(name, sizeof name, "%s-wal", f->path);
    snprintf(away, sizeof away, "%s/away-wal", f->folder);
    assert_int_equal(rename(name, away), 0);
    FAILS(db_case_create(f->path, false, &db, &err), ERR_INPUT, "there without its case file");
    close(end[1]);
    close(tell[0]);
    close(tell[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(exists(f->path, "-shm"));
    OK(db_case_create(f->path, false, &db, &err));
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT count(*) FROM hits", "0\n");
    snprintf(away, sizeof away, "%s/away", f->folder);
    SQL_SAYS(away, "SELECT count(*) FROM hits", "6\n");
}

/* SQLite cuts the index to three bytes, makes it longer page by page, and writes pages first. */
static void an_index_that_was_not_finished_is_ours(void **state)
{
    static uint8_t index[32768];
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char name[128];

    snprintf(name, sizeof name, "%s-shm", f->path);
    db_case_close(fixture_case(f));
    for (int cut = 0; cut < 2; cut++)
        for (int step = 0; step < 4; step++) {
            memset(index, 0, sizeof index);
            memcpy(index, "\x18\xe2\x2d", cut ? 3 : 0);
            index[136] = step > 1 ? 7 : 0;             /* the first page is number 7 */
            index[16384 + 2 * 383] = step > 1 ? 1 : 0; /* which is the first: anywhere here */
            index[16384 + 2 * 384] = step > 2 ? 2 : 0; /* there is no second one */
            write_file(name, (const char *)index, step == 0 ? 8192 : sizeof index);
            if (step < 3) {
                OK(db_case_open(f->path, DB_WRITE, &db, &err));
                db_case_close(db);
                SQL_SAYS(f->path, "SELECT count(*) FROM hits; PRAGMA integrity_check", "6\nok\n");
            } else {
                FAILS(db_case_open(f->path, DB_WRITE, &db, &err), ERR_INPUT, "move it away");
            }
        }
    assert_int_equal(unlink(name), 0);
}

/* What was written to the -wal file would be read into the case file that has the name next. */
static void an_empty_file_is_not_replaced_beside_a_log(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char name[128];
    int status;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        (void)fixture_case(f);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(truncate(f->path, 0), 0);
    FAILS(db_case_create(f->path, true, &db, &err), ERR_INPUT, "may hold what the case file");
    assert_true(exists(f->path, "-wal"));
    snprintf(name, sizeof name, "%s.lock", f->path);
    unlink(name);
}

static void a_case_file_with_two_names_is_not_written(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char other[128];

    db_case_close(fixture_case(f));
    snprintf(other, sizeof other, "%s/other", f->folder);
    assert_int_equal(link(f->path, other), 0);
    FAILS(db_case_open(f->path, DB_WRITE, &db, &err), ERR_INPUT, "hard links");
    FAILS(db_case_create(f->path, true, &db, &err), ERR_INPUT, "hard links");
    OK(db_case_open(f->path, DB_READ, &db, &err));
    db_case_close(db);
}

/* What is written to a file without a name is lost, and must not be called done. */
static void a_case_file_that_is_taken_away_is_missed(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    char away[128];

    snprintf(away, sizeof away, "%s/away", f->folder);
    assert_int_equal(rename(f->path, away), 0);
    FAILS(db_log(db, 1, "note", "lost", &err), ERR_ENV,
          "has removed, moved or replaced the case file");
    write_file(f->path, "another", 7);
    OK(db_begin(db, &err));
    OK(db_log(db, 1, "note", "lost", &err));
    FAILS(db_commit(db, &err), ERR_ENV, "has removed, moved or replaced the case file");
    assert_int_equal(rename(away, f->path), 0);
    OK(db_begin(db, &err));
    OK(db_log(db, 1, "note", "kept", &err));
    OK(db_commit(db, &err));
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT group_concat(text) FROM log WHERE text IN ('lost', 'kept')",
             "kept\n");
}

static bool wait_thrice(void *arg, const char *holder)
{
    int *asked = arg;

    assert_non_null(strstr(holder, "test_open, process "));
    assert_non_null(strstr(holder, ", since 20"));
    return ++*asked < 3;
}

static bool wait_and_end_it(void *arg, const char *holder)
{
    struct db_case **db = arg;

    (void)holder;
    db_case_close(*db);
    *db = NULL;
    return true;
}

static void a_second_writer_waits_or_is_refused(void **state)
{
    const struct fixture *f = *state;
    struct db_case *writer = fixture_case(f), *second;
    int asked = 0;
    const struct db_wait thrice = { wait_thrice, &asked }, end = { wait_and_end_it, &writer };
    struct db_lock *lock;
    struct err err = { 0 };
    char holder[DB_LOCK_HOLDER_MAX] = "";

    assert_true(db_lock_held(f->path, holder));
    assert_non_null(strstr(holder, "test_open, process "));
    FAILS(db_case_open(f->path, DB_WRITE, &second, &err), ERR_INPUT,
          "another program writes to this case file (test_open");
    FAILS(db_case_create(f->path, true, &second, &err), ERR_INPUT,
          "another program writes to this case file");
    FAILS(db_lock_take(f->path, &thrice, &lock, &err), ERR_INTERRUPTED,
          "stopped while waiting for test_open");
    assert_int_equal(asked, 3);
    OK(db_lock_take(f->path, &end, &lock, &err));
    assert_null(writer);
    OK(db_case_open_locked(lock, &second, &err));
    db_case_close(second);
    assert_false(db_lock_held(f->path, holder));
    assert_false(exists(f->path, ".lock"));
}

static void a_run_of_a_dead_writer_is_called_interrupted(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    int status;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
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
        int64_t id;

        _exit(db_run_add(fixture_case(f), &run, &id, &err) == ERR_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    OK(db_case_open(f->path, DB_READ, &db, &err)); /* a reader changes nothing */
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT status FROM runs ORDER BY id DESC LIMIT 1", "running\n");
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    db_case_close(db);
    OK(db_case_open(f->path, DB_WRITE, &db, &err)); /* said once */
    db_case_close(db);
    SQL_SAYS(f->path,
             "SELECT status, ended IS NULL FROM runs ORDER BY id DESC LIMIT 1; "
             "SELECT count(*) FROM log WHERE text LIKE 'run % (scan) has not come to its end%'",
             "interrupted|1\n1\n");
}

static void force_follows_a_link_and_keeps_it(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    struct stat st;
    char link[128];

    db_case_close(fixture_case(f));
    snprintf(link, sizeof link, "%s/link", f->folder);
    assert_int_equal(symlink(f->path, link), 0);
    OK(db_case_create(link, true, &db, &err));
    db_case_close(db);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    SQL_SAYS(f->path, "SELECT count(*) FROM hits", "0\n");
}

static void what_is_no_case_file_is_never_replaced(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char other[128];

    write_file(f->path, "evidence", 8);
    FAILS(db_case_create(f->path, true, &db, &err), ERR_INPUT, "is no case file: it is left alone");
    FAILS(db_case_create(f->path, false, &db, &err), ERR_INPUT,
          "is no case file: it is left alone");
    assert_true(file_is(f->path, "evidence"));

    write_file(f->path, "e", 1);
    FAILS(db_case_create(f->path, true, &db, &err), ERR_INPUT, "is no case file: it is left alone");

    snprintf(other, sizeof other, "%s/other.db", f->folder);
    make_foreign(other);
    FAILS(db_case_create(other, true, &db, &err), ERR_INPUT, "is no case file: it is left alone");
    SQL_SAYS(other, "SELECT a FROM t", "1\n");

    FAILS(db_case_create(f->folder, true, &db, &err), ERR_INPUT, "a folder, not a case file");
    snprintf(other, sizeof other, "%s/pipe", f->folder);
    assert_int_equal(mkfifo(other, 0600), 0);
    FAILS(db_case_create(other, true, &db, &err), ERR_INPUT, "not a case file");
    FAILS(db_case_open(other, DB_READ, &db, &err), ERR_INPUT, "not a case file");
    FAILS(db_case_create("/dev/null", true, &db, &err), ERR_INPUT, "not a case file");
}

static void an_empty_file_is_replaced_with_force_only(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;

    write_file(f->path, "", 0);
    FAILS(db_case_create(f->path, false, &db, &err), ERR_INPUT, "exists; use --force");
    OK(db_case_create(f->path, true, &db, &err));
    db_case_close(db);
    SQL_SAYS(f->path, "PRAGMA user_version", "19\n");
}

static void a_file_cannot_be_made_without_its_folder(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char path[128];

    snprintf(path, sizeof path, "%s/no/such/case", f->folder);
    FAILS(db_case_create(path, false, &db, &err), ERR_ENV, "make the folder, or name another");
    snprintf(path, sizeof path, "%s/case/", f->folder);
    FAILS(db_case_create(path, false, &db, &err), ERR_ARG, "not the name of a file");
}

static void odd_names_are_names(void **state)
{
    static const char *const names[] = { "file:x?mode=memory", ":memory:", "a b'c\"",
                                         "100%41?#",           "-",        "\xff\xfe" };
    const struct fixture *f = *state;
    struct err err = { 0 };
    char before[4096];

    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(f->folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct db_case *db;
        uint32_t count = 9;

        OK(db_case_create(names[i], false, &db, &err));
        db_case_close(db);
        assert_true(exists(names[i], ""));
        OK(db_case_open(names[i], DB_READ, &db, &err));
        OK(db_image_count(db, &count, &err));
        assert_int_equal(count, 0);
        db_case_close(db);
    }
    assert_int_equal(chdir(before), 0);
}

static void what_is_no_case_file_is_not_opened(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char other[128];

    FAILS(db_case_open(f->path, DB_READ, &db, &err), ERR_INPUT, "No such file");
    FAILS(db_case_open(f->folder, DB_READ, &db, &err), ERR_INPUT, "a folder");
    write_file(f->path, "", 0);
    FAILS(db_case_open(f->path, DB_READ, &db, &err), ERR_INPUT, "it is empty");
    write_file(f->path, "x", 1);
    FAILS(db_case_open(f->path, DB_WRITE, &db, &err), ERR_INPUT, "it is no SQLite database");
    write_file(f->path, "SQLite format 3", 16);
    FAILS(db_case_open(f->path, DB_READ, &db, &err), ERR_INPUT, "of another program");
    snprintf(other, sizeof other, "%s/other.db", f->folder);
    make_foreign(other);
    FAILS(db_case_open(other, DB_WRITE, &db, &err), ERR_INPUT, "of another program");
    assert_null(db);
}

static void a_newer_schema_is_refused_and_its_writer_named(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char out[64];

    db_case_close(fixture_case(f));
    fixture_sql(
        f->path,
        "UPDATE about SET value = 'burin 9.9 (abc)' WHERE key = 'writer'; PRAGMA user_version = 20",
        out, sizeof out);
    FAILS(db_case_open(f->path, DB_READ, &db, &err), ERR_INPUT,
          "schema 20, written by burin 9.9 (abc)");
    FAILS(db_case_open(f->path, DB_WRITE, &db, &err), ERR_INPUT,
          "schema 20, written by burin 9.9 (abc)");
    fixture_sql(f->path, "DROP TABLE about", out, sizeof out);
    FAILS(db_case_open(f->path, DB_READ, &db, &err), ERR_INPUT,
          "schema 20, written by a newer burin");
    fixture_sql(f->path, "PRAGMA user_version = 19", out, sizeof out);
    FAILS(db_case_open(f->path, DB_READ, &db, &err), ERR_INPUT, "table about is missing");
}

static void an_older_schema_that_never_was_is_refused(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_case *db;
    char out[64];

    db_case_close(fixture_case(f));
    fixture_sql(f->path, "PRAGMA user_version = 0", out, sizeof out);
    FAILS(db_case_open(f->path, DB_READ, &db, &err), ERR_INPUT,
          "schema 0 is unknown to this burin");
    FAILS(db_case_open(f->path, DB_WRITE, &db, &err), ERR_INPUT,
          "schema 0 is unknown to this burin");
    SQL_SAYS(f->path, "PRAGMA user_version; SELECT count(*) FROM log", "0\n3\n");
}

static void a_torn_file_is_called_damaged(void **state)
{
    const struct fixture *f = *state;
    struct db_object_cursor *cursor;
    struct db_object object;
    struct err err = { 0 };
    struct db_case *db;
    enum err_code rc;
    bool found = true;

    db_case_close(fixture_case(f));
    assert_int_equal(truncate(f->path, 3 * 4096), 0);
    rc = db_case_open(f->path, DB_READ, &db, &err);
    if (rc == ERR_OK) {
        OK(db_objects_open(db, 0, &cursor, &err));
        while (rc == ERR_OK && found)
            rc = db_objects_next(cursor, &found, &object, &err);
        db_objects_close(cursor);
    }
    assert_int_equal(rc, ERR_INPUT);
    assert_non_null(strstr(err.text, "the case file is damaged"));
    assert_non_null(strstr(err.text, ".recover"));
    db_case_close(db);
}

static void reading_leaves_no_trace(void **state)
{
    const struct fixture *f = *state;
    struct stat before, after;
    struct err err = { 0 };
    struct db_totals totals;
    struct db_case *db;

    db_case_close(fixture_case(f));
    assert_int_equal(stat(f->path, &before), 0);
    OK(db_case_open(f->path, DB_READ, &db, &err));
    OK(db_totals(db, 0, &totals, &err));
    FAILS(db_log(db, 0, "note", "x", &err), ERR_ENV, "may not be written");
    db_case_close(db);
    assert_false(exists(f->path, "-wal"));
    assert_false(exists(f->path, "-shm"));
    assert_int_equal(stat(f->path, &after), 0);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
}

/* One program writes, another reads what was committed. */
static void one_writes_others_read(void **state)
{
    const struct fixture *f = *state;
    struct db_case *writer = fixture_case(f), *reader, *second;
    const struct db_hit more = {
        .id = 7, .image_id = 1, .signature_id = 1, .offset = 9000, .len = 3
    };
    struct err err = { 0 };
    int64_t last;

    OK(db_begin(writer, &err));
    OK(db_hits_insert(writer, &more, 1, &err));
    OK(db_case_open(f->path, DB_READ, &reader, &err));
    OK(db_hit_last_id(reader, &last, &err));
    assert_int_equal(last, 6);
    OK(db_commit(writer, &err));
    OK(db_hit_last_id(reader, &last, &err));
    assert_int_equal(last, 7);
    db_case_close(writer);
    FAILS(db_case_create(f->path, true, &second, &err), ERR_ENV,
          "another burin (or another program) is using");
    db_case_close(reader);
    OK(db_case_create(f->path, true, &second, &err));
    db_case_close(second);
}

/* Runs body as a user who may do nothing here. Its answer is the exit status; the superuser alone
 * can become nobody. */
static int as_nobody(int (*body)(const struct fixture *f), const struct fixture *f)
{
    int status = 0;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(geteuid() == 0 && setresuid(65534, 65534, 65534) != 0 ? 99 : body(f));
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int unprivileged_body(const struct fixture *f)
{
    struct err err = { 0 };
    struct db_case *db;
    struct db_totals totals;
    char other[128];

    if (db_case_open(f->path, DB_READ, &db, &err) != ERR_OK ||
        db_totals(db, 0, &totals, &err) != ERR_OK || totals.hits != 6)
        return 1;
    db_case_close(db);
    if (db_case_open(f->path, DB_WRITE, &db, &err) != ERR_ENV ||
        strstr(err.text, "may not be written") == NULL)
        return 2;
    snprintf(other, sizeof other, "%s/new", f->folder);
    if (db_case_create(other, false, &db, &err) != ERR_ENV ||
        strstr(err.text, "Permission denied") == NULL)
        return 3;
    if (db_case_create(f->path, true, &db, &err) != ERR_ENV)
        return 4;
    return 0;
}

static int unreadable_body(const struct fixture *f)
{
    struct err err = { 0 };
    struct db_case *db;

    return db_case_open(f->path, DB_READ, &db, &err) == ERR_ENV &&
                   strstr(err.text, "permission") != NULL
               ? 0
               : 1;
}

static void a_read_only_folder_can_be_read(void **state)
{
    const struct fixture *f = *state;

    db_case_close(fixture_case(f));
    assert_int_equal(chmod(f->path, 0444), 0);
    assert_int_equal(chmod(f->folder, 0555), 0);
    assert_int_equal(as_nobody(unprivileged_body, f), 0);
    assert_int_equal(chmod(f->path, 0000), 0);
    assert_int_equal(as_nobody(unreadable_body, f), 0);
    assert_int_equal(chmod(f->folder, 0755), 0);
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(an_existing_case_file_stays_without_force),
        CASE_TEST(force_moves_a_case_file_with_runs_aside),
        CASE_TEST(files_beside_the_case_file_are_left_alone),
        CASE_TEST(a_journal_that_was_not_finished_is_ours),
        CASE_TEST(a_new_case_file_wants_its_names_free),
        CASE_TEST(an_index_that_was_left_is_used_again),
        CASE_TEST(an_index_that_was_not_finished_is_ours),
        CASE_TEST(an_empty_file_is_not_replaced_beside_a_log),
        CASE_TEST(a_case_file_with_two_names_is_not_written),
        CASE_TEST(a_case_file_that_is_taken_away_is_missed),
        CASE_TEST(a_second_writer_waits_or_is_refused),
        CASE_TEST(a_run_of_a_dead_writer_is_called_interrupted),
        CASE_TEST(force_follows_a_link_and_keeps_it),
        CASE_TEST(what_is_no_case_file_is_never_replaced),
        CASE_TEST(an_empty_file_is_replaced_with_force_only),
        CASE_TEST(a_file_cannot_be_made_without_its_folder),
        CASE_TEST(odd_names_are_names),
        CASE_TEST(what_is_no_case_file_is_not_opened),
        CASE_TEST(a_newer_schema_is_refused_and_its_writer_named),
        CASE_TEST(an_older_schema_that_never_was_is_refused),
        CASE_TEST(a_torn_file_is_called_damaged),
        CASE_TEST(reading_leaves_no_trace),
        CASE_TEST(one_writes_others_read),
        CASE_TEST(a_read_only_folder_can_be_read),
    };
    return cmocka_run_group_tests_name("opening case files", tests, NULL, NULL);
}
