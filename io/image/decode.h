/* SPDX-License-Identifier: Apache-2.0
 * io/image/decode.h - packed pieces of an image are unpacked by the thread that reads them (io/
 * only).
 *
 * No thread waits for another one: each takes a decoder out of the set, by an atomic exchange, and
 * puts it back. A decoder keeps the last piece that was not wanted whole, so that a thread that
 * reads a piece in bits unpacks it once.
 *
 * Disks have many pieces of zeros, which are packed to the same few bytes. So a decoder also keeps
 * the packed bytes of the last piece that was all zeros: the same bytes are zeros again.
 *
 * libdeflate, libzstd and liblz4 do the work, in the process of the program: they are given memory
 * of a known size, open nothing, and the program has given up its other rights by then
 * (base/jail.h).
 */
#ifndef BURIN_IO_IMAGE_DECODE_H
#define BURIN_IO_IMAGE_DECODE_H

#include <stdatomic.h>

#include "io/image/pieces.h"

enum { IO_DECODERS = 256 }; /* that are kept: LIMIT_THREADS */

struct io_decoder;

struct io_decoders {
    _Atomic(struct io_decoder *) slots[IO_DECODERS]; /* NULL: taken, or not made yet */
};

/* The file that a packed piece is in. */
struct io_decode_file {
    int fd;
    const char *path;
    uint64_t size; /* bytes */
};

/*
 * Reads len bytes of a packed piece from its byte `into` on. Any number of threads at a time.
 * Errors  ERR_IO   its bytes cannot be read, or cannot be unpacked (IO_BAD_CHECKSUM).
 *         ERR_ENV  no memory, or the file is gone.
 */
ERR_MUST_CHECK enum err_code io_decode(struct io_decoders *decoders,
                                       const struct io_decode_file *file,
                                       const struct io_piece *piece, uint64_t into, uint8_t *dst,
                                       size_t len, struct io_failure *failure, struct err *err);

/*
 * Reads whole packed pieces that lie one behind the other in the file, [count], by one read of it;
 * dst has their bytes one behind the other too. Any number of threads at a time.
 * Errors  as io_decode; then which piece is damaged is not known.
 */
ERR_MUST_CHECK enum err_code io_decode_run(struct io_decoders *decoders,
                                           const struct io_decode_file *file,
                                           const struct io_piece *pieces, uint32_t count,
                                           uint8_t *dst, struct io_failure *failure,
                                           struct err *err);

void io_decoders_release(struct io_decoders *decoders);

#endif
