/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/plan/test_pair_text.c - the text around a keyword, against a search byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "carver/plan/pair_text.h"

enum { IMAGE = 20000, ROUNDS = 300 };

static uint64_t seed = 7;

static uint32_t roll(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

struct image {
    uint8_t bytes[IMAGE];
    uint64_t begin, end; /* what may be read */
    uint64_t fail_at;
};

static enum err_code read_image(void *arg, uint64_t offset, uint8_t *dst, uint32_t len,
                                struct err *err)
{
    const struct image *image = arg;

    assert_true(len > 0 && len <= 4096 && offset >= image->begin && offset + len <= image->end);
    if (image->fail_at >= offset && image->fail_at < offset + len)
        return ERR_RAISE(err, ERR_IO, "gone");
    memcpy(dst, image->bytes + offset, len);
    return ERR_OK;
}

static bool is_text(uint8_t byte)
{
    return byte < 0x80 && (isprint(byte) || byte == '\t' || byte == '\n' || byte == '\r');
}

static void text_is_found_both_ways(void **state)
{
    struct image *image = calloc(1, sizeof *image);

    (void)state;
    image->fail_at = UINT64_MAX;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t noise = 1 + roll(4000);
        const uint64_t max = roll(2) == 0 ? UINT64_MAX : roll(9000);
        struct pair_text last = { 0 };
        struct err err = { 0 };
        uint64_t last_end = 0;

        image->begin = roll(3) * 17;
        image->end = IMAGE - roll(100);
        for (uint32_t i = 0; i < IMAGE; i++)
            image->bytes[i] = roll(noise) == 0 ? (uint8_t)roll(256) : (uint8_t)(0x20 + roll(95));
        for (uint64_t at = image->begin + roll(100); at + 4 <= image->end; at += 1 + roll(1500)) {
            struct pair_range range = { .offset = at, .len = 4, .how = PAIR_TEXT };
            uint64_t begin = at, end = at + 4;
            bool fresh = false;

            assert_int_equal(pair_text_expand(&last, image->begin, image->end, max, read_image,
                                              image, &range, &fresh, &err),
                             ERR_OK);
            assert_int_equal(fresh, at >= last_end);
            if (!fresh)
                continue;
            while (begin > image->begin && begin > last_end && at - begin < max &&
                   is_text(image->bytes[begin - 1]))
                begin--;
            while (end < image->end && end - at < max && is_text(image->bytes[end]))
                end++;
            assert_int_equal(range.offset, begin);
            assert_int_equal(range.len, end - begin);
            last_end = end;
        }
    }
    free(image);
}

static void a_failed_read_comes_back(void **state)
{
    struct image *image = calloc(1, sizeof *image);

    (void)state;
    memset(image->bytes, 'x', IMAGE);
    image->end = IMAGE;
    for (uint32_t side = 0; side < 2; side++) {
        struct pair_text last = { 0 };
        struct pair_range range = { .offset = 9000, .len = 4, .how = PAIR_TEXT };
        struct err err = { 0 };
        bool fresh;

        image->fail_at = side == 0 ? 100 : 15000;
        assert_int_equal(
            pair_text_expand(&last, 0, IMAGE, UINT64_MAX, read_image, image, &range, &fresh, &err),
            ERR_IO);
    }
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_found_both_ways),
        cmocka_unit_test(a_failed_read_comes_back),
    };
    return cmocka_run_group_tests_name("text around a keyword", tests, NULL, NULL);
}
