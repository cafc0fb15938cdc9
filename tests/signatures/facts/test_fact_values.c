/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/facts/test_fact_values.c - texts, numbers and dates on their way into facts.
 * Dates from `date -u -d ... +%s`, encodings from RFC 3629 and RFC 2781.
 */
#include "signatures/facts/tell.h"
#include "tests/signatures/facts/facts_of.h"

static struct sig_facts *facts;

static int begin(void **unused)
{
    (void)unused;
    facts = aligned_alloc(_Alignof(struct sig_facts), sizeof *facts);
    if (facts == NULL)
        return -1;
    facts->count = 0;
    facts->in = (struct sig_input){ 0 };
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    free(facts);
    return 0;
}

static void are(const char *want)
{
    char got[16384];

    facts_print(facts, got, sizeof got);
    assert_string_equal(got, want);
    facts->count = 0;
}

static void test_texts(void **unused)
{
    char text[SIG_FACT_LEN + 8];

    (void)unused;
    tell_text(facts, SIG_FACT_TITLE, " a\tb\r\n\0c", 8);
    are("title=a b\n");
    tell_text(facts, SIG_FACT_TITLE, " \t\xc2\xa0\0", 5);
    tell_text(facts, SIG_FACT_TITLE, "", 0);
    are("");
    tell_text(facts, SIG_FACT_TITLE, "\xed\xa0\x80|\xf0\x9f\x98\x80|\xe2\x82", 11);
    are("title=\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xf0\x9f\x98\x80|\xef\xbf\xbd\xef\xbf\xbd\n");
    tell_latin1(facts, SIG_FACT_AUTHOR,
                (const uint8_t *)"Stra\xdf"
                                 "e",
                6);
    tell_text(facts, SIG_FACT_AUTHOR, "another", 7); /* the first counts */
    are("author=Stra\xc3\x9f"
        "e\n");
    tell_utf16(facts, SIG_FACT_TITLE, (const uint8_t *)"a\0\x3d\xd8\x00\xde\x3d\xd8z\0\0\0b\0", 14,
               false);
    are("title=a\xf0\x9f\x98\x80\xef\xbf\xbdz\n");
    tell_utf16(facts, SIG_FACT_TITLE, (const uint8_t *)"\xde\x00\0a\0", 5, true);
    are("title=\xef\xbf\xbd"
        "a\n");
    /* What does not fit is cut between characters. */
    memset(text, 'x', sizeof text);
    memcpy(text + SIG_FACT_LEN - 2, "\xe2\x82\xac", 3);
    tell_text(facts, SIG_FACT_TITLE, text, sizeof text);
    assert_int_equal(strlen(facts->items[0].text), SIG_FACT_LEN - 2);
}

static void date(const char *text, const char *zone)
{
    tell_date(facts, SIG_FACT_CREATED, text, strlen(text), zone, strlen(zone));
}

static void test_dates(void **unused)
{
    static const char *const none[] = { "",
                                        "2024",
                                        "2024:13:01",
                                        "2024:02:30",
                                        "2023:02:29",
                                        "1900:02:29",
                                        "0000:01:01",
                                        "2024:01:00",
                                        "2024:01:01 24:00:00",
                                        "2024:01:01 1:00:00",
                                        "2024:01:01T12",
                                        "x2024:01:01",
                                        "    :  :     :  :  " };

    (void)unused;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        date(none[i], "");
    are("");
    date("1970:01:01 00:00:00", "Z");
    are("created=1970:01:01 00:00:00 #0\n");
    date("2000-02-29", "");
    are("created.local=2000-02-29 #951782400\n");
    date("2024-05-31T12:34:56.789-0730", "+01:00");
    are("created=2024-05-31T12:34:56.789-0730 #1717185896\n");
    date("2024/05/31 12:34", "-01:30");
    are("created=2024/05/31 12:34 #1717164240\n");
    date("1601-01-01T00:00:00Z", ""); /* the zero of Windows */
    are("");
    date("1601:01:01 00:00:01", "");
    are("created.local=1601:01:01 00:00:01 #-11644473599\n");
    date("2024:05:31 12:34:56", "   "); /* as cameras write that know no zone */
    are("created.local=2024:05:31 12:34:56 #1717158896\n");
}

static void test_moments(void **unused)
{
    (void)unused;
    tell_moment(facts, SIG_FACT_CREATED, 0);
    tell_moment(facts, SIG_FACT_CREATED, INT64_MAX);
    tell_moment(facts, SIG_FACT_CREATED, INT64_MIN);
    tell_moment(facts, SIG_FACT_CREATED, INT64_C(253402300800)); /* the year 10000 */
    are("");
    tell_moment(facts, SIG_FACT_CREATED, 951782399);
    tell_moment(facts, SIG_FACT_MODIFIED, -1);
    tell_moment(facts, SIG_FACT_TAKEN, INT64_C(253402300799));
    tell_moment(facts, SIG_FACT_PRINTED, INT64_C(-62135596800));
    are("created=2000-02-28T23:59:59Z #951782399\nmodified=1969-12-31T23:59:59Z #-1\n"
        "taken=9999-12-31T23:59:59Z #253402300799\nprinted=0001-01-01T00:00:00Z #-62135596800\n");
}

static void test_numbers(void **unused)
{
    (void)unused;
    tell_size(facts, 0, 5);
    tell_count(facts, SIG_FACT_WIDTH, 0);
    are("");
    tell_size(facts, 7, 5);
    tell_scaled(facts, SIG_FACT_GPS_LAT, -5, 7);
    tell_scaled(facts, SIG_FACT_GPS_ALT, INT64_MIN, 3);
    are("width=7 #7\nheight=5 #5\ngps.lat=-0.0000005 #-5\n"
        "gps.alt=-9223372036854775.808 #-9223372036854775808\n");
    for (enum sig_fact_key key = 0; key < SIG_FACT_KEYS; key++)
        tell_count(facts, key, 1);
    assert_int_equal(facts->count, SIG_FACTS_MAX);
}

struct sixty_four {
    struct sig_source source;
    uint8_t bytes[64];
};

static const uint8_t *sixty_four_view(struct sig_source *source, uint64_t at, uint32_t want,
                                      uint32_t *have)
{
    *have = want;
    return ((struct sixty_four *)source)->bytes + at;
}

/* Reading costs: a reader in circles comes to an end, and a small file can be read whole. */
static void test_the_budget_ends(void **unused)
{
    struct sixty_four of = { .source = { sixty_four_view } };
    uint32_t calls = 0;

    (void)unused;
    facts->in = (struct sig_input){ .source = &of.source, .limit = sizeof of.bytes };
    facts->budget = SIG_FACT_READ;
    facts->page = 0;
    assert_null(tell_bytes(facts, 60, 5));
    assert_null(tell_bytes(facts, 0, 0));
    while (tell_bytes(facts, 0, 1) != NULL)
        calls++;
    assert_in_range(calls, 1000, SIG_FACT_READ / SIG_FACT_CALL_COST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_texts, begin, end),
        cmocka_unit_test_setup_teardown(test_dates, begin, end),
        cmocka_unit_test_setup_teardown(test_moments, begin, end),
        cmocka_unit_test_setup_teardown(test_numbers, begin, end),
        cmocka_unit_test_setup_teardown(test_the_budget_ends, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
