/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_facts.c - facts of objects: stored, read by object and by key, the own date; those
 * of bytes that an object has no more do not count. */
#include "tests/db/case_fixture.h"

static char got[4096];

static enum err_code add_fact(void *arg, int64_t object_id, const struct db_fact *fact,
                              struct err *err)
{
    const size_t at = strlen(got);

    (void)arg;
    (void)err;
    snprintf(got + at, sizeof got - at, "%d %s=%s", (int)object_id, fact->key, fact->value);
    if (fact->has_number)
        snprintf(got + strlen(got), sizeof got - strlen(got), " #%lld", (long long)fact->number);
    snprintf(got + strlen(got), sizeof got - strlen(got), " <%d\n", (int)fact->reach);
    return ERR_OK;
}

static enum err_code add_date(void *arg, int64_t object_id, const struct db_date *date,
                              struct err *err)
{
    (void)arg;
    (void)err;
    snprintf(got + strlen(got), sizeof got - strlen(got), "%d %s %lld\n", (int)object_id, date->key,
             (long long)date->unix_time);
    return ERR_OK;
}

static enum err_code fail_fact(void *arg, int64_t object_id, const struct db_fact *fact,
                               struct err *err)
{
    (void)arg;
    (void)object_id;
    (void)fact;
    return ERR_RAISE(err, ERR_INTERRUPTED, "enough");
}

/* Facts of object 6 of the fixture, which is in no pieces and 65536 bytes long. */
static void put_object(struct db_case *db, int64_t id, const struct db_fact *facts, uint32_t count)
{
    static const struct db_extent extent = { 5900, 50 };
    const struct db_object object = { .id = id,
                                      .image_id = 1,
                                      .signature_id = 1,
                                      .type = "jpg",
                                      .extension = "jpg",
                                      .state = "complete",
                                      .reason = "EOI",
                                      .offset = 5900,
                                      .len = 50,
                                      .extents = &extent,
                                      .extent_count = 1,
                                      .name = "jpg/x",
                                      .facts = facts,
                                      .fact_count = count };
    struct err err = { 0 };

    OK(db_object_insert(db, &object, &err));
}

#define WALK(call, want)                                                                           \
    do {                                                                                           \
        got[0] = '\0';                                                                             \
        OK(call);                                                                                  \
        assert_string_equal(got, want);                                                            \
    } while (0)

static void facts_are_found_by_object_and_key(void **state)
{
    static const struct db_fact facts[] = { { "taken", "b", true, -5, 50 },
                                            { "takenx", "no key of that name", false, 0, 1 },
                                            { "taken-", "likewise", false, 0, 1 } };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    put_object(db, 3, facts, 3);
    WALK(db_facts_of(db, 1, 500, add_fact, NULL, &err),
         "1 camera.model=Model 5 <300\n1 modified=2024-05-31T12:34:56Z #1717158896 <400\n"
         "1 taken.local=2024:02:29 23:59:59 #1709251199 <500\n");
    WALK(db_facts_of(db, 2, INT64_MAX, add_fact, NULL, &err), "");
    WALK(db_facts_walk(db, "taken", add_fact, NULL, &err),
         "1 taken.local=2024:02:29 23:59:59 #1709251199 <500\n3 taken=b #-5 <50\n");
    WALK(db_facts_walk(db, "camera", add_fact, NULL, &err), "1 camera.model=Model 5 <300\n");
    WALK(db_facts_walk(db, "%", add_fact, NULL, &err), "");
    WALK(db_dates_walk(db, add_date, NULL, &err), "1 taken.local 1709251199\n3 taken -5\n");
    WALK(db_date_of(db, 1, add_date, NULL, &err), "1 taken.local 1709251199\n");
    WALK(db_date_of(db, 2, add_date, NULL, &err), "");
    FAILS(db_facts_walk(db, NULL, fail_fact, NULL, &err), ERR_INTERRUPTED, "enough");
    db_case_close(db);
}

/* Cut to 450 bytes, the photo has lost what stood in byte 500. */
static void facts_of_bytes_that_are_gone_do_not_count(void **state)
{
    const struct db_nested cut = { .id = 1, .state = "truncated", .cut = true, .len = 450 };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    OK(db_nested_insert(db, &cut, 1, &err));
    WALK(db_facts_of(db, 1, 450, add_fact, NULL, &err),
         "1 camera.model=Model 5 <300\n1 modified=2024-05-31T12:34:56Z #1717158896 <400\n");
    WALK(db_dates_walk(db, add_date, NULL, &err), "1 modified 1717158896\n");
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT key FROM v_facts ORDER BY key", "camera.model\nmodified\n");
}

