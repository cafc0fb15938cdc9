/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/audit_tell.c - a run that is over is told: see audit_run.h.
 *
 * Its case file was made of images that may mean harm: rights are given up before it is opened. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "carver/audit/audit_run.h"
#include "carver/audit/outputs.h"
#include "carver/case/confine.h"
#include "carver/cli/interrupt.h"

/* The folder that a file is to be written in. */
static void tell_folder(struct confine *confine, const char *path)
{
    char folder[LIMIT_PATH];

    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        snprintf(folder, sizeof folder, ".");
    else
        slash[slash == folder] = '\0';
    confine_folder(confine, folder);
}

static enum err_code tell_confine(const struct audit *audit, struct err *err)
{
    struct confine confine = { 0 };

    confine_open(&confine, audit->options.no_jail, CONFINE_ALL);
    confine_case(&confine, audit->state.unfinished);
    for (uint32_t i = 0; i < POLICY_OUTPUTS; i++) {
        const char *path = audit_output_path(audit, (enum policy_output)i);

        if (path[0] != '\0')
            tell_folder(&confine, path);
    }
    return confine_enter(&confine, err);
}

/* How far the scans of the case file have come. */
static enum err_code tell_progress(struct told *told, struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = db_image_count(told->db, &count, err);

    for (int64_t id = 1; rc == ERR_OK && id <= count; id++) {
        struct db_image image;
        struct db_run run = { .position = 0 };
        bool scanned = false;

        rc = db_image_get(told->db, id, &image, err);
        if (rc == ERR_OK)
            rc = db_scan_exists(told->db, id, &scanned, err);
        if (rc == ERR_OK && scanned)
            rc = db_run_latest(told->db, id, &run, err);
        told->position += rc == ERR_OK ? run.position : 0;
    }
    return rc;
}

/* The case files of a run that has not failed, and its findings. */
static enum err_code tell_open(struct told *told, struct err *err)
{
    const struct audit *audit = told->audit;
    const struct state *state = &audit->state;
    char before[STATE_PATH_MAX] = "";
    const bool has_before =
        state_run(state, state->last_number - (audit->finished && state->last_number > 0), before);
    enum err_code rc = ERR_OK;

    if (audit->failed != ERR_OK)
        return ERR_OK;
    rc = db_case_open(audit->finished ? state->last : state->unfinished, DB_READ, &told->db, err);
    if (rc == ERR_OK && !audit->judged)
        return tell_progress(told, err);
    if (rc == ERR_OK && has_before && audit->counts.has_baseline)
        rc = db_case_open(before, DB_READ, &told->old, err);
    if (rc == ERR_OK)
        rc = findings_load(&told->list, told->db, true, err);
    findings_settle(&told->list);
    return rc;
}

/* What went wrong behind the stages: the run is none that found nothing. */
static void tell_failed(struct told *told, enum err_code rc, const struct err *err)
{
    struct audit *audit = told->audit;

    if (rc == ERR_OK)
        return;
    audit->failed = rc;
    audit->why = *err;
    db_case_close(told->db);
    told->db = NULL;
    told->status = (int)audit_status(audit);
}

enum exit_status audit_tell(struct audit *audit)
{
    struct told told = { .audit = audit,
                         .status = (int)audit_status(audit),
                         .now = (int64_t)time(NULL),
                         .elapsed = clock_now(CLOCK_MONOTONIC) - audit->began };
    struct err err = { 0 };

    tell_failed(&told, tell_confine(audit, &err), &err);
    tell_failed(&told, tell_open(&told, &err), &err);
    told_log(&told);
    if (!audit->counts.refused && outputs_write(&told, &err) != ERR_OK)
        tell_failed(&told, ERR_ENV, &err);
    const int nagios = audit->options.nagios ? told_nagios(&told) : 0;
    if (!audit->options.nagios && (!audit->options.quiet || audit->options.json))
        told_summary(&told);
    findings_release(&told.list);
    db_case_close(told.old);
    db_case_close(told.db);
    fflush(stdout);
    interrupt_release();
    return (enum exit_status)(audit->options.nagios ? nagios : told.status);
}
