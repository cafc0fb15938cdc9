/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan.c - see scan.h. Opens case file and images, runs the pipeline once for each
 * image, and has the job tell what was found.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "carver/case/casefile.h"
#include "carver/case/live_device.h"
#include "carver/case/seal.h"
#include "carver/cli/devices.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "carver/scan/scan.h"
#include "carver/scan/scan_case.h"
#include "carver/scan/scan_cut.h"
#include "carver/scan/scan_hash.h"
#include "carver/scan/scan_impl.h"
#include "carver/scan/scan_resume.h"
#include "carver/scan/scan_text.h"
#include "carver/scan/shards.h"
#include "io/storage.h"

enum { SCAN_FAILS = 16 << 20 }; /* bytes that cannot be read: people are told what to do */

static void scan_warning(void *arg, const char *line)
{
    struct scan *scan = arg;

    progress_clear(&scan->progress);
    print_safe_line(stderr, "burin: %s: warning: %s", scan->job->command, line);
}

static bool scan_tick(void *arg, uint64_t bytes_done, const struct record *record)
{
    const struct record_totals *totals = record_totals(record);
    struct scan *scan = arg;
    uint64_t offset = 0, seconds = 0;

    if (!scan->fails && totals->failed_bytes >= SCAN_FAILS)
        scan_warning(scan,
                     "16 MiB and more could not be read: the disk fails, and each read may "
                     "harm it; stop, copy it with ddrescue, and scan the copy with --mapfile");
    scan->fails |= totals->failed_bytes >= SCAN_FAILS;
    if (!io_image_slow(scan->image, &offset, &seconds))
        seconds = 0;
    progress_slow(&scan->progress, offset, seconds);
    progress_update(&scan->progress, bytes_done, totals->hits, totals->objects);
    return interrupt_requested();
}

/* File systems are asked beside the scan. Their process keeps to --max-read for itself: behind it.
 */
static enum err_code scan_many(void *arg, struct err *err)
{
    struct scan *scan = arg;
    const struct scan_job *job = scan->job;

    return job->places && !job->plan.hits_only && job->how->max_read == 0
               ? ahead_ask(&scan->ahead, scan->image, interrupt_requested, err)
               : ERR_OK;
}

static enum err_code scan_pipeline(struct scan *scan, struct io_image *image,
                                   const struct scan_pick *pick, const struct scan_resume *resume,
                                   struct record *record, struct pipeline_totals *totals,
                                   struct err *err)
{
    const struct pipeline_image on = { .image = image,
                                       .whole = pick->whole,
                                       .ranges = pick->ranges,
                                       .range_count = pick->range_count,
                                       .runs = pick->some ? &pick->runs : NULL,
                                       .from = resume->from.state != NULL ? &resume->from : NULL,
                                       .record = record,
                                       .since = scan->since,
                                       .keep = scan->keep.open ? &scan->keep : NULL,
                                       .spots = scan->spots,
                                       .texts = scan_text_wanted(scan->job) ? &scan->texts : NULL,
                                       .known = &scan->known,
                                       .hash_kinds = scan_hash_kinds(scan->job, image),
                                       .tick = scan_tick,
                                       .many = scan_many,
                                       .warning = scan_warning,
                                       .arg = scan };

    *totals = (struct pipeline_totals){ .position = scan_pick_begin(pick) };
    if (pick->range_count == 0) /* all is in use */
        return ERR_OK;
    scan->image = image;
    scan_stages_end(&scan->stages, "begin");
    progress_start(&scan->progress, scan->job->command, scan_pick_left(pick, resume->position),
                   progress_unless_quiet(scan->job->how->progress, scan->job->how->quiet));
    enum err_code rc = pipeline_run(scan->pipeline, &on, totals, err);
    progress_end(&scan->progress);
    if (rc == ERR_OK && scan->keep.open)
        rc = keep_finish(&scan->keep, err);
    scan_stages_end(&scan->stages, "parts");
    return rc;
}

/* What people must know of an image whose scan is done: what is not in the case file. */
static void scan_tell(const struct scan *scan, const struct scan_done *done,
                      enum exit_status *status)
{
    const struct scan_job *job = scan->job;
    const struct pipeline_totals *totals = done->totals;

