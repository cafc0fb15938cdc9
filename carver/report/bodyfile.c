/* SPDX-License-Identifier: Apache-2.0
 * carver/report/bodyfile.c - The Sleuth Kit's body file, which mactime sorts into a time line:
 * MD5|name|inode|mode|UID|GID|size|atime|mtime|ctime|crtime, 0 for what is not known.
 *
 * The dates are what the file says of itself. mactime leaves out objects that have none.
 * Source: https://wiki.sleuthkit.org/index.php?title=Body_file
 */
#include "carver/cli/print_number.h"
#include "carver/report/put_text.h"
#include "carver/report/report.h"

static void bodyfile_date(FILE *out, const struct db_fact *fact)
{
    putc('|', out);
    print_int(out, fact != NULL ? fact->number : 0);
}

static enum err_code bodyfile_object(void *arg, const struct report_object *report, struct err *err)
{
    const struct db_object *object = report->object;
    const struct db_found_in *place = report->place;
    const struct db_fact *modified = facts_date(report->facts, "modified"),
                         *taken = facts_date(report->facts, "taken"),
                         *created = facts_date(report->facts, "created");
    FILE *const out = arg;

    (void)err;
    fputs("0|/", out);
    put_body(out, report->name);
    fputs(" (carved, ", out);
    put_body(out, object->state);
    if (place != NULL && place->path[0] != '\0') {
        fputs(", in ", out);
        put_body(out, place->path);
    }
    fputs(")|", out);
    print_int(out, object->id);
    fputs("|r/r---------|0|0|", out);
    print_uint(out, object->len);
    fputs("|0", out);
    bodyfile_date(out, modified != NULL ? modified : facts_own_date(report->facts));
    fputs("|0", out);
    bodyfile_date(out, taken != NULL ? taken : created);
    putc('\n', out);
    return ERR_OK;
}

enum err_code report_bodyfile(struct report *report, struct err *err)
{
    return report_objects(report, bodyfile_object, report->out, err);
}
