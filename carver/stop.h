/*
 * carver/stop.h - a clean stop on SIGINT, SIGTERM and SIGHUP.
 *
 * The first signal sets a flag that long loops look at; one that comes half a second later or more quits the program at once with
 * status 130. Those between belong to the first: `timeout` sends one to the program and one to its group. A signal that was ignored
 * when the program started (nohup, background jobs) stays ignored. SIGPIPE and SIGXFSZ become plain write errors.
 */
#ifndef BURIN_CARVER_STOP_H
#define BURIN_CARVER_STOP_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Once, before any thread is started. */
ERR_MUST_CHECK enum err_code stop_install(struct err *err);

/*
 * As read(2), for what may have to be waited for, a terminal or a pipe: -1 and EINTR when a stop is
 * asked for meanwhile. Any thread.
 */
ssize_t stop_read(int fd, void *bytes, size_t len);

/* True from the first signal on. Any thread, at any time; costs one load. */
bool stop_requested(void);

#endif
