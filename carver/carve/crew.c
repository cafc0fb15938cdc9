/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/crew.c - see crew.h. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "carver/carve/crew.h"

enum {
    CREW_EXTENTS_KEPT = 256, /* a task keeps room for so many from one object to the next */
    CREW_TEXTS = 6,          /* of an object */
};

/* One object in hand. */
struct crew_task {
    struct crew *crew;
    struct pool_job job;
    struct crew_done done;
    struct extract_object what;
    struct object_path path;
    char *text; /* of the object, with room for so many bytes: */
    size_t text_room;
    struct db_extent *extents; /* with room for so many: */
    uint32_t extents_room;
};

struct crew {
    struct pool *pool; /* NULL: one thread */
    _Atomic bool stop;
    pthread_mutex_t lock;      /* guards idle and failed */
    struct extract **idle;     /* those that no thread uses, */
    uint32_t idle_count;       /* so many */
    enum err_code failed;      /* ERR_OK, or what was the first to end the work, */
    struct err why;            /* and what it said */
    struct extract **extracts; /* all, one for each thread */
    uint32_t threads;
    struct crew_task *tasks; /* a ring */
    uint32_t task_count;
    uint64_t submitted, taken; /* objects */
    uint64_t extents;          /* of those that were submitted and not taken */
    struct crew_task *last;    /* taken, and the caller may still look at it; or NULL */
};

static struct extract *crew_borrow(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    assert(crew->idle_count > 0); /* no more jobs run at a time than there are threads */
    struct extract *extract = crew->idle[--crew->idle_count];
    pthread_mutex_unlock(&crew->lock);
    return extract;
}

static void crew_give_back(struct crew *crew, struct extract *extract)
{
    pthread_mutex_lock(&crew->lock);
    crew->idle[crew->idle_count++] = extract;
    pthread_mutex_unlock(&crew->lock);
}

bool crew_ends(enum err_code rc)
{
    return rc != ERR_OK && rc != ERR_INPUT && rc != ERR_FULL;
}

/* Nothing more is written, by no thread: the room that is left is that of the reports. */
static void crew_fail(struct crew *crew, enum err_code rc, const struct err *why)
{
    pthread_mutex_lock(&crew->lock);
    if (crew->failed == ERR_OK && !atomic_load(&crew->stop)) {
        crew->failed = rc;
        crew->why = *why;
    }
    pthread_mutex_unlock(&crew->lock);
    crew_stop(crew);
}

static void crew_run(void *arg)
{
    struct crew_task *task = arg;
    struct extract *extract = crew_borrow(task->crew);

    task->done.rc = extract_write(extract, &task->what, &task->done.result, &task->done.why);
    crew_give_back(task->crew, extract);
    if (crew_ends(task->done.rc))
        crew_fail(task->crew, task->done.rc, &task->done.why);
}

static enum err_code crew_make(struct crew *crew, struct outdir *dir, struct write_back *back,
                               struct err *err)
{
    enum err_code rc = ERR_OK;

    crew->idle = calloc(crew->threads, sizeof(struct extract *));
    crew->extracts = calloc(crew->threads, sizeof(struct extract *));
    crew->tasks = calloc(crew->task_count, sizeof *crew->tasks);
    if (crew->idle == NULL || crew->extracts == NULL || crew->tasks == NULL)
        return ERR_NO_MEMORY(err, crew->task_count * sizeof *crew->tasks);
    for (uint32_t i = 0; i < crew->task_count; i++) {
        crew->tasks[i].crew = crew;
        crew->tasks[i].job = (struct pool_job){ .run = crew_run, .arg = &crew->tasks[i] };
    }
    for (uint32_t i = 0; i < crew->threads && rc == ERR_OK; i++) {
        rc = extract_open(dir, crew->threads > 1, &crew->stop, back, &crew->extracts[i], err);
        if (rc == ERR_OK)
            crew->idle[crew->idle_count++] = crew->extracts[i];
    }
    return rc == ERR_OK && crew->threads > 1 ? pool_open(crew->threads, &crew->pool, err) : rc;
}

enum err_code crew_open(struct outdir *dir, uint32_t threads, struct write_back *back,
                        struct crew **out, struct err *err)
{
    struct crew *crew = calloc(1, sizeof *crew);

    *out = NULL;
    if (crew == NULL)
        return ERR_NO_MEMORY(err, sizeof *crew);
    crew->threads = threads;
    crew->task_count = threads > 1 ? threads + CREW_AHEAD : 1;
    pthread_mutex_init(&crew->lock, NULL);
    const enum err_code rc = crew_make(crew, dir, back, err);
    if (rc == ERR_OK)
        *out = crew;
    else
        crew_close(crew);
    return rc;
}

void crew_close(struct crew *crew)
{
    if (crew == NULL)
        return;
    crew_stop(crew);
    pool_close(crew->pool);
    for (uint32_t i = 0; crew->extracts != NULL && i < crew->threads; i++)
        extract_close(crew->extracts[i]);
    for (uint32_t i = 0; crew->tasks != NULL && i < crew->task_count; i++) {
        free(crew->tasks[i].text);
        free(crew->tasks[i].extents);
    }
    pthread_mutex_destroy(&crew->lock);
    free(crew->tasks);
    free(crew->extracts);
    free(crew->idle);
    free(crew);
}

