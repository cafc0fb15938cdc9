/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_text.c - see scan_text.h. */
#include "carver/scan/scan_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "carver/case/unread.h"
#include "carver/cli/interrupt.h"
#include "carver/text/text.h"
#include "carver/text/text_saved.h"

enum { SCAN_TEXT_NOTE = 128 /* bytes of a line of the log */ };

/* The job's signature without a header, or their number. */
static uint32_t scan_text_number(const struct scan_job *job)
{
    uint32_t i = 0;

    while (i < job->plan.sig_count && (job->plan.sigs[i]->flags & SIG_NO_HEADER) == 0)
        i++;
    return i;
}

const struct sig *scan_text_sig(const struct scan_job *job)
{
    const uint32_t number = scan_text_number(job);

    return !job->plan.hits_only && number < job->plan.sig_count ? job->plan.sigs[number] : NULL;
}

bool scan_text_wanted(const struct scan_job *job)
{
    return scan_text_sig(job) != NULL;
}

struct scan_text_saved {
    struct text_spots *spots;
    uint64_t end; /* of what was scanned of the image */
};

static enum err_code scan_text_add(void *arg, const uint8_t *bytes, size_t len, struct err *err)
{
    const struct scan_text_saved *saved = arg;
    bool right = false;
    const enum err_code rc = text_spots_restore(saved->spots, bytes, len, saved->end, &right, err);

    return rc != ERR_OK || right
               ? rc
               : ERR_RAISE(err, ERR_INPUT,
                           "what the case file says of where plain text may begin is damaged; scan "
                           "the image again with --force, which keeps this case file under another "
                           "name");
}

enum err_code scan_text_resume(struct db_case *db, const struct scan_job *job,
                               const struct scan_pick *pick, int64_t scan_id,
                               struct text_spots *spots, struct err *err)
{
    struct scan_text_saved saved = { spots, pick->whole.offset + pick->whole.len };

    return scan_text_wanted(job) ? db_text_spots_walk(db, scan_id, scan_text_add, &saved, err)
                                 : ERR_OK;
}

static uint64_t scan_text_bytes(const struct text_image *text)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < text->range_count; i++)
        bytes += text->ranges[i].len;
    return bytes;
}

static enum err_code scan_text_log(struct db_case *db, int64_t run_id,
                                   const struct text_totals *totals, struct err *err)
{
    char text[SCAN_TEXT_NOTE];

    snprintf(text, sizeof text,
             "plain text: %" PRIu64 " found; %" PRIu64 " bytes were read again for it",
             totals->found, totals->reread);
    return db_log(db, run_id, "note", text, err);
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
    struct text_totals totals = { 0 };
    struct unread unread = { 0 };

    *found = 0;
    if (!scan_text_wanted(job))
        return ERR_OK;
    const struct text_image text = { .db = db,
                                     .image = image,
                                     .threads = job->how->threads,
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
                                     .align = job->plan.align,
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
        rc = text_image(&text, &totals, err);
    progress_end(progress);
    unread_release(&unread);
    if (rc == ERR_OK)
        rc = scan_text_log(db, ids->run, &totals, err);
    *found = rc == ERR_OK ? totals.found : 0;
    if (rc == ERR_OK)
        return ERR_OK;
    db_rollback(db);
    const enum err_code late = db_begin(db, NULL);
    return late == ERR_OK ? rc : late;
}
