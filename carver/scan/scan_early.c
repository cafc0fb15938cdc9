/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_early.c - see scan_early.h. */
#include "carver/scan/scan_early.h"

static const struct unread early_unread; /* nothing */

enum err_code scan_early_nested(struct scan_early *early, const struct containment_image *nest,
                                struct err *err)
{
    const enum err_code rc = containment_find(nest, &early_unread, &early->nested, err);

    early->nested_made = rc == ERR_OK;
    return rc;
}

enum err_code scan_early_pieces(struct scan_early *early, const struct containment_image *nest,
                                const struct assemble_image *job, struct err *err)
{
    const struct owners_seen seen = { .places = nest->places,
                                      .place_count = nest->place_count,
                                      .nested = &early->nested };
    struct assemble_image from_memory = *job;

    from_memory.db = NULL;
    from_memory.rows = &early->rows;
    from_memory.seen = &seen;
    from_memory.unread = &early_unread;
    const enum err_code rc = assemble_image(&from_memory, &early->totals, err);

    early->pieces_made = rc == ERR_OK && !early->rows.full;
    return rc;
}

void scan_early_release(struct scan_early *early)
{
    containment_rows_release(&early->nested);
    told_release(&early->rows);
    *early = (struct scan_early){ 0 };
}