    if (io_image_trouble(done->image)[0] != '\0')
        print_safe_line(stderr, "burin: %s: %s: %s", job->command, done->path,
                        io_image_trouble(done->image));
    if (totals->recorded.bad_ranges > 0) {
        print_safe_line(
            stderr,
            "burin: %s: %s: %" PRIu64 " byte%s in %" PRIu64
            " place%s could not be read; zeros stand for them (listed in the case file)",
            job->command, done->path, totals->recorded.bad_bytes,
            plural_s(totals->recorded.bad_bytes), totals->recorded.bad_ranges,
            plural_s(totals->recorded.bad_ranges));
        *status = EXIT_PARTLY;
    }
    if (totals->known.skipped > 0) {
        print_safe_line(stderr,
                        "burin: %s: %s: %" PRIu64
                        " object%s not hashed, because too many objects lie inside one another; "
                        "burin carve writes the files, and burin known query looks them up",
                        job->command, done->path, totals->known.skipped,
                        plural_s(totals->known.skipped));
        *status = EXIT_PARTLY;
    }
    scan_hash_tell(job, done, status);
    scan_cut_tell(job->command, done->path, &totals->plan, job->how->quiet || job->how->json,
                  status);
}

/* An image that is a device in use: people and the log are told, and the scan goes on. */
static enum err_code scan_live(struct scan *scan, const struct io_image *image, const char *path,
                               int64_t run_id, struct err *err)
{
    struct live_device live;
    char text[LIVE_TEXT + 16];
    enum err_code rc = ERR_OK;

    live_device_of_image(image, &live);
    for (uint32_t i = 0; rc == ERR_OK && i < live.count; i++) {
        print_safe_line(stderr, "burin: %s: warning: %s: %s", scan->job->command, path,
                        live.text[i]);
        snprintf(text, sizeof text, "live device: %s", live.text[i]);
        rc = db_log(scan->db, run_id, "note", text, err);
    }
    return rc;
}

/* What is taken over from an earlier scan, for the log; and what is kept for a later one. */
static enum err_code scan_kept(struct scan *scan, const struct scan_pick *pick, int64_t run_id,
                               struct err *err)
{
    struct scan_opened *on = &scan->opened;
    char text[SINCE_NOTE];
    enum err_code rc = ERR_OK;

    if (scan->since != NULL) {
        since_note(scan->since, text);
        rc = db_log(scan->db, run_id, "note", text, err);
    }
    if (rc == ERR_OK && scan->job->keep_parts != NULL)
        rc = keep_open(scan->job, on->image, &on->sample, pick, &on->map, &scan->known, &scan->keep,
                       err);
    return rc;
}

/* The scan of an image that is open goes on, or begins. */
static enum err_code scan_run(struct scan *scan, const char *path, const struct scan_pick *pick,
                              const struct scan_resume *resume, enum exit_status *status,
                              struct err *err)
{
    const struct scan_job *job = scan->job;
    struct io_image *image = scan->opened.image;
    struct pipeline_totals totals = { 0 };
    struct record *record = NULL;
    struct scan_ids ids = { 0 };
    const uint64_t began = clock_now(CLOCK_MONOTONIC);
    const bool assembles = job->assemble && !job->plan.hits_only;

