/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_nbd.c - the image of an NBD server, in a process of its own: libnbd reads what the
 * server says, which may be hostile. What the server says to be zeros is not read.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "io/image/address.h"
#include "io/image/container.h"
#include "io/image/file.h"
#include "io/image/image_impl.h"
#include "io/image/nbd_link.h"
#include "io/image/reach_link.h"

enum {
    NBD_ROUND = 1 << 20,  /* bytes read at a time */
    NBD_SERVER_ENDED = 3, /* exit status */
};

struct image_nbd {
    struct io_image base;
    pthread_mutex_t lock; /* of all below */
    struct nbd_link link;
    bool served; /* the server is ours */
    struct io_address address;
    uint8_t *aside; /* owned: NBD_ROUND bytes and two blocks, for what no block begins or ends */
};

/* One round: by way of other memory where it is not of whole blocks. */
static enum err_code nbd_round(struct image_nbd *nbd, uint64_t offset, uint8_t *dst, size_t len,
                               int *cause, struct err *err)
{
    const uint64_t block = nbd->link.block, begin = offset - offset % block;
    const uint64_t above = (offset + len + block - 1) / block * block;
    const uint64_t end = above < nbd->link.size ? above : nbd->link.size;

    if (begin == offset && end == offset + len)
        return nbd_link_read(&nbd->link, offset, dst, len, cause, err);
    const enum err_code rc =
        nbd_link_read(&nbd->link, begin, nbd->aside, (size_t)(end - begin), cause, err);
    if (rc == ERR_OK)
        memcpy(dst, nbd->aside + (offset - begin), len);
    return rc;
}

static enum err_code nbd_read_at(struct io_image *image, uint64_t offset, uint8_t *dst, size_t len,
                                 struct io_failure *failure, struct err *err)
{
    struct image_nbd *nbd = (struct image_nbd *)image;
    enum err_code rc = ERR_OK;

    pthread_mutex_lock(&nbd->lock);
    for (size_t done = 0, step; rc == ERR_OK && done < len; done += step) {
        const size_t left = len - done;
        uint64_t end;

        step = left < NBD_ROUND ? left : NBD_ROUND;
        const bool zero = nbd_link_is_zero(&nbd->link, offset + done, &end);
        if (end - (offset + done) < step && (zero || end - (offset + done) >= NBD_PIECE))
            step = (size_t)(end - (offset + done));
        if (zero)
            memset(dst + done, 0, step);
        else
            rc = nbd_round(nbd, offset + done, dst + done, step, &failure->cause, err);
    }
    pthread_mutex_unlock(&nbd->lock);
    /*
     * What the container does to our server is done to this process, as if the server were a
     * library in it: another one is begun, with another server (remote.h).
     */
    if (nbd->served && rc == ERR_ENV)
        _exit(NBD_SERVER_ENDED);
    return rc;
}

static void nbd_close_image(struct io_image *image)
{
    struct image_nbd *nbd = (struct image_nbd *)image;

    nbd_link_close(&nbd->link);
    pthread_mutex_destroy(&nbd->lock);
    free(nbd->aside);
    io_image_release(image);
    free(nbd);
}

/* The file of a container that is served by a server of ours. */
static enum err_code nbd_check_file(const struct io_container *container, const char *path,
                                    struct stat *st, struct err *err)
{
    int fd;
    enum err_code rc = io_file_open(path, &fd, st, err);

    if (rc != ERR_OK)
        return rc;
    if (container->whole != NULL)
        rc = container->whole(path, fd, (uint64_t)st->st_size, err);
    close(fd);
    return rc;
}

static enum err_code nbd_start(struct image_nbd *nbd, const struct io_container *container,
                               const char *path, struct err *err)
{
    const char *format = container->serve;
    struct stat st = { 0 }; /* of an address: no file of this machine */

    nbd->served = format != NULL;
    enum err_code rc = nbd->served ? nbd_check_file(container, path, &st, err)
                                   : io_address_parse(path, &nbd->address, err);
    if (rc == ERR_OK)
        rc = io_image_add_part(&nbd->base, path, &st, err);
    if (rc == ERR_OK)
        rc = nbd_link_open(&nbd->link, nbd->base.parts[0].path, format, nbd->address.export_name,
                           container->keyed ? IO_REACH_SECONDS : NBD_OPEN_SECONDS, err);
    if (rc != ERR_OK)
        return rc;
    nbd->base.size = nbd->link.size;
    nbd->base.sector_size = LIMIT_SECTOR;
    nbd->base.salvage_unit = nbd->link.block > LIMIT_SECTOR ? nbd->link.block : LIMIT_SECTOR;
    nbd->aside = malloc(NBD_ROUND + 2 * NBD_BLOCK_MAX);
    return nbd->aside != NULL ? ERR_OK : ERR_NO_MEMORY(err, NBD_ROUND);
}

enum err_code io_image_nbd_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err)
{
    static const struct io_image_ops ops = { .read_at = nbd_read_at, .close = nbd_close_image };
    struct image_nbd *nbd = calloc(1, sizeof *nbd);

    if (nbd == NULL)
        return ERR_NO_MEMORY(err, sizeof *nbd);
    pthread_mutex_init(&nbd->lock, NULL); /* cannot fail with default attributes on Linux */
    nbd->base.ops = &ops;
    nbd->base.format = container->name;
    struct err why = { 0 };
    const enum err_code rc = nbd_start(nbd, container, path, &why);
    if (rc != ERR_OK) {
        nbd_close_image(&nbd->base);
        if (rc == ERR_INPUT && container->serve != NULL)
            return ERR_RAISE(err, rc,
                             "%s: its container, %s, cannot be read here; %s; or take it for a raw "
                             "disk: --image-type raw",
                             path, container->name, why.text);
        if (err != NULL)
            *err = why;
        return rc;
    }
    *out = &nbd->base;
    return ERR_OK;
}