bool crew_is_full(const struct crew *crew)
{
    return crew->submitted - crew->taken == crew->task_count ||
           (crew->submitted != crew->taken && crew->extents >= CREW_EXTENTS);
}

void crew_stop(struct crew *crew)
{
    atomic_store(&crew->stop, true);
}

/* The caller is done with the object that was taken last. */
static void crew_forget(struct crew *crew)
{
    struct crew_task *task = crew->last;

    if (task != NULL && task->extents_room > CREW_EXTENTS_KEPT) {
        free(task->extents);
        task->extents = NULL;
        task->extents_room = 0;
    }
    crew->last = NULL;
}

static enum err_code crew_copy_extents(struct crew_task *task, const struct db_object *object,
                                       struct err *err)
{
    if (object->extent_count > task->extents_room) {
        const size_t size = object->extent_count * sizeof *task->extents;
        struct db_extent *extents = realloc(task->extents, size);

        if (extents == NULL)
            return ERR_NO_MEMORY(err, size);
        task->extents = extents;
        task->extents_room = object->extent_count;
    }
    for (uint32_t i = 0; i < object->extent_count; i++)
        task->extents[i] = object->extents[i];
    task->done.object.extents = task->extents;
    return ERR_OK;
}

static enum err_code crew_copy_texts(struct crew_task *task, struct err *err)
{
    struct db_object *copy = &task->done.object;
    const char **const texts[CREW_TEXTS] = { &copy->type,   &copy->extension, &copy->state,
                                             &copy->reason, &copy->sha256,    &copy->name };
    size_t lens[CREW_TEXTS], size = 0;

    for (uint32_t i = 0; i < CREW_TEXTS; i++)
        size += lens[i] = *texts[i] != NULL ? strlen(*texts[i]) + 1 : 0;
    if (size > task->text_room) {
        char *text = realloc(task->text, size);

        if (text == NULL)
            return ERR_NO_MEMORY(err, size);
        task->text = text;
        task->text_room = size;
    }
    char *to = task->text;
    for (uint32_t i = 0; i < CREW_TEXTS; i++) {
        if (lens[i] > 0)
            *texts[i] = memcpy(to, *texts[i], lens[i]);
        to += lens[i];
    }
    return ERR_OK;
}

enum err_code crew_submit(struct crew *crew, const struct extract_object *what,
                          const struct db_object *object, struct err *err)
{
    struct crew_task *task = &crew->tasks[crew->submitted % crew->task_count];

    assert(!crew_is_full(crew));
    crew_forget(crew);
    task->done.object = *object;
    task->done.date = what->date;
    enum err_code rc = crew_copy_extents(task, object, err);
    if (rc == ERR_OK)
        rc = crew_copy_texts(task, err);
    if (rc != ERR_OK)
        return rc;
    task->path = *what->path;
    task->what = *what;
    task->what.path = &task->path;
    task->what.extents = task->done.object.extents;
    task->what.extent_count = object->extent_count;
    task->what.has_crc64 = object->has_crc64;
    task->what.crc64 = object->crc64;
    task->what.sha256 = task->done.object.sha256;
    task->done.why = (struct err){ 0 };
    crew->submitted++;
    crew->extents += object->extent_count;
    if (crew->pool != NULL)
        pool_submit(crew->pool, &task->job);
    return ERR_OK;
}

static void crew_wait(struct crew *crew)
{
    for (uint64_t i = crew->taken; crew->pool != NULL && i < crew->submitted; i++)
        pool_wait(crew->pool, &crew->tasks[i % crew->task_count].job);
}

void crew_give_up(struct crew *crew, enum err_code rc, const struct err *why)
{
    crew_fail(crew, rc, why);
    crew_wait(crew);
}

/*
 * The first object that ends the work need not be the first that failed: it may have been stopped
 * because of that one. When this returns, no thread writes any more.
 */
static void crew_take_failure(struct crew *crew, struct crew_done *done)
{
    crew_wait(crew);
    pthread_mutex_lock(&crew->lock);
    if (crew->failed != ERR_OK && done->rc == ERR_INTERRUPTED) {
        done->rc = crew->failed;
        done->why = crew->why;
    }
    pthread_mutex_unlock(&crew->lock);
}

const struct crew_done *crew_take(struct crew *crew)
{
    struct crew_task *task = &crew->tasks[crew->taken % crew->task_count];

    crew_forget(crew);
    if (crew->taken == crew->submitted)
        return NULL;
    if (crew->pool != NULL)
        pool_wait(crew->pool, &task->job);
    else
        crew_run(task);
    if (crew_ends(task->done.rc))
        crew_take_failure(crew, &task->done);
    crew->taken++;
    crew->extents -= task->done.object.extent_count;
    crew->last = task;
    return &task->done;
}
