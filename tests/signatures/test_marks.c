/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_marks.c - the sectors that the header of an ELF file tells of: laid down
 * byte for byte by the System V ABI, chapter 4, at places worked out by hand; and those that the
 * tables of a catalogue of gettext tell of, as its manual, 10.3, lays them down; and those of a
 * compound file ([MS-CFB] 2.2, 2.3).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "signatures/sig.h"

extern const struct sig sig_elf, sig_mo, sig_ole2;

enum {
    STRINGS = 400, /* of each table, */
    STRING = 40,   /* and bytes of one with its NUL */
    CATALOGUE = 28 + 2 * STRINGS * 8 + 2 * STRINGS * STRING,
};

/* A library of 64 bits with section headers at 0x1440, and a dynamic table at 0x1010. */
static void library(uint8_t head[SIG_MARK])
{
    memset(head, 0, SIG_MARK);
    memcpy(head,
           "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0"
           "\3\0\76\0\1\0\0\0",
           24);
    head[32] = 64;                    /* program headers */
    memcpy(head + 40, "\x40\x14", 2); /* section headers */
    memcpy(head + 52, "\x40\0\x38\0\1\0\x40\0\5\0\4\0", 12);
    head[64] = 2;                         /* PT_DYNAMIC */
    memcpy(head + 64 + 8, "\x10\x10", 2); /* its place */
    head[64 + 32] = 32;                   /* and size */
}

static void places(void **state)
{
    struct sig_mark marks[SIG_MARKS];
    uint8_t head[SIG_MARK];

    (void)state;
    library(head);
    assert_int_equal(sig_elf.marks(head, marks), 2);
    assert_int_equal(marks[0].at, 0x1000);
    assert_int_equal(marks[1].at, 0x1400);
    head[4] = 7; /* no class */
    assert_int_equal(sig_elf.marks(head, marks), 0);
}

static void contents(void **state)
{
    struct sig_mark marks[SIG_MARKS];
    uint8_t head[SIG_MARK], dynamic[SIG_MARK] = { 0 }, sections[SIG_MARK] = { 0 };
    const uint8_t none[SIG_MARK] = { 0 };

    (void)state;
    library(head);
    assert_int_equal(sig_elf.marks(head, marks), 2);
    dynamic[0x10] = 1; /* DT_NEEDED, name 0x123 */
    memcpy(dynamic + 0x18, "\x23\1", 2);
    sections[0x40 + 64] = 27; /* a name, SHT_NOTE, at 0x200 */
    sections[0x40 + 64 + 4] = 7;
    sections[0x40 + 64 + 25] = 2;
    assert_true(sig_elf.is_mark(head, &marks[0], dynamic));
    assert_true(sig_elf.is_mark(head, &marks[1], sections));
    for (int i = 0; i < 2; i++)
        assert_false(sig_elf.is_mark(head, &marks[i], none));
    assert_false(sig_elf.is_mark(head, &marks[0], sections));
    assert_false(sig_elf.is_mark(head, &marks[1], dynamic));
    sections[0x40 + 64 + 25] = 0x20; /* behind the section headers */
    assert_false(sig_elf.is_mark(head, &marks[1], sections));
}

