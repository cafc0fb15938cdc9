/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text.c - see text.h. */
#include "carver/text/text.h"

#include "carver/text/occupied.h"
#include "carver/text/text_rows.h"
#include "carver/text/text_tasks.h"

enum err_code text_image(const struct text_image *job, struct text_totals *totals, struct err *err)
{
    struct occupied occupied;
    struct text_rows rows;

    *totals = (struct text_totals){ 0 };
    enum err_code rc =
        occupied_load(job->db, job->image_id, job->signature_id, job->unread, &occupied, err);
    if (rc == ERR_OK && !occupied.done) {
        rc = text_rows_begin(&rows, job->db, job->image_id, job->signature_id, err);
        if (rc == ERR_OK)
            rc = text_tasks_run(job, &occupied, &rows, &totals->reread, err);
        if (rc == ERR_OK)
            rc = text_rows_store(&rows, err);
        totals->found = rows.found;
    }
    occupied_release(&occupied);
    if (rc != ERR_OK && rc != ERR_INTERRUPTED)
        err_while(err, "looking for plain text");
    return rc;
}
