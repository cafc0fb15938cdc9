/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_crew.c - see known_crew.h. */
#include "carver/known/known_crew.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "carver/cli/interrupt.h"
#include "carver/hashset/known_hash.h"

enum {
    CREW_TASKS = 256,
    CREW_BUFFER = 1 << 20, /* bytes read at a time */
    CREW_THREADS = 16,     /* threads that hash, each with such a buffer */
};

struct crew_worker {
    struct known_crew *crew;
    struct known_hasher hasher;
    uint8_t *buffer;
    struct pool_job job;
};

struct known_crew {
    struct known_crew_options options;
    struct pool *pool;
    struct crew_worker workers[CREW_THREADS];
    struct known_task tasks[CREW_TASKS];
    uint32_t task_count;
    _Atomic uint32_t next;
};

/* Bytes that cannot be read were recorded by the scan already, and are zeros here too. */
static void crew_note_bad(void *arg, const struct io_bad_range *range)
{
    struct known_task *task = arg;

    (void)range;
    task->bad = true;
}

static enum err_code crew_extent(struct crew_worker *worker, struct known_task *task,
                                 const struct db_extent *extent, struct err *err)
{
    const struct known_crew_options *options = &worker->crew->options;
    enum err_code rc = ERR_OK;

    for (uint64_t at = 0; rc == ERR_OK && at < extent->len; at += CREW_BUFFER) {
        const uint64_t left = extent->len - at;
        const size_t len = left < CREW_BUFFER ? (size_t)left : CREW_BUFFER;

        if (interrupt_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request; %s", options->stopped);
        rc = io_salvage_read(options->image, extent->offset + at, worker->buffer, len,
                             crew_note_bad, task, err);
        if (rc == ERR_OK)
            rc = known_hasher_add(&worker->hasher, worker->buffer, len, err);
    }
    return rc;
}

static void crew_work(void *arg)
{
    struct crew_worker *worker = arg;
    struct known_crew *crew = worker->crew;

    for (uint32_t i = crew->next++; i < crew->task_count; i = crew->next++) {
        struct known_task *task = &crew->tasks[i];

        if (task->had)
            continue;
        task->rc = known_hasher_begin(&worker->hasher, &task->err);
        for (uint32_t e = 0; task->rc == ERR_OK && e < task->extent_count; e++)
            task->rc = crew_extent(worker, task, &task->extents[e], &task->err);
        if (task->rc == ERR_OK)
            task->rc = known_hasher_end(&worker->hasher, task->digests, &task->err);
    }
}

enum err_code known_crew_open(const struct known_crew_options *options, struct known_crew **out,
                              struct err *err)
{
    struct known_crew *crew = calloc(1, sizeof *crew);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (crew == NULL)
        return ERR_NO_MEMORY(err, sizeof *crew);
    crew->options = *options;
    if (crew->options.threads > CREW_THREADS)
        crew->options.threads = CREW_THREADS;
    for (uint32_t i = 0; rc == ERR_OK && i < crew->options.threads; i++) {
        struct crew_worker *worker = &crew->workers[i];

        *worker = (struct crew_worker){ .crew = crew, .job = { .run = crew_work, .arg = worker } };
        worker->buffer = aligned_alloc(4096, CREW_BUFFER);
        rc = worker->buffer != NULL ? known_hasher_init(&worker->hasher, options->kinds, err)
                                    : ERR_NO_MEMORY(err, CREW_BUFFER);
    }
    if (rc == ERR_OK && crew->options.threads > 1)
        rc = pool_open(crew->options.threads - 1, &crew->pool, err);
    if (rc == ERR_OK)
        *out = crew;
    else
        known_crew_close(crew);
    return rc;
}

void known_crew_close(struct known_crew *crew)
{
    if (crew == NULL)
        return;
    pool_close(crew->pool);
    for (uint32_t i = 0; i < crew->options.threads; i++) {
        known_hasher_release(&crew->workers[i].hasher);
        free(crew->workers[i].buffer);
    }
    known_crew_clear(crew);
    free(crew);
}

bool known_crew_full(const struct known_crew *crew)
{
    return crew->task_count == CREW_TASKS;
}

enum err_code known_crew_add(struct known_crew *crew, int64_t id, const struct db_extent *extents,
                             uint32_t count, struct known_task **out, struct err *err)
{
    struct known_task *task = &crew->tasks[crew->task_count];

    assert(!known_crew_full(crew));
    *task = (struct known_task){ .id = id, .extent_count = count };
    task->extents = malloc((count + 1u) * sizeof *extents);
    if (task->extents == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *extents);
    memcpy(task->extents, extents, count * sizeof *extents);
    crew->task_count++;
    *out = task;
    return ERR_OK;
}

enum err_code known_crew_run(struct known_crew *crew, struct err *err)
{
    crew->next = 0;
    for (uint32_t i = 1; i < crew->options.threads; i++)
        pool_submit(crew->pool, &crew->workers[i].job);
    crew_work(&crew->workers[0]);
    for (uint32_t i = 1; i < crew->options.threads; i++)
        pool_wait(crew->pool, &crew->workers[i].job);
    for (uint32_t i = 0; i < crew->task_count; i++)
        if (crew->tasks[i].rc != ERR_OK)
            return ERR_RAISE(err, crew->tasks[i].rc, "%s", crew->tasks[i].err.text);
    return ERR_OK;
}

struct known_task *known_crew_tasks(struct known_crew *crew, uint32_t *count)
{
    *count = crew->task_count;
    return crew->tasks;
}

void known_crew_clear(struct known_crew *crew)
{
    for (uint32_t i = 0; i < crew->task_count; i++)
        free(crew->tasks[i].extents);
    crew->task_count = 0;
}
