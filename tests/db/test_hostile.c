/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_hostile.c - case files that lie. Whatever a file holds, reading it ends, crashes
 * nothing (this runs under ASan and UBSan in the debug build), and either gives objects that keep
 * the promises of db/case.h or says what is wrong.
 *
 * Three ways to lie: rows that no burin writes, a schema that is another, and random bytes.
 *
 * Labels: slow
 */

#include "base/bytes.h"
#include "tests/asan.h"
#include "tests/db/case_fixture.h"

enum { FILE_MAX = 512 * 1024 };
#define FLIP_ROUNDS FEW_OR_ALL(250, 400, 1000)

static enum err_code ignore_range(void *arg, const struct db_bad_range *range, struct err *err)
{
    (void)arg;
    (void)err;
    assert_true(range->offset <= INT64_MAX && range->len <= INT64_MAX - range->offset);
    return ERR_OK;
}

static enum err_code ignore_fact(void *arg, const char *name, const char *value, struct err *err)
{
    (void)arg;
    (void)name;
    (void)value;
    (void)err;
    return ERR_OK;
}

static enum err_code ignore_hash(void *arg, const struct db_image_hash *hash, struct err *err)
{
    (void)arg;
    (void)hash;
    (void)err;
    return ERR_OK;
}

static enum err_code ignore_sample(void *arg, const struct db_sample *sample, struct err *err)
{
    (void)arg;
    (void)err;
    assert_true(sample->offset <= INT64_MAX && sample->len <= INT64_MAX &&
                strlen(sample->sha256) == 64);
    return ERR_OK;
}

static enum err_code ignore_hit(void *arg, const struct db_hit *hit, struct err *err)
{
    (void)arg;
    (void)err;
    assert_true(hit->id >= 0 && hit->signature_id >= 0 && hit->offset <= INT64_MAX);
    return ERR_OK;
}

/* What must hold of every object that comes out. */
static void check_promises(const struct db_object *o)
{
    uint64_t sum = 0;

    assert_true(o->id > 0 && o->image_id > 0 && o->signature_id > 0 && o->parent_id >= 0);
    assert_true(strlen(o->type) <= 64 && strlen(o->extension) <= 64 && strlen(o->reason) <= 1024 &&
                strlen(o->name) <= 4096);
    assert_true(o->sha256 == NULL || strlen(o->sha256) == 64);
    assert_true(o->name[0] != '/' && o->name[0] != '\0' && strstr(o->name, "../") == NULL);
    assert_true(o->extent_count > 0);
    for (uint32_t i = 0; i < o->extent_count; i++) {
        assert_true(o->extents[i].offset <= INT64_MAX &&
                    o->extents[i].len <= INT64_MAX - o->extents[i].offset);
        sum += o->extents[i].len;
    }
    assert_true(sum == o->len);
}

static enum err_code read_objects(struct db_case *db, struct err *err)
{
    struct db_object_cursor *cursor;
    struct db_object object, before = { 0 };
    bool found = true;
    enum err_code rc = db_objects_open(db, 0, &cursor, err);

    while (rc == ERR_OK && found) {
        rc = db_objects_next(cursor, &found, &object, err);
        if (rc != ERR_OK || !found)
            break;
        check_promises(&object);
        assert_true(object.image_id > before.image_id || object.offset > before.offset ||
                    object.id > before.id);
        before = object;
    }
    db_objects_close(cursor);
    return rc;
}

/* Reads all that can be read; the first error ends it. */
static enum err_code read_all(struct db_case *db, struct err *err)
{
    struct db_image image;
    struct db_run run;
    struct db_totals totals;
    struct db_log_entry entry;
    uint32_t count = 0;
    uint64_t bytes;
    int64_t id;
    char sha256[DB_SHA256_HEX + 1];
    enum err_code rc = db_image_count(db, &count, err);

