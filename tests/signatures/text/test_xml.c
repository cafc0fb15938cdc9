/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/text/test_xml.c - what is well-formed, where it ends, and what it is called;
 * documents by hand from XML 1.0. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

#define DECLARED "<?xml version=\"1.0\"?>"
#define XMP                                                                                        \
    "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta "                                \
    "xmlns:x='adobe:ns:meta/'></x:xmpmeta>"
#define SPACES_64 "                                                               \n"

struct xml_case {
    const char *type, *document;
};

static const struct xml_case whole[] = {
    { "xml", DECLARED "<a/>" },
    { "xml", DECLARED
      "\n<a b=\"1 > 2\" c='\"'>text<b></b ><![CDATA[</a>]]><!-- </a> --><?pi </a> ?></a>" },
    { "xml", DECLARED "<!DOCTYPE a [ <!ENTITY e \"]>\"> <!-- ]> --> ]><a>&e;</a>" },
    { "xml", DECLARED "<a></a>\n<!-- behind the root -->" },
    { "xml", DECLARED "<a></a><?pi behind?>" },
    { "xml", DECLARED "<svgx/>" },
    { "svg", "<svg width='4'/>" },
    { "svg", "<!-- made by hand --><svg:svg><svg:g/></svg:svg>" },
    { "svg", "\xef\xbb\xbf" DECLARED "<svg></svg>" },
    { "xhtml", DECLARED "<!DOCTYPE html PUBLIC 'x' 'y'><html><head/><body></body></html>" },
    { "xhtml", DECLARED "<html><head></head><body><br><p></body></html>" }, /* not well-formed */
    { "plist",
      DECLARED "<!DOCTYPE plist PUBLIC \"x\" \"y\"><plist version=\"1.0\"><dict></dict></plist>" },
    { "kml", DECLARED "<kml/>" },
    { "gpx", DECLARED "<gpx/>" },
    { "rss", "<rss version='2.0'><channel/></rss>" },
    { "atom", DECLARED "<feed xmlns='http://www.w3.org/2005/Atom'></feed>" },
    { "xml", DECLARED "<feed></feed>" },
    { "xsl", DECLARED
      "<xsl:stylesheet xmlns:xsl='http://www.w3.org/1999/XSL/Transform'></xsl:stylesheet>" },
    { "resx", DECLARED "<root><resheader name='x'/></root>" },
    { "fb2", DECLARED "<FictionBook/>" },
    { "xmp", XMP "<?xpacket end='w'?>" },
    { "xmp", XMP "\n" SPACES_64 SPACES_64 SPACES_64 "<?xpacket end='w'?>" },
};

static void documents_end_with_their_root(void **unused)
{
    static const char *const behind[] = {
        "", "text", "<b></a>", (DECLARED "<a/>"), "<!-- no end", "<?no end", "\x01"
    };
    char bytes[1024];

    (void)unused;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        for (size_t k = 0; k < sizeof behind / sizeof behind[0]; k++) {
            const size_t len = strlen(whole[i].document);

            memcpy(bytes, whole[i].document, len);
            memcpy(bytes + len, behind[k], strlen(behind[k]));
            const struct harness_verdict v =
                harness_check(harness_sig("xml"), (const uint8_t *)bytes, len + strlen(behind[k]));
            if (v.result.verdict != SIG_COMPLETE || v.result.len != len ||
                strcmp(v.type->name, whole[i].type) != 0)
                fail_msg("%s: %d, %zu, %s", bytes, v.result.verdict, (size_t)v.result.len,
                         v.type->name);
        }
}

/* One newline behind the end mark is the file's; more white space only where nothing but zeros
 * follows. */
static void newlines_belong_to_the_document(void **unused)
{
    static const struct {
        const char *tail;
        size_t len, taken;
    } tails[] = { { "\n", 1, 1 },    { "\r\nx", 3, 2 },       { "\n\n\0", 3, 2 },
                  { " \n x", 4, 2 }, { "\n\t \n\0\0", 6, 4 }, { "\r\n\nx", 4, 2 },
                  { "  x", 3, 0 },   { "\r\n\r\n\x01", 5, 4 } };
    char bytes[64] = DECLARED "<a/>";
    const size_t len = strlen(bytes);

    (void)unused;
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        memcpy(bytes + len, tails[i].tail, tails[i].len);
        const struct harness_verdict v =
            harness_check(harness_sig("xml"), (const uint8_t *)bytes, len + tails[i].len);
        assert_int_equal(v.result.verdict, SIG_COMPLETE);
        assert_int_equal(v.result.len, len + tails[i].taken);
    }
}

static void what_is_not_well_formed(void **unused)
{
    static const char *const texts[] = {
        DECLARED "<a></b>",          DECLARED "<a><b></a></b>",
        DECLARED "text<a/>",         DECLARED "<a b></a>",
        DECLARED "<a b=1></a>",      DECLARED "<a b='<'></a>",
        DECLARED "<a>< /a>",         DECLARED "<a>" DECLARED "</a>",
        "<?xml version='1.0' <a/>",  "<!-- x --><a/>",
        DECLARED "<a>\x01</a>",      DECLARED "<a / ></a>",
        DECLARED "<a></a",           DECLARED "<a>",
        DECLARED "<!DOCTYPE a <a/>",
    };

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (harness_check(harness_sig("xml"), (const uint8_t *)texts[i], strlen(texts[i]))
                .result.verdict != SIG_REJECT)
            fail_msg("taken: %s", texts[i]);
}

static void a_deep_document_is_walked(void **unused)
{
    static char bytes[40000] = DECLARED;
    size_t len = strlen(bytes);

    (void)unused;
    for (int i = 0; i < 5000; i++, len += 3)
        memcpy(bytes + len, "<a>", 3);
    for (int i = 0; i < 5000; i++, len += 4)
        memcpy(bytes + len, "</a>", 4);
    const struct harness_verdict v =
        harness_check(harness_sig("xml"), (const uint8_t *)bytes, sizeof bytes);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_end_with_their_root),
        cmocka_unit_test(newlines_belong_to_the_document),
        cmocka_unit_test(what_is_not_well_formed),
        cmocka_unit_test(a_deep_document_is_walked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
