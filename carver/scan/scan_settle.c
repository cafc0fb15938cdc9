/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_settle.c - see scan_impl.h: the end of a scan, behind its parts.
 *
 *   last rows, and what lies in what ──► file systems ──► files in pieces ──► text ──► known files
 *   ──► places of objects ──► how the run ended
 */
#include <inttypes.h>
#include <stdio.h>

#include "carver/case/run.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "carver/known/known_objects.h"
#include "carver/plan/containment.h"
#include "carver/scan/scan_cut.h"
#include "carver/scan/scan_hash.h"
#include "carver/scan/scan_impl.h"
#include "carver/scan/scan_places.h"
#include "carver/scan/scan_text.h"
#include "carver/scan/shard_hashes.h"
#include "carver/scan/shards.h"
#include "io/fsmap.h"

enum {
    SETTLE_KNOWN_NOTE = 96,  /* bytes of a line of the log */
    SETTLE_OBJECT = 3,       /* rows of an object that the seal reads */
    SETTLE_READER = 1 << 18, /* objects in shards, for which one more thread reads rows */
};

static void scan_known_tick(void *arg, uint64_t bytes_done, uint64_t objects_done)
{
    progress_update(arg, bytes_done, UINT64_MAX, objects_done);
}

/* Asks the sets about every object; what was found up to an error is kept. */
static enum err_code scan_known_objects(struct scan *scan, struct io_image *image, int64_t image_id,
                                        struct shard_hashes *hashes, struct known_totals *totals,
                                        struct err *err)
{
    const struct known_objects_options options = { .image = image,
                                                   .image_id = image_id,
                                                   .threads = scan->job->how->threads,
                                                   .sha256 = scan->job->hash_objects,
                                                   .find =
                                                       hashes != NULL ? shard_hashes_find : NULL,
                                                   .find_arg = hashes,
                                                   .tick = scan_known_tick,
                                                   .tick_arg = &scan->progress };

    progress_start(&scan->progress, "hash", 0,
                   progress_unless_quiet(scan->job->how->progress, scan->job->how->quiet));
    const enum err_code rc = known_objects_look_up(&scan->known, scan->db, &options, totals, err);
    progress_end(&scan->progress);
    return rc;
}

/* The hashes that parts have taken need not be taken again. */
static enum err_code scan_known(struct scan *scan, struct io_image *image,
                                const struct scan_ids *ids, struct known_totals *totals,
                                struct err *err)
{
    const struct shards *shards = scan->job->shards;
    struct shard_hashes *hashes = NULL;
    char text[SETTLE_KNOWN_NOTE];
    enum err_code rc = ERR_OK;

    if (!known_scan_wants(&scan->known, false) && !scan->job->hash_objects)
        return ERR_OK;
    if (shards != NULL)
        rc = shard_hashes_open(shards, io_image_size(image), &hashes, err);
    if (rc == ERR_OK)
        rc = scan_known_objects(scan, image, ids->image, hashes, totals, err);
    shard_hashes_close(hashes);
    if (rc != ERR_OK || shards == NULL)
        return rc;
    snprintf(text, sizeof text, "hashes of %" PRIu64 " object%s were taken by the parts",
             totals->had, plural_s(totals->had));
    return db_log(scan->db, ids->run, "note", text, err);
}

/* Whether objects of the type are wanted, of one of the scan's signatures. */
static bool scan_wants(void *arg, const struct sig *sig, const struct sig_type *type)
{
    const struct scan *scan = arg;
    const struct plan_options *plan = &scan->job->plan;

    return plan->wanted == NULL || plan->wanted(plan->wanted_arg, sig, type);
}

/* What is asked for of files in pieces; the case file, and what could not be read, are the caller's
 * to set. */
static struct assemble_image scan_assemble_job(struct scan *scan, struct io_image *image,
                                               const struct scan_ids *ids,
                                               const struct io_fsmap *map)
{
    return (struct assemble_image){ .image = image,
                                    .map = map,
                                    .spots = scan->spots,
                                    .ahead = &scan->ahead,
                                    .image_id = ids->image,
                                    .run_id = ids->run,
                                    .threads = scan->job->how->threads,
                                    .effort = 1,
                                    .wanted = scan_wants,
                                    .wanted_arg = scan,
                                    .stop = interrupt_requested };
}

/* Files in pieces. Nothing of it is kept when it does not come to its end. */
static enum err_code scan_assemble(struct scan *scan, struct io_image *image,
                                   const struct scan_ids *ids, const struct io_fsmap *map,
                                   struct err *err)
{
    struct scan_early *early = &scan->early;
    struct assemble_image job = scan_assemble_job(scan, image, ids, map);
    struct unread unread = { 0 };
    enum err_code rc = db_commit(scan->db, err);

