/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/text/test_text_cut.c - where an image is cut for threads that look for text: at an
 * object, or behind zeros, in the bytes that were asked for and nowhere else; and that pieces have
 * the texts of the whole.
 *
 * The image has no zeros but those that a test puts in; sectors that may begin text are noted as a
 * scan does, by text that is put there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/text/text_cut.h"
#include "signatures/sig.h"

enum { SECTORS = 400, SIZE = SECTORS * LIMIT_SECTOR };

struct made {
    uint8_t *bytes;
    struct io_image *image;
    struct text_starts starts;
    struct text_spots spots;
    struct io_range had[2];
    struct occupied occupied;
    struct sig sig;
    struct text_image job;
    struct text_walk walk;
};

static int made_open(void **state)
{
    struct made *made = calloc(1, sizeof *made);

    assert_non_null(made);
    made->bytes = malloc(SIZE);
    assert_non_null(made->bytes);
    memset(made->bytes, 1, SIZE);
    made->occupied = (struct occupied){ .items = made->had, .cluster = LIMIT_SECTOR };
    made->sig.state_size = 1;
    *state = made;
    return 0;
}

static int made_close(void **state)
{
    struct made *made = *state;

    text_walk_close(&made->walk);
    text_spots_release(&made->spots);
    text_starts_release(&made->starts);
    io_image_close(made->image);
    free(made->bytes);
    free(made);
    return 0;
}

/* Text begins at the sector; zeros: how many bytes before it are zero. */
static void put(struct made *made, uint32_t sector, uint32_t zeros)
{
    uint8_t *at = made->bytes + (size_t)sector * LIMIT_SECTOR;

    memset(at, 'a', LIMIT_SECTOR);
    memset(at - zeros, 0, zeros);
}

static void noted(struct made *made)
{
    bool added;

    assert_int_equal(io_image_open_memory(made->bytes, SIZE, &made->image, NULL), ERR_OK);
    assert_int_equal(text_sieve(&made->starts, made->bytes, SIZE, 0, 0, NULL), ERR_OK);
    assert_int_equal(text_spots_add(&made->spots, &made->starts, &added, NULL), ERR_OK);
    assert_true(added);
    made->job = (struct text_image){
        .image = made->image, .spots = &made->spots, .sig = &made->sig, .end = SIZE, .align = 1
    };
    assert_int_equal(text_walk_open(&made->job, &made->occupied, &made->walk, NULL), ERR_OK);
}

static uint64_t cut(struct made *made, uint64_t from, uint64_t to)
{
    const uint64_t at = text_cut(&made->walk, from, to);

    assert_true(at == TEXT_CUT_NONE || (at >= from && at < to));
    return at;
}

static void behind_zeros(void **state)
{
    struct made *made = *state;
    const uint64_t at = 10 * LIMIT_SECTOR, next = 20 * LIMIT_SECTOR;

    put(made, 5, 0);
    put(made, 7, 1); /* half of a character of UTF-16 */
    put(made, 10, 2);
    put(made, 20, 512);
    noted(made);
    assert_int_equal(cut(made, 0, SIZE), at);
    assert_int_equal(cut(made, at, at + 1), at); /* first byte and last one */
    assert_int_equal(cut(made, 0, at + 1), at);
    assert_int_equal(cut(made, 0, at), TEXT_CUT_NONE);
    assert_int_equal(cut(made, at + 1, SIZE), next);
    assert_int_equal(cut(made, next + 1, SIZE), TEXT_CUT_NONE);
    assert_int_equal(cut(made, at, at), TEXT_CUT_NONE); /* empty */
    assert_int_equal(cut(made, SIZE, SIZE + 1), TEXT_CUT_NONE);
}

/* An image begins with a text: nothing is before it. */
static void not_before_the_image(void **state)
{
    struct made *made = *state;

    put(made, 0, 0);
    noted(made);
    assert_int_equal(cut(made, 0, SIZE), TEXT_CUT_NONE);
}

static void at_an_object(void **state)
{
    struct made *made = *state;
    const uint64_t at = 30 * LIMIT_SECTOR + 7, end = at + 1000;

    made->had[0] = (struct io_range){ at, end - at };
    made->had[1] = (struct io_range){ end + 1, 1 };
    made->occupied.count = made->occupied.room = 2;
    put(made, 10, 2);
    noted(made);
    assert_int_equal(cut(made, 0, SIZE), at); /* no byte has to be read for it */
    assert_int_equal(made->walk.view.reread, 0);
    assert_int_equal(cut(made, 0, at + 1), at);
    assert_int_equal(cut(made, 0, at), 10 * LIMIT_SECTOR);
    assert_int_equal(cut(made, at, SIZE), at);
    assert_int_equal(cut(made, at + 5, at + 6), at + 5); /* inside of it */
    assert_int_equal(cut(made, end - 1, SIZE), end - 1);
    assert_int_equal(cut(made, end, SIZE), end + 1); /* right behind it begins the next one */
    assert_int_equal(cut(made, end, end + 1), TEXT_CUT_NONE);
    assert_int_equal(cut(made, end + 2, SIZE), TEXT_CUT_NONE);
}

