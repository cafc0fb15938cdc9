/*
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

/* A file that is being made. */
struct share {
    const struct extract *extract;
    const struct extract_object *object;
    int fd;
    uint64_t block; /* of the file system, bytes */
    uint64_t to;    /* bytes that the file has */
    uint64_t shared;
};

static bool share_copy(struct share *share, uint64_t offset, uint64_t len)
{
    struct err ignored = { 0 };

    while (len > 0) {
        const size_t step = len < EXTRACT_PIECE ? (size_t)len : EXTRACT_PIECE;
        uint8_t *const buffer = share->extract->buffer;

        if (io_image_read_at(share->object->image, offset, buffer, step, &ignored) != ERR_OK ||
            pwrite(share->fd, buffer, step, (off_t)share->to) != (ssize_t)step)
            return false;
        offset += step;
        len -= step;
        share->to += step;
    }
    return true;
}

/* len is whole blocks, at the beginning of one in both. */
static bool share_blocks(struct share *share, const struct io_span *span, uint64_t len)
{
    const struct file_clone_range range = { .src_fd = span->fd,
                                            .src_offset = span->fd_offset,
                                            .src_length = len,
                                            .dest_offset = share->to };

    if (ioctl(share->fd, FICLONERANGE, &range) != 0) {
        atomic_store(share->object->unshared, true);
        return false;
    }
    share->to += len;
    share->shared += len;
    return true;
}

static bool share_extent(struct share *share, uint64_t offset, uint64_t len)
{
    bool rc = true;

    while (rc && len > 0) {
        struct io_span span;

        if (!io_image_map(share->object->image, offset, &span) || span.len == 0)
            return false;
        uint64_t step = len < span.len ? len : span.len;
        if (span.fd_offset % share->block != share->to % share->block) {
            rc = share_copy(share, offset, step);
        } else if (share->to % share->block != 0 || step < share->block) {
            const uint64_t rest = share->block - share->to % share->block;

            step = step < rest ? step : rest;
            rc = share_copy(share, offset, step);
        } else {
            step -= step % share->block;
            rc = share_blocks(share, &span, step);
        }
        offset += step;
        len -= step;
    }
    return rc;
}

/* Whether a block of the object can be shared, and all of it can be taken as it is. */
static bool share_pays(const struct extract_file *file)
{
    const struct extract_object *object = file->object;
    struct io_span span;

    if (object->unshared == NULL || atomic_load(object->unshared) || file->len < EXTRACT_SHARE ||
        !io_image_map(object->image, object->extents[0].offset, &span))
        return false;
    for (uint32_t i = 0; object->unread != NULL && i < object->extent_count; i++)
        if (unread_bytes(object->unread, object->extents[i].offset, object->extents[i].len) > 0)
            return false;
    return true;
}

/* Fills the file. False: not at all, or nothing of it is shared. */
static bool share_fill(struct share *share)
{
    const struct extract_object *object = share->object;
    struct stat info;
    bool rc = fstat(share->fd, &info) == 0 && info.st_blksize > 0;

    share->block = rc ? (uint64_t)info.st_blksize : 0;
    for (uint32_t i = 0; rc && i < object->extent_count; i++)
        rc = share_extent(share, object->extents[i].offset, object->extents[i].len);
    return rc && share->shared > 0;
}

/* The sums of what the file holds. */
static enum err_code share_read_back(const struct extract *extract, struct extract_file *file,
                                     struct err *err)
{
    char ignored[DB_SHA256_HEX + 1];
    enum err_code rc =
        piece_hash_begin(extract->hash, extract->apart && file->len >= EXTRACT_LARGE, err);

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
    struct share share = { .extract = extract, .object = file->object };

    if (!share_pays(file))
        return false;
    share.fd = extract_open_part(file);
    if (share.fd < 0)
        return false; /* the plain way says why */
    const bool filled = share_fill(&share);
    *rc = ERR_IO;
    if (filled) {
        file->back = share.fd;
        *rc = share_read_back(extract, file, err);
        file->back = -1;
    }
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
