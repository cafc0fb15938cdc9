/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record_writer.c - see record_writer.h. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"
#include "carver/case/record_writer.h"
#include "carver/cli/interrupt.h"

#define WRITER_FOLD_NS UINT64_C(5000000000) /* that the file may be left unfolded */

struct record_writer {
    struct db_case *db; /* of the thread, between its first line and its last */
    struct record_rows rows;
    struct thread thread;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct record_batch *batches[RECORD_BATCHES]; /* a ring; the first one is being written */
    uint32_t first, count;
    struct record_batch *written[RECORD_BATCHES]; /* [written_count]: and empty */
    uint32_t written_count;
    record_then_fn then; /* to be called behind them; or NULL */
    void *then_arg;
    uint32_t commits;     /* of them, that ask for one */
    uint64_t commit_ns;   /* that the last commit took; 0: there was none */
    uint64_t folded_ns;   /* monotonic time at which the file was folded together last, or begun */
    enum err_code status; /* not ERR_OK: of a batch that was not written, and err its error */
    struct err err;
    bool stop;
};

/* While more batches wait the file is not folded together, which nobody waits for; but now and then
 * it is, for until then what was written may not be on the disk. */
static bool writer_folds(struct record_writer *writer, const struct record_batch *batch)
{
    const uint64_t now = clock_now(CLOCK_MONOTONIC);
    const bool folds =
        batch->fold && (writer->count == 1 || now - writer->folded_ns >= WRITER_FOLD_NS);

    writer->folded_ns = folds ? now : writer->folded_ns;
    return folds;
}

/* Writes the first batch; the lock is held, but not meanwhile. */
static void writer_write(struct record_writer *writer)
{
    struct record_batch *batch = writer->batches[writer->first];
    const bool commits = batch->commit;
    enum err_code rc = writer->status;
    struct err err = { 0 };

    batch->fold = writer_folds(writer, batch);
    pthread_mutex_unlock(&writer->lock);
    if (rc == ERR_OK) {
        interrupt_hold();
        rc = record_rows_write(&writer->rows, writer->db, batch, &err);
        interrupt_release();
    }
    record_batch_empty(batch);
    pthread_mutex_lock(&writer->lock);
    if (writer->status == ERR_OK && rc != ERR_OK)
        writer->err = err;
    writer->status = rc;
    if (commits && rc == ERR_OK)
        writer->commit_ns = batch->commit_ns;
    writer->commits -= commits;
    writer->first = (writer->first + 1) % RECORD_BATCHES;
    writer->count--;
    writer->written[writer->written_count++] = batch;
    pthread_cond_broadcast(&writer->changed);
}

/* Does what is to come behind the batches; as writer_write. */
static void writer_then(struct record_writer *writer)
{
    enum err_code rc = writer->status;
    struct err err = { 0 };

    pthread_mutex_unlock(&writer->lock);
    if (rc == ERR_OK) {
        interrupt_hold();
        rc = writer->then(writer->then_arg, writer->db, &err);
        interrupt_release();
    }
    pthread_mutex_lock(&writer->lock);
    if (writer->status == ERR_OK && rc != ERR_OK)
        writer->err = err;
    writer->status = rc;
    writer->then = NULL;
    pthread_cond_broadcast(&writer->changed);
}

static void writer_run(void *arg)
{
    struct record_writer *writer = arg;

    db_case_take(writer->db);
    pthread_mutex_lock(&writer->lock);
    for (;;) {
        while (writer->count == 0 && writer->then == NULL && !writer->stop)
            pthread_cond_wait(&writer->changed, &writer->lock);
        if (writer->count > 0)
            writer_write(writer);
        else if (writer->then != NULL)
            writer_then(writer);
        else
            break;
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
    writer->folded_ns = clock_now(CLOCK_MONOTONIC);
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

/* Waits until at most so many batches are at the writer; 0: and nothing is to come behind them. The
 * lock is held. */
static enum err_code writer_wait(struct record_writer *writer, uint32_t most, struct err *err)
{
    while (writer->count > most || (most == 0 && writer->then != NULL))
        pthread_cond_wait(&writer->changed, &writer->lock);
    if (writer->status != ERR_OK && err != NULL)
        *err = writer->err;
    return writer->status;
}

enum err_code record_writer_wait(struct record_writer *writer, struct err *err)
{
    pthread_mutex_lock(&writer->lock);
    const enum err_code rc = writer_wait(writer, 0, err);
    pthread_mutex_unlock(&writer->lock);
    return rc;
}

enum err_code record_writer_put(struct record_writer *writer, struct record_batch *batch,
                                struct err *err)
{
    pthread_mutex_lock(&writer->lock);
    assert(writer->count < RECORD_BATCHES);
    writer->batches[(writer->first + writer->count++) % RECORD_BATCHES] = batch;
    writer->commits += batch->commit;
    pthread_cond_broadcast(&writer->changed);
    const enum err_code rc = writer_wait(writer, RECORD_BATCHES - 1, err);
    pthread_mutex_unlock(&writer->lock);
    return rc;
}

void record_writer_then(struct record_writer *writer, record_then_fn then, void *arg)
{
    pthread_mutex_lock(&writer->lock);
    assert(writer->then == NULL);
    writer->then = then;
    writer->then_arg = arg;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
}

struct record_batch *record_writer_take(struct record_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    struct record_batch *batch =
        writer->written_count > 0 ? writer->written[--writer->written_count] : NULL;
    pthread_mutex_unlock(&writer->lock);
    return batch;
}

uint32_t record_writer_waiting(struct record_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    const uint32_t waiting = writer->count;
    pthread_mutex_unlock(&writer->lock);
    return waiting;
}

bool record_writer_commits(struct record_writer *writer, uint64_t *took_ns)
{
    pthread_mutex_lock(&writer->lock);
    const bool commits = writer->commits > 0;
    if (writer->commit_ns != 0)
        *took_ns = writer->commit_ns;
    pthread_mutex_unlock(&writer->lock);
    return commits;
}
