/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pipeline_matcher.c - see pipeline_matcher.h. */
#include "carver/scan/pipeline_matcher.h"

static void pipeline_matcher_open(void *arg)
{
    struct pipeline_matcher *early = arg;

    early->status = match_open(early->dictionary, &early->options, &early->matcher, &early->err);
}

bool pipeline_matcher_begin(struct pipeline_matcher *out, const struct match_dictionary *dictionary,
                            const struct match_options *options)
{
    *out = (struct pipeline_matcher){ .dictionary = dictionary, .options = *options };
    return thread_start(&out->thread, "matcher", pipeline_matcher_open, out, NULL) == ERR_OK;
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
