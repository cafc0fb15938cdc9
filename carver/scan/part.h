/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part.h - one part of a range of the image, on its way from the thread that scans it
 * to the one that records it.
 *
 * A part owns the hits that begin in it. Whoever scans it knows nothing of other parts.
 *
 * Threads: one thread at a time has a part.
 */
#ifndef BURIN_CARVER_SCAN_PART_H
#define BURIN_CARVER_SCAN_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/known/known_blocks.h"
#include "carver/plan/found.h"
#include "carver/plan/plan.h"
#include "carver/plan/sums.h"
#include "carver/scan/part_hashes.h"
#include "carver/text/text_spots.h"
#include "io/image.h"

/* Parts begin at multiples of this many bytes, counted from the beginning of their range. */
enum { PART_ALIGN = PLAN_SHARE };

enum { PART_NAME_MAX = 128 /* bytes of the name of a way to read */ };

struct part {
    struct plan_part place;
    bool last;  /* of its range */
    bool whole; /* all of it is there: it counts */

    struct found found;
    uint32_t own_count; /* objects that have ended in the part; those behind it are in its tail */
    struct plan *exit;  /* what was open at its end; its lookback is the recorder's */
    struct sums *sums;  /* of the part's bytes; NULL: nobody asks for CRCs */
    struct io_bad_range *bad; /* [bad_count]: bytes that could not be read, ascending */
    uint32_t bad_count, bad_room;
    struct hit *sound; /* [sound_room]: of part_sound_hits; owned */
    uint32_t sound_room;
    struct known_block_list blocks; /* that a set knows */
    struct part_hashes hashes;      /* of objects; none where nobody takes them */
    uint8_t *marks;                 /* [mark_count]: of its sectors, by io_leftover_sieve */
    size_t mark_count, mark_room;
    struct text_starts texts; /* of its sectors; none where nobody looks for text */
    struct plan_totals totals;
    uint64_t reread; /* bytes that validators read again */
    /* Of the image: what was found is made of these bytes alone. Its own are among them */
    struct io_range looked;

    /* Of a part that part_restore filled: where its hits and objects stand in the bytes, which are
     * the caller's, and where in the file of a shard. */
    const uint8_t *rows;
    size_t rows_len;
    uint64_t rows_at;                    /* bytes of the file before them */
    char rows_sha256[DB_SHA256_HEX + 1]; /* of them, where they stay there */
    uint32_t shard;                      /* its number */

    struct part *next; /* the owner's */
};

/*
 * Makes an empty part. lookback: what `exit` reads from later; it and what options points to stay
 * the caller's. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code part_open(const struct plan_options *options,
                                       struct lookback *lookback, struct part **out,
                                       struct err *err);
void part_close(struct part *part); /* NULL is a no-op */

/* Empties it for another place. */
void part_begin(struct part *part, const struct plan_part *place);

/* Adds ranges that could not be read. */
ERR_MUST_CHECK enum err_code part_add_bad(struct part *part, const struct io_bad_range *ranges,
                                          uint32_t count, struct err *err);

/* Makes room for so many marks. Errors: ERR_ENV, no memory. */
ERR_MUST_CHECK enum err_code part_room_marks(struct part *part, size_t count, struct err *err);

/*
 * Leaves out the hits that have a byte in a bad range: they are made of zeros that stand there.
 * *hits becomes an array that is valid until the next call. Errors: ERR_ENV, no memory.
 */
ERR_MUST_CHECK enum err_code part_sound_hits(struct part *part, const struct hit **hits,
                                             uint32_t *count, struct err *err);

#endif
