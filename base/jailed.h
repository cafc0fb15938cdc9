/* SPDX-License-Identifier: Apache-2.0
 * base/jailed.h - a process without rights that does work on hostile bytes for this one.
 *
 * It can compute, take orders, answer on a pipe, and nothing else: no file, no socket, no program
 * (jail.h, JAIL_CALLS_DECODER). Bytes go through memory that both share. An order that ends the
 * process, or takes too long, has no answer, and the next one has a process of its own.
 */
#ifndef BURIN_BASE_JAILED_H
#define BURIN_BASE_JAILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum { JAILED_ANSWER_MAX = 64 /* bytes of an answer, at most */ };

struct jailed_how {
    size_t shared;     /* bytes of the memory that both share */
    size_t answer;     /* bytes of an answer */
    uint32_t seconds;  /* of the processor, for one order, */
    uint32_t patience; /* and of the clock */
    uint32_t failures; /* of processes that ended: then it is given up */
    uint64_t memory;   /* bytes of its own that it may have; 0: any */
    /* Asked where a signal came while it works: true: the order is given up. NULL: none is. */
    bool (*stop)(void);
    /* The work, which is done in the process: fills the answer. The memory of this process is there
     * as it was when the process began: at the first order, and at the first one after a failure.
     */
    void (*work)(void *arg, uint64_t order, void *answer);
    void *arg;
};

struct jailed {
    struct jailed_how how;
    uint8_t *shared;     /* NULL: not open */
    int orders, answers; /* -1: no process */
    pid_t pid;           /* 0: no process */
    uint32_t failures;   /* processes that ended */
};

/* *out needs jailed_close also after an error. ERR_ENV: no memory. */
ERR_MUST_CHECK enum err_code jailed_open(const struct jailed_how *how, struct jailed *out,
                                         struct err *err);
void jailed_close(struct jailed *jailed); /* of a zeroed one: a no-op */

/*
 * Has the work done for an order, 1 to 2^63. False: there is no answer. What is in one, and in the
 * shared memory behind it, may be anything, once hostile bytes have taken the process over.
 */
bool jailed_ask(struct jailed *jailed, uint64_t order, void *answer);

/*
 * Ends the process; the next order has a new one. A process may not be ended any more from a jail
 * that was entered after it began (landlock(7), scopes of signals).
 */
void jailed_rest(struct jailed *jailed);

/* Ends the process, which counts as a failure: what it has answered cannot be true. */
void jailed_distrust(struct jailed *jailed);

#endif
