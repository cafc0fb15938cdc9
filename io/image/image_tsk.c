/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_tsk.c - reading through libtsk.
 *
 * Three traps of libtsk 4.11.1 are kept away here. Asked for a length that is no multiple of the
 * sector size, it answers a failed read with zeros and success: lengths are made whole sectors. One
 * handle is one reader at a time, and afflib says five lines of a damaged page each time: the
 * process that this runs in has one thread and no standard error (server.h). And a page of an AFF
 * that cannot be unpacked is unpacked anew for each read: it is remembered.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "io/image/aff_pages.h"
#include "io/image/image_impl.h"
#include "io/image/image_tsk.h"
#include "io/system/lib_tsk.h"

enum {
    TSK_READ_MAX =
        16 << 20, /* bytes a call, so that a length never comes near the ssize_t of a read */
    TSK_SECTOR_MAX = 4096,
    TSK_SALVAGE_UNIT = 4096, /* bytes; the libraries read through the page cache, and forget 240
                                bytes a failed read */
};

struct image_tsk {
    struct io_image base;
    struct io_tsk lib;
    TSK_IMG_INFO *img;
    struct io_aff_pages pages; /* of an AFF; page_len 0: of another container */
    struct io_bad_list failed; /* pages that could not be unpacked, ascending */
};

/* The first line of what libtsk says, which has no codes for causes. */
static void image_tsk_reason(const struct io_tsk *lib, char reason[256])
{
    const char *text = lib->tsk_error_get();
    size_t len = text == NULL ? 0 : strcspn(text, "\n");

    if (len > 255)
        len = 255;
    memcpy(reason, text == NULL ? "" : text, len);
    reason[len] = '\0';
}

/*
 * Whole sectors, or what there is of the last one, which may be short and is asked of the container
 * itself. afflib takes any failure for a page that is not there, which it gives as zeros, while
 * errno still says so from an earlier one.
 */
static bool image_tsk_read_sectors(struct image_tsk *tsk, uint64_t offset, uint8_t *dst, size_t len)
{
    ssize_t got;

    errno = 0;
    if (len % tsk->base.sector_size == 0)
        got = tsk->lib.tsk_img_read(tsk->img, (TSK_OFF_T)offset, (char *)dst, len);
    else
        got = tsk->img->read(tsk->img, (TSK_OFF_T)offset, (char *)dst, len);
    return got == (ssize_t)len;
}

struct tsk_read {
    struct image_tsk *tsk;
    uint64_t offset;
    uint8_t *dst;
    size_t len;
    struct io_failure *failure;
    struct err *err;
    enum err_code rc;
};

/* The read failed: with the page of the AFF that it lies in, if it lies in one. */
static void tsk_read_failed(struct tsk_read *read, uint64_t offset, size_t len)
{
    struct image_tsk *tsk = read->tsk;
    const uint64_t page_len = tsk->pages.page_len;
    char reason[256];

    image_tsk_reason(&tsk->lib, reason);
    read->rc = ERR_RAISE(read->err, ERR_IO, "%s: bytes %" PRIu64 "+%zu of the image: %s",
                         tsk->base.parts[0].path, offset, len, reason);
    if (page_len == 0 || offset / page_len != (offset + len - 1) / page_len)
        return;
    const uint64_t start = offset - offset % page_len;
    const struct io_bad_range page = { start, page_len, 0, IO_BAD_READ, IO_STATUS_BAD };
    io_bad_list_insert(&tsk->failed, &page);
    if (tsk->failed.failed)
        read->rc = ERR_NO_MEMORY(read->err, tsk->failed.room * sizeof page);
}

/* One piece: whole sectors, or the part of one that begins at offset. */
static void tsk_read_piece(struct tsk_read *read, uint64_t offset, uint8_t *dst, size_t len)
{
    struct image_tsk *tsk = read->tsk;
    const uint32_t sector_len = tsk->base.sector_size;
    const uint64_t start = offset - offset % sector_len, left = tsk->base.size - start;
    uint8_t sector[TSK_SECTOR_MAX];
    const bool whole = start == offset && len % sector_len == 0;
    const size_t want = whole ? len : left < sector_len ? (size_t)left : sector_len;
    uint8_t *to = whole ? dst : sector;

    if (!image_tsk_read_sectors(tsk, start, to, want)) {
        tsk_read_failed(read, start, want);
    } else if (io_aff_pages_marked(&tsk->pages, to, want)) {
        read->failure->source = IO_BAD_ACQUISITION;
        read->failure->unit = LIMIT_SECTOR;
        read->rc =
            ERR_RAISE(read->err, ERR_IO,
                      "%s: bytes %" PRIu64 "+%zu of the image were not read when it was made",
                      tsk->base.parts[0].path, offset, len);
    } else if (!whole) {
        memcpy(dst, sector + (offset - start), len);
    }
}

static void tsk_read_run(struct tsk_read *read)
{
    const uint32_t sector_len = read->tsk->base.sector_size;
    const struct io_bad_range *failed = io_bad_list_find(&read->tsk->failed, read->offset);

    if (failed != NULL && failed->offset < read->offset + read->len) {
        read->rc = ERR_RAISE(read->err, ERR_IO,
                             "%s: the page at byte %" PRIu64 " of the image cannot be unpacked",
                             read->tsk->base.parts[0].path, failed->offset);
        return;
    }
    for (size_t done = 0, piece; done < read->len && read->rc == ERR_OK; done += piece) {
        const size_t left = read->len - done, into = (size_t)((read->offset + done) % sector_len);

        if (into > 0 || left < sector_len)
            piece = left < sector_len - into ? left : sector_len - into;
        else
            piece = left < TSK_READ_MAX ? left - left % sector_len : TSK_READ_MAX;
        tsk_read_piece(read, read->offset + done, read->dst + done, piece);
    }
}

