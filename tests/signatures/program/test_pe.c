/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/program/test_pe.c - what the samples of programs cannot show: checksums that are
 * stale, Wine's mark, data appended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "tests/signatures/harness.h"
#include "tests/signatures/put.h"

enum {
    FILE_MAX = 8192,
    PE_AT = 128,
    OPTIONAL = PE_AT + 24,
    CHECKSUM = OPTIONAL + 64,
    FLAGS = OPTIONAL + 70
};

static size_t load(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    memset(bytes, 0, FILE_MAX);
    const size_t len = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    return len;
}

/* The checksum as the specification words it: 16-bit words added with carry, and the length. */
static uint32_t checksum(const uint8_t *bytes, size_t len)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < len; i += 2) {
        const uint32_t word = i >= CHECKSUM && i < CHECKSUM + 4
                                  ? 0
                                  : bytes[i] | (i + 1 < len ? bytes[i + 1] : 0u) << 8;

        sum += word;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum + (uint32_t)len;
}

static struct harness_verdict run(const uint8_t *bytes, size_t len)
{
    return harness_check(harness_sig("exe"), bytes, len);
}

static void test_checksum(void **unused)
{
    uint8_t bytes[FILE_MAX];
    const size_t len = load("tests/samples/pe/small.exe", bytes);

    (void)unused;
    put_u32le(bytes + CHECKSUM, checksum(bytes, len));
    struct harness_verdict v = run(bytes, len);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_true(v.result.proven);
    bytes[CHECKSUM] ^= 1; /* stale: the tables still agree */
    v = run(bytes, len);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_false(v.result.proven);
    assert_int_equal(v.result.len, len);
}

/* What Wine's build does to its own libraries: the mark over the stub, a flag, and the checksum of
 * before. */
static void test_wine(void **unused)
{
    static const char stub[] = "\x0e\x1f\xba\x0e\x00\xb4\x09\xcd\x21\xb8\x01\x4c\xcd\x21"
                               "This program canno";
    uint8_t bytes[FILE_MAX];
    const size_t len = load("tests/samples/pe/small.exe", bytes);

    (void)unused;
    memcpy(bytes + 64, stub, 32);
    put_u32le(bytes + CHECKSUM, checksum(bytes, len));
    memset(bytes + 64, 0, 32);
    memcpy(bytes + 64, "Wine builtin DLL", 16);
    struct harness_verdict v = run(bytes, len);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_true(v.result.proven);
    bytes[FLAGS] |= 0x10;
    v = run(bytes, len);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    bytes[0x470] ^= 0x20; /* in the code's padding, where no table points */
    v = run(bytes, len);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
}

/* What stands behind the last section is another thing; unless a certificate stands behind it. */
static void test_appended(void **unused)
{
    uint8_t bytes[FILE_MAX];
    const size_t len = load("tests/samples/pe/small.exe", bytes);

    (void)unused;
    memset(bytes + len, 'x', 512);
    struct harness_verdict v = run(bytes, len + 512);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
    const size_t at = (len + 512 + 7) / 8 * 8;
    put_u32le(bytes + OPTIONAL + 96 + 32, (uint32_t)at);
    put_u32le(bytes + OPTIONAL + 96 + 36, 16);
    memcpy(bytes + at, "\x10\0\0\0\0\2\2\0certific", 16);
    v = run(bytes, at + 16 + 100);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, at + 16);
}

static void test_refused(void **unused)
{
    uint8_t bytes[FILE_MAX];
    const size_t len = load("tests/samples/pe/small.exe", bytes);

    (void)unused;
    for (size_t cut = 64; cut <= 512; cut *= 2) { /* a header, then other data */
        memset(bytes + cut, 0xa7, len - cut);
        assert_int_not_equal(run(bytes, len).result.verdict, SIG_COMPLETE);
        load("tests/samples/pe/small.exe", bytes);
    }
    memset(bytes + 0x400, 0xa7, 204); /* relocated words that point nowhere */
    assert_int_equal(run(bytes, len).result.verdict, SIG_BREAKS);
}

/* What a resource is by its type must be so, and the tree must end in leaves that lie in the image.
 */
static void test_resources(void **unused)
{
    enum { TYPE = 0xa10, LEAF_SIZE = 0xa4c, LEAF_RESERVED = LEAF_SIZE + 8, DATA = 2648 };
    static const struct {
        uint32_t type;
        const char data[17];
        enum sig_verdict want;
    } rows[] = {
        { 10, "a resource here.", SIG_COMPLETE }, /* the program's own */
        { 16, "a resource here.", SIG_BREAKS },   /* a version */
        { 16, "\020\0\0\0\0\0V\0S\0_\0V\0E", SIG_COMPLETE },
        { 6, "a resource here.", SIG_BREAKS }, /* strings */
        { 4, "a resource here.", SIG_BREAKS }, /* a menu */
        { 4, "\0\0\0\0\020\0\0\0\0\0\352\010B", SIG_COMPLETE },
        { 3, "a resource here.", SIG_BREAKS }, /* an icon */
        { 3, "\211PNG\r\n\032\n", SIG_COMPLETE },
        { 14, "\0\0\1\0\1", SIG_BREAKS }, /* a group of one icon takes 20 bytes */
        { 14, "\0\0\1\0", SIG_COMPLETE },
    };
    uint8_t bytes[FILE_MAX];
    const size_t len = load("tests/samples/pe/native.sys", bytes);

    (void)unused;
    assert_int_equal(bytes_u32le(bytes + TYPE), 10);
    assert_int_equal(bytes_u32le(bytes + LEAF_SIZE), 16);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put_u32le(bytes + TYPE, rows[i].type);
        memcpy(bytes + DATA, rows[i].data, 16);
        assert_int_equal(run(bytes, len).result.verdict, rows[i].want);
    }
    put_u32le(bytes + LEAF_RESERVED, 1);
    assert_int_equal(run(bytes, len).result.verdict, SIG_BREAKS);
    put_u32le(bytes + LEAF_RESERVED, 0);
    put_u32le(bytes + LEAF_SIZE, 0x7fffffff);
    assert_int_equal(run(bytes, len).result.verdict, SIG_BREAKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checksum),  cmocka_unit_test(test_wine),
        cmocka_unit_test(test_appended),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_resources),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
