/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_write.c - what a case file refuses, what happens around a refusal, and many rows at
 * once.
 */
#include <sys/stat.h>

#include "tests/db/case_fixture.h"

static const uint64_t too_far = (uint64_t)1 << 63;

static void a_failed_write_undoes_its_transaction(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_hit hits[] = {
        { .id = 7, .image_id = 1, .signature_id = 1, .offset = 9, .len = 3 },
        { .id = 6, .image_id = 1, .signature_id = 1, .offset = 9, .len = 3 }
    };
    struct err err = { 0 };
    int64_t last;

    OK(db_begin(db, &err));
    OK(db_log(db, 1, "note", "never seen", &err));
    FAILS(db_hits_insert(db, hits, 2, &err), ERR_INPUT, "UNIQUE constraint failed: matches.id");
    FAILS(db_log(db, 1, "note", "nor this", &err), ERR_ENV, "nothing more is written");
    FAILS(db_commit(db, &err), ERR_ENV, "a write before this one failed");
    FAILS(db_commit(db, &err), ERR_ENV, "a write before this one failed");
    FAILS(db_log(db, 1, "note", "nor this", &err), ERR_ENV, "nothing more is written");
    OK(db_hit_last_id(db, &last, &err));
    assert_int_equal(last, 6);

    OK(db_begin(db, &err)); /* and a new one begins afresh */
    OK(db_log(db, 1, "note", "seen", &err));
    OK(db_commit(db, &err));
    FAILS(db_hits_insert(db, hits, 2, &err), ERR_INPUT,
          "UNIQUE constraint"); /* whole or not at all, also alone */
    OK(db_hits_insert(db, hits, 1, &err));
    OK(db_log_verify(db, &last, &err));
    assert_int_equal(last, 0);
    db_case_close(db);
    SQL_SAYS(
        f->path,
        "SELECT group_concat(text, '|') FROM log WHERE kind = 'note'; SELECT max(id) FROM hits",
        "seen\n7\n");
}

static void what_was_not_committed_is_gone(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_hit hit = { .id = 7, .image_id = 1, .signature_id = 1 };
    struct err err = { 0 };

    OK(db_begin(db, &err));
    OK(db_hits_insert(db, &hit, 1, &err));
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT max(id) FROM hits; PRAGMA integrity_check", "6\nok\n");
}

static void offsets_stop_at_two_to_the_63(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_extent extent = { too_far - 1, 1 };
    struct db_image image = { .path = "/x", .format = "raw", .size = too_far };
    struct db_hit hit = { .id = 7, .image_id = 1, .signature_id = 1, .offset = too_far };
    struct db_object object = fixture_objects[0];
    struct db_bad_range range = {
        .image_id = 1, .offset = too_far - 5, .len = 10, .source = "read", .status = '-'
    };
    const struct db_output output = {
        .run_id = 1, .object_id = 1, .path = "x", .len = UINT64_MAX, .sha256 = FIXTURE_SHA256
    };
    struct err err = { 0 };
    int64_t id;

    FAILS(db_image_add(db, &image, &id, &err), ERR_INPUT, "below 2^63");
    FAILS(db_hits_insert(db, &hit, 1, &err), ERR_INPUT,
          "the offset of a hit is 9223372036854775808");
    FAILS(db_run_progress(db, 1, UINT64_MAX, &err), ERR_INPUT, "below 2^63");
    FAILS(db_output_add(db, &output, &err), ERR_INPUT, "below 2^63");
    FAILS(db_bad_range_add(db, 1, &range, &err), ERR_INPUT, "no bad range");
    range.offset = UINT64_MAX - 4;
    FAILS(db_bad_range_add(db, 1, &range, &err), ERR_INPUT, "no bad range");
    range.len = 0;
    FAILS(db_bad_range_add(db, 1, &range, &err), ERR_INPUT, "no bad range");

    hit.offset = too_far - 1;
    OK(db_hits_insert(db, &hit, 1, &err));
    object.id = 7;
    object.offset = too_far - 1;
    object.extents = &extent;
    object.len = 1;
    FAILS(db_object_insert(db, &object, &err), ERR_INPUT, "extents do not make");
    extent.offset--;
    OK(db_object_insert(db, &object, &err));
    db_case_close(db);
    SQL_SAYS(f->path,
             "SELECT max(offset) FROM hits; SELECT max(offset) FROM extents", /* 2^63 - 1 and - 2 */
             "9223372036854775807\n9223372036854775806\n");
}

