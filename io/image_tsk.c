/*
 * io/image_tsk.c - reading through libtsk.
 *
 * Two traps of libtsk 4.11.1 are kept away here: asked for a length that is no multiple of the sector size, it answers a
 * failed read with zeros and success; and one handle is one reader at a time. So lengths are made whole sectors, and a lock
 * is held through each read.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tsk/libtsk.h>

#include "base/limits.h"
#include "io/image_impl.h"
#include "io/image_tsk.h"

enum {
    TSK_READ_MAX = 16 << 20, /* bytes a call, so that a length never comes near the ssize_t of a read */
    TSK_SECTOR_MAX = 4096,
    TSK_SALVAGE_UNIT = 4096, /* bytes; the libraries read through the page cache, and forget 240 bytes a failed read */
};

struct image_tsk {
    struct io_image base;
    TSK_IMG_INFO *img;
    pthread_mutex_t lock; /* of img */
};

/* The first line of what libtsk says, which has no codes for causes. */
static void image_tsk_reason(char reason[256])
{
    const char *text = tsk_error_get();
    size_t len = text == NULL ? 0 : strcspn(text, "\n");

    if (len > 255)
        len = 255;
    memcpy(reason, text == NULL ? "" : text, len);
    reason[len] = '\0';
}

/* One sector, of which only part is wanted. The last one of an image may be short, and is asked of the container itself. */
static bool image_tsk_read_sector(struct image_tsk *tsk, uint64_t offset, uint8_t *dst, size_t len)
{
    uint8_t sector[TSK_SECTOR_MAX];
    const uint32_t sector_len = tsk->base.sector_size;
    const uint64_t start = offset - offset % sector_len;
    const size_t there = tsk->base.size - start < sector_len ? (size_t)(tsk->base.size - start) : sector_len;
    const ssize_t got = there == sector_len ? tsk_img_read(tsk->img, (TSK_OFF_T)start, (char *)sector, sector_len)
                                            : tsk->img->read(tsk->img, (TSK_OFF_T)start, (char *)sector, there);

    if (got != (ssize_t)there)
        return false;
    memcpy(dst, sector + (offset - start), len);
    return true;
}

static enum err_code image_tsk_read_at(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                       struct io_failure *failure, struct err *err)
{
    struct image_tsk *tsk = (struct image_tsk *)image;
    const uint32_t sector_len = image->sector_size;
    enum err_code rc = ERR_OK;

    failure->cause = 0;
    pthread_mutex_lock(&tsk->lock);
    while (len > 0 && rc == ERR_OK) {
        const size_t into = (size_t)(offset % sector_len);
        size_t piece = len < TSK_READ_MAX ? len - len % sector_len : TSK_READ_MAX;
        bool ok;

        if (into > 0 || piece == 0) {
            piece = len < sector_len - into ? len : sector_len - into;
            ok = image_tsk_read_sector(tsk, offset, dst, piece);
        } else {
            ok = tsk_img_read(tsk->img, (TSK_OFF_T)offset, (char *)dst, piece) == (ssize_t)piece;
        }
        if (!ok) {
            char reason[256];
            image_tsk_reason(reason);
            rc = ERR_RAISE(err, ERR_IO, "%s: bytes %" PRIu64 "+%zu of the image: %s", image->parts[0].path, offset,
                           piece, reason);
        }
        offset += piece;
        dst += piece;
        len -= piece;
    }
    pthread_mutex_unlock(&tsk->lock);
    return rc;
}

static void image_tsk_close(struct io_image *image)
{
    struct image_tsk *tsk = (struct image_tsk *)image;

    if (tsk->img != NULL)
        tsk_img_close(tsk->img);
    pthread_mutex_destroy(&tsk->lock);
    io_image_release(image);
    free(tsk);
}

/* libtsk lets afflib find out what the file is, and that takes any file for raw bytes. */
static bool image_tsk_is_aff(const TSK_IMG_INFO *img)
{
    return img->itype == TSK_IMG_TYPE_AFF_AFF || img->itype == TSK_IMG_TYPE_AFF_AFD ||
           img->itype == TSK_IMG_TYPE_AFF_AFM;
}

static enum err_code image_tsk_start(struct image_tsk *tsk, enum io_tsk_type type, const char *path, struct err *err)
{
    static const TSK_IMG_TYPE_ENUM types[] = {
        [IO_TSK_AFF] = TSK_IMG_TYPE_AFF_AFF, [IO_TSK_VMDK] = TSK_IMG_TYPE_VMDK_VMDK, [IO_TSK_VHD] = TSK_IMG_TYPE_VHD_VHD
    };
    char reason[256];
    struct stat st;

    tsk->img = tsk_img_open_utf8_sing(path, types[type], 0);
    if (tsk->img == NULL) {
        image_tsk_reason(reason);
        return ERR_RAISE(err, ERR_INPUT, "%s: is damaged, incomplete or of a kind that libtsk cannot read: %s", path,
                         reason);
    }
    if (type == IO_TSK_AFF && !image_tsk_is_aff(tsk->img))
        return ERR_RAISE(err, ERR_INPUT, "%s: does not begin as an AFF file does", path);
    if (tsk->img->size <= 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: the image in it is empty", path);
    if (tsk->img->sector_size < LIMIT_SECTOR || tsk->img->sector_size > TSK_SECTOR_MAX)
        return ERR_RAISE(err, ERR_INPUT, "%s: sectors of %u bytes", path, tsk->img->sector_size);
    tsk->base.size = (uint64_t)tsk->img->size;
    tsk->base.sector_size = tsk->img->sector_size;
    tsk->base.salvage_unit = TSK_SALVAGE_UNIT;
    for (int i = 0; i < tsk->img->num_img; i++) {
        if (stat(tsk->img->images[i], &st) != 0)
            return ERR_RAISE(err, ERR_INPUT, "%s: this part of the image has gone", tsk->img->images[i]);
        const enum err_code rc = io_image_add_part(&tsk->base, tsk->img->images[i], &st, err);
        if (rc != ERR_OK)
            return rc;
    }
    return ERR_OK;
}

enum err_code io_image_tsk_open(const struct io_container *container, enum io_tsk_type type, const char *path,
                                struct io_image **out, struct err *err)
{
    static const struct io_image_ops ops = { .read_at = image_tsk_read_at, .close = image_tsk_close };
    struct image_tsk *tsk = calloc(1, sizeof *tsk);

    if (tsk == NULL)
        return ERR_NO_MEMORY(err, sizeof *tsk);
    pthread_mutex_init(&tsk->lock, NULL); /* cannot fail with default attributes on Linux */
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

enum err_code io_image_aff_open(const struct io_container *container, const char *path, struct io_image **out,
                                struct err *err)
{
    return io_image_tsk_open(container, IO_TSK_AFF, path, out, err);
}