/* Put together from pieces, it says what the whole says. */
static void a_whole_file_says_other_things(void **state)
{
    static const struct db_extent extents[] = { { 4096, 4000 }, { 16384, 400 } };
    static const struct db_join join = {
        .at = 4000, .kind = "decoder", .tried = 1, .text = "it fits"
    };
    static const struct db_fact facts[] = { { "title", "The end", false, 0, 4400 } };
    const struct fixture *f = *state;
    struct db_assembled row = { .object_id = 1,
                                .pieces = true,
                                .type = "jpg",
                                .extension = "jpg",
                                .state = "fragmented",
                                .reason = "EOI",
                                .extents = extents,
                                .extent_count = 2,
                                .joins = &join,
                                .facts = facts,
                                .fact_count = 1 };
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    OK(db_assembled_add(db, 1, &row, &err));
    WALK(db_facts_walk(db, NULL, add_fact, NULL, &err), "1 title=The end <4400\n");
    db_case_close(db);
}

/* Hundreds at once, in statements of many rows and of one. */
static void many_facts_are_stored(void **state)
{
    enum { MANY = 150 };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_fact facts[MANY];
    char keys[MANY][16];

    for (int i = 0; i < MANY; i++) {
        snprintf(keys[i], sizeof keys[i], "key%03d", i);
        facts[i] = (struct db_fact){ keys[i], "v", true, i, 1 };
    }
    put_object(db, 3, facts, MANY);
    db_case_close(db);
    SQL_SAYS(f->path,
             "SELECT count(*), sum(number), min(key), max(key) FROM facts WHERE object_id = 3",
             "150|11175|key000|key149\n");
}

/* Of one object after another, in any order, with objects that have none, few or many between them:
 * what each is asked for by itself. */
static void facts_of_objects_are_followed(void **state)
{
    static const int64_t ids[] = { 1,  2,  2,  3,  4,  8,  9,  10, 11, 12, 40, 41, 300, 299, 41,
                                   40, 12, 12, 13, 14, 15, 16, 17, 18, 19, 1,  39, 999, 39 };
    const struct fixture *f = *state;
    struct db_facts_follow *follow;
    struct db_case *db;
    struct err err = { 0 };
    char want[sizeof got];

    /* 10 has 30 facts, 14 and 15 have one, 20 to 38 one each, 39 has two, one of them far in it. */
    db_case_close(fixture_case(f));
    SQL_SAYS(f->path,
             "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
             "INSERT INTO facts SELECT 10, printf('k%02d', i), i, i, 1 FROM n WHERE i <= 30 "
             "UNION ALL SELECT i, 'one', 'x', NULL, 1 FROM n WHERE i IN (14, 15) OR i > 19 "
             "UNION ALL SELECT 39, 'far', 'y', NULL, 1000 FROM n WHERE i = 1",
             "");
    OK(db_case_open(f->path, DB_READ, &db, &err));
    OK(db_facts_follow_open(db, &follow, &err));
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        for (uint64_t len = 999; len < 1002; len += 2) {
            got[0] = '\0';
            OK(db_facts_of(db, ids[i], len, add_fact, NULL, &err));
            memcpy(want, got, sizeof want);
            WALK(db_facts_follow(follow, ids[i], len, add_fact, NULL, &err), want);
        }
    FAILS(db_facts_follow(follow, 10, 1, fail_fact, NULL, &err), ERR_INTERRUPTED, "enough");
    WALK(db_facts_follow(follow, 14, 1, add_fact, NULL, &err), "14 one=x <1\n");
    db_facts_follow_close(follow);
    db_case_close(db);
}

static void what_cannot_be_a_fact_is_refused(void **state)
{
    char text[1026];
    struct db_fact fact = { "title", text, false, 0, 1 };
    const struct db_extent extent = { 5900, 50 };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    struct db_object object = { .id = 3,
                                .image_id = 1,
                                .signature_id = 1,
                                .type = "jpg",
                                .extension = "jpg",
                                .state = "complete",
                                .reason = "EOI",
                                .offset = 5900,
                                .len = 50,
                                .extents = &extent,
                                .extent_count = 1,
                                .name = "jpg/x",
                                .facts = &fact,
                                .fact_count = 1 };

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    FAILS(db_object_insert(db, &object, &err), ERR_FULL, "the value of a fact");
    fact.value = "x";
    fact.reach = UINT64_MAX;
    FAILS(db_object_insert(db, &object, &err), ERR_INPUT, "the reach of a fact");
    fact.reach = 1;
    OK(db_object_insert(db, &object, &err));
    db_case_close(db);
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(facts_are_found_by_object_and_key),
        CASE_TEST(facts_of_bytes_that_are_gone_do_not_count),
        CASE_TEST(a_whole_file_says_other_things),
        CASE_TEST(many_facts_are_stored),
        CASE_TEST(facts_of_objects_are_followed),
        CASE_TEST(what_cannot_be_a_fact_is_refused),
    };
    return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
