/*
 * carver/scan/scan.c - `burin scan`: images into a case file.
 *
 * Reads the command line, chooses signatures, opens case file and images, and runs the pipeline
 * once for each image.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/case/casefile.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/progress.h"
#include "carver/cli/stop.h"
#include "carver/cli/text.h"
#include "carver/known/known_objects.h"
#include "carver/plan/nest.h"
#include "carver/scan/pipeline.h"
#include "carver/scan/scan.h"
#include "carver/scan/scan_cut.h"
#include "carver/scan/scan_options.h"
#include "carver/scan/scan_record.h"

enum { SCAN_COMMAND_LINE_MAX = 16384 };

struct scan {
    const struct scan_options *options;
    struct db_case *db;
    struct scan_signatures signatures;
    struct patterns patterns;
    struct pipeline_matcher *early;
    struct known_scan known;
    struct progress progress;
    struct json json;            /* the summaries, with --json */
    char jail[CONFINE_NOTE_MAX]; /* what was given up, for the log */
};

static bool scan_tick(void *arg, uint64_t bytes_done, const struct record *record)
{
    const struct record_totals *totals = record_totals(record);

    progress_update(arg, bytes_done, totals->hits, totals->objects);
    return stop_requested();
}

static void scan_news(void *arg, const char *line)
{
    progress_clear(arg);
    text_message(stderr, "burin: scan: warning: %s", line);
}

static bool scan_wanted(void *arg, const struct sig *sig, const struct sig_type *type)
{
    return types_wanted(arg, sig, type);
}

static bool scan_confirm(void *arg, uint32_t pattern, const uint8_t *bytes)
{
    const struct keyword_set *keywords = arg;

    return keyword_confirm(&keywords->items[pattern], bytes);
}

/* What is asked of every image alike. */
static struct pipeline_options scan_work(struct scan *scan)
{
    const struct scan_options *o = scan->options;
    const bool search = o->search != NULL;
    return (struct pipeline_options){
        .io = o->io,
        .engine = o->engine,
        .strategy = o->strategy,
        .device_mask = o->device_mask,
        .patience = o->patience,
        .threads = o->threads,
        .segment_len = o->segment_len,
        .plan = { .sigs = scan->signatures.sigs,
                  .sig_count = scan->signatures.count,
                  .patterns = &scan->patterns,
                  .threads = o->threads,
                  .compat = o->compat,
                  .all_hits = o->all_hits,
                  .hits_only = o->hits_only,
                  .label = o->compat == SIG_COMPAT_NONE,
                  .align = o->align,
                  .wanted = o->dictionary == NULL && !search ? scan_wanted : NULL,
                  .wanted_arg = &scan->signatures.selection,
                  .confirm = search && o->search->keywords->ignore_case ? scan_confirm : NULL,
                  .confirm_arg = search ? (void *)(uintptr_t)o->search->keywords : NULL },
        .known = &scan->known,
        .known_on_device = o->devices != NULL,
        .tick = scan_tick,
        .news = scan_news,
        .tick_arg = &scan->progress,
    };
}

static enum err_code scan_pipeline(struct scan *scan, struct io_image *image,
                                   const struct io_range *range, struct record *record,
                                   struct pipeline_totals *totals, struct err *err)
{
    struct pipeline_options options = scan_work(scan);

    options.ranges = range;
    options.range_count = 1;
    options.early = scan->early;
    progress_start(&scan->progress, scan_command_name(scan->options), range->len,
                   scan->options->quiet);
    const enum err_code rc = pipeline_run(image, &options, record, totals, err);
    progress_end(&scan->progress);
    return rc;
}

static void scan_known_tick(void *arg, uint64_t bytes_done, uint64_t objects_done)
{
    progress_update(arg, bytes_done, UINT64_MAX, objects_done);
}

/* Asks the sets about every object; what was found up to an error is kept. */
static enum err_code scan_known(struct scan *scan, struct io_image *image, int64_t image_id,
                                struct known_totals *totals, struct err *err)
{
    const struct known_objects_options options = { .image = image,
                                                   .image_id = image_id,
                                                   .threads = scan->options->threads,
                                                   .tick = scan_known_tick,
                                                   .tick_arg = &scan->progress };

