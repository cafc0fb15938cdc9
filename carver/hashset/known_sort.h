/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_sort.h - sorts more records than memory holds, and leaves out all but the
 * first of those with the same key.
 *
 * Records have one length and are compared as bytes. When memory is full they are sorted and
 * written to a temporary file that has no name; at the end these runs are merged.
 */
#ifndef BURIN_CARVER_HASHSET_KNOWN_SORT_H
#define BURIN_CARVER_HASHSET_KNOWN_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { KNOWN_SORT_RUNS_MAX = 4096, KNOWN_RECORD_MAX = 64 };

struct known_sort; /* owned by the caller of known_sort_open */

/* Equal in the first key_len of record_len bytes: the same; the least record of them is kept.
 * folder: for the temporary file. */
ERR_MUST_CHECK enum err_code known_sort_open(size_t record_len, size_t key_len, size_t memory,
                                             const char *folder, struct known_sort **out,
                                             struct err *err);
void known_sort_close(struct known_sort *sort); /* NULL is a no-op */

ERR_MUST_CHECK enum err_code known_sort_add(struct known_sort *sort, const uint8_t *record,
                                            struct err *err);
uint64_t known_sort_count(const struct known_sort *sort); /* added so far */

/* After the last one was added. */
ERR_MUST_CHECK enum err_code known_sort_begin(struct known_sort *sort, struct err *err);
/* The next record in order, valid until the next call; NULL at the end. */
ERR_MUST_CHECK enum err_code known_sort_next(struct known_sort *sort, const uint8_t **record,
                                             struct err *err);

/* A file without a name in folder, or in TMPDIR where that may not be written. */
ERR_MUST_CHECK enum err_code known_temporary(const char *folder, int *fd, struct err *err);
ERR_MUST_CHECK enum err_code known_write_all(int fd, const void *bytes, size_t len,
                                             const char *path, struct err *err);

/* In place; for tests. */
void known_sort_records(uint8_t *records, size_t count, size_t record_len);

#endif
