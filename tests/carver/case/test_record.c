/*
 * tests/carver/case/test_record.c - rows come into the case file in the order in which they were
 * recorded, however many batches wait; the first error is told, and nothing behind it is kept.
 *
 * Method: far more rows than all batches hold, read back one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "carver/case/record.h"
#include "tests/carver/run_fixture.h"

enum { HITS = 200000, EVERY = 8 /* hits of an object */ };

static const struct sig_type type = { "png", "png" };

struct made {
    char path[32];
    struct db_case *db;
    struct record *record;
    int64_t image_id, run_id, signature_id;
};

static struct made make_record(void)
{
    struct made made = { .path = "/tmp/test_record_XXXXXX" };

    assert_true(close(mkstemp(made.path)) == 0);
    assert_int_equal(unlink(made.path), 0);
    assert_int_equal(db_case_create(made.path, false, &made.db, NULL), ERR_OK);
    assert_int_equal(db_begin(made.db, NULL), ERR_OK);
    fixture_run(made.db, UINT64_C(1) << 40, &made.image_id, &made.run_id);
    const struct db_signature signature = { .run_id = made.run_id,
                                            .name = "png",
                                            .kind = "validator",
                                            .origin = "test",
                                            .header = "x",
                                            .size_max = 1 };
    assert_int_equal(db_signature_add(made.db, &signature, &made.signature_id, NULL), ERR_OK);
    assert_int_equal(db_commit(made.db, NULL), ERR_OK);
    return made;
}

static void open_record(struct made *made)
{
    assert_int_equal(record_open(made->db, made->image_id, made->run_id, &made->signature_id,
                                 &made->record, NULL),
                     ERR_OK);
}

static void close_record(struct made *made)
{
    record_close(made->record);
    db_case_close(made->db);
    assert_int_equal(unlink(made->path), 0);
}

static struct record_object object_of(int64_t id, uint64_t offset)
{
    return (struct record_object){ .hit_id = id,
                                   .type = &type,
                                   .state = id % 3 == 0 ? "truncated" : "complete",
                                   .validated = true,
                                   .proven = id % 2 == 0,
                                   .offset = offset,
                                   .len = (uint64_t)id };
}

/* Hit number i lies at 512 i; each EVERY-th one has an object. */
static enum err_code record_rows(struct record *record, uint32_t from, uint32_t to)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = from; rc == ERR_OK && i < to; i++) {
        int64_t id = 0;

        rc = record_hit(record, 0, UINT64_C(512) * i, 8, false, &id, NULL);
        if (rc == ERR_OK && i % EVERY == 0) {
            const struct record_object object = object_of(id, UINT64_C(512) * i);

            rc = record_object(record, &object, NULL);
        }
        if (rc == ERR_OK && i % 1000 == 0)
            rc = record_commit_point(record, UINT64_C(512) * i, NULL);
    }
    return rc;
}

static enum err_code count_hit(void *arg, const struct db_hit *hit, struct err *err)
{
    uint32_t *count = arg;

    (void)err;
    assert_int_equal(hit->id, *count + 1);
    assert_int_equal(hit->offset, UINT64_C(512) * *count);
    ++*count;
    return ERR_OK;
}

static void rows_come_in_their_order(void **state)
{
    struct made made = make_record();
    struct db_totals totals;
    uint32_t count = 0;

    (void)state;
    open_record(&made);
    assert_int_equal(record_rows(made.record, 0, HITS), ERR_OK);
    assert_int_equal(record_totals(made.record)->hits, HITS);
    assert_int_equal(record_end(made.record, UINT64_C(512) * HITS, NULL), ERR_OK);
    assert_int_equal(db_commit(made.db, NULL), ERR_OK);
    assert_int_equal(db_hits_walk(made.db, made.image_id, 0, count_hit, &count, NULL), ERR_OK);
    assert_int_equal(count, HITS);
    assert_int_equal(db_totals(made.db, 0, &totals, NULL), ERR_OK);
    assert_int_equal(totals.objects, HITS / EVERY);
    close_record(&made);
}

/* An offset of 2^63 cannot be stored. */
static void the_first_error_is_told_and_ends_it(void **state)
{
    enum { GOOD = 50000 };
    struct made made = make_record();
    struct db_totals totals;
    struct err err = { 0 };
    int64_t id;

    (void)state;
    open_record(&made);
    assert_int_equal(record_rows(made.record, 0, GOOD), ERR_OK);
    assert_int_equal(record_hit(made.record, 0, UINT64_C(1) << 63, 8, false, &id, NULL), ERR_OK);
    assert_int_equal(record_rows(made.record, 0, HITS), ERR_INPUT); /* while batches are filled */
    assert_int_equal(record_end(made.record, 0, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "the offset of a hit is 9223372036854775808"));
    assert_int_not_equal(db_commit(made.db, NULL), ERR_OK);
    assert_int_equal(db_totals(made.db, 0, &totals, NULL), ERR_OK);
    assert_true(totals.hits <= GOOD); /* those that were committed before */
    close_record(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_in_their_order),
        cmocka_unit_test(the_first_error_is_told_and_ends_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