static void objects_are_checked(void **state)
{
    static const char *const names[] = { "",   "/etc/passwd", "../x",       "a/../b", "a//b",
                                         "a/", ".",           "jpg/\n.jpg", "a/\x7f" };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_hit hit = {
        .id = 7, .image_id = 1, .signature_id = 1, .offset = 9000, .len = 3
    };
    struct db_extent extents[2] = { { 9000, 100 }, { 500, UINT64_MAX - 99 } };
    struct db_object good = fixture_objects[0], object;
    char reason[2000];
    struct err err = { 0 };

    OK(db_hits_insert(db, &hit, 1, &err));
    good.id = 7;
    good.offset = 9000;
    good.len = 100;
    good.extents = extents;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        object = good;
        object.name = names[i];
        FAILS(db_object_insert(db, &object, &err), ERR_INPUT, "is no name for a file");
    }
    object = good;
    object.len = 99;
    FAILS(db_object_insert(db, &object, &err), ERR_INPUT,
          "its 1 extents do not make its length 99");
    object = good;
    object.extent_count = 2; /* together 2^64: nothing wraps */
    object.len = 0;
    FAILS(db_object_insert(db, &object, &err), ERR_INPUT, "extents do not make");
    object = good;
    object.extent_count = 0;
    FAILS(db_object_insert(db, &object, &err), ERR_INPUT, "extents do not make");
    object = good;
    object.state = "fine";
    FAILS(db_object_insert(db, &object, &err), ERR_INPUT, "CHECK constraint failed");
    object = good;
    object.sha256 = "abc";
    FAILS(db_object_insert(db, &object, &err), ERR_INPUT, "not 64 hex digits");
    object = good;
    memset(reason, 'r', sizeof reason - 1);
    reason[sizeof reason - 1] = '\0';
    object.reason = reason;
    FAILS(db_object_insert(db, &object, &err), ERR_FULL,
          "has 1999 bytes, and a case file holds at most 1024");
    object = good;
    object.id = 8; /* no such hit */
    FAILS(db_object_insert(db, &object, &err), ERR_INPUT, "FOREIGN KEY constraint failed");
    object = good;
    object.parent_id = 99;
    FAILS(db_object_insert(db, &object, &err), ERR_INPUT, "FOREIGN KEY constraint failed");
    FAILS(db_nested_insert(db, &(struct db_nested){ .id = 1, .parent_id = 99 }, 1, &err), ERR_INPUT,
          "FOREIGN KEY constraint failed");
    FAILS(db_nested_insert(db, &(struct db_nested){ .id = 99, .parent_id = 1 }, 1, &err), ERR_INPUT,
          "FOREIGN KEY constraint failed");
    FAILS(db_object_set_sha256(db, 99, FIXTURE_SHA256, &err), ERR_INPUT,
          "FOREIGN KEY constraint failed");
    FAILS(db_object_set_sha256(db, 1, "abc", &err), ERR_INPUT, "not 64 hex digits");
    OK(db_object_insert(db, &good, &err));
    OK(db_nested_insert(db, &(struct db_nested){ .id = 7, .parent_id = 1 }, 1, &err));
    OK(db_nested_clear(db, 1, &err));
    db_case_close(db);
    SQL_SAYS(f->path,
             "SELECT count(*) FROM objects; SELECT count(*) FROM extents; SELECT parent_id IS NULL "
             "FROM v_objects "
             "WHERE id = 7; PRAGMA foreign_key_check",
             "6\n7\n1\n");
}

