/* SPDX-License-Identifier: Apache-2.0
 * carver/report/sha256sum.c - hashes as sha256sum(1) writes and checks them, with the names that
 * carve gives. Names of objects have no character that sha256sum would escape.
 */
#include "carver/report/report.h"

static enum err_code sha256sum_object(void *arg, const struct report_object *report,
                                      struct err *err)
{
    struct report *const to = arg;

    (void)err;
    if (report->object->sha256 != NULL)
        fprintf(to->out, "%s  %s\n", report->object->sha256, report->name);
    else
        to->left_out++;
    return ERR_OK;
}

enum err_code report_sha256sum(struct report *report, struct err *err)
{
    report->why = "without a hash on record: burin carve and burin scan --known hash them";
    return report_objects(report, sha256sum_object, report, err);
}
