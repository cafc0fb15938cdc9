/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_type_names.c - the types that a case file knows: of its objects, and of what scans
 * looked for.
 */
#include "tests/db/case_fixture.h"

enum { TEXT_MAX = 1024 };

/* Appends "name/extension "; stops at the name "stop". */
static enum err_code add(void *arg, const struct db_type *type, struct err *err)
{
    char *text = arg;
    const size_t used = strlen(text);

    if (strcmp(type->name, "stop") == 0)
        return ERR_RAISE(err, ERR_ENV, "stopped");
    snprintf(text + used, TEXT_MAX - used, "%s/%s ", type->name, type->extension);
    return ERR_OK;
}

static void add_run(struct db_case *db, const char *command, const char *signature)
{
    const struct db_run run = { .image_id = 1,
                                .command = command,
                                .command_line = "burin",
                                .version = "0",
                                .build = "b",
                                .libraries = "l",
                                .options = "{}",
                                .host = "h",
                                .user = "u",
                                .status = "done" };
    struct db_signature row = { .name = signature, .kind = "rule", .origin = "o", .header = "x" };
    struct err err = { 0 };
    int64_t id;

    OK(db_run_add(db, &run, &row.run_id, &err));
    OK(db_signature_add(db, &row, &id, &err));
}

static void types_and_names_each_once(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    char text[TEXT_MAX] = " ";
    struct err err = { 0 };

    add_run(db, "scan", "mine");
    add_run(db, "scan", "mine"); /* a rule of the second image's scan too */
    add_run(db, "search", "keyword");
    OK(db_types_walk(db, add, text, &err));
    assert_non_null(strstr(text, " jpg/jpg "));
    assert_non_null(strstr(text, " png/png "));
    assert_non_null(strstr(text, " zip/ "));
    assert_non_null(strstr(text, " mine/ "));
    assert_null(strstr(text, "keyword"));
    assert_null(strstr(strstr(text, " jpg/jpg ") + 1, " jpg/jpg "));
    assert_null(strstr(strstr(text, " mine/ ") + 1, " mine/ "));
    db_case_close(db);
}

static void the_first_error_ends_the_walk(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    char text[TEXT_MAX] = " ";
    struct err err = { 0 };

    add_run(db, "scan", "stop");
    FAILS(db_types_walk(db, add, text, &err), ERR_ENV, "stopped");
    db_case_close(db);
}

static void what_is_no_type_is_damage(void **state)
{
    static const char *const damage[] = {
        "UPDATE objects SET type = x'00'",
        "UPDATE objects SET extension = hex(zeroblob(100))",
        "UPDATE signatures SET name = x'07'",
    };
    const struct fixture *f = *state;

    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        char command[256], text[TEXT_MAX] = " ";
        struct err err = { 0 };
        struct db_case *db = fixture_case(f);

        db_case_close(db);
        snprintf(command, sizeof command, "sqlite3 '%s' \"%s\"", f->path, damage[i]);
        assert_int_equal(system(command), 0);
        OK(db_case_open(f->path, DB_READ, &db, &err));
        FAILS(db_types_walk(db, add, text, &err), ERR_INPUT, "table objects");
        db_case_close(db);
        assert_int_equal(remove(f->path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(types_and_names_each_once, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(the_first_error_ends_the_walk, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(what_is_no_type_is_damage, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests_name("type names", tests, NULL, NULL);
}
