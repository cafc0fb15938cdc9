/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/tasks.h - independent tasks, spread over threads.
 *
 * What a task gives depends on its number alone, so it does not matter which thread does it.
 */
#ifndef BURIN_CARVER_ASSEMBLE_TASKS_H
#define BURIN_CARVER_ASSEMBLE_TASKS_H

#include "carver/assemble/trial.h"

/* Does task number `number` with a trial that is the thread's own. An error ends all tasks. */
typedef enum err_code (*task_fn)(void *arg, size_t number, struct trial *trial, struct err *err);

struct tasks {
    struct io_image *image;
    const struct unread *unread;
    uint32_t threads; /* at least 1; with 1, the caller's thread does all */
    /* [threads], zeroed at first: each is opened when it is needed, and stays open, as the next
     * tasks mostly read the same places. The caller closes them. */
    struct trial *trials;
    task_fn run;
    void *arg;
    size_t first;       /* the number of the first task */
    bool (*stop)(void); /* true ends all tasks with ERR_INTERRUPTED */
};

/*
 * Does tasks first .. first + count - 1. *work grows by the work of all: see trial.h. Errors: that
 * of the task that failed; ERR_ENV; ERR_INTERRUPTED.
 */
ERR_MUST_CHECK enum err_code tasks_run(const struct tasks *tasks, size_t count, uint64_t *work,
                                       struct err *err);

#endif
