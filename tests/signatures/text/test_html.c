/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/text/test_html.c - where a page ends, by hand: comments, scripts, pages inside
 * of pages, slack, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

#define PAGE "<!DOCTYPE html>\n<HTML lang=en><head><title>t</title></head><body><p>text</p>"

struct html_case {
    const char *page, *behind; /* behind: what follows the file */
    size_t behind_len;
};
#define BEHIND(literal) (literal), sizeof(literal) - 1

static void ends_of_pages(void **unused)
{
    static const struct html_case cases[] = {
        { PAGE "</body></html>", BEHIND("text behind it") },
        { PAGE "</body></html>", BEHIND("") },
        { PAGE "</body></html>", BEHIND("\0\0\0") },
        { PAGE "</body></html>\n", BEHIND("") },
        { PAGE "</body></HTML >\r\n", BEHIND("<!DOCTYPE html><html>") },
        { PAGE "</body></html>\n\n  \n", BEHIND("\0\0") },
        { PAGE "</body></html>\n", BEHIND("  and on") },
        { PAGE "</body></html>\n", BEHIND("\x80\x01\xfe") },
        { PAGE "<!-- </html> --></body></html>", BEHIND("\0") },
        { PAGE "<!--> </body></html>", BEHIND("\0") },
        { PAGE "<script>w('</html>');</SCRIPT></body></html>", BEHIND("\0") },
        { PAGE "<script>s = '\x14\x01';</script></body></html>\n", BEHIND("text") },
        { PAGE "<script>never closed </body></html>\n", BEHIND("\0") },
        { PAGE "<iframe><html><body></body></html></iframe></body></html>", BEHIND("\0") },
        { PAGE "</body></html>\n<!-- served from a cache -->\n", BEHIND("\0") },
        { PAGE "</body></html>\n", BEHIND("<!-- never ends") },
        { "\xef\xbb\xbf<html><body></body></html>", BEHIND("text") },
        { "<!-- saved from url=(0014)about:internet -->\r\n<html><body></body></html>",
          BEHIND("text") },
    };
    char bytes[1024];

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t len = strlen(cases[i].page);

        memcpy(bytes, cases[i].page, len);
        memcpy(bytes + len, cases[i].behind, cases[i].behind_len);
        assert_true(harness_header_matches(harness_sig("html"), (const uint8_t *)bytes, len));
        const struct harness_verdict v =
            harness_check(harness_sig("html"), (const uint8_t *)bytes, len + cases[i].behind_len);
        if (v.result.verdict != SIG_COMPLETE || v.result.len != len)
            fail_msg("%s: %d, %zu", cases[i].page, v.result.verdict, (size_t)v.result.len);
    }
}

static void what_is_no_page(void **unused)
{
    static const char *const texts[] = {
        "<html",         "<!-- a comment --> and no page", PAGE,
        "<html></html>", "<htmlx><body></body></html>",    "<head></html>"
    };

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(
            harness_check(harness_sig("html"), (const uint8_t *)texts[i], strlen(texts[i]))
                .result.verdict,
            SIG_REJECT);
}

/* Pages without </html> end with their text, if it ends inside of a sector: with a tag or a newline
 * where zeros fill that, with both where random bytes do. What ends with the sector may go on
 * elsewhere. */
static void pages_without_an_end(void **unused)
{
    static const struct {
        const char *last;
        uint32_t len; /* of the page */
        uint8_t behind;
        enum sig_verdict verdict;
        bool random; /* what is behind it */
    } cases[] = {
        { "</p>\n", 1700, 0, SIG_COMPLETE, true },
        { "and so\n", 1700, 0, SIG_BREAKS, true },
        { "</p>", 1700, 0, SIG_BREAKS, true },
        { "</p>\n", 1536, 0, SIG_BREAKS, true },
        { "and so", 1700, 0, SIG_BREAKS, false },
        { "</p>\n", 1700, 0, SIG_COMPLETE, false },
        { "</body>", 1700, 0, SIG_COMPLETE, false },
        { "</body>\n\n", 1530, 0, SIG_COMPLETE, false },
        { "</body>\n", 1536, 0, SIG_BREAKS, false },
        { "and so\n", 1700, 0, SIG_COMPLETE, false },
        { "</p>\n", 1700, 0x80, SIG_BREAKS, false },
        { "</p>\n", 900, 0, SIG_REJECT, false },
    };
    static char bytes[4096];
    uint64_t seed = 88172645463325252u;

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t last = strlen(cases[i].last);

        memset(bytes, 'x', cases[i].len);
        memcpy(bytes, PAGE, strlen(PAGE));
        for (size_t at = strlen(PAGE); at < 300; at += 4)
            memcpy(bytes + at, "<br>", 4);
        memcpy(bytes + cases[i].len - last, cases[i].last, last);
        memset(bytes + cases[i].len, 0, sizeof bytes - cases[i].len);
        bytes[cases[i].len + 3] = (char)cases[i].behind;
        for (size_t at = cases[i].len; cases[i].random && at < sizeof bytes; at++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            bytes[at] = (char)(seed >> 32);
        }
        const struct harness_verdict v =
            harness_check(harness_sig("html"), (const uint8_t *)bytes, sizeof bytes);
        if (v.result.verdict != cases[i].verdict ||
            (v.result.verdict == SIG_COMPLETE && v.result.len != cases[i].len))
            fail_msg("case %zu: %d, %zu", i, v.result.verdict, (size_t)v.result.len);
    }
}

