/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/plan/test_pair_vectors.c - configuration text and image bytes in, carved (offset,
 * length) out.
 *
 * Goal: rules mean here what they mean in Scalpel 2.x and foremost 1.5.7. Each row is a vector that
 * was run on those tools. Method: sig_conf_parse, then every pattern tried at every offset (libc's
 * regular expressions for regex rules), then pair.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/plan/pair.h"
#include "signatures/conf.h"

enum { IMAGE_MAX = 8192, RANGES_MAX = 64 };

struct piece {
    uint32_t at;
    const char *text;
};

struct vector {
    const char *name, *conf;
    enum sig_compat compat;
    uint32_t image_len;
    struct piece pieces[6];
    uint64_t want[4][2]; /* offset, length; by offset; length 0 ends */
};

struct found {
    uint64_t ranges[RANGES_MAX][2];
    uint32_t count;
};

static enum err_code keep(void *arg, const struct pair_range *range, struct err *err)
{
    struct found *found = arg;

    (void)err;
    assert_true(found->count < RANGES_MAX);
    found->ranges[found->count][0] = range->offset;
    found->ranges[found->count++][1] = range->len;
    return ERR_OK;
}

static int by_offset(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Length of the match at image[at], or 0. */
static uint32_t match_at(const struct sig_pattern *p, bool is_regex, bool fold,
                         const uint8_t *image, uint32_t len, uint32_t at)
{
    if (is_regex) {
        regmatch_t m = { .rm_so = (regoff_t)at, .rm_eo = (regoff_t)len };
        regex_t re;
        char text[256];

        snprintf(text, sizeof text, "%.*s", (int)p->len, p->bytes);
        assert_int_equal(regcomp(&re, text, REG_EXTENDED | (fold ? REG_ICASE : 0)), 0);
        const bool hit =
            regexec(&re, (const char *)image, 1, &m, REG_STARTEND) == 0 && (uint32_t)m.rm_so == at;
        regfree(&re);
        return hit ? (uint32_t)(m.rm_eo - m.rm_so) : 0;
    }
    if (p->len > len - at)
        return 0;
    for (uint32_t i = 0; i < p->len; i++) {
        const int a = (uint8_t)p->bytes[i], b = image[at + i];

        if (p->mask != NULL && p->mask[i] == 0)
            continue;
        if (fold ? tolower(a) != tolower(b) : a != b)
            return 0;
    }
    return p->len;
}

static void carve(const struct sig_conf *conf, enum sig_compat compat, const uint8_t *image,
                  uint32_t len, struct found *found)
{
    const struct sig **rules = calloc(conf->rule_count, sizeof *rules);
    struct pair *pair;
    struct err err = { 0 };

    for (uint32_t i = 0; i < conf->rule_count; i++)
        rules[i] = &conf->rules[i];
    assert_int_equal(pair_open(rules, conf->rule_count, compat, keep, found, &pair, &err), ERR_OK);
    assert_int_equal(pair_begin(pair, 0, len, &err), ERR_OK);
    for (uint32_t at = 0; at < len; at++)
        for (uint32_t i = 0; i < conf->rule_count; i++) {
            const struct sig *rule = rules[i];
            const bool fold = (rule->flags & SIG_NO_CASE) != 0;
            const uint32_t head = match_at(&rule->headers[0], (rule->flags & SIG_REGEX_HEADER) != 0,
                                           fold, image, len, at);
            const uint32_t foot =
                rule->footer.len == 0
                    ? 0
                    : match_at(&rule->footer, (rule->flags & SIG_REGEX_FOOTER) != 0, fold, image,
                               len, at);
            bool useful;

            if (head > 0)
                assert_int_equal(pair_header(pair, i, at, head, at, &err), ERR_OK);
            if (foot > 0)
                assert_int_equal(pair_footer(pair, i, at, foot, &useful, &err), ERR_OK);
        }
    assert_int_equal(pair_end(pair, &err), ERR_OK);
    pair_close(pair);
    free(rules);
    qsort(found->ranges, found->count, sizeof found->ranges[0], by_offset);
}

static const struct vector vectors[] = {
    { "1 unknown escape keeps its backslash",
      "a y 20 \\x4F\\123\\I\\sCCI\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "OSI CCI" }, { 100, "OS\\I CCI" } },
      { { 100, 20 } } },
    { "1 the same by default",
      "a y 20 \\x4F\\123\\I\\sCCI\n",
      SIG_COMPAT_NONE,
      200,
      { { 10, "OSI CCI" }, { 100, "OS\\I CCI" } },
      { { 100, 20 } } },
    { "2 # later in a line is a footer: none there",
      "a y 50 HEAD # comment here\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "HEAD" } },
      { { 0 } } },
    { "2 # later in a line is a footer: found",
      "a y 50 HEAD # comment here\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "HEAD" }, { 30, "#" } },
      { { 10, 21 } } },
    { "2 foremost carves max bytes",
      "a y 50 HEAD # comment here\n",
      SIG_COMPAT_FOREMOST,
      200,
      { { 10, "HEAD" } },
      { { 10, 50 } } },
    { "3 FORWARD_NEXT is FORWARD",
      "a y 100 HEAD FOOT FORWARD_NEXT\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "HEAD" }, { 50, "FOOT" } },
      { { 10, 44 } } },
    { "4 REVERSE as fifth column is the footer",
      "a y 100 HEAD REVERSE\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "HEAD" }, { 30, "REVERSE" }, { 60, "REVERSE" } },
      { { 10, 27 } } },
    { "5 REVERSE, footer at +98",
      "a y 100 HEAD FOOT REVERSE\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" }, { 108, "FOOT" } },
      { { 10, 102 } } },
    { "5 REVERSE, footer at +100",
      "a y 100 HEAD FOOT REVERSE\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" }, { 110, "FOOT" } },
      { { 10, 104 } } },
    { "5 REVERSE, footer at +101",
      "a y 100 HEAD FOOT REVERSE\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" }, { 111, "FOOT" } },
      { { 0 } } },
    { "5 REVERSE takes the last one within max",
      "a y 100 HEAD FOOT REVERSE\n",
      SIG_COMPAT_NONE,
      300,
      { { 10, "HEAD" }, { 50, "FOOT" }, { 90, "FOOT" }, { 111, "FOOT" } },
      { { 10, 84 } } },
    { "6 FORWARD, footer at +96",
      "a y 100 HEAD FOOT\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" }, { 106, "FOOT" } },
      { { 10, 100 } } },
    { "6 FORWARD, footer at +98",
      "a y 100 HEAD FOOT\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" }, { 108, "FOOT" } },
      { { 0 } } },
    { "6 NEXT, footer at +100",
      "a y 100 HEAD FOOT NEXT\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" }, { 110, "FOOT" } },
      { { 10, 100 } } },
    { "6 NEXT, footer at +101",
      "a y 100 HEAD FOOT NEXT\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" }, { 111, "FOOT" } },
      { { 10, 100 } } },
    { "6 NEXT leaves the footer out",
      "a y 100 HEAD FOOT NEXT\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" }, { 40, "FOOT" } },
      { { 10, 30 } } },
    { "7 footer inside of the header",
      "a y 100 ABCD CD\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "ABCD" }, { 50, "CD" } },
      { { 10, 4 } } },
    { "8 a leading wildcard needs a byte before",
      "a y 20 ?WPC\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 0, "WPC" } },
      { { 0 } } },
    { "8 and takes any",
      "a y 20 ?WPC\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 1, "WPC" } },
      { { 0, 20 } } },
    { "9 the last wildcard line holds for all",
      "a y 20 A?C\nwildcard *\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "AxC" }, { 60, "A?C" } },
      { { 60, 20 } } },
    { "10 \\x3f is the wildcard",
      "a y 20 A\\x3fC\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "AxC" } },
      { { 10, 20 } } },
    { "10 \\077 is the wildcard",
      "a y 20 A\\077C\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "AxC" } },
      { { 10, 20 } } },
    { "10 \\063 is the digit 3",
      "a y 20 A\\063C\n",
      SIG_COMPAT_SCALPEL,
      200,
      { { 10, "AxC" }, { 60, "A3C" } },
      { { 60, 20 } } },
    { "11 min:max",
      "a y 5:100 HEAD\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" } },
      { { 10, 100 } } },
    { "11 min:max by default",
      "a y 5:100 HEAD FOOT\n",
      SIG_COMPAT_NONE,
      300,
      { { 10, "HEADFOO" }, { 60, "FOOT" } },
      { { 10, 54 } } },
    { "11 too short for the minimum",
      "a y 50:100 HEAD FOOT\n",
      SIG_COMPAT_NONE,
      300,
      { { 10, "HEAD" }, { 50, "FOOT" } },
      { { 0 } } },
    { "11 min:max is max 5 in foremost",
      "a y 5:100 HEAD\n",
      SIG_COMPAT_FOREMOST,
      300,
      { { 10, "HEAD" } },
      { { 10, 5 } } },
    { "11 1K is one byte",
      "a y 1K HEAD\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "HEAD" } },
      { { 10, 1 } } },
    { "12 regular expressions, by default",
      "X y 100 /GGG[^G]/ /[0-9]HHHHH/\n",
      SIG_COMPAT_NONE,
      300,
      { { 10, "GGGx" }, { 40, "7HHHHH" } },
      { { 10, 36 } } },
    { "12 regular expressions, as in scalpel 2",
      "X y 100 /GGG[^G]/ /[0-9]HHHHH/\n",
      SIG_COMPAT_SCALPEL,
      300,
      { { 10, "GGGx" }, { 40, "7HHHHH" } },
      { { 10, 42 } } },
    { "12 plain text in foremost",
      "X y 100 /GGG[^G]/\n",
      SIG_COMPAT_FOREMOST,
      300,
      { { 10, "GGGx" }, { 40, "/GGG[^G]/" } },
      { { 40, 100 } } },
    { "13 nested headers overlap",
      "a y 5000 HEAD FOOT\n",
      SIG_COMPAT_SCALPEL,
      3000,
      { { 1000, "HEAD" }, { 1100, "HEAD" }, { 1200, "FOOT" }, { 2000, "FOOT" } },
      { { 1000, 204 }, { 1100, 104 } } },
    { "14 the end of the image is the end",
      "a y 5000 HEAD\n",
      SIG_COMPAT_SCALPEL,
      1000,
      { { 900, "HEAD" } },
      { { 900, 100 } } },
    { "14 by default",
      "a y 5000 HEAD\n",
      SIG_COMPAT_NONE,
      1000,
      { { 900, "HEAD" } },
      { { 900, 100 } } },
    { "14 in foremost",
      "a y 5000 HEAD\n",
      SIG_COMPAT_FOREMOST,
      1000,
      { { 900, "HEAD" } },
      { { 900, 100 } } },
    { "NEXT at the end of the image",
      "a y 5000 HEAD FOOT NEXT\n",
      SIG_COMPAT_NONE,
      1000,
      { { 900, "HEAD" } },
      { { 900, 100 } } },
    { "case is folded in header and footer",
      "a n 100 HeaD fOOt\n",
      SIG_COMPAT_NONE,
      200,
      { { 10, "hEAd" }, { 50, "FooT" } },
      { { 10, 44 } } },
    { "overlapping headers are all headers",
      "a y 10 AA\n",
      SIG_COMPAT_SCALPEL,
      100,
      { { 10, "AAAA" } },
      { { 10, 10 }, { 11, 10 }, { 12, 10 } } },
    { "but not in foremost",
      "a y 10 AA\n",
      SIG_COMPAT_FOREMOST,
      100,
      { { 10, "AAAA" } },
      { { 10, 10 }, { 12, 10 } } },
    { "foremost: a footer that begins with NUL is none",
      "gif y 100 GIF87a \\x00\\x3b\n",
      SIG_COMPAT_FOREMOST,
      300,
      { { 10, "GIF87a" }, { 41, ";" } },
      { { 10, 100 } } },
    { "foremost: REVERSE finds nothing",
      "a y 100 HEAD FOOT REVERSE\n",
      SIG_COMPAT_FOREMOST,
      300,
      { { 10, "HEAD" }, { 50, "FOOT" } },
      { { 0 } } },
    { "foremost: NEXT ignores its footer",
      "a y 100 HEAD FOOT NEXT\n",
      SIG_COMPAT_FOREMOST,
      300,
      { { 10, "HEAD" }, { 40, "FOOT" } },
      { { 10, 100 } } },
    { "foremost: NEXT works when footer is header",
      "a y 100 HEAD HEAD NEXT\n",
      SIG_COMPAT_FOREMOST,
      300,
      { { 10, "HEAD" }, { 40, "HEAD" } },
      { { 10, 30 }, { 40, 100 } } },
    { "foremost: the footer may be at the header",
      "a y 100 HEAD HEAD\n",
      SIG_COMPAT_FOREMOST,
      300,
      { { 10, "HEAD" }, { 40, "HEAD" } },
      { { 10, 4 }, { 40, 4 } } },
};

