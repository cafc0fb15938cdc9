/*
 * carver/case/record_writer.h - a thread that owns the case, and writes one batch while the next
 * one fills: a case file takes as long to write some ten thousand rows as a disk to read a hundred
 * megabytes, and neither has to wait for the other (record*.c only).
 */
#ifndef BURIN_CARVER_CASE_RECORD_WRITER_H
#define BURIN_CARVER_CASE_RECORD_WRITER_H

#include "carver/case/record_rows.h"

struct record_writer; /* owned by the caller of record_writer_open; used by one thread at a time */

/* db, in a transaction, is the writer's until record_writer_close; on an error it stays the
 * caller's. */
ERR_MUST_CHECK enum err_code record_writer_open(struct db_case *db, const struct record_rows *rows,
                                                struct record_writer **out, struct err *err);
/* Waits for the last batch, and gives the case back to the calling thread. NULL is a no-op. */
void record_writer_close(struct record_writer *writer);

/* Waits for the batch before, and begins with this one, which stays as it is until the next wait.
 * An error is that of the batch before. */
ERR_MUST_CHECK enum err_code record_writer_put(struct record_writer *writer,
                                               struct record_batch *batch, struct err *err);

/* Waits until nothing is being written; the error is told once. */
ERR_MUST_CHECK enum err_code record_writer_wait(struct record_writer *writer, struct err *err);

#endif
