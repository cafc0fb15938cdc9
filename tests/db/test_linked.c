/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_linked.c - objects that stay in shards, beside those of the case file: in the order
 * of their places also where a file of one part begins before the last one of the part before it;
 * one that is changed becomes the file's own; facts behind an object's end do not count; in which
 * object each one lies, by pairs and by rows.
 *
 * The shard's bytes are written here by hand, number by number, as base/object_saved.h says. All
 * are below 128, so that each is a byte.
 */
#include "tests/db/case_fixture.h"
#include "tests/db/run_row.h"

#include "base/pack.h"
#include "db/sha256.h"

static struct err err;

/* Patterns: 0 begins a file, 1 stands 50 bytes behind its beginning. A signature each. */
static const uint8_t kinds[] = {
    2, 0,   2,   0,   0,   1, 50,  2,   0,   2, 3, 'a', 'a', 'a', 1,   'a', 1, 'b', 0,   1,   1,
    4, 'd', 'i', 's', 'k', 3, 'i', 'm', 'g', 2, 5, 't', 'i', 't', 'l', 'e', 4, 'd', 'a', 't', 'e'
};

/* Of the first part hits at 10, 20 and 100; objects, in the order in which they ended: the one at
 * 20 (aaa, 5 bytes, whole and proven, CRC-64 1), that at 10 (b, 40 bytes, cut short, CRC-64 2, with
 * a title and a date), that at 100 (left out). */
static const uint8_t first[] = {
    3, 10, 0,  1, 10, 0,   1,   80, 0, 1,                               /* hits */
    3,                                                                  /* objects */
    1, 5,  5,  0, 2,  'o', 'k', 1,  7, 1, 0, 0, 0,   0,   0,   0, 0, 0, /* at 20 */
    0, 40, 60, 1, 0,  0,   4,   2,  0, 0, 0, 0, 0,   0,   0,   2,       /* at 10 */
    0, 9,  0,  0, 0,  0,   0,   0,  0, 0, 0, 1, 'T',                    /* its title */
    1, 40, 1,  7, 0,  0,   0,   0,  0, 0, 0, 3, 'n', 'o', 'w',          /* its date */
    2, 1,  1,  0, 0,  0,   4,   3,  0, 0, 0, 0, 0,   0,   0,   0,       /* at 100 */
};
/* Of the second one a hit at 120 of a file that begins at 70, before the last hit of the first one;
 * and one at 125 of a file of the case file's own. */
static const uint8_t second[] = {
    2, 120, 1, 1, 5, 0, 1,                                      /* hits */
    1, 0,   9, 9, 0, 1, '!', 0, 6, 4, 0, 0, 0,   0, 0, 0, 0, 1, /* at 70 */
    0, 10,  0, 0, 0, 0, 0,   0, 0, 0, 0, 1, 'x',                /* behind its end: 10 of 9 */
};

struct linked_case {
    struct db_case *db;
    struct db_image image;
    int64_t run_id, signatures[2];
};

static void add_span(const struct linked_case *c, int64_t first_id, uint32_t hits, uint64_t at,
                     const uint8_t *bytes, size_t len, const uint8_t *left_out, size_t left_out_len)
{
    char sha256[DB_SHA256_HEX + 1];

    OK(db_sha256(bytes, len, sha256, &err));
    const struct db_linked row = { .run_id = c->run_id,
                                   .first_id = first_id,
                                   .hits = hits,
                                   .shard = 3,
                                   .at = at,
                                   .len = len,
                                   .sha256 = sha256,
                                   .left_out = left_out,
                                   .left_out_len = left_out_len };
    OK(db_linked_add(c->db, &row, &err));
}

static void add_signature(struct linked_case *c, uint32_t number)
{
    const struct db_signature row = { .run_id = c->run_id,
                                      .number = number,
                                      .name = "x",
                                      .kind = "validator",
                                      .origin = "x",
                                      .header = "x",
                                      .size_max = 1 };

    OK(db_signature_add(c->db, &row, &c->signatures[number], &err));
}

/* An object of the case file, of the hit with this id. */
static void add_own(const struct linked_case *c, int64_t id, uint64_t offset)
{
    const struct db_extent extent = { .offset = offset, .len = 4 };
    const struct db_fact fact = { .key = "title", .value = "own", .reach = 4 };
    const struct db_object object = { .id = id,
                                      .image_id = 1,
                                      .signature_id = c->signatures[0],
                                      .type = "aaa",
                                      .extension = "a",
                                      .state = "complete",
                                      .reason = "",
                                      .validated = true,
                                      .offset = offset,
                                      .len = 4,
                                      .extents = &extent,
                                      .extent_count = 1,
                                      .name = "aaa/own",
                                      .facts = &fact,
                                      .fact_count = 1 };

    OK(db_object_insert(c->db, &object, &err));
}

