/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/text/test_pim.c - cards and calendars: several in a file, folds, soft breaks,
 * components that do not nest. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

#define CARD "BEGIN:VCARD\r\nVERSION:2.1\r\nN:Doe;Jane\r\nFN:Jane Doe\r\n"
#define CALENDAR "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:1\n"

static struct harness_verdict check(const char *text, const char *behind)
{
    char bytes[1024];

    memcpy(bytes, text, strlen(text));
    memcpy(bytes + strlen(text), behind, strlen(behind));
    return harness_check(harness_sig("vcf"), (const uint8_t *)bytes, strlen(text) + strlen(behind));
}

static void whole_files(void **unused)
{
    static const struct {
        const char *type, *text, *behind;
    } cases[] = {
        { "vcf", CARD "END:VCARD\r\n", "text" },
        { "vcf", CARD "END:VCARD", "text" },
        { "vcf", CARD "END:VCARD\r\n" CARD "END:VCARD\r\n", "BEGIN:VNOTE\r\n" },
        { "vcf", CARD "END:VCARD\r\n\r\n" CARD "END:VCARD\r\n", "\x01" },
        { "vcf",
          CARD "NOTE;ENCODING=QUOTED-PRINTABLE:a =\r\nno property=\r\nor this\r\nEND:VCARD\r\n",
          "" },
        { "vcf",
          CARD "PHOTO;ENCODING=BASE64:\r\n AAAA\r\n AAAA\r\n\r\nitem1.TEL:1\r\nend:vcard\r\n", "" },
        { "ics", CALENDAR "END:VEVENT\nEND:VCALENDAR\n", "x" },
        { "vcs", "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VTODO\nSUMMARY:x\nEND:VTODO\nEND:VCALENDAR\n",
          "x" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct harness_verdict v = check(cases[i].text, cases[i].behind);

        if (v.result.verdict != SIG_COMPLETE || v.result.len != strlen(cases[i].text) ||
            strcmp(v.type->name, cases[i].type) != 0)
            fail_msg("%s: %d, %zu, %s", cases[i].text, v.result.verdict, (size_t)v.result.len,
                     v.type->name);
    }
}

static void what_is_none(void **unused)
{
    static const char *const texts[] = {
        CARD,
        CARD "no property\r\nEND:VCARD\r\n",
        CALENDAR "END:VCALENDAR\n",
        CALENDAR "END:VTODO\nEND:VCALENDAR\n",
        "BEGIN:VCARD\r\nEND:VCARD\r\n",
        "BEGIN:VCARDS\r\nand text\r\n",
    };

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (check(texts[i], "").result.verdict == SIG_COMPLETE)
            fail_msg("taken: %s", texts[i]);
}

/* A card that breaks off behind whole ones: the file goes on elsewhere. */
static void a_broken_card_breaks_the_file(void **unused)
{
    const struct harness_verdict v = check(CARD "END:VCARD\r\n" CARD, "\x01");

    (void)unused;
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, strlen(CARD "END:VCARD\r\n" CARD));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(whole_files),
                                        cmocka_unit_test(what_is_none),
                                        cmocka_unit_test(a_broken_card_breaks_the_file) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
