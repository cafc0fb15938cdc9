/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/ahead.c - see ahead.h. */
#include "carver/assemble/ahead.h"

static void ahead_file_systems(void *arg)
{
    struct ahead *ahead = arg;

    ahead->map_rc =
        io_fsmap_open(ahead->image, ahead->stop, &ahead->given_up, &ahead->map, &ahead->map_err);
}

enum err_code ahead_ask(struct ahead *ahead, const struct io_image *image, bool (*stop)(void),
                        struct err *err)
{
    *ahead = (struct ahead){ .image = image, .stop = stop, .asked = true };
    return thread_start(&ahead->file_systems, "file-sys", ahead_file_systems, ahead, err);
}

static enum err_code ahead_map(void *arg, const struct io_fsmap **map, struct err *err)
{
    struct ahead *ahead = arg;

    thread_join(&ahead->file_systems);
    *map = ahead->map;
    if (ahead->map_rc != ERR_OK)
        *err = ahead->map_err;
    return ahead->map_rc;
}

static void ahead_run(void *arg)
{
    struct ahead *ahead = arg;
    const struct ahead_job *job = &ahead->job;
    const struct io_fsmap *map;
    enum err_code rc = ERR_OK;

    if (ahead->made) /* from memory: the case file is not asked */
        rc = starts_load(NULL, 0, job->seen, job->threads, &ahead->starts, &ahead->err);
    if (rc == ERR_OK && ahead->made && job->file_systems && ahead->starts.count > 0)
        rc = claims_load(job->image, ahead_map, ahead, job->spots, &ahead->starts, job->threads,
                         job->stop, &ahead->claims, &ahead->err);
    if (rc == ERR_OK)
        rc = ahead_map(ahead, &map, &ahead->err);
    ahead->rc = rc;
}

enum err_code ahead_start(struct ahead *ahead, const struct ahead_job *job, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (job->file_systems && !ahead->asked)
        rc = ahead_ask(ahead, job->image, job->stop, err);
    ahead->job = *job;
    ahead->made = job->spots != NULL && job->seen != NULL;
    return rc == ERR_OK ? thread_start(&ahead->thread, "ahead", ahead_run, ahead, err) : rc;
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
    atomic_store(&ahead->given_up, true);
    thread_join(&ahead->file_systems);
    claims_release(&ahead->claims);
    starts_release(&ahead->starts);
    io_fsmap_close(ahead->map);
    *ahead = (struct ahead){ 0 };
}
