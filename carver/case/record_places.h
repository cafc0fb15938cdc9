/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record_places.h - where the objects and headers lie that a scan records, kept in
 * memory: what lies in what, and what goes on where, is asked when all are there, and to read them
 * from the case file takes ten times as long (record*.c only).
 */
#ifndef BURIN_CARVER_CASE_RECORD_PLACES_H
#define BURIN_CARVER_CASE_RECORD_PLACES_H

#include "base/thread.h"
#include "carver/case/record.h"

/* Memory that a thread touches first. */
struct record_touch {
    struct thread thread;
    void *memory;
    size_t len;
};

/* Lies still while it is open. */
struct record_places {
    struct db_place *items;
    uint32_t count, room, most;
    struct db_place *late; /* [late_count]: those that come behind one that lies behind them */
    uint32_t late_count, late_room;
    bool lost;                 /* not all of them are there */
    bool sorted;               /* items are */
    struct record_touch touch; /* of the items */
};

/* Errors: those of the case file. */
ERR_MUST_CHECK enum err_code record_places_open(struct db_case *db, const struct record_rows *rows,
                                                struct record_places *out, struct err *err);
void record_places_add(struct record_places *places, const struct db_place *place);
/* See record_places in record.h. */
const struct db_place *record_places_sorted(struct record_places *places, uint32_t *count);
void record_places_release(struct record_places *places); /* of a zeroed one: a no-op */

/* The headers that a scan records, likewise. Zeroed is empty. */
struct record_heads {
    struct record_header *items;
    uint32_t count, room;
    bool lost;
};

void record_heads_add(struct record_heads *heads, const struct record_header *header);
void record_heads_release(struct record_heads *heads); /* they are lost, then */

#endif
