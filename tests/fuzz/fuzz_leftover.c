/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_leftover.c - an image of any bytes, with a header in each block of 1 KiB.
 *
 * Found: crashes, walks that do not end, layouts that break what leftover.h says.
 */
#include <stdlib.h>
#include <string.h>

#include "io/leftover.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_STARTS = 256, FUZZ_UNIT = 1024 };

static void must(bool right)
{
    if (!right)
        abort();
}

static enum err_code fuzz_take(void *arg, const struct io_layout *layout, struct err *err)
{
    const uint64_t size = *(const uint64_t *)arg;
    uint64_t bytes = 0;

    (void)err;
    must(layout->run_count > 0 && layout->run_count <= IO_LAYOUT_RUNS_MAX && layout->unit > 0);
    must(layout->run_count > 1 || layout->open_end || layout->lead > 0);
    for (uint32_t i = 0; i < layout->run_count; i++) {
        const struct io_range *run = &layout->runs[i];

        must(run->len > 0 && run->offset <= size && run->len <= size - run->offset);
        for (uint32_t k = 0; k < i && i < FUZZ_STARTS; k++)
            must(layout->runs[k].offset + layout->runs[k].len <= run->offset ||
                 run->offset + run->len <= layout->runs[k].offset);
        bytes += run->len;
    }
    must(layout->size == 0 || layout->open_end || bytes == layout->size);
    must(layout->area.offset <= size && layout->area.len <= size - layout->area.offset);
    must(strlen(layout->path) + strlen(layout->text) < 8192);
    return ERR_OK;
}

static enum err_code fuzz_folder(void *arg, struct io_range cluster, struct err *err)
{
    const uint64_t size = *(const uint64_t *)arg;

    (void)err;
    must(cluster.len > 0 && cluster.offset <= size && cluster.len <= size - cluster.offset);
    return ERR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t starts[FUZZ_STARTS], image_size = size;
    const struct io_leftover_hint hint = { .starts = starts,
                                           .start_count = FUZZ_STARTS,
                                           .folder = fuzz_folder,
                                           .folder_arg = &image_size };
    struct io_image *image = NULL;
    struct err err = { 0 };

    if (size == 0)
        return 0;
    for (uint64_t i = 0; i < FUZZ_STARTS; i++)
        starts[i] = i * FUZZ_UNIT;
    must(io_image_open_memory(data, size, &image, &err) == ERR_OK);
    must(io_leftover_walk(image, &hint, fuzz_take, &image_size, &err) == ERR_OK);
    io_image_close(image);
    return 0;
}