    scan->pick = pick;
    scan_stages_begin(&scan->stages);
    enum err_code rc = scan_record_begin(scan->db, &scan->opened, path, job, pick, resume,
                                         scan->jail, &scan->known, &ids, err);
    const struct record_rows rows = {
        .image_id = ids.image,
        .run_id = ids.run,
        .scan_id = ids.scan,
        .signature_ids = ids.signatures,
        .linked = job->link,
        .merges = job->shards != NULL,
        .headers = assembles,
        .objects = job->shards != NULL ? shards_objects(job->shards) : 0,
        .position = resume->from.state != NULL ? resume->position : scan_pick_begin(pick)
    };
    if (rc == ERR_OK)
        rc = scan_live(scan, image, path, ids.run, err);
    if (rc == ERR_OK)
        rc = scan_kept(scan, pick, ids.run, err);
    if (rc == ERR_OK && assembles)
        rc = io_leftover_spots_open(&scan->spots, err);
    if (rc == ERR_OK && resume->from.state != NULL)
        rc = scan_text_resume(scan->db, job, pick, ids.scan, &scan->texts, err);
    if (rc == ERR_OK)
        rc = record_open(scan->db, &rows, &record, err);
    if (rc == ERR_OK) {
        rc = scan_pipeline(scan, image, pick, resume, record, &totals, err);
        rc = scan_settle(scan, image, record, &ids, &totals, rc, err);
    }
    if (rc == ERR_OK) {
        const struct scan_done done = { .db = scan->db,
                                        .image = image,
                                        .path = path,
                                        .ids = &ids,
                                        .totals = &totals,
                                        .pick = pick,
                                        .bytes = scan_pick_left(pick, rows.position),
                                        .elapsed = clock_now(CLOCK_MONOTONIC) - began };

        scan_tell(scan, &done, status);
        rc = job->report(job->arg, &done, err);
    }
    free(totals.hash.leaves);
    record_close(record);
    io_leftover_spots_close(scan->spots);
    scan->spots = NULL;
    text_spots_release(&scan->texts);
    free(ids.signatures);
    return rc;
}

/* There is nothing left to do: says so, and, where a program reads it, what there is. */
static enum err_code scan_done_before(struct scan *scan, struct io_image *image, const char *path,
                                      const struct scan_resume *resume, struct err *err)
{
    const struct scan_job *job = scan->job;
    const struct scan_ids ids = { .image = resume->image, .scan = resume->scan };
    struct pipeline_totals totals = { 0 };
    const struct scan_done done = {
        .db = scan->db, .image = image, .path = path, .ids = &ids, .totals = &totals
    };
    struct db_totals rows;
    const enum err_code rc = db_totals(scan->db, resume->image, &rows, err);

    if (!job->how->quiet && !job->how->json)
        print_safe_line(stderr, "burin: %s: %s: the scan was done before; nothing is left to do",
                        job->command, path);
    totals.recorded.hits = rows.hits;
    totals.recorded.bad_bytes = rows.bad_bytes;
    return rc == ERR_OK && job->how->json ? job->report(job->arg, &done, err) : rc;
}

static enum err_code scan_image(struct scan *scan, uint32_t index, enum exit_status *status,
                                struct err *err)
{
    const struct scan_job *job = scan->job;
    const char *path = job->how->images[index];
    struct scan_resume resume = { 0 };
    struct scan_opened *on = &scan->opened;
    struct scan_pick pick = { 0 };
    enum err_code rc = ERR_OK;

    scan->fails = false;
    if (scan->pipeline == NULL)
        rc = pipeline_begin(job, &scan->pipeline, err);
    if (rc == ERR_OK)
        rc = scan_opened_open(job, path, on, err);
    if (rc == ERR_OK) {
        io_storage_stop_read_ahead(on->image);
        rc = scan_pick_open(&job->pick, job->how, on->image, path, &pick, err);
    }
    if (rc == ERR_OK && job->shards != NULL)
        rc = shards_accept(job->shards, job, on->image, &on->sample, &pick, &on->map, &scan->known,
                           err);
    if (rc == ERR_OK && scan->since != NULL)
        rc = since_accept(scan->since, job, on->image, &pick, &on->map, &scan->known, err);
    if (rc == ERR_OK)
        rc = scan_resume_look(scan->db, job, on->image, path, index, &pick, &scan->known, &resume,
                              err);
    if (rc == ERR_OK && resume.note != NULL)
        print_safe_line(stderr, "burin: %s: %s", job->command, resume.note);
    if (rc == ERR_OK)
        rc = resume.what == SCAN_RESUME_DONE ? scan_done_before(scan, on->image, path, &resume, err)
                                             : scan_run(scan, path, &pick, &resume, status, err);
    pipeline_end(scan->pipeline);
    scan->pipeline = NULL;
    keep_close(&scan->keep);
    scan_resume_release(&resume);
    scan_pick_release(&pick);
    scan_opened_close(on);
    if (rc != ERR_OK)
        err_while(err, "scanning %s", path);
    return rc;
}

/* Gives up what the job does not need. Then sees whether the devices are there, which may start
 * threads of their runtime. */
static enum err_code scan_confine(struct scan *scan, struct err *err)
{
    const struct scan_how *how = scan->job->how;
    struct confine confine = { 0 };

