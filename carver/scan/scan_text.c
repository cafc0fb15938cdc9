/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_text.c - see scan_text.h. */
#include "carver/scan/scan_text.h"

#include "carver/case/unread.h"
#include "carver/cli/interrupt.h"
#include "carver/text/text.h"

/* The job's signature without a header, or their number. */
static uint32_t scan_text_number(const struct scan_job *job)
{
    uint32_t i = 0;

    while (i < job->plan.sig_count && (job->plan.sigs[i]->flags & SIG_NO_HEADER) == 0)
        i++;
    return i;
}

bool scan_text_wanted(const struct scan_job *job)
{
    return !job->plan.hits_only && scan_text_number(job) < job->plan.sig_count;
}

static uint64_t scan_text_bytes(const struct text_image *text)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < text->range_count; i++)
        bytes += text->ranges[i].len;
    return bytes;
}

static void scan_text_tick(void *arg, uint64_t bytes_done, uint64_t found)
{
    progress_update(arg, bytes_done, UINT64_MAX, found);
}

enum err_code scan_text(struct db_case *db, const struct scan_job *job, struct io_image *image,
                        const struct scan_pick *pick, const struct scan_ids *ids,
                        const struct io_fsmap *map, const struct text_spots *spots,
                        struct progress *progress, uint64_t *found, struct err *err)
{
    const uint32_t number = scan_text_number(job);
    struct unread unread = { 0 };

    *found = 0;
    if (!scan_text_wanted(job))
        return ERR_OK;
    const struct text_image text = { .db = db,
                                     .image = image,
                                     .map = map,
                                     .spots = spots,
                                     .sig = job->plan.sigs[number],
                                     .image_id = ids->image,
                                     .signature_id = ids->signatures[number],
                                     .unread = &unread,
                                     .ranges = pick->some ? pick->runs.items : pick->ranges,
                                     .range_count =
                                         pick->some ? pick->runs.count : pick->range_count,
                                     .end = pick->whole.offset + pick->whole.len,
                                     .wanted = job->plan.wanted,
                                     .wanted_arg = job->plan.wanted_arg,
                                     .stop = interrupt_requested,
                                     .tick = scan_text_tick,
                                     .tick_arg = progress };
    enum err_code rc = db_commit(db, err);
    if (rc == ERR_OK)
        rc = db_begin(db, err);
    if (rc == ERR_OK)
        rc = unread_load(db, ids->image, ids->scan, &unread, err);
    progress_start(progress, "text", scan_text_bytes(&text),
                   progress_unless_quiet(job->how->progress, job->how->quiet));
    if (rc == ERR_OK)
        rc = text_image(&text, found, err);
    progress_end(progress);
    unread_release(&unread);
    if (rc == ERR_OK)
        return ERR_OK;
    db_rollback(db);
    const enum err_code late = db_begin(db, NULL);
    return late == ERR_OK ? rc : late;
}
