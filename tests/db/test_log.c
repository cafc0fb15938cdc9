/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_log.c - the log: its chain recomputed with sha256sum, and every way to change it.
 */
#include "tests/db/case_fixture.h"

/* SHA-256 of what the sqlite3 tool gives for the entry, as docs/reference/case-file.md says it, by
 * coreutils. */
static void hash_by_tools(const struct fixture *f, int id, char out[DB_SHA256_HEX + 1])
{
    char command[1024];

    snprintf(command, sizeof command,
             "cd '%s' && sqlite3 case.burin \"SELECT writefile('entry', coalesce((SELECT hash FROM "
             "log WHERE id = %d - 1), "
             "printf('%%064d', 0)) || char(10) || id || char(10) || time || char(10) || run_id || "
             "char(10) || kind || "
             "char(10) || text) FROM log WHERE id = %d\" >/dev/null && sha256sum < entry",
             f->folder, id, id);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fread(out, 1, DB_SHA256_HEX, pipe), DB_SHA256_HEX);
    out[DB_SHA256_HEX] = '\0';
    pclose(pipe);
}

static void the_chain_is_what_the_documentation_says(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    int64_t broken = -1;

    OK(db_log(db, 0, "note", "", &err));
    OK(db_log(db, 1, "note", "Umlaut \xc3\xa4, a raw byte \xff, and\nlines\n", &err));
    OK(db_log_verify(db, &broken, &err));
    assert_int_equal(broken, 0);
    db_case_close(db);
    for (int id = 1; id <= 5; id++) {
        char sql[64], want[DB_SHA256_HEX + 2], hash[DB_SHA256_HEX + 1];

        hash_by_tools(f, id, hash);
        snprintf(want, sizeof want, "%s\n", hash);
        snprintf(sql, sizeof sql, "SELECT hash FROM log WHERE id = %d", id);
        SQL_SAYS(f->path, sql, want);
    }
}

static void other_programs_cannot_change_it_by_accident(void **state)
{
    static const char *const changes[] = {
        "UPDATE log SET text = 'x' WHERE id = 2",
        "DELETE FROM log WHERE id = 2",
        "DELETE FROM log",
        "INSERT OR REPLACE INTO log VALUES (2, '', 0, '', '', '')",
        "REPLACE INTO log VALUES (1, '', 0, '', '', '')",
        "INSERT INTO log VALUES (9, '', 0, '', '', '')",
        "INSERT INTO log VALUES (0, '', 0, '', '', '')",
    };
    const struct fixture *f = *state;
    char out[256];

    db_case_close(fixture_case(f));
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        fixture_sql(f->path, changes[i], out, sizeof out);
        assert_non_null(strstr(out, "the log is append-only"));
    }
    SQL_SAYS(f->path, "SELECT count(*), max(id) FROM log", "3|3\n");
}

/* Someone takes the triggers away, changes an entry, and puts them back. */
static void a_changed_log_is_found(void **state)
{
    static const struct {
        const char *change;
        int broken;
    } rows[] = {
        { "UPDATE log SET text = text || ' ' WHERE id = 2", 2 },
        { "UPDATE log SET time = '2020' WHERE id = 1", 1 },
        { "UPDATE log SET run_id = 2 WHERE id = 3", 3 },
        { "UPDATE log SET kind = 'Note' WHERE id = 3", 3 },
        { "UPDATE log SET hash = upper(hash) WHERE id = 2", 2 },
        { "UPDATE log SET kind = kind || char(10) || text, text = '' WHERE id = 3", 3 },
        { "DELETE FROM log WHERE id = 1", 2 },
        { "DELETE FROM log WHERE id = 2", 3 },
        { "DELETE FROM log WHERE id = 1; UPDATE log SET id = id - 1", 1 },
    };
    const struct fixture *f = *state;
    struct err err = { 0 };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct db_case *db = fixture_case(f);
        char script[1024], out[256];
        int64_t broken = -1;

        db_case_close(db);
        snprintf(script, sizeof script,
                 "DROP TRIGGER log_update; DROP TRIGGER log_delete; %s; "
                 "CREATE TRIGGER log_update BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the "
                 "log is append-only'); END; "
                 "CREATE TRIGGER log_delete BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the "
                 "log is append-only'); END",
                 rows[i].change);
        fixture_sql(f->path, script, out, sizeof out);
        assert_string_equal(out, "");
        OK(db_case_open(f->path, DB_READ, &db, &err));
        OK(db_log_verify(db, &broken, &err));
        db_case_close(db);
        OK(db_case_open(f->path, DB_WRITE, &db,
                        &err)); /* who writes to it is told, and writes it down */
        assert_int_equal(db_log_broken(db), rows[i].broken);
        if (broken != rows[i].broken)
            fail_msg("%s: entry %d is broken, want %d", rows[i].change, (int)broken,
                     rows[i].broken);
        db_case_close(db);
        snprintf(script, sizeof script,
                 "SELECT count(*) FROM log WHERE text LIKE 'the chain of the log is broken at "
                 "entry %d:%%'",
                 rows[i].broken);
        SQL_SAYS(f->path, script, "1\n");
        unlink(f->path);
    }
}

static void a_whole_log_is_called_so(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    char hash[DB_SHA256_HEX + 1], want[DB_SHA256_HEX + 8];
    struct err err = { 0 };
    int64_t last = 0;

    db_case_close(db);
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    assert_int_equal(db_log_broken(db), 0);
    OK(db_log_last(db, &last, hash, &err));
    db_case_close(db);
    snprintf(want, sizeof want, "%d|%s\n", (int)last, hash);
    SQL_SAYS(f->path, "SELECT id, hash FROM log ORDER BY id DESC LIMIT 1", want);
}

static void a_kind_is_one_short_word(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    FAILS(db_log(db, 1, "two\nlines", "", &err), ERR_ARG, "no kind of log entry");
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT count(*) FROM log", "3\n");
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(the_chain_is_what_the_documentation_says),
        CASE_TEST(other_programs_cannot_change_it_by_accident),
        CASE_TEST(a_changed_log_is_found),
        CASE_TEST(a_whole_log_is_called_so),
        CASE_TEST(a_kind_is_one_short_word),
    };
    return cmocka_run_group_tests_name("the log", tests, NULL, NULL);
}
