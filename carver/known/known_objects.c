/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_objects.c - see known_objects.h. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "carver/cli/interrupt.h"
#include "carver/hashset/known_hash.h"
#include "carver/known/known_objects.h"

enum {
    KNOWN_OBJECTS_BATCH = 256,
    KNOWN_OBJECT_BUFFER = 1 << 20, /* bytes read at a time */
    KNOWN_OBJECT_THREADS = 16,     /* threads that hash, each with such a buffer */
};

struct objects_task {
    int64_t id;
    struct db_extent *extents;
    uint32_t extent_count;
    uint64_t len;
    enum err_code rc;
    struct err err;
    uint8_t digests[DIGEST_KINDS][DIGEST_MAX];
};

struct hash_crew;

struct hash_worker {
    struct hash_crew *crew;
    struct known_hasher hasher;
    uint8_t *buffer;
    struct pool_job job;
};

struct hash_crew {
    const struct known_scan *scan;
    const struct known_objects_options *options;
    struct known_totals *totals;
    struct db_case *db;
    uint32_t kinds; /* of hashes that the sets have */
    uint32_t threads;
    struct pool *pool;
    struct hash_worker workers[KNOWN_OBJECT_THREADS];
    struct objects_task tasks[KNOWN_OBJECTS_BATCH];
    uint32_t task_count;
    _Atomic uint32_t next;
    uint64_t bytes, budget, done;
};

/* Bytes that cannot be read were recorded by the scan already, and are zeros here too. */
static void hash_ignore_bad(void *arg, const struct io_bad_range *range)
{
    (void)arg;
    (void)range;
}

static enum err_code hash_extent(struct hash_worker *worker, const struct db_extent *extent,
                                 struct err *err)
{
    struct io_image *image = worker->crew->options->image;
    enum err_code rc = ERR_OK;

    for (uint64_t at = 0; rc == ERR_OK && at < extent->len; at += KNOWN_OBJECT_BUFFER) {
        const uint64_t left = extent->len - at;
        const size_t len = left < KNOWN_OBJECT_BUFFER ? (size_t)left : KNOWN_OBJECT_BUFFER;

        if (interrupt_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED,
                             "stopped on request; what was found so far is in the case file");
        rc = io_salvage_read(image, extent->offset + at, worker->buffer, len, hash_ignore_bad, NULL,
                             err);
        if (rc == ERR_OK)
            rc = known_hasher_add(&worker->hasher, worker->buffer, len, err);
    }
    return rc;
}

static void hash_work(void *arg)
{
    struct hash_worker *worker = arg;
    struct hash_crew *crew = worker->crew;

    for (uint32_t i = crew->next++; i < crew->task_count; i = crew->next++) {
        struct objects_task *task = &crew->tasks[i];

        task->rc = known_hasher_begin(&worker->hasher, &task->err);
        for (uint32_t e = 0; task->rc == ERR_OK && e < task->extent_count; e++)
            task->rc = hash_extent(worker, &task->extents[e], &task->err);
        if (task->rc == ERR_OK)
            task->rc = known_hasher_end(&worker->hasher, task->digests, &task->err);
    }
}

static enum db_known hash_verdict(enum known_verdict verdict)
{
    return verdict == KNOWN_BAD    ? DB_KNOWN_BAD
           : verdict == KNOWN_GOOD ? DB_KNOWN_GOOD
                                   : DB_KNOWN_LISTED;
}

/* Writes what the sets say about one object. */
static enum err_code hash_settle(struct hash_crew *crew, const struct objects_task *task,
                                 struct err *err)
{
    enum db_known known = DB_KNOWN_UNKNOWN;
    char hex[2 * DIGEST_MAX + 1] = "";
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < crew->scan->count; i++) {
        const struct known_set *set = &crew->scan->sets[i];
        const uint8_t *digest = task->digests[set->about.hash];
        struct known_found found;

        if (set->about.block_len != 0 || !known_set_find(set, digest, &found))
            continue;
        known_hex(digest, set->digest_len, hex);
        rc = db_known_object_add(crew->db, task->id, crew->scan->ids[i], hex, found.name, err);
        if (hash_verdict(set->about.verdict) > known)
            known = hash_verdict(set->about.verdict);
    }
    uint64_t *const counts[] = { NULL, &crew->totals->unknown, &crew->totals->listed,
                                 &crew->totals->good, &crew->totals->bad };
    const bool sha256 = (crew->kinds >> DIGEST_SHA256 & 1) != 0;
    if (sha256)
        known_hex(task->digests[DIGEST_SHA256], KNOWN_SHA256, hex);
    if (rc == ERR_OK && !known_scan_wants(crew->scan, false))
        return db_object_set_sha256(crew->db, task->id, hex, err);
    ++*counts[known];
    return rc == ERR_OK ? db_object_set_known(crew->db, task->id, known, sha256 ? hex : NULL, err)
                        : rc;
}

