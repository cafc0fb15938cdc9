/* carver/case/record_writer.c - see record_writer.h. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/thread.h"
#include "carver/case/record_writer.h"
#include "carver/cli/interrupt.h"

struct record_writer {
    struct db_case *db; /* of the thread, between its first line and its last */
    struct record_rows rows;
    struct thread thread;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct record_batch *batch; /* to be written, or being written; NULL: none */
    bool stop;
    enum err_code status; /* of the last batch; told, and then forgotten */
    struct err err;
};

static void writer_run(void *arg)
{
    struct record_writer *writer = arg;

    db_case_take(writer->db);
    pthread_mutex_lock(&writer->lock);
    for (;;) {
        while (writer->batch == NULL && !writer->stop)
            pthread_cond_wait(&writer->changed, &writer->lock);
        if (writer->batch == NULL)
            break;
        struct record_batch *batch = writer->batch;
        struct err err = { 0 };

        pthread_mutex_unlock(&writer->lock);
        interrupt_hold();
        const enum err_code rc = record_rows_write(&writer->rows, writer->db, batch, &err);
        interrupt_release();
        pthread_mutex_lock(&writer->lock);
        writer->status = rc;
        writer->err = err;
        writer->batch = NULL;
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->lock);
}

enum err_code record_writer_open(struct db_case *db, const struct record_rows *rows,
                                 struct record_writer **out, struct err *err)
{
    struct record_writer *writer = calloc(1, sizeof *writer);

    *out = NULL;
    if (writer == NULL)
        return ERR_NO_MEMORY(err, sizeof *writer);
    writer->db = db;
    writer->rows = *rows;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->changed, NULL);
    db_bulk_begin(db);
    const enum err_code rc = thread_start(&writer->thread, "writer", writer_run, writer, err);
    if (rc != ERR_OK) {
        db_bulk_end(db);
        pthread_cond_destroy(&writer->changed);
        pthread_mutex_destroy(&writer->lock);
        free(writer);
        return rc;
    }
    *out = writer;
    return ERR_OK;
}

void record_writer_close(struct record_writer *writer)
{
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->stop = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    thread_join(&writer->thread);
    db_case_take(writer->db);
    db_bulk_end(writer->db);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}

enum err_code record_writer_wait(struct record_writer *writer, struct err *err)
{
    pthread_mutex_lock(&writer->lock);
    while (writer->batch != NULL)
        pthread_cond_wait(&writer->changed, &writer->lock);
    const enum err_code rc = writer->status;
    if (rc != ERR_OK && err != NULL)
        *err = writer->err;
    writer->status = ERR_OK;
    pthread_mutex_unlock(&writer->lock);
    return rc;
}

enum err_code record_writer_put(struct record_writer *writer, struct record_batch *batch,
                                struct err *err)
{
    const enum err_code rc = record_writer_wait(writer, err);

    if (rc != ERR_OK)
        return rc;
    pthread_mutex_lock(&writer->lock);
    writer->batch = batch;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    return ERR_OK;
}
