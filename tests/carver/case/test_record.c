/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/case/test_record.c - rows come into the case file in the order in which they were
 * recorded, however many batches wait; where objects lie is kept in memory as the case file has it;
 * the first error is told, and nothing behind it is kept.
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

enum { HITS = 450000, FEW = 30000, EVERY = 8 /* hits of an object */ };

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

/* More will come than a merge says. */
enum { FEWER = 100000 };

static void open_record_of(struct made *made, bool merges)
{
    const struct record_rows rows = { .image_id = made->image_id,
                                      .run_id = made->run_id,
                                      .scan_id = made->run_id,
                                      .signature_ids = &made->signature_id,
                                      .merges = merges,
                                      .objects = merges ? FEWER : 0 };

    assert_int_equal(record_open(made->db, &rows, &made->record, NULL), ERR_OK);
}

static void open_record(struct made *made)
{
    open_record_of(made, false);
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

            rc = record_object(record, &object, NULL, NULL);
        }
        if (rc == ERR_OK && i % 1000 == 0 && record_due(record))
            rc = record_commit(record, NULL, NULL);
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
    assert_int_equal(record_end(made.record, false, NULL), ERR_OK);
    assert_int_equal(db_commit(made.db, NULL), ERR_OK);
    assert_int_equal(db_hits_walk(made.db, made.image_id, 0, count_hit, &count, NULL), ERR_OK);
    assert_int_equal(count, HITS);
    assert_int_equal(db_totals(made.db, 0, &totals, NULL), ERR_OK);
    assert_int_equal(totals.objects, HITS / EVERY);
    close_record(&made);
}

struct walk {
    const struct db_place *places; /* [count] */
    uint32_t at, count;
};

static enum err_code compare_place(void *arg, const struct db_place *place, struct err *err)
{
    struct walk *walk = arg;

    (void)err;
    assert_true(walk->at < walk->count);
    const struct db_place *kept = &walk->places[walk->at++];
    assert_int_equal(kept->id, place->id);
    assert_int_equal(kept->signature_id, place->signature_id);
    assert_int_equal(kept->offset, place->offset);
    assert_int_equal(kept->len, place->len);
    assert_int_equal(kept->validated, place->validated);
    assert_int_equal(kept->proven, place->proven);
    assert_int_equal(kept->container, place->container);
    assert_int_equal(kept->complete, place->complete);
    assert_int_equal(kept->slack, place->slack);
    return ERR_OK;
}

enum { OBJECTS = 5000 };

static uint32_t in_any_order(uint32_t i)
{
    enum { STEP = 1871 /* shares no factor with it */ };

    return i * STEP % OBJECTS;
}

/* Of ten one changes places with the fourth behind it, and one with the next. */
static uint32_t nearly_in_order(uint32_t i)
{
    static const int moved[] = { 4, 0, 0, 0, -4, 0, 0, 1, -1, 0 };

    return (uint32_t)((int)i + moved[i % 10]);
}

static void compare_places(uint32_t (*order)(uint32_t))
{
    struct made made = make_record();
    struct walk walk = { 0 };

    open_record(&made);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        int64_t id = 0;

        assert_int_equal(record_hit(made.record, 0, UINT64_C(512) * i / 2, 8, false, &id, NULL),
                         ERR_OK);
    }
    for (uint32_t i = 0; i < OBJECTS; i++) { /* by when they ended; two at a place */
        const uint32_t k = order(i);
        struct record_object object = object_of(k + 1, 512 * (k / 2));

        object.container = k % 5 == 0;
        object.slack = (enum db_slack)(k % 4);
        assert_int_equal(record_object(made.record, &object, NULL, NULL), ERR_OK);
    }
    walk.places = record_places(made.record, &walk.count);
    assert_non_null(walk.places);
    assert_int_equal(record_end(made.record, false, NULL), ERR_OK);
    assert_int_equal(db_places_walk(made.db, made.image_id, compare_place, &walk, NULL), ERR_OK);
    assert_int_equal(walk.at, OBJECTS);
    assert_int_equal(db_commit(made.db, NULL), ERR_OK);
    record_close(made.record);

    open_record(&made); /* now the image has objects that this record knows nothing of */
    assert_null(record_places(made.record, &walk.count));
    assert_int_equal(record_end(made.record, false, NULL), ERR_OK);
    assert_int_equal(db_commit(made.db, NULL), ERR_OK);
    close_record(&made);
}

static void places_are_those_of_the_case_file(void **state)
{
    (void)state;
    compare_places(in_any_order);
    compare_places(nearly_in_order);
}

static void too_many_places_are_not_kept(void **state)
{
    struct made made = make_record();
    int64_t id = 0;
    uint32_t count = 0;

    (void)state;
    open_record(&made);
    for (uint32_t i = 0; i <= RECORD_PLACES_MAX; i++) {
        const struct record_object object = object_of(i + 1, i);

        if (i == RECORD_PLACES_MAX)
            assert_non_null(record_places(made.record, &count));
        assert_int_equal(record_hit(made.record, 0, i, 8, false, &id, NULL), ERR_OK);
        assert_int_equal(record_object(made.record, &object, NULL, NULL), ERR_OK);
    }
    assert_int_equal(count, RECORD_PLACES_MAX);
    assert_null(record_places(made.record, &count));
    close_record(&made);
}

