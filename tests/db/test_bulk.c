/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_bulk.c - many objects at once, and rows that refer to what is not there, while
 * SQLite does not look. The sqlite3 tool is the judge of what arrived.
 */
#include "tests/db/case_fixture.h"

enum { BULK_MAX = 1000 };

static struct db_hit hits[BULK_MAX];
static struct db_object objects[BULK_MAX];
static struct db_extent extents[BULK_MAX][2];
static char names[BULK_MAX][32];

/* count hits and their objects, with ids from first on. Those with an id that `odd` divides have
 * two extents, those of the last third are of image 2. */
static void make(uint32_t count, int64_t first, int64_t odd)
{
    for (uint32_t i = 0; i < count; i++) {
        const int64_t id = first + i;
        const uint64_t offset = (uint64_t)id * 16;
        const bool two = odd != 0 && id % odd == 0;

        snprintf(names[i], sizeof names[i], "jpg/%lld.jpg", (long long)id);
        extents[i][0] = (struct db_extent){ offset, 7 };
        extents[i][1] = (struct db_extent){ offset + 8, 3 };
        hits[i] = (struct db_hit){ .id = id,
                                   .image_id = i < count - count / 3 ? 1 : 2,
                                   .signature_id = 1 + id % 3,
                                   .offset = offset,
                                   .len = 3 };
        objects[i] = (struct db_object){ .id = id,
                                         .image_id = hits[i].image_id,
                                         .signature_id = hits[i].signature_id,
                                         .type = "jpg",
                                         .extension = "jpg",
                                         .state = id % 2 == 0 ? "complete" : "truncated",
                                         .reason = "EOI",
                                         .validated = true,
                                         .offset = offset,
                                         .len = two ? 10 : 7,
                                         .extents = extents[i],
                                         .extent_count = two ? 2 : 1,
                                         .name = names[i],
                                         .slack = DB_SLACK_OTHER,
                                         .has_crc64 = id % 5 != 0,
                                         .crc64 = (uint64_t)id };
    }
}

/* Counts around the number of rows that go into one statement, inside of bulk and outside. */
static void every_object_arrives(void **state)
{
    static const uint32_t counts[] = { 1, 63, 64, 65, 128, 129, 200, 0, 1000 };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    int64_t id = 7;

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const int64_t odd = counts[i] == 200 ? 150 : counts[i] == 1000 ? 7 : 0;

        make(counts[i], id, odd);
        OK(db_begin(db, &err));
        if (i % 2 == 0)
            db_bulk_begin(db);
        OK(db_hits_insert(db, hits, counts[i], &err));
        OK(db_objects_insert(db, objects, counts[i], &err));
        OK(db_commit(db, &err));
        if (i % 2 == 0)
            db_bulk_end(db);
        id += counts[i];
    }
    db_case_close(db);
    SQL_SAYS(
        f->path,
        "PRAGMA integrity_check; PRAGMA foreign_key_check; "
        "SELECT count(*), min(id), max(id), sum(signature_id <> 1 + id % 3), sum(offset <> id "
        "* 16), sum(name <> 'jpg/' || id || '.jpg'), sum(state <> iif(id % 2 = 0, 'complete', "
        "'truncated')), sum(coalesce(crc64, -1) <> iif(id % 5, id, -1)), sum(image_id <> "
        "(SELECT image_id FROM hits h WHERE h.id = o.id)), sum(slack <> 2), sum(len <> (SELECT "
        "sum(len) FROM extents e WHERE e.object_id = o.id)), sum(image_id = 2) > 300, sum(len "
        "= 10) > 100 FROM objects o WHERE id > 6; "
        "SELECT count(*) - sum(number) FROM extents WHERE object_id > 6; "
        "SELECT sum(offset <> object_id * 16 + number * 8) FROM extents WHERE object_id > 6",
        "ok\n1650|7|1656|0|0|0|0|0|0|0|0|1|1\n1650\n0\n");
}