/* Counts around the number of rows that go into one statement, with gaps between their ids here and
 * there, read back by another program. */
static void every_hit_arrives(void **state)
{
    static const uint32_t counts[] = { 1, 2, 63, 64, 65, 127, 128, 129, 1000, 0, 5000 };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    static struct db_hit hits[5000];
    char want[128], sql[256];
    uint64_t sum = 0, total = 0;
    int64_t id = 6;
    struct err err = { 0 };

    OK(db_begin(db, &err));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (uint32_t k = 0; k < counts[i]; k++) {
            id += k == 100 ? 5 : 1;
            hits[k] = (struct db_hit){ .id = id,
                                       .image_id = 1,
                                       .signature_id = 1 + id % 3,
                                       .offset = (uint64_t)id * 7919,
                                       .len = (uint32_t)(id % 251),
                                       .footer = id % 2 };
            sum += hits[k].offset * 3 + hits[k].len * 5u + (uint64_t)hits[k].signature_id * 7 +
                   hits[k].footer * 11u;
            total++;
        }
        OK(db_hits_insert(db, hits, counts[i], &err));
    }
    OK(db_commit(db, &err));
    db_case_close(db);
    snprintf(want, sizeof want, "%llu|%lld|%llu|0\n", (unsigned long long)total, (long long)id,
             (unsigned long long)sum);
    snprintf(
        sql, sizeof sql,
        "SELECT count(*), max(id), sum(offset * 3 + len * 5 + signature_id * 7 + footer * 11), "
        "sum(offset <> id * 7919) "
        "FROM hits WHERE id > 6");
    SQL_SAYS(f->path, sql, want);
}

static void what_is_said_later_stands_beside_what_validators_said(void **state)
{
    static const char said[] = "SELECT id, state, len, reason FROM objects ORDER BY id";
    static const struct db_nested later[] = {
        { .id = 1,
          .state = "truncated",
          .reason = "another one begins inside",
          .cut = true,
          .len = 904,
          .has_crc64 = true,
          .crc64 = UINT64_MAX - 1 },
        { .id = 2, .parent_id = 1, .state = "truncated", .reason = "not its end" },
    };
    static const struct db_nested other = { .id = 6,
                                            .state = "truncated",
                                            .reason = "of the other image" };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_object_cursor *cursor;
    struct db_object object;
    struct err err = { 0 };
    char before[1024];
    bool found;

    fixture_sql(f->path, said, before, sizeof before);
    for (int round = 0; round < 2; round++) { /* said again, it is the same */
        OK(db_nested_clear(db, 1, &err));
        OK(db_object_set_sha256(db, 1, FIXTURE_SHA256, &err));
        OK(db_nested_insert(db, later, 2, &err));
        OK(db_objects_open(db, 1, &cursor, &err));
        OK(db_objects_next(cursor, &found, &object, &err));
        assert_int_equal(object.id, 1);
        assert_string_equal(object.state, "truncated");
        assert_string_equal(object.reason, "another one begins inside");
        assert_int_equal(object.len, 904);
        assert_int_equal(object.extent_count, 1);
        assert_int_equal(object.extents[0].len, 904);
        assert_false(object.proven);
        assert_null(object.sha256); /* it was that of the whole */
        assert_true(object.has_crc64 && object.crc64 == UINT64_MAX - 1);
        OK(db_objects_next(cursor, &found, &object, &err));
        assert_int_equal(object.id, 2);
        assert_string_equal(object.state, "truncated");
        assert_int_equal(object.len, 902);
        assert_int_equal(object.parent_id, 1);
        db_objects_close(cursor);
        SQL_SAYS(f->path, said, before);
    }
    SQL_SAYS(f->path, "SELECT len, state, extents, \"end\" FROM v_objects WHERE id = 1",
             "904|truncated|4096+904|5000\n");
    OK(db_object_set_sha256(db, 1, FIXTURE_SHA256, &err)); /* of what is left of it */
    OK(db_object_set_known(db, 2, DB_KNOWN_BAD, FIXTURE_SHA256, &err));
    OK(db_nested_insert(db, &other, 1, &err));
    OK(db_nested_clear(db, 1, &err));
    SQL_SAYS(f->path, "SELECT object_id, reason FROM nested", "6|of the other image\n");
    OK(db_objects_open(db, 1, &cursor, &err));
    OK(db_objects_next(cursor, &found, &object, &err));
    assert_string_equal(object.state, "complete");
    assert_int_equal(object.len, 4000);
    assert_null(object.sha256);
    OK(db_objects_next(cursor, &found, &object, &err));
    assert_string_equal(object.sha256, FIXTURE_SHA256);
    assert_int_equal(object.known, DB_KNOWN_BAD);
    db_objects_close(cursor);
    db_case_close(db);
}

