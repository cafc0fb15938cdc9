/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/database/test_sqlite.c - databases that python3's sqlite3 writes, in every page
 * size and layout, and damage to them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { ROOM = 4 << 20, BEHIND = 1000 };

static uint8_t file[ROOM + BEHIND], broken[2 * ROOM + BEHIND];

/* Runs statements of Python on connection c to an empty database of this page size; the database's
 * bytes land in file. */
static size_t make(int page_size, const char *statements)
{
    char command[4096];

    const int len = snprintf(command, sizeof command,
                             "python3 -c \"import os, random, sqlite3, sys, tempfile\n"
                             "d = tempfile.mkdtemp()\n"
                             "c = sqlite3.connect(d + '/x')\n"
                             "r = random.Random(1)\n"
                             "c.execute('pragma page_size = %d')\n"
                             "%s\n"
                             "c.commit()\n"
                             "assert c.execute('pragma integrity_check').fetchall() == [('ok',)]\n"
                             "c.close()\n"
                             "sys.stdout.buffer.write(open(d + '/x', 'rb').read())\n"
                             "os.remove(d + '/x'); os.rmdir(d)\"",
                             page_size, statements);
    assert_true(len > 0 && (size_t)len < sizeof command);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t got = fread(file, 1, ROOM, pipe);
    assert_int_equal(pclose(pipe), 0);
    assert_true(got >= 512 && got < ROOM && got % (size_t)page_size == 0);
    memset(file + got, 0x5a, BEHIND);
    return got;
}

/* Two tables, an index, rows longer than a page, and free pages. */
static const char all_kinds[] =
    "c.execute('create table a(x integer primary key, t text, b blob)')\n"
    "c.execute('create table w(k text primary key, v) without rowid')\n"
    "c.execute('create index i on a(t)')\n"
    "c.execute('create view v as select t from a')\n"
    "c.execute('create trigger g after insert on w begin select 1; end')\n"
    "for n in range(400):\n"
    "    c.execute('insert into a values(?,?,?)', (n * 3 - 300, 'text %d' % "
    "r.randrange(10**6), r.randbytes(r.randrange(400))))\n"
    "    c.execute('insert into w values(?,?)', ('%d' % r.randrange(10**9), n))\n"
    "c.execute('insert into a values(5000,?,?)', ('long', r.randbytes(70000)))\n"
    "c.execute('insert into a values(5001,?,?)', ('z' * 3000, None))\n"
    "c.execute('delete from a where x between 0 and 300')";

static struct harness_verdict assert_whole(size_t len)
{
    assert_true(harness_header_matches(harness_sig("sqlite"), file, len));
    const struct harness_verdict v = harness_check(harness_sig("sqlite"), file, len + BEHIND);
    assert_string_equal(v.result.why, "every page is where its tree says");
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
    assert_string_equal(v.type->name, "sqlite");
    return v;
}

static void databases_of_every_page_size_are_complete(void **state)
{
    (void)state;
    for (int size = 512; size <= 65536; size *= 2)
        assert_whole(make(size, all_kinds));
}

static void every_layout_is_complete(void **state)
{
    static const char *const before[] = {
        "c.execute('pragma auto_vacuum = 1')",
        "c.execute('pragma auto_vacuum = 2')",
        "c.execute('pragma encoding = \\'UTF-16le\\'')",
        "c.execute('pragma encoding = \\'UTF-16be\\'')",
        "c.execute('pragma legacy_file_format = 1')",
        "c.execute('pragma secure_delete = 1')",
        "c.execute('pragma journal_mode = wal')",
        "[c.execute('create table ' + 'n' * 600 + '%d(x)' % n) for n in range(30)]",
    };
    char statements[2048];

    (void)state;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        snprintf(statements, sizeof statements, "%s\n%s", before[i], all_kinds);
        assert_whole(make(512, statements));
        assert_whole(make(4096, statements));
    }
    assert_whole(make(4096, "c.execute('pragma user_version = 7')")); /* a schema without a row */
    assert_whole(make(1024, "c.execute('create table t(x)')"));
    assert_whole(make(1024, "c.execute('create virtual table t using fts4(x)')\nc.execute('insert "
                            "into t values(\\'a b c\\')')"));
}

static void an_old_database_does_not_say_its_length(void **state)
{
    const size_t len = make(1024, all_kinds);

    (void)state;
    memset(file + 28, 0, 4); /* as versions before 3.7.0 left it … */
    memset(file + 92, 0, 8);
    assert_whole(len);
    file[28 + 3] = 3; /* … or wrote it once, and then an old version changed the file */
    assert_whole(len);
}

/* Its trees are followed from the start each time that bytes are missing: how often that is must
 * not grow with its length. */
