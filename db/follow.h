/* SPDX-License-Identifier: Apache-2.0
 * db/follow.h - the rows that a table has of one object after another.
 *
 * Objects come mostly by their numbers, as their rows lie in such a table. So one statement stays
 * where the last object's rows end, and is begun anew only where that is not near the next one. It
 * takes a third of the time that asking, or joining, for each object takes.
 *
 *   for each object: follow_find, then while follow_has: read the row, follow_step; then follow_end
 */
#ifndef BURIN_DB_FOLLOW_H
#define BURIN_DB_FOLLOW_H

#include "db/bind.h"

/* Zeroed: closed. */
struct follow {
    struct db_case *db;
    sqlite3_stmt *stmt;
    const char *doing; /* for the error text */
    bool row;          /* it stands on a row that was not read yet, */
    int64_t at;        /* of this object */
    int64_t from;      /* what lies before the row is of objects below this one */
};

/* sql: gives rows whose first column is the object, from the one that is its only parameter on, in
 * their order. doing: static text. */
ERR_MUST_CHECK enum err_code follow_open(struct follow *follow, struct db_case *db, const char *sql,
                                         const char *doing, struct err *err);
void follow_close(struct follow *follow); /* of a zeroed one: a no-op */

/* To the first row that is not of an object below this one. */
ERR_MUST_CHECK enum err_code follow_find(struct follow *follow, int64_t object_id, struct err *err);
/* Whether it stands on a row of this object. */
static inline bool follow_has(const struct follow *follow, int64_t object_id)
{
    return follow->row && follow->at == object_id;
}
ERR_MUST_CHECK enum err_code follow_step(struct follow *follow, struct err *err);
/* The object's rows were read, or rc says why not. */
void follow_end(struct follow *follow, int64_t object_id, enum err_code rc);

#endif
