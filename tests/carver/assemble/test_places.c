/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_places.c - the places around those where other objects break: worked
 * out by hand for a few breaks, on sectors and on clusters that begin anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "carver/assemble/places.h"

enum { SECTOR = 512, AROUND = PLACES_BACK + 1 + PLACES_ON };

/* All of the image is free. */
static uint64_t begins[] = { 0 }, ends[] = { 4000 * SECTOR };

static struct islands islands_with(uint64_t *breaks, size_t count, uint32_t unit, uint32_t phase)
{
    return (struct islands){ .unit = unit,
                             .phase = phase,
                             .begins = begins,
                             .ends = ends,
                             .count = 1,
                             .breaks = breaks,
                             .break_count = count };
}

/* A break is seen behind the piece's end: places begin behind it and go back from there. */
static void goes_back(void **state)
{
    uint64_t breaks[] = { 500 * SECTOR + 100, 900 * SECTOR + 7 };
    const struct islands islands = islands_with(breaks, 2, SECTOR, 0);
    const struct places places = { .islands = &islands, .image_len = 4000 * SECTOR };
    uint64_t begin;

    (void)state;
    for (uint32_t i = 0; i < AROUND; i++) {
        assert_true(places_break(&places, 300 * SECTOR, i, &begin));
        assert_int_equal(begin, (502 - i) * SECTOR);
    }
    /* Before the cut there is none. */
    assert_true(places_break(&places, 300 * SECTOR, AROUND, &begin));
    assert_int_equal(begin, UINT64_MAX);
    assert_true(places_break(&places, 300 * SECTOR, 2 * AROUND, &begin));
    assert_int_equal(begin, 902 * SECTOR);
    /* Seen from between them, the first one lies before. */
    assert_true(places_break(&places, 700 * SECTOR, AROUND + 3, &begin));
    assert_int_equal(begin, 499 * SECTOR);
    assert_false(places_break(&places, 300 * SECTOR, 2 * PLACES_BREAKS * AROUND, &begin));
}

static void clusters(void **state)
{
    uint64_t breaks[] = { 3 * SECTOR + 16 * SECTOR + 1 };
    const struct islands islands = islands_with(breaks, 1, 8 * SECTOR, 3 * SECTOR);
    const struct places places = { .islands = &islands, .image_len = 4000 * SECTOR };
    uint64_t begin;

    (void)state;
    assert_true(places_break(&places, 0, 0, &begin));
    assert_int_equal(begin, (3 + 32) * SECTOR);
    assert_true(places_break(&places, 0, 2, &begin));
    assert_int_equal(begin, (3 + 16) * SECTOR);
    /* None begins before the image. */
    assert_true(places_break(&places, 0, PLACES_BACK, &begin));
    assert_int_equal(begin, UINT64_MAX);
}

/* Wherever in the sector its values stand, 160 of 256 are many, and 159 few. */
static void many_values_are_packed_data(void **state)
{
    static uint8_t bytes[64 * SECTOR];
    struct io_image *image;
    struct unread unread = { 0 };
    struct splice splice;
    struct err err = { 0 };

    (void)state;
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t k = 0; k < SECTOR; k++) {
            const uint32_t from = i / 2 * 11, values = 159 + i % 2;
            const uint32_t value = k < from ? 0 : k - from;

            bytes[i * SECTOR + k] = (uint8_t)(value < values ? value : values - 1);
        }
    assert_int_equal(io_image_open_memory(bytes, sizeof bytes, &image, &err), ERR_OK);
    assert_int_equal(splice_open(image, &unread, 1, &splice, &err), ERR_OK);
    struct places places = { .splice = &splice, .image_len = sizeof bytes };
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(places_alike(&places, (uint64_t)i * SECTOR, LOOK_DENSE), i % 2);
    splice_close(&splice);
    io_image_close(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_back),
        cmocka_unit_test(clusters),
        cmocka_unit_test(many_values_are_packed_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
