/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/plan/test_sums.c - the CRC of every stretch that was scanned equals that of its
 * bytes, wherever they are by then; and which objects get none does not depend on the order in
 * which they are found.
 *
 * Method: a random image in two ranges, in segments of many lengths, of which a few stay in the
 * lookback; any place before the front is asked for. Objects that end late are fed in many orders
 * and compared with a count of all by all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/case/sums_late.h"
#include "carver/plan/sums.h"
#include "signatures/crc64.h"

enum { IMAGE_LEN = 5 * 1000 * 1000, SLOTS = 4, ASKED = 40, OBJECTS = 400 };

static uint64_t seed = 1;

static uint64_t roll(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

static uint64_t plain(const uint8_t *image, uint64_t from, uint64_t to)
{
    return crc64_add(0, image + from, to - from);
}

static void ask(struct sums *sums, const uint8_t *image, uint64_t begin, uint64_t at)
{
    struct err err = { 0 };
    uint64_t value = 0;

    assert_int_equal(sums_at(sums, at, &value, &err), ERR_OK);
    if (value != plain(image, begin, at))
        fail_msg("the CRC of %llu to %llu, front %llu", (unsigned long long)begin,
                 (unsigned long long)at, (unsigned long long)sums_front(sums));
}

/* Stretches between two places, as objects are. */
static void ask_stretch(struct sums *sums, const uint8_t *image, uint64_t begin)
{
    const uint64_t len = sums_front(sums) - begin, from = begin + roll(len + 1);
    const uint64_t to = from + roll(sums_front(sums) - from + 1);
    struct err err = { 0 };
    uint64_t before = 0, after = 0;

    assert_int_equal(sums_at(sums, from, &before, &err), ERR_OK);
    assert_int_equal(sums_at(sums, to, &after, &err), ERR_OK);
    assert_int_equal(crc64_rest(before, after, to - from), plain(image, from, to));
}

static void ask_all(struct sums *sums, const uint8_t *image, uint64_t begin, uint64_t last)
{
    const uint64_t len = sums_front(sums) - begin;

    for (int i = 0; i < ASKED; i++) {
        ask(sums, image, begin, begin + roll(len + 1));
        ask(sums, image, begin, begin + roll(len + 1) / SUMS_STEP * SUMS_STEP);
        ask_stretch(sums, image, begin);
    }
    for (uint64_t at = begin; at <= sums_front(sums); at += 1 << 20)
        ask(sums, image, begin, at);
    ask(sums, image, begin, begin);
    ask(sums, image, begin, begin + len);
    ask(sums, image, begin, begin + len - last);
    ask(sums, image, begin, begin + len - 1);
}

static void scan(const uint8_t *image, uint64_t begin, uint64_t end, uint32_t segment_len,
                 struct sums *sums, struct lookback *lookback)
{
    static uint8_t *slots[SLOTS];
    struct err err = { 0 };
    uint32_t slot = 0;

    for (int i = 0; i < SLOTS; i++)
        assert_non_null(slots[i] = realloc(slots[i], segment_len));
    sums_begin(sums, begin);
    for (uint64_t at = begin; at < end; slot = (slot + 1) % SLOTS) {
        const uint32_t len = end - at < segment_len ? (uint32_t)(end - at) : segment_len;

        if (lookback->count == SLOTS - 1)
            lookback_pop(lookback);
        memcpy(slots[slot], image + at, len);
        sums_look(sums, slot, slots[slot], len);
        lookback_push(lookback,
                      &(struct lookback_segment){ .offset = at, .len = len, .bytes = slots[slot] });
        assert_int_equal(sums_collect(sums, slot, len, &err), ERR_OK);
        at += len;
        assert_int_equal(sums_front(sums), at);
        if (roll(4) ==
            0) /* what is remembered is right, and does not stand in the way of anything else */
            assert_int_equal(sums_remember(sums, at - roll(len), &err), ERR_OK);
        if (roll(1 + (uint64_t)IMAGE_LEN / segment_len / 8) == 0 || at == end)
            ask_all(sums, image, begin, len);
    }
    while (lookback->count > 0)
        lookback_pop(lookback);
    for (int i = 0; i < SLOTS; i++) {
        free(slots[i]);
        slots[i] = NULL;
    }
}

static void every_stretch_is_right(void **state)
{
    static const uint32_t segments[] = { SUMS_STEP, 4096, 1 << 16, 1 << 17, 1 << 20, 1 << 22 };
    uint8_t *image = malloc(IMAGE_LEN);
    struct err err = { 0 };

    (void)state;
    assert_non_null(image);
    for (size_t i = 0; i < IMAGE_LEN; i++)
        image[i] = (uint8_t)roll(256);
    for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++)
        for (uint64_t reach = segments[i]; reach <= UINT64_C(64) << 20; reach *= 16) {
            struct lookback lookback = { 0 };
            struct sums *sums = NULL;

            assert_int_equal(io_image_open_memory(image, IMAGE_LEN, &lookback.image, &err), ERR_OK);
            assert_int_equal(sums_open(&lookback, SLOTS, segments[i], reach, &sums, &err), ERR_OK);
            scan(image, 512, 1024 * 1024 + 77, segments[i], sums, &lookback);
            scan(image, 3000001, IMAGE_LEN, segments[i], sums, &lookback);
            sums_close(sums);
            io_image_close(lookback.image);
        }
    free(image);
}

