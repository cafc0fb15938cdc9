/* io/quiet.c - see quiet.h. */
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/quiet.h"

struct io_quiet {
    pthread_t thread;
    pthread_mutex_t turn; /* of the callers */
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t begin, end;
    void (*work)(void *arg); /* NULL: nothing to do */
    void *arg;
    bool stop;
};

/* A table of descriptors with the standard streams alone, and no standard error. */
static void quiet_be_quiet(void)
{
    if (close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_UNSHARE) != 0)
        return; /* the table is still that of the process */
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0)
        return;
    dup2(null, STDERR_FILENO);
    close(null);
}

static void *quiet_run(void *arg)
{
    struct io_quiet *quiet = arg;

    quiet_be_quiet();
    pthread_mutex_lock(&quiet->lock);
    while (!quiet->stop) {
        if (quiet->work == NULL) {
            pthread_cond_wait(&quiet->begin, &quiet->lock);
            continue;
        }
        pthread_mutex_unlock(&quiet->lock);
        quiet->work(quiet->arg); /* the caller waits, and others wait for their turn */
        pthread_mutex_lock(&quiet->lock);
        quiet->work = NULL;
        pthread_cond_signal(&quiet->end);
    }
    pthread_mutex_unlock(&quiet->lock);
    return NULL;
}

enum err_code io_quiet_open(struct io_quiet **out, struct err *err)
{
    struct io_quiet *quiet = calloc(1, sizeof *quiet);

    *out = NULL;
    if (quiet == NULL)
        return ERR_NO_MEMORY(err, sizeof *quiet);
    pthread_mutex_init(&quiet->turn, NULL); /* these cannot fail with default attributes on Linux */
    pthread_mutex_init(&quiet->lock, NULL);
    pthread_cond_init(&quiet->begin, NULL);
    pthread_cond_init(&quiet->end, NULL);
    const int cause = pthread_create(&quiet->thread, NULL, quiet_run, quiet);
    if (cause != 0) {
        free(quiet);
        return ERR_RAISE(err, ERR_ENV, "a thread cannot be started: %s", strerror(cause));
    }
    *out = quiet;
    return ERR_OK;
}

void io_quiet_call(struct io_quiet *quiet, void (*work)(void *arg), void *arg)
{
    pthread_mutex_lock(&quiet->turn);
    pthread_mutex_lock(&quiet->lock);
    quiet->work = work;
    quiet->arg = arg;
    pthread_cond_signal(&quiet->begin);
    while (quiet->work != NULL)
        pthread_cond_wait(&quiet->end, &quiet->lock);
    pthread_mutex_unlock(&quiet->lock);
    pthread_mutex_unlock(&quiet->turn);
}

void io_quiet_close(struct io_quiet *quiet)
{
    if (quiet == NULL)
        return;
    pthread_mutex_lock(&quiet->lock);
    quiet->stop = true;
    pthread_cond_signal(&quiet->begin);
    pthread_mutex_unlock(&quiet->lock);
    pthread_join(quiet->thread, NULL);
    pthread_cond_destroy(&quiet->begin);
    pthread_cond_destroy(&quiet->end);
    pthread_mutex_destroy(&quiet->lock);
    pthread_mutex_destroy(&quiet->turn);
    free(quiet);
}