static void a_checksum_may_come_later_or_go(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    OK(db_object_set_crc64(db, 1, true, UINT64_MAX, &err));
    OK(db_object_set_crc64(db, 2, true, 0, &err));
    OK(db_object_set_crc64(db, 4, true, 7, &err));
    OK(db_object_set_crc64(db, 4, false, 7, &err));
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT id, crc64, crc64 IS NULL FROM objects WHERE id < 5",
             "1|-1|0\n2|0|0\n4||1\n");
}

static void the_last_output_of_that_length_has_the_hash(void **state)
{
    static const char other[] =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; /* of "" */
    const struct db_output outputs[] = { { 1, 1, "a", 4000, other },
                                         { 1, 1, "b", 4000, FIXTURE_SHA256 },
                                         { 1, 1, "c", 4001, other } };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    char got[DB_SHA256_HEX + 1];

    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        OK(db_output_add(db, &outputs[i], &err));
    OK(db_output_sha256(db, 1, 4000, got, &err));
    assert_string_equal(got, FIXTURE_SHA256);
    OK(db_output_sha256(db, 1, 3999, got, &err));
    assert_string_equal(got, "");
    OK(db_output_sha256(db, 2, 4000, got, &err));
    assert_string_equal(got, "");
    db_case_close(db);
}

static enum err_code take_sample(void *arg, const struct db_sample *sample, struct err *err)
{
    struct db_sample **next = arg;

    (void)err;
    *(*next)++ = *sample;
    return ERR_OK;
}

static void samples_come_back_by_their_offsets(void **state)
{
    static const struct db_sample samples[] = { { 4096, 512, FIXTURE_SHA256 },
                                                { 0, 1, FIXTURE_SHA256 } };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_sample got[3] = { 0 }, *next = got;
    struct err err = { 0 };

    OK(db_image_samples_add(db, 2, samples, 2, &err));
    OK(db_image_samples(db, 1, take_sample, &next, &err));
    assert_ptr_equal(next, got);
    OK(db_image_samples(db, 2, take_sample, &next, &err));
    assert_ptr_equal(next, got + 2);
    assert_int_equal(got[0].offset, 0);
    assert_int_equal(got[0].len, 1);
    assert_int_equal(got[1].offset, 4096);
    assert_string_equal(got[1].sha256, FIXTURE_SHA256);
    db_case_close(db);
}

static void a_signature_without_a_limit_has_the_greatest(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_signature signature = { .run_id = 1,
                                      .number = 3,
                                      .name = "dat",
                                      .kind = "rule",
                                      .origin = "my.conf:12",
                                      .header = "x",
                                      .footer = "y",
                                      .size_max = UINT64_MAX };
    struct err err = { 0 };
    int64_t id;

    OK(db_signature_add(db, &signature, &id, &err));
    assert_int_equal(id, 4);
    FAILS(db_signature_add(db, &signature, &id, &err), ERR_INPUT, "UNIQUE constraint failed");
    signature.number = 4;
    signature.kind = "guess";
    FAILS(db_signature_add(db, &signature, &id, &err), ERR_INPUT, "CHECK constraint failed");
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT size_max, footer, origin FROM signatures WHERE id = 4",
             "9223372036854775807|y|my.conf:12\n");
}

