/* carver/scan/pipeline_matcher.c - see pipeline_matcher.h. */
#include "carver/scan/pipeline_matcher.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct pipeline_matcher {
    const struct match_dictionary *dictionary;
    struct match_options options;
    pthread_t thread;
    bool joined;

    /* The thread's, until it is joined. */
    struct match_matcher *matcher;
    enum err_code status;
    struct err err;
};

static void *pipeline_matcher_run(void *arg)
{
    struct pipeline_matcher *early = arg;

    early->status = match_open(early->dictionary, &early->options, &early->matcher, &early->err);
    return NULL;
}

/* A device is set up by the thread that uses it. */
static bool pipeline_matcher_suits(const char *name)
{
    struct match_engine_info info;

    return name == NULL || (match_engine_look(name, &info) && strcmp(info.device, "CPU") == 0);
}

/* Signals are the main thread's business: the thread starts with all of them blocked. */
static int pipeline_matcher_start(struct pipeline_matcher *early)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int status = pthread_create(&early->thread, NULL, pipeline_matcher_run, early);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

struct pipeline_matcher *pipeline_matcher_begin(const struct match_dictionary *dictionary,
                                                const struct match_options *options)
{
    if (!pipeline_matcher_suits(options->engine))
        return NULL;
    struct pipeline_matcher *early = calloc(1, sizeof *early);
    if (early == NULL)
        return NULL;
    early->dictionary = dictionary;
    early->options = *options;
    if (pipeline_matcher_start(early) != 0) {
        free(early);
        return NULL;
    }
    return early;
}

static void pipeline_matcher_join(struct pipeline_matcher *early)
{
    if (!early->joined)
        pthread_join(early->thread, NULL);
    early->joined = true;
}

enum err_code pipeline_matcher_take(struct pipeline_matcher *early, struct match_matcher **out,
                                    struct err *err)
{
    *out = NULL;
    if (early == NULL || early->joined)
        return ERR_OK;
    pipeline_matcher_join(early);
    *out = early->matcher;
    early->matcher = NULL;
    if (early->status != ERR_OK && err != NULL)
        *err = early->err;
    return early->status;
}

void pipeline_matcher_end(struct pipeline_matcher *early)
{
    if (early == NULL)
        return;
    pipeline_matcher_join(early);
    match_close(early->matcher);
    free(early);
}
