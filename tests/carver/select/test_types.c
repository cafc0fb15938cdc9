/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/select/test_types.c - --types over the built-in signatures.
 *
 * What must come out is read from the signatures themselves, one by one, and not from the code that
 * selects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "carver/select/types.h"
#include "signatures/list.h"

static uint32_t index_of(const struct types_selection *selection, const struct sig *sig)
{
    for (uint32_t i = 0; i < selection->count; i++)
        if (selection->sigs[i] == sig)
            return i;
    return UINT32_MAX;
}

/* Each type in names, with blanks between, is one that some signature has, and in every one that
 * has it, it is wanted or not. */
static void expect_types(const struct types_selection *selection, const char *list,
                         const char *names, bool wanted)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (const char *name = names; *name != '\0'; name += strspn(name, " ")) {
        const size_t len = strcspn(name, " ");
        uint32_t seen = 0;

        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; all[i]->types[k].name != NULL; k++) {
                if (strlen(all[i]->types[k].name) != len ||
                    memcmp(all[i]->types[k].name, name, len) != 0)
                    continue;
                seen++;
                if (types_wanted(selection, all[i], &all[i]->types[k]) != wanted)
                    fail_msg("--types %s: %s of %s is%s looked for", list, all[i]->types[k].name,
                             all[i]->name, wanted ? " not" : "");
            }
        if (seen == 0)
            fail_msg("no type %.*s", (int)len, name);
        name += len;
    }
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
        assert_int_equal(index_of(&selection, all[i]) != UINT32_MAX,
                         (all[i]->flags & SIG_OFF) == 0);
        assert_int_equal(types_wanted(&selection, all[i], NULL), (all[i]->flags & SIG_OFF) == 0);
    }
    types_release(&selection);
    types_release(&selection);
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

/* Every name of a signature gives that signature with all its types; the order of the list is kept.
 */
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

/* A type that has not the name of its signature or family: that signature, and of it that type
 * alone. */
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

            if (strcmp(name, all[i]->name) == 0 || strcmp(name, sig_builtin_family(i)) == 0)
                continue;
            assert_int_equal(types_select(name, &selection, &err), ERR_OK);
            assert_true(types_wanted(&selection, all[i], &all[i]->types[k]));
            for (uint32_t m = 0; all[i]->types[m].name != NULL; m++)
                if (strcmp(all[i]->types[m].name, name) != 0 &&
                    strcmp(all[i]->types[m].extension, name) != 0)
                    assert_false(types_wanted(&selection, all[i], &all[i]->types[m]));
            types_release(&selection);
        }
}

/* What a user may write, and what then is looked for: a list of types, each found among the
 * built-in signatures by its own name. */
static void words_mean_what_users_expect(void **state)
{
    static const struct {
        const char *list, *wanted, *unwanted;
    } words[] = {
        { "doc", "doc", "xls ppt zip docx ole art" },
        { "xls", "xls", "doc xlsx" },
        { "DOCX", "docx", "doc zip xlsx" },
        { "mp4", "mp4", "mov m4a mkv" },
        { "mov", "mov", "mp4" },
        { "swf", "swf", "flv" },
        { "jpg,png", "jpg png", "gif jp2 zip" },
        { "jpeg", "jpg", "jp2" },                       /* a family's name */
        { "mail", "eml mbox msg", "doc idx" },          /* and a category, without what is off */
        { "pictures", "jpg tiff webp", "art wav pdf" }, /* a category, over many signatures */
        { "Keys,gif", "kdbx pem-key gif", "elf jpg" },  /* likewise */
        { "isobmff", "mp4 mov heic", "mkv" },           /* a signature's */
        { "ole", "doc xls msg", "docx" },               /* likewise */
        { "tif", "tiff", "dng" },                       /* an extension */
        { "tiff", "tiff dng", "jpg" },                  /* the signature */
        { "pst", "pst", "ost" },                        /* no rule hides the validator */
        { "plist", "plist", "xml" },                    /* one name, two formats */
        { "reg", "winreg", "hive" },                    /* an extension */
        { "db", "thumbs.db bdb", "sqlite doc" },        /* an extension of two families */
        { "zip", "zip docx jar", "doc" },               /* all that is a ZIP archive */
        { "rules", "art idx", "jpg" },                  /* what has no validator */
    };

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct types_selection selection;
        struct err err = { 0 };

        assert_int_equal(types_select(words[i].list, &selection, &err), ERR_OK);
        expect_types(&selection, words[i].list, words[i].wanted, true);
        expect_types(&selection, words[i].list, words[i].unwanted, false);
        types_release(&selection);
    }
}

