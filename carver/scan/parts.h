/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/parts.h - the parts of an image, scanned by several threads, in the order of the
 * image.
 *
 *   ranges ──cut──► pieces ──► threads, each with a part_scanner ──► parts ──► parts_next
 *
 * A thread takes the next piece of the image and scans it as one part, or as several one behind
 * another where a part ends early. Parts that are done wait until those before them have been
 * taken. They are so few that memory is bounded: a thread that is far ahead waits.
 *
 * Where not all threads may read at a time (pace.h), they take turns: pieces are as small as the
 * buffers of a thread, and each is read in one go, in the order of the image, while other threads
 * work on what they have read. So a disk is read from its beginning to its end.
 *
 * Threads: one thread calls these functions; the threads that scan are its own.
 */
#ifndef BURIN_CARVER_SCAN_PARTS_H
#define BURIN_CARVER_SCAN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/scan/part.h"
#include "carver/scan/part_scan.h"
#include "io/reader.h"
#include "io/storage.h"

struct parts; /* owned by the caller of parts_open */

struct parts_options {
    struct io_range whole;         /* of the image: what validators may read */
    const struct io_range *ranges; /* of it: ascending, not touching each other; at least one */
    uint32_t range_count;
    uint64_t from;     /* image offset: what lies before it is left out */
    uint64_t part_len; /* bytes of a piece, a multiple of PART_ALIGN; 0: as it suits */
    uint64_t seed;     /* not 0: pieces have any length up to part_len, made from this number */
    struct part_scanner_options scanner;   /* job, image and known; the rest is set here */
    struct match_matcher *const *matchers; /* [matcher_count]: each for a thread of its own */
    struct match_hasher *const *hashers;   /* [matcher_count], or NULL */
    uint32_t matcher_count;
    uint32_t asked; /* not 0: threads that the user asked for, of which only matcher_count pay */
    struct lookback *lookback; /* of part_open */
    const char *one_why; /* parts are read one at a time, and this is why; NULL: see at_once */
    uint32_t at_once;    /* parts that are read at a time; 0: as many as pay (pace.h) */
    struct io_storage storage; /* what the image lies on */
    bool cached;               /* the page cache has the image */
    bool gives_way;            /* one thread waits while many rows do: see parts_behind */
};

/* Starts the threads. All that options points to stays the caller's and must outlive it. Errors:
 * ERR_ENV. */
ERR_MUST_CHECK enum err_code parts_open(const struct parts_options *options, struct parts **out,
                                        struct err *err);

/* Stops the threads and waits for them; NULL is a no-op. */
void parts_close(struct parts *parts);

/*
 * Waits for the next part, `milliseconds` at most. *out: the part, to be given to parts_give_back;
 * NULL: it is not there yet, or there is none any more (parts_done).
 *
 * Errors: that of the thread that scanned what comes next. Nothing comes behind it.
 */
ERR_MUST_CHECK enum err_code parts_next(struct parts *parts, uint32_t milliseconds,
                                        struct part **out, struct err *err);
void parts_give_back(struct parts *parts, struct part *part);

/* Tells how many batches of rows wait to be written. While they are many, all ends when they are
 * written, and with options.gives_way one thread less scans: who stitches and who writes would
 * share a processor. */
void parts_behind(struct parts *parts, uint32_t batches);

/* Whether all parts have been taken. */
bool parts_done(struct parts *parts);

/* What is under way ends as soon as it can, and nothing new is begun. The parts that come next can
 * still be taken. */
void parts_stop(struct parts *parts);

/* The length of a piece that suits, of an image of so many bytes and so many threads. */
uint64_t parts_len(uint64_t bytes, uint32_t threads);

uint64_t parts_bytes(const struct parts *parts); /* that have been scanned so far */

/* How many parts were read at a time, and why: for the log. Threads: the one that calls the others.
 */
const char *parts_pace(const struct parts *parts);
/* Whether it pays to read the image in several places at a time, as far as that is known by now. */
bool parts_many(struct parts *parts);
/* How the image is read, for the log. */
const char *parts_backend(const struct parts *parts);
/* Why a device that hashed was given up; "" when none was. Only when all threads have ended. */
const char *parts_lost(const struct parts *parts);

#endif
