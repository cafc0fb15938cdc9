/* SPDX-License-Identifier: Apache-2.0
 * io/image/parallels.c - the table of a Parallels image, to tell one that was cut off: the rest is
 * read by qemu-nbd (serve.h). Source: QEMU, docs/interop/parallels.txt.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/image/container.h"
#include "io/image/file.h"
#include "io/image/pieces.h"

enum {
    PARALLELS_HEADER = 64,
    PARALLELS_MAGIC = 16,
    AT_CLUSTER = 28, /* sectors of a cluster, u32le */
    AT_COUNT = 32,   /* entries of the table, which follows the header, u32le */
    AT_SECTORS = 36, /* of the disk, u64le */
    PARALLELS_ENTRY = 4,
    PARALLELS_READ = 65536,         /* bytes of the table read at a time */
    PARALLELS_CLUSTER_MAX = 1 << 21 /* sectors; QEMU takes no more */
};

struct parallels {
    uint32_t cluster, count, factor; /* factor: sectors of a unit of an entry */
    uint64_t sectors;
};

static bool parallels_header(const uint8_t header[PARALLELS_HEADER], uint64_t size,
                             struct parallels *out)
{
    out->cluster = bytes_u32le(header + AT_CLUSTER);
    out->count = bytes_u32le(header + AT_COUNT);
    out->sectors = bytes_u64le(header + AT_SECTORS);
    out->factor = memcmp(header, "WithoutFreeSpace", PARALLELS_MAGIC) == 0 ? 1 : out->cluster;
    return out->cluster > 0 && out->cluster <= PARALLELS_CLUSTER_MAX &&
           out->count <= (size - PARALLELS_HEADER) / PARALLELS_ENTRY;
}

/* Adds the clusters that a piece of the table has; of the last one, what the disk has of it. */
static enum err_code parallels_take(const struct parallels *image, uint64_t from,
                                    const uint8_t *table, uint32_t count, struct io_places *places,
                                    struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const uint64_t entry = bytes_u32le(table + (size_t)i * PARALLELS_ENTRY);
        const uint64_t begin = (from + i) * image->cluster;

        if (entry == 0 || begin >= image->sectors)
            continue;
        const uint64_t left = image->sectors - begin;
        const uint64_t len = left < image->cluster ? left : image->cluster;
        rc = io_places_add(places, entry * image->factor * LIMIT_SECTOR, len * LIMIT_SECTOR,
                           "a cluster", err);
    }
    return rc;
}

enum err_code io_parallels_check(const char *path, int fd, uint64_t size, struct err *err)
{
    struct io_places places = { .path = path, .file_size = size };
    uint8_t header[PARALLELS_HEADER], *table = malloc(PARALLELS_READ);
    const uint32_t step = PARALLELS_READ / PARALLELS_ENTRY;
    struct parallels image = { 0 };
    enum err_code rc = ERR_OK;

    if (table == NULL)
        return ERR_NO_MEMORY(err, PARALLELS_READ);
    if (size < PARALLELS_HEADER || io_file_pread(fd, 0, header, sizeof header) != 0 ||
        !parallels_header(header, size, &image))
        rc = ERR_RAISE(err, ERR_INPUT, "%s: the header of this Parallels image is damaged", path);
    for (uint64_t at = 0; rc == ERR_OK && at < image.count; at += step) {
        const uint32_t count = image.count - at < step ? image.count - (uint32_t)at : step;

        if (io_file_pread(fd, PARALLELS_HEADER + at * PARALLELS_ENTRY, table,
                          (size_t)count * PARALLELS_ENTRY) != 0)
            rc = ERR_RAISE(err, ERR_INPUT, "%s: the table of this Parallels image cannot be read",
                           path);
        else
            rc = parallels_take(&image, at, table, count, &places, err);
    }
    if (rc == ERR_OK)
        rc = io_places_check(&places, err);
    io_places_release(&places);
    free(table);
    return rc;
}
