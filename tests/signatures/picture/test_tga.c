/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/picture/test_tga.c - packets of TGA pictures: those that programs write, and
 * those that bytes of something else make behind a header that happens to be one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { HEAD = 18, FOOTER = 26, WIDTH = 96, HEIGHT = 64, ROOM = 1 << 20 };

static struct harness_verdict check(const uint8_t *bytes, size_t len)
{
    return harness_check(harness_sig("tga"), bytes, len);
}

/* A header of grey pixels in packets; returns where they begin. */
static size_t put_head(uint8_t *out, uint32_t width, uint32_t height)
{
    memset(out, 0, HEAD);
    out[2] = 11;
    out[12] = (uint8_t)width;
    out[13] = (uint8_t)(width >> 8);
    out[14] = (uint8_t)height;
    out[15] = (uint8_t)(height >> 8);
    out[16] = 8;
    return HEAD;
}

static size_t put_footer(uint8_t *out)
{
    memset(out, 0, 8);
    memcpy(out + 8, "TRUEVISION-XFILE.", 18);
    return FOOTER;
}

static uint8_t pixel(uint32_t i)
{
    return (uint8_t)(i * 2654435761u >> 24);
}

/* Version 2.0 of the specification, "Run-length Encoded images": a packet has 1 to 128 pixels. */
static void packets_of_any_program_are_read(void **state)
{
    static const uint32_t most[] = { 1, 128 }; /* pixels that the program puts into a packet */
    uint8_t *bytes = malloc(ROOM);

    (void)state;
    assert_non_null(bytes);
    for (uint32_t k = 0; k < 2; k++) {
        size_t len = put_head(bytes, WIDTH, HEIGHT);

        for (uint32_t line = 0; line < HEIGHT; line++)
            for (uint32_t x = 0, count; x < WIDTH; x += count) {
                count = WIDTH - x < most[k] ? WIDTH - x : most[k];
                bytes[len++] = (uint8_t)(count - 1);
                for (uint32_t i = 0; i < count; i++) /* neighbours differ */
                    bytes[len++] = (uint8_t)(pixel(line * WIDTH + x + i) / 2 + x % 2 * 128);
            }
        len += put_footer(bytes + len);
        const struct harness_verdict v = check(bytes, len);
        assert_int_equal(v.result.verdict, SIG_COMPLETE);
        assert_int_equal(v.result.len, len);
    }
    free(bytes);
}

/* A header of billions of pixels before bytes at random, or zeros, is refused soon. */
static void any_bytes_are_no_packets(void **state)
{
    uint8_t *bytes = malloc(ROOM);

    (void)state;
    assert_non_null(bytes);
    for (uint32_t k = 0; k < 2; k++) {
        const size_t begin = put_head(bytes, 65535, 65535);

        for (uint32_t i = 0; begin + i < ROOM; i++)
            bytes[begin + i] = k == 0 ? pixel(i) : 0;
        const struct harness_verdict v = check(bytes, ROOM);
        assert_int_equal(v.result.verdict, SIG_REJECT);
        assert_string_equal(v.result.why, "packets that no program would write");
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_of_any_program_are_read),
        cmocka_unit_test(any_bytes_are_no_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
