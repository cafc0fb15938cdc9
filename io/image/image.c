/* SPDX-License-Identifier: Apache-2.0
 * io/image/image.c - what all images share: range checks, parts, and reading through the
 * container's table. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "io/image/image_impl.h"

enum { IMAGE_PARTS_STEP = 64 }; /* parts allocated at a time */

void io_image_close(struct io_image *image)
{
    if (image != NULL)
        image->ops->close(image);
}

uint64_t io_image_size(const struct io_image *image)
{
    return image->size;
}

uint32_t io_image_sector_size(const struct io_image *image)
{
    return image->sector_size;
}

const char *io_image_format(const struct io_image *image)
{
    return image->format;
}

const char *io_image_trouble(const struct io_image *image)
{
    return image->trouble;
}

uint32_t io_image_part_count(const struct io_image *image)
{
    return image->part_count;
}

const char *io_image_part_path(const struct io_image *image, uint32_t part)
{
    return part < image->part_count ? image->parts[part].path : NULL;
}

/* A block device is known by its number: it may have many nodes. A file by device and inode: it may
 * have many names. */
static struct io_part image_identity(const struct stat *st)
{
    return (struct io_part){ .dev = S_ISBLK(st->st_mode) ? st->st_rdev : st->st_dev,
                             .ino = S_ISBLK(st->st_mode) ? 0 : st->st_ino,
                             .is_device = S_ISBLK(st->st_mode) };
}

bool io_image_snapshot(const struct io_image *image, uint32_t index, struct io_snapshot *out)
{
    if (index >= image->snapshot_count)
        return false;
    *out = image->snapshots[index];
    return true;
}

bool io_image_is_part(const struct io_image *image, const char *path)
{
    struct stat st;

    if (io_image_is_address(path))
        return image->part_count > 0 && strcmp(image->parts[0].path, path) == 0;
    if (stat(path, &st) != 0)
        return false;
    const struct io_part wanted = image_identity(&st);
    for (uint32_t i = 0; i < image->part_count; i++) {
        const struct io_part *part = &image->parts[i];
        if (part->dev == wanted.dev && part->ino == wanted.ino &&
            part->is_device == wanted.is_device)
            return true;
    }
    return false;
}

enum err_code io_image_add_part(struct io_image *image, const char *path, const struct stat *st,
                                struct err *err)
{
    if (image->part_count >= LIMIT_IMAGE_PARTS)
        return ERR_RAISE(err, ERR_INPUT, "%s: the image has more than %d parts; join them first",
                         path, LIMIT_IMAGE_PARTS);
    if (image->part_count % IMAGE_PARTS_STEP == 0) {
        const size_t size = (image->part_count + IMAGE_PARTS_STEP) * sizeof *image->parts;
        struct io_part *grown = realloc(image->parts, size);

        if (grown == NULL)
            return ERR_NO_MEMORY(err, size);
        image->parts = grown;
    }
    struct io_part part = image_identity(st);
    part.path = strdup(path);
    if (part.path == NULL)
        return ERR_NO_MEMORY(err, strlen(path) + 1);
    image->parts[image->part_count++] = part;
    return ERR_OK;
}

void io_image_release(struct io_image *image)
{
    for (uint32_t i = 0; i < image->part_count; i++)
        free(image->parts[i].path);
    free(image->parts);
    io_facts_release(&image->facts);
    free(image->snapshots);
    io_bad_list_release(&image->unread);
    io_bad_places_release(&image->places);
}

enum err_code io_image_check_range(const struct io_image *image, uint64_t offset, uint64_t len,
                                   struct err *err)
{
    if (offset > image->size || len > image->size - offset)
        return ERR_RAISE(err, ERR_ARG,
                         "bytes %" PRIu64 "+%" PRIu64 " are not inside the image of %" PRIu64
                         " bytes",
                         offset, len, image->size);
    return ERR_OK;
}

const char *io_bad_source_name(enum io_bad_source source)
{
    static const char *const names[] = { "read", "checksum", "acquisition", "mapfile",
                                         "not acquired" };

    return names[source];
}

enum err_code io_image_try_read(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                bool again, struct io_failure *failure, struct err *err)
{
    const struct io_bad_range *unread = io_bad_list_find(&image->unread, offset);
    const struct io_image_ops *ops = image->ops;

