/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record_writer.h - a thread that owns the case, and writes batches while the next ones
 * fill: a case file takes as long to write some ten thousand rows as a disk to read a hundred
 * megabytes, and neither has to wait for the other (record*.c only).
 *
 * Rows come in heaps, a part's at a time, and a commit waits for the disk. So many batches may
 * wait: who fills them does not. Where many threads scan, the writer ends behind them, and what
 * they have found is all there before.
 */
#ifndef BURIN_CARVER_CASE_RECORD_WRITER_H
#define BURIN_CARVER_CASE_RECORD_WRITER_H

#include <stdbool.h>

#include "carver/case/record_rows.h"

struct record_writer; /* owned by the caller of record_writer_open; used by one thread at a time */

/* db, in a transaction, is the writer's until record_writer_close; on an error it stays the
 * caller's. */
ERR_MUST_CHECK enum err_code record_writer_open(struct db_case *db, const struct record_rows *rows,
                                                struct record_writer **out, struct err *err);
/* Waits for the last batch, and gives the case back to the calling thread. NULL is a no-op. */
void record_writer_close(struct record_writer *writer);

/*
 * Hands the batch on, to be written behind those before it, and waits until fewer than
 * RECORD_BATCHES are at the writer. An error is that of a batch before; nothing behind that one is
 * written.
 */
ERR_MUST_CHECK enum err_code record_writer_put(struct record_writer *writer,
                                               struct record_batch *batch, struct err *err);

/* Gives back the batch, now empty, that was written last of those not given back before; NULL:
 * there is none. */
struct record_batch *record_writer_take(struct record_writer *writer);

uint32_t record_writer_waiting(struct record_writer *writer); /* batches; one is being written */

/* Whether a batch that asks for a commit is at the writer. *took_ns becomes how long the last
 * commit took; it stays as it is before the first one. */
bool record_writer_commits(struct record_writer *writer, uint64_t *took_ns);

/*
 * Has `then` called behind the batches so far, if all of them were written: in the writer's thread.
 * Nothing is put behind it.
 */
void record_writer_then(struct record_writer *writer, record_then_fn then, void *arg);

/* Waits until all batches are written, and what is to come then is done; an error is as that of
 * record_writer_put. */
ERR_MUST_CHECK enum err_code record_writer_wait(struct record_writer *writer, struct err *err);

#endif