/* Texts that fill their clusters: not all of them are looked at. */
static void not_for_ever(void **state)
{
    struct made *made = *state;

    for (uint32_t i = 1; i < SECTORS - 1; i += 2)
        put(made, i, 0);
    put(made, SECTORS - 1, 2);
    noted(made);
    assert_int_equal(cut(made, 0, SIZE), TEXT_CUT_NONE);
    assert_int_equal(cut(made, (SECTORS - 9) * LIMIT_SECTOR, SIZE), (SECTORS - 1) * LIMIT_SECTOR);
}

static uint32_t drawn(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

/* Lines of text, of one byte a character or two, with odd bytes; most end with zeros. */
static void draw(struct made *made, uint64_t *seed)
{
    for (uint32_t at = 0; at < SIZE;) {
        const uint32_t sectors = 1 + drawn(seed, 6);
        const uint32_t left = SIZE - at, most = sectors * LIMIT_SECTOR;
        const uint32_t len = left < most ? left : most;
        const uint32_t zeros = drawn(seed, 5) == 0 ? 0 : drawn(seed, LIMIT_SECTOR);
        const bool wide = drawn(seed, 5) == 0, binary = drawn(seed, 6) == 0;
        uint8_t *bytes = made->bytes + at;

        for (uint32_t i = 0; i < len; i++)
            bytes[i] = wide && i % 2 == 1 ? 0 : i % 40 == 38 ? '\n' : (uint8_t)('a' + i % 20);
        if (wide)
            memcpy(bytes, "\xff\xfe", 2);
        for (uint32_t odd = binary ? 200 : drawn(seed, 3); odd > 0; odd--)
            bytes[drawn(seed, len)] = 1;
        memset(bytes + len - zeros, 0, zeros);
        at += len;
    }
}

static void compare(const struct made *made, const struct text_row *whole, size_t count)
{
    assert_int_equal(made->walk.count, count);
    for (size_t i = 0; i < count; i++) {
        const struct text_row *row = &made->walk.rows[i];

        assert_int_equal(row->offset, whole[i].offset);
        assert_int_equal(row->len, whole[i].len);
        assert_ptr_equal(row->type, whole[i].type);
        assert_ptr_equal(row->why, whole[i].why);
        assert_int_equal(row->crc64, whole[i].crc64);
        assert_int_equal(row->complete, whole[i].complete);
    }
}

static const struct sig *plain(void)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    while (count > 0 && (all[count - 1]->flags & SIG_NO_HEADER) == 0)
        count--;
    assert_true(count > 0);
    return all[count - 1];
}

/* The walk of the whole image is one from its first byte to its last, without a cut. */
static void pieces_have_what_the_whole_has(void **state)
{
    struct made *made = *state;
    uint64_t seed = 5, at = 0;

    draw(made, &seed);
    made->had[0] = (struct io_range){ 90 * LIMIT_SECTOR, 5000 };
    made->had[1] = (struct io_range){ 201 * LIMIT_SECTOR, 70 };
    made->occupied.count = made->occupied.room = 2;
    made->sig = *plain();
    noted(made);
    assert_int_equal(text_walk_on(&made->walk, &at, SIZE, NULL), ERR_OK);
    const size_t count = made->walk.count;
    struct text_row *whole = made->walk.rows;
    assert_in_range(count, 30, TEXT_WALK_ROWS - 1);
    made->walk.rows = NULL;
    made->walk.room = 0;
    for (uint64_t step = 777; step < SIZE; step = step * 3) {
        uint32_t cuts = 0;

        made->walk.count = 0;
        at = 0;
        for (uint64_t from = step; from < SIZE; from += step) {
            const uint64_t to = cut(made, from, from + step);

            if (to == TEXT_CUT_NONE)
                continue;
            assert_int_equal(text_walk_on(&made->walk, &at, to, NULL), ERR_OK);
            at = to;
            cuts++;
        }
        assert_int_equal(text_walk_on(&made->walk, &at, SIZE, NULL), ERR_OK);
        compare(made, whole, count);
        assert_true(cuts > 0 && (step > 777 || cuts > 30));
    }
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(behind_zeros, made_open, made_close),
        cmocka_unit_test_setup_teardown(not_before_the_image, made_open, made_close),
        cmocka_unit_test_setup_teardown(at_an_object, made_open, made_close),
        cmocka_unit_test_setup_teardown(not_for_ever, made_open, made_close),
        cmocka_unit_test_setup_teardown(pieces_have_what_the_whole_has, made_open, made_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
