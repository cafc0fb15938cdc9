/* SPDX-License-Identifier: Apache-2.0
 * db/wal_frames.h - frames of a -wal file go to the kernel many at a time. Not for other folders.
 *
 * SQLite writes each page that a transaction changes by two calls, of 24 bytes and of a page: a
 * third of what a commit of new rows takes. Here they wait in memory until there are many of them,
 * or until the transaction ends. Whoever else has the file open sees no difference: a frame counts
 * from that end on, and then the file has it.
 */
#ifndef BURIN_DB_WAL_FRAMES_H
#define BURIN_DB_WAL_FRAMES_H

#include "db/connection.h"

struct wal_frames; /* owned by the caller of wal_frames_begin; of the connection's thread */

/* From now on, until the connection is closed, which must have no rollback hook of its own. NULL:
 * there is no -wal file yet, or no memory; then all is as before. */
struct wal_frames *wal_frames_begin(struct db_case *db);
/* Once SQLite's handle is closed. NULL is a no-op. */
void wal_frames_end(struct wal_frames *frames);

#endif