static void open_linked(const struct fixture *f, struct linked_case *c)
{
    static const uint8_t left_out[] = { 0, 1, 2 }; /* no hit; one object, the third one */
    const struct db_image image = { .path = "/x", .format = "raw", .size = 4096 };
    char name[128];
    int64_t image_id = 0;

    snprintf(name, sizeof name, "%s/3.part", f->folder);
    FILE *shard = fopen(name, "w");
    assert_non_null(shard);
    assert_int_equal(fwrite(first, 1, sizeof first, shard), sizeof first);
    assert_int_equal(fwrite(second, 1, sizeof second, shard), sizeof second);
    assert_int_equal(fclose(shard), 0);
    OK(db_case_create(f->path, false, &c->db, &err));
    OK(db_image_add(c->db, &image, &image_id, &err));
    const struct db_run run = run_row("scan", image_id);
    OK(db_run_add(c->db, &run, &c->run_id, &err));
    add_signature(c, 0);
    add_signature(c, 1);
    const struct db_link link = { .run_id = c->run_id,
                                  .image_id = image_id,
                                  .folder = f->folder,
                                  .patterns = kinds,
                                  .len = sizeof kinds };
    OK(db_link_begin(c->db, &link, &err));
    add_span(c, 1, 3, 0, first, sizeof first, left_out, sizeof left_out);
    add_span(c, 4, 2, sizeof first, second, sizeof second, NULL, 0);
    add_own(c, 3, 100);
    add_own(c, 5, 125);
}

/* All objects: "ID OFFSET+LEN TYPE STATE REASON PROVEN CONTAINER SLACK CRC NAME", by place. */
static void say_objects(struct db_case *db, int64_t image_id, char out[1024])
{
    struct db_object_cursor *cursor = NULL;
    struct db_object o;
    bool found = true;
    size_t len = 0;

    out[0] = '\0';
    OK(db_objects_open(db, image_id, &cursor, &err));
    for (;;) {
        OK(db_objects_next(cursor, &found, &o, &err));
        if (!found)
            break;
        assert_int_equal(o.extent_count, 1);
        assert_int_equal(o.extents[0].offset, o.offset);
        len +=
            (size_t)snprintf(out + len, 1024 - len, "%d %d+%d %s %s '%s' %d%d%d %d %s\n", (int)o.id,
                             (int)o.offset, (int)o.len, o.type, o.state, o.reason, o.proven,
                             o.container, (int)o.slack, o.has_crc64 ? (int)o.crc64 : -1, o.name);
    }
    db_objects_close(cursor);
}

static const char want[] = "1 10+40 b truncated '' 000 2 b/000000000000000a\n"
                           "2 20+5 aaa complete 'ok' 101 1 aaa/0000000000000014.a\n"
                           "4 70+9 disk truncated '!' 110 4 disk/0000000000000046.img\n"
                           "3 100+4 aaa complete '' 000 -1 aaa/own\n"
                           "5 125+4 aaa complete '' 000 -1 aaa/own\n";

static void objects_come_by_their_places(void **state)
{
    struct linked_case c = { 0 };
    char text[1024];

    open_linked(*state, &c);
    say_objects(c.db, 0, text);
    assert_string_equal(text, want);
    say_objects(c.db, 1, text);
    assert_string_equal(text, want);
    db_case_close(c.db);
}

static enum err_code say_fact(void *arg, int64_t id, const struct db_fact *fact, struct err *e)
{
    char *text = arg;

    (void)e;
    sprintf(text + strlen(text), "%d %s=%s,%d,%d ", (int)id, fact->key, fact->value,
            fact->has_number ? (int)fact->number : -1, (int)fact->reach);
    return ERR_OK;
}

static void facts_come_by_ids_and_keys(void **state)
{
    struct linked_case c = { 0 };
    char text[1024] = "";

    open_linked(*state, &c);
    OK(db_facts_walk(c.db, NULL, say_fact, text, &err));
    assert_string_equal(text, "1 date=now,7,40 1 title=T,-1,9 3 title=own,-1,4 5 title=own,-1,4 ");
    text[0] = '\0';
    OK(db_facts_of(c.db, 1, 40, say_fact, text, &err));
    assert_string_equal(text, "1 date=now,7,40 1 title=T,-1,9 ");
    db_case_close(c.db);
}

/* What is said of the objects of the whole case, by its own lines. */
static enum err_code count_line(void *arg, const char *line, size_t len, struct err *e)
{
    (void)line;
    (void)len;
    (void)e;
    ++*(uint32_t *)arg;
    return ERR_OK;
}

