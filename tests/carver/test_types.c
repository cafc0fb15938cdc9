/*
 * tests/carver/test_types.c - --types over the built-in signatures.
 *
 * What must come out is read from the signatures themselves, one by one, and not from the code that selects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "carver/types.h"

static uint32_t index_of(const struct types_selection *selection, const struct sig *sig)
{
    for (uint32_t i = 0; i < selection->count; i++)
        if (selection->sigs[i] == sig)
            return i;
    return UINT32_MAX;
}

static void by_default_all_but_those_that_are_off(void **state)
{
    struct types_selection selection;
    struct err err = { 0 };
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    (void)state;
    assert_int_equal(types_select(NULL, &selection, &err), ERR_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(index_of(&selection, all[i]) != UINT32_MAX, (all[i]->flags & SIG_OFF) == 0);
        assert_int_equal(types_wanted(&selection, all[i], NULL), (all[i]->flags & SIG_OFF) == 0);
    }
    types_release(&selection);
    types_release(&selection);
}

/* A name stands for one signature: two of a name would each find every file. */
static void names_are_unique(void **state)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++)
            if (all[i] == all[k] || strcasecmp(all[i]->name, all[k]->name) == 0)
                fail_msg("two signatures are called %s", all[i]->name);
}

static void all_is_all(void **state)
{
    struct types_selection selection;
    struct err err = { 0 };
    uint32_t count;

    (void)state;
    sig_builtin(&count);
    assert_int_equal(types_select("bmp,ALL", &selection, &err), ERR_OK);
    assert_int_equal(selection.count, count);
    types_release(&selection);
}

/* Every name of a signature gives that signature with all its types; the order of the list is kept. */
static void names_of_signatures(void **state)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct types_selection selection;
        struct err err = { 0 };

        assert_int_equal(types_select(all[i]->name, &selection, &err), ERR_OK);
        assert_int_not_equal(index_of(&selection, all[i]), UINT32_MAX);
        for (uint32_t k = 0; all[i]->types[k].name != NULL; k++)
            assert_true(types_wanted(&selection, all[i], &all[i]->types[k]));
        for (uint32_t k = 1; k < selection.count; k++) {
            uint32_t before = 0, after = 0;

            while (all[before] != selection.sigs[k - 1])
                before++;
            while (all[after] != selection.sigs[k])
                after++;
            assert_true(before < after);
        }
        types_release(&selection);
    }
}

/* A type inside of a family, which has not the family's name: that family, and of it that type alone. */
static void names_of_types_in_families(void **state)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; all[i]->types[k].name != NULL; k++) {
            struct types_selection selection;
            struct err err = { 0 };
            const char *name = all[i]->types[k].name;

            if (strcmp(name, all[i]->name) == 0)
                continue;
            assert_int_equal(types_select(name, &selection, &err), ERR_OK);
            assert_true(types_wanted(&selection, all[i], &all[i]->types[k]));
            for (uint32_t m = 0; all[i]->types[m].name != NULL; m++)
                if (strcmp(all[i]->types[m].name, name) != 0 && strcmp(all[i]->types[m].extension, name) != 0)
                    assert_false(types_wanted(&selection, all[i], &all[i]->types[m]));
            types_release(&selection);
        }
}

static void what_was_not_asked_for_is_not_wanted(void **state)
{
    const struct sig other = { .name = "other", .types = (const struct sig_type[]){ { "other", "" }, { 0 } } };
    struct types_selection selection;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(types_select("bmp", &selection, &err), ERR_OK);
    assert_int_equal(selection.count, 1);
    assert_string_equal(selection.sigs[0]->name, "bmp");
    assert_false(types_wanted(&selection, &other, &other.types[0]));
    types_release(&selection);
}

/* The masks of a family, with a family made by hand. */
static void a_family_is_asked_by_its_types(void **state)
{
    const struct sig_type types[] = { { "zip", "zip" }, { "docx", "docx" }, { "odt", "odt" }, { 0 } };
    const struct sig zip = { .name = "zip", .types = types };
    const struct sig_type stranger = { "xlsx", "xlsx" }, copy = { "docx", "docx" };
    const struct sig *sigs[] = { &zip };
    uint32_t masks[] = { 1u << 1 };
    const struct types_selection docx = { sigs, masks, 1 };

    (void)state;
    assert_false(types_wanted(&docx, &zip, NULL));
    assert_false(types_wanted(&docx, &zip, &types[0]));
    assert_true(types_wanted(&docx, &zip, &types[1]));
    assert_true(types_wanted(&docx, &zip, &copy));
    assert_false(types_wanted(&docx, &zip, &types[2]));
    assert_false(types_wanted(&docx, &zip, &stranger));
    masks[0] = 1;
    assert_true(types_wanted(&docx, &zip, NULL));
}

static void unknown_names(void **state)
{
    struct types_selection selection;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(types_select("bmp,bmq", &selection, &err), ERR_ARG);
    assert_non_null(strstr(err.text, "'bmq'"));
    assert_non_null(strstr(err.text, "near it: bmp ("));
    assert_int_equal(types_select("sqlite4,pdff", &selection, &err), ERR_ARG);
    assert_int_equal(types_select("nosuchthing", &selection, &err), ERR_ARG);
    assert_non_null(strstr(err.text, "'nosuchthing'"));
    assert_non_null(strstr(err.text, "burin info --types"));
    assert_int_equal(types_select("", &selection, &err), ERR_ARG);
    assert_int_equal(types_select("bmp,,bmp", &selection, &err), ERR_ARG);
    assert_int_equal(types_select("bmp,", &selection, &err), ERR_ARG);
    char longest[5000];
    memset(longest, 'b', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(types_select(longest, &selection, &err), ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_default_all_but_those_that_are_off),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(all_is_all),
        cmocka_unit_test(names_of_signatures),
        cmocka_unit_test(names_of_types_in_families),
        cmocka_unit_test(what_was_not_asked_for_is_not_wanted),
        cmocka_unit_test(a_family_is_asked_by_its_types),
        cmocka_unit_test(unknown_names),
    };
    return cmocka_run_group_tests_name("types", tests, NULL, NULL);
}
