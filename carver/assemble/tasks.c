/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/tasks.c - see tasks.h. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread.h"
#include "carver/assemble/tasks.h"

struct tasks_all {
    const struct tasks *tasks;
    size_t count;
    _Atomic size_t next;
    _Atomic bool ended;
};

struct tasks_worker {
    struct tasks_all *all;
    struct thread thread;
    struct trial *trial;
    uint64_t work;
    enum err_code rc;
    struct err err;
};

static void tasks_work(void *arg)
{
    struct tasks_worker *worker = arg;
    struct tasks_all *all = worker->all;
    const struct tasks *tasks = all->tasks;
    struct trial *trial = worker->trial;
    const uint64_t before = trial->work;

    if (trial->state == NULL)
        worker->rc = trial_open(tasks->image, tasks->unread, tasks->threads, trial, &worker->err);
    while (worker->rc == ERR_OK && !atomic_load(&all->ended)) {
        const size_t number = atomic_fetch_add(&all->next, 1);

        if (number >= all->count)
            break;
        if (tasks->stop != NULL && tasks->stop())
            worker->rc =
                ERR_RAISE(&worker->err, ERR_INTERRUPTED, "interrupted while files were assembled");
        else
            worker->rc = tasks->run(tasks->arg, number, trial, &worker->err);
    }
    if (worker->rc != ERR_OK)
        atomic_store(&all->ended, true);
    worker->work = trial->work - before;
}

enum err_code tasks_run(const struct tasks *tasks, size_t count, uint64_t *work, struct err *err)
{
    struct tasks_all all = { .tasks = tasks, .count = count };
    const uint32_t threads = count < tasks->threads ? (uint32_t)count : tasks->threads;
    struct tasks_worker *workers = calloc(threads + 1u, sizeof *workers);
    enum err_code rc = ERR_OK;

    if (workers == NULL)
        return ERR_NO_MEMORY(err, threads * sizeof *workers);
    for (uint32_t i = 0; i < threads; i++)
        workers[i] = (struct tasks_worker){ .all = &all, .trial = &tasks->trials[i] };
    for (uint32_t i = 1; rc == ERR_OK && i < threads; i++)
        rc = thread_start(&workers[i].thread, "assemble", tasks_work, &workers[i], err);
    if (rc != ERR_OK)
        atomic_store(&all.ended, true);
    else if (threads > 0)
        tasks_work(&workers[0]);
    for (uint32_t i = 0; i < threads; i++) {
        thread_join(&workers[i].thread);
        *work += workers[i].work;
        if (rc == ERR_OK && workers[i].rc != ERR_OK) {
            rc = workers[i].rc;
            *err = workers[i].err;
        }
    }
    free(workers);
    return rc;
}
