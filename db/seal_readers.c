/* SPDX-License-Identifier: Apache-2.0
 * db/seal_readers.c - see seal_readers.h. */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "base/thread.h"
#include "db/files.h"
#include "db/seal_readers.h"

enum { SEAL_BUFFERS = 2 };

struct seal_buffer {
    uint8_t *bytes; /* [SEAL_BUFFER] */
    size_t len;
    uint64_t rows;
    bool full; /* to be taken */
    bool ends; /* its range */
};

struct seal_reader {
    struct db_seal_readers *all;
    uint32_t number;
    struct thread thread;
    struct db_case *db; /* of the thread, until it has ended */
    struct seal_rows rows;
    pthread_mutex_t lock;   /* of what follows */
    pthread_cond_t changed; /* a buffer was filled, or taken; or the end has come */
    struct seal_buffer buffers[SEAL_BUFFERS];
    uint32_t fill; /* the buffer that is filled */
    bool stop;
    enum err_code rc; /* what ended it */
    struct err err;
};

struct db_seal_readers {
    char path[PATH_MAX];
    int64_t last_id;
    bool sparse;
    const struct db_seal_ahead *ahead;
    uint32_t count;
    struct seal_range range;            /* that is taken, */
    uint32_t reader;                    /* from this one, */
    uint32_t buffers[SEAL_READERS_MAX]; /* and from this buffer of each */
    struct seal_buffer *taken;          /* given out; NULL: none */
    bool done;
    struct thread fold;
    pthread_mutex_t opening; /* of the file, by one thread at a time */
    pthread_mutex_t lock;    /* of what follows */
    pthread_cond_t changed;
    bool begun, ended; /* what they wait for when they have opened the file */
    struct seal_reader readers[SEAL_READERS_MAX];
};

/*
 * Opens the file, in the thread that uses it. SQLite parses its schema then, in some 3,000 pieces
 * of memory, each under one lock of the process: 16 readers at once spent more time at that lock
 * than reading.
 */
static enum err_code readers_open(struct db_seal_readers *all, enum db_access access,
                                  struct db_case **db, struct err *err)
{
    pthread_mutex_lock(&all->opening);
    enum err_code rc = db_handle_open(all->path, access, db, err);

    if (rc == ERR_OK)
        rc = db_config(*db, err);
    if (rc == ERR_OK)
        rc = db_keep_little(*db, err);
    pthread_mutex_unlock(&all->opening);
    return rc;
}

static void readers_close(struct db_seal_readers *all, struct db_case *db)
{
    pthread_mutex_lock(&all->opening);
    db_case_close(db);
    pthread_mutex_unlock(&all->opening);
}

/* Waits until it is known whether there is something to read. */
static bool readers_wait(struct db_seal_readers *all)
{
    pthread_mutex_lock(&all->lock);
    while (!all->begun && !all->ended)
        pthread_cond_wait(&all->changed, &all->lock);
    const bool begun = all->begun;
    pthread_mutex_unlock(&all->lock);
    return begun;
}

/* Folds the -wal file into the case file meanwhile, by a connection of its own: what was written so
 * far, and then the rest. Where that fails it is done when the case is closed. */
static void readers_fold(void *arg)
{
    struct db_seal_readers *all = arg;
    struct db_case *db = NULL;
    const enum err_code rc = readers_open(all, DB_ACCESS_WRITE, &db, NULL);

    if (rc == ERR_OK)
        db_checkpoint(db);
    if (readers_wait(all) && rc == ERR_OK)
        db_checkpoint(db);
    readers_close(all, db);
}

/* The buffer is to be taken; another one is free then. */
static enum err_code reader_put(struct seal_reader *reader, bool ends, struct err *err)
{
    struct seal_buffer *buffer = &reader->buffers[reader->fill];

    pthread_mutex_lock(&reader->lock);
    buffer->len = reader->rows.len;
    buffer->rows = reader->rows.rows;
    buffer->ends = ends;
    buffer->full = true;
    reader->fill = (reader->fill + 1) % SEAL_BUFFERS;
    buffer = &reader->buffers[reader->fill];
    pthread_cond_broadcast(&reader->changed);
    while (buffer->full && !reader->stop)
        pthread_cond_wait(&reader->changed, &reader->lock);
    const bool stop = reader->stop;
    pthread_mutex_unlock(&reader->lock);
    reader->rows.bytes = buffer->bytes;
    return stop ? ERR_RAISE(err, ERR_INTERRUPTED, "the reading of all rows was ended") : ERR_OK;
}

static enum err_code reader_take(struct seal_rows *rows, struct err *err)
{
    return reader_put(rows->arg, false, err);
}

static enum err_code reader_open(struct seal_reader *reader, struct err *err)
{
    enum err_code rc = readers_open(reader->all, DB_ACCESS_READ, &reader->db, err);

    reader->rows = (struct seal_rows){
        .db = reader->db, .bytes = reader->buffers[0].bytes, .take = reader_take, .arg = reader
    };
    if (rc == ERR_OK)
        rc = seal_rows_begin(&reader->rows, err);
    if (rc == ERR_OK)
        rc = seal_rows_prepare(&reader->rows, err);
    return rc;
}

/* Reads its ranges, in one state of the file: else each would lock it. */
static enum err_code reader_read(struct seal_reader *reader, struct err *err)
{
    const struct db_seal_readers *all = reader->all;
    struct seal_range range = seal_range_first(all->sparse);
    uint32_t turn = 0;
    bool more = true;
    enum err_code rc = db_snapshot_begin(reader->db, err);

