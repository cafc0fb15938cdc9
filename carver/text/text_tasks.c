/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_tasks.c - see text_tasks.h. */
#include "carver/text/text_tasks.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/pool.h"
#include "carver/text/text_cut.h"
#include "carver/text/text_walk.h"

enum {
    TASKS_STEP = 1 << 20, /* bytes of the image from one cut to the next, at least, */
    TASKS_STEPS = 4096,   /* and about so many steps at most: each costs some microseconds */
    TASKS_EACH = 8,       /* tasks under way for each thread: the oldest may take long */
};

#define TASKS_UNKNOWN (TEXT_CUT_NONE - 1) /* a cut that nobody has looked for */

struct tasks_all {
    const struct text_image *job;
    uint64_t step, steps;
    _Atomic uint64_t *cuts; /* [steps]: the cut of each step; whoever needs it first looks for it */
    atomic_bool ended;      /* one has failed: nobody needs the others any more */
};

/* What lies between two cuts. */
struct text_task {
    struct tasks_all *all;
    struct pool_job job;
    struct text_walk walk;
    uint64_t number; /* of the step that it begins in */
    bool begun;      /* the next four are set */
    uint64_t to;     /* image offset of its end */
    uint32_t range;  /* of the job's, that it is in, */
    uint64_t at;     /* at this image offset */
    uint64_t bytes;  /* of ranges that are done */
    bool more;       /* it has to be run again, when its rows were taken */
    enum err_code rc;
    struct err err;
};

static uint64_t task_cut(struct text_task *task, uint64_t step)
{
    struct tasks_all *all = task->all;
    uint64_t cut = step > 0 ? atomic_load(&all->cuts[step]) : 0;

    if (cut == TASKS_UNKNOWN) {
        const uint64_t found = text_cut(&task->walk, step * all->step, (step + 1) * all->step);

        if (atomic_compare_exchange_strong(&all->cuts[step], &cut, found))
            cut = found;
    }
    return cut;
}

static bool task_range_ends(const void *item, uint64_t at)
{
    const struct io_range *range = item;

    return range->offset + range->len <= at;
}

/* Where there is no cut, the task of the step before goes on, and this one has nothing. */
static void task_begin(struct text_task *task)
{
    const struct text_image *job = task->all->job;
    const uint64_t from = task_cut(task, task->number);

    task->begun = true;
    task->bytes = 0;
    task->to = from == TEXT_CUT_NONE ? 0 : TEXT_CUT_NONE;
    for (uint64_t step = task->number + 1; task->to == TEXT_CUT_NONE && step < task->all->steps;
         step++)
        task->to = task_cut(task, step);
    task->range =
        (uint32_t)bisect(job->ranges, job->range_count, sizeof *job->ranges, task_range_ends, from);
    task->at = from;
}

static bool task_is_done(const struct text_task *task)
{
    const struct text_image *job = task->all->job;

    return task->range == job->range_count || job->ranges[task->range].offset >= task->to;
}

/* The texts of the task's next range, or as many of them as there is room for. */
static enum err_code task_range(struct text_task *task, struct err *err)
{
    const struct io_range *range = &task->all->job->ranges[task->range];
    const uint64_t end = range->offset + range->len, to = end < task->to ? end : task->to;
    const uint64_t from = task->at > range->offset ? task->at : range->offset;

    task->at = from;
    const enum err_code rc = text_walk_on(&task->walk, &task->at, to, err);
    if (rc != ERR_OK || task->walk.count == TEXT_WALK_ROWS) {
        task->bytes += (task->at < to ? task->at : to) - from;
        return rc;
    }
    task->bytes += from < to ? to - from : 0;
    task->at = to;
    task->range++;
    return ERR_OK;
}

static void task_run(void *arg)
{
    struct text_task *task = arg;
    const struct text_image *job = task->all->job;

    task->more = false;
    task->rc = ERR_OK;
    if (atomic_load(&task->all->ended))
        return;
    if (job->stop != NULL && job->stop())
        task->rc = ERR_RAISE(&task->err, ERR_INTERRUPTED, "interrupted");
    if (task->rc == ERR_OK && !task->begun) {
        task_begin(task);
        task->rc = lookback_view_error(&task->walk.view, &task->err);
    }
    while (task->rc == ERR_OK && task->walk.count < TEXT_WALK_ROWS && !task_is_done(task))
        task->rc = task_range(task, &task->err);
    task->more = task->rc == ERR_OK && !task_is_done(task);
}

