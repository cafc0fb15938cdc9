/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/extract_parts.h - what extract.c and extract_share.c have in common: one object on
 * its way into a file.
 */
#ifndef BURIN_CARVER_CARVE_EXTRACT_PARTS_H
#define BURIN_CARVER_CARVE_EXTRACT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "carver/carve/extract.h"
#include "carver/carve/piece_hash.h"

struct extract {
    struct outdir *dir;
    const _Atomic bool *stop;
    struct write_back *back;
    struct piece_hash *hash;
    uint8_t *buffer; /* PIECE_HASH_PLACES pieces of EXTRACT_PIECE bytes */
    bool apart;
};

/* One file on its way. */
struct extract_file {
    const struct extract_object *object;
    struct extract_result *result;
    char part[OBJECT_PATH_MAX + 8]; /* the temporary file, in the folder */
    int folder;                     /* its descriptor */
    uint64_t len;                   /* of the object, bytes */
    uint32_t extent;                /* where reading stands: in this extent, */
    uint64_t at;                    /* so many bytes into it */
    bool apart;                     /* it is hashed in a thread of its own */
    uint64_t pieces;                /* that were read */
    const uint8_t *piece;           /* the last one of them */
    size_t piece_len;
    int back; /* -1, or the file itself: it is read, and not the image */
};

/* The length of the object, if its extents lie in the image. */
ERR_MUST_CHECK enum err_code extract_check_extents(const struct extract_object *object,
                                                   uint64_t *len, struct err *err);
/* Makes the temporary file and opens it for reading and writing; -1: see errno. */
int extract_open_part(const struct extract_file *file);

/*
 * Reads the next piece of the object, up to EXTRACT_PIECE bytes, and takes it into both sums.
 * ERR_IO when the file itself cannot be read back; of the image, what cannot be read is told in the
 * result.
 */
ERR_MUST_CHECK enum err_code extract_read(const struct extract *extract, struct extract_file *file,
                                          struct err *err);
/* Ends the hash: the sums of what was read are those that they must be. */
ERR_MUST_CHECK enum err_code extract_settle(const struct extract *extract,
                                            const struct extract_file *file, struct err *err);
/* Gives the file, which is whole, the date of the object; or leaves it as it is. */
void extract_date(const struct extract_file *file, int fd);
/* Gives the finished file its name, or the first free one behind it. */
ERR_MUST_CHECK enum err_code extract_rename(const struct extract *extract,
                                            const struct extract_file *file, struct err *err);

/*
 * Makes the file by sharing whole blocks with the image, where the file system can. True: it is
 * made, or the object cannot be written, as *rc says. False: nothing was made.
 */
bool extract_share(const struct extract *extract, struct extract_file *file, enum err_code *rc,
                   struct err *err);

#endif
