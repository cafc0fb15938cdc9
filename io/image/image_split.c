/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_split.c - a raw image cut into several files, read as if they were one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/limits.h"
#include "io/image/container.h"
#include "io/image/file.h"
#include "io/image/holes.h"
#include "io/image/image_impl.h"
#include "io/image/split.h"
#include "io/system/again.h"

struct split_part {
    int fd;
    uint64_t start, len; /* bytes of the image */
    struct io_holes holes;
};

struct image_split {
    struct io_image base;
    struct split_part *parts; /* [base.part_count], owned */
    struct io_again again;
};

static bool image_split_begins(const void *part, uint64_t at)
{
    return ((const struct split_part *)part)->start <= at;
}

/* The part that holds offset, which is inside the image. */
static uint32_t image_split_at(const struct image_split *split, uint64_t offset)
{
    return (uint32_t)bisect_last(split->parts, split->base.part_count, sizeof *split->parts,
                                 image_split_begins, offset);
}

static bool image_split_map(const struct io_image *image, uint64_t offset, struct io_span *span)
{
    const struct image_split *split = (const struct image_split *)image;
    struct split_part *part = &split->parts[image_split_at(split, offset)];
    const uint64_t at = offset - part->start;
    uint64_t end;
    const bool hole = io_holes_at(&part->holes, part->fd, part->len, at, &end);

    *span = hole ? (struct io_span){ .fd = -1, .len = end - at, .how = IO_SPAN_ZERO }
                 : (struct io_span){ .fd = part->fd, .fd_offset = at, .len = end - at };
    return true;
}

static enum err_code image_split_read(struct image_split *split, uint64_t offset, uint8_t *dst,
                                      size_t len, bool again, struct io_failure *failure,
                                      struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && len > 0) {
        const uint32_t at = image_split_at(split, offset);
        const struct split_part *part = &split->parts[at];
        const uint64_t from = offset - part->start, left = part->len - from;
        const size_t piece = left < len ? (size_t)left : len;

        failure->cause =
            again ? io_again_read(&split->again, part->fd, from, dst, piece, &failure->unit)
                  : io_file_pread(part->fd, from, dst, piece);
        rc = io_file_result(part->fd, split->base.parts[at].path, part->len, from, piece,
                            failure->cause, err);
        offset += piece;
        dst += piece;
        len -= piece;
    }
    return rc;
}

static enum err_code image_split_read_at(struct io_image *image, uint64_t offset, uint8_t *dst,
                                         size_t len, struct io_failure *failure, struct err *err)
{
    return image_split_read((struct image_split *)image, offset, dst, len, false, failure, err);
}

static enum err_code image_split_read_again(struct io_image *image, uint64_t offset, uint8_t *dst,
                                            size_t len, struct io_failure *failure, struct err *err)
{
    return image_split_read((struct image_split *)image, offset, dst, len, true, failure, err);
}

static void image_split_close(struct io_image *image)
{
    struct image_split *split = (struct image_split *)image;

    io_again_release(&split->again);
    for (uint32_t i = 0; split->parts != NULL && i < image->part_count; i++) {
        io_holes_close(&split->parts[i].holes);
        close(split->parts[i].fd);
    }
    free(split->parts);
    io_image_release(image);
    free(split);
}

static enum err_code image_split_add(struct image_split *split, const char *path, struct err *err)
{
    struct split_part *part = &split->parts[split->base.part_count];
    struct stat st;

    enum err_code rc = io_file_open(path, &part->fd, &st, err);
    if (rc != ERR_OK)
        return rc;
    if (st.st_size == 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: this part of the split image is empty", path);
    else
        rc = io_image_add_part(&split->base, path, &st, err);
    if (rc != ERR_OK) {
        close(part->fd);
        return rc;
    }
    io_holes_open(&part->holes, &st);
    part->start = split->base.size;
    part->len = (uint64_t)st.st_size;
    split->base.size += part->len;
    return ERR_OK;
}

/* All parts but the last are of one size: a shorter one has lost its end, and all behind it would
 * stand at a wrong place. */
static enum err_code image_split_check_sizes(const struct image_split *split, struct err *err)
{
    const uint32_t count = split->base.part_count;
    uint64_t longest = 0;

    for (uint32_t i = 0; i < count; i++)
        if (split->parts[i].len > longest)
            longest = split->parts[i].len;
    for (uint32_t i = 0; i + 1 < count; i++)
        if (split->parts[i].len < longest)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: this part of the split image has %" PRIu64
                             " bytes, but others have %" PRIu64 "; copy it again from its source",
                             split->base.parts[i].path, split->parts[i].len, longest);
    return ERR_OK;
}

static enum err_code image_split_start(struct image_split *split, const struct io_split *names,
                                       struct err *err)
{
    enum err_code rc = ERR_OK;

    split->parts = calloc(names->count, sizeof *split->parts);
    if (split->parts == NULL)
        return ERR_NO_MEMORY(err, names->count * sizeof *split->parts);
    for (uint32_t i = 0; rc == ERR_OK && i < names->count; i++)
        rc = image_split_add(split, names->paths[i], err);
    if (rc == ERR_OK)
        rc = image_split_check_sizes(split, err);
    return rc;
}

enum err_code io_image_split_open(const struct io_container *container, const char *path,
                                  struct io_image **out, struct err *err)
{
    static const struct io_image_ops ops = {
        .read_at = image_split_read_at,
        .read_again = image_split_read_again,
        .map = image_split_map,
        .close = image_split_close,
    };
    struct image_split *split = NULL;
    struct io_split names;

    enum err_code rc = io_split_find(path, &names, err);
    if (rc != ERR_OK)
        return rc;
    split = calloc(1, sizeof *split);
    if (split == NULL) {
        rc = ERR_NO_MEMORY(err, sizeof *split);
    } else {
        io_again_init(&split->again);
        split->base.ops = &ops;
        split->base.format = container->name;
        split->base.sector_size = LIMIT_SECTOR;
        rc = image_split_start(split, &names, err);
        if (rc == ERR_OK)
            *out = &split->base;
        else
            image_split_close(&split->base);
    }
    io_split_release(&names);
    return rc;
}
