/* SPDX-License-Identifier: Apache-2.0
 * db/seal_ahead.h - groups of hits that were hashed when the hits were found: the seal need not
 * read these rows. For db/; others see case.h.
 *
 * NULL is one that knows nothing.
 */
#ifndef BURIN_DB_SEAL_AHEAD_H
#define BURIN_DB_SEAL_AHEAD_H

#include "db/seal_group.h"

/* The first group that may be known and has only hits from `id` on. */
int64_t seal_ahead_next(const struct db_seal_ahead *ahead, int64_t id);
/* The rows and the hash of a group; false: it is not known. */
bool seal_ahead_group(const struct db_seal_ahead *ahead, int64_t number, uint64_t *rows,
                      const uint8_t **digest);
/* Rows in groups that are known, or one more. */
uint64_t seal_ahead_rows(const struct db_seal_ahead *ahead);

#endif
