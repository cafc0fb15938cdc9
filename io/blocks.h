/* SPDX-License-Identifier: Apache-2.0
 * io/blocks.h - hashes that a container has of single blocks of what is in it: AFF4 of each chunk
 * of its image streams, as they were when the image was made.
 *
 * A stream is what was stored, and not the image: the map of the AFF4 says which bytes of which
 * stream the image consists of. So blocks are those of a stream, and this reads them from it.
 * Source: AFF4 Standard 1.0a, "Block hashes", and the reference images of its authors: beside a
 * segment of chunks, "00000000", stands "00000000.blockHash.md5", with one digest for each chunk.
 *
 * Threads: one at a time for each struct io_blocks.
 */
#ifndef BURIN_IO_BLOCKS_H
#define BURIN_IO_BLOCKS_H

#include <stdint.h>

#include "base/err.h"
#include "io/image.h"

enum { IO_BLOCK_KINDS = 4 };

struct io_block_kind {
    const char *name; /* "md5", "sha1", "sha256", "sha512"; static text */
    uint32_t len;     /* bytes of a digest */
};

struct io_blocks; /* owned by the caller of io_blocks_open */

/*
 * Opens stream `number`, from 0 on, of the image at path. *out is NULL where there is none: also of
 * a container without such hashes. Errors: those of io_image_open.
 */
ERR_MUST_CHECK enum err_code io_blocks_open(const char *path, uint32_t number,
                                            struct io_blocks **out, struct err *err);
void io_blocks_close(struct io_blocks *blocks); /* NULL is a no-op */

struct io_image *io_blocks_image(const struct io_blocks *blocks); /* the stream's bytes */
const char *io_blocks_name(const struct io_blocks *blocks);       /* the stream's */
uint32_t io_blocks_len(const struct io_blocks *blocks); /* bytes of a block; the last is shorter */

/* Below IO_BLOCK_KINDS. */
const struct io_block_kind *io_blocks_kind(uint32_t kind);

/*
 * The digest that the container has of a block, valid until the next call for this kind; NULL: it
 * has none. Errors: ERR_INPUT: the segment with it is damaged; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code io_blocks_digest(struct io_blocks *blocks, uint64_t block,
                                              uint32_t kind, const uint8_t **out, struct err *err);

#endif