static void what_is_not_there_is_refused(void **state)
{
    struct db_bad_range range = {
        .image_id = 1, .offset = 0, .len = 1, .source = "read", .status = '-'
    };
    struct db_known_run known = {
        .image_id = 1, .set_id = 9, .offset = 0, .len = 512, .digest = FIXTURE_SHA256
    };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    make(100, 7, 0);
    db_bulk_begin(db);
    FAILS(db_objects_insert(db, objects, 100, &err), ERR_INPUT,
          "a row refers to row 7 of hits, which is missing");
    OK(db_hits_insert(db, hits, 99, &err));
    FAILS(db_objects_insert(db, objects, 100, &err), ERR_INPUT, "row 106 of hits");
    objects[70].signature_id = 4;
    FAILS(db_objects_insert(db, objects, 99, &err), ERR_INPUT, "row 4 of signatures");
    objects[70].signature_id = 0;
    FAILS(db_objects_insert(db, objects, 99, &err), ERR_INPUT, "row 0 of signatures");
    objects[70].signature_id = 3;
    objects[5].image_id = 3;
    FAILS(db_objects_insert(db, objects, 99, &err), ERR_INPUT, "row 3 of images");
    objects[5].image_id = 1;
    FAILS(db_bad_range_add(db, 2, &range, &err), ERR_INPUT, "row 2 of runs");
    range.image_id = -1;
    FAILS(db_bad_range_add(db, 1, &range, &err), ERR_INPUT, "row -1 of images");
    FAILS(db_known_run_put(db, &known, &err), ERR_INPUT, "row 9 of known_sets");
    known.image_id = 3;
    FAILS(db_known_run_put(db, &known, &err), ERR_INPUT, "row 3 of images");
    OK(db_objects_insert(db, objects, 99, &err));
    objects[99].id = 6; /* a hit that was there before, and an object, too */
    FAILS(db_objects_insert(db, &objects[99], 1, &err), ERR_INPUT, "UNIQUE");
    db_bulk_end(db);
    FAILS(db_nested_insert(db, &(struct db_nested){ .id = 7, .parent_id = 999 }, 1, &err),
          ERR_INPUT, "FOREIGN KEY"); /* it looks again */
    db_case_close(db);
    SQL_SAYS(f->path,
             "PRAGMA foreign_key_check; SELECT count(*) FROM objects WHERE id > 6; "
             "SELECT count(*) FROM bad_ranges",
             "99\n1\n");
}

/* What a transaction wrote that was undone is not there, though it was. */
static void what_was_undone_is_not_there(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    make(200, 7, 0);
    db_bulk_begin(db);
    OK(db_begin(db, &err));
    OK(db_hits_insert(db, hits, 200, &err));
    objects[10].state = "fine";
    FAILS(db_objects_insert(db, objects, 200, &err), ERR_INPUT, "CHECK");
    FAILS(db_commit(db, &err), ERR_ENV, "a write before this one failed");
    objects[10].state = "complete";
    OK(db_begin(db, &err));
    FAILS(db_objects_insert(db, objects, 200, &err), ERR_INPUT, "row 7 of hits");
    db_bulk_end(db);
    db_case_close(db);
    SQL_SAYS(f->path,
             "PRAGMA integrity_check; SELECT max(id) FROM hits; SELECT max(id) FROM objects",
             "ok\n6\n6\n");
}