    confine_open(&confine, how->no_jail, CONFINE_ALL);
    for (int i = 0; i < how->image_count; i++)
        confine_evidence(&confine, how->images[i]);
    for (uint32_t i = 0; i < scan->job->known_count; i++)
        confine_read(&confine, scan->job->known[i]);
    if (how->mapfile != NULL)
        confine_read(&confine, how->mapfile);
    if (scan->job->shards != NULL)
        confine_read(&confine, shards_folder(scan->job->shards));
    if (scan->job->since != NULL)
        confine_read(&confine, scan->job->since);
    if (scan->job->changed != NULL)
        confine_read(&confine, scan->job->changed);
    if (scan->job->keep_parts != NULL)
        confine_folder(&confine, scan->job->keep_parts);
    confine_case(&confine, how->case_path);
    if (scan_how_on_device(how))
        confine_devices(&confine);
    const enum err_code rc = confine_enter(&confine, err);
    memcpy(scan->jail, confine.note, sizeof confine.note);
    return rc == ERR_OK && how->devices != NULL ? devices_check(how->devices, how->device_mask, err)
                                                : rc;
}

/* The shards, or the parts of an earlier scan, are of this image: before a case file is made for
 * others. */
static enum err_code scan_check_parts(struct scan *scan, struct err *err)
{
    const struct scan_job *job = scan->job;
    struct scan_opened *on = &scan->opened;

    if (job->shards == NULL && scan->since == NULL)
        return ERR_OK;
    enum err_code rc = scan_opened_open(job, job->how->images[0], on, err);
    if (rc == ERR_OK && job->shards != NULL)
        rc = shards_accept(job->shards, job, on->image, &on->sample, NULL, &on->map, &scan->known,
                           err);
    if (rc == ERR_OK && scan->since != NULL)
        rc = since_check(scan->since, job, on->image, &on->map, &scan->known, err);
    return rc;
}

enum err_code scan_images(const struct scan_job *job, enum exit_status *status, struct err *err)
{
    const struct scan_how *how = job->how;
    struct scan scan = { .job = job };
    struct db_lock *lock = NULL;
    struct seal_signer signer;
    enum err_code rc = seal_signer_open(how->sign, how->case_path, &signer, err);

    if (rc == ERR_OK && job->keep_parts != NULL)
        rc = shard_folder(job->keep_parts, err);
    if (rc == ERR_OK)
        rc = scan_confine(&scan, err); /* before there are threads */

    if (rc == ERR_OK) /* the first image's matcher is compiled while the case file is made */
        rc = pipeline_begin(job, &scan.pipeline, err);
    if (rc == ERR_OK) /* before a case file is made for evidence that is not there */
        rc = scan_how_check_images(how, err);
    if (rc == ERR_OK)
        rc = casefile_lock(job->command, how->case_path, how->wait, &lock, err);
    if (rc == ERR_OK)
        rc = known_scan_open(job->known, job->known_count, job->known_step, &scan.known, err);
    if (rc == ERR_OK && job->since != NULL)
        rc = since_open(job->since, job->changed, &scan.since, err);
    if (rc == ERR_OK)
        rc = scan_check_parts(&scan, err);
    if (rc == ERR_OK)
        rc = scan_case_open(job, &lock, &scan.db, err);
    for (int i = 0; rc == ERR_OK && i < how->image_count; i++)
        rc = scan_image(&scan, (uint32_t)i, status, err);
    if (scan.db != NULL) { /* what was recorded before an error too */
        if (rc != ERR_OK)
            db_rollback(scan.db);
        const enum err_code late =
            seal_case(scan.db, how->case_path, scan.seal, &signer, rc == ERR_OK ? err : NULL);

        rc = rc == ERR_OK ? late : rc;
    }
    if (rc == ERR_OK && !how->quiet && !how->json)
        rc = casefile_tell_last(how->case_path, scan.db, err);
    scan_opened_close(&scan.opened);
    pipeline_end(scan.pipeline);
    db_seal_readers_close(scan.seal);
    db_case_close(scan.db);
    db_lock_release(lock);
    seal_signer_close(&signer);
    since_close(scan.since);
    known_scan_close(&scan.known);
    return rc;
}
