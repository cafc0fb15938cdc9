/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part_hashes.h - hashes of what a part holds, taken where the part is scanned, so that
 * who merges the parts need not read it.
 *
 * A hash is one of bytes of the image, and says nothing of what they are: it counts for an object
 * that is these bytes in the end, and for no other.
 *
 * Threads: one at a time.
 */
#ifndef BURIN_CARVER_SCAN_PART_HASHES_H
#define BURIN_CARVER_SCAN_PART_HASHES_H

#include "base/err.h"
#include "base/pack.h"
#include "carver/hashset/known.h"
#include "carver/known/known_scan.h"
#include "carver/plan/found.h"
#include "io/image.h"

struct part_hash {
    uint64_t offset, len; /* bytes of the image */
    uint8_t digests[DIGEST_KINDS][DIGEST_MAX];
};

/* Zeroed has none. */
struct part_hashes {
    uint32_t kinds;          /* 1u << DIGEST_MD5 and so on */
    struct part_hash *items; /* [count], ascending by offset, then length; owned */
    uint32_t count;
    size_t room;
};

void part_hashes_release(struct part_hashes *hashes);

/* Appends them. */
void part_hashes_save(const struct part_hashes *hashes, struct pack *out);

/* Reads them; what is wrong with the bytes is in in->failed. end: of the image. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code part_hashes_restore(struct unpack *in, uint64_t end,
                                                 struct part_hashes *out, struct err *err);

/* Those of these bytes; NULL: there are none of at least these kinds. */
const struct part_hash *part_hashes_find(const struct part_hashes *hashes, uint64_t offset,
                                         uint64_t len, uint32_t kinds);

struct part_hasher; /* what takes them */

/*
 * Takes the kinds that the sets of files have; *out NULL: they have none. bytes: of the image, that
 * are scanned: what is longer is left to who merges, and no more than KNOWN_READ_SHARE times as
 * much is read. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code part_hasher_open(const struct known_scan *known,
                                              struct io_image *image, uint32_t threads,
                                              uint64_t bytes, struct part_hasher **out,
                                              struct err *err);
void part_hasher_close(struct part_hasher *hasher); /* NULL is a no-op */

/* Hashes the objects that were found. Errors: those of reading the image; ERR_INTERRUPTED. */
ERR_MUST_CHECK enum err_code part_hasher_take(struct part_hasher *hasher, const struct found *found,
                                              struct part_hashes *out, struct err *err);

#endif