static enum err_code image_tsk_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                       size_t len, struct io_failure *failure, struct err *err)
{
    struct image_tsk *tsk = (struct image_tsk *)image;
    struct tsk_read read = { .tsk = tsk,
                             .offset = offset,
                             .dst = dst,
                             .len = len,
                             .failure = failure,
                             .err = err,
                             .rc = ERR_OK };

    tsk_read_run(&read);
    return read.rc;
}

static void image_tsk_close(struct io_image *image)
{
    struct image_tsk *tsk = (struct image_tsk *)image;

    if (tsk->img != NULL)
        tsk->lib.tsk_img_close(tsk->img);
    io_aff_pages_release(&tsk->pages);
    io_bad_list_release(&tsk->failed);
    io_image_release(image);
    free(tsk);
}

/* libtsk lets afflib find out what the file is, and that takes any file for raw bytes. */
static bool image_tsk_is_aff(const TSK_IMG_INFO *img)
{
    return img->itype == TSK_IMG_TYPE_AFF_AFF || img->itype == TSK_IMG_TYPE_AFF_AFD ||
           img->itype == TSK_IMG_TYPE_AFF_AFM;
}

static enum err_code image_tsk_open_img(struct image_tsk *tsk, enum io_tsk_type type,
                                        const char *path, struct err *err)
{
    static const TSK_IMG_TYPE_ENUM types[] = {
        [IO_TSK_AFF] = TSK_IMG_TYPE_AFF_AFF, [IO_TSK_VMDK] = TSK_IMG_TYPE_VMDK_VMDK
    };
    char reason[256];

    tsk->img = tsk->lib.tsk_img_open_utf8_sing(path, types[type], 0);
    if (tsk->img != NULL)
        return ERR_OK;
    image_tsk_reason(&tsk->lib, reason);
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: is damaged, incomplete or of a kind that libtsk cannot read: %s", path,
                     reason);
}

static enum err_code image_tsk_add_parts(struct image_tsk *tsk, struct err *err)
{
    enum err_code rc = ERR_OK;
    struct stat st;

    for (int i = 0; rc == ERR_OK && i < tsk->img->num_img; i++) {
        if (stat(tsk->img->images[i], &st) != 0)
            return ERR_RAISE(err, ERR_INPUT, "%s: this part of the image has gone",
                             tsk->img->images[i]);
        rc = io_image_add_part(&tsk->base, tsk->img->images[i], &st, err);
    }
    return rc;
}

/* What only a file that holds its pages itself has. */
static enum err_code image_tsk_take_pages(struct image_tsk *tsk, const char *path, struct err *err)
{
    if (tsk->img->itype != TSK_IMG_TYPE_AFF_AFF) {
        io_aff_pages_release(&tsk->pages);
        return ERR_OK;
    }
    tsk->base.salvage_unit = tsk->pages.page_len;
    return io_aff_pages_missing(&tsk->pages, path, tsk->base.size, &tsk->base.unread, err);
}

static enum err_code image_tsk_start(struct image_tsk *tsk, enum io_tsk_type type, const char *path,
                                     struct err *err)
{
    enum err_code rc = io_tsk_open(&tsk->lib, err);

    if (rc == ERR_OK && type == IO_TSK_AFF)
        rc = io_aff_pages_read(path, &tsk->pages, err);
    if (rc == ERR_OK)
        rc = image_tsk_open_img(tsk, type, path, err);
    if (rc != ERR_OK)
        return rc;
    if (type == IO_TSK_AFF && !image_tsk_is_aff(tsk->img))
        return ERR_RAISE(err, ERR_INPUT, "%s: does not begin as an AFF file does", path);
    if (tsk->img->size <= 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: the image in it is empty", path);
    if (tsk->img->sector_size < LIMIT_SECTOR || tsk->img->sector_size > TSK_SECTOR_MAX)
        return ERR_RAISE(err, ERR_INPUT, "%s: sectors of %u bytes", path, tsk->img->sector_size);
    tsk->base.size = (uint64_t)tsk->img->size;
    tsk->base.sector_size = tsk->img->sector_size;
    tsk->base.salvage_unit = TSK_SALVAGE_UNIT;
    if (type == IO_TSK_AFF)
        rc = image_tsk_take_pages(tsk, path, err);
    return rc == ERR_OK ? image_tsk_add_parts(tsk, err) : rc;
}

enum err_code io_image_tsk_open(const struct io_container *container, enum io_tsk_type type,
                                const char *path, struct io_image **out, struct err *err)
{
    static const struct io_image_ops ops = { .read_at = image_tsk_read_at,
                                             .close = image_tsk_close };
    struct image_tsk *tsk = calloc(1, sizeof *tsk);

    if (tsk == NULL)
        return ERR_NO_MEMORY(err, sizeof *tsk);
    tsk->base.ops = &ops;
    tsk->base.format = container->name;
    const enum err_code rc = image_tsk_start(tsk, type, path, err);
    if (rc != ERR_OK) {
        image_tsk_close(&tsk->base);
        return rc;
    }
    *out = &tsk->base;
    return ERR_OK;
}

enum err_code io_image_aff_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err)
{
    return io_image_tsk_open(container, IO_TSK_AFF, path, out, err);
}
