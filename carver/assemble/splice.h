/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/splice.h - an object that lies in pieces of an image, as a source of bytes for
 * validators.
 *
 * A validator asks for image offsets that follow its object's start as if the object lay in one
 * piece; the splice gives it the bytes of the pieces, one behind the other. What lies behind the
 * visible end is not there yet. Places that the scan could not read are zeros, as they were for it.
 *
 * Threads: one thread uses a splice. Several may read one image.
 */
#ifndef BURIN_CARVER_ASSEMBLE_SPLICE_H
#define BURIN_CARVER_ASSEMBLE_SPLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/unread.h"
#include "io/image.h"
#include "io/reader.h"
#include "signatures/sig.h"

enum {
    SPLICE_BLOCK = 16 * 1024,  /* bytes of one read from the image */
    SPLICE_BLOCKS = 256,       /* blocks that a splice keeps, at least; */
    SPLICE_BLOCKS_MOST = 2048, /* at most, */
    SPLICE_BLOCKS_ALL =
        8192, /* and those of one process together, if that is more than the least */
};

/* A block of the image. */
struct splice_block {
    uint64_t offset; /* of its first byte */
    uint32_t len;    /* bytes; 0: empty */
    uint32_t room; /* where in the splice's bytes they are, counted in blocks from 1 on; 0: nowhere
                      yet */
};

/* Blocks that were wanted one behind the other, or one before the other. */
struct splice_way {
    uint64_t next; /* the number of the next one */
    uint32_t run;  /* blocks that were read with the last one */
};

struct splice {
    struct sig_source source; /* what validators get; it must be the first field */
    struct io_image *image;
    const struct unread *unread;
    uint64_t start;              /* of the object: what validators add their offsets to */
    const struct io_range *runs; /* the pieces: the caller's, unchanged while they are in use */
    uint64_t *begins;            /* [count + 1]: object offset of each; its last is their sum */
    uint32_t count, room;
    uint32_t at;                 /* the piece that was used last */
    uint64_t visible;            /* object offset: bytes from here on are not shown */
    uint64_t checked;            /* bytes that were asked for, of all objects so far */
    uint64_t last_at;            /* object offset of the last request, */
    uint32_t last_have;          /* and what it was given, when it asked for one byte; else 0 */
    struct splice_block *blocks; /* [block_count], a power of two */
    uint32_t block_count, rooms; /* rooms that blocks have got */
    struct splice_way up, down;
    uint8_t *bytes;   /* of the blocks, */
    uint8_t *joint;   /* and of a request over a seam */
    enum err_code rc; /* ERR_OK, or why the image can be read no longer */
    struct err err;
};

/*
 * A splice that is one of so many, at least 1, which share the memory for blocks. image and unread
 * stay the caller's. Errors: ERR_ENV for no memory.
 */
ERR_MUST_CHECK enum err_code splice_open(struct io_image *image, const struct unread *unread,
                                         uint32_t splices, struct splice *out, struct err *err);
void splice_close(struct splice *splice); /* of a zeroed one: a no-op */

/* Says that splices will read these bytes of the image soon, as io_image_soon does. */
void splice_soon(const struct io_image *image, uint64_t offset, uint64_t len);

/*
 * Another object: its pieces, at least one, none of them empty, all in the image. All of its bytes
 * are visible. Errors: ERR_ENV for no memory.
 */
ERR_MUST_CHECK enum err_code splice_set(struct splice *splice, const struct io_range *runs,
                                        uint32_t count, struct err *err);

/*
 * The bytes that lie at image offset at, which is in the image: *have of them, valid until the next
 * call. NULL: the image can be read no longer.
 */
const uint8_t *splice_image(struct splice *splice, uint64_t at, uint32_t *have);
/*
 * Copies so many bytes from image offset at on, and zeros for those behind the image, or where it
 * can be read no longer. Returns the number of the others.
 */
uint32_t splice_copy(struct splice *splice, uint64_t at, uint8_t *out, uint32_t len);
/* Whether so many bytes there, all of one sector, are zeros; also where they can be read no longer.
 */
bool splice_image_zeros(struct splice *splice, uint64_t at, uint32_t len);

/* Bytes of all pieces. */
uint64_t splice_len(const struct splice *splice);

/*
 * ERR_ENV when the image can be read no longer: a validator, which got NULL, cannot know it, and
 * what it said does not count. err may be NULL.
 */
ERR_MUST_CHECK enum err_code splice_error(const struct splice *splice, struct err *err);

#endif
