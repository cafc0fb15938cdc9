/* carver/carve/crew.c - see crew.h. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/pool.h"
#include "carver/carve/crew.h"

enum {
    CREW_AHEAD = 8,            /* objects that wait for a thread, besides one for each thread */
    CREW_TEXT_MAX = 32 * 1024, /* the texts of one object */
};

/* One object in hand. */
struct crew_task {
    struct crew *crew;
    struct pool_job job;
    struct crew_done done;
    struct extract_object what;
    struct object_path path;
    struct arena text;
    struct db_extent *extents; /* with room for so many: */
    uint32_t extents_room;
};

struct crew {
    struct pool *pool; /* NULL: one thread */
    _Atomic bool stop;
    pthread_mutex_t lock;      /* guards idle */
    struct extract **idle;     /* those that no thread uses, */
    uint32_t idle_count;       /* so many */
    struct extract **extracts; /* all, one for each thread */
    uint32_t threads;
    struct crew_task *tasks; /* a ring */
    uint32_t task_count;
    uint64_t submitted, taken; /* objects */
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

static void crew_run(void *arg)
{
    struct crew_task *task = arg;
    struct extract *extract = crew_borrow(task->crew);

    task->done.rc = extract_write(extract, &task->what, &task->done.result, &task->done.why);
    crew_give_back(task->crew, extract);
}

static enum err_code crew_make(struct crew *crew, struct outdir *dir, struct err *err)
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
        arena_init(&crew->tasks[i].text, CREW_TEXT_MAX);
    }
    for (uint32_t i = 0; i < crew->threads && rc == ERR_OK; i++) {
        rc = extract_open(dir, crew->threads > 1, &crew->stop, &crew->extracts[i], err);
        if (rc == ERR_OK)
            crew->idle[crew->idle_count++] = crew->extracts[i];
    }
    return rc == ERR_OK && crew->threads > 1 ? pool_open(crew->threads, &crew->pool, err) : rc;
}

enum err_code crew_open(struct outdir *dir, uint32_t threads, struct crew **out, struct err *err)
{
    struct crew *crew = calloc(1, sizeof *crew);

    *out = NULL;
    if (crew == NULL)
        return ERR_NO_MEMORY(err, sizeof *crew);
    crew->threads = threads;
    crew->task_count = threads > 1 ? 2 * threads + CREW_AHEAD : 1;
    pthread_mutex_init(&crew->lock, NULL);
    const enum err_code rc = crew_make(crew, dir, err);
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
        arena_release(&crew->tasks[i].text);
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
    return crew->submitted - crew->taken == crew->task_count;
}

void crew_stop(struct crew *crew)
{
    atomic_store(&crew->stop, true);
}

static const char *crew_keep(struct crew_task *task, const char *text, enum err_code *rc,
                             struct err *err)
{
    const char *copy = text != NULL ? arena_copy(&task->text, text, strlen(text)) : NULL;

    if (text != NULL && copy == NULL && *rc == ERR_OK)
        *rc = ERR_NO_MEMORY(err, strlen(text));
    return copy;
}

static enum err_code crew_copy(struct crew_task *task, const struct db_object *object,
                               struct err *err)
{
    struct db_object *copy = &task->done.object;
    enum err_code rc = ERR_OK;

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
    arena_clear(&task->text);
    *copy = *object;
    copy->extents = task->extents;
    copy->type = crew_keep(task, object->type, &rc, err);
    copy->extension = crew_keep(task, object->extension, &rc, err);
    copy->state = crew_keep(task, object->state, &rc, err);
    copy->reason = crew_keep(task, object->reason, &rc, err);
    copy->sha256 = crew_keep(task, object->sha256, &rc, err);
    copy->name = crew_keep(task, object->name, &rc, err);
    return rc;
}

enum err_code crew_submit(struct crew *crew, const struct extract_object *what,
                          const struct db_object *object, struct err *err)
{
    struct crew_task *task = &crew->tasks[crew->submitted % crew->task_count];

    assert(!crew_is_full(crew));
    const enum err_code rc = crew_copy(task, object, err);
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
    if (crew->pool != NULL)
        pool_submit(crew->pool, &task->job);
    return ERR_OK;
}

const struct crew_done *crew_take(struct crew *crew)
{
    struct crew_task *task = &crew->tasks[crew->taken % crew->task_count];

    if (crew->taken == crew->submitted)
        return NULL;
    if (crew->pool != NULL)
        pool_wait(crew->pool, &task->job);
    else
        crew_run(task);
    crew->taken++;
    return &task->done;
}
