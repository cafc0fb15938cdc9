/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part_saved.h - a part as bytes, which another process, on another machine, hands to
 * stitch.h.
 *
 * Nobody vouches for the bytes that are read: whatever they say, the part that comes of them can be
 * handed on. What they leave out is read from the image when it is needed.
 *
 * Threads: one at a time.
 */
#ifndef BURIN_CARVER_SCAN_PART_SAVED_H
#define BURIN_CARVER_SCAN_PART_SAVED_H

#include "carver/plan/texts.h"
#include "carver/scan/part.h"

/* Appends the part, which is whole. Errors: those of reading the image. */
ERR_MUST_CHECK enum err_code part_save(struct part *part, const struct plan_options *options,
                                       struct pack *out, struct err *err);

/* What reads parts. */
struct part_reader {
    const struct plan_options *options;
    const struct known_scan *known; /* NULL: no blocks were looked for */
    const struct lookback *lookback;
    struct io_range whole;   /* of the image: what validators may read */
    struct texts *texts;     /* gets reasons: it must live as long as the objects */
    struct sig_facts *facts; /* room */
};

/*
 * Fills a part that part_open made. *right false: the bytes are no part. All of `reader` stays the
 * caller's. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code part_restore(const struct part_reader *reader, const uint8_t *bytes,
                                          size_t len, struct part *part, bool *right,
                                          struct err *err);

/* Where the part lies of which these are the bytes; false: they are none. end: of the image. */
bool part_saved_place(const uint8_t *bytes, size_t len, uint64_t end, struct io_range *out);

/*
 * Reads the hashes of a part alone, and where it begins. *right false: the bytes are no part's.
 * end: of the image. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code part_restore_hashes(const uint8_t *bytes, size_t len, uint64_t end,
                                                 uint64_t *from, struct part_hashes *out,
                                                 bool *right, struct err *err);

/* Fills a part that nobody has scanned: none of its bytes could be read, and zeros stand for them.
 */
ERR_MUST_CHECK enum err_code part_blank(const struct part_reader *reader,
                                        const struct io_range *range, struct part *part,
                                        struct err *err);

#endif
