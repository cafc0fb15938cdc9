/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_map.c - see scan_map.h. */
#include "carver/scan/scan_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "db/sha256.h"
#include "io/mapfile.h"

enum err_code scan_map_load(const char *path, struct io_mapfile *map, char sha256[SCAN_MAP_SHA256],
                            struct err *err)
{
    char *text = NULL;
    FILE *file = NULL;
    size_t len = 0;

    enum err_code rc = input_open(path, &file, err);
    if (rc == ERR_OK)
        rc = input_read(file, path, IO_MAPFILE_TEXT_MAX, &text, &len, err);
    if (rc == ERR_OK && len > IO_MAPFILE_TEXT_MAX)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: a map of more than %d MiB is not read", path,
                       IO_MAPFILE_TEXT_MAX >> 20);
    if (rc == ERR_OK)
        rc = io_mapfile_parse(path, text, len, map, err);
    if (rc == ERR_OK)
        rc = db_sha256(text, len, sha256, err);
    if (file != NULL)
        fclose(file);
    free(text);
    return rc;
}

enum err_code scan_map_apply(const char *path, struct io_image *image, struct scan_map *out,
                             struct err *err)
{
    const uint64_t size = io_image_size(image);
    struct io_mapfile map = { 0 };

    *out = (struct scan_map){ 0 };
    enum err_code rc = scan_map_load(path, &map, out->sha256, err);
    if (rc == ERR_OK)
        rc = io_mapfile_apply(&map, path, image, err);
    if (rc == ERR_OK)
        io_mapfile_count(&map, size, &out->bytes, &out->ranges);
    io_mapfile_release(&map);
    if (rc != ERR_OK)
        err_while(err, "reading --mapfile");
    return rc;
}

/* Whether the file is a map that fits the image. */
static bool map_fits(const char *path, const struct io_image *image)
{
    struct io_mapfile map = { 0 };
    char sha256[SCAN_MAP_SHA256];
    const bool fits = scan_map_load(path, &map, sha256, NULL) == ERR_OK &&
                      map.read_end <= io_image_size(image) && map.end > map.begin;

    io_mapfile_release(&map);
    return fits;
}

bool scan_map_beside(const char *path, const struct io_image *image, char *out, uint32_t size)
{
    static const char *const ends[] = { ".map", ".mapfile", ".log" };
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const size_t all = strlen(path);
    const size_t stem =
        dot != NULL && dot > (slash != NULL ? slash + 1 : path) ? (size_t)(dot - path) : all;

    for (size_t i = 0; i < 2 * (sizeof ends / sizeof ends[0]); i++) {
        const int len =
            snprintf(out, size, "%.*s%s", (int)(i % 2 == 0 ? all : stem), path, ends[i / 2]);

        if (len >= 0 && (uint32_t)len < size && map_fits(out, image))
            return true;
    }
    return false;
}
