/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/text/test_plain.c - plain text: where it ends, what is none, and its kinds.
 *
 * Method: bytes written by hand; lengths are counted from them and from the sector of 512 bytes
 * that the validator promises to go by. harness_check runs each cut in many ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { ROOM = 16384, SECTOR = 512 };

static uint8_t bytes[ROOM];

/* Lines of words up to byte `to`, the last byte a newline. */
static void fill(size_t from, size_t to)
{
    static const char words[] = "all work and no play makes for a dull day\n";

    for (size_t i = from; i < to; i++)
        bytes[i] = (uint8_t)words[i % (sizeof words - 1)];
    bytes[to - 1] = '\n';
}

static struct harness_verdict check(size_t len)
{
    return harness_check(harness_sig("text"), bytes, len);
}

static void expect(size_t len, enum sig_verdict verdict, uint64_t want)
{
    const struct harness_verdict v = check(len);

    if (v.result.verdict != verdict || (verdict != SIG_REJECT && v.result.len != want))
        fail_msg("of %zu bytes: verdict %d, %llu bytes: %s", len, (int)v.result.verdict,
                 (unsigned long long)v.result.len, v.result.why);
    assert_false(v.result.proven); /* nothing proves a text */
}

static void ends_with_zeros_to_the_sectors_end(void **state)
{
    (void)state;
    memset(bytes, 0, sizeof bytes);
    fill(0, 1000);
    expect(3 * SECTOR, SIG_COMPLETE, 1000);
    memset(bytes + 2 * SECTOR, 0xe9, SECTOR); /* what lies in the next sector does not matter */
    expect(3 * SECTOR, SIG_COMPLETE, 1000);
    bytes[2 * SECTOR - 1] = 1; /* but what lies in this one does */
    expect(3 * SECTOR, SIG_REJECT, 0);
}

static void is_cut_where_a_sector_ends_and_no_zeros_follow(void **state)
{
    (void)state;
    memset(bytes, 0, sizeof bytes);
    fill(0, 2 * SECTOR);
    expect(4 * SECTOR, SIG_COMPLETE, 2 * SECTOR); /* zeros fill the cluster */
    memset(bytes + 2 * SECTOR, 1, SECTOR);
    expect(4 * SECTOR, SIG_BREAKS, 2 * SECTOR);
    memset(bytes, 0, sizeof bytes);
    fill(0, 4096); /* a whole cluster: it goes on elsewhere more often than not */
    expect(8192, SIG_BREAKS, 4096);
    fill(0, 3000);
    memset(bytes + 3000, 1, 600);
    expect(8192, SIG_BREAKS, 3000);
}

static void what_is_no_text(void **state)
{
    (void)state;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, "a name and nothing else, without a line end", 43);
    expect(SECTOR, SIG_REJECT, 0);
    memcpy(bytes, "short\n\0\0", 8);
    memset(bytes + 8, 0, 40);
    expect(SECTOR, SIG_REJECT, 0);
    for (size_t i = 0; i < 400; i++) /* samples of 8 bits: silence is 0x80 */
        bytes[i] = i % 40 == 39 ? '\n' : (uint8_t)(0x7a + i % 13);
    expect(SECTOR, SIG_REJECT, 0);
    memset(bytes, 0, sizeof bytes);
    fill(0, 2000);
    for (size_t i = 30; i < 2000; i += 60)
        bytes[i] = 4; /* a table of strings */
    expect(4096, SIG_REJECT, 0);
    for (size_t i = 0; i < 400; i++)
        bytes[i] = (uint8_t)(i % 40 == 39 ? '\n' : "{}[]<>|~^*"[i % 10]);
    memset(bytes + 400, 0, 4096 - 400);
    expect(SECTOR, SIG_REJECT, 0);
}

static void kinds(void **state)
{
    static const struct {
        const char *type, *text;
    } rows[] = {
        { "csv", "a;b;c\n1;2;3\n4;\"5;6\";7\n and so;on;-\n" },
        { "txt", "a,b\n1,2\n4,5\nand so on it goes, on and on\n" },
        { "txt", "one, two\nthree, four\nfive, six\nseven, eight\nnine, ten\n" },
        { "log",
          "2024-05-01T12:00:00 one\n2024-05-01T12:00:01 two\n  at frame\n2024-05-01T12 x\n" },
        { "log", "[Wed Oct 11 14:32:52 2000] [error] a\n[Wed Oct 11 14:32:53 2000] [error] b\n"
                 "[Wed Oct 11 14:32:59 2000] [error] c\n" },
        { "log", "192.0.2.1 - - [10/Oct/2000:13:55:36] \"GET /a\"\n"
                 "192.0.2.2 - - [10/Oct/2000:13:55:37] \"GET /b\"\n"
                 "192.0.2.3 - - [10/Oct/2000:13:55:38] \"GET /c\"\n" },
        { "csv", "day,what,sum\n2024-05-01,bread,2\n2024-05-02,milk,1\n2024-05-03,salt,9\n" },
        { "shell", "#!/usr/bin/env bash\necho hello there, all of you\n" },
        { "python", "#!/usr/bin/python3 -u\nprint('hello there')\n" },
        { "txt", "#!/usr/share/games/thing\nhello there, all of you\n" },
        { "txt", "import your photos with the cable.\nfrom here it is easy, as they say\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t len = strlen(rows[i].text);

        memset(bytes, 0, SECTOR);
        memcpy(bytes, rows[i].text, len);
        const struct harness_verdict v = check(SECTOR);
        if (v.result.verdict != SIG_COMPLETE || v.result.len != len ||
            strcmp(v.type->name, rows[i].type) != 0)
            fail_msg("row %zu: verdict %d, type %s and not %s", i, (int)v.result.verdict,
                     v.type->name, rows[i].type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_with_zeros_to_the_sectors_end),
        cmocka_unit_test(is_cut_where_a_sector_ends_and_no_zeros_follow),
        cmocka_unit_test(what_is_no_text),
        cmocka_unit_test(kinds),
    };

    return cmocka_run_group_tests_name("plain", tests, NULL, NULL);
}