    for (int64_t i = 1; i <= count && i <= 4 && rc == ERR_OK; i++)
        rc = db_image_get(db, i, &image, err);
    if (rc == ERR_OK)
        rc = db_run_latest(db, 1, &run, err);
    if (rc == ERR_OK)
        rc = db_hit_last_id(db, &id, err);
    if (rc == ERR_OK)
        rc = db_hits_walk(db, 1, 0, ignore_hit, NULL, err);
    if (rc == ERR_OK)
        rc = read_objects(db, err);
    if (rc == ERR_OK)
        rc = db_totals(db, 0, &totals, err);
    if (rc == ERR_OK)
        rc = db_totals(db, 1, &totals, err);
    if (rc == ERR_OK)
        rc = db_bad_bytes(db, 1, 0, UINT64_MAX, &bytes, err);
    if (rc == ERR_OK)
        rc = db_bad_ranges_walk(db, 1, 1, ignore_range, NULL, err);
    if (rc == ERR_OK)
        rc = db_image_samples(db, 1, ignore_sample, NULL, err);
    if (rc == ERR_OK)
        rc = db_image_facts(db, 1, ignore_fact, NULL, err);
    if (rc == ERR_OK)
        rc = db_image_hashes(db, 1, ignore_hash, NULL, err);
    if (rc == ERR_OK)
        rc = db_log_find(db, "seal", &entry, err);
    if (rc == ERR_OK)
        rc = db_log_get(db, 1, &entry, err);
    if (rc == ERR_OK)
        rc = db_output_sha256(db, 4, 4196, sha256, err);
    return rc == ERR_OK ? db_log_verify(db, &id, err) : rc;
}

static enum err_code write_some(struct db_case *db, struct err *err)
{
    const struct db_hit hit = {
        .id = 1000, .image_id = 1, .signature_id = 1, .offset = 700000, .len = 3
    };
    const struct db_extent extent = { 700000, 10 };
    const struct db_object object = { .id = 1000,
                                      .image_id = 1,
                                      .signature_id = 1,
                                      .type = "jpg",
                                      .extension = "jpg",
                                      .state = "complete",
                                      .reason = "",
                                      .offset = 700000,
                                      .len = 10,
                                      .extents = &extent,
                                      .extent_count = 1,
                                      .name = "jpg/y" };
    const struct db_output output = {
        .run_id = 1, .object_id = 1, .path = "x", .len = 1, .sha256 = FIXTURE_SHA256
    };
    enum err_code rc = db_begin(db, err);

    if (rc == ERR_OK)
        rc = db_hits_insert(db, &hit, 1, err);
    if (rc == ERR_OK)
        rc = db_object_insert(db, &object, err);
    if (rc == ERR_OK)
        rc = db_object_set_sha256(db, 1, FIXTURE_SHA256, err);
    if (rc == ERR_OK)
        rc = db_output_add(db, &output, err);
    if (rc == ERR_OK)
        rc = db_log(db, 1, "note", "x", err);
    return rc == ERR_OK ? db_commit(db, err) : rc;
}

static enum err_code open_and_read(const char *path, enum db_mode mode, struct err *err)
{
    struct db_case *db;
    enum err_code rc = db_case_open(path, mode, &db, err);

    if (rc == ERR_OK)
        rc = read_all(db, err);
    if (rc == ERR_OK && mode == DB_WRITE)
        rc = write_some(db, err);
    db_case_close(db);
    return rc;
}

