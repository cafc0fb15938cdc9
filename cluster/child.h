/* SPDX-License-Identifier: Apache-2.0
 * cluster/child.h - the program, as a process of a rank: started, followed by what it says of its
 * progress, stopped. It ends with the rank, however that ends.
 */
#ifndef BURIN_CLUSTER_CHILD_H
#define BURIN_CLUSTER_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum { CHILD_LINE_MAX = 4096 };

/* Zeroed is none. */
struct child {
    pid_t pid; /* 0: none */
    int from;  /* its standard error */
    char line[CHILD_LINE_MAX];
    uint32_t len;      /* of the line so far */
    uint64_t position; /* bytes that it has gone over */
};

/*
 * Starts words[0] with words, which end with NULL. What it says on standard error is taken by
 * child_poll: a JSON object a line is its progress, and other lines are passed on, with prefix.
 * Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code child_start(char *const *words, struct child *out, struct err *err);

/* Takes what it has said; never waits. True once it has ended: *status is its exit status, or 128
 * and the signal. */
bool child_poll(struct child *child, const char *prefix, int *status);

void child_stop(struct child *child); /* asks it to end; of none: a no-op */

/* Starts a program that says what it says itself, and waits for it. Returns as child_ask does. */
int child_run(char *const *words);

/* Starts a program, waits for it, and keeps the first line of its standard output. Its standard
 * error is quiet or that of the caller. Returns its exit status, as child_poll does; 4: it could
 * not be started. */
int child_ask(char *const *words, bool quiet, char *line, uint32_t size);

#endif
