/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_early.c - see scan_early.h. */
#include "carver/scan/scan_early.h"

static const struct unread early_unread; /* nothing */

/* In the thread that writes. */
static enum err_code early_store(void *arg, struct db_case *db, struct err *err)
{
    const struct containment_rows *nested = arg;

    return containment_rows_store(nested, db, err);
}

/* The rows are stored while the next ones are found. */
static enum err_code early_put(void *arg, struct containment_rows *rows, struct err *err)
{
    struct scan_early *early = arg;
    struct containment_rows spare = early->stored;
    const enum err_code rc = record_written(early->record, err);

    if (rc != ERR_OK)
        return rc;
    early->nested_made = true;
    early->stored = *rows;
    containment_rows_clear(&spare);
    *rows = spare;
    record_then(early->record, early_store, &early->stored);
    return ERR_OK;
}

enum err_code scan_early_nested(struct scan_early *early, const struct containment_image *nest,
                                struct record *record, bool keep, struct err *err)
{
    early->record = record;
    const enum err_code rc =
        containment_find(nest, &early_unread, &early->nested, keep ? NULL : early_put, early, err);

    if (rc == ERR_OK && keep) {
        early->nested_made = true;
        record_then(record, early_store, &early->nested);
    }
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
    containment_rows_release(&early->stored);
    told_release(&early->rows);
    *early = (struct scan_early){ 0 };
}