static void one_that_is_changed_becomes_the_files_own(void **state)
{
    struct linked_case c = { 0 };
    char text[1024], wanted[sizeof want];
    struct db_check check;
    uint32_t before = 0, after = 0;

    open_linked(*state, &c);
    OK(db_lines_walk(c.db, count_line, &before, &err));
    OK(db_object_set_crc64(c.db, 2, true, 9, &err));
    OK(db_object_set_crc64(c.db, 1, true, 2, &err)); /* with its facts */
    OK(db_lines_walk(c.db, count_line, &after, &err));
    assert_int_equal(before, after);
    memcpy(wanted, want, sizeof want);
    *strstr(wanted, "1 aaa/0") = '9';
    say_objects(c.db, 0, text);
    assert_string_equal(text, wanted);
    text[0] = '\0';
    OK(db_facts_of(c.db, 1, 40, say_fact, text, &err));
    assert_string_equal(text, "1 date=now,7,40 1 title=T,-1,9 ");
    OK(db_check_pages(c.db, &check, &err));
    assert_true(check.whole);
    db_case_close(c.db);
    OK(db_case_open(((struct fixture *)*state)->path, DB_READ, &c.db, &err));
    say_objects(c.db, 1, text);
    assert_string_equal(text, wanted);
    db_case_close(c.db);
}

/* A reference to an object that is neither in the file nor in a shard. */
static void references_to_objects_are_looked_at(void **state)
{
    const struct db_nested nested[] = { { .id = 2, .parent_id = 1 }, { .id = 4, .parent_id = 6 } };
    struct linked_case c = { 0 };
    struct db_check check;

    open_linked(*state, &c);
    OK(db_nested_insert(c.db, nested, 1, &err));
    OK(db_check_pages(c.db, &check, &err));
    assert_true(check.whole);
    OK(db_nested_insert(c.db, nested + 1, 1, &err));
    OK(db_check_pages(c.db, &check, &err));
    assert_false(check.whole);
    assert_non_null(strstr(check.text, "nested"));
    db_case_close(c.db);
}

/* What the case file says of each object, by its lines, which count objects from 0 on:
 * "OBJECT|PARENT|STATE|LEN|REASON|CRC". */
static enum err_code say_nested(void *arg, const char *line, size_t len, struct err *e)
{
    static const char word[] = "nested|1|";
    char *text = arg;

    (void)e;
    if (len > sizeof word - 1 && memcmp(line, word, sizeof word - 1) == 0)
        sprintf(text + strlen(text), "%.*s", (int)(len - (sizeof word - 1)),
                line + sizeof word - 1);
    return ERR_OK;
}

static void assert_nested(struct db_case *db, const char *wanted)
{
    char text[1024] = "";

    OK(db_lines_walk(db, say_nested, text, &err));
    assert_string_equal(text, wanted);
}

/* The parents that readers are told of, in the order of places: objects 1, 2, 4, 3, 5. */
static void assert_parents(struct db_case *db, const char *wanted)
{
    struct db_object_cursor *cursor = NULL;
    struct db_object o;
    char text[64] = "";
    bool found = true;

    OK(db_objects_open(db, 0, &cursor, &err));
    for (;;) {
        OK(db_objects_next(cursor, &found, &o, &err));
        if (!found)
            break;
        sprintf(text + strlen(text), "%d", (int)o.parent_id);
    }
    db_objects_close(cursor);
    assert_string_equal(text, wanted);
}

/* Two come as pairs, before and behind their parents; one is cut; the last call has an id that is
 * not behind all others, and a pair behind all of them. */
static void put_nested(struct db_case *db)
{
    const struct db_nested rows[] = { { .id = 2, .parent_id = 4 },
                                      { .id = 3,
                                        .state = "truncated",
                                        .reason = "cut",
                                        .cut = true,
                                        .len = 2,
                                        .has_crc64 = true,
                                        .crc64 = 8 },
                                      { .id = 4, .parent_id = 1 } };
    const struct db_nested late[] = { { .id = 1, .parent_id = 3 }, { .id = 5, .parent_id = 4 } };

    OK(db_nested_insert(db, rows, 3, &err));
    OK(db_nested_insert(db, late, 2, &err));
}

static const char nested_lines[] = "0|2|NULL|NULL|NULL|NULL\n1|3|NULL|NULL|NULL|NULL\n"
                                   "2|NULL|'truncated'|2|'cut'|8\n3|0|NULL|NULL|NULL|NULL\n"
                                   "4|3|NULL|NULL|NULL|NULL\n";