/* A page whose rest was written over by another one. */
static void another_page_on_a_sector_breaks_it(void **unused)
{
    static char bytes[4096];
    static const char *const others[] = { PAGE "</body></html>",
                                          "<?xml version=\"1.0\"?>\n" PAGE "</body></html>" };
    const char *start = PAGE;

    (void)unused;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        memset(bytes, 'x', sizeof bytes);
        memcpy(bytes, start, strlen(start));
        for (int k = 0; k < 20; k++)
            memcpy(bytes + 200 + 10 * k, "<p>and on ", 10);
        memcpy(bytes + 2048, others[i], strlen(others[i]));
        const struct harness_verdict v =
            harness_check(harness_sig("html"), (const uint8_t *)bytes, sizeof bytes);
        assert_int_equal(v.result.verdict, SIG_BREAKS);
        assert_int_equal(v.result.len, 2048);
    }
}

/* A licence may stand in front of a page, but not a whole book: and that must not depend on how
 * many bytes are there to see. */
static void a_page_begins_within_its_first_4096_characters(void **unused)
{
    static const uint32_t comments[] = { 1000, 3000, 4000, 4200, 6000 };
    static char bytes[8192];

    (void)unused;
    for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++) {
        const size_t len = comments[i] + strlen(PAGE "</html>");

        memset(bytes, ' ', comments[i]);
        memcpy(bytes, "<!--", 4);
        memcpy(bytes + comments[i] - 3, "-->", 3);
        memcpy(bytes + comments[i], PAGE "</html>", len - comments[i]);
        memset(bytes + len, 0, sizeof bytes - len);
        const struct harness_verdict v =
            harness_check(harness_sig("html"), (const uint8_t *)bytes, sizeof bytes);
        assert_int_equal(v.result.verdict, comments[i] < 4096 ? SIG_COMPLETE : SIG_REJECT);
    }
}

/* A page's head comes among its first 128 tags, or it is none; read in one go, later tags are seen
 * before that is asked. */
static void a_head_comes_within_128_tags(void **unused)
{
    static const uint32_t tags[] = { 10, 126, 140, 1000 };
    static char bytes[8192];

    (void)unused;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        char *p = bytes;

        p += sprintf(p, "<html>");
        for (uint32_t k = 1; k < tags[i]; k++)
            p += sprintf(p, "<p>");
        p += sprintf(p, "<body>and some text of it</body></html>");
        memset(p, 0, (size_t)(bytes + sizeof bytes - p));
        const struct harness_verdict v =
            harness_check(harness_sig("html"), (const uint8_t *)bytes, sizeof bytes);
        assert_int_equal(v.result.verdict, tags[i] < 128 ? SIG_COMPLETE : SIG_REJECT);
    }
}

/* Faults of pages, counted by hand; read in one go and byte by byte. */
static void elements_nest(void **unused)
{
    static const struct {
        const char *text;
        uint32_t wrong;
    } cases[] = {
        { PAGE "</body></html>", 0 },
        { "<div><b>bold</b></div>", 0 },
        { "<div><b>bold</div>", 1 },
        { "<div><b>bold</b>", 1 },
        { "bold</b></div>", 2 },
        { "<ul><li>one<li>two</ul><br><img src=a><hr/>", 0 },
        { "<table><tr><td>1<td>2<tr><td><i>3</table>", 1 },
        { "<a href=\"x\" <b>y</b>", 1 },
        { "class=x>y", 1 },
        { "<a hre", 1 },
        { "if (1 < 2)", 1 },
        { "<!-- <div> > --><b></b>", 0 },
        { "<!-- <div> >", 1 },
        { "<script>if (a < b && c > d) '<div>'</script>", 0 },
        { "<style>a > b {}</STYLE >", 0 },
        { "<script>never closed", 2 },
        { "<script>pt('<div>')</script>", 0 },
        { "<style>le > a {}</style>", 0 },
        { "<DIV></div><p/><span/>", 0 },
        { "<!DOCTYPE html><?xml version=\"1.0\"?>", 0 },
    };
    const struct sig *sig = harness_sig("html");

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t *text = (const uint8_t *)cases[i].text;
        const uint32_t len = (uint32_t)strlen(cases[i].text);
        struct sig_nest at_once = { .depth = 0 }, each = { .depth = 0 };

        sig->nest(&at_once, text, len);
        for (uint32_t k = 0; k < len; k++)
            sig->nest(&each, text + k, 1);
        if (sig->nest_wrong(&at_once) != cases[i].wrong || sig->nest_wrong(&each) != cases[i].wrong)
            fail_msg("case %zu: %u, %u", i, sig->nest_wrong(&at_once), sig->nest_wrong(&each));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_pages),
        cmocka_unit_test(what_is_no_page),
        cmocka_unit_test(pages_without_an_end),
        cmocka_unit_test(another_page_on_a_sector_breaks_it),
        cmocka_unit_test(a_page_begins_within_its_first_4096_characters),
        cmocka_unit_test(a_head_comes_within_128_tags),
        cmocka_unit_test(elements_nest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
