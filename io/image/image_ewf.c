/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_ewf.c - images of EnCase 1 and SMART (E01, S01) through libewf; others are read by
 * image_e01.c.
 *
 * Not through libtsk: where the checksum of a chunk is wrong, libewf gives zeros and counts an
 * error, and libtsk does not ask for the count. Here such a chunk is a read error, so that it ends
 * up in the list of bad ranges. So do the sectors that were not read when the image was made: the
 * image has zeros for them, and lists them.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "io/image/container.h"
#include "io/image/ewf_facts.h"
#include "io/image/ewf_segments.h"
#include "io/image/image_impl.h"
#include "io/system/lib_ewf.h"

struct image_ewf {
    struct io_image base;
    struct io_ewf lib;
    libewf_handle_t *handle;
    pthread_mutex_t lock; /* of all below: libewf allows one reader at a time */
    uint32_t near;        /* libewf's range with a wrong checksum that was looked at last */
};

/* The first line of what libewf says, which has no codes for causes. Frees error. */
static void image_ewf_reason(const struct io_ewf *lib, libewf_error_t *error, char reason[256])
{
    reason[0] = '\0';
    if (error == NULL)
        return;
    if (lib->libewf_error_sprint(error, reason, 256) < 0)
        reason[0] = '\0';
    reason[255] = '\0';
    reason[strcspn(reason, "\n")] = '\0';
    lib->libewf_error_free(&error);
}

/*
 * The first of libewf's ranges with a wrong checksum that ends behind offset. libewf keeps them
 * ascending, joins those that touch, and finds one quickly that stands beside the last one asked
 * for; so the way begins there. False: there is none.
 */
static bool image_ewf_find_wrong(struct image_ewf *ewf, uint64_t offset, uint64_t *start,
                                 uint64_t *end)
{
    const uint64_t sector_size = ewf->base.sector_size, sought = offset / sector_size;
    uint32_t count = 0, i = ewf->near;
    uint64_t sector = 0, sectors = 0;

    if (ewf->lib.libewf_handle_get_number_of_checksum_errors(ewf->handle, &count, NULL) != 1 ||
        count == 0)
        return false;
    if (i >= count)
        i = count - 1;
    ewf->lib.libewf_handle_get_checksum_error(ewf->handle, i, &sector, &sectors, NULL);
    while (sector > sought && i > 0)
        ewf->lib.libewf_handle_get_checksum_error(ewf->handle, --i, &sector, &sectors, NULL);
    while (sector + sectors <= sought && i + 1 < count)
        ewf->lib.libewf_handle_get_checksum_error(ewf->handle, ++i, &sector, &sectors, NULL);
    ewf->near = i;
    *start = sector * sector_size;
    *end = (sector + sectors) * sector_size;
    return *end > offset;
}

static enum err_code image_ewf_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                       size_t len, struct io_failure *failure, struct err *err)
{
    struct image_ewf *ewf = (struct image_ewf *)image;
    libewf_error_t *error = NULL;
    uint64_t start = 0, end = 0;
    enum err_code rc = ERR_OK;
    char reason[256];

    pthread_mutex_lock(&ewf->lock);
    const ssize_t got =
        ewf->lib.libewf_handle_read_random(ewf->handle, dst, len, (off64_t)offset, &error);
    const bool wrong = image_ewf_find_wrong(ewf, offset, &start, &end) && start < offset + len;
    pthread_mutex_unlock(&ewf->lock);
    image_ewf_reason(&ewf->lib, error, reason);
    failure->cause = EIO;
    failure->source = wrong ? IO_BAD_CHECKSUM : IO_BAD_READ;
    if (got != (ssize_t)len)
        rc = ERR_RAISE(err, ERR_IO, "%s: bytes %" PRIu64 "+%zu of the image: %s",
                       image->parts[0].path, offset, len, reason);
    else if (wrong)
        rc = ERR_RAISE(err, ERR_IO,
                       "%s: bytes %" PRIu64 "+%" PRIu64 " of the image have a wrong checksum",
                       image->parts[0].path, start, end - start);
    return rc;
}