static const struct {
    const char *change,
        *words; /* SQL; of the error text. NULL: it is no lie, and all can be read */
} lies[] = {
    { "PRAGMA optimize", NULL },
    { "UPDATE images SET size = -1", "table images, row 1, column size: negative" },
    { "UPDATE images SET size = 'big' WHERE id = 2",
      "table images, row 2, column size: not an integer" },
    { "UPDATE images SET size = 5000 WHERE id = 1",
      "table extents, row 1, column len: the extent ends behind the image" },
    { "UPDATE images SET sector_size = 1 << 40", "column sector_size: out of range" },
    { "UPDATE images SET path = x'00'", "table images, row 1, column path: not a text" },
    { "UPDATE images SET path = 'a' || char(0) || 'b'", "column path: a NUL in a text" },
    { "UPDATE images SET path = hex(zeroblob(2049))", "column path: too long" },
    { "UPDATE image_parts SET number = 5 WHERE number = 1",
      "table image_parts, row 1, column number: out of range" },
    { "DELETE FROM images WHERE id = 2",
      "table objects, row 6, column image_id (its image's size): not an integer" },
    { "UPDATE runs SET position = 1.5", "table runs, row 1, column position: not an integer" },
    { "UPDATE runs SET position = -5", "table runs, row 1, column position: negative" },
    { "UPDATE runs SET options = hex(zeroblob(600000))", "column options: too long" },
    { "UPDATE runs SET ended = 12.5e300", NULL }, /* a column of texts makes it one */
    { "UPDATE runs SET ended = x'31'", "table runs, row 1, column ended: not a text" },
    { "UPDATE runs SET image_id = -1", "no scan of image 1" },
    { "UPDATE matches SET id = -6 WHERE id = 6",
      NULL }, /* its object's id is looked up nowhere on reading */
    { "DELETE FROM matches; INSERT INTO matches VALUES (1, 1, -1)",
      "table hits, row 0, column id: negative" },
    { "DELETE FROM matches; INSERT INTO matches VALUES (77, 1, 1)",
      "column signature_id: not an integer" },
    { "UPDATE patterns SET len = 'x'", "column len: not an integer" },
    { "UPDATE objects SET id = -1 WHERE id = 6", "table objects, row -1, column id: negative" },
    { "UPDATE objects SET offset = -1 WHERE id = 6",
      "table objects, row 6, column offset: negative" },
    { "UPDATE objects SET len = -1 WHERE id = 4", "table objects, row 4, column len: negative" },
    { "UPDATE objects SET len = 1 << 62 WHERE id = 4",
      "its 2 extents have 4196 bytes, and len says 4611686018427387904" },
    { "UPDATE objects SET offset = 'x' WHERE id = 4",
      "table objects, row 4, column offset: not an integer" },
    { "UPDATE objects SET validated = 2 WHERE id = 4", "column validated: out of range" },
    { "UPDATE objects SET state = 'whole' WHERE id = 4", "column state: not a state" },
    { "INSERT OR REPLACE INTO nested (object_id, parent_id) VALUES (4, 4)",
      "column parent_id: the object itself" },
    { "INSERT OR REPLACE INTO nested (object_id, parent_id) VALUES (4, -4)",
      "column parent_id: negative" },
    { "INSERT OR REPLACE INTO contents (object_id, sha256) VALUES (4, 'abc')",
      "column sha256: not 64 hex digits" },
    { "INSERT OR REPLACE INTO nested (object_id, state, len) VALUES (4, 'truncated', 999999)",
      "bytes are left of an object" },
    { "INSERT OR REPLACE INTO nested (object_id, len) VALUES (4, -1)",
      "column nested.len: negative" },
    { "UPDATE objects SET crc64 = 'x' WHERE id = 4", "column crc64: not an integer" },
    { "UPDATE objects SET name = '../../etc/passwd' WHERE id = 4",
      "column name: not a path below an output folder" },
    { "UPDATE objects SET name = '/etc/passwd' WHERE id = 4",
      "column name: not a path below an output folder" },
    { "UPDATE objects SET name = 'jpg/..' WHERE id = 4",
      "column name: not a path below an output folder" },
    { "UPDATE objects SET name = 'jpg/' || char(27) || '[2J' WHERE id = 4",
      "column name: not a path below" },
    { "UPDATE objects SET type = hex(zeroblob(33)) WHERE id = 4", "column type: too long" },
    { "DELETE FROM extents WHERE object_id = 4", "table objects, row 4: its 0 extents" },
    { "DELETE FROM extents WHERE object_id = 4 AND number = 0",
      "table extents, row 4, column number: out of range" },
    { "UPDATE extents SET offset = -1 WHERE object_id = 4",
      "table extents, row 4, column offset: negative" },
    { "UPDATE extents SET len = 9223372036854775807 WHERE object_id = 4",
      "the extent ends behind the image" },
    { "UPDATE bad_ranges SET offset = 9223372036854775807",
      "table bad_ranges, row 1, column len: the range ends behind" },
    { "UPDATE bad_ranges SET len = -512", "table bad_ranges, row 1, column len: negative" },
    { "UPDATE bad_ranges SET status = '+'", "row 1, column status: none of - * / ?" },
    { "UPDATE bad_ranges SET status = '-*'", "row 1, column status: too long" },
    { "UPDATE bad_ranges SET cause = 4294967296", "row 1, column cause: out of range" },
    { "INSERT INTO image_samples VALUES (1, 0, -1, '')",
      "table image_samples, row 0, column len: negative" },
    { "INSERT INTO image_samples VALUES (1, 0, 1, 'abc')", "column sha256: not 64 hex digits" },
    { "INSERT INTO image_facts VALUES (1, 'md5', x'00')",
      "table image_facts, row 0, column value" },
    { "INSERT INTO image_hashes VALUES (1, 1, 'md5', 'xyz', 1, 0)",
      "column digest: not hex digits" },
    { "INSERT INTO image_hashes VALUES (1, 1, 'md5', 'abc', 1.5, 0)", "column bytes" },
    { "INSERT INTO log VALUES (4, 't', 0, 'seal', 'x', 'abc')", "column hash: not 64 hex digits" },
    { "INSERT INTO outputs VALUES (77, 1, 4, 'x', 4196, 'abc')",
      "table outputs, row 4, column sha256: not 64" },
    { "UPDATE about SET value = x'00'", NULL },
    /* another schema */
    { "DROP TABLE matches", "table matches is missing" },
    { "DROP TABLE patterns", "table patterns is missing" },
    { "DROP TABLE matches; CREATE VIEW matches AS WITH RECURSIVE r (id) AS (SELECT 1 UNION ALL "
      "SELECT id + 1 FROM r) SELECT id, 1 AS pattern_id, 1 AS offset FROM r",
      "view \"matches\" does not belong" },
    { "DROP VIEW hits; CREATE VIEW hits AS WITH RECURSIVE r (id) AS (SELECT 1 UNION ALL SELECT id "
      "+ 1 FROM r) SELECT id, 1 AS image_id, 1 AS signature_id, 1 AS offset, 1 AS len, 1 AS footer "
      "FROM r",
      NULL }, /* views are for people: burin has its own */
    { "DROP TABLE matches; CREATE VIRTUAL TABLE matches USING fts5 (pattern_id, offset, id)",
      "table \"matches\" does not belong" },
    { "DROP VIEW v_hits; DROP VIEW hits; ALTER TABLE matches DROP COLUMN offset",
      "table \"matches\" does not belong" },
    { "ALTER TABLE objects ADD COLUMN extra TEXT", "table \"objects\" does not belong" },
    { "ALTER TABLE objects ADD COLUMN extra AS (hex(zeroblob(1000000000)))",
      "table \"objects\" does not belong" },
    { "DROP TABLE about; CREATE TABLE about (key TEXT, value AS (hex(zeroblob(1000000))))",
      "table \"about\" does not belong" },
    { "CREATE TRIGGER bomb AFTER INSERT ON matches BEGIN INSERT INTO outputs SELECT NULL, 1, 1, "
      "'x', "
      "1, 'x' FROM objects; "
      "END",
      "trigger \"bomb\" does not belong in a case file" },
    { "CREATE TRIGGER log_more AFTER UPDATE ON runs BEGIN DELETE FROM objects; END",
      "does not belong in a case file" },
    { "CREATE VIEW mine AS SELECT * FROM hits; CREATE TABLE notes (a); CREATE INDEX by_a ON notes "
      "(a)",
      NULL },
    { "CREATE INDEX by_name ON objects (name)", "index \"by_name\" does not belong" },
    { "DROP INDEX objects_by_offset", "index objects_by_offset is missing" },
    { "DROP INDEX objects_by_offset; CREATE INDEX objects_by_offset ON objects (name)",
      "index \"objects_by_offset\" does not belong" },
    { "DROP TRIGGER log_update", "trigger log_update is missing" },
    { "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('Trigger', 'evil', 'runs', "
      "0, 'CREATE TRIGGER "
      "evil "
      "AFTER INSERT ON runs BEGIN DELETE FROM objects; END')",
      "trigger \"evil\" does not belong" },
    { "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - 1) "
      "|| ', CHECK "
      "(length(hex(zeroblob(4000000))) > 0))' WHERE name = 'runs'",
      "table \"runs\" does not belong" },
    { "CREATE TABLE notes (a REFERENCES nested (object_id) ON DELETE CASCADE); CREATE TRIGGER evil "
      "AFTER DELETE ON "
      "notes "
      "BEGIN DELETE FROM objects; END",
      "trigger \"evil\" does not belong" },
    { "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'matches'",
      "damaged" },
    { "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 99999 WHERE name = "
      "'matches'",
      "damaged" },
    { "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'garbage' WHERE name = "
      "'matches'",
      "damaged" },
    { "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE matches "
      "(pattern_id, offset, id INTEGER PRIMARY KEY, CHECK (load_extension(x)))' WHERE name = "
      "'matches'",
      "damaged" },
};

