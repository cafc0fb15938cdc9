/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/plan/test_lookback.c - whatever is asked of the lookback equals the image, and
 * nothing behind the limit is shown.
 *
 * Method: an image of pseudo-random bytes; segments of random lengths are pushed and popped as a
 * scan does; views at random places (inside a segment, across two, in what has left memory) are
 * compared with the image.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/plan/lookback.h"
#include "io/image/image_fault.h"

enum { IMAGE_LEN = 3 << 20, CARRY = 254, VIEWS = 400 };

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void check_views(struct lookback_view *view, const uint8_t *image, uint64_t *seed)
{
    for (int i = 0; i < VIEWS; i++) {
        const uint64_t at = next_random(seed) % IMAGE_LEN;
        const uint32_t want = (uint32_t)(1 + next_random(seed) % (i % 2 == 0 ? 40 : SIG_BYTES_MAX));
        uint32_t have = 0;

        if (want > IMAGE_LEN - at)
            continue;
        const uint8_t *bytes = view->source.view(&view->source, at, want, &have);
        if (at + want > view->lookback->limit) {
            assert_null(bytes);
            continue;
        }
        assert_non_null(bytes);
        assert_true(have >= want && at + have <= view->lookback->limit);
        assert_memory_equal(bytes, image + at, have);
    }
}

static void every_view_equals_the_image(void **state)
{
    uint8_t *image = malloc(IMAGE_LEN);
    uint8_t *copies[64];
    uint64_t seed = 1, at = 0;
    struct io_image *source;
    struct lookback lookback = { 0 };
    struct lookback_view view;
    uint32_t first = 0, count = 0;

    (void)state;
    assert_non_null(image);
    for (uint32_t i = 0; i < IMAGE_LEN; i++)
        image[i] = (uint8_t)next_random(&seed);
    assert_int_equal(io_image_open_memory(image, IMAGE_LEN, &source, NULL), ERR_OK);
    lookback.image = source;
    lookback_view_open(&lookback, &view);
    while (at < IMAGE_LEN) {
        uint32_t len = (uint32_t)(65536 + next_random(&seed) % 100000);
        const uint32_t carry = at == 0 ? 0 : CARRY;

        if (len > IMAGE_LEN - at)
            len = (uint32_t)(IMAGE_LEN - at);
        uint8_t *copy = malloc(CARRY + len);
        assert_non_null(copy);
        memcpy(copy + CARRY - carry, image + at - carry, carry + len);
        lookback_push(&lookback,
                      &(struct lookback_segment){
                          .offset = at, .len = len, .carry = carry, .bytes = copy + CARRY });
        assert_true(count < 64);
        copies[count++] = copy;
        at += len;
        lookback.limit = at - next_random(&seed) % 5000;
        check_views(&view, image, &seed);
        lookback.limit = at;
        check_views(&view, image, &seed);
        if (count - first > 2) {
            lookback_pop(&lookback);
            free(copies[first++]);
        }
    }
    while (first < count)
        free(copies[first++]);
    lookback_view_close(&view);
    io_image_close(source);
    free(image);
}

/* A validator hears that bytes are not there yet; who runs it is told why. Bytes in memory are
 * still shown. */
static void an_image_that_is_gone_is_an_error(void **state)
{
    static const uint8_t bytes[2 * LOOKBACK_BLOCK];
    const struct io_fault fault = { 0, LOOKBACK_BLOCK, IO_FAULT_FAIL, ENODEV, 0, 0 };
    const struct io_fault_script script = { &fault, 1, false };
    struct lookback lookback = { .limit = sizeof bytes };
    struct lookback_view view;
    struct io_image *inner;
    struct err err = { 0 };
    uint32_t have;

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, sizeof bytes, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &lookback.image, &err), ERR_OK);
    lookback_view_open(&lookback, &view);
    lookback_push(&lookback, &(struct lookback_segment){
                                 .offset = LOOKBACK_BLOCK, .len = LOOKBACK_BLOCK, .bytes = bytes });
    assert_non_null(view.source.view(&view.source, LOOKBACK_BLOCK + 10, 10, &have));
    assert_int_equal(lookback_view_error(&view, &err), ERR_OK);
    assert_null(view.source.view(&view.source, 10, 10, &have));
    assert_int_equal(lookback_view_error(&view, &err), ERR_ENV);
    assert_int_equal(lookback_view_error(&view, NULL), ERR_ENV);
    assert_non_null(strstr(err.text, "cannot be read any more"));
    assert_non_null(view.source.view(&view.source, LOOKBACK_BLOCK + 10, 10, &have));
    lookback_view_close(&view);
    io_image_close(lookback.image);
    io_image_close(inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_view_equals_the_image),
                                        cmocka_unit_test(an_image_that_is_gone_is_an_error) };

    return cmocka_run_group_tests_name("lookback", tests, NULL, NULL);
}
