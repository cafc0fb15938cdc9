/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount_record.c - see mount_record.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/case/casefile.h"
#include "carver/case/run.h"
#include "carver/case/seal.h"
#include "carver/cli/interrupt.h"
#include "carver/mount/mount_record.h"

static enum err_code record_settings(const struct mount_record *record,
                                     struct run_settings *settings, struct err *err)
{
    enum err_code rc = run_settings_open(settings, err);

    if (rc != ERR_OK)
        return rc;
    json_string(&settings->json, "folder", record->folder);
    json_bool(&settings->json, "embedded", record->choice->embedded);
    json_bool(&settings->json, "truncated", record->choice->truncated);
    selection_json(&record->choice->selection, &settings->json);
    return run_settings_close(settings, err);
}

enum err_code mount_record_begin(struct mount_record *record, struct db_case *db, struct err *err)
{
    struct run_settings settings;
    const struct db_run run = { .command = "mount",
                                .command_line = record->command_line,
                                .options = settings.text,
                                .started = record->started,
                                .status = "interrupted" };
    enum err_code rc = record_settings(record, &settings, err);

    if (rc == ERR_OK)
        rc = db_begin(db, err);
    if (rc == ERR_OK)
        rc = run_begin(db, &run, &record->run_id, err);
    if (rc == ERR_OK)
        rc = db_log(db, record->run_id, "note", record->jail, err);
    for (uint32_t i = 0; rc == ERR_OK && i < record->images->count; i++)
        if (record->images->notes[i] != NULL)
            rc = db_log(db, record->run_id, "note", record->images->notes[i], err);
    return rc == ERR_OK ? db_commit(db, err) : rc;
}

/* What has happened to the processes that read the images. */
static enum err_code record_trouble(const struct mount_record *record, struct db_case *db,
                                    struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < record->images->count; i++) {
        const char *trouble = io_image_trouble(record->images->items[i]);

        if (trouble[0] != '\0')
            rc = db_log(db, record->run_id, "note", trouble, err);
    }
    return rc;
}

static enum err_code record_end(const struct mount_record *record, struct db_case *db,
                                const char *text, struct err *err)
{
    struct seal_signer nobody = { 0 };
    enum err_code rc = db_begin(db, err);

    if (rc == ERR_OK)
        rc = record_trouble(record, db, err);
    if (rc == ERR_OK)
        rc = db_log(db, record->run_id, "end", text, err);
    if (rc == ERR_OK)
        rc = db_run_finish(db, record->run_id, "done", err);
    if (rc == ERR_OK)
        rc = db_commit(db, err);
    return rc == ERR_OK ? seal_case(db, record->case_path, NULL, &nobody, err) : rc;
}

enum err_code mount_record_end(const struct mount_record *record, const struct serve_totals *totals,
                               bool unmounted, struct err *err)
{
    struct db_case *db = NULL;
    char text[384], through[96] = "";

    if (record->run_id == 0)
        return ERR_OK;
    if (totals->through > 0)
        snprintf(through, sizeof through,
                 " (%" PRIu64 " of them images that the kernel reads itself)", totals->through);
    snprintf(text, sizeof text,
             "%s: %" PRIu64 " files opened%s, %" PRIu64 " bytes in %" PRIu64 " requests, %" PRIu64
             " could not be answered",
             unmounted ? "unmounted" : "stopped by a signal", totals->opens, through, totals->bytes,
             totals->reads, totals->failed);
    /* Nobody sees the files any more; so it may wait, but not where a signal has ended it. */
    enum err_code rc = casefile_open("mount", record->case_path, unmounted, &db, err);
    interrupt_hold();
    if (rc == ERR_OK)
        rc = record_end(record, db, text, err);
    db_case_close(db);
    interrupt_release();
    return rc;
}
