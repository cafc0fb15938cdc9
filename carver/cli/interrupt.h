/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/interrupt.h - a stop on SIGINT, SIGTERM and SIGHUP, within 2 s.
 *
 * The first signal sets a flag that long loops look at, and the program comes to its end by itself.
 * A program that has not done so 2 s later, because a disk does not answer or a library goes on for
 * long, quits with status 130; only what is being written is finished (interrupt_hold). What was
 * recorded by then is kept: a case file is as sound as after a kill, and the next program notices.
 * Where a machine is slow, as those of tests are, the environment variable BURIN_STOP_SECONDS says
 * how long instead.
 *
 * A second signal, half a second after the first or later, quits at once. Those between belong to
 * the first: `timeout` sends one to the program and one to its group. A signal that was ignored
 * when the program started (nohup, background jobs) stays ignored. SIGPIPE and SIGXFSZ become plain
 * write errors.
 */
#ifndef BURIN_CARVER_CLI_INTERRUPT_H
#define BURIN_CARVER_CLI_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Once, before any thread is started. */
ERR_MUST_CHECK enum err_code interrupt_install(struct err *err);

/*
 * As read(2), for what may have to be waited for, a terminal or a pipe: -1 and EINTR when a stop is
 * asked for meanwhile. Any thread.
 */
ssize_t stop_read(int fd, void *bytes, size_t len);

/*
 * What is written between the two is finished before the program quits by itself. Any thread; holds
 * may overlap, and each is released once.
 */
void interrupt_hold(void);
void interrupt_release(void);

/* True from the first signal on. Any thread, at any time; costs one load. */
bool interrupt_requested(void);

#endif