    job.db = scan->db;
    job.unread = &unread;
    if (rc == ERR_OK)
        rc = db_begin(scan->db, err);
    if (rc == ERR_OK && early->pieces_made)
        rc = assemble_store(scan->db, ids->image, ids->run, &early->rows, err);
    if (rc == ERR_OK && !early->pieces_made)
        rc = unread_load(scan->db, ids->image, ids->scan, &unread, err);
    if (rc == ERR_OK && !early->pieces_made)
        rc = assemble_image(&job, &early->totals, err);
    unread_release(&unread);
    if (rc == ERR_OK)
        return assemble_log(scan->db, ids->run, &early->totals, err);
    db_rollback(scan->db);
    const enum err_code late = db_begin(scan->db, NULL);
    return late == ERR_OK ? rc : late;
}

/* What file systems say of the image: of files in pieces, and of the places of all objects. */
static enum err_code scan_file_systems(struct scan *scan, struct io_image *image,
                                       const struct scan_ids *ids, struct pipeline_totals *totals,
                                       struct err *err)
{
    enum err_code rc = ahead_wait(&scan->ahead, err);
    const struct io_fsmap *map = scan->ahead.map;
    uint64_t texts = 0;

    if (rc == ERR_OK && map != NULL && io_fsmap_note(map)[0] != '\0')
        rc = db_log(scan->db, ids->run, "note", io_fsmap_note(map), err);
    scan_stages_end(&scan->stages, "file systems");
    if (rc == ERR_OK && scan->spots != NULL)
        rc = scan_assemble(scan, image, ids, map, err);
    scan_stages_end(&scan->stages, "files in pieces");
    if (rc == ERR_OK)
        rc = scan_text(scan->db, scan->job, image, scan->pick, ids, map, &scan->texts,
                       &scan->progress, &texts, err);
    totals->recorded.hits += texts;
    totals->recorded.objects += texts;
    scan_stages_end(&scan->stages, "text");
    if (rc == ERR_OK)
        rc = scan_known(scan, image, ids, &totals->known, err);
    if (rc == ERR_OK && map != NULL)
        rc = scan_places(scan->db, map, ids->image, err);
    scan_stages_end(&scan->stages, "places");
    return rc;
}

/* The objects of the image, and where they lie in each other. */
static struct containment_image scan_nest(const struct scan *scan, struct io_image *image,
                                          const struct scan_ids *ids,
                                          const struct starts_seen *seen,
                                          const struct pipeline_totals *totals)
{
    return (struct containment_image){ .image = image,
                                       .id = ids->image,
                                       .run_id = ids->scan,
                                       .end = totals->position,
                                       .sigs = scan->job->plan.sigs,
                                       .signature_ids = ids->signatures,
                                       .sig_count = scan->job->plan.sig_count,
                                       .places = seen->objects,
                                       .place_count = seen->object_count };
}

/* What is known of the objects once all of them, or as many as there will be, have been found. */
static enum err_code scan_finish(struct scan *scan, struct io_image *image,
                                 const struct scan_ids *ids, const struct starts_seen *seen,
                                 struct pipeline_totals *totals, enum err_code rc, struct err *err)
{
    const struct containment_image nest = scan_nest(scan, image, ids, seen, totals);
    struct err nest_err = { 0 };
    enum err_code nest_rc = ERR_OK;

    if (!scan->early.nested_made && !scan->job->plan.hits_only)
        nest_rc = containment_objects(scan->db, &nest, &nest_err);
    scan_stages_end(&scan->stages, "containment");
    if (rc == ERR_OK && nest_rc != ERR_OK) { /* an image that is gone has ended the scan before */
        rc = nest_rc;
        *err = nest_err;
    }
    return rc == ERR_OK ? scan_file_systems(scan, image, ids, totals, err) : rc;
}

/*
 * What can be worked out while the last rows are written: where all is in memory, and all of the
 * image could be read. Headers are needed for files in pieces alone, and where there are too many
 * of them, what lies in what would be, too, to stay in memory for these.
 */
static enum err_code scan_objects(struct scan *scan, struct io_image *image, struct record *record,
                                  const struct scan_ids *ids, const struct starts_seen *seen,
                                  const struct pipeline_totals *totals, struct err *err)
{
    const struct containment_image nest = scan_nest(scan, image, ids, seen, totals);
    const bool pieces = scan->spots != NULL;
    enum err_code rc;

    if (scan->job->plan.hits_only || seen->objects == NULL || (pieces && seen->headers == NULL) ||
        record_totals(record)->bad_ranges > 0)
        return ERR_OK;
    rc = record_last(record, err);
    if (rc == ERR_OK)
        rc = scan_early_nested(&scan->early, &nest, record, pieces, err);
    if (rc != ERR_OK || !pieces)
        return rc;
    const struct assemble_image job = scan_assemble_job(scan, image, ids, NULL);

    return scan_early_pieces(&scan->early, &nest, &job, err);
}

