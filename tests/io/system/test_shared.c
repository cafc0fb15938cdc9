/* SPDX-License-Identifier: Apache-2.0
 * tests/io/system/test_shared.c - libraries that are loaded when they are needed: what is told
 * where one is missing, or is another one. libm, which every system has, stands for one of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h> /* needs those before it */

#include "io/system/lib_ewf.h"
#include "io/system/lib_tsk.h"
#include "io/system/shared.h"

struct table {
    double (*cosine)(double);
    double (*root)(double);
};

static const struct io_shared_function functions[] = {
    { "cos", offsetof(struct table, cosine) },
    { "sqrt", offsetof(struct table, root) },
    { "no_such_function", offsetof(struct table, root) },
};

static void functions_are_found_by_their_names(void **state)
{
    const struct io_shared shared = { "libm.so.6", "libc6", functions, 2 };
    struct table table = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(io_shared_open(&shared, &table, &err), ERR_OK);
    assert_true(table.cosine(0) == 1 && table.root(9) == 3);
    memset(&table, 0, sizeof table);
    assert_true(io_shared_find(&shared, &table));
    assert_true(table.root(16) == 4);
}

static void what_is_missing_is_named_with_its_package(void **state)
{
    const struct io_shared none = { "libno-such-library.so.7", "libno-such-library7", functions,
                                    2 };
    const struct io_shared other = { "libm.so.6", "libc6", functions, 3 };
    struct table table;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(io_shared_open(&none, &table, &err), ERR_ENV);
    assert_non_null(strstr(err.text, "libno-such-library.so.7: cannot open"));
    assert_non_null(strstr(err.text, "Debian's package libno-such-library7)"));
    assert_false(io_shared_find(&none, &table));
    assert_int_equal(io_shared_open(&other, &table, &err), ERR_ENV);
    assert_non_null(strstr(err.text, "libm.so.6 has no function no_such_function"));
    assert_non_null(strstr(err.text, "package libc6"));
    assert_false(io_shared_find(&other, &table));
}

/* The tables name functions that the libraries have, and nothing loads them before it is asked. */
static void those_of_images_are_loaded_when_asked(void **state)
{
    struct io_tsk tsk;
    struct io_ewf ewf;
    struct err err = { 0 };

    (void)state;
    assert_false(io_tsk_find(&tsk));
    assert_int_equal(io_tsk_load(&err), ERR_OK);
    assert_true(io_tsk_find(&tsk));
    assert_string_equal(tsk.tsk_version_get_str(), TSK_VERSION_STR);
    assert_int_equal(io_ewf_load(&err), ERR_OK);
    assert_int_equal(io_ewf_open(&ewf, &err), ERR_OK);
    assert_non_null(ewf.libewf_handle_open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_found_by_their_names),
        cmocka_unit_test(what_is_missing_is_named_with_its_package),
        cmocka_unit_test(those_of_images_are_loaded_when_asked),
    };
    return cmocka_run_group_tests_name("shared", tests, NULL, NULL);
}