    if (!known_scan_wants(&scan->known, false))
        return ERR_OK;
    progress_start(&scan->progress, "hash", 0, scan->options->quiet);
    const enum err_code rc = known_objects_look_up(&scan->known, scan->db, &options, totals, err);
    progress_end(&scan->progress);
    return rc;
}

/* What was found before an error is kept; the error that matters is the first one. */
static enum err_code scan_settle(struct scan *scan, struct io_image *image, struct record *record,
                                 const struct scan_ids *ids, struct pipeline_totals *totals,
                                 uint64_t position, enum err_code rc, struct err *err)
{
    const struct nest_image nest = { .image = image,
                                     .id = ids->image,
                                     .run_id = ids->run,
                                     .end = position,
                                     .sigs = scan->signatures.sigs,
                                     .signature_ids = ids->signatures,
                                     .sig_count = scan->signatures.count };
    struct err late = { 0 };
    enum err_code late_rc = record_end(record, position, &late);

    if (late_rc == ERR_OK && scan->options->search == NULL) {
        struct err nest_err = { 0 };
        const enum err_code nest_rc = nest_objects(scan->db, &nest, &nest_err);

        if (rc == ERR_OK &&
            nest_rc != ERR_OK) { /* an image that is gone has ended the scan before */
            rc = nest_rc;
            *err = nest_err;
        }
    }
    if (late_rc == ERR_OK && rc == ERR_OK)
        rc = scan_known(scan, image, ids->image, &totals->known, err);
    stop_hold();
    const char *status = rc == ERR_INTERRUPTED ? "interrupted" : rc != ERR_OK ? "failed" : "done";
    if (late_rc == ERR_OK)
        late_rc = db_run_finish(scan->db, ids->run, status, &late);
    if (late_rc == ERR_OK && io_image_trouble(image)[0] != '\0')
        late_rc = db_log(scan->db, ids->run, "note", io_image_trouble(image), &late);
    if (late_rc == ERR_OK && totals->engine_why[0] != '\0')
        late_rc = db_log(scan->db, ids->run, "note", totals->engine_why, &late);
    if (late_rc == ERR_OK)
        late_rc = scan_cut_log(scan->db, ids->run, &totals->plan, &late);
    if (late_rc == ERR_OK)
        late_rc = db_log(scan->db, ids->run, rc == ERR_OK ? "end" : status,
                         rc == ERR_OK ? "done" : err->text, &late);
    if (late_rc == ERR_OK)
        late_rc = db_commit(scan->db, &late);
    stop_release();
    if (rc != ERR_OK)
        return rc;
    if (late_rc != ERR_OK)
        *err = late;
    return late_rc;
}

static enum err_code scan_image(struct scan *scan, const char *path, const char *command_line,
                                enum exit_status *status, struct err *err)
{
    const struct scan_options *o = scan->options;
    struct io_image *image = NULL;
    struct pipeline_totals totals = { 0 };
    struct record *record = NULL;
    struct scan_ids ids = { 0 };
    struct io_range range;

