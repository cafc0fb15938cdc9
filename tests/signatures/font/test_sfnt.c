/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/font/test_sfnt.c - fonts built by hand: where the padding of the last table
 * ends, and directories that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"
#include "tests/signatures/put.h"

enum {
    DIRECTORY = 12 + 3 * 16,
    HEAD_AT = DIRECTORY,
    HEAD_LEN = 54,
    MAXIMUM_AT = HEAD_AT + 56,
    LAST_AT = MAXIMUM_AT + 8,
    LAST_LEN = 5,
    END = LAST_AT + LAST_LEN,
    ROOM = 256
};

static void put_entry(uint8_t *file, int index, const char *tag, uint32_t at, uint32_t len)
{
    uint8_t *entry = file + 12 + 16 * index;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < (len + 3) / 4 * 4; i++)
        sum += (uint32_t)file[at + i] << (24 - i % 4 * 8);
    memcpy(entry, tag, 4);
    put_u32be(entry + 4, sum);
    put_u32be(entry + 8, at);
    put_u32be(entry + 12, len);
}

/* Three tables, the last one 5 bytes long; zeros behind them. */
static void make_font(uint8_t file[ROOM])
{
    memset(file, 0, ROOM);
    memcpy(file, "\0\1\0\0\0\3\0\x20\0\1\0\x10", 12);
    put_u32be(file + HEAD_AT + 12, 0x5f0f3cf5);
    put_u32be(file + MAXIMUM_AT, 0x00005000);
    memcpy(file + LAST_AT, "tail!", LAST_LEN);
    put_entry(file, 0, "head", HEAD_AT, HEAD_LEN);
    put_entry(file, 1, "maxp", MAXIMUM_AT, 6);
    put_entry(file, 2, "zzzz", LAST_AT, LAST_LEN);
    put_u32be(file + HEAD_AT + 8,
              0x12345678); /* the sum of the whole font, which the table's own leaves out */
}

static struct sig_result check(const uint8_t *file, size_t len)
{
    assert_true(harness_header_matches(harness_sig("sfnt"), file, len));
    return harness_check(harness_sig("sfnt"), file, len).result;
}

static void padding_belongs_to_the_font_if_it_is_one(void **state)
{
    uint8_t file[ROOM];

    (void)state;
    make_font(file);
    assert_int_equal(check(file, ROOM).verdict, SIG_COMPLETE);
    assert_int_equal(check(file, ROOM).len, (END + 3) / 4 * 4);
    assert_int_equal(check(file, END).verdict, SIG_COMPLETE);
    assert_int_equal(check(file, END).len, END);
    file[END + 1] = 'x';
    assert_int_equal(check(file, ROOM).len, END);
}

static void a_font_that_ends_inside_a_table_breaks(void **state)
{
    uint8_t file[ROOM];

    (void)state;
    make_font(file);
    assert_int_equal(check(file, END - 1).verdict, SIG_BREAKS);
    assert_int_equal(check(file, END - 1).len, MAXIMUM_AT + 6);
}

static void what_does_not_agree_is_refused(void **state)
{
    static const struct {
        uint32_t at;
        uint8_t value;
    } faults[] = {
        { 12 + 3, 'e' },               /* the sum of a table that is no "head" takes in all of it */
        { 12 + 16, 'a' },              /* not in order */
        { 12 + 11, HEAD_AT + 2 },      /* not at a multiple of 4 */
        { 12 + 11, DIRECTORY - 4 },    /* in the directory */
        { 12 + 16 + 11, HEAD_AT + 4 }, /* tables that overlap */
        { HEAD_AT + 12, 0 },           /* no magic number */
        { HEAD_AT + 20, 1 },           /* another sum */
        { 5, 1 },                      /* fewer tables than any font has */
    };
    uint8_t file[ROOM];

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        make_font(file);
        file[faults[i].at] = faults[i].value;
        assert_int_equal(check(file, ROOM).verdict, SIG_REJECT);
    }
}

/* Six tables of 8 bytes, one of 600, and "head"; the sums of those in `wrong` (bits, by place) are
 * not theirs.
 */
static size_t make_wrong(uint8_t *file, uint32_t wrong)
{
    static const char tags[][5] = {
        "aaaa", "bbbb", "cccc", "dddd", "head", "maxp", "nnnn", "zzzz"
    };
    enum { TABLES = sizeof tags / sizeof tags[0], LONG = 600 };
    uint32_t at = 12 + 16 * TABLES;

    memset(file, 0, 4 * ROOM);
    memcpy(file, "\0\1\0\0\0\x08\0\x80\0\3\0\0", 12);
    for (int i = 0; i < TABLES; i++) {
        const bool head = strcmp(tags[i], "head") == 0;
        const uint32_t len = head ? HEAD_LEN : i == 3 ? LONG : 8;

        if (head)
            put_u32be(file + at + 12, 0x5f0f3cf5);
        else
            memcpy(file + at, tags[i], 4);
        if (strcmp(tags[i], "maxp") == 0)
            put_u32be(file + at, 0x00005000);
        put_entry(file, i, tags[i], at, len);
        file[12 + 16 * i + 7] ^= (uint8_t)(wrong >> i & 1);
        at += (len + 3) / 4 * 4;
    }
    return at;
}

static void wrong_sums_of_a_few_tables_do_not_break_a_font(void **state)
{
    static const struct {
        uint32_t wrong;
        enum sig_verdict verdict;
        bool proven;
    } fonts[] = {
        { 0, SIG_COMPLETE, true },
        { 1 << 0, SIG_COMPLETE, false },
        { 1 << 4, SIG_COMPLETE, false },
        { 1 << 2 | 1 << 5, SIG_COMPLETE, false },
        { 1 << 2 | 1 << 4 | 1 << 5, SIG_BREAKS, false }, /* too many */
        { 1 << 3, SIG_BREAKS, false },                   /* one that holds a whole sector */
        { 1 << 7, SIG_BREAKS, false },                   /* the last one: bytes may be missing */
    };
    uint8_t file[4 * ROOM];

    (void)state;
    for (size_t i = 0; i < sizeof fonts / sizeof fonts[0]; i++) {
        const size_t len = make_wrong(file, fonts[i].wrong);
        const struct sig_result result = check(file, 4 * ROOM);

        assert_int_equal(result.verdict, fonts[i].verdict);
        assert_int_equal(result.proven, fonts[i].proven);
        if (result.verdict == SIG_COMPLETE)
            assert_int_equal(result.len, len);
        /* What may lie in pieces has to have every sum. */
        assert_int_equal(harness_run_thorough(harness_sig("sfnt"), file, 4 * ROOM).result.verdict ==
                             SIG_COMPLETE,
                         fonts[i].wrong == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_belongs_to_the_font_if_it_is_one),
        cmocka_unit_test(a_font_that_ends_inside_a_table_breaks),
        cmocka_unit_test(what_does_not_agree_is_refused),
        cmocka_unit_test(wrong_sums_of_a_few_tables_do_not_break_a_font),
    };
    return cmocka_run_group_tests_name("sfnt", tests, NULL, NULL);
}