/* What lies in what, between objects that the case had before, new ones, and none. */
static void what_lies_in_what_arrives(void **state)
{
    static struct db_nested nested[200];
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    make(300, 7, 0);
    db_bulk_begin(db);
    OK(db_begin(db, &err));
    OK(db_hits_insert(db, hits, 300, &err));
    for (uint32_t i = 0; i < 300; i += 2) /* 7, 9, ..., the last ones first */
        OK(db_objects_insert(db, &objects[298 - i], 1, &err));
    for (uint32_t i = 0; i < 149; i++)
        nested[i] = (struct db_nested){ .id = 9 + 2 * i,
                                        .parent_id = i % 3 != 0 ? 7 : 0,
                                        .state = i % 2 == 0 ? "truncated" : NULL,
                                        .reason = i % 2 == 0 ? "cut" : NULL,
                                        .cut = i % 2 == 0,
                                        .len = 3,
                                        .has_crc64 = i % 4 == 0,
                                        .crc64 = UINT64_MAX };
    nested[149] = (struct db_nested){ .id = 7, .parent_id = 1 };
    OK(db_nested_insert(db, nested, 150, &err));
    OK(db_commit(db, &err));
    for (int which = 0; which < 2; which++) {
        const int64_t id = which == 0 ? 8 : 1, parent = which == 0 ? 7 : 307;

        OK(db_begin(db, &err));
        FAILS(db_nested_insert(db, &(struct db_nested){ .id = id, .parent_id = parent }, 1, &err),
              ERR_INPUT, which == 0 ? "row 8 of objects" : "row 307 of objects");
        db_rollback(db);
    }
    make(1, 1000, 0);
    OK(db_begin(db, &err));
    OK(db_hits_insert(db, hits, 1, &err));
    OK(db_objects_insert(db, objects, 1, &err));
    db_rollback(db);
    OK(db_begin(db, &err));
    FAILS(db_nested_insert(db, &(struct db_nested){ .id = 1000 }, 1, &err), ERR_INPUT,
          "row 1000 of objects"); /* it was undone */
    db_rollback(db);
    db_bulk_end(db);
    db_case_close(db);
    SQL_SAYS(f->path,
             "PRAGMA integrity_check; PRAGMA foreign_key_check; SELECT count(*), sum(parent_id), "
             "sum(state = 'truncated'), sum(reason = 'cut'), sum(len), sum(crc64) FROM nested "
             "WHERE object_id > 6",
             "ok\n150|694|75|75|225|-38\n");
}

/* A file whose signatures have gaps between them, and hits that an earlier program wrote. */
static void gaps_and_old_rows_are_looked_up(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    char out[64];

    make(70, 7, 0);
    OK(db_hits_insert(db, hits, 70, &err));
    db_case_close(db);
    fixture_sql(f->path,
                "INSERT INTO signatures SELECT 9, run_id, 8, name, kind, origin, header, footer, "
                "size_max FROM signatures WHERE id = 1",
                out, sizeof out);
    assert_string_equal(out, "");
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    for (uint32_t i = 0; i < 70; i++)
        objects[i].signature_id = i % 2 == 0 ? 9 : 2;
    db_bulk_begin(db);
    objects[3].signature_id = 8;
    FAILS(db_objects_insert(db, objects, 70, &err), ERR_INPUT, "row 8 of signatures");
    objects[3].signature_id = 9;
    OK(db_objects_insert(db, objects, 70, &err));
    db_bulk_end(db);
    db_case_close(db);
    SQL_SAYS(f->path, "PRAGMA foreign_key_check; SELECT count(*) FROM objects WHERE id > 6",
             "70\n");
}

/* Hits from `first` on, in the transaction that is open. */
static enum err_code fill(struct db_case *db, int64_t first, uint32_t count, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t done = 0; rc == ERR_OK && done < count; done += BULK_MAX) {
        make(BULK_MAX, first + done, 0);
        rc = db_hits_insert(db, hits, BULK_MAX, err);
    }
    return rc;
}

/* Calls of write and its like so far, as the kernel counts them; 0: it does not. */
static uint64_t writes_so_far(void)
{
    FILE *io = fopen("/proc/self/io", "r");
    unsigned long long count = 0;
    char line[64];

    while (io != NULL && fgets(line, sizeof line, io) != NULL)
        (void)!sscanf(line, "syscw: %llu", &count);
    if (io != NULL)
        fclose(io);
    return count;
}

