/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_scan.h - the hash sets of a scan: opened and checked once, recorded for each
 * image, asked by two sides:
 *
 *   blocks of the image while it goes by (known_blocks.h), whole objects when the image is done
 * (known_objects.h).
 */
#ifndef BURIN_CARVER_KNOWN_KNOWN_SCAN_H
#define BURIN_CARVER_KNOWN_KNOWN_SCAN_H

#include "carver/hashset/known_set.h"
#include "db/case.h"

enum { KNOWN_SETS_MAX = 16 };

struct known_scan {
    struct known_set sets[KNOWN_SETS_MAX];
    int64_t ids[KNOWN_SETS_MAX]; /* in the case file, of the present image */
    uint32_t count;
    uint32_t step; /* bytes between the beginnings of blocks that are hashed; 0: the length of each
                      set's blocks */
};

/* What was found in one image. */
struct known_totals {
    uint64_t good, bad, listed, unknown; /* objects */
    uint64_t skipped; /* objects that were not hashed: too much of the image overlaps in them */
    uint64_t had;     /* objects whose hashes were there already */
    uint64_t runs, blocks; /* of known blocks */
};

/* Opens the sets, and reads each once to see that it is whole. paths stay the caller's. */
ERR_MUST_CHECK enum err_code known_scan_open(const char *const *paths, uint32_t count,
                                             uint32_t step, struct known_scan *out,
                                             struct err *err);
void known_scan_close(struct known_scan *scan); /* of a zeroed one: a no-op */

/* Whether one of the sets holds hashes of blocks, or of files. */
bool known_scan_wants(const struct known_scan *scan, bool blocks);

/* Kinds of the hashes of files in the sets: 1u << DIGEST_MD5 and so on. */
uint32_t known_scan_kinds(const struct known_scan *scan);

/*
 * The sets are those that a run used, in their order: takes over their ids. Errors: ERR_INPUT,
 * naming the one that is another, or missing.
 */
ERR_MUST_CHECK enum err_code known_scan_find(struct known_scan *scan, struct db_case *db,
                                             int64_t run_id, struct err *err);

/* Writes which sets a run uses. */
ERR_MUST_CHECK enum err_code known_scan_record(struct known_scan *scan, struct db_case *db,
                                               int64_t run_id, struct err *err);

#endif
