/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_pack.c - what was packed comes back, in bytes that can be worked out by hand, and
 * nothing else is taken for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/pack.h"

static struct unpack of(const struct pack *pack)
{
    return (struct unpack){ .at = pack->bytes, .end = pack->bytes + pack->len };
}

/* LEB128, by hand: 300 = 0b10_0101100. */
static void numbers_have_known_bytes(void **state)
{
    static const uint8_t want[] = { 0x00, 0x7f, 0x80, 0x01, 0xac, 0x02, 0x02, 'h', 'i' };
    struct pack pack = { 0 };

    (void)state;
    pack_number(&pack, 0);
    pack_number(&pack, 127);
    pack_number(&pack, 128);
    pack_number(&pack, 300);
    pack_text(&pack, "hi");
    assert_int_equal(pack.len, sizeof want);
    assert_memory_equal(pack.bytes, want, sizeof want);
    pack_release(&pack);
}

/* A text that was packed, as its reader takes it: size bytes are there for it, and the NUL. */
static void take_text(struct unpack *in, char *out, size_t size)
{
    const size_t len = (size_t)unpack_number(in, size - 1);

    unpack_bytes(in, out, len);
    out[in->failed ? 0 : len] = '\0';
}

static void what_was_packed_comes_back(void **state)
{
    struct pack pack = { 0 };
    char text[8], bytes[3];

    (void)state;
    for (int bit = 0; bit < 64; bit++)
        for (int more = -1; more <= 1; more++)
            pack_number(&pack, (UINT64_C(1) << bit) + (uint64_t)more);
    pack_text(&pack, "");
    pack_text(&pack, "seven77");
    pack_bytes(&pack, "abc", 3);
    struct unpack in = of(&pack);
    for (int bit = 0; bit < 64; bit++)
        for (int more = -1; more <= 1; more++)
            assert_int_equal(unpack_number(&in, UINT64_MAX), (UINT64_C(1) << bit) + (uint64_t)more);
    take_text(&in, text, sizeof text);
    assert_string_equal(text, "");
    take_text(&in, text, sizeof text);
    assert_string_equal(text, "seven77");
    assert_false(unpack_whole(&in));
    unpack_bytes(&in, bytes, 3);
    assert_memory_equal(bytes, "abc", 3);
    assert_true(unpack_whole(&in));
    pack_release(&pack);
}

static void what_is_out_of_bounds_fails_for_good(void **state)
{
    static const uint8_t endless[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                       0xff, 0xff, 0xff, 0xff, 0x00 };
    static const uint8_t too_great[] = {
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02
    };
    static const uint8_t greatest[] = {
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01
    };
    static const uint8_t eleven[] = { 11, 1, 1, 9, 'x' };
    char text[4] = "abc";
    struct unpack in = { endless, endless + sizeof endless, false };

    (void)state;
    assert_int_equal(unpack_number(&in, UINT64_MAX), 0);
    assert_true(in.failed);
    in = (struct unpack){ too_great, too_great + sizeof too_great, false };
    assert_int_equal(unpack_number(&in, UINT64_MAX), 0);
    assert_true(in.failed);
    in = (struct unpack){ greatest, greatest + sizeof greatest, false };
    assert_int_equal(unpack_number(&in, UINT64_MAX), UINT64_MAX);
    assert_true(unpack_whole(&in));
    in = (struct unpack){ greatest, greatest + 4, false }; /* cut off */
    assert_int_equal(unpack_number(&in, UINT64_MAX), 0);
    assert_true(in.failed);

    in = (struct unpack){ eleven, eleven + sizeof eleven, false };
    assert_int_equal(unpack_number(&in, 10), 0);
    assert_true(in.failed);
    assert_int_equal(unpack_number(&in, 10), 0); /* although a 1 comes next */
    assert_false(unpack_flag(&in));
    in = (struct unpack){ eleven + 3, eleven + sizeof eleven, false };
    assert_int_equal(unpack_count(&in), 0); /* nine things, and one byte */
    assert_true(in.failed);
    in = (struct unpack){ eleven + 3, eleven + sizeof eleven, false };
    take_text(&in, text, sizeof text);
    assert_string_equal(text, "");
    assert_true(in.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(numbers_have_known_bytes),
                                        cmocka_unit_test(what_was_packed_comes_back),
                                        cmocka_unit_test(what_is_out_of_bounds_fails_for_good) };

    return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