static enum err_code take_fact(void *arg, const char *name, const char *value, struct err *err)
{
    char *text = arg;

    (void)err;
    snprintf(text + strlen(text), 200 - strlen(text), "%s=%s;", name, value);
    return ERR_OK;
}

static enum err_code take_hash(void *arg, const struct db_image_hash *hash, struct err *err)
{
    char *text = arg;

    (void)err;
    snprintf(text + strlen(text), 200 - strlen(text), "%d %d %s %s %d %d;", (int)hash->image_id,
             (int)hash->run_id, hash->kind, hash->digest, (int)hash->bytes, (int)hash->filled);
    return ERR_OK;
}

static void what_a_container_says_and_hashes_come_back(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_image_hash hash = { 2, 1, "sha1", "ab01", 1000, 512 };
    struct err err = { 0 };
    char text[200] = "";

    OK(db_image_fact_add(db, 2, "md5", "00", &err));
    OK(db_image_fact_add(db, 2, "examiner", "A", &err));
    OK(db_image_fact_add(db, 2, "examiner", "B", &err)); /* the last one counts */
    OK(db_image_facts(db, 1, take_fact, text, &err));
    assert_string_equal(text, "");
    OK(db_image_facts(db, 2, take_fact, text, &err));
    assert_string_equal(text, "examiner=B;md5=00;");
    text[0] = '\0';
    OK(db_image_hash_add(db, &hash, &err));
    hash.kind = "md5";
    OK(db_image_hash_add(db, &hash, &err));
    hash.kind = "crc32";
    FAILS(db_image_hash_add(db, &hash, &err), ERR_INPUT, "CHECK constraint failed");
    OK(db_image_hashes(db, 2, take_hash, text, &err));
    assert_string_equal(text, "2 1 md5 ab01 1000 512;2 1 sha1 ab01 1000 512;");
    FAILS(db_image_fact_add(db, 9, "md5", "00", &err), ERR_INPUT, "FOREIGN KEY");
    db_case_close(db);
}

static bool stop_now(void *arg)
{
    ++*(int *)arg;
    return true;
}

/* tests/cli/seal.sh says what the hash is. */
static void a_seal_is_of_the_rows_and_stops_when_asked(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_seal before, inside, after;
    struct db_log_entry entry;
    struct err err = { 0 };
    int asked = 0;

    OK(db_seal(db, NULL, 1, NULL, NULL, &before, &err));
    OK(db_log(db, 0, "seal", "a text", &err)); /* the log is not in it */
    OK(db_begin(db, &err));
    OK(db_seal(db, NULL, 1, NULL, NULL, &inside, &err));
    assert_string_equal(inside.sha256, before.sha256);
    assert_int_equal(inside.rows, before.rows);
    OK(db_image_fact_add(db, 1, "md5", "00", &err));
    OK(db_seal(db, NULL, 1, NULL, NULL, &inside, &err)); /* what the transaction has written is */
    assert_string_not_equal(inside.sha256, before.sha256);
    assert_int_equal(inside.rows, before.rows + 1);
    db_rollback(db);
    OK(db_seal(db, NULL, 1, NULL, NULL, &after, &err));
    assert_string_equal(after.sha256, before.sha256);
    OK(db_log_find(db, "seal", &entry, &err));
    assert_int_equal(entry.id, 4);
    assert_string_equal(entry.text, "a text");
    OK(db_log_find(db, "no such kind", &entry, &err));
    assert_int_equal(entry.id, 0);
    OK(db_log_get(db, 99, &entry, &err));
    assert_int_equal(entry.id, 0);
    OK(db_begin(db, &err));
    for (int64_t i = 100; i < 6000; i++) {
        const struct db_hit hit = { i, 1, 1, (uint64_t)i, 3, false };

        OK(db_hits_insert(db, &hit, 1, &err));
    }
    OK(db_commit(db, &err));
    FAILS(db_seal(db, NULL, 1, stop_now, &asked, &after, &err), ERR_INTERRUPTED, "interrupted");
    assert_int_equal(asked, 1);
    db_case_close(db);
}

