/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_about.h - what a shard says of itself: the file that `burin scan --part`
 * leaves.
 *
 * Two shards belong together when their identities are the same bytes: the same program looked for
 * the same in the same image, cut into as many parts. Where image, dictionary and sets lie is told
 * beside that, for each machine may have them elsewhere.
 */
#ifndef BURIN_CARVER_SCAN_SHARD_ABOUT_H
#define BURIN_CARVER_SCAN_SHARD_ABOUT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/pack.h"
#include "carver/case/sample.h"
#include "carver/keyword/keyword_sources.h"
#include "carver/scan/scan_job.h"
#include "carver/scan/scan_map.h"
#include "carver/scan/scan_options.h"

enum {
    SHARD_COUNT_MAX = SCAN_PARTS_MAX, /* parts that an image is cut into */
    SHARD_TEXTS_MAX = 1 << 20,        /* bytes of all texts of a shard_about */
    SHARD_ABOUT_MAX = 1 << 20,        /* bytes of it */
    SHARD_WORDS_MAX = 4096,           /* keywords and files of them, of a search's command line */
    SHARD_WORDS_BYTES = 256 << 10,    /* of these */
};

/* Texts are the caller's, or, of one that was read, stand in its arena. None is NULL. */
struct shard_about {
    const char *version, *build;       /* of burin */
    const char *format, *sample;       /* of the image: io_image_format, sample_digest */
    uint64_t size;                     /* of the image, in bytes */
    uint32_t sector_size;              /* likewise */
    const char *signatures;            /* scan_fingerprint, of the keywords of a search */
    const char *selection;             /* of scan_pick; "" when all is looked at */
    const char *mapfile;               /* SHA-256 of the map; "": none */
    const char *known[KNOWN_SETS_MAX]; /* [options.known_count]: SHA-256 of the sets */
    uint32_t count;                    /* parts of the image */

    uint32_t number; /* this one, from 0 on */
    const char *host, *user, *engine, *started, *command_line;
    /* What is looked for and how the image is read; how it was worked on does not count. */
    struct scan_options options;
    struct keyword_sources search; /* what burin search looks for; zeroed: burin scan made it */
    const char *image;             /* its path, absolute */
    struct arena arena;            /* of one that was read */
    struct pack identity;          /* owned; see shard_about_save */
};

void shard_about_release(struct shard_about *about); /* of a zeroed one: a no-op */

/* Fills about->identity, and appends all of it to *out. See out->failed. */
void shard_about_save(struct shard_about *about, struct pack *out);

/* Reads what was saved. What is wrong with the bytes is in in->failed. Release it in any case. */
void shard_about_restore(struct unpack *in, struct shard_about *out);

/* Words for the first thing in which two shards differ that do not belong together; NULL: they do.
 */
const char *shard_about_differs(const struct shard_about *a, const struct shard_about *b);

/*
 * What the shard of a part of this image says, of what was opened for the job. sample: of the
 * image, taken if it was not; NULL: nothing is said of it. Texts stay those of the arguments and of
 * *texts. Errors: those of reading the image.
 */
struct shard_about_texts {
    char signatures[65], sample[65], known[KNOWN_SETS_MAX][65];
    char host[256], user[256], started[32];
    char *image, *dictionary, *map, *sets[KNOWN_SETS_MAX]; /* absolute paths; owned */
    struct keyword_source *sources;                        /* of a search; owned, */
    char **lists;                                          /* and the paths in them */
    uint32_t list_count;
};
ERR_MUST_CHECK enum err_code shard_about_make(
    const struct scan_job *job, const struct scan_options *options, struct io_image *image,
    struct sample *sample, const struct scan_pick *pick, const struct scan_map *map,
    const struct known_scan *known, struct shard_about_texts *texts, struct shard_about *out,
    struct err *err);
void shard_about_texts_release(struct shard_about_texts *texts); /* of zeroed ones: a no-op */

#endif