/* Of bytes that nobody has looked at and that are zeros. */
static void stretches_of_zeros_are_right(void **state)
{
    static const uint64_t ends[] = { 1,          4096,           SUMS_SAVED - 1,
                                     SUMS_SAVED, SUMS_SAVED + 1, 3 * SUMS_SAVED,
                                     1000 * 1000 };
    uint8_t *image = calloc(1, IMAGE_LEN);
    struct err err = { 0 };

    (void)state;
    assert_non_null(image);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct lookback lookback = { 0 };
        struct sums *sums = NULL;

        assert_int_equal(io_image_open_memory(image, IMAGE_LEN, &lookback.image, &err), ERR_OK);
        assert_int_equal(sums_blank(&lookback, 4096, 4096 + ends[i], &sums, &err), ERR_OK);
        assert_int_equal(sums_front(sums), 4096 + ends[i]);
        ask_all(sums, image, 4096, ends[i] % 4096);
        sums_close(sums);
        io_image_close(lookback.image);
    }
    free(image);
}

/* Nothing is read again of what lies in the lookback, nor for a place that was remembered. */
static void nothing_is_read_again_that_need_not_be(void **state)
{
    enum { SEGMENT = 1 << 16, COUNT = 64 };
    uint8_t *image = calloc(COUNT, SEGMENT);
    struct lookback lookback = { 0 };
    struct sums *sums = NULL;
    struct err err = { 0 };

    (void)state;
    assert_non_null(image);
    for (uint32_t i = 0; i < COUNT * SEGMENT; i += 3)
        image[i] = (uint8_t)(i >> 4);
    assert_int_equal(io_image_open_memory(image, COUNT * SEGMENT, &lookback.image, &err), ERR_OK);
    assert_int_equal(sums_open(&lookback, COUNT, SEGMENT, SUMS_REACH, &sums, &err), ERR_OK);
    sums_begin(sums, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (lookback.count == 2)
            lookback_pop(&lookback);
        sums_look(sums, i, image + i * SEGMENT, SEGMENT);
        lookback_push(&lookback, &(struct lookback_segment){ .offset = (uint64_t)i * SEGMENT,
                                                             .len = SEGMENT,
                                                             .bytes = image + i * SEGMENT });
        assert_int_equal(sums_collect(sums, i, SEGMENT, &err), ERR_OK);
        assert_int_equal(sums_remember(sums, (uint64_t)i * SEGMENT + 5, &err), ERR_OK);
        assert_int_equal(sums_remember(sums, (uint64_t)i * SEGMENT + 3, &err),
                         ERR_OK); /* not kept */
        ask(sums, image, 0, (uint64_t)i * SEGMENT + 1234);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        ask(sums, image, 0, (uint64_t)i * SEGMENT + 5);
        ask(sums, image, 0, (uint64_t)i * SEGMENT);
        ask(sums, image, 0, (uint64_t)i * SEGMENT + 7 * SUMS_STEP);
    }
    assert_int_equal(sums_reread(sums), 0);
    ask(sums, image, 0, 3);
    assert_int_equal(sums_reread(sums), SEGMENT);
    sums_close(sums);
    io_image_close(lookback.image);
    free(image);
}

static int by_place(const void *a, const void *b)
{
    const struct sums_late_one *x = a, *y = b;

    return x->offset != y->offset ? (x->offset < y->offset ? -1 : 1)
                                  : (x->id > y->id) - (x->id < y->id);
}

/* Few lie around a place, then more than may, then few again: so those that were passed go by
 * hundreds, one by one, and by hundreds. */
