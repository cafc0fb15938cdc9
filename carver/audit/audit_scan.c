/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/audit_scan.c - the stages of an audit that read images for files: see audit.h. Both
 * use what `burin scan` does. */
#include <stdio.h>
#include <string.h>

#include "carver/audit/audit.h"
#include "carver/case/confine.h"
#include "carver/case/evidence.h"
#include "carver/scan/scan.h"
#include "carver/scan/scan_files.h"

const char *audit_output_path(const struct audit *audit, enum policy_output output)
{
    if (audit->options.outputs[output] != NULL)
        return audit->options.outputs[output];
    if (audit->policy.outputs[output].text != NULL)
        return audit->policy.outputs[output].text;
    return output == POLICY_OUTPUT_html ? audit->state.page : "";
}

/* Nothing that the audit writes may land on the image. */
static enum err_code audit_refuse(const struct audit *audit, const struct io_image *image,
                                  struct audit_counts *counts, struct err *err)
{
    enum err_code rc = evidence_refuse_output(image, audit->state.folder, "the state folder", err);

    for (uint32_t i = 0; rc == ERR_OK && i < POLICY_OUTPUTS; i++) {
        const char *path = audit_output_path(audit, (enum policy_output)i);

        if (path[0] != '\0')
            rc = evidence_refuse_output(image, path, "an output", err);
    }
    counts->refused |= rc != ERR_OK;
    return rc;
}

enum err_code audit_check(struct audit *audit, struct audit_counts *counts,
                          enum exit_status *status, struct err *err)
{
    struct confine confine = { 0 };
    enum err_code first = ERR_OK;

    (void)status;
    confine_open(&confine, audit->options.no_jail, CONFINE_ALL);
    for (size_t i = 0; i < audit->images.gl_pathc; i++)
        confine_evidence(&confine, audit->images.gl_pathv[i]);
    enum err_code rc = confine_enter(&confine, err);
    /* All of them, so that an output on one is noticed although another one is gone. */
    for (size_t i = 0; rc == ERR_OK && i < audit->images.gl_pathc; i++) {
        struct io_image *image = NULL;
        struct err why = { 0 };
        enum err_code one = io_image_open(audit->images.gl_pathv[i], NULL, &image, &why);

        if (one == ERR_OK)
            one = audit_refuse(audit, image, counts, &why);
        io_image_close(image);
        if (one != ERR_OK && (first == ERR_OK || counts->refused)) {
            first = one;
            *err = why;
        }
    }
    return rc == ERR_OK ? first : rc;
}

enum err_code audit_how(const struct audit *audit, struct scan_how *out, struct err *err)
{
    *out = scan_how_defaults();
    snprintf(out->case_path, sizeof out->case_path, "%s", audit->state.unfinished);
    out->images = audit->images.gl_pathv;
    out->image_count = (int)audit->images.gl_pathc;
    out->quiet = true;
    out->max_read = audit->policy.max_read;
    out->no_jail = audit->options.no_jail;
    return scan_how_complete(out, err);
}

/* What a scan is asked for. */
static enum err_code audit_scan_options(const struct audit *audit, struct scan_options *out,
                                        struct err *err)
{
    const struct policy *policy = &audit->policy;

    *out = (struct scan_options){ .align = 1 };
    out->resume = audit->state.resumes;
    out->pick.unallocated = policy->read == POLICY_READ_UNALLOCATED;
    if (policy->read == POLICY_READ_CHANGED) {
        out->keep_parts = audit->state.parts;
        out->since = audit->state.has_parts ? audit->state.parts : NULL;
        out->changed = audit->state.has_parts ? policy->changed.text : NULL;
    }
    for (uint32_t i = 0; i < policy->rule_count; i++)
        if (policy->rules[i].kind == POLICY_KNOWN)
            out->known[out->known_count++] = policy->rules[i].what[POLICY_KNOWN].text;
    return audit_how(audit, &out->how, err);
}

enum err_code audit_scan(struct audit *audit, struct audit_counts *counts, enum exit_status *status,
                         struct err *err)
{
    struct scan_options options;
    struct scan_files files = { 0 };
    struct patterns patterns = { 0 };
    enum err_code rc = audit_scan_options(audit, &options, err);

    (void)counts;
    if (rc == ERR_OK)
        rc = scan_files_open(&options, &files, err);
    if (rc == ERR_OK)
        rc = patterns_build(files.sigs, files.count, &patterns, err);
    if (rc == ERR_OK) {
        struct scan_job job = *scan_files_job(&files, &patterns, audit->command_line);

        job.hash_objects = true;
        rc = scan_images(&job, status, err);
    }
    scan_files_close(&files);
    patterns_release(&patterns);
    return rc;
}
