/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/program/test_elf.c - objects written after the gABI's tables, and this very
 * program, whose length the system knows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { FILE_MAX = 1 << 14, CODE = 700 };

struct file {
    uint8_t bytes[FILE_MAX];
    size_t len;
    int wide, big; /* class, byte order */
};

static void put(struct file *f, uint64_t value, int bytes)
{
    assert_true(f->len + (size_t)bytes <= FILE_MAX);
    for (int i = 0; i < bytes; i++)
        f->bytes[f->len++] = (uint8_t)(value >> 8 * (f->big ? bytes - 1 - i : i));
}

static void put_word(struct file *f, uint64_t value)
{
    put(f, value, f->wide ? 8 : 4);
}

static void put_section(struct file *f, uint32_t name, uint32_t type, uint64_t at, uint64_t size,
                        uint32_t link, uint64_t entry)
{
    put(f, name, 4);
    put(f, type, 4);
    put_word(f, 0); /* flags */
    put_word(f, 0); /* address */
    put_word(f, at);
    put_word(f, size);
    put(f, link, 4);
    put(f, 0, 4); /* info */
    put_word(f, type == 1 ? 16 : 1);
    put_word(f, entry);
}

struct layout {
    size_t names, strings, symbols, relocations, sections; /* object offsets */
};

/* Header, code, string tables, two symbols, one relocation, and the section headers at the end. */
static struct layout make_object(struct file *f, int wide, int big)
{
    struct layout at;

    *f = (struct file){ .wide = wide, .big = big };
    memcpy(f->bytes,
           "\x7f"
           "ELF",
           4);
    f->bytes[4] = (uint8_t)(wide ? 2 : 1);
    f->bytes[5] = (uint8_t)(big ? 2 : 1);
    f->bytes[6] = 1;
    f->len = wide ? 64 : 52;
    for (int i = 0; i < CODE; i++)
        put(f, (uint64_t)(i * i >> 2), 1);
    at.names = f->len;
    memcpy(f->bytes + f->len, "\0.text\0.strtab\0", 15);
    f->len += 15;
    at.strings = f->len;
    memcpy(f->bytes + f->len, "\0main\0", 6);
    f->len += 6;
    at.symbols = f->len;
    f->len += wide ? 24 : 16; /* symbol 0 is all zero */
    put(f, 1, 4);
    if (!wide)
        put(f, 0, 8);
    put(f, 0x12, 2);
    put(f, 1, 2); /* in section 1 */
    if (wide)
        f->len += 16;
    at.relocations = f->len;
    put_word(f, 8);
    put_word(f, wide ? UINT64_C(1) << 32 : 1 << 8);
    put_word(f, 0);
    at.sections = f->len;
    put_section(f, 0, 0, 0, 0, 0, 0);
    put_section(f, 1, 1, wide ? 64 : 52, CODE, 0, 0);
    put_section(f, 7, 3, at.names, 15, 0, 0);
    put_section(f, 7, 3, at.strings, 6, 0, 0);
    put_section(f, 0, 2, at.symbols, wide ? 48 : 32, 3, wide ? 24 : 16);
    put_section(f, 0, 4, at.relocations, wide ? 24 : 12, 4, wide ? 24 : 12);
    put_section(f, 0, 8, 1 << 30, 1 << 30, 0, 0); /* no bits in the file */

    const size_t len = f->len;
    f->len = 16;
    put(f, 1, 2);  /* relocatable */
    put(f, 62, 2); /* x86-64 */
    put(f, 1, 4);
    put_word(f, 0);
    put_word(f, 0);
    put_word(f, at.sections);
    put(f, 0, 4);
    put(f, wide ? 64 : 52, 2);
    put(f, 0, 4); /* no segments */
    put(f, wide ? 64 : 40, 2);
    put(f, 7, 2);
    put(f, 2, 2);
    f->len = len;
    return at;
}