static void how_many_lie_around_a_place_is_known(void **state)
{
    enum { MOST = 1200, COUNT = 12000, PLACES = 40000 };
    struct sums_late_one *all = calloc(COUNT, sizeof *all);
    struct sums_late depth = { 0 };
    struct err err = { 0 };
    uint32_t *ends = calloc(2 * PLACES, sizeof *ends); /* by place: so many end there */
    uint32_t some_deep = 0, wrong = 0, ended = 0;
    uint64_t at = 0;
    bool deep;

    (void)state;
    assert_true(all != NULL && ends != NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t most = i / (COUNT / 6) % 3 == 1 ? PLACES / 2 : 1 + i % 7 * 1000;

        all[i].offset = (uint64_t)i * PLACES / COUNT;
        all[i].end = all[i].offset + 1 + roll(most);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        while (at <= all[i].offset)
            ended += ends[at++];
        const uint32_t around = i - ended;

        some_deep += around >= MOST;
        assert_int_equal(sums_depth_next(&depth, all[i].offset, all[i].end, MOST, &deep, &err),
                         ERR_OK);
        ends[all[i].end]++;
        wrong += deep != (around >= MOST);
        assert_true(depth.count <= MOST);
    }
    assert_int_equal(wrong, 0);
    assert_in_range(some_deep, COUNT / 20, COUNT * 9 / 10);
    sums_late_release(&depth);
    free(ends);
    free(all);
}

/* Objects come in any order between their beginnings and their ends; front goes from 0 to 1000. */
static void the_same_objects_get_none_in_any_order(void **state)
{
    enum { MOST = 5, PLACES = 1000 };
    struct sums_late_one all[OBJECTS];
    uint32_t some_deep = 0;
    struct err err = { 0 };

    (void)state;
    for (int round = 0; round < 50; round++) {
        struct sums_late late = { 0 }, depth = { 0 };
        struct sums_late_one one;
        bool want[OBJECTS], got[OBJECTS] = { 0 };
        uint64_t found[OBJECTS];

        for (uint32_t i = 0; i < OBJECTS; i++)
            all[i] = (struct sums_late_one){ .offset = roll(PLACES - 1), .id = (int64_t)i };
        for (uint32_t i = 0; i < OBJECTS; i++)
            all[i].end = all[i].offset + 1 + roll(roll(10) == 0 ? PLACES - all[i].offset - 1 : 20);
        for (uint32_t i = 0; i < OBJECTS; i++)
            all[i].end = all[i].end < PLACES ? all[i].end : PLACES;
        qsort(all, OBJECTS, sizeof all[0], by_place);
        for (uint32_t i = 0; i < OBJECTS; i++) {
            uint32_t around = 0;
            bool deep;

            for (uint32_t k = 0; k < i; k++)
                around += all[k].end > all[i].offset;
            want[i] = around < MOST;
            some_deep += around >= MOST;
            assert_int_equal(sums_depth_next(&depth, all[i].offset, all[i].end, MOST, &deep, &err),
                             ERR_OK);
            assert_int_equal(deep, around >= MOST);
            all[i].id = i;
            found[i] = all[i].offset +
                       roll(all[i].end - all[i].offset); /* the front goes on to behind it */
        }
        for (uint64_t front = 1; front <= PLACES; front++) {
            while (sums_late_take(&late, front, &one))
                got[one.id] = true;
            const uint32_t first = (uint32_t)roll(OBJECTS);
            for (uint32_t k = 0; k < OBJECTS; k++) {
                const struct sums_late_one *new = &all[(first + k) % OBJECTS];

                if (found[new->id] + 1 != front)
                    continue;
                if (new->end <= front)
                    got[new->id] = true;
                else
                    assert_int_equal(sums_late_add(&late, new, MOST, &err), ERR_OK);
            }
            assert_true(late.count <= 2 * MOST);
        }
        for (uint32_t i = 0; i < OBJECTS; i++)
            if (want[i] && !got[i])
                fail_msg("an object that was to have its CRC was dropped");
        sums_late_release(&late);
        sums_late_release(&depth);
    }
    assert_true(some_deep > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stretch_is_right),
        cmocka_unit_test(stretches_of_zeros_are_right),
        cmocka_unit_test(nothing_is_read_again_that_need_not_be),
        cmocka_unit_test(how_many_lie_around_a_place_is_known),
        cmocka_unit_test(the_same_objects_get_none_in_any_order),
    };

    return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}
