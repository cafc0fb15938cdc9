/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/detach.h - a program that goes on in the background once it is ready: the shell gets
 * its prompt back then, and the exit status says whether it came so far.
 *
 *   detach_start(&detach, &is_parent, &status)   forks; the parent waits, and returns with status
 *   detach_ready(&detach)                        the parent may go; no terminal any more
 */
#ifndef BURIN_CARVER_MOUNT_DETACH_H
#define BURIN_CARVER_MOUNT_DETACH_H

#include <stdbool.h>

#include "base/err.h"
#include "carver/cli/command.h"

struct detach {
    int pipe; /* to the parent; -1: there is none */
};

/*
 * Before threads and open files. In the parent it returns when the child is ready, or has ended:
 * *parent is true, and *status that of the child. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code detach_start(struct detach *detach, bool *parent,
                                          enum exit_status *status, struct err *err);

/* Nothing is read from and written to the terminal from here on. Without a parent a no-op. */
void detach_ready(struct detach *detach);

#endif