/* Hashes the objects that were gathered, and writes down what is known of them. */
static enum err_code hash_flush(struct hash_crew *crew, struct err *err)
{
    enum err_code rc = ERR_OK;

    crew->next = 0;
    for (uint32_t i = 1; i < crew->threads; i++)
        pool_submit(crew->pool, &crew->workers[i].job);
    hash_work(&crew->workers[0]);
    for (uint32_t i = 1; i < crew->threads; i++)
        pool_wait(crew->pool, &crew->workers[i].job);
    for (uint32_t i = 0; i < crew->task_count; i++) {
        struct objects_task *task = &crew->tasks[i];

        if (rc == ERR_OK && task->rc != ERR_OK)
            rc = ERR_RAISE(err, task->rc, "%s", task->err.text);
        if (rc == ERR_OK)
            rc = hash_settle(crew, task, err);
        crew->done++;
        free(task->extents);
    }
    crew->task_count = 0;
    crew->options->tick(crew->options->tick_arg, crew->bytes, crew->done);
    return rc;
}

static enum err_code hash_take(struct hash_crew *crew, const struct db_object *object,
                               struct err *err)
{
    struct objects_task *task = &crew->tasks[crew->task_count];

    if (object->len > crew->budget - crew->bytes) {
        crew->totals->skipped++;
        return ERR_OK;
    }
    *task = (struct objects_task){ .id = object->id,
                                   .extent_count = object->extent_count,
                                   .len = object->len };
    task->extents = malloc(object->extent_count * sizeof *task->extents);
    if (task->extents == NULL)
        return ERR_NO_MEMORY(err, object->extent_count * sizeof *task->extents);
    memcpy(task->extents, object->extents, object->extent_count * sizeof *task->extents);
    crew->bytes += object->len;
    crew->task_count++;
    return crew->task_count == KNOWN_OBJECTS_BATCH ? hash_flush(crew, err) : ERR_OK;
}

static enum err_code hash_crew_open(struct hash_crew *crew, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < crew->threads; i++) {
        struct hash_worker *worker = &crew->workers[i];

        *worker = (struct hash_worker){ .crew = crew, .job = { .run = hash_work, .arg = worker } };
        worker->buffer = aligned_alloc(4096, KNOWN_OBJECT_BUFFER);
        rc = worker->buffer != NULL ? known_hasher_init(&worker->hasher, crew->kinds, err)
                                    : ERR_NO_MEMORY(err, KNOWN_OBJECT_BUFFER);
    }
    if (rc == ERR_OK && crew->threads > 1)
        rc = pool_open(crew->threads - 1, &crew->pool, err);
    return rc;
}

static void hash_crew_close(struct hash_crew *crew)
{
    pool_close(crew->pool);
    for (uint32_t i = 0; i < crew->threads; i++) {
        known_hasher_release(&crew->workers[i].hasher);
        free(crew->workers[i].buffer);
    }
    for (uint32_t i = 0; i < crew->task_count; i++)
        free(crew->tasks[i].extents);
    free(crew);
}

enum err_code known_objects_look_up(const struct known_scan *scan, struct db_case *db,
                                    const struct known_objects_options *options,
                                    struct known_totals *totals, struct err *err)
{
    const uint64_t size = io_image_size(options->image);
    struct hash_crew *crew = calloc(1, sizeof *crew);
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    bool found = true;

    if (crew == NULL)
        return ERR_NO_MEMORY(err, sizeof *crew);
    crew->scan = scan;
    crew->options = options;
    crew->totals = totals;
    crew->db = db;
    crew->threads =
        options->threads < KNOWN_OBJECT_THREADS ? options->threads : KNOWN_OBJECT_THREADS;
    crew->budget = size < UINT64_MAX / KNOWN_READ_SHARE ? size * KNOWN_READ_SHARE : UINT64_MAX;
    for (uint32_t i = 0; i < scan->count; i++)
        if (scan->sets[i].about.block_len == 0)
            crew->kinds |= 1u << scan->sets[i].about.hash;
    if (options->sha256)
        crew->kinds |= 1u << DIGEST_SHA256;
    enum err_code rc = hash_crew_open(crew, err);
    if (rc == ERR_OK)
        rc = db_objects_open(db, options->image_id, &cursor, err);
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK && found)
        rc = interrupt_requested()
                 ? ERR_RAISE(err, ERR_INTERRUPTED,
                             "stopped on request; what was found so far is in the case file")
                 : hash_take(crew, &object, err);
    if (rc == ERR_OK)
        rc = hash_flush(crew, err);
    db_objects_close(cursor);
    hash_crew_close(crew);
    return rc;
}