static void an_old_database_is_not_read_over_and_over(void **state)
{
    const struct sig *sig = harness_sig("sqlite");
    const size_t len = make(512, all_kinds);

    (void)state;
    memset(file + 28, 0, 4);
    memset(file + 92, 0, 8);
    const struct harness_verdict whole = harness_run(sig, file, len, 0, 0),
                                 cut = harness_run(sig, file, len, 512, 0);
    assert_int_equal(cut.result.verdict, SIG_COMPLETE);
    assert_int_equal(cut.result.len, len);
    assert_true(whole.views > len / 512 && cut.views < 4 * whole.views);
}

static void foreign_bytes_break_a_database(void **state)
{
    static const size_t gaps[] = { 512, 4096, 5 * 512, 3 * 4096 };
    const size_t len = make(4096, all_kinds);

    (void)state;
    for (size_t at = 512; at < len - 4096;
         at += 4096 + 512) { /* the last page ends in bytes that nothing uses */
        for (int fill = 0; fill < 4; fill++) {
            const size_t gap = gaps[fill];

            memcpy(broken, file, at);
            memset(broken + at, fill == 0 ? 0 : fill == 1 ? 0xa5 : 'x', gap);
            if (fill == 3) /* pages that are this database's own */
                memcpy(broken + at, file + at % 8192, gap);
            memcpy(broken + at + gap, file + at, len - at + BEHIND);
            const struct harness_verdict v =
                harness_run(harness_sig("sqlite"), broken, len + gap, 0, 0);
            assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
            assert_true(v.result.len < at + 4096);
        }
    }
}

static void a_cut_database_is_valid_page_by_page(void **state)
{
    const size_t len = make(1024, all_kinds);

    (void)state;
    for (size_t cut = 1024; cut < len; cut += 7 * 1024 + 512) {
        const struct harness_verdict v = harness_check(harness_sig("sqlite"), file, cut);

        assert_int_equal(v.result.verdict, SIG_BREAKS);
        assert_true(v.result.len <= cut && v.result.len % 1024 == 0 && v.result.len >= 1024);
    }
    assert_int_equal(harness_check(harness_sig("sqlite"), file, 1023).result.verdict, SIG_REJECT);
}

static void what_does_not_agree_is_refused(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
    } faults[] = { { 15, '3' }, { 16, 3 },   { 18, 3 },  { 19, 0 },  { 20, 255 }, { 21, 63 },
                   { 36, 1 },   { 44, 1 },   { 47, 5 },  { 59, 4 },  { 72, 1 },   { 91, 1 },
                   { 100, 1 },  { 100, 10 }, { 103, 1 }, { 107, 61 } };
    const size_t len = make(512, "c.execute('create table t(x)')\nc.execute('create table u(x)')");

    (void)state;
    assert_whole(len);
    memcpy(broken, file, len);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        broken[faults[i].at] = faults[i].value;
        if (harness_header_matches(harness_sig("sqlite"), broken, len))
            assert_int_equal(harness_check(harness_sig("sqlite"), broken, len).result.verdict,
                             SIG_REJECT);
        broken[faults[i].at] = file[faults[i].at];
    }
    memset(broken + 512, 'x', len - 512); /* the first sector of a file that is gone */
    assert_int_equal(harness_check(harness_sig("sqlite"), broken, len).result.verdict, SIG_REJECT);
    assert_false(harness_header_matches(harness_sig("sqlite"),
                                        (const uint8_t *)"SQLite format 3\0 is only its name", 34));
}

static void page_numbers_that_go_in_circles_end(void **state)
{
    const size_t len = make(1024, all_kinds);

    (void)state;
    for (size_t page = 1; page < len / 1024;
         page++) { /* every page in turn becomes another's twin, and every chain a ring */
        memcpy(broken, file, len);
        memcpy(broken + page * 1024, file + (page + 1) % (len / 1024) * 1024, 1024);
        broken[page * 1024 + 11] = (uint8_t)page;
        const struct harness_verdict v = harness_run(harness_sig("sqlite"), broken, len, 0, 0);
        assert_true(v.result.len <= len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(databases_of_every_page_size_are_complete),
        cmocka_unit_test(every_layout_is_complete),
        cmocka_unit_test(an_old_database_does_not_say_its_length),
        cmocka_unit_test(an_old_database_is_not_read_over_and_over),
        cmocka_unit_test(foreign_bytes_break_a_database),
        cmocka_unit_test(a_cut_database_is_valid_page_by_page),
        cmocka_unit_test(what_does_not_agree_is_refused),
        cmocka_unit_test(page_numbers_that_go_in_circles_end),
    };
    return cmocka_run_group_tests_name("sqlite", tests, NULL, NULL);
}
