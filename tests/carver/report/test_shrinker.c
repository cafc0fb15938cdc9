/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/report/test_shrinker.c - small pictures of JPEG files, made by a process without
 * rights: pictures of four colours, which libturbojpeg itself writes and reads; files that are cut,
 * damaged, none at all; and a process that ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/report/html/shrinker.h"

enum { WIDTH = 1000, HEIGHT = 700 };

/* Of the four quarters, from the upper left one on. */
static const uint8_t colors[4][3] = { { 220, 30, 30 }, { 30, 200, 30 }, { 40, 40, 220 }, { 200 } };

struct fixture {
    struct lib_turbojpeg jpeg;
    struct shrinker shrinker;
    uint8_t *file; /* a picture of WIDTH x HEIGHT */
    size_t len;
};

static uint8_t *painted(const struct lib_turbojpeg *jpeg, int width, int height, size_t *len)
{
    uint8_t *pixels = malloc((size_t)width * (size_t)height * 3);
    const unsigned long room = (unsigned long)width * (unsigned long)height * 4 + 4096;
    uint8_t *out = malloc(room);
    unsigned long used = room;
    tjhandle encoder = jpeg->tjInitCompress();

    assert_true(pixels != NULL && out != NULL && encoder != NULL);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            memcpy(pixels + 3 * ((size_t)y * (size_t)width + (size_t)x),
                   colors[2 * (y >= height / 2) + (x >= width / 2)], 3);
    assert_int_equal(jpeg->tjCompress2(encoder, pixels, width, 0, height, TJPF_RGB, &out, &used,
                                       TJSAMP_444, 95, TJFLAG_NOREALLOC),
                     0);
    jpeg->tjDestroy(encoder);
    free(pixels);
    *len = used;
    return out;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct err err = { 0 };

    if (f == NULL || lib_turbojpeg_open(&f->jpeg, &err) != ERR_OK ||
        shrinker_open(&f->shrinker, &err) != ERR_OK)
        fail_msg("%s", err.text);
    f->file = painted(&f->jpeg, WIDTH, HEIGHT, &f->len);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    shrinker_close(&f->shrinker);
    shrinker_close(&f->shrinker);
    free(f->file);
    free(f);
    return 0;
}

/* Of a small picture: its sides, and the colours in the middle of its first so many quarters. */
static void check_small(struct fixture *f, struct shrunk shrunk, int width, int height,
                        int quarters)
{
    tjhandle decoder = f->jpeg.tjInitDecompress();
    int got_width, got_height, samples, space;

    assert_true(shrunk.len > 0 && decoder != NULL);
    assert_int_equal(f->jpeg.tjDecompressHeader3(decoder, f->shrinker.small, shrunk.len, &got_width,
                                                 &got_height, &samples, &space),
                     0);
    assert_int_equal(got_width, width);
    assert_int_equal(got_height, height);
    uint8_t *pixels = malloc((size_t)width * (size_t)height * 3);
    assert_int_equal(f->jpeg.tjDecompress2(decoder, f->shrinker.small, shrunk.len, pixels, width, 0,
                                           height, TJPF_RGB, 0),
                     0);
    for (int i = 0; i < quarters; i++) {
        const int x = width / 4 + i % 2 * width / 2, y = height / 4 + i / 2 * height / 2;

        for (int c = 0; c < 3; c++) {
            const int got = pixels[3 * ((size_t)y * (size_t)width + (size_t)x) + (size_t)c];

            if (abs(got - colors[i][c]) > 12)
                fail_msg("quarter %d, channel %d: %d and not %d", i, c, got, colors[i][c]);
        }
    }
    free(pixels);
    f->jpeg.tjDestroy(decoder);
}

static struct shrunk shrink(struct fixture *f, const uint8_t *file, size_t len)
{
    memcpy(f->shrinker.file, file, len);
    return shrinker_make(&f->shrinker, (uint32_t)len);
}

static void a_large_picture_becomes_small(void **state)
{
    struct fixture *f = *state;
    /* A quarter by the decoder; an eighth; that, and then squares of 2 x 2; as it is. */
    static const int sides[][4] = { { WIDTH, HEIGHT, 250, 175 },
                                    { 640, 1280, 80, 160 },
                                    { 3000, 2000, 188, 125 },
                                    { 60, 40, 60, 40 } };

    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        size_t len;
        uint8_t *file = painted(&f->jpeg, sides[i][0], sides[i][1], &len);
        const struct shrunk shrunk = shrink(f, file, len);

        assert_int_equal(shrunk.damaged, 0);
        check_small(f, shrunk, sides[i][2], sides[i][3], 4);
        free(file);
    }
    assert_int_equal(f->shrinker.process.failures, 0);
}

static void what_is_left_of_a_picture_is_shown(void **state)
{
    struct fixture *f = *state;
    const struct shrunk shrunk = shrink(f, f->file, f->len * 6 / 10);

    assert_int_equal(shrunk.damaged, 1);
    check_small(f, shrunk, 250, 175, 2); /* the upper half */
    assert_int_equal(f->shrinker.process.failures, 0);
}

static void what_is_no_picture_has_none(void **state)
{
    struct fixture *f = *state;
    uint8_t *wrong = malloc(f->len);

    memset(wrong, 0x5a, f->len);
    assert_int_equal(shrink(f, wrong, f->len).len, 0);
    assert_int_equal(shrink(f, f->file, 2).len, 0);
    assert_int_equal(shrink(f, f->file, 0).len, 0);
    /* ITU-T T.81, B.2.2: the sides of the frame, which would be 65,500 x 65,500 pixels. */
    memcpy(wrong, f->file, f->len);
    uint8_t *frame = NULL;
    for (size_t i = 0; i + 9 < f->len && frame == NULL; i++)
        if (wrong[i] == 0xff && wrong[i + 1] == 0xc0)
            frame = wrong + i;
    assert_non_null(frame);
    frame[5] = frame[7] = 0xff;
    frame[6] = frame[8] = 0xdc;
    assert_int_equal(shrink(f, wrong, f->len).len, 0);
    free(wrong);
    check_small(f, shrink(f, f->file, f->len), 250, 175, 4);
    assert_int_equal(f->shrinker.process.failures, 0);
}

/* As a picture would end it. */
static void a_process_that_ends_is_followed_by_another(void **state)
{
    struct fixture *f = *state;

    check_small(f, shrink(f, f->file, f->len), 250, 175, 4);
    const pid_t first = f->shrinker.process.pid;
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(shrink(f, f->file, f->len).len, 0);
    assert_int_equal(f->shrinker.process.failures, 1);
    check_small(f, shrink(f, f->file, f->len), 250, 175, 4);
    assert_int_not_equal(f->shrinker.process.pid, first);
    f->shrinker.process.failures = SHRINKER_FAILURES;
    assert_int_equal(kill(f->shrinker.process.pid, SIGKILL), 0);
    assert_int_equal(shrink(f, f->file, f->len).len, 0);
    assert_int_equal(f->shrinker.process.pid, 0);
    assert_int_equal(shrink(f, f->file, f->len).len, 0);
    assert_int_equal(f->shrinker.process.pid, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_large_picture_becomes_small, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_left_of_a_picture_is_shown, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_picture_has_none, setup, teardown),
        cmocka_unit_test_setup_teardown(a_process_that_ends_is_followed_by_another, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
