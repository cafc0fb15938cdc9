/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_cut.c - see scan_cut.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/cli/print_safe.h"
#include "carver/scan/scan_cut.h"

enum { SCAN_CUT_TEXT = 200, SCAN_CUT_KINDS = 3 };

/* One sentence of each kind; empty: nothing of this kind was cut. */
static bool scan_cut_text(const struct plan_totals *totals, int kind, char text[SCAN_CUT_TEXT])
{
    const uint64_t counts[SCAN_CUT_KINDS] = { totals->crowded, totals->cut, totals->unlabelled };

    if (kind == 0)
        snprintf(
            text, SCAN_CUT_TEXT,
            "%" PRIu64
            " headers of rules were not recorded: there are more than %d in one MiB of the image, "
            "first at offset %" PRIu64 "; write longer headers",
            totals->crowded, PLAN_CROWD_MAX, totals->crowd_at);
    else if (kind == 1)
        snprintf(text, SCAN_CUT_TEXT,
                 "%" PRIu64
                 " object%s truncated: not read to the end, because too many objects share the "
                 "same bytes (see their reasons)",
                 totals->cut, plural_s(totals->cut));
    else
        snprintf(text, SCAN_CUT_TEXT,
                 "%" PRIu64
                 " object%s of rules not labelled, because too many objects lie inside one another",
                 totals->unlabelled, plural_s(totals->unlabelled));
    return counts[kind] > 0;
}

enum err_code scan_cut_log(struct db_case *db, int64_t run_id, const struct plan_totals *totals,
                           struct err *err)
{
    char text[SCAN_CUT_TEXT];
    enum err_code rc = ERR_OK;

    for (int kind = 0; rc == ERR_OK && kind < SCAN_CUT_KINDS; kind++)
        if (scan_cut_text(totals, kind, text))
            rc = db_log(db, run_id, "note", text, err);
    return rc;
}

void scan_cut_tell(const char *command, const char *path, const struct plan_totals *totals,
                   bool quiet, enum exit_status *status)
{
    char text[SCAN_CUT_TEXT];

    for (int kind = 0; kind < SCAN_CUT_KINDS; kind++)
        if (scan_cut_text(totals, kind, text) && (kind == 0 || !quiet))
            print_safe_line(stderr, "burin: %s: %s: %s", command, path, text);
    if (totals->crowded > 0)
        *status = EXIT_PARTLY;
}

void scan_cut_json(const struct plan_totals *totals, struct json *json)
{
    json_uint(json, "bytes_unpacked", totals->unpacked);
    json_uint(json, "headers_not_recorded", totals->crowded);
    json_uint(json, "objects_cut_short", totals->cut);
    json_uint(json, "objects_not_labelled", totals->unlabelled);
}