static struct harness_verdict check(const struct file *f, size_t len)
{
    return harness_check(harness_sig("elf"), f->bytes, len);
}

static void objects_of_each_class_and_order_are_complete(void **state)
{
    static struct file f;

    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        make_object(&f, kind & 1, kind >> 1);
        memset(f.bytes + f.len, 'x', 700);
        assert_true(harness_header_matches(harness_sig("elf"), f.bytes, f.len));
        const struct harness_verdict v = check(&f, f.len + 700);
        assert_int_equal(v.result.verdict, SIG_COMPLETE);
        assert_int_equal(v.result.len, f.len);
    }
}

static void this_program_is_complete(void **state)
{
    uint8_t *bytes = NULL;
    long len = 0;

    (void)state;
    FILE *file = fopen("/proc/self/exe", "rb");
    if (file == NULL)
        skip();
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    len = ftell(file);
    rewind(file);
    bytes = calloc(1, (size_t)len + 1000);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)len, file), len);
    assert_int_equal(fclose(file), 0);

    struct harness_verdict v = harness_run(harness_sig("elf"), bytes, (size_t)len + 1000, 0, 0);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
    /* Pieced together from two: 500 other bytes in the middle. */
    memmove(bytes + len / 2 + 500, bytes + len / 2, (size_t)(len - len / 2));
    v = harness_run(harness_sig("elf"), bytes, (size_t)len + 500, 0, 0);
    assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
    free(bytes);
}

/* A program without section headers, as core files are: its end is that of its last segment. */
static void segments_alone_tell_the_end(void **state)
{
    static struct file f;

    (void)state;
    make_object(&f, 1, 0);
    f.len = 16;
    put(&f, 4, 2); /* core */
    f.len = 32;
    put_word(&f, 64);
    put_word(&f, 0);
    f.len = 54;
    put(&f, 56, 2);
    put(&f, 1, 2);
    put(&f, 0, 6);
    put(&f, 1, 4); /* PT_LOAD */
    put(&f, 4, 4);
    put_word(&f, 4096);
    put_word(&f, 0);
    put_word(&f, 0);
    put_word(&f, 5000);
    put_word(&f, 5000);
    put_word(&f, 4096);
    const struct harness_verdict v = check(&f, 10000);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, 4096 + 5000);
}

static void other_data_where_tables_must_be_is_refused(void **state)
{
    static struct file f;
    struct layout at;

    (void)state;
    at = make_object(&f, 1, 0);
    memset(f.bytes + at.sections, 0x5a, 7 * 64); /* section headers */
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    at = make_object(&f, 1, 0);
    f.bytes[at.sections + 64] = 15; /* a name behind the names */
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    at = make_object(&f, 1, 0);
    f.bytes[at.names] = 'x';
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    at = make_object(&f, 1, 0);
    f.bytes[at.strings + 5] = 'x';
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    at = make_object(&f, 1, 0);
    f.bytes[at.symbols + 24] = 6; /* a name behind the strings */
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    at = make_object(&f, 1, 0);
    f.bytes[at.symbols + 24 + 6] = 7; /* in a section that is not there */
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    at = make_object(&f, 1, 0);
    f.bytes[at.relocations + 12] = 2; /* of a symbol that is not there */
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
}

/* Reading what many sections or segments name over and over would take the square of the file's
 * length. */