static void rows_that_lie_are_named(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };

    int wrong = 0;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        char script[2048], out[256];

        db_case_close(fixture_case(f));
        snprintf(script, sizeof script, "PRAGMA ignore_check_constraints = ON; %s", lies[i].change);
        fixture_sql(f->path, script, out, sizeof out);
        err.text[0] = '\0';
        const enum err_code rc = open_and_read(f->path, DB_READ, &err);
        const bool as_wanted = lies[i].words == NULL
                                   ? rc == ERR_OK
                                   : rc == ERR_INPUT && strstr(err.text, lies[i].words) != NULL;
        if (!as_wanted || out[0] != '\0') {
            print_error("%s: code %d, \"%s\" (sqlite3: %s)\n", lies[i].change, (int)rc, err.text,
                        out);
            wrong++;
        }
        unlink(f->path);
    }
    assert_int_equal(wrong, 0);
}

static size_t read_file(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    const size_t len = fread(bytes, 1, FILE_MAX, file);
    assert_true(len < FILE_MAX);
    fclose(file);
    return len;
}

static void write_file(const char *path, const uint8_t *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Most flips go where SQLite keeps its structure: the first bytes of a page, and those in use. */
static void flip(uint8_t *bytes, size_t len, uint64_t *seed)
{
    static const uint8_t values[] = { 0, 1, 2, 5, 10, 13, 0x7f, 0x80, 0xff };
    const uint32_t flips = 1 + next_random(seed) % 6;

    for (uint32_t i = 0; i < flips; i++) {
        const size_t page = next_random(seed) % (len / 4096) * 4096;
        size_t at =
            page + (next_random(seed) % 2 == 0 ? next_random(seed) % 64 : next_random(seed) % 4096);

        for (size_t k = 0; k < 4096 && bytes[at] == 0; k++)
            at = page + (at + 1) % 4096;
        bytes[at] = next_random(seed) % 2 == 0 ? values[next_random(seed) % sizeof values]
                                               : (uint8_t)next_random(seed);
    }
}

static void random_bytes_crash_nothing(void **state)
{
    static uint8_t good[FILE_MAX], bad[FILE_MAX];
    const struct fixture *f = *state;
    uint64_t seed = 2026;
    uint32_t refused = 0;
    struct err err = { 0 };

    db_case_close(fixture_case(f));
    const size_t len = read_file(f->path, good);
    for (uint32_t round = 0; round < FLIP_ROUNDS; round++) {
        memcpy(bad, good, len);
        flip(bad, len, &seed);
        const size_t cut = next_random(&seed) % 16 == 0 ? next_random(&seed) % len : len;
        for (int mode = 0; mode < 2; mode++) {
            write_file(f->path, bad, cut);
            err.text[0] = '\0';
            const enum err_code rc = open_and_read(f->path, mode == 0 ? DB_READ : DB_WRITE, &err);
            if (rc != ERR_OK && (err.text[0] == '\0' || (rc != ERR_INPUT && rc != ERR_ENV)))
                fail_msg("round %u: code %d, \"%s\"", round, (int)rc, err.text);
            refused += rc != ERR_OK;
        }
    }
    assert_true(refused > FLIP_ROUNDS / 2); /* the flips do hit something */
}

/* A log that SQLite replays is as hostile as the file itself. */
static void random_bytes_in_the_wal_crash_nothing(void **state)
{
    static uint8_t good[FILE_MAX], wal[FILE_MAX], bad[FILE_MAX];
    const struct fixture *f = *state;
    char wal_path[128], shm_path[128];
    uint64_t seed = 7;
    struct err err = { 0 };

    snprintf(wal_path, sizeof wal_path, "%s-wal", f->path);
    snprintf(shm_path, sizeof shm_path, "%s-shm", f->path);
    struct db_case *db = fixture_case(f);
    const size_t len = read_file(f->path, good), wal_len = read_file(wal_path, wal);
    db_case_close(db);
    assert_true(wal_len > 3 * 4096);
    for (uint32_t round = 0; round < FLIP_ROUNDS / 5; round++) {
        memcpy(bad, wal, wal_len);
        if (round > 0)
            flip(bad, wal_len, &seed);
        for (int mode = 0; mode < 2; mode++) {
            unlink(shm_path);
            write_file(f->path, good, len);
            write_file(wal_path, bad, wal_len);
            const enum err_code rc = open_and_read(f->path, mode == 0 ? DB_READ : DB_WRITE, &err);
            assert_true(rc == ERR_OK || rc == ERR_INPUT || rc == ERR_ENV);
            assert_true(round > 0 || rc == ERR_OK);
        }
    }
}

/* Overwrites count leaf pages of the table whose root is root so that each is an interior page, all
 * of whose children are the next of them: 32^count ways from the first to the last, in a file of a
 * few pages. */
static void tangle(uint8_t *bytes, uint32_t page_size, uint32_t root, uint32_t count)
{
    uint8_t *page = bytes + (size_t)(root - 1) * page_size;
    uint32_t pages[40];

    assert_int_equal(page[0], 5); /* an interior page of a table */
    assert_true(bytes_u16be(page + 3) > count && count < 40);
    for (uint32_t i = 0; i <= count; i++)
        pages[i] = bytes_u32be(page + bytes_u16be(page + 12 + 2 * i));
    for (uint32_t level = 0; level < count; level++) {
        uint8_t *p = bytes + (size_t)(pages[level] - 1) * page_size;
        const uint32_t child = pages[level + 1], cells = 32;

        memset(p, 0, page_size);
        p[0] = 5;
        p[4] = (uint8_t)cells;
        for (uint32_t i = 0; i < cells; i++) {
            const uint32_t at =
                page_size - (i + 1) * 6; /* child, then a key: i + 1 as a two-byte varint */

            p[12 + 2 * i] = (uint8_t)(at >> 8);
            p[13 + 2 * i] = (uint8_t)at;
            p[at + 2] = (uint8_t)(child >> 8);
            p[at + 3] = (uint8_t)child;
            p[at + 4] = 0x81;
            p[at + 5] = (uint8_t)(i + 1);
        }
        p[5] = (uint8_t)((page_size - cells * 6) >> 8);
        p[6] = (uint8_t)(page_size - cells * 6);
        p[10] = (uint8_t)(child >> 8);
        p[11] = (uint8_t)child;
    }
}

static void a_tangle_of_pages_ends(void **state)
{
    static uint8_t bytes[FILE_MAX];
    static struct db_hit hits[4000];
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_totals totals;
    struct err err = { 0 };
    char out[32];

    for (int i = 0; i < 4000; i++)
        hits[i] = (struct db_hit){
            .id = 7 + i, .image_id = 1, .signature_id = 1, .offset = (uint64_t)i << 40, .len = 3
        };
    OK(db_hits_insert(db, hits, 4000, &err));
    db_case_close(db);
    fixture_sql(f->path, "SELECT rootpage FROM sqlite_schema WHERE name = 'matches'", out,
                sizeof out);
    const size_t len = read_file(f->path, bytes);
    tangle(bytes, 4096, (uint32_t)strtoul(out, NULL, 10), 12);
    write_file(f->path, bytes, len);
    OK(db_case_open(f->path, DB_READ, &db, &err));
    FAILS(db_totals(db, 0, &totals, &err), ERR_INPUT, "more rows than its size allows");
    db_case_close(db);
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(rows_that_lie_are_named),
        CASE_TEST(random_bytes_crash_nothing),
        CASE_TEST(random_bytes_in_the_wal_crash_nothing),
        CASE_TEST(a_tangle_of_pages_ends),
    };
    return cmocka_run_group_tests_name("hostile case files", tests, NULL, NULL);
}
