/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/extract_share.c - a file that shares its blocks with the image
 * (ioctl_ficlonerange(2): btrfs, XFS and others), so that nothing is copied.
 *
 * Only whole blocks can be shared that lie at the same place of a block in the image and in the
 * file; the rest is copied. Then the file is read back, so that its sums are those of what it holds
 * and not of what the image held before. What goes wrong on the way is left to the plain way.
 */
#include <errno.h>
#include <linux/fs.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carver/carve/extract_parts.h"

/* A file that is being made, or counted. */
struct share {
    const struct extract *extract;
    const struct extract_object *object;
    int fd;         /* -1: what could be shared is counted, and nothing is made */
    uint64_t block; /* of the file system, bytes */
    uint64_t to;    /* bytes that the file has */
    uint64_t shared;
};

static bool share_copy(const struct share *share, uint64_t offset, uint64_t len)
{
    struct err ignored = { 0 };

    for (uint64_t done = 0, step; done < len; done += step) {
        uint8_t *const buffer = share->extract->buffer;

        step = len - done < EXTRACT_PIECE ? len - done : EXTRACT_PIECE;
        if (io_image_read_at(share->object->image, offset + done, buffer, (size_t)step, &ignored) !=
                ERR_OK ||
            pwrite(share->fd, buffer, (size_t)step, (off_t)(share->to + done)) != (ssize_t)step)
            return false;
    }
    return true;
}

/* len is whole blocks, at the beginning of one in both. */
static bool share_blocks(const struct share *share, const struct io_span *span, uint64_t len)
{
    const struct file_clone_range range = { .src_fd = span->fd,
                                            .src_offset = span->fd_offset,
                                            .src_length = len,
                                            .dest_offset = share->to };

    if (ioctl(share->fd, FICLONERANGE, &range) == 0)
        return true;
    atomic_store(share->object->unshared, true);
    return false;
}

/* How many of len bytes come next; *whole: they are whole blocks that can be shared. */
static uint64_t share_step(const struct share *share, const struct io_span *span, uint64_t len,
                           bool *whole)
{
    const uint64_t step = len < span->len ? len : span->len;
    const uint64_t rest = share->block - share->to % share->block;

    *whole = false;
    if (span->how != IO_SPAN_STORED || span->fd_offset % share->block != share->to % share->block)
        return step;
    if (rest != share->block || step < share->block)
        return step < rest ? step : rest;
    *whole = true;
    return step - step % share->block;
}

static bool share_extent(struct share *share, uint64_t offset, uint64_t len)
{
    bool rc = true;

    while (rc && len > 0) {
        struct io_span span;
        bool whole;

        if (!io_image_map(share->object->image, offset, &span) || span.len == 0)
            return false;
        const uint64_t step = share_step(share, &span, len, &whole);
        if (share->fd >= 0)
            rc = whole ? share_blocks(share, &span, step) : share_copy(share, offset, step);
        share->to += step;
        share->shared += whole ? step : 0;
        offset += step;
        len -= step;
    }
    return rc;
}

/* Fills the file, or counts what could be shared of it. */
static bool share_extents(struct share *share)
{
    const struct extract_object *object = share->object;
    bool rc = true;

    share->to = share->shared = 0;
    for (uint32_t i = 0; rc && i < object->extent_count; i++)
        rc = share_extent(share, object->extents[i].offset, object->extents[i].len);
    return rc;
}

/*
 * Whether half of the object or more can be shared, and all of it can be taken as it is. What is
 * not shared is written, and then read back: it costs more than the plain way.
 */
static bool share_pays(struct share *share, const struct extract_file *file)
{
    const struct extract_object *object = share->object;
    struct stat info;

    if (object->unshared == NULL || atomic_load(object->unshared) || file->len < EXTRACT_SHARE)
        return false;
    for (uint32_t i = 0; object->unread != NULL && i < object->extent_count; i++)
        if (unread_bytes(object->unread, object->extents[i].offset, object->extents[i].len) > 0)
            return false;
    if (fstat(file->folder, &info) != 0 || info.st_blksize <= 0)
        return false;
    share->block = (uint64_t)info.st_blksize;
    return share_extents(share) && share->shared >= file->len - share->shared;
}

/* The sums of what the file holds. */
static enum err_code share_read_back(const struct extract *extract, struct extract_file *file,
                                     struct err *err)
{
    char ignored[DB_SHA256_HEX + 1];
    enum err_code rc = piece_hash_begin(extract->hash, file->apart, err);

    if (rc != ERR_OK)
        return rc;
    while (rc == ERR_OK && file->result->len < file->len)
        rc = extract_read(extract, file, err);
    if (rc == ERR_OK)
        return extract_settle(extract, file, err);
    struct err second = { 0 };
    (void)!piece_hash_end(extract->hash, ignored, &second);
    return rc;
}

bool extract_share(const struct extract *extract, struct extract_file *file, enum err_code *rc,
                   struct err *err)
{
    struct share share = { .extract = extract, .object = file->object, .fd = -1 };

    if (!share_pays(&share, file))
        return false;
    share.fd = extract_open_part(file);
    if (share.fd < 0)
        return false; /* the plain way says why */
    const bool filled = share_extents(&share);
    *rc = ERR_IO;
    if (filled) {
        file->back = share.fd;
        *rc = share_read_back(extract, file, err);
        file->back = -1;
    }
    if (*rc == ERR_OK)
        extract_date(file, share.fd);
    if (close(share.fd) != 0 && *rc == ERR_OK)
        *rc = ERR_IO;
    file->result->shared = share.shared;
    if (*rc == ERR_OK)
        *rc = extract_rename(extract, file, err);
    if (*rc != ERR_OK)
        unlinkat(file->folder, file->part, 0);
    if (*rc != ERR_IO)
        return true;
    *file->result = (struct extract_result){ 0 };
    file->pieces = 0;
    return false;
}