/* Threads that had the file open before the rows were written see them. */
static void a_seal_by_threads_that_waited_is_the_same(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_seal_readers *ready = NULL, *idle = NULL, *lost = NULL;
    struct db_seal alone, many;
    struct err err = { 0 };

    OK(db_seal_readers_open(f->path, 3, &ready, &err));
    OK(db_seal_readers_open(f->path, 3, &idle, &err));
    OK(db_begin(db, &err));
    for (int64_t i = 100; i < 40000; i++) {
        const struct db_hit hit = { i, 1, 1, (uint64_t)i, 3, i % 2 == 0 };

        OK(db_hits_insert(db, &hit, 1, &err));
    }
    OK(db_commit(db, &err));
    OK(db_seal(db, NULL, 1, NULL, NULL, &alone, &err));
    OK(db_begin(db, &err));
    OK(db_seal(db, ready, 1, NULL, NULL, &many, &err)); /* not asked for, so not used */
    OK(db_seal(db, ready, 2, NULL, NULL, &many, &err));
    db_rollback(db);
    assert_string_equal(many.sha256, alone.sha256);
    assert_int_equal(many.rows, alone.rows);
    db_seal_readers_close(ready);
    db_seal_readers_close(idle); /* they have read nothing */
    db_case_close(db);
    FAILS(db_seal_readers_open("/no/such/folder/case", 3, &lost, &err), ERR_ENV, "/no/such");
    assert_null(lost);
}

