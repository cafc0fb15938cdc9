/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pipeline_matcher.c - see pipeline_matcher.h. */
#include <string.h>

#include "carver/scan/pipeline_matcher.h"

static void pipeline_matcher_open(void *arg)
{
    struct pipeline_matcher *early = arg;

    early->status = match_open(early->dictionary, &early->options, &early->matcher, &early->err);
}

/* A device that is waited for is set up by the thread that uses it. */
static bool pipeline_matcher_suits(const struct match_options *options)
{
    struct match_engine_info info;

    return options->engine == NULL || options->devices_later ||
           (match_engine_look(options->engine, &info) && strcmp(info.device, "CPU") == 0);
}

bool pipeline_matcher_begin(struct pipeline_matcher *out, const struct match_dictionary *dictionary,
                            const struct match_options *options)
{
    *out = (struct pipeline_matcher){ .dictionary = dictionary, .options = *options };
    return pipeline_matcher_suits(options) &&
           thread_start(&out->thread, "matcher", pipeline_matcher_open, out, NULL) == ERR_OK;
}

enum err_code pipeline_matcher_take(struct pipeline_matcher *early, uint64_t bytes,
                                    struct match_matcher **out, struct err *err)
{
    const bool begun = early->thread.started;

    thread_join(&early->thread);
    if (!begun)
        pipeline_matcher_open(early);
    if (early->status == ERR_OK)
        match_expect(early->matcher, bytes);
    *out = early->matcher;
    early->matcher = NULL;
    if (early->status != ERR_OK && err != NULL)
        *err = early->err;
    return early->status;
}

void pipeline_matcher_end(struct pipeline_matcher *early)
{
    thread_join(&early->thread);
    match_close(early->matcher);
    early->matcher = NULL;
}
