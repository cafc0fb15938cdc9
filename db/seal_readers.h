/* SPDX-License-Identifier: Apache-2.0
 * db/seal_readers.h - the rows of a case file, read and hashed in groups by several threads, each
 * with a connection of its own, and taken in their order by one.
 *
 *   range 0, 3, ... ──► reader ──┐
 *   range 1, 4, ... ──► reader ──┼──► taken: 0, 1, 2, ...
 *   range 2, 5, ... ──► reader ──┘
 *
 * Each reader has two buffers: it fills one while the other waits to be taken. Beside them a thread
 * folds the -wal file into the case file, which would take the caller as long behind them: it
 * begins as soon as it has opened the file.
 *
 * To open the file takes a reader as long as to read its share of many a case. So they may open it
 * before the last rows are written, and wait: db_seal_readers_open.
 */
#ifndef BURIN_DB_SEAL_READERS_H
#define BURIN_DB_SEAL_READERS_H

#include "db/seal_rows.h"

enum { SEAL_READERS_MAX = 16 };

/* Threads that read; 0: there is only the one that folds. */
uint32_t seal_readers_count(const struct db_seal_readers *readers);

/*
 * Lets the readers go, once. Nobody may write to the file until they have ended. They see what was
 * committed by now. last_id, sparse: see seal_range; ahead: see seal_rows.
 */
void seal_readers_begin(struct db_seal_readers *readers, int64_t last_id, bool sparse,
                        const struct db_seal_ahead *ahead);

/*
 * The next bytes, 0 and more; valid until the next call. *bytes NULL: there are no more. *rows:
 * that these bytes end. Errors: what a reader has met, when it opened the file or later.
 */
ERR_MUST_CHECK enum err_code seal_readers_next(struct db_seal_readers *readers,
                                               const uint8_t **bytes, size_t *len, uint64_t *rows,
                                               struct err *err);

#endif
