/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/output_prometheus.c - metrics for the textfile collector of the node exporter: see
 * outputs.h.
 *
 * No line has a timestamp, for the collector leaves out files that have one. Of a run that failed,
 * or was cut short, there is no number of findings: none is not zero.
 *
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/
 */
#include <inttypes.h>

#include "carver/audit/atomic_file.h"
#include "carver/audit/outputs.h"
#include "carver/cli/about.h"

/* The head of a metric, which is a gauge. */
static void prometheus_head(FILE *out, const char *name, const char *help)
{
    fprintf(out, "# HELP burin_%s %s\n# TYPE burin_%s gauge\n", name, help, name);
}

/* A metric of one value. */
static void prometheus_one(const struct told *told, FILE *out, const char *name, const char *help,
                           uint64_t value)
{
    prometheus_head(out, name, help);
    fprintf(out, "burin_%s{audit=\"%s\"} %" PRIu64 "\n", name, told->audit->policy.name.text,
            value);
}

static void prometheus_objects(const struct told *told, FILE *out)
{
    static const char *const states[] = { "complete", "footer", "truncated", "fragmented" };
    const struct audit_counts *counts = &told->audit->counts;
    const char *name = told->audit->policy.name.text;

    prometheus_head(out, "audit_objects", "Files found, by their state.");
    for (uint32_t i = 0; i < sizeof states / sizeof states[0]; i++)
        fprintf(out, "burin_audit_objects{audit=\"%s\",state=\"%s\"} %" PRIu64 "\n", name,
                states[i], counts->states[i]);
    if (!counts->has_baseline)
        return;
    prometheus_head(out, "audit_changes", "Files by what became of them since the run before.");
    for (uint32_t i = 0; i < DIFF_CHANGES; i++)
        fprintf(out, "burin_audit_changes{audit=\"%s\",kind=\"%s\"} %" PRIu64 "\n", name,
                diff_word((enum diff_change)i), counts->changes[i]);
}

/* Names of rules have no character that would have to be escaped. A rule that was not asked to its
 * end has no number. */
static void prometheus_findings(const struct told *told, FILE *out, const char *metric,
                                const char *help, const uint64_t values[POLICY_RULES_MAX])
{
    const struct policy *policy = &told->audit->policy;
    bool headed = false;

    for (uint32_t i = 0; i < policy->rule_count; i++) {
        if (!audit_asked(&told->audit->counts, policy->rules[i].kind))
            continue;
        if (!headed)
            prometheus_head(out, metric, help);
        headed = true;
        fprintf(out, "burin_%s{audit=\"%s\",rule=\"%s\",severity=\"%s\"} %" PRIu64 "\n", metric,
                policy->name.text, policy->rules[i].name.text,
                policy_severity_name(policy->rules[i].severity), values[i]);
    }
}

static void prometheus_result(const struct told *told, FILE *out)
{
    const struct audit_counts *counts = &told->audit->counts;

    prometheus_one(told, out, "audit_read_bytes", "Bytes of the images that were gone over.",
                   counts->read);
    prometheus_one(told, out, "audit_unreadable_bytes", "Bytes of them that could not be read.",
                   counts->unreadable);
    if (counts->tried)
        prometheus_one(told, out, "audit_undecided_objects",
                       "Files that rules of YARA have not decided, or not by all of their bytes.",
                       counts->undecided);
    prometheus_objects(told, out);
    prometheus_findings(told, out, "audit_findings", "Findings that no allow list lets pass.",
                        counts->found);
    prometheus_findings(told, out, "audit_new_findings", "Of them, those that are new.",
                        counts->fresh);
}

enum err_code audit_output_prometheus(const struct told *told, const char *path, struct err *err)
{
    const struct audit *audit = told->audit;
    struct atomic_file file;
    enum err_code rc = atomic_file_open(path, 0644, &file, err);

    if (rc != ERR_OK)
        return rc;
    prometheus_head(file.stream, "build_info", "The burin that wrote this.");
    fprintf(file.stream, "burin_build_info{version=\"%s\"} 1\n", about_version());
    prometheus_one(told, file.stream, "audit_last_run_timestamp_seconds",
                   "When the last run ended, whatever came of it.", (uint64_t)told->now);
    prometheus_one(told, file.stream, "audit_last_success_timestamp_seconds",
                   "When the last run ended that was finished; 0: none was.",
                   (uint64_t)audit->state.success);
    prometheus_one(told, file.stream, "audit_duration_seconds", "How long the last run took.",
                   told->elapsed / UINT64_C(1000000000));
    prometheus_one(told, file.stream, "audit_exit_status", "The last run's exit status.",
                   (uint64_t)told->status);
    prometheus_one(told, file.stream, "audit_finished",
                   "1: the last run has read and judged all that it was to.", audit->finished);
    if (audit->judged)
        prometheus_result(told, file.stream);
    return atomic_file_keep(&file, err);
}
