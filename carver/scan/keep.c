/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/keep.c - see keep.h. */
#include "carver/scan/keep.h"

enum err_code keep_open(const struct scan_job *job, struct io_image *image, struct sample *sample,
                        const struct scan_pick *pick, const struct scan_map *map,
                        const struct known_scan *known, struct keep *out, struct err *err)
{
    struct scan_options options = *job->options;

    options.part_number = 0;
    options.part_count = 1;
    out->plan = job->plan;
    enum err_code rc = shard_about_make(job, &options, image, sample, pick, map, known, &out->texts,
                                        &out->about, err);
    if (rc == ERR_OK)
        rc = shard_new_open(job->keep_parts, &out->about, &out->shard, err);
    out->open = true;
    return rc;
}

enum err_code keep_add(struct keep *keep, struct part *part, const uint8_t *bytes, size_t len,
                       struct err *err)
{
    return bytes != NULL ? shard_parts_copy(&keep->parts, &keep->shard, part, bytes, len, err)
                         : shard_parts_add(&keep->parts, &keep->shard, part, &keep->plan, err);
}

enum err_code keep_finish(struct keep *keep, struct err *err)
{
    bool first;
    const enum err_code rc = shard_parts_end(&keep->parts, err);

    return rc == ERR_OK ? shard_new_keep(&keep->shard, &keep->parts.end, true, &first, err) : rc;
}

void keep_close(struct keep *keep)
{
    if (!keep->open)
        return;
    shard_new_drop(&keep->shard);
    shard_parts_release(&keep->parts);
    shard_about_release(&keep->about);
    shard_about_texts_release(&keep->texts);
    *keep = (struct keep){ 0 };
}
