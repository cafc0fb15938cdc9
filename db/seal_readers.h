/* SPDX-License-Identifier: Apache-2.0
 * db/seal_readers.h - the rows of a case file, encoded by several threads, each with a connection
 * of its own, and taken in their order by one.
 *
 *   range 0, 3, ... ──► reader ──┐
 *   range 1, 4, ... ──► reader ──┼──► taken: 0, 1, 2, ...
 *   range 2, 5, ... ──► reader ──┘
 *
 * Each reader has two buffers: it fills one while the other waits to be taken. Beside them a thread
 * folds the -wal file into the case file, which would take the caller as long behind them.
 */
#ifndef BURIN_DB_SEAL_READERS_H
#define BURIN_DB_SEAL_READERS_H

#include "db/seal_rows.h"

enum { SEAL_READERS_MAX = 16 };

struct seal_readers;

/*
 * Starts the readers, each of which opens the file at path again: the path stays the caller's.
 * Nobody may write to the file until they have ended. last_id, sparse: see seal_range. Errors:
 * ERR_ENV; those of opening a case file are told by seal_readers_next.
 */
ERR_MUST_CHECK enum err_code seal_readers_start(const char *path, uint32_t count, int64_t last_id,
                                                bool sparse, struct seal_readers **out,
                                                struct err *err);

/*
 * The next bytes, 0 and more; valid until the next call. *bytes NULL: there are no more. *rows:
 * that these bytes end. Errors: what a reader has met.
 */
ERR_MUST_CHECK enum err_code seal_readers_next(struct seal_readers *readers, const uint8_t **bytes,
                                               size_t *len, uint64_t *rows, struct err *err);

/* Ends the readers, wherever they are. NULL is a no-op. */
void seal_readers_end(struct seal_readers *readers);

#endif