    *failure = (struct io_failure){ .unit = image->salvage_unit == 0 ? LIMIT_SECTOR
                                                                     : image->salvage_unit };
    if (len == 0)
        return ERR_OK;
    if (unread != NULL && unread->offset < offset + len) {
        failure->cause = unread->cause;
        failure->source = unread->source;
        return ERR_RAISE(err, ERR_IO,
                         "bytes %" PRIu64 "+%" PRIu64
                         " of the image were not read when it was made",
                         unread->offset, unread->len);
    }
    for (size_t paid = 0; paid < len; paid += IO_RATE_PIECE)
        io_rate_pay(&image->rate, len - paid < IO_RATE_PIECE ? len - paid : IO_RATE_PIECE);
    const uint32_t read = io_watch_begin(&image->watch, offset);
    const enum err_code rc = again && ops->read_again != NULL
                                 ? ops->read_again(image, offset, dst, len, failure, err)
                                 : ops->read_at(image, offset, dst, len, failure, err);
    io_watch_end(&image->watch, read);
    return rc;
}

bool io_image_slow(const struct io_image *image, uint64_t *offset, uint64_t *seconds)
{
    const uint64_t second = 1000000000;
    uint64_t taken = 0;
    const bool slow = io_watch_slow(&image->watch, clock_now(CLOCK_MONOTONIC),
                                    IO_SLOW_SECONDS * second, offset, &taken);

    *seconds = taken / second;
    return slow;
}

void io_image_max_read(struct io_image *image, uint64_t bytes, bool (*stop)(void))
{
    io_rate_set(&image->rate, bytes, stop, clock_now(CLOCK_MONOTONIC));
}

void io_image_retry_bad(struct io_image *image, uint32_t times)
{
    image->retry_bad = times;
}

void io_image_be_patient(struct io_image *image)
{
    image->patience.on = true;
}

enum err_code io_image_read_at(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                               struct err *err)
{
    struct io_failure failure = { .cause = 0 };
    enum err_code rc = io_image_check_range(image, offset, len, err);

    if (rc == ERR_OK && io_bad_places_fails(&image->places, offset, offset + len, &failure.cause))
        rc = ERR_RAISE(err, ERR_IO, "%s: a byte of %" PRIu64 "+%zu could not be read before: %s",
                       io_image_part_path(image, 0), offset, len, strerror(failure.cause));
    else if (rc == ERR_OK)
        rc = io_image_try_read(image, offset, dst, len, false, &failure, err);
    /* What passes is asked for again (io_image_be_patient). */
    if (rc == ERR_IO && failure.page_len > 0 && !image->patience.on) {
        const struct io_bad_range page = { failure.page, failure.page_len, failure.cause,
                                           IO_BAD_READ, IO_STATUS_BAD };
        io_bad_places_add_page(&image->places, &page);
    }
    return rc;
}

/* The run is for io_salvage_read, as far as len bytes. */
static void image_ask(struct io_span *span, uint64_t len)
{
    *span =
        (struct io_span){ .fd = -1, .len = len < span->len ? len : span->len, .how = IO_SPAN_ASK };
}

bool io_image_map(const struct io_image *image, uint64_t offset, struct io_span *span)
{
    struct io_bad_places *places = (struct io_bad_places *)(uintptr_t)&image->places;
    const struct io_bad_range *unread;
    struct io_bad_range found;
    uint64_t until;

    if (image->ops->map == NULL || offset >= image->size || !image->ops->map(image, offset, span))
        return false;
    /*
     * Who reads the files by itself would take for data what stands there for bytes that were never
     * read.
     */
    unread = io_bad_list_find(&image->unread, offset);
    if (unread != NULL && unread->offset <= offset)
        *span = (struct io_span){ .fd = -1,
                                  .len = unread->offset + unread->len - offset,
                                  .how = IO_SPAN_ASK };
    else if (unread != NULL && unread->offset - offset < span->len)
        span->len = unread->offset - offset;
    /* What is known to fail is not asked for again, and what is slow with care. */
    if (io_bad_places_find(places, offset, &found)) {
        if (found.offset <= offset)
            image_ask(span, found.offset + found.len - offset);
        else if (found.offset - offset < span->len)
            span->len = found.offset - offset;
    }
    if (io_bad_places_slow(places, offset, &until))
        image_ask(span, IO_BAD_PLACES_WINDOW - offset % IO_BAD_PLACES_WINDOW);
    return true;
}
