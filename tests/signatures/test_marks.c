/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_marks.c - the sectors that the header of an ELF file tells of: laid down
 * byte for byte by the System V ABI, chapter 4, at places worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "signatures/sig.h"

extern const struct sig sig_elf;

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(contents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
