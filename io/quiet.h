/*
 * io/quiet.h - a thread in which libraries are called that talk on standard error (io/ only).
 *
 * Standard error belongs to the process, and other threads write to it while a library is at work.
 * So it cannot be turned off for a while. This thread has a table of descriptors of its own, in
 * which standard error is /dev/null: what is said in it is lost, and nothing else. Descriptors that
 * a library opens here are not there in other threads, so all its calls have to come from here.
 */
#ifndef BURIN_IO_QUIET_H
#define BURIN_IO_QUIET_H

#include "base/err.h"

struct io_quiet; /* owned by the caller of io_quiet_open */

/*
 * Where the system gives a thread no table of its own, what is said is heard. ERR_ENV: no thread.
 */
ERR_MUST_CHECK enum err_code io_quiet_open(struct io_quiet **out, struct err *err);

/*
 * Runs work in the thread and waits for its end. From any thread: one after the other has its turn.
 */
void io_quiet_call(struct io_quiet *quiet, void (*work)(void *arg), void *arg);

void io_quiet_close(struct io_quiet *quiet); /* NULL is a no-op */

#endif
