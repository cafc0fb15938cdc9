/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/output_report.c - reports of `burin report` as outputs: see outputs.h. Of a run that
 * failed, or was cut short before its rules were asked, there is none, and the last one stays. */
#include <stdio.h>

#include "carver/audit/atomic_file.h"
#include "carver/audit/outputs.h"
#include "carver/cli/about.h"
#include "carver/report/report.h"

static enum err_code report_write(const struct told *told, report_fn write, const char *path,
                                  struct err *err)
{
    struct selection selection = selection_all();
    struct unfinished unfinished = { 0 };
    struct carve_images images = { 0 };
    struct atomic_file file = { 0 };
    char started[ABOUT_TIME_MAX];
    struct report report = { .db = told->db,
                             .case_path = told->audit->finished ? told->audit->state.last
                                                                : told->audit->state.unfinished,
                             .command_line = told->audit->command_line,
                             .started = started,
                             .selection = &selection,
                             .unfinished = &unfinished,
                             .title = told->audit->policy.name.text,
                             .images = &images }; /* without pictures: nobody watches an audit */

    if (told->db == NULL || !told->audit->judged)
        return ERR_OK;
    about_now(started);
    enum err_code rc = selection_open(&selection, told->db, err);
    if (rc == ERR_OK)
        rc = unfinished_find(told->db, &unfinished, err);
    if (rc == ERR_OK)
        rc = atomic_file_open(path, 0600, &file, err);
    report.out = file.stream;
    if (rc == ERR_OK)
        rc = write(&report, err);
    if (rc == ERR_OK)
        rc = atomic_file_keep(&file, err);
    atomic_file_drop(&file);
    unfinished_release(&unfinished);
    selection_close(&selection);
    return rc;
}

enum err_code audit_output_sarif(const struct told *told, const char *path, struct err *err)
{
    return report_write(told, report_sarif, path, err);
}

enum err_code audit_output_html(const struct told *told, const char *path, struct err *err)
{
    return report_write(told, report_html, path, err);
}
