/* SPDX-License-Identifier: Apache-2.0
 * io/reader/reader_cache.h - reading through the page cache; the aio backend uses it for what
 * O_DIRECT cannot read. */
#ifndef BURIN_IO_READER_READER_CACHE_H
#define BURIN_IO_READER_READER_CACHE_H

#include "io/reader/reader_impl.h"

/* Reads len bytes of slot at image offset, which lie at span; zeros and bad ranges where that
 * fails. */
void io_cache_read(struct io_backend *backend, struct io_slot *slot, const struct io_span *span,
                   uint64_t offset, size_t len);

/*
 * ERR_INPUT when one thread reads the image at a time: backends that read files cannot read it.
 * *first: a run at the start of the image that lies in a file as it is; fd -1: none was found.
 */
ERR_MUST_CHECK enum err_code io_cache_suits(struct io_image *image, struct io_span *first,
                                            struct err *err);

/*
 * The part of the slot from image offset `at` on that is of one run: where, and len bytes. For an
 * image that suits; at lies in the slot.
 */
bool io_cache_map(struct io_backend *backend, const struct io_slot *slot, uint64_t at,
                  struct io_span *out);

/* Fills the run of the slot that begins at image offset, unless it lies in a file as it is: false.
 */
bool io_cache_fill(struct io_backend *backend, struct io_slot *slot, const struct io_span *span,
                   uint64_t offset);

/* Has the kernel begin to read len bytes at span into the page cache. */
void io_cache_read_ahead(const struct io_span *span, uint64_t len);

#endif
