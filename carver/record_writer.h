/*
 * carver/record_writer.h - a thread that writes one batch while the next one fills: a case file takes as long to write some ten
 * thousand rows as a disk to read a hundred megabytes, and neither has to wait for the other.
 */
#ifndef BURIN_CARVER_RECORD_WRITER_H
#define BURIN_CARVER_RECORD_WRITER_H

#include "base/err.h"

struct record_batch;
struct record_writer; /* owned by the caller of record_writer_open; used by one thread at a time */

/* Called in the writer's thread, and by nobody meanwhile. */
typedef enum err_code record_write(void *arg, struct record_batch *batch, struct err *err);

ERR_MUST_CHECK enum err_code record_writer_open(record_write *write, void *arg, struct record_writer **out,
                                                struct err *err);
void record_writer_close(struct record_writer *writer); /* waits for the last batch; NULL is a no-op */

/* Waits for the batch before, and begins with this one, which stays as it is until the next wait. An error is that of the batch before. */
ERR_MUST_CHECK enum err_code record_writer_put(struct record_writer *writer, struct record_batch *batch,
                                               struct err *err);

/* Waits until nothing is being written; the error is told once. */
ERR_MUST_CHECK enum err_code record_writer_wait(struct record_writer *writer, struct err *err);

#endif