static void what_lies_over_each_other_is_read_once(void **state)
{
    enum { SYMBOLS = 100, TABLES = 10, ENTRIES = 200, SEGMENTS = 100 };
    static struct file f;

    (void)state;
    for (int tables = 1; tables <= TABLES; tables += TABLES - 1) {
        const struct layout at = make_object(&f, 1, 0);
        const size_t symbols = f.len;
        f.len += SYMBOLS * 24;
        const size_t sections = f.len;
        memcpy(f.bytes + f.len, f.bytes + at.sections, 7 * 64);
        f.len += 7 * 64;
        for (int i = 0; i < tables; i++)
            put_section(&f, 0, 2, symbols, SYMBOLS * 24, 3, 24);
        const size_t len = f.len;
        f.len = 40;
        put_word(&f, sections);
        f.len = 60;
        put(&f, 7 + (uint64_t)tables, 2);
        const struct harness_verdict v = check(&f, len);
        assert_int_equal(v.result.verdict, tables == 1 ? SIG_COMPLETE : SIG_REJECT);
        assert_string_equal(v.result.why, tables == 1 ? "tables and the sections' contents agree"
                                                      : "the sections overlap");
    }

    const struct layout at = make_object(&f, 1, 0);
    f.bytes[at.sections + 4] = 1; /* section 0 is none: the segments must tell */
    const size_t segments = f.len;
    for (int i = 0; i < SEGMENTS; i++) {
        put(&f, 2, 4); /* PT_DYNAMIC */
        put(&f, 4, 4);
        put_word(&f, segments + SEGMENTS * 56);
        put_word(&f, 0);
        put_word(&f, 0);
        put_word(&f, ENTRIES * 16);
        put_word(&f, ENTRIES * 16);
        put_word(&f, 8);
    }
    for (int i = 0; i < ENTRIES; i++) {
        put_word(&f, 1); /* DT_NEEDED, and no end */
        put_word(&f, 0);
    }
    const size_t len = f.len;
    f.len = 32;
    put_word(&f, segments);
    f.len = 54;
    put(&f, 56, 2);
    put(&f, SEGMENTS, 2);
    const struct harness_verdict v = check(&f, len);
    assert_int_equal(v.result.verdict, SIG_REJECT);
    assert_true(v.views < len);
}

/* Of a program whose section headers are behind the end of the image, the dynamic segment tells
 * what is right. */
static void the_dynamic_segment_holds_what_is_cut(void **state)
{
    enum { PAD = 1024 };
    static struct file f;

    (void)state;
    make_object(&f, 1, 0);
    f.len += PAD;
    const size_t segments = f.len;
    put(&f, 2, 4); /* PT_DYNAMIC */
    put(&f, 4, 4);
    put_word(&f, segments + 56);
    put_word(&f, 0);
    put_word(&f, 0);
    put_word(&f, 32);
    put_word(&f, 32);
    put_word(&f, 8);
    put_word(&f, 1); /* DT_NEEDED */
    put_word(&f, 0);
    put_word(&f, 0); /* DT_NULL */
    put_word(&f, 0);
    const size_t len = f.len;
    f.len = 32;
    put_word(&f, segments);
    put_word(&f, FILE_MAX);
    f.len = 54;
    put(&f, 56, 2);
    put(&f, 1, 2);
    const struct harness_verdict v = check(&f, len + 100);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, len);
}

/* Offsets of the 64-bit header. */
static void headers_that_cannot_be_are_refused(void **state)
{
    static const struct {
        uint8_t at, value;
    } faults[] = { { 4, 3 },  { 5, 0 },    { 6, 2 },  { 12, 1 },   { 16, 0 },
                   { 16, 9 }, { 18, 0 },   { 20, 2 }, { 52, 52 },  { 58, 40 },
                   { 62, 7 }, { 60, 200 }, { 40, 1 }, { 47, 0x7f } };
    static struct file f;

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        make_object(&f, 1, 0);
        f.bytes[faults[i].at] = faults[i].value;
        assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_of_each_class_and_order_are_complete),
        cmocka_unit_test(this_program_is_complete),
        cmocka_unit_test(segments_alone_tell_the_end),
        cmocka_unit_test(other_data_where_tables_must_be_is_refused),
        cmocka_unit_test(what_lies_over_each_other_is_read_once),
        cmocka_unit_test(the_dynamic_segment_holds_what_is_cut),
        cmocka_unit_test(headers_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