/* The last rows of a run: how it ended. */
static enum err_code scan_end_run(struct scan *scan, struct io_image *image,
                                  const struct scan_ids *ids, const struct pipeline_totals *totals,
                                  enum err_code how, const char *why, struct err *err)
{
    const char *status = run_status(how);
    enum err_code rc = db_run_finish(scan->db, ids->run, status, err);

    if (rc == ERR_OK && how == ERR_OK)
        rc = db_state_drop(scan->db, ids->scan, err);
    if (rc == ERR_OK && how == ERR_OK)
        rc = db_text_spots_drop(scan->db, ids->scan, err);
    if (rc == ERR_OK && io_image_trouble(image)[0] != '\0')
        rc = db_log(scan->db, ids->run, "note", io_image_trouble(image), err);
    if (rc == ERR_OK && totals->reader_why[0] != '\0')
        rc = db_log(scan->db, ids->run, "note", totals->reader_why, err);
    if (rc == ERR_OK && how == ERR_OK)
        rc = db_log(scan->db, ids->run, "note", scan->stages.text, err);
    if (rc == ERR_OK && totals->engine_why[0] != '\0')
        rc = db_log(scan->db, ids->run, "note", totals->engine_why, err);
    if (rc == ERR_OK)
        rc = scan_cut_log(scan->db, ids->run, &totals->plan, err);
    if (rc == ERR_OK && how == ERR_OK)
        rc = scan_hash_record(scan->db, image, ids, &totals->hash, err);
    if (rc == ERR_OK)
        rc = db_log(scan->db, ids->run, how == ERR_OK ? "end" : status,
                    how == ERR_OK ? "done" : why, err);
    return rc == ERR_OK ? db_commit(scan->db, err) : rc;
}

/* Begins what the rows need not be there for. */
static enum err_code scan_ahead(struct scan *scan, struct io_image *image,
                                const struct starts_seen *seen, struct err *err)
{
    const struct scan_job *job = scan->job;
    const bool all = seen->headers != NULL && seen->objects != NULL;
    const struct ahead_job ahead = { .image = image,
                                     .file_systems = job->places && !job->plan.hits_only,
                                     .spots = scan->spots,
                                     .seen = all ? seen : NULL,
                                     .threads = job->how->threads,
                                     .stop = interrupt_requested };

    return job->plan.hits_only ? ERR_OK : ahead_start(&scan->ahead, &ahead, err);
}

/*
 * Threads that hash the rows for the seal, at most. To open the file takes each of them as long as
 * to read 10,000 rows. Where hits and objects stay in shards, of a fifth of the objects there is a
 * row, of what they lie in, and little else.
 */
static uint64_t scan_seal_readers(const struct scan_job *job, const struct record_totals *totals)
{
    return job->link ? totals->objects / SETTLE_READER + 2 : UINT32_MAX;
}

/* Rows that they will read, about: hits of a run that began the scan are hashed as they are found,
 * and an object has an extent and what is said of it. */
static uint64_t scan_seal_rows(const struct scan_job *job, const struct scan_ids *ids,
                               const struct record_totals *totals)
{
    return job->link || ids->run != ids->scan ? totals->hits : totals->objects * SETTLE_OBJECT;
}

enum err_code scan_settle(struct scan *scan, struct io_image *image, struct record *record,
                          const struct scan_ids *ids, struct pipeline_totals *totals,
                          enum err_code rc, struct err *err)
{
    struct starts_seen seen = { .sigs = scan->job->plan.sigs,
                                .signature_ids = ids->signatures,
                                .sig_count = scan->job->plan.sig_count };
    struct err late = { 0 };

    seen.headers = record_headers(record, &seen.header_count);
    seen.objects = record_places(record, &seen.object_count); /* sorted while rows are written */
    if (totals->torn)
        seen.objects = NULL; /* some do not count */
    if (rc == ERR_OK && scan->seal == NULL)
        scan->seal = seal_soon(scan->job->how->case_path,
                               scan_seal_rows(scan->job, ids, record_totals(record)),
                               scan->job->link ? 0 : record_totals(record)->hits,
                               scan_seal_readers(scan->job, record_totals(record)));
    if (rc == ERR_OK)
        rc = scan_ahead(scan, image, &seen, err);
    if (rc == ERR_OK)
        rc = scan_objects(scan, image, record, ids, &seen, totals, err);
    scan_stages_end(&scan->stages, "objects");
    enum err_code late_rc = record_end(record, totals->torn, &late);

    scan_stages_end(&scan->stages, "rows");
    if (late_rc == ERR_OK)
        rc = scan_finish(scan, image, ids, &seen, totals, rc, err);
    ahead_release(&scan->ahead);
    scan_early_release(&scan->early);
    interrupt_hold();
    if (late_rc == ERR_OK)
        late_rc = scan_end_run(scan, image, ids, totals, rc, err->text, &late);
    interrupt_release();
    if (rc != ERR_OK)
        return rc;
    if (late_rc != ERR_OK)
        *err = late;
    return late_rc;
}
