/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_category.c - every type of every built-in signature has a category, and
 * categories.def has no other lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "signatures/category.h"

#define TYPE(type, category) type,
static const char *const lines[] = {
#include "signatures/categories.def"
};
#undef TYPE

static void every_type_has_one(void **state)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < SIG_TYPES_MAX && all[i]->types[k].name != NULL; k++)
            if (sig_category_of(all[i]->types[k].name) == SIG_CATEGORY_OTHER)
                fail_msg("type %s of %s has no line in signatures/categories.def",
                         all[i]->types[k].name, all[i]->name);
}

static bool is_a_type(const char *name)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < SIG_TYPES_MAX && all[i]->types[k].name != NULL; k++)
            if (strcmp(all[i]->types[k].name, name) == 0)
                return true;
    return false;
}

/* In order, without a second one: else bsearch would miss some. */
static void every_line_is_a_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (!is_a_type(lines[i]))
            fail_msg("signatures/categories.def: no signature has a type %s", lines[i]);
        if (i > 0 && strcmp(lines[i - 1], lines[i]) >= 0)
            fail_msg("signatures/categories.def: %s does not stand before %s", lines[i],
                     lines[i - 1]);
    }
}

static void some_by_hand(void **state)
{
    (void)state;
    assert_int_equal(sig_category_of("jpg"), SIG_CATEGORY_PICTURES);
    assert_int_equal(sig_category_of("wav"), SIG_CATEGORY_SOUND);
    assert_int_equal(sig_category_of("avi"), SIG_CATEGORY_VIDEO);
    assert_int_equal(sig_category_of("docx"), SIG_CATEGORY_DOCUMENTS);
    assert_int_equal(sig_category_of("pst"), SIG_CATEGORY_MAIL);
    assert_int_equal(sig_category_of("sqlite"), SIG_CATEGORY_DATABASES);
    assert_int_equal(sig_category_of("zip"), SIG_CATEGORY_ARCHIVES);
    assert_int_equal(sig_category_of("kdbx"), SIG_CATEGORY_KEYS);
    assert_int_equal(sig_category_of("evtx"), SIG_CATEGORY_SYSTEM);
    assert_int_equal(sig_category_of("elf"), SIG_CATEGORY_PROGRAMS);
    assert_int_equal(sig_category_of("of a rule"), SIG_CATEGORY_OTHER);
    for (int i = 0; i < SIG_CATEGORY_COUNT; i++)
        assert_non_null(sig_category_name((enum sig_category)i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_one),
        cmocka_unit_test(every_line_is_a_type),
        cmocka_unit_test(some_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
