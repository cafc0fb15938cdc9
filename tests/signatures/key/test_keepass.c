/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/key/test_keepass.c - KeePass stores whose end nothing tells.
 *
 * Goal: version 3 of kdbx and kdb are found, never whole, and not taken from a header alone.
 * Method: headers built here from KeePass's sources, with noise behind them for what is encrypted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { FILE_LEN = 8192, NOISE = 4096 };

static void noise(uint8_t *at, size_t len)
{
    uint64_t seed = 88172645463325252u;

    for (size_t i = 0; i < len; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        at[i] = (uint8_t)(seed >> 32);
    }
}

static size_t field(uint8_t *at, uint8_t kind, uint8_t len)
{
    at[0] = kind;
    at[1] = len;
    at[2] = 0;
    memset(at + 3, kind == 3 ? 0 : 0x91, len);
    return 3u + len;
}

static size_t make_kdbx_3(uint8_t *file)
{
    static const uint8_t lens[][2] = { { 2, 16 }, { 3, 4 },  { 4, 32 }, { 5, 32 }, { 6, 8 },
                                       { 7, 16 }, { 8, 32 }, { 9, 32 }, { 10, 4 }, { 0, 4 } };
    size_t len = 12;

    memcpy(file, "\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5\x01\0\x03\0", 12);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
        len += field(file + len, lens[i][0], lens[i][1]);
    return len;
}

static size_t make_kdb(uint8_t *file)
{
    memcpy(file, "\x03\xd9\xa2\x9a\x65\xfb\x4b\xb5\x03\0\0\0\x02\0\x03\0", 16);
    noise(file + 16, 108);
    memset(file + 48, 0, 8);
    file[48] = 3;
    file[52] = 40;
    return 124;
}

static void open_ends_break(void **unused)
{
    size_t (*const make[])(uint8_t *) = { make_kdbx_3, make_kdb };
    static const char *const types[] = { "kdbx", "kdb" };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        uint8_t file[FILE_LEN] = { 0 };
        const size_t head = make[i](file);
        noise(file + head, NOISE);
        const struct harness_verdict v = harness_check(harness_sig("keepass"), file, sizeof file);

        assert_int_equal(v.result.verdict, SIG_BREAKS);
        assert_string_equal(v.type->name, types[i]);
        assert_true(v.result.len > NOISE / 2 && v.result.len <= head + NOISE + 512);
    }
}

static void headers_alone_are_refused(void **unused)
{
    size_t (*const make[])(uint8_t *) = { make_kdbx_3, make_kdb };

    (void)unused;
    for (int i = 0; i < 4; i++) {
        uint8_t file[FILE_LEN];

        memset(file, i < 2 ? 0 : 'a', sizeof file);
        make[i % 2](file);
        assert_int_equal(harness_check(harness_sig("keepass"), file, sizeof file).result.verdict,
                         SIG_REJECT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_ends_break),
        cmocka_unit_test(headers_alone_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