/* The one thread that folds the -wal file does it, and the seal is what it is without. */
static void a_thread_that_folds_alone_changes_nothing(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_seal_readers *ready = NULL;
    struct db_seal alone, folded;
    struct stat before, after;
    struct err err = { 0 };

    assert_int_equal(stat(f->path, &before), 0);
    OK(db_begin(db, &err));
    for (int64_t i = 100; i < 40000; i++) {
        const struct db_hit hit = { i, 1, 1, (uint64_t)i, 3, i % 2 == 0 };

        OK(db_hits_insert(db, &hit, 1, &err));
    }
    OK(db_commit(db, &err));
    assert_int_equal(stat(f->path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    OK(db_seal(db, NULL, 1, NULL, NULL, &alone, &err));
    OK(db_seal_readers_open(f->path, 0, &ready, &err));
    OK(db_begin(db, &err));
    OK(db_seal(db, ready, 2, NULL, NULL, &folded, &err));
    OK(db_commit(db, &err));
    db_seal_readers_close(ready);
    assert_string_equal(folded.sha256, alone.sha256);
    assert_int_equal(folded.rows, alone.rows);
    assert_int_equal(stat(f->path, &after), 0);
    assert_true(after.st_size > before.st_size + 39900 * 8); /* bytes of a row, at least */
    db_case_close(db);
}

static void fill_hits(struct db_hit *hits, uint32_t count, int64_t first)
{
    for (uint32_t i = 0; i < count; i++)
        hits[i] =
            (struct db_hit){ first + i, 1, 1 + i % 3, UINT64_C(512) * i, 3 + i % 9, i % 2 == 0 };
}

/* What is hashed while it is written gives the seal that reading all rows gives: by the same
 * thread, by others, and by a handle that has not written. */
static void same_seal(const struct fixture *f, struct db_case *db)
{
    struct db_seal ahead, many, read;
    struct db_case *other = NULL;
    struct err err = { 0 };

    OK(db_case_open(f->path, DB_READ, &other, &err));
    OK(db_seal(other, NULL, 1, NULL, NULL, &read, &err));
    db_case_close(other);
    OK(db_seal(db, NULL, 1, NULL, NULL, &ahead, &err));
    assert_string_equal(ahead.sha256, read.sha256);
    assert_int_equal(ahead.rows, read.rows);
    OK(db_begin(db, &err));
    struct db_seal_readers *ready = NULL;
    OK(db_seal_readers_open(f->path, 3, &ready, &err));
    OK(db_seal(db, ready, 3, NULL, NULL, &many, &err));
    OK(db_commit(db, &err));
    db_seal_readers_close(ready);
    assert_string_equal(many.sha256, read.sha256);
    assert_int_equal(many.rows, read.rows);
}

static void hits_hashed_ahead_give_the_same_seal(void **state)
{
    enum { MANY = 40000, FEW = 5000 };
    static struct db_hit hits[MANY];
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_seal_ahead *ahead = db_seal_ahead_take(db, 7);
    struct err err = { 0 };
    int64_t next = 7;

    /* By somebody who has taken it. */
    fill_hits(hits, MANY, next);
    assert_non_null(ahead);
    db_seal_ahead_add(ahead, hits, 100);
    db_seal_ahead_add(ahead, hits + 100, MANY - 100);
    OK(db_hits_insert(db, hits, MANY, &err));
    db_seal_ahead_give(db, ahead);
    next += MANY;
    same_seal(f, db);
    /* What is written while the handle has it, and by the next one who takes it. */
    fill_hits(hits, FEW, next);
    OK(db_hits_insert(db, hits, FEW, &err));
    next += FEW;
    same_seal(f, db);
    ahead = db_seal_ahead_take(db, next);
    fill_hits(hits, FEW, next);
    db_seal_ahead_add(ahead, hits, FEW);
    OK(db_hits_insert(db, hits, FEW, &err));
    db_seal_ahead_give(db, ahead);
    next += FEW;
    same_seal(f, db);
    /* Other ones were undone, or others have been written meanwhile. */
    fill_hits(hits, FEW, next);
    OK(db_begin(db, &err));
    OK(db_hits_insert(db, hits, FEW, &err));
    db_rollback(db);
    same_seal(f, db);
    fill_hits(hits, FEW, next + 1000);
    OK(db_hits_insert(db, hits, FEW, &err));
    ahead = db_seal_ahead_take(db, next + 1000 + FEW);
    fill_hits(hits, FEW, next + 1000 + FEW);
    OK(db_hits_insert(db, hits, FEW, &err));
    db_seal_ahead_add(ahead, hits, FEW);
    db_seal_ahead_give(db, ahead);
    same_seal(f, db);
    fill_hits(hits, FEW, next + 20000); /* with a gap */
    OK(db_hits_insert(db, hits, FEW, &err));
    same_seal(f, db);
    db_case_close(db);
}

/* More patterns than stay in memory, each found twice, and some that were undone: each has one row.
 */
static void each_pattern_has_one_row(void **state)
{
    enum { PATTERNS = 140000, FIRST = 1000 };
    const struct fixture *f = *state;
    struct db_hit *hits = calloc(PATTERNS, sizeof *hits);
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    assert_non_null(hits);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PATTERNS; i++)
            hits[i] = (struct db_hit){ .id = FIRST + (round > 0 ? round - 1 : 0) * PATTERNS + i,
                                       .image_id = 1 + i % 2,
                                       .signature_id = 1 + i % 3,
                                       .offset = (uint64_t)i,
                                       .len = (uint32_t)(1000 + i / 4),
                                       .footer = i % 4 >= 2 };
        OK(db_begin(db, &err));
        OK(db_hits_insert(db, hits, round == 0 ? 5000 : PATTERNS, &err));
        if (round == 0)
            db_rollback(db);
        else
            OK(db_commit(db, &err));
    }
    db_case_close(db);
    free(hits);
    SQL_SAYS(
        f->path,
        "SELECT count(*) FROM patterns WHERE len >= 1000; SELECT count(*) FROM hits WHERE id >= "
        "1000; SELECT count(*) FROM hits h WHERE id >= 1000 AND (image_id <> 1 + offset % 2 OR "
        "signature_id <> 1 + offset % 3 OR len <> 1000 + offset / 4 OR footer <> (offset % 4 >= "
        "2) OR offset <> (id - 1000) % 140000)",
        "140000\n280000\n0\n");
}

