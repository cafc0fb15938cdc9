/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/text/test_json_validator.c - the grammar of RFC 8259, and parts of something
 * larger, which are no documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

#define FILL "\"fill\":\"0123456789012345678901234567890123456789012345678901234567890123456789\""

static struct harness_verdict check(const char *text, const char *behind)
{
    char bytes[512];

    memcpy(bytes, text, strlen(text));
    memcpy(bytes + strlen(text), behind, strlen(behind));
    return harness_check(harness_sig("json"), (const uint8_t *)bytes,
                         strlen(text) + strlen(behind));
}

static void whole_documents(void **unused)
{
    static const struct {
        const char *type, *text;
    } cases[] = {
        { "json", "{" FILL ",\"a\":[1,-2.5e+3,true,false,null,{},[]]}\n" },
        { "json", "[{" FILL "},\r\n {\"\\u00fc\\\"\":\"}]\"} ]" },
        { "jsonl", "{" FILL ",\"n\":1}\n{\"n\":2}\n{\"n\":3}\n" },
        { "ipynb", "{\"cells\":[]," FILL ",\"nbformat\":4}" },
        { "har", "{\"log\":{\"version\":\"1.2\"," FILL "}}" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct harness_verdict v = check(cases[i].text, "\x01");

        if (v.result.verdict != SIG_COMPLETE || v.result.len != strlen(cases[i].text) ||
            strcmp(v.type->name, cases[i].type) != 0)
            fail_msg("%s: %d, %zu, %s", cases[i].text, v.result.verdict, (size_t)v.result.len,
                     v.type->name);
    }
}

static void what_is_none(void **unused)
{
    static const char *const texts[] = {
        "{" FILL "},",            /* an element of an array */
        "{" FILL ",\"n\":1}\n ]", /* the last one */
        "{" FILL ",\"n\":1});",   /* an argument in a program */
        "{" FILL ",}",
        "{" FILL " \"n\":1}",
        "{" FILL ",n:1}",
        "{" FILL ",\"n\":tru}",
        "{" FILL ",\"n\":1]",
        "{" FILL ",\"n\":\"\n\"}",
        "{" FILL ",\"n\":\"\\x\"}",
        ("{" FILL),
        "{\"short\":1,\"n\":2}",
    };

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (check(texts[i], "").result.verdict != SIG_REJECT)
            fail_msg("taken: %s", texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(whole_documents),
                                        cmocka_unit_test(what_is_none) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
