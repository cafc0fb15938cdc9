/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/keep.h - the parts of a scan, kept for a later one: a shard, 0 of 1, of the whole
 * image, which is whole or is not there.
 *
 * Threads: one.
 */
#ifndef BURIN_CARVER_SCAN_KEEP_H
#define BURIN_CARVER_SCAN_KEEP_H

#include "carver/scan/shard_parts.h"

/* Zeroed keeps nothing; keep_close. */
struct keep {
    bool open;
    struct plan_options plan;
    struct shard_about about;
    struct shard_about_texts texts;
    struct shard_new shard;
    struct shard_parts parts;
};

/* Begins, in job->keep_parts, which is there. sample: see shard_about_make. Errors: those of
 * reading the image; ERR_ENV: the folder may not be written. */
ERR_MUST_CHECK enum err_code keep_open(const struct scan_job *job, struct io_image *image,
                                       struct sample *sample, const struct scan_pick *pick,
                                       const struct scan_map *map, const struct known_scan *known,
                                       struct keep *out, struct err *err);

/* Keeps the next part, before anything is done with it. bytes: as another shard has it; or NULL. */
ERR_MUST_CHECK enum err_code keep_add(struct keep *keep, struct part *part, const uint8_t *bytes,
                                      size_t len, struct err *err);

/* All parts are there: the shard gets its name, in the place of one that had it. */
ERR_MUST_CHECK enum err_code keep_finish(struct keep *keep, struct err *err);

void keep_close(struct keep *keep); /* what is not finished is gone */

#endif