    enum err_code rc = io_image_open(path, o->image_type, &image, err);
    if (rc == ERR_OK)
        rc = scan_range(o, image, path, &range, err);
    if (rc == ERR_OK)
        rc = scan_record_begin(scan->db, image, path, o, &scan->signatures, command_line,
                               scan->jail, &ids, err);
    if (rc == ERR_OK)
        rc = known_scan_record(&scan->known, scan->db, ids.run, err);
    if (rc == ERR_OK)
        rc = record_open(scan->db, ids.image, ids.run, ids.signatures, &record, err);
    if (rc == ERR_OK) {
        rc = scan_pipeline(scan, image, &range, record, &totals, err);
        rc = scan_settle(scan, image, record, &ids, &totals, range.offset + totals.bytes, rc, err);
    }
    if (rc == ERR_OK && io_image_trouble(image)[0] != '\0')
        text_message(stderr, "burin: %s: %s: %s", scan_command_name(o), path,
                     io_image_trouble(image));
    if (rc == ERR_OK && totals.recorded.bad_ranges > 0) {
        text_message(stderr,
                     "burin: %s: %s: %" PRIu64 " byte%s in %" PRIu64
                     " place%s could not be read; zeros stand for them (listed in the case file)",
                     scan_command_name(o), path, totals.recorded.bad_bytes,
                     text_s(totals.recorded.bad_bytes), totals.recorded.bad_ranges,
                     text_s(totals.recorded.bad_ranges));
        *status = EXIT_PARTLY;
    }
    if (rc == ERR_OK && totals.known.skipped > 0) {
        text_message(stderr,
                     "burin: scan: %s: %" PRIu64
                     " objects lie so often in one another that they were not hashed; "
                     "carve writes them, and known query asks",
                     path, totals.known.skipped);
        *status = EXIT_PARTLY;
    }
    if (rc == ERR_OK)
        scan_cut_tell(scan_command_name(o), path, &totals.plan, o->quiet || o->json, status);
    if (rc == ERR_OK && o->search != NULL)
        rc = o->search->report(o->search->arg, scan->db, image, &ids, &totals, err);
    else if (rc == ERR_OK)
        rc = scan_print(scan->db, ids.image, path, o, &totals, &scan->json, err);
    record_close(record);
    free(ids.signatures);
    io_image_close(image);
    if (rc != ERR_OK)
        err_while(err, "scanning %s", path);
    return rc;
}

/* The first image's matcher is compiled while the case file is made. */
static struct pipeline_matcher *scan_begin_matcher(struct scan *scan)
{
    const struct pipeline_options work = scan_work(scan);
    const struct match_options options = pipeline_match_options(&work);

    return pipeline_matcher_begin(scan->patterns.dictionary, &options);
}

enum err_code scan_images(const struct scan_options *options, const char *command_line, bool find,
                          enum exit_status *status, struct err *err)
{
    struct scan scan = { .options = options };
    struct db_lock *lock = NULL;
    enum err_code rc = scan_signatures_open(options, &scan.signatures, err);

    json_init(&scan.json, stdout, options->image_count > 1 ? 2 : 1);
    if (rc == ERR_OK)
        rc = options->search != NULL
                 ? keyword_patterns(options->search->keywords, &scan.patterns, err)
                 : patterns_build(scan.signatures.sigs, find ? scan.signatures.count : 0,
                                  &scan.patterns, err);
    if (rc == ERR_OK)
        rc = scan_options_confine(options, scan.jail, err); /* before there are threads */
    if (rc == ERR_OK)
        scan.early = scan_begin_matcher(&scan);
    if (rc == ERR_OK)
        rc = scan_check_images(options,
                               err); /* before a case file is made for evidence that is not there */
    if (rc == ERR_OK)
        rc = casefile_lock(scan_command_name(options), options->case_path, options->wait, &lock,
                           err);
    if (rc == ERR_OK)
        rc = known_scan_open(options->known, options->known_count, options->known_step, &scan.known,
                             err);
    if (rc == ERR_OK)
        rc = scan_case_open(options, &lock, &scan.db, err);
    for (int i = 0; rc == ERR_OK && i < options->image_count; i++)
        rc = scan_image(&scan, options->images[i], command_line, status, err);
    if (rc == ERR_OK && !options->quiet && !options->json)
        rc = casefile_tell_last(options->case_path, scan.db, err);
    scan_print_end(&scan.json);
    db_case_close(scan.db);
    db_lock_release(lock);
    known_scan_close(&scan.known);
    pipeline_matcher_end(scan.early);
    patterns_release(&scan.patterns);
    scan_signatures_close(&scan.signatures);
    return rc;
}

static enum err_code scan_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    char command_line[SCAN_COMMAND_LINE_MAX];
    struct scan_options options;

    args_quote(argc, argv, command_line, sizeof command_line);
    const enum err_code rc = scan_options_read(argc, argv, &options, err);
    return rc == ERR_OK ? scan_images(&options, command_line, true, status, err) : rc;
}

const struct command command_scan = {
    .name = "scan",
    .arguments = "[options] IMAGE...",
    .what = "find recoverable files in disk images and record them in a case file",
    .options = SCAN_OPTIONS_TEXT,
    .run = scan_run,
};
