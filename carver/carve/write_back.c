/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/write_back.c - see write_back.h. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/thread.h"
#include "carver/carve/write_back.h"

struct write_back {
    struct outdir *dir;
    struct thread thread;
    _Atomic uint64_t bytes; /* written so far */
    _Atomic bool failed;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool asked, closing;
    struct err why; /* the first failure; its system call may not tell it twice */
};

static void write_back_run(void *arg)
{
    struct write_back *back = arg;

    pthread_mutex_lock(&back->lock);
    while (!back->closing) {
        struct err why = { 0 };

        if (!back->asked) {
            pthread_cond_wait(&back->changed, &back->lock);
            continue;
        }
        back->asked = false;
        pthread_mutex_unlock(&back->lock);
        const enum err_code rc = outdir_sync(back->dir, &why);
        pthread_mutex_lock(&back->lock);
        if (rc != ERR_OK && !atomic_load(&back->failed)) {
            back->why = why;
            atomic_store(&back->failed, true);
        }
    }
    pthread_mutex_unlock(&back->lock);
}

enum err_code write_back_open(struct outdir *dir, struct write_back **out, struct err *err)
{
    struct write_back *back = calloc(1, sizeof *back);

    *out = NULL;
    if (back == NULL)
        return ERR_NO_MEMORY(err, sizeof *back);
    back->dir = dir;
    pthread_mutex_init(&back->lock, NULL);
    pthread_cond_init(&back->changed, NULL);
    const enum err_code rc = thread_start(&back->thread, "sync", write_back_run, back, err);
    if (rc == ERR_OK) {
        *out = back;
        return ERR_OK;
    }
    struct err ignored = { 0 };
    (void)!write_back_close(back, &ignored);
    return rc;
}

void write_back_wrote(struct write_back *back, uint64_t bytes)
{
    if (back == NULL)
        return;
    const uint64_t before = atomic_fetch_add(&back->bytes, bytes);
    if (before / WRITE_BACK_STEP == (before + bytes) / WRITE_BACK_STEP)
        return;
    pthread_mutex_lock(&back->lock);
    back->asked = true;
    pthread_cond_signal(&back->changed);
    pthread_mutex_unlock(&back->lock);
}

enum err_code write_back_check(struct write_back *back, struct err *err)
{
    if (back == NULL || !atomic_load(&back->failed))
        return ERR_OK;
    pthread_mutex_lock(&back->lock);
    *err = back->why;
    pthread_mutex_unlock(&back->lock);
    return ERR_ENV;
}

enum err_code write_back_close(struct write_back *back, struct err *err)
{
    if (back == NULL)
        return ERR_OK;
    pthread_mutex_lock(&back->lock);
    back->closing = true;
    pthread_cond_signal(&back->changed);
    pthread_mutex_unlock(&back->lock);
    thread_join(&back->thread);
    const enum err_code rc = write_back_check(back, err);
    pthread_cond_destroy(&back->changed);
    pthread_mutex_destroy(&back->lock);
    free(back);
    return rc;
}
