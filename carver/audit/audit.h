/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/audit.h - `burin audit`: a scan on a schedule, what of it meets the rules of a
 * policy, and what has changed since the run before.
 *
 *   CONFIG ──► policy ─┐   a process each, which gives up its rights
 *                      ├─► audit_check ──► audit_scan ──► audit_yara ──► audit_judge ─┐
 *   STATE ───► state ──┘   images there,   as burin scan  as burin       search, rules, │
 *                          outputs not                    search --yara  diff, record   │
 *                          on them                                                      ▼
 *                                               status ◄── audit_tell ◄── counts, case file
 *
 * The stages are processes of their own (stage.h), because each needs other rights, and because
 * what ends one must not keep the audit from saying so: a run that fails is told as one in each
 * output, and never as one that found nothing.
 */
#ifndef BURIN_CARVER_AUDIT_AUDIT_H
#define BURIN_CARVER_AUDIT_AUDIT_H

#include <glob.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/audit/allow.h"
#include "carver/audit/diff.h"
#include "carver/audit/policy.h"
#include "carver/audit/state.h"
#include "carver/cli/command.h"
#include "carver/scan/scan_how.h"

struct audit_options {
    const char *config;
    bool check, diff, nagios, all, json, quiet, syslog, no_jail;
    const char *old, *now;               /* of --diff */
    const char *outputs[POLICY_OUTPUTS]; /* as the options say; NULL: as the policy does */
};

/* What the rules and the comparison came to. Plain data: it comes through a pipe. */
struct audit_counts {
    bool has_baseline;                /* there was a run before */
    bool searched;                    /* patterns were looked for, or there are none */
    bool tried;                       /* rules of YARA were, on all objects, or there are none */
    int64_t yara_run;                 /* the run that tried them; 0: there is none */
    uint64_t undecided;               /* objects that they did not decide, or not by all bytes */
    bool refused;                     /* an output would land on the evidence: nothing is written */
    uint64_t changes[DIFF_CHANGES];   /* of objects */
    uint64_t states[4];               /* objects: complete, footer, truncated, fragmented */
    uint64_t read, unreadable;        /* bytes */
    uint64_t found[POLICY_RULES_MAX]; /* findings of a rule that are there, not allowed */
    uint64_t fresh[POLICY_RULES_MAX]; /* of them, those that are new */
    uint64_t gone, allowed, left_out; /* findings */
    int64_t log_id;                   /* of the case file's last entry */
    char log_hash[DB_SHA256_HEX + 1];
};

/* One run of an audit. */
struct audit {
    struct audit_options options;
    struct policy policy;
    struct allow allow;
    struct state state;
    glob_t images; /* paths that the policy's images stand for */
    bool has_images;
    const char *command_line;
    int64_t started; /* seconds since 1970 */
    uint64_t began;  /* of the monotonic clock */

    /* What became of it. */
    struct audit_counts counts;
    enum err_code failed; /* ERR_OK: it came to its end, or to that of its time */
    struct err why;
    bool judged;   /* the rules were asked, and the run was compared */
    bool finished; /* all was read and judged: the case file is that of a run */
    bool partly;   /* some of the evidence could not be read, or not yet */
};

/* How the images are gone over, by both stages that read them. Errors: as scan_how_complete. */
ERR_MUST_CHECK enum err_code audit_how(const struct audit *audit, struct scan_how *out,
                                       struct err *err);

/* "" or the path of an output. */
const char *audit_output_path(const struct audit *audit, enum policy_output output);

/* Stages; each in a process of its own, which has one thread. */
ERR_MUST_CHECK enum err_code audit_check(struct audit *audit, struct audit_counts *counts,
                                         enum exit_status *status, struct err *err);
ERR_MUST_CHECK enum err_code audit_scan(struct audit *audit, struct audit_counts *counts,
                                        enum exit_status *status, struct err *err);
ERR_MUST_CHECK enum err_code audit_yara(struct audit *audit, struct audit_counts *counts,
                                        enum exit_status *status, struct err *err);
/* Without patterns where there is no time left to look for them. */
ERR_MUST_CHECK enum err_code audit_judge(struct audit *audit, struct audit_counts *counts,
                                         enum exit_status *status, struct err *err);
ERR_MUST_CHECK enum err_code audit_judge_only(struct audit *audit, struct audit_counts *counts,
                                              enum exit_status *status, struct err *err);

/* Whether rules of this kind were asked to their end, so that what they did not find is not there.
 */
bool audit_asked(const struct audit_counts *counts, enum policy_kind kind);
/* The same of all rules of the policy. */
bool audit_asked_all(const struct audit *audit);

/* How the run ended, as an exit status, by the precedence that docs/guide/operator.md has. */
enum exit_status audit_status(const struct audit *audit);

#endif
