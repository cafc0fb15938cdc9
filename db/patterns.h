/* SPDX-License-Identifier: Apache-2.0
 * db/patterns.h - the table patterns: what the rows of the table matches have in common. A hit is a
 * row of each. Not for other folders.
 */
#ifndef BURIN_DB_PATTERNS_H
#define BURIN_DB_PATTERNS_H

#include "db/connection.h"

/* The hits of the file itself; those that stay in shards are none of them. A match without its
 * pattern has NULL where the pattern's columns are. */
#define DB_OWN_HITS                                                                                \
    "SELECT m.id AS id, p.image_id AS image_id, p.signature_id AS signature_id, m.offset AS "      \
    "offset, p.len AS len, p.footer AS footer FROM main.matches m LEFT JOIN main.patterns p ON "   \
    "p.id = m.pattern_id"

/* Makes the TEMP view hits, so that statements find the hits of the file under that name. */
ERR_MUST_CHECK enum err_code patterns_show(struct db_case *db, struct err *err);

/* The id of the pattern of a hit: of a new row, if there is none yet. */
ERR_MUST_CHECK enum err_code patterns_find(struct db_case *db, const struct db_hit *hit,
                                           int64_t *id, struct err *err);
/* Rows may have gone: their ids are asked of the file again. */
void patterns_forget(struct db_case *db);

#endif
