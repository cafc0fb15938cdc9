/* SPDX-License-Identifier: Apache-2.0
 * carver/case/sample.h - the fingerprint of an image: hashes of some of its blocks, and what is
 * known of its files.
 *
 * Taken when an image is scanned first, and compared when it is opened for another use, to tell an
 * image that changed, or another one of the same size. Where the blocks lie follows from the size
 * alone: an image of at most SAMPLE_WHOLE bytes is taken whole, in pieces of SAMPLE_PIECE; of
 * another one the first and the last SAMPLE_EDGE bytes, and block i of SAMPLE_BLOCKS at size /
 * (SAMPLE_BLOCKS + 1) * i, rounded down to a multiple of SAMPLE_BLOCK. Blocks of which a part
 * cannot be read are left out.
 */
#ifndef BURIN_CARVER_CASE_SAMPLE_H
#define BURIN_CARVER_CASE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "db/case.h"
#include "io/image.h"

enum {
    SAMPLE_EDGE = 1 << 20,    /* bytes */
    SAMPLE_BLOCK = 4096,      /* bytes */
    SAMPLE_BLOCKS = 254,      /* between the edges */
    SAMPLE_PIECE = 64 * 1024, /* bytes */
    SAMPLE_WHOLE = 4 << 20,   /* bytes */
    SAMPLE_MAX = SAMPLE_BLOCKS + 2,
};

/* Of one image; zeroed it has not been taken. Release with sample_release. */
struct sample {
    struct db_sample *blocks; /* [count]: those that can be read; NULL: not taken */
    uint32_t count;
};

void sample_release(struct sample *sample); /* of a zeroed one: a no-op */

/* Reads the blocks, unless that was done. Errors: ERR_INTERRUPTED, ERR_ENV. */
ERR_MUST_CHECK enum err_code sample_take(struct io_image *image, struct sample *sample,
                                         struct err *err);

/* Stores their hashes with the image of this id. Inside a transaction or not. */
ERR_MUST_CHECK enum err_code sample_record(struct db_case *db, int64_t image_id,
                                           const struct sample *sample, struct err *err);

/* The fingerprint as one hash: SHA-256 over place, length and hash of the blocks. */
ERR_MUST_CHECK enum err_code sample_digest(const struct sample *sample, char out[DB_SHA256_HEX + 1],
                                           struct err *err);

/* What a comparison came to. */
struct sample_answer {
    uint32_t blocks;  /* stored, and readable now; 0: the case has none */
    uint32_t changed; /* of them */
    uint64_t first;   /* image offset of the first one that changed */
};

ERR_MUST_CHECK enum err_code sample_compare(struct db_case *db, int64_t image_id,
                                            struct io_image *image, struct sample_answer *out,
                                            struct err *err);

enum { SAMPLE_TIME_MAX = 32 };

/* Size and time of last change of an image's part: UTC, ISO 8601; a device has no time: "". False:
 * it is not there. */
bool sample_part(const char *path, uint64_t *size, char modified[SAMPLE_TIME_MAX]);

/*
 * A sentence about the first part that was written to since the scan, while the `blocks` blocks of
 * the fingerprint are the same; to be freed. NULL: there is none, or no memory.
 */
char *sample_note_time(const struct db_image *image, uint32_t blocks);

#endif