/* The first hit of a case file has the id 1: all groups are known from there on. */
static void hits_hashed_ahead_from_the_first_one_on(void **state)
{
    enum { MANY = 9000 };
    static struct db_hit hits[MANY];
    const struct fixture *f = *state;
    struct db_case *db = NULL;
    struct err err = { 0 };

    OK(db_case_create(f->path, false, &db, &err));
    fixture_search(db);
    fill_hits(hits, MANY, 1);
    db_seal_ahead_give(db, db_seal_ahead_take(db, 1));
    OK(db_hits_insert(db, hits, MANY, &err));
    same_seal(f, db);
    db_case_close(db);
}

/* One connection reads all rows, or several do in their own threads. */
static void a_seal_is_the_same_whoever_reads(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_seal alone, many;
    struct err err = { 0 };
    int asked = 0;

    OK(db_begin(db, &err));
    for (int64_t i = 100; i < 50000; i += 1 + i % 3) {
        const struct db_hit hit = { i, 1, 1, (uint64_t)i, 3, i % 2 == 0 };

        OK(db_hits_insert(db, &hit, 1, &err));
    }
    OK(db_seal(db, NULL, 1, NULL, NULL, &alone, &err));
    OK(db_seal(db, NULL, 4, NULL, NULL, &many,
               &err)); /* of what the transaction has written, too */
    assert_string_equal(many.sha256, alone.sha256);
    OK(db_commit(db, &err));
    OK(db_begin(db, &err));
    for (uint32_t readers = 2; readers < 12; readers += 3) {
        OK(db_seal(db, NULL, readers, NULL, NULL, &many, &err));
        assert_string_equal(many.sha256, alone.sha256);
        assert_int_equal(many.rows, alone.rows);
    }
    FAILS(db_seal(db, NULL, 4, stop_now, &asked, &many, &err), ERR_INTERRUPTED, "interrupted");
    assert_int_equal(asked, 1);
    OK(db_image_fact_add(db, 1, "md5", "00", &err));
    OK(db_seal(db, NULL, 4, NULL, NULL, &many, &err));
    assert_int_equal(many.rows, alone.rows + 1);
    db_rollback(db);
    db_case_close(db);
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(a_failed_write_undoes_its_transaction),
        CASE_TEST(what_was_not_committed_is_gone),
        CASE_TEST(offsets_stop_at_two_to_the_63),
        CASE_TEST(objects_are_checked),
        CASE_TEST(every_hit_arrives),
        CASE_TEST(what_is_said_later_stands_beside_what_validators_said),
        CASE_TEST(a_checksum_may_come_later_or_go),
        CASE_TEST(the_last_output_of_that_length_has_the_hash),
        CASE_TEST(samples_come_back_by_their_offsets),
        CASE_TEST(a_signature_without_a_limit_has_the_greatest),
        CASE_TEST(what_a_container_says_and_hashes_come_back),
        CASE_TEST(a_seal_is_of_the_rows_and_stops_when_asked),
        CASE_TEST(a_thread_that_folds_alone_changes_nothing),
        CASE_TEST(a_seal_by_threads_that_waited_is_the_same),
        CASE_TEST(hits_hashed_ahead_give_the_same_seal),
        CASE_TEST(each_pattern_has_one_row),
        CASE_TEST(hits_hashed_ahead_from_the_first_one_on),
        CASE_TEST(a_seal_is_the_same_whoever_reads),
    };
    return cmocka_run_group_tests_name("writing to case files", tests, NULL, NULL);
}
