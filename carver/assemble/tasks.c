/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/tasks.c - see tasks.h. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/share.h"
#include "carver/assemble/tasks.h"

struct tasks_worker {
    uint64_t work;
    enum err_code rc;
    struct err err;
};

struct tasks_all {
    const struct tasks *tasks;
    struct tasks_worker *workers; /* [threads] */
    _Atomic bool ended;
};

static void tasks_one(void *arg, size_t number, uint32_t thread)
{
    struct tasks_all *all = arg;
    const struct tasks *tasks = all->tasks;
    struct tasks_worker *worker = &all->workers[thread];
    struct trial *trial = &tasks->trials[thread];
    const uint64_t before = trial->work;

    if (atomic_load(&all->ended))
        return;
    if (trial->state == NULL)
        worker->rc = trial_open(tasks->image, tasks->unread, tasks->threads, trial, &worker->err);
    if (worker->rc == ERR_OK && tasks->stop != NULL && tasks->stop())
        worker->rc =
            ERR_RAISE(&worker->err, ERR_INTERRUPTED, "interrupted while files were assembled");
    if (worker->rc == ERR_OK)
        worker->rc = tasks->run(tasks->arg, tasks->first + number, trial, &worker->err);
    if (worker->rc != ERR_OK)
        atomic_store(&all->ended, true);
    worker->work += trial->work - before;
}

enum err_code tasks_run(const struct tasks *tasks, size_t count, uint64_t *work, struct err *err)
{
    struct tasks_worker *workers = calloc(tasks->threads, sizeof *workers);
    struct tasks_all all = { .tasks = tasks, .workers = workers };
    enum err_code rc = ERR_OK;

    if (workers == NULL)
        return ERR_NO_MEMORY(err, tasks->threads * sizeof *workers);
    share_out("assemble", count, tasks->threads, tasks_one, &all);
    for (uint32_t i = 0; i < tasks->threads; i++) {
        *work += workers[i].work;
        if (rc == ERR_OK && workers[i].rc != ERR_OK) {
            rc = workers[i].rc;
            *err = workers[i].err;
        }
    }
    free(workers);
    return rc;
}