struct tasks_crew {
    struct tasks_all all;
    struct pool *pool;
    struct text_task *tasks; /* [count]: a ring */
    uint64_t count;
    uint64_t bytes; /* of ranges that are done */
};

static enum err_code crew_open(struct tasks_crew *crew, const struct text_image *job,
                               const struct occupied *occupied, struct err *err)
{
    struct tasks_all *all = &crew->all;
    const uint64_t step = job->end / TASKS_STEPS;
    enum err_code rc = ERR_OK;

    all->job = job;
    all->step = step > TASKS_STEP ? step : TASKS_STEP;
    all->steps = job->end / all->step + 1;
    const uint64_t most = (uint64_t)job->threads * TASKS_EACH;
    const uint64_t count = all->steps < most ? all->steps : most;
    all->cuts = malloc(all->steps * sizeof *all->cuts);
    crew->tasks = calloc(count, sizeof *crew->tasks);
    if (all->cuts == NULL || crew->tasks == NULL)
        return ERR_NO_MEMORY(err, all->steps * sizeof *all->cuts + count * sizeof *crew->tasks);
    for (uint64_t i = 0; i < all->steps; i++)
        atomic_init(&all->cuts[i], TASKS_UNKNOWN);
    for (; rc == ERR_OK && crew->count < count; crew->count++) {
        struct text_task *task = &crew->tasks[crew->count];

        task->all = all;
        task->job = (struct pool_job){ .run = task_run, .arg = task };
        rc = text_walk_open(job, occupied, &task->walk, err);
    }
    return rc == ERR_OK ? pool_open(job->threads, &crew->pool, err) : rc;
}

static void crew_close(struct tasks_crew *crew, uint64_t *reread)
{
    atomic_store(&crew->all.ended, true);
    pool_close(crew->pool);
    *reread = 0;
    for (uint64_t i = 0; i < crew->count; i++) {
        *reread += crew->tasks[i].walk.view.reread;
        text_walk_close(&crew->tasks[i].walk);
    }
    free(crew->tasks);
    free(crew->all.cuts);
}

/* Begins the task of the step, if there is one, in the place of one that is done. */
static void crew_begin(const struct tasks_crew *crew, struct text_task *task, uint64_t step)
{
    if (step >= crew->all.steps)
        return;
    task->number = step;
    task->begun = false;
    pool_submit(crew->pool, &task->job);
}

/* Waits for the task, and takes what it has found. */
static enum err_code crew_take(struct tasks_crew *crew, struct text_task *task,
                               struct text_rows *rows, struct err *err)
{
    const struct text_image *job = crew->all.job;
    enum err_code rc;

    pool_wait(crew->pool, &task->job);
    rc = task->rc;
    if (rc != ERR_OK && err != NULL)
        *err = task->err;
    for (size_t i = 0; rc == ERR_OK && i < task->walk.count; i++)
        rc = text_rows_add(rows, &task->walk.rows[i], err);
    task->walk.count = 0;
    crew->bytes += task->bytes;
    task->bytes = 0;
    if (rc == ERR_OK && job->tick != NULL)
        job->tick(job->tick_arg, crew->bytes, rows->found);
    return rc;
}

enum err_code text_tasks_run(const struct text_image *job, const struct occupied *occupied,
                             struct text_rows *rows, uint64_t *reread, struct err *err)
{
    struct tasks_crew crew = { 0 };
    enum err_code rc = crew_open(&crew, job, occupied, err);
    uint32_t turn = 0; /* of the tasks, which take turns */

    for (uint64_t step = 0; rc == ERR_OK && step < crew.count; step++)
        crew_begin(&crew, &crew.tasks[step], step);
    for (uint64_t step = 0; rc == ERR_OK && step < crew.all.steps; step++) {
        struct text_task *task = &crew.tasks[turn];

        turn = turn + 1 == crew.count ? 0 : turn + 1;
        rc = crew_take(&crew, task, rows, err);
        while (rc == ERR_OK && task->more) {
            pool_submit(crew.pool, &task->job);
            rc = crew_take(&crew, task, rows, err);
        }
        if (rc == ERR_OK)
            crew_begin(&crew, task, step + crew.count);
    }
    crew_close(&crew, reread);
    return rc;
}
