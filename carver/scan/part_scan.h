/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part_scan.h - scans one part of an image: reads, matches, plans. A scanner is what
 * one thread needs for that; it scans one part after another.
 *
 *   image ──► reader ──► slot ──► matcher ──► hits ──► planner ──► part
 *
 * Threads: one thread uses a scanner.
 */
#ifndef BURIN_CARVER_SCAN_PART_SCAN_H
#define BURIN_CARVER_SCAN_PART_SCAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/known/known_scan.h"
#include "carver/scan/image_hash.h"
#include "carver/scan/part.h"
#include "carver/scan/scan_job.h"
#include "io/image.h"
#include "match/matcher.h"

/* How a part is to be read. */
struct part_way {
    bool in_turn;    /* all of it in one go, before any of it is matched; else as it is matched */
    bool page_cache; /* through it, where the user does not ask for another way */
};

/* Those who scan parts of an image beside this one, and what becomes of the reading. */
struct part_turns {
    /* The part is read; its bytes may still be worked on. Called once for each part. */
    void (*done)(void *arg, struct part *part);
    /* Waits until the parts before have been read up to this image offset. */
    void (*wait)(void *arg, uint64_t offset);
    void *arg;
};

struct part_scanner; /* owned by the caller of part_scanner_open */

struct part_scanner_options {
    const struct scan_job *job;
    struct io_image *image;
    struct match_matcher *matcher;  /* its slots are the scanner's alone */
    const struct known_scan *known; /* sets whose blocks are looked for, or NULL */
    struct match_hasher *hasher;    /* a device that hashes blocks, or NULL */
    bool sieve; /* notes in the part which sectors may hold what file systems leave behind, */
    bool texts; /* and which may begin plain text */
    struct image_hash *hash;     /* gets all that is read; only where parts are read in the order of
                                  * the image, or by one thread. Or NULL */
    uint64_t rows_max;           /* bytes of rows, behind which a part ends */
    _Atomic uint64_t *bytes;     /* grows by what has been scanned */
    _Atomic uint64_t *waited_ns; /* grows by the time that reading took */
    struct part_turns turns;
    atomic_bool *stop; /* true: the part under way ends as soon as it can */
};

/* Everything in options stays the caller's and must outlive it. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code part_scanner_open(const struct part_scanner_options *options,
                                               struct part_scanner **out, struct err *err);
void part_scanner_close(struct part_scanner *scanner); /* NULL is a no-op */

/*
 * Scans the part whose place was set by part_begin. In turn, it has at most part_scanner_turn_len
 * bytes. It may end earlier than it was to, where it
 * holds much or takes long, or is stopped: part->place.to says where.
 *
 * Errors: those of reader, matcher and planner; ERR_INTERRUPTED when it was stopped. After an error
 * too the part may be whole: it ends before the place of the error then.
 */
ERR_MUST_CHECK enum err_code part_scan(struct part_scanner *scanner, struct part *part,
                                       struct part_way way, struct err *err);

/*
 * As part_scan, of a part of zeros (part_hole.h), which is not read; all of it at once. Only where
 * part_scanner_silent says so.
 */
ERR_MUST_CHECK enum err_code part_scan_hole(struct part_scanner *scanner, struct part *part,
                                            struct err *err);

/* Searches a segment of zeros. *silent: nothing that is looked for is there, nor in what holds
 * nothing but zeros. Before the first part. */
ERR_MUST_CHECK enum err_code part_scanner_silent(struct part_scanner *scanner, bool *silent,
                                                 struct err *err);

/* Bytes before a part that what is looked for in it may have. */
uint32_t part_scanner_before(const struct part_scanner *scanner);

/*
 * It scans no further part: what reads and plans is closed, in the thread that did. To take down a
 * queue of asynchronous reads takes tens of milliseconds, and so does it to give back the memory of
 * plans: the threads do it beside each other.
 */
void part_scanner_end(struct part_scanner *scanner);

/* Bytes that its buffers hold at once: of a part that is read in turn. */
uint64_t part_scanner_turn_len(const struct part_scanner *scanner);

/* How it reads, for the log: see io_reader_backend. "" before the first part. */
const char *part_scanner_backend(const struct part_scanner *scanner);

/* Why a device that hashed was given up; "" when it was not. */
const char *part_scanner_lost(const struct part_scanner *scanner);

#endif