/* Of a merge four times as many are; by their offsets, though they come from the last one on. */
static void more_places_of_a_merge_are_kept(void **state)
{
    struct made made = make_record();
    uint32_t count = 0, wrong = 0;

    (void)state;
    open_record_of(&made, true);
    for (uint32_t i = RECORD_MERGED_MAX; i > 0; i--) {
        record_object_stays(made.record, 0, &(struct db_place){ .id = i, .offset = i, .len = 1 });
    }
    const struct db_place *places = record_places(made.record, &count);
    assert_non_null(places);
    assert_int_equal(count, 4 * RECORD_PLACES_MAX);
    for (uint32_t i = 0; i < count; i++)
        wrong += places[i].offset != i + 1;
    assert_int_equal(wrong, 0);
    record_object_stays(made.record, 0, &(struct db_place){ .id = 1, .offset = 1, .len = 1 });
    assert_null(record_places(made.record, &count));
    assert_int_equal(record_totals(made.record)->objects, RECORD_MERGED_MAX + 1);
    close_record(&made);
}

/* What a part has left half recorded is not kept; what was committed before is, with what is needed
 * to go on behind it. */
static void what_is_torn_is_dropped(void **state)
{
    enum { GOOD = 30000, TORN = 9000 /* more than a batch holds */ };
    const struct db_part part = { .offset = 0, .len = 4096, .has_crc64 = true, .crc64 = 7 };
    struct made made = make_record();
    struct db_totals totals;
    struct pack pack = { 0 };
    uint64_t position = 0;
    uint8_t *bytes = NULL;
    size_t len = 0;

    (void)state;
    open_record(&made);
    assert_int_equal(record_rows(made.record, 0, GOOD), ERR_OK);
    assert_int_equal(record_part(made.record, &part, NULL), ERR_OK);
    pack_text(&pack, "state");
    assert_int_equal(record_commit(made.record, &pack, NULL), ERR_OK);
    pack_release(&pack);
    for (uint32_t i = 0; i < TORN; i++) {
        int64_t id;

        assert_int_equal(record_hit(made.record, 0, i, 8, false, &id, NULL), ERR_OK);
    }
    assert_int_equal(record_end(made.record, true, NULL), ERR_OK);
    assert_int_equal(db_log(made.db, made.run_id, "note", "how it ended", NULL), ERR_OK);
    assert_int_equal(db_commit(made.db, NULL), ERR_OK);
    assert_int_equal(db_totals(made.db, 0, &totals, NULL), ERR_OK);
    assert_int_equal(totals.hits, GOOD);
    assert_int_equal(db_state_get(made.db, made.run_id, &position, &bytes, &len, NULL), ERR_OK);
    assert_int_equal(position, 4096);
    assert_int_equal(len, 6);
    assert_memory_equal(bytes, "\5state", 6);
    free(bytes);
    close_record(&made);
}

struct then {
    uint32_t calls;
    int64_t object; /* of which something is said */
};

static enum err_code say_then(void *arg, struct db_case *db, struct err *err)
{
    struct then *then = arg;
    const struct db_nested row = { .id = then->object, .state = "truncated" };
    int64_t last = 0;

    then->calls++;
    assert_int_equal(db_hit_last_id(db, &last, err), ERR_OK);
    assert_int_equal(last, FEW);
    return db_nested_insert(db, &row, 1, err);
}

/* It sees all rows; and one about an object that is not there is refused. */
static void what_comes_then_comes_behind_all_rows(void **state)
{
    static const int64_t objects[] = { 1, FEW + 1 };

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct made made = make_record();
        struct then then = { .object = objects[i] };

        open_record(&made);
        assert_int_equal(record_rows(made.record, 0, FEW), ERR_OK);
        assert_int_equal(record_last(made.record, NULL), ERR_OK);
        record_then(made.record, say_then, &then);
        if (i == 0)
            assert_int_equal(record_end(made.record, false, NULL), ERR_OK);
        else
            assert_int_not_equal(record_end(made.record, false, NULL), ERR_OK);
        assert_int_equal(then.calls, 1);
        close_record(&made);
    }
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
    assert_int_equal(record_end(made.record, false, &err), ERR_INPUT);
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
        cmocka_unit_test(places_are_those_of_the_case_file),
        cmocka_unit_test(too_many_places_are_not_kept),
        cmocka_unit_test(more_places_of_a_merge_are_kept),
        cmocka_unit_test(what_is_torn_is_dropped),
        cmocka_unit_test(what_comes_then_comes_behind_all_rows),
        cmocka_unit_test(the_first_error_is_told_and_ends_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