static void number(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

/* Strings of x, one behind the other, behind both tables. */
static void catalogue(uint8_t file[CATALOGUE + SIG_MARK])
{
    const uint32_t texts = 28 + 2 * STRINGS * 8;

    memset(file, 'x', CATALOGUE + SIG_MARK);
    memset(file, 0, 28);
    number(file, 0x950412de);
    number(file + 8, STRINGS);
    number(file + 12, 28);
    number(file + 16, 28 + STRINGS * 8);
    for (uint32_t i = 0; i < 2 * STRINGS; i++) {
        number(file + 28 + i * 8, STRING - 1);
        number(file + 32 + i * 8, texts + i * STRING);
        file[texts + (i + 1) * STRING - 1] = 0;
    }
}

static void catalogues(void **state)
{
    static uint8_t file[CATALOGUE + SIG_MARK], head[SIG_HEAD];
    const uint8_t none[SIG_MARK] = { 0 };
    struct sig_mark marks[SIG_MARKS];

    (void)state;
    catalogue(file);
    memcpy(head, file, CATALOGUE);
    const uint32_t count = sig_mo.marks(head, marks);
    /* From the sector in which the first ones end to the last but one: in that, one ends. */
    assert_int_equal(marks[0].at, (28 + 2 * STRINGS * 8) / SIG_MARK * SIG_MARK);
    assert_int_equal(count, CATALOGUE / SIG_MARK - marks[0].at / SIG_MARK);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *sector = file + marks[i].at;

        assert_int_equal(marks[i].at, marks[0].at + i * SIG_MARK);
        assert_true(sig_mo.is_mark(head, &marks[i], sector));
        assert_false(sig_mo.is_mark(head, &marks[i], none));
        assert_false(i > 0 && sig_mo.is_mark(head, &marks[i], sector - SIG_MARK));
    }
    number(head + 8, 0);
    assert_int_equal(sig_mo.marks(head, marks), 0);
    number(head + 8, UINT32_MAX);
    assert_in_range(sig_mo.marks(head, marks), 0, SIG_MARKS);
    number(head + 8, STRINGS);
    number(head + 12, UINT32_MAX);
    assert_int_equal(sig_mo.marks(head, marks), 0);
}

/* A file of two sectors of the table, 0 and 1, a directory in 2 and a mini table in 3. */
static void compounds(void **state)
{
    static const uint8_t root[] = "R\0o\0o\0t\0 \0E\0n\0t\0r\0y\0";
    struct sig_mark marks[SIG_MARKS];
    uint8_t head[SIG_MARK] = { 0 }, sector[SIG_MARK], other[SIG_MARK];

    (void)state;
    head[30] = 9;
    number(head + 44, 2);
    number(head + 48, 2);
    number(head + 60, 3);
    number(head + 64, 1);
    number(head + 80, 1);
    assert_int_equal(sig_ole2.marks(head, marks), 4);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t k = 0; k < SIG_MARK / 4; k++)
            number(sector + 4 * k, i == 0 && k < 2 ? 0xfffffffd : 128 * (i % 2) + k + 1);
        if (i == 1)
            number(sector + SIG_MARK - 4, 0xfffffffe);
        if (i == 2) {
            memset(sector, 0, sizeof sector);
            memcpy(sector, root, sizeof root);
            sector[66] = 5;
        }
        for (uint32_t k = 0; i == 3 && k < SIG_MARK / 4; k++)
            number(sector + 4 * k, k < 100 ? k + 1 : 0xffffffff);
        assert_true(sig_ole2.is_mark(head, &marks[i], sector));
        assert_true(sig_ole2.may_be_mark(head, sector));
    }
    /* A root without a name, which has no siblings either, and one that has one. */
    memset(sector, 0, sizeof sector);
    sector[66] = 5;
    number(sector + 68, 0xffffffff);
    number(sector + 72, 0xffffffff);
    number(sector + 76, 1);
    assert_true(sig_ole2.is_mark(head, &marks[2], sector));
    assert_true(sig_ole2.may_be_mark(head, sector));
    number(sector + 72, 3);
    assert_false(sig_ole2.is_mark(head, &marks[2], sector));
    assert_false(sig_ole2.is_vague(marks[0].number));
    assert_true(sig_ole2.is_vague(marks[1].number));
    assert_false(sig_ole2.is_vague(marks[2].number));
    assert_true(sig_ole2.is_vague(marks[3].number));
    memset(other, 'a', sizeof other);
    assert_false(sig_ole2.may_be_mark(head, other));
    memset(other, 0, sizeof other);
    assert_false(sig_ole2.may_be_mark(head, other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(contents),
        cmocka_unit_test(catalogues),
        cmocka_unit_test(compounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
