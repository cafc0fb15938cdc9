/* SPDX-License-Identifier: Apache-2.0
 * io/image/nbd_link.h - a server of the NBD protocol: connections, reads in flight, and what it
 * says to be zeros (io/ only). One thread at a time.
 *
 * Source: NetworkBlockDevice/nbd, doc/proto.md; libnbd(3).
 */
#ifndef BURIN_IO_IMAGE_NBD_LINK_H
#define BURIN_IO_IMAGE_NBD_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/system/lib_nbd.h"

enum {
    NBD_LINKS_MAX = 4,   /* connections, to a server that says that it can */
    NBD_FLIGHT_MAX = 32, /* reads in flight on all of them */
    /* Bytes of a read: the most that each server has to send in one piece. */
    NBD_PIECE = 64 << 10,
    NBD_BLOCK_MAX = 64 << 10,  /* bytes: the largest block that a server may ask for */
    NBD_EXTENTS_MAX = 4096,    /* of one answer */
    NBD_ASK_AHEAD = 256 << 20, /* bytes that a server is asked about at a time */
    NBD_SILENT_SECONDS = 600,  /* a server that says nothing for so long is lost */
    NBD_OPEN_SECONDS = 8,      /* to connect, and to agree on how to go on */
};

#define NBD_SIZE_MAX (INT64_C(1) << 50) /* bytes: no disk is larger */

struct nbd_extent {
    uint64_t end; /* bytes of the image; it begins where the one before ends */
    bool zero;
};

struct nbd_link {
    struct io_nbd lib;
    const char *path;                        /* of the caller, */
    const char *format;                      /* and as io_reach_connect has it */
    struct nbd_handle *links[NBD_LINKS_MAX]; /* owned */
    uint32_t count;
    uint64_t size;  /* bytes of the image */
    uint32_t block; /* bytes; reads begin and end at multiples of it */
    uint32_t piece; /* bytes of a read; a multiple of block */
    bool tells;     /* the server tells what is zeros */
    uint32_t flags; /* of a read */
    uint64_t extents_begin;
    uint32_t extent_count;
    struct nbd_extent extents[NBD_EXTENTS_MAX]; /* what it said last */
};

/*
 * Connects to the server at path, or, where format is not NULL, of the file at path, within so many
 * seconds, and learns what it has. Errors: ERR_INPUT: it is no such server,
 * or has no such export; ERR_ENV: it is not there, no libnbd, no memory. nbd_link_close is right
 * after each.
 */
ERR_MUST_CHECK enum err_code nbd_link_open(struct nbd_link *out, const char *path,
                                           const char *format, const char *export_name,
                                           uint32_t seconds, struct err *err);

/*
 * Reads [offset, offset + len), which begins at a multiple of block, and ends at one or at the end
 * of the image.
 * Errors  ERR_IO   the server cannot read a part of it; *cause: the errno that it gives.
 *         ERR_ENV  the server is gone, or will not go on.
 */
ERR_MUST_CHECK enum err_code nbd_link_read(struct nbd_link *link, uint64_t offset, uint8_t *dst,
                                           size_t len, int *cause, struct err *err);

/*
 * Whether the server says that the byte at offset is zero, and *end, up to where that is so. It
 * costs a question now and then. False, with *end behind offset: it may be anything.
 */
bool nbd_link_is_zero(struct nbd_link *link, uint64_t offset, uint64_t *end);

void nbd_link_close(struct nbd_link *link);

#endif
