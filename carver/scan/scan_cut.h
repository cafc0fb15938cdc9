/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_cut.h - what a scan left out so that its time stays bounded, as sentences.
 *
 * plan.h has the bounds. What they cut is never silent: it is in the log of the case file, in the
 * summary, and, where something is not recorded at all, in the exit status.
 */
#ifndef BURIN_CARVER_SCAN_SCAN_CUT_H
#define BURIN_CARVER_SCAN_SCAN_CUT_H

#include "carver/cli/command.h"
#include "carver/cli/json_write.h"
#include "carver/plan/plan.h"
#include "db/case.h"

/* Notes for the log of the run, one for each bound that was reached. */
ERR_MUST_CHECK enum err_code scan_cut_log(struct db_case *db, int64_t run_id,
                                          const struct plan_totals *totals, struct err *err);

/*
 * The same for people, a line each: where headers were not recorded always, the rest unless quiet.
 * *status becomes EXIT_PARTLY where headers were not recorded.
 */
void scan_cut_tell(const char *command, const char *path, const struct plan_totals *totals,
                   bool quiet, enum exit_status *status);

/* And as members of the summary's object. */
void scan_cut_json(const struct plan_totals *totals, struct json *json);

#endif
