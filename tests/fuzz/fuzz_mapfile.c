/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_mapfile.c - any text as a map of GNU ddrescue, applied to an image that knows of
 * two ranges by itself that were never read.
 *
 * Found: crashes; ranges that are empty, out of order or outside of the image; bytes that the map
 * counts as not read and that the image would give all the same, or the other way round.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "io/image/image_impl.h"
#include "io/mapfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 10, SIZE_MAX_OF_IMAGE = 1 << 16, OWN = 2 };

static void must(bool right)
{
    if (!right)
        abort();
}

/* Ranges lie one behind the other below end. Returns their bytes. */
static uint64_t ascend(const struct io_bad_range *items, uint32_t count, uint64_t end)
{
    uint64_t at = 0, sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        must(items[i].len > 0 && items[i].offset >= at && items[i].offset <= end &&
             items[i].len <= end - items[i].offset);
        at = items[i].offset + items[i].len;
        sum += items[i].len;
    }
    return sum;
}

/* What the image has of its own, from the input: it may be nothing. Returns its bytes. */
static uint64_t give_own(struct io_image *image, const uint8_t *data)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < OWN; i++) {
        const uint64_t begin = at + bytes_u16le(data + 4 * i), len = bytes_u16le(data + 4 * i + 2);
        const struct io_bad_range range = { begin, len, 0, IO_BAD_ACQUISITION, IO_STATUS_BAD };

        if (len == 0 || begin >= image->size || len > image->size - begin)
            break;
        io_bad_list_add(&image->unread, &range);
        at = begin + len + 1;
    }
    return ascend(image->unread.items, image->unread.count, image->size);
}

static void apply(const struct io_mapfile *map, const uint8_t *data, uint64_t image_size)
{
    static const uint8_t bytes[SIZE_MAX_OF_IMAGE];
    struct io_image *image;
    struct err err = { 0 };
    uint64_t said;
    uint32_t ranges;

    must(io_image_open_memory(bytes, image_size, &image, &err) == ERR_OK);
    const uint64_t own = give_own(image, data);
    io_mapfile_count(map, image_size, &said, &ranges);
    if (io_mapfile_apply(map, "map", image, &err) == ERR_OK) {
        const uint64_t all = ascend(image->unread.items, image->unread.count, image_size);

        must(map->read_end <= image_size && all >= said && all >= own && all <= said + own);
        must(own > 0 || all == said);
    } else {
        must(strlen(err.text) > 0);
    }
    io_image_close(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_mapfile map = { 0 };
    struct err err = { 0 };

    if (size < HEAD)
        return 0;
    if (io_mapfile_parse("map", (const char *)data + HEAD, size - HEAD, &map, &err) == ERR_OK) {
        must(map.begin <= map.end && map.read_end <= map.end);
        (void)ascend(map.bad, map.count, map.end);
        apply(&map, data + 2, 1 + (uint64_t)bytes_u16le(data));
    } else {
        must(strlen(err.text) > 0);
    }
    io_mapfile_release(&map);
    return 0;
}
