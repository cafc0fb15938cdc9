/* SPDX-License-Identifier: Apache-2.0
 * carver/verify/verify.h - `burin verify`: whether a case file, and the images it is about, are
 * what they were.
 *
 *   CASE ──► pages, log, seal ──► each image that is there: fingerprint, some objects, its hashes
 *   IMAGE ──► all of its bytes ──► the hashes that its container has
 */
#ifndef BURIN_CARVER_VERIFY_VERIFY_H
#define BURIN_CARVER_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/cli/json_write.h"
#include "carver/cli/progress.h"
#include "carver/scan/image_hash.h"
#include "db/case.h"
#include "io/image.h"

enum { VERIFY_IMAGES_MAX = 256 };

struct verify {
    const char *path;
    const char *images[VERIFY_IMAGES_MAX]; /* where those of the case file are now */
    uint32_t image_count;
    bool as_json, quiet, keyed, no_jail;
    bool tree; /* each MiB of the images of the case */
    enum progress_how progress;
    const char *image_type; /* NULL: what the content says */
    struct json json;       /* an object is open; with as_json */
    bool failed;            /* a check */
};

/* Each prints what it finds, and sets verify->failed. Errors: those of case file and image. */
ERR_MUST_CHECK enum err_code verify_case(struct verify *verify, struct err *err);
ERR_MUST_CHECK enum err_code verify_image(struct verify *verify, struct err *err);

/* Hashes all bytes of an image; kinds and out: see image_hash.h. */
ERR_MUST_CHECK enum err_code verify_hash(struct verify *verify, struct io_image *image,
                                         const char *path, uint32_t kinds,
                                         struct image_hash_result *out, struct err *err);

/* Compares the blocks of the image with the hashes that its container has of each, if any; how many
 * it had. */
ERR_MUST_CHECK enum err_code verify_blocks(struct verify *verify, uint64_t *checked,
                                           struct err *err);

/* Reads all of an image and compares each MiB with the tree hash of its scan. */
ERR_MUST_CHECK enum err_code verify_tree(struct verify *verify, struct db_case *db,
                                         int64_t image_id, struct io_image *image, const char *path,
                                         struct err *err);

/* Reads some objects of an image again, and compares. */
ERR_MUST_CHECK enum err_code verify_objects(struct verify *verify, struct db_case *db,
                                            int64_t image_id, struct io_image *image,
                                            const char *path, struct err *err);

/* The seal: what the tables are now, against the log and the file beside the case. */
ERR_MUST_CHECK enum err_code verify_seal(struct verify *verify, struct db_case *db,
                                         struct err *err);

/* A line on standard output, made safe for a terminal; nothing with as_json. */
void verify_say(const struct verify *verify, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
