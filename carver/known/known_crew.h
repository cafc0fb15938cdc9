/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_crew.h - threads that hash files of an image, a batch at a time, each through
 * its extents.
 *
 *   known_crew_add ... until it is full ──► known_crew_run ──► tasks with digests ──►
 * known_crew_clear
 *
 * Threads: one calls; those of the crew work inside of known_crew_run alone.
 */
#ifndef BURIN_CARVER_KNOWN_KNOWN_CREW_H
#define BURIN_CARVER_KNOWN_KNOWN_CREW_H

#include "base/err.h"
#include "carver/hashset/known.h"
#include "db/case.h"
#include "io/image.h"

struct known_crew;

struct known_crew_options {
    struct io_image *image; /* it may be read by several threads */
    uint32_t kinds;         /* of hashes: 1u << DIGEST_MD5 and so on */
    uint32_t threads;
    const char *stopped; /* what a stop on request has done: for people */
};

struct known_task {
    int64_t id;                /* the caller's */
    struct db_extent *extents; /* [extent_count]; owned */
    uint32_t extent_count;
    bool bad; /* some of it could not be read */
    bool had; /* the caller has filled in the digests: nothing is read */
    uint8_t digests[DIGEST_KINDS][DIGEST_MAX];
    enum err_code rc;
    struct err err;
};

/* All that options points to must outlive it. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code known_crew_open(const struct known_crew_options *options,
                                             struct known_crew **out, struct err *err);
void known_crew_close(struct known_crew *crew); /* NULL is a no-op */

bool known_crew_full(const struct known_crew *crew);

/* Another file; *out, valid until known_crew_clear, may be changed. Not of a full crew. */
ERR_MUST_CHECK enum err_code known_crew_add(struct known_crew *crew, int64_t id,
                                            const struct db_extent *extents, uint32_t count,
                                            struct known_task **out, struct err *err);

/* Hashes what was added. Bytes that cannot be read are zeros. Errors: the first one of them, and
 * ERR_INTERRUPTED. */
ERR_MUST_CHECK enum err_code known_crew_run(struct known_crew *crew, struct err *err);

struct known_task *known_crew_tasks(struct known_crew *crew, uint32_t *count); /* in their order */
void known_crew_clear(struct known_crew *crew);

#endif