static void what_lies_in_what_is_pairs_and_rows(void **state)
{
    const struct fixture *f = *state;
    struct linked_case c = { 0 };

    open_linked(f, &c);
    assert_nested(c.db, "");
    assert_parents(c.db, "00000");
    put_nested(c.db);
    assert_nested(c.db, nested_lines);
    assert_parents(c.db, "34104");
    db_case_close(c.db);
    SQL_SAYS(f->path,
             "SELECT object_id FROM nested; SELECT last_id, run_id, hex(pairs) FROM linked_nested",
             "1\n3\n4|1|02050206\n5|1|0502\n");
    OK(db_case_open(f->path, DB_READ, &c.db, &err));
    assert_nested(c.db, nested_lines);
    assert_parents(c.db, "34104");
    db_case_close(c.db);
}

static void what_lay_in_what_is_forgotten(void **state)
{
    struct linked_case c = { 0 };

    open_linked(*state, &c);
    put_nested(c.db);
    OK(db_begin(c.db, &err));
    OK(db_nested_clear(c.db, 1, &err));
    assert_parents(c.db, "00000");
    db_rollback(c.db);
    assert_nested(c.db, nested_lines);
    OK(db_nested_clear(c.db, 1, &err));
    assert_nested(c.db, "");
    assert_parents(c.db, "00000");
    put_nested(c.db);
    assert_nested(c.db, nested_lines);
    db_case_close(c.db);
}

/* One id after another, there and back. */
static enum err_code count_id(void *arg, int64_t id, struct err *e)
{
    (void)id;
    (void)e;
    ++*(uint32_t *)arg;
    return ERR_OK;
}

static void one_is_found_by_its_id(void **state)
{
    static const struct {
        const char *where;
        uint32_t count;
    } asked[] = {
        { "id IN (SELECT object_id FROM nested WHERE object_id = 4)", 1 },
        { "(SELECT parent_id FROM nested WHERE object_id = 6 - o_id(id)) = 4", 0 },
        { "(SELECT parent_id FROM nested WHERE object_id = 6 - id) = 4", 2 },
        { "(SELECT count(*) FROM nested WHERE object_id = NULL) = 0", 5 },
        { "(SELECT count(*) FROM nested WHERE object_id > id) = 2", 1 },
        { "(SELECT count(*) FROM nested WHERE object_id BETWEEN 2 AND id) = 3", 1 },
    };
    struct linked_case c = { 0 };

    open_linked(*state, &c);
    put_nested(c.db);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        uint32_t count = 0;
        const enum err_code rc = db_where(c.db, asked[i].where, NULL, NULL, count_id, &count, &err);

        if (i == 1) /* no such function: the next ones go on as if nothing had been */
            assert_int_equal(rc, ERR_ARG);
        else
            OK(rc);
        assert_int_equal(count, asked[i].count);
    }
    db_case_close(c.db);
}

/* What no writer writes is refused. */
static void pairs_that_cannot_be_are_refused(void **state)
{
    static const char *const wrong[] = {
        "X''",                       /* none */
        "X'02'",                     /* half of one */
        "X'0204'",                   /* its parent is 0 */
        "X'0200'",                   /* itself */
        "X'0202'",                   /* another last one: 2 */
        "X'020202020202'",           /* the last one is behind 4 */
        "X'04020002'",               /* twice the same */
        "X'04FFFFFFFFFFFFFFFFFF01'", /* a parent that has no number */
        "X'0402FF'",                 /* a number without its end */
        "zeroblob(70000)",           /* longer than any */
    };
    const struct fixture *f = *state;
    struct linked_case c = { 0 };
    char text[1024] = "", sql[256], out[64];

    open_linked(f, &c);
    put_nested(c.db);
    db_case_close(c.db);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(sql, sizeof sql, "UPDATE linked_nested SET pairs = %s WHERE last_id = 4",
                 wrong[i]);
        fixture_sql(f->path, sql, out, sizeof out);
        OK(db_case_open(f->path, DB_READ, &c.db, &err));
        FAILS(db_lines_walk(c.db, say_nested, text, &err), ERR_INPUT, "linked_nested");
        db_case_close(c.db);
    }
    fixture_sql(
        f->path,
        "UPDATE linked_nested SET pairs = X'02050206' WHERE last_id = 4; INSERT INTO nested "
        "(object_id, parent_id) VALUES (4, 1)",
        out, sizeof out);
    OK(db_case_open(f->path, DB_READ, &c.db, &err));
    FAILS(db_lines_walk(c.db, say_nested, text, &err), ERR_INPUT, "linked_nested");
    db_case_close(c.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(objects_come_by_their_places, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(facts_come_by_ids_and_keys, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(one_that_is_changed_becomes_the_files_own, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(references_to_objects_are_looked_at, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(what_lies_in_what_is_pairs_and_rows, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(what_lay_in_what_is_forgotten, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(one_is_found_by_its_id, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(pairs_that_cannot_be_are_refused, fixture_setup,
                                        fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
