/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_crew.h - the threads that scan an image, with a matcher and, where blocks are
 * hashed on a device, a hasher for each.
 *
 *   scan_crew_begin(job) ──► the matcher is compiled beside what the caller does
 *   scan_crew_start(crew, image) ──► parts, in the order of the image (parts.h)
 *
 * Threads: one uses a crew.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_CREW_H
#define BURIN_CARVER_SCAN_SCAN_CREW_H

#include "carver/scan/parts.h"
#include "carver/scan/pipeline_matcher.h"
#include "carver/scan/scan_job.h"

struct scan_crew {
    const struct scan_job *job;    /* the caller's */
    struct pipeline_matcher early; /* until scan_crew_open takes the matcher */
    uint32_t slot_count;
    struct match_matcher *matchers[LIMIT_THREADS];
    uint32_t matcher_count;
    struct match_hasher *hashers[LIMIT_THREADS]; /* devices that hash blocks */
    uint32_t hasher_count;                       /* 0: the processor does */
    struct parts *parts;                         /* NULL before scan_crew_start */
};

/* What is scanned. All of it stays the caller's, and must outlive scan_crew_close. */
struct scan_crew_image {
    const struct scan_job *job; /* plan.runs are those of this image */
    struct io_image *image;
    struct io_range whole;         /* of the image: what validators may read */
    const struct io_range *ranges; /* of it: ascending, not touching each other; at least one */
    uint32_t range_count;
    uint64_t from;                  /* image offset: what lies before it is left out */
    const struct known_scan *known; /* sets whose blocks are looked for, or NULL */
    bool sieve, texts;              /* see part_scanner_options */
    struct image_hash *hash;        /* likewise; or NULL */
    struct lookback *lookback;      /* of part_open */
};

/* Begins to compile the matcher for the patterns of job->plan, in a thread, unless the engine has a
 * device, which is opened when it is needed. */
void scan_crew_begin(struct scan_crew *out, const struct scan_job *job);

/* Waits for the matcher, and opens one for each thread. bytes: of the image, that are searched.
 * Errors: those of the matcher. */
ERR_MUST_CHECK enum err_code scan_crew_open(struct scan_crew *crew, uint64_t bytes,
                                            const struct known_scan *known, struct err *err);

/* Starts the threads. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code scan_crew_start(struct scan_crew *crew,
                                             const struct scan_crew_image *image, struct err *err);

/* Hands each line for people to tell: a matcher has failed in a way that does not end the scan. */
void scan_crew_warn(struct scan_crew *crew, void (*tell)(void *arg, const char *line), void *arg);

/* Stops the threads, and closes what they used; the job may be scanned no further. */
void scan_crew_close(struct scan_crew *crew);
/* The same, and waits for the matcher that nobody has taken. */
void scan_crew_end(struct scan_crew *crew);

#endif
