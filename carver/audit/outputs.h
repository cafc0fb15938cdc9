/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/outputs.h - what the outputs of an audit share: outputs.def lists them, each is one
 * file with one function.
 */
#ifndef BURIN_CARVER_AUDIT_OUTPUTS_H
#define BURIN_CARVER_AUDIT_OUTPUTS_H

#include "carver/audit/audit.h"
#include "carver/audit/findings.h"
#include "db/case.h"

/* A run that is over, to be told. */
struct told {
    struct audit *audit;
    int status;           /* exit status */
    struct db_case *db;   /* of the run; NULL: it failed, and nothing is known of it */
    struct db_case *old;  /* of the run before; NULL: there is none, or it is not looked at */
    struct findings list; /* of the run, those that are gone and allowed among them */
    uint64_t position;    /* of a run that was not judged: bytes of the images that were read */
    int64_t now;          /* seconds since 1970 */
    uint64_t elapsed;     /* nanoseconds that it took */
};

/* Writes the output to its path. Errors: ERR_ENV; those of the case files. */
#define OUTPUT(name, value, help)                                                                  \
    ERR_MUST_CHECK enum err_code audit_output_##name(const struct told *told, const char *path,    \
                                                     struct err *err);
#include "carver/audit/outputs.def"
#undef OUTPUT

/* All outputs that were asked for. One that fails does not keep the others from being written; its
 * error is told, the first one is returned. */
ERR_MUST_CHECK enum err_code outputs_write(struct told *told, struct err *err);

/* Whether a finding is to be told: not gone, not allowed, and new, or --all. */
bool told_is_fresh(const struct told *told, const struct finding *finding);

/* The line for people, "nas1: 2 new findings (cards 2), ...", without a line feed. */
enum { TOLD_LINE_MAX = 1024 };
void told_line(const struct told *told, char out[TOLD_LINE_MAX]);

/* Findings of the policy's rules that are new, or, --all, there; of at least this severity. */
uint64_t told_count(const struct told *told, enum policy_severity least);

/* Lines for the log: what is new, and what went wrong. Standard error, as the journal of systemd
 * takes it, and syslog. */
void told_log(const struct told *told);
/* What a check of Nagios prints, and its status. */
int told_nagios(const struct told *told);
/* The summary: a few lines for people, or JSON. */
void told_summary(const struct told *told);

/* A line of the log. priority: as syslog(3) numbers them. */
void log_line(const struct audit *audit, int priority, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
