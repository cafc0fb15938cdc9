/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/extract.h - writes one object out as a file: under a temporary name, hashed on the
 * way, renamed when it is whole.
 *
 * A file that has its final name is complete. Nothing is overwritten: where a name is taken, the
 * next number stands before its extension.
 */
#ifndef BURIN_CARVER_CARVE_EXTRACT_H
#define BURIN_CARVER_CARVE_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/carve/write_back.h"
#include "carver/case/carve_images.h"
#include "carver/case/object_names.h"
#include "carver/case/outdir.h"
#include "carver/case/unread.h"
#include "db/case.h"
#include "io/image.h"

enum {
    EXTRACT_PIECE = 1 << 20,         /* bytes that are read and written at a time, at most, */
    EXTRACT_SMALL_PIECE = 256 << 10, /* and where one thread does all: they stay in its cache */
    EXTRACT_LARGE = 16 << 20, /* an object of so many bytes may be hashed in a thread of its own */
    EXTRACT_SHARE = 64 << 10, /* an object of so many bytes may share its blocks with the image */
    EXTRACT_CLASH_MAX = 1000, /* files that may have the same name but for the number */
    EXTRACT_BAD_RANGES =
        64, /* unreadable ranges of one object that are told one by one; more are counted */
};

struct extract; /* owned by the caller of extract_open; one thread */

struct extract_object {
    struct io_image *image;
    const struct db_extent *extents;
    uint32_t extent_count;
    const struct object_path *path; /* of the file */
    const struct unread
        *unread; /* what the scan could not read: zeros, and not read again; or NULL */
    /*
     * Whether the image's file system has refused to share blocks with the output: once is enough
     * to know. NULL: share none.
     */
    _Atomic bool *unshared;
    bool has_crc64; /* the bytes must have this CRC-64 still, */
    uint64_t crc64;
    const char *sha256; /* and this hash, unless it is NULL */
    bool has_date;      /* the file gets this time of its last change: */
    int64_t date;       /* seconds since 1970, UTC */
};

/* An object of the case whose bytes must be those that were scanned; its image is one of the
 * images, and both stay the caller's. */
struct extract_object extract_object_of(const struct carve_images *images,
                                        const struct db_object *object);

struct extract_result {
    char path[OBJECT_PATH_MAX];     /* below the folder: "jpg/0000000000001000.jpg" */
    uint64_t len;                   /* bytes written */
    char sha256[DB_SHA256_HEX + 1]; /* of the bytes written */
    uint64_t crc64;                 /* likewise */
    uint64_t shared;                /* of them in blocks that the file shares with the image */
    uint64_t bad_bytes;             /* of them unreadable: zeros were written */
    bool dated; /* it has the date of the object; not all file systems can keep all dates */
    struct io_bad_range bad[EXTRACT_BAD_RANGES];
    uint32_t bad_count;
};

/*
 * dir: NULL where no file is written (extract_stream).
 * apart: large objects are hashed in a thread of their own while they are read and written. When
 * *stop becomes true, an object that is being written ends with ERR_INTERRUPTED; stop may be NULL.
 * back is told what is written; it may be NULL.
 */
ERR_MUST_CHECK enum err_code extract_open(struct outdir *dir, bool apart, const _Atomic bool *stop,
                                          struct write_back *back, struct extract **out,
                                          struct err *err);
void extract_close(struct extract *extract); /* NULL is a no-op */

/*
 * Errors, each without a trace left in the folder:
 *   ERR_INPUT        the extents do not lie in the image, or its bytes are not those that were
 *                    scanned: this object is not written
 *   ERR_FULL         too large for one file here, or its name is taken too often: this object
 *                    cannot be written
 *   ERR_ENV          disk full and the like: no further object can be written
 *   ERR_INTERRUPTED  a signal asked for a stop, or *stop did
 */
ERR_MUST_CHECK enum err_code extract_write(struct extract *extract,
                                           const struct extract_object *object,
                                           struct extract_result *result, struct err *err);

/*
 * Reads an object that is no file: each gets its pieces in their order, valid during the call. What
 * it returns but ERR_OK ends the reading and is returned. The path of object is not looked at, and
 * that of result stays "". Errors: ERR_INPUT and ERR_INTERRUPTED as of extract_write; that the
 * bytes are not those that were scanned is known behind the last piece.
 */
typedef enum err_code (*extract_piece_fn)(void *arg, const uint8_t *piece, size_t len,
                                          struct err *err);
ERR_MUST_CHECK enum err_code extract_stream(struct extract *extract,
                                            const struct extract_object *object,
                                            extract_piece_fn each, void *arg,
                                            struct extract_result *result, struct err *err);

/* Takes back a file that was written. */
void extract_discard(const struct outdir *dir, const struct extract_result *result);

#endif