static void image_ewf_close(struct io_image *image)
{
    struct image_ewf *ewf = (struct image_ewf *)image;

    if (ewf->handle != NULL) {
        ewf->lib.libewf_handle_close(ewf->handle, NULL);
        ewf->lib.libewf_handle_free(&ewf->handle, NULL);
    }
    pthread_mutex_destroy(&ewf->lock);
    io_image_release(image);
    free(ewf);
}

static enum err_code image_ewf_start(struct image_ewf *ewf, char **paths, int count,
                                     struct io_ewf_unread *unread, struct err *err)
{
    libewf_error_t *error = NULL;
    char reason[256];
    uint32_t sector_size = 0;
    size32_t chunk_size = 0;
    size64_t size = 0;
    struct stat st;
    enum err_code rc = io_ewf_check_segments(paths, (uint32_t)count, unread, err);

    for (int i = 0; rc == ERR_OK && i < count; i++) {
        if (stat(paths[i], &st) != 0)
            rc = ERR_RAISE(err, ERR_INPUT, "%s: this part of the image has gone: %s", paths[i],
                           strerror(errno));
        else
            rc = io_image_add_part(&ewf->base, paths[i], &st, err);
    }
    if (rc != ERR_OK)
        return rc;
    if (ewf->lib.libewf_handle_initialize(&ewf->handle, &error) != 1 ||
        ewf->lib.libewf_handle_open(ewf->handle, paths, count, LIBEWF_OPEN_READ, &error) != 1 ||
        ewf->lib.libewf_handle_get_media_size(ewf->handle, &size, &error) != 1 ||
        ewf->lib.libewf_handle_get_bytes_per_sector(ewf->handle, &sector_size, &error) != 1 ||
        ewf->lib.libewf_handle_get_chunk_size(ewf->handle, &chunk_size, &error) != 1) {
        image_ewf_reason(&ewf->lib, error, reason);
        return ERR_RAISE(err, ERR_INPUT, "%s: is damaged, or an E01 that libewf cannot read: %s",
                         paths[0], reason);
    }
    if (size == 0 || sector_size < LIMIT_SECTOR)
        return ERR_RAISE(err, ERR_INPUT, "%s: the image in it is empty", paths[0]);
    ewf->base.size = size;
    ewf->base.sector_size = sector_size;
    ewf->base.salvage_unit = chunk_size; /* it is whole or not at all; 0 is refused by libewf */
    if (!io_ewf_facts(&ewf->lib, ewf->handle, &ewf->base.facts))
        return ERR_NO_MEMORY(err, IO_FACT_VALUE_MAX);
    return io_ewf_unread_bytes(unread, sector_size, size, &ewf->base.unread, err);
}

enum err_code io_image_ewf_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err)
{
    static const struct io_image_ops ops = { .read_at = image_ewf_read_at,
                                             .close = image_ewf_close };
    libewf_error_t *error = NULL;
    char **paths = NULL, *alone[1] = { (char *)path };
    struct io_ewf_unread unread = { 0 };
    int count = 0;
    struct image_ewf *ewf = calloc(1, sizeof *ewf);

    if (ewf == NULL)
        return ERR_NO_MEMORY(err, sizeof *ewf);
    pthread_mutex_init(&ewf->lock, NULL); /* cannot fail with default attributes on Linux */
    ewf->base.ops = &ops;
    ewf->base.format = container->name;
    enum err_code rc = io_ewf_open(&ewf->lib, err);
    if (rc != ERR_OK) {
        image_ewf_close(&ewf->base);
        return rc;
    }
    /* Fails when the first file is missing, or the name has no .E01: then the file is checked as if
     * it were the first. */
    if (ewf->lib.libewf_glob(path, strlen(path), LIBEWF_FORMAT_UNKNOWN, &paths, &count, &error) !=
            1 ||
        count < 1) {
        ewf->lib.libewf_error_free(&error);
        paths = NULL;
    }
    if (paths == NULL)
        count = 1;
    rc = image_ewf_start(ewf, paths == NULL ? alone : paths, count, &unread, err);
    io_ewf_unread_release(&unread);
    if (paths != NULL)
        ewf->lib.libewf_glob_free(paths, count, NULL);
    if (rc != ERR_OK) {
        image_ewf_close(&ewf->base);
        return rc;
    }
    *out = &ewf->base;
    return ERR_OK;
}
