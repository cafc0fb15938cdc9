/* SPDX-License-Identifier: Apache-2.0
 * carver/case/unread.h - what a scan could not read of an image, and reading it again as the scan
 * did.
 *
 * Zeros stood for such places, in checksums too. So they are zeros for whoever compares, whether
 * they could be read now or not; and a disk that fails is not asked for them again.
 */
#ifndef BURIN_CARVER_CASE_UNREAD_H
#define BURIN_CARVER_CASE_UNREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "db/case.h"
#include "io/image.h"

/* Zeroed is nothing. Any number of threads may look at it. */
struct unread {
    struct db_extent *ranges; /* ascending, disjoint */
    size_t count, room;
};

/* What this run could not read of the image. On an error *out needs no release. */
ERR_MUST_CHECK enum err_code unread_load(struct db_case *db, int64_t image_id, int64_t run_id,
                                         struct unread *out, struct err *err);
void unread_release(struct unread *unread);

/* Adds a range, which begins nowhere before the last one; those that touch are joined. Errors:
 * ERR_ENV. */
ERR_MUST_CHECK enum err_code unread_add(struct unread *unread, uint64_t offset, uint64_t len,
                                        struct err *err);

/* How many of the image bytes [offset, offset + len), len below 2^63, are among it. */
uint64_t unread_bytes(const struct unread *unread, uint64_t offset, uint64_t len);

/* The first of those that are; false: none is. */
bool unread_first(const struct unread *unread, uint64_t offset, uint64_t len, uint64_t *first);

/* io_salvage_read, but for these places: they are zeros, and neither read nor reported. */
ERR_MUST_CHECK enum err_code unread_read(const struct unread *unread, struct io_image *image,
                                         uint64_t offset, uint8_t *dst, size_t len,
                                         io_bad_range_fn bad, void *arg, struct err *err);

#endif