/* Transactions of more pages than the cache holds: another program sees each of them whole, as soon
 * as it is committed and not before, and what was undone never. */
static void another_program_sees_what_was_committed(void **state)
{
    static const char look[] = "PRAGMA integrity_check; SELECT count(*), max(id) FROM hits; "
                               "SELECT sum(offset <> id * 16) FROM hits WHERE id > 6";
    enum { MANY = 300000 };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    char want[64], out[64];
    int64_t last = 6;

    db_bulk_begin(db);
    for (int turn = 0; turn < 3; turn++) {
        OK(db_begin(db, &err));
        OK(fill(db, last + 1, MANY, &err));
        snprintf(want, sizeof want, "ok\n%lld|%lld\n%s\n", (long long)last, (long long)last,
                 last > 6 ? "0" : "");
        SQL_SAYS(f->path, look, want);
        if (turn == 1) { /* and then somebody else writes where it stood */
            db_rollback(db);
            fixture_sql(f->path, "INSERT INTO about VALUES ('other', 'one')", out, sizeof out);
            assert_string_equal(out, "");
            SQL_SAYS(f->path, look, want);
        } else {
            OK(db_commit(db, &err));
            last += MANY;
            snprintf(want, sizeof want, "ok\n%lld|%lld\n0\n", (long long)last, (long long)last);
            SQL_SAYS(f->path, look, want);
        }
    }
    db_bulk_end(db);
    db_case_close(db);
    SQL_SAYS(f->path, look, want);
    SQL_SAYS(f->path, "SELECT value FROM about WHERE key = 'other'", "one\n");
}

/* The pages of a transaction go to the -wal file some thirty at a time. */
static void pages_go_out_together(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    db_bulk_begin(db);
    OK(db_begin(db, &err));
    OK(db_commit(db, &err));
    const uint64_t before = writes_so_far();
    OK(db_begin(db, &err));
    OK(fill(db, 7, 300000, &err)); /* 1,350 pages */
    OK(db_commit(db, &err));
    const uint64_t calls = writes_so_far() - before;
    db_bulk_end(db);
    db_case_close(db);
    if (before > 0 && (calls < 10 || calls > 200))
        fail_msg("%llu calls", (unsigned long long)calls);
}

/* Another program's tables that have the names of ours in memory give no rows. */
static void tables_of_the_file_give_no_rows(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    char out[64];

    db_case_close(db);
    fixture_sql(f->path,
                "CREATE TABLE feed_hits (id, image_id, signature_id, offset, len, footer); "
                "INSERT INTO feed_hits VALUES (900, 1, 1, 0, 1, 0); "
                "CREATE TABLE feed_extents (object_id, number, offset, len); "
                "INSERT INTO feed_extents VALUES (900, 0, 0, 1)",
                out, sizeof out);
    assert_string_equal(out, "");
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    make(3, 7, 0);
    OK(db_hits_insert(db, hits, 3, &err));
    OK(db_objects_insert(db, objects, 3, &err));
    db_case_close(db);
    SQL_SAYS(f->path,
             "SELECT count(*), max(id) FROM hits WHERE id > 6; SELECT count(*), max(object_id) "
             "FROM extents WHERE object_id > 6; SELECT count(*) FROM feed_hits",
             "3|9\n3|9\n1\n");
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(every_object_arrives),
        CASE_TEST(what_is_not_there_is_refused),
        CASE_TEST(what_was_undone_is_not_there),
        CASE_TEST(what_lies_in_what_arrives),
        CASE_TEST(gaps_and_old_rows_are_looked_up),
        CASE_TEST(another_program_sees_what_was_committed),
        CASE_TEST(pages_go_out_together),
        CASE_TEST(tables_of_the_file_give_no_rows),
    };
    return cmocka_run_group_tests_name("bulk", tests, NULL, NULL);
}
