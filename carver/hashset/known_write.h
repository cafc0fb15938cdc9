/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_write.h - makes a hash set: takes entries in any order, and writes the file
 * when all have come.
 *
 * Memory in use: what known_write_open is given, for sorting; after that the Bloom filter and the
 * index. See docs/reference/known.md for figures.
 */
#ifndef BURIN_CARVER_HASHSET_KNOWN_WRITE_H
#define BURIN_CARVER_HASHSET_KNOWN_WRITE_H

#include "carver/hashset/known_set.h"

struct known_write_options {
    enum digest_kind hash;
    enum known_verdict verdict;
    uint32_t block_len; /* bytes; 0: hashes of whole files */
    bool names;
    double rate;      /* of false positives of the filter */
    size_t memory;    /* bytes for sorting */
    uint32_t threads; /* that fill the filter */
    const char *label;
};

struct known_write; /* owned by the caller of known_write_open */

/* path: of the set to be; nothing is there before known_write_finish, and what was there stays
 * until then. */
ERR_MUST_CHECK enum err_code known_write_open(const char *path,
                                              const struct known_write_options *options,
                                              struct known_write **out, struct err *err);
void known_write_close(
    struct known_write *write); /* NULL is a no-op; what was not finished is gone */

/* A known_entry_fn. */
ERR_MUST_CHECK enum err_code known_write_add(void *write, const struct known_entry *entry,
                                             struct err *err);

/* *count: different hashes in the set. */
ERR_MUST_CHECK enum err_code known_write_finish(struct known_write *write, uint64_t *count,
                                                struct err *err);

#endif
