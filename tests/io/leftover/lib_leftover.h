/* SPDX-License-Identifier: Apache-2.0
 * tests/io/leftover/lib_leftover.h - what the tests of io/leftover share: numbers put into bytes,
 * and layouts that a walk has told. */
#ifndef BURIN_TESTS_IO_LEFTOVER_LIB_LEFTOVER_H
#define BURIN_TESTS_IO_LEFTOVER_LIB_LEFTOVER_H

#include "io/leftover.h"
#include "tests/io/lib_io.h"

static inline void put(uint8_t *at, uint64_t value, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static inline void put_be(uint8_t *at, uint64_t value, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        at[i] = (uint8_t)(value >> (8 * (len - 1 - i)));
}

static inline uint8_t *zeros(size_t len)
{
    uint8_t *bytes = calloc(1, len);

    assert_non_null(bytes);
    return bytes;
}

enum { TOLD_MAX = 256, TOLD_RUNS = 64 };

/* Layouts that were told; texts are copied. */
struct told {
    struct io_layout layouts[TOLD_MAX];
    struct io_range runs[TOLD_MAX][TOLD_RUNS];
    char paths[TOLD_MAX][128], texts[TOLD_MAX][64];
    uint32_t count; /* of all, also of those that have no room */
    uint64_t image_size;
};

/* Keeps the layout, and checks what holds for each. */
static inline enum err_code told_take(void *arg, const struct io_layout *layout, struct err *err)
{
    struct told *told = arg;
    uint64_t bytes = 0;

    (void)err;
    assert_true(layout->run_count >= 1 && layout->run_count <= IO_LAYOUT_RUNS_MAX);
    assert_true(layout->run_count > 1 || layout->open_end || layout->lead > 0);
    assert_true(layout->unit > 0);
    for (uint32_t i = 0; i < layout->run_count; i++) {
        const struct io_range *run = &layout->runs[i];

        assert_true(run->len > 0 && run->offset <= told->image_size &&
                    run->len <= told->image_size - run->offset);
        assert_true(i == 0 || run[-1].offset + run[-1].len != run->offset);
        bytes += run->len;
        for (uint32_t k = 0; k < i && layout->run_count <= TOLD_RUNS; k++)
            assert_true(layout->runs[k].offset + layout->runs[k].len <= run->offset ||
                        run->offset + run->len <= layout->runs[k].offset);
    }
    assert_true(layout->size == 0 || layout->open_end || bytes == layout->size);
    if (told->count < TOLD_MAX && layout->run_count <= TOLD_RUNS) {
        struct io_layout *out = &told->layouts[told->count];

        *out = *layout;
        memcpy(told->runs[told->count], layout->runs, layout->run_count * sizeof *layout->runs);
        out->runs = told->runs[told->count];
        snprintf(told->paths[told->count], sizeof told->paths[0], "%s", layout->path);
        out->path = told->paths[told->count];
        snprintf(told->texts[told->count], sizeof told->texts[0], "%s", layout->text);
        out->text = told->texts[told->count];
    }
    told->count++;
    return ERR_OK;
}

/* Walks over an image in memory, with so many threads. Free with free. */
static inline struct told *told_with(const uint8_t *bytes, size_t len, const uint64_t *starts,
                                     uint64_t start_count, uint32_t threads)
{
    struct told *told = calloc(1, sizeof *told);
    const struct io_leftover_hint hint = { .starts = starts,
                                           .start_count = start_count,
                                           .threads = threads };
    struct io_image *image = NULL;
    struct err err = { 0 };

    assert_non_null(told);
    told->image_size = len;
    assert_int_equal(io_image_open_memory(bytes, len, &image, &err), ERR_OK);
    assert_int_equal(io_leftover_walk(image, &hint, told_take, told, &err), ERR_OK);
    io_image_close(image);
    return told;
}

/* By one thread, and by several, which tell the same. Free with free. */
static inline struct told *told_by(const uint8_t *bytes, size_t len, const uint64_t *starts,
                                   uint64_t start_count)
{
    struct told *told = told_with(bytes, len, starts, start_count, 1);
    struct told *many = told_with(bytes, len, starts, start_count, 5);

    assert_int_equal(many->count, told->count);
    for (uint32_t i = 0; i < told->count && i < TOLD_MAX; i++) {
        assert_int_equal(many->layouts[i].unit, told->layouts[i].unit);
        assert_int_equal(many->layouts[i].unit_at, told->layouts[i].unit_at);
    }
    free(many);
    return told;
}

/* The layout has these runs: [count][2], offset and length. */
static inline void told_runs(const struct io_layout *layout, const uint64_t (*runs)[2],
                             uint32_t count)
{
    assert_int_equal(layout->run_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(layout->runs[i].offset, runs[i][0]);
        assert_int_equal(layout->runs[i].len, runs[i][1]);
    }
}

struct folders {
    struct io_range clusters[8];
    uint32_t count;
};

static inline enum err_code folder_take(void *arg, struct io_range cluster, struct err *err)
{
    struct folders *folders = arg;

    (void)err;
    assert_true(folders->count < 8);
    folders->clusters[folders->count++] = cluster;
    return ERR_OK;
}

static inline enum err_code layout_drop(void *arg, const struct io_layout *layout, struct err *err)
{
    (void)arg;
    (void)layout;
    (void)err;
    return ERR_OK;
}

/* What a walk over an image in memory says of folders. */
static inline struct folders folders_of(const uint8_t *bytes, size_t len)
{
    struct folders folders = { .count = 0 };
    const struct io_leftover_hint hint = { .folder = folder_take, .folder_arg = &folders };
    struct io_image *image = NULL;
    struct err err = { 0 };

    assert_int_equal(io_image_open_memory(bytes, len, &image, &err), ERR_OK);
    assert_int_equal(io_leftover_walk(image, &hint, layout_drop, NULL, &err), ERR_OK);
    io_image_close(image);
    return folders;
}

#endif
