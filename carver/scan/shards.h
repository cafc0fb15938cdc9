/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shards.h - the shards of a folder, as the parts of one image: what pipeline.h
 * stitches instead of scanning.
 *
 *   folder ──► shards_open: which are there, whole and alike ──► shards_accept: of this image, for
 *   the same job ──► shards_begin, shards_next: parts, in the order of the image
 *
 * Threads: one.
 */
#ifndef BURIN_CARVER_SCAN_SHARDS_H
#define BURIN_CARVER_SCAN_SHARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/record.h"
#include "carver/scan/scan_crew.h"
#include "carver/scan/shard_about.h"

struct shards; /* owned by the caller of shards_open */

enum shard_state {
    SHARD_MISSING,
    SHARD_WHOLE,
    SHARD_UNPROVEN, /* whole, with bytes that one host alone tried to read: see shard_proof.h */
    SHARD_WRONG,    /* damaged, of another image or program, under another part's name */
};

/*
 * Reads all shards of the folder. What is wrong with one is told with a line, which does not end
 * the reading. Errors: ERR_INPUT: there is no folder, or no shard in it that can be read; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code shards_open(const char *folder,
                                         void (*tell)(void *arg, const char *line), void *arg,
                                         struct shards **out, struct err *err);
/* Waits until the folder has a file with a shard's name. Errors: ERR_INTERRUPTED. */
ERR_MUST_CHECK enum err_code shards_await(const char *folder, struct err *err);
void shards_close(struct shards *shards); /* NULL is a no-op */

const struct shard_about *shards_about(const struct shards *shards); /* of all of them */
uint32_t shards_count(const struct shards *shards);                  /* parts of the image */
enum shard_state shards_state(const struct shards *shards, uint32_t number);
const char *shards_folder(const struct shards *shards);
uint64_t shards_objects(const struct shards *shards); /* that they say they have; 0: unknown */
/* What one host alone could not read counts as what cannot be read. */
void shards_accept_bad(struct shards *shards);
/* Shards that are missing, or that another host has to try, are waited for when it is their turn.
 */
void shards_follow(struct shards *shards);

/*
 * They are of this image, and were made for the job. sample: see shard_about_make. pick NULL:
 * what is looked at of the image does not count. Errors: ERR_INPUT, naming what differs; those of
 * reading the image.
 */
ERR_MUST_CHECK enum err_code shards_accept(struct shards *shards, const struct scan_job *job,
                                           struct io_image *image, struct sample *sample,
                                           const struct scan_pick *pick, const struct scan_map *map,
                                           const struct known_scan *known, struct err *err);

/* Begins to read parts from image->from on; its job, image and lookback must outlive shards_end. */
ERR_MUST_CHECK enum err_code shards_begin(struct shards *shards,
                                          const struct scan_crew_image *image, struct err *err);
/* *out: the next part, valid until the next call; NULL: there is none any more, or not yet. Notes
 * each shard in the record, if there is one. Errors: ERR_INPUT: a shard has changed, or lacks a
 * part; ERR_ENV. */
ERR_MUST_CHECK enum err_code shards_next(struct shards *shards, struct record *record,
                                         struct part **out, struct err *err);
/* The part of a shard that shards_next gave last, as it stands there; until the next call. */
const uint8_t *shards_bytes(const struct shards *shards, size_t *len);
bool shards_done(struct shards *shards);
void shards_end(struct shards *shards);

/* The engines that searched the parts: one, or "several". */
const char *shards_engine(const struct shards *shards);

#endif