    reader->rows.ahead = all->ahead;
    for (; rc == ERR_OK && more; more = seal_range_next(&range, all->last_id)) {
        if (turn == reader->number) {
            rc = seal_rows_encode(&reader->rows, &range, err);
            if (rc == ERR_OK)
                rc = reader_put(reader, true, err);
            reader->rows.len = 0;
            reader->rows.rows = 0;
        }
        turn = turn + 1 == all->count ? 0 : turn + 1;
    }
    return rc;
}

static void reader_run(void *arg)
{
    struct seal_reader *reader = arg;
    enum err_code rc = reader_open(reader, &reader->err);
    const bool reads = readers_wait(reader->all) && rc == ERR_OK;

    if (reads)
        rc = reader_read(reader, &reader->err);
    seal_rows_end(&reader->rows);
    if (reads)
        db_snapshot_end(reader->db);
    pthread_mutex_lock(&reader->lock);
    reader->rc = rc;
    pthread_cond_broadcast(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    readers_close(reader->all, reader->db);
}

static enum err_code reader_room(struct seal_reader *reader, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < SEAL_BUFFERS; i++) {
        reader->buffers[i].bytes = malloc(SEAL_BUFFER);
        if (reader->buffers[i].bytes == NULL)
            rc = ERR_NO_MEMORY(err, (size_t)SEAL_BUFFER);
    }
    return rc;
}

static enum err_code readers_start(struct db_seal_readers *all, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < all->count; i++)
        rc = reader_room(&all->readers[i], err);
    for (uint32_t i = 0; rc == ERR_OK && i < all->count; i++)
        rc = thread_start(&all->readers[i].thread, "seal", reader_run, &all->readers[i], err);
    return rc == ERR_OK ? thread_start(&all->fold, "fold", readers_fold, all, err) : rc;
}

enum err_code db_seal_readers_open(const char *path, uint32_t count, struct db_seal_readers **out,
                                   struct err *err)
{
    struct db_seal_readers *all = calloc(1, sizeof *all);

    *out = NULL;
    if (all == NULL)
        return ERR_NO_MEMORY(err, sizeof *all);
    all->count = count < SEAL_READERS_MAX ? count : SEAL_READERS_MAX;
    pthread_mutex_init(&all->opening, NULL);
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, NULL);
    for (uint32_t i = 0; i < all->count; i++) {
        all->readers[i].all = all;
        all->readers[i].number = i;
        pthread_mutex_init(&all->readers[i].lock, NULL);
        pthread_cond_init(&all->readers[i].changed, NULL);
    }
    enum err_code rc = db_file_absolute(path, all->path, err);
    if (rc == ERR_OK)
        rc = readers_start(all, err);
    if (rc == ERR_OK)
        *out = all;
    else
        db_seal_readers_close(all);
    return rc;
}

uint32_t seal_readers_count(const struct db_seal_readers *all)
{
    return all->count;
}

void seal_readers_begin(struct db_seal_readers *all, int64_t last_id, bool sparse,
                        const struct db_seal_ahead *ahead)
{
    pthread_mutex_lock(&all->lock);
    assert(!all->begun);
    all->last_id = last_id;
    all->sparse = sparse;
    all->ahead = ahead;
    all->range = seal_range_first(sparse);
    all->begun = true;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
}

/* What was given out before is free now. */
static void readers_give_back(struct db_seal_readers *all)
{
    struct seal_reader *reader = &all->readers[all->reader];
    const bool ends = all->taken->ends;

    pthread_mutex_lock(&reader->lock);
    all->taken->full = false;
    pthread_cond_broadcast(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    all->taken = NULL;
    all->buffers[all->reader] = (all->buffers[all->reader] + 1) % SEAL_BUFFERS;
    if (ends) {
        all->reader = all->reader + 1 == all->count ? 0 : all->reader + 1;
        all->done = !seal_range_next(&all->range, all->last_id);
    }
}

enum err_code seal_readers_next(struct db_seal_readers *all, const uint8_t **bytes, size_t *len,
                                uint64_t *rows, struct err *err)
{
    *bytes = NULL;
    if (all->taken != NULL)
        readers_give_back(all);
    if (all->done)
        return ERR_OK;
    struct seal_reader *reader = &all->readers[all->reader];
    struct seal_buffer *buffer = &reader->buffers[all->buffers[all->reader]];

    pthread_mutex_lock(&reader->lock);
    while (!buffer->full && reader->rc == ERR_OK)
        pthread_cond_wait(&reader->changed, &reader->lock);
    const enum err_code rc = buffer->full ? ERR_OK : reader->rc;
    pthread_mutex_unlock(&reader->lock);
    if (rc != ERR_OK && err != NULL)
        *err = reader->err;
    if (rc != ERR_OK)
        return rc;
    all->taken = buffer;
    *bytes = buffer->bytes;
    *len = buffer->len;
    *rows = buffer->rows;
    return ERR_OK;
}

void db_seal_readers_close(struct db_seal_readers *all)
{
    if (all == NULL)
        return;
    pthread_mutex_lock(&all->lock);
    all->ended = true;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    thread_join(&all->fold);
    for (uint32_t i = 0; i < all->count; i++) {
        struct seal_reader *reader = &all->readers[i];

        pthread_mutex_lock(&reader->lock);
        reader->stop = true;
        pthread_cond_broadcast(&reader->changed);
        pthread_mutex_unlock(&reader->lock);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        struct seal_reader *reader = &all->readers[i];

        thread_join(&reader->thread);
        for (uint32_t k = 0; k < SEAL_BUFFERS; k++)
            free(reader->buffers[k].bytes);
        pthread_cond_destroy(&reader->changed);
        pthread_mutex_destroy(&reader->lock);
    }
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    pthread_mutex_destroy(&all->opening);
    free(all);
}
