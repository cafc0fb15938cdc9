/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/audit_run.h - one run of an audit, from its policy to its exit status. */
#ifndef BURIN_CARVER_AUDIT_AUDIT_RUN_H
#define BURIN_CARVER_AUDIT_AUDIT_RUN_H

#include "carver/audit/audit.h"

/*
 * Runs the stages, and keeps in audit what became of them: failed and why, finished, partly. The
 * policy is read. Holds the program (interrupt.h) until audit_tell is done.
 */
void audit_run(struct audit *audit);
void audit_release(struct audit *audit);

/* Tells the run in all ways that are asked for; returns what the program is to end with. */
enum exit_status audit_tell(struct audit *audit);

/*
 * --check: whether the policy can do what it says. Prints what is old in it. ERR_INPUT: a rule that
 * can match nothing, a pattern that cannot be looked for, a set or a list that cannot be read, with
 * file and line; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code audit_lint(struct audit *audit, bool tell, struct err *err);

/* --diff: prints what has changed from one case file to another one. *status: EXIT_CHANGES, where
 * something has. */
ERR_MUST_CHECK enum err_code audit_diff(const struct audit_options *options,
                                        enum exit_status *status, struct err *err);

#endif