static void what_was_not_asked_for_is_not_wanted(void **state)
{
    const struct sig other = { .name = "other",
                               .types = (const struct sig_type[]){ { "other", "" }, { 0 } } };
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
    const struct sig_type types[] = {
        { "zip", "zip" }, { "docx", "docx" }, { "odt", "odt" }, { 0 }
    };
    const struct sig zip = { .name = "zip", .types = types };
    const struct sig_type stranger = { "xlsx", "xlsx" }, copy = { "docx", "docx" };
    const struct sig *sigs[] = { &zip };
    uint64_t masks[] = { 1u << 1 };
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
    assert_non_null(strstr(err.text, "did you mean bmp?"));
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

/*
 * What a word selects among objects; one that a rule of a configuration file made is in no list of
 * ours.
 */
static void objects_are_chosen_as_types_are(void **state)
{
    static const struct {
        const char *list, *type, *extension;
        bool has;
    } rows[] = {
        { "jpg", "jpg", "jpg", true },      { "JPEG", "jpg", "jpg", true }, /* the family */
        { "jpeg", "jp2", "jp2", false },    { "tif", "tiff", "tif", true }, /* an extension */
        { "tiff", "dng", "dng", true }, /* a signature with several types */
        { "zip", "docx", "docx", true },    { "docx", "zip", "zip", false },
        { "docx,Gif", "GIF", "gif", true }, { "mail", "eml", "eml", true },
        { "mail", "pst", "pst", true }, /* a category, */
        { "mail", "idx", "idx", true }, /* with those that a scan finds on request only */
        { "mail", "pdf", "pdf", false },    { "db", "thumbs.db", "db", true },
        { "jpg", "picture", "jpg", true }, /* a rule of that extension */
        { "jpg", "picture", "", false },    { "png,all", "picture", "xyz", true },
        { NULL, "picture", "", true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct types_filter filter;
        struct err err = { 0 };

        assert_int_equal(types_filter_open(rows[i].list, NULL, &filter, &err), ERR_OK);
        if (types_filter_has(&filter, rows[i].type, rows[i].extension) != rows[i].has)
            fail_msg("--types %s: %s (%s)", rows[i].list, rows[i].type, rows[i].extension);
        types_filter_close(&filter);
        types_filter_close(&filter);
    }
}

/* Every word that a scan takes means to a list the same types. */
static void scans_and_lists_agree(void **state)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);
    struct err err = { 0 };

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; all[i]->types[k].name != NULL; k++) {
            const char *words[] = { all[i]->name, sig_builtin_family(i), all[i]->types[k].name,
                                    all[i]->types[k].extension };

            for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
                struct types_selection selection;
                struct types_filter filter;

                if (words[w][0] == '\0')
                    continue;
                assert_int_equal(types_select(words[w], &selection, &err), ERR_OK);
                assert_int_equal(types_filter_open(words[w], NULL, &filter, &err), ERR_OK);
                for (uint32_t t = 0; all[i]->types[t].name != NULL; t++)
                    if (types_wanted(&selection, all[i], &all[i]->types[t]) &&
                        !types_filter_has(&filter, all[i]->types[t].name,
                                          all[i]->types[t].extension))
                        fail_msg("%s: scan gives %s, list leaves it out", words[w],
                                 all[i]->types[t].name);
                types_release(&selection);
                types_filter_close(&filter);
            }
        }
}

static void unknown_names_of_objects(void **state)
{
    struct types_filter filter;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(types_filter_open("png,jgp", NULL, &filter, &err), ERR_ARG);
    assert_non_null(strstr(err.text, "no type 'jgp'"));
    assert_non_null(strstr(err.text, "jpg"));
    assert_int_equal(types_filter_open("png,", NULL, &filter, &err), ERR_ARG);
    assert_int_equal(types_check("png,", &err), ERR_ARG);
    assert_int_equal(types_check("", &err), ERR_ARG);
    assert_int_equal(types_check("png,nosuchtype", &err), ERR_OK);
    assert_int_equal(types_check(NULL, &err), ERR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_default_all_but_those_that_are_off),
        cmocka_unit_test(all_is_all),
        cmocka_unit_test(names_of_signatures),
        cmocka_unit_test(names_of_types_in_families),
        cmocka_unit_test(words_mean_what_users_expect),
        cmocka_unit_test(what_was_not_asked_for_is_not_wanted),
        cmocka_unit_test(a_family_is_asked_by_its_types),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(objects_are_chosen_as_types_are),
        cmocka_unit_test(scans_and_lists_agree),
        cmocka_unit_test(unknown_names_of_objects),
    };
    return cmocka_run_group_tests_name("types", tests, NULL, NULL);
}