static void vectors_give_what_the_peers_give(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const struct vector *v = &vectors[i];
        uint8_t image[IMAGE_MAX] = { 0 };
        struct sig_conf conf;
        struct found found = { .count = 0 };
        struct err err = { 0 };
        uint32_t want = 0;

        for (uint32_t k = 0; k < 6 && v->pieces[k].text != NULL; k++)
            memcpy(image + v->pieces[k].at, v->pieces[k].text, strlen(v->pieces[k].text));
        if (sig_conf_parse("vector", v->conf, strlen(v->conf), v->compat, &conf, &err) != ERR_OK)
            fail_msg("%s: %s", v->name, err.text);
        carve(&conf, v->compat, image, v->image_len, &found);
        sig_conf_release(&conf);
        while (want < 4 && v->want[want][1] > 0)
            want++;
        if (found.count != want)
            fail_msg("%s: %u ranges, want %u", v->name, found.count, want);
        for (uint32_t k = 0; k < want; k++)
            if (found.ranges[k][0] != v->want[k][0] || found.ranges[k][1] != v->want[k][1])
                fail_msg("%s: (%lu, %lu), want (%lu, %lu)", v->name, found.ranges[k][0],
                         found.ranges[k][1], v->want[k][0], v->want[k][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_give_what_the_peers_give),
    };
    return cmocka_run_group_tests_name("pair vectors", tests, NULL, NULL);
}
