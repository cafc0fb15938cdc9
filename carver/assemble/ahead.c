/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/ahead.c - see ahead.h. */
#include "carver/assemble/ahead.h"

static void ahead_run(void *arg)
{
    struct ahead *ahead = arg;
    const struct ahead_job *job = &ahead->job;
    enum err_code rc = ERR_OK;

    if (ahead->made) /* from memory: the case file is not asked */
        rc = starts_load(NULL, 0, job->seen, &ahead->starts, &ahead->err);
    if (rc == ERR_OK && job->file_systems)
        rc = io_fsmap_open(job->image, job->stop, &ahead->map, &ahead->err);
    if (rc == ERR_OK && ahead->made && ahead->map != NULL && ahead->starts.count > 0)
        rc = claims_load(job->image, ahead->map, job->spots, &ahead->starts, job->threads,
                         job->stop, &ahead->claims, &ahead->err);
    ahead->rc = rc;
}

enum err_code ahead_start(struct ahead *ahead, const struct ahead_job *job, struct err *err)
{
    *ahead = (struct ahead){ .job = *job, .made = job->spots != NULL && job->seen != NULL };
    return thread_start(&ahead->thread, "ahead", ahead_run, ahead, err);
}

enum err_code ahead_wait(struct ahead *ahead, struct err *err)
{
    thread_join(&ahead->thread);
    if (ahead->rc != ERR_OK && err != NULL)
        *err = ahead->err;
    return ahead->rc;
}

void ahead_release(struct ahead *ahead)
{
    thread_join(&ahead->thread);
    claims_release(&ahead->claims);
    starts_release(&ahead->starts);
    io_fsmap_close(ahead->map);
    ahead->map = NULL;
}
