/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/audit_run.c - see audit_run.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "carver/audit/audit_run.h"
#include "carver/audit/outputs.h"
#include "carver/audit/stage.h"
#include "carver/cli/interrupt.h"
#include "io/image.h"

/* The images of the policy that are there now. One that is not is an error: a disk that is gone
 * must not look like one without findings. */
static enum err_code run_images(struct audit *audit, struct err *err)
{
    const struct policy *policy = &audit->policy;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < policy->image_count; i++) {
        const int as_it_is = io_image_is_address(policy->images[i].text) ? GLOB_NOCHECK : 0;
        const int how =
            glob(policy->images[i].text, as_it_is | (audit->has_images ? GLOB_APPEND : 0), NULL,
                 &audit->images);

        audit->has_images = true;
        if (how == GLOB_NOMATCH)
            rc = POLICY_FAULT(err, policy, policy->images[i].line, "image %s: there is none",
                              policy->images[i].text);
        else if (how != 0)
            rc = ERR_RAISE(err, ERR_ENV, "image %s: cannot be looked for", policy->images[i].text);
    }
    if (rc == ERR_OK && policy->read == POLICY_READ_CHANGED && audit->images.gl_pathc != 1)
        rc = POLICY_FAULT(err, policy, policy->read_line,
                          "read = changed is of one image, and there are %zu",
                          audit->images.gl_pathc);
    if (rc == ERR_OK && audit->images.gl_pathc > LIMIT_IMAGE_PARTS)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: more than %d images", policy->path, LIMIT_IMAGE_PARTS);
    return rc;
}

static enum err_code run_open(struct audit *audit, struct err *err)
{
    enum err_code rc = state_open(audit->policy.state.text, &audit->state, err);

    if (rc == ERR_OK)
        rc = audit_lint(audit, false, err);
    return rc == ERR_OK ? run_images(audit, err) : rc;
}

/* Whether the parts of the last run and a map say what need not be read. Without one of them all
 * is. */
static bool run_since(const struct audit *audit)
{
    const struct policy *policy = &audit->policy;
    const bool map = policy->read == POLICY_READ_CHANGED && access(policy->changed.text, F_OK) == 0;

    if (policy->read == POLICY_READ_CHANGED && (!map || !audit->state.has_parts))
        log_line(audit, LOG_NOTICE, "%s: reads all: %s%s", policy->name.text,
                 map ? "the last run was not finished, or left no parts"
                     : "there is no map of changes ",
                 map ? "" : policy->changed.text);
    return map && audit->state.has_parts;
}

/* The scan of a run that was stopped goes on, or takes over what did not change since the last one.
 * Where it cannot, because disk or program is not what it was, it begins anew. */
static enum err_code run_scan(struct audit *audit, uint64_t deadline, bool *late,
                              enum exit_status *status, struct err *err)
{
    enum err_code rc = ERR_OK;

    audit->state.has_parts = run_since(audit);
    if (audit->policy.read == POLICY_READ_CHANGED)
        rc = state_drop(&audit->state, err); /* such a scan does not go on */
    if (rc == ERR_OK)
        rc = stage_run(audit_scan, "scan", audit, deadline, late, status, err);
    if (rc != ERR_INPUT || !(audit->state.resumes || audit->state.has_parts))
        return rc;
    log_line(audit, LOG_NOTICE, "%s: begins anew: %s", audit->policy.name.text, err->text);
    audit->state.has_parts = false;
    rc = state_drop(&audit->state, err);
    return rc == ERR_OK ? stage_run(audit_scan, "scan", audit, deadline, late, status, err) : rc;
}

/* The run ends before its work: says why. */
static void run_cut(struct audit *audit, const char *why)
{
    snprintf(audit->why.text, sizeof audit->why.text, "its time of %" PRIu64 " s is over%s",
             audit->policy.time / UINT64_C(1000000000), why);
}

/* Rules and comparison. Where there is no time to try rules of YARA on all objects, or to look for
 * patterns, without those. */
static enum err_code run_judge(struct audit *audit, uint64_t deadline, bool *cut,
                               enum exit_status *status, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (policy_has(&audit->policy, POLICY_YARA))
        rc = stage_run(audit_yara, "search for rules of YARA", audit, deadline, cut, status, err);
    if (*cut)
        run_cut(audit, " before rules of YARA were tried on all files, which is done in one go; "
                       "give it more");
    else if (rc == ERR_OK) {
        rc = stage_run(audit_judge, "search", audit, deadline, cut, status, err);
        if (*cut)
            run_cut(audit, " before all patterns were looked for, which is done in one go; give "
                           "it more");
    }
    if (*cut) {
        bool late;

        rc = stage_run(audit_judge_only, "comparison", audit, 0, &late, status, err);
    }
    audit->judged = rc == ERR_OK;
    return rc;
}

static enum err_code run_stages(struct audit *audit, struct err *err)
{
    const uint64_t deadline = audit->policy.time != 0 ? audit->began + audit->policy.time : 0;
    enum exit_status status = EXIT_DONE;
    bool cut = false;
    enum err_code rc = state_begin(&audit->state, err);

    if (rc == ERR_OK)
        rc = stage_run(audit_check, "look at the images", audit, 0, &cut, &status, err);
    if (rc == ERR_OK)
        rc = run_scan(audit, deadline, &cut, &status, err);
    if (cut) { /* files that are not hashed yet cannot be compared */
        run_cut(audit, "; the next run goes on there");
        return ERR_OK;
    }
    if (rc == ERR_OK)
        rc = run_judge(audit, deadline, &cut, &status, err);
    audit->partly = status == EXIT_PARTLY || audit->counts.unreadable > 0;
    if (rc == ERR_OK && !cut)
        rc = state_finish(&audit->state, audit->policy.keep, (int64_t)time(NULL), err);
    audit->finished = rc == ERR_OK && !cut;
    return rc;
}

void audit_run(struct audit *audit)
{
    struct err err = { 0 };

    interrupt_hold(); /* a stop ends the stages, and is told: see audit_tell */
    audit->began = clock_now(CLOCK_MONOTONIC);
    audit->started = (int64_t)time(NULL);
    audit->state.lock = -1;
    if (audit->options.syslog)
        openlog("burin", LOG_PID | LOG_NDELAY, LOG_DAEMON); /* before connections are given up */
    audit->failed = run_open(audit, &err);
    if (audit->failed == ERR_OK)
        audit->failed = run_stages(audit, &err);
    if (audit->failed != ERR_OK)
        audit->why = err;
}

void audit_release(struct audit *audit)
{
    if (audit->has_images)
        globfree(&audit->images);
    state_close(&audit->state);
    allow_release(&audit->allow);
    policy_release(&audit->policy);
}
