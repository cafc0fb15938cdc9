/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_media.c - every line of media.def is a type, in order, with a media type of
 * the form that RFC 6838 gives, or numbers as PRONOM writes them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <regex.h>
#include <string.h>

#include "signatures/category.h"
#include "signatures/media.h"

#define MEDIA(type, media_type, pronom) { type, media_type, pronom },
static const struct {
    const char *type, *media_type, *pronom;
} lines[] = {
#include "signatures/media.def"
};
#undef MEDIA

static void every_line_is_a_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (sig_category_of(lines[i].type) == SIG_CATEGORY_OTHER)
            fail_msg("signatures/media.def: no signature has a type %s", lines[i].type);
        if (i > 0 && strcmp(lines[i - 1].type, lines[i].type) >= 0)
            fail_msg("signatures/media.def: %s does not stand before %s", lines[i].type,
                     lines[i - 1].type);
    }
}

/* Names that begin with x- are not registered. */
static void names_have_their_forms(void **state)
{
    regex_t media, pronom;

    (void)state;
    assert_int_equal(
        regcomp(&media,
                "^$|^(application|audio|font|image|message|model|multipart|text|video)/"
                "([a-wyzA-Z0-9]|x[^-])[A-Za-z0-9!#$&^_.+-]{0,126}$",
                REG_EXTENDED | REG_NOSUB),
        0);
    assert_int_equal(regcomp(&pronom, "^$|^(x-)?fmt/[1-9][0-9]*( (x-)?fmt/[1-9][0-9]*)*$",
                             REG_EXTENDED | REG_NOSUB),
                     0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (regexec(&media, lines[i].media_type, 0, NULL, 0) != 0)
            fail_msg("%s: %s is no media type", lines[i].type, lines[i].media_type);
        if (regexec(&pronom, lines[i].pronom, 0, NULL, 0) != 0)
            fail_msg("%s: %s are no numbers of PRONOM", lines[i].type, lines[i].pronom);
        if (lines[i].media_type[0] == '\0' && lines[i].pronom[0] == '\0')
            fail_msg("%s has a line without a name", lines[i].type);
    }
    regfree(&media);
    regfree(&pronom);
}

static void some_by_hand(void **state)
{
    (void)state;
    assert_string_equal(sig_media_type("jpg"), "image/jpeg");
    assert_string_equal(sig_media_type("docx"),
                        "application/vnd.openxmlformats-officedocument.wordprocessingml.document");
    assert_string_equal(sig_media_type("chrome-history"), "application/vnd.sqlite3");
    assert_string_equal(sig_pronom("gif"), "fmt/3 fmt/4");
    assert_string_equal(sig_pronom("zip"), "x-fmt/263");
    assert_null(sig_media_type("tar")); /* PRONOM knows it, IANA does not */
    assert_string_equal(sig_pronom("tar"), "x-fmt/265");
    assert_null(sig_media_type("of a rule"));
    assert_null(sig_pronom("of a rule"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_a_type),
        cmocka_unit_test(names_have_their_forms),
        cmocka_unit_test(some_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
