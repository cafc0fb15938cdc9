/* SPDX-License-Identifier: Apache-2.0
 * db/searched.c - what searches looked for, with the number of hits of each. */
#include "db/bind.h"
#include "db/row.h"

struct searched_walk {
    db_searched_fn each;
    void *arg;
};

static enum err_code searched_give(void *arg, struct row *row)
{
    const struct searched_walk *walk = arg;
    struct db_searched searched = { .signature_id = row_id(row, "id") };

    searched.image_id = row_id_or_null(row, "image_id");
    searched.name = row_text(row, "name", DB_REASON_MAX);
    searched.origin = row_text(row, "origin", DB_NAME_MAX + 16);
    searched.hits = row_size(row, "hits");
    return row->rc == ERR_OK ? walk->each(walk->arg, &searched, row->err) : row->rc;
}

enum err_code db_searched_walk(struct db_case *db, db_searched_fn each, void *arg, struct err *err)
{
    /* Hits are in no order of signatures: all of them are looked at once, and not at all where
     * nothing was searched for. */
    static const char sql[] =
        "WITH searched AS (SELECT s.id, r.image_id, s.name, s.origin FROM signatures s JOIN runs r "
        "ON r.id = s.run_id WHERE r.command = 'search'), counts AS (SELECT signature_id, count(*) "
        "AS n FROM hits WHERE EXISTS (SELECT 1 FROM searched) AND signature_id IN (SELECT id FROM "
        "searched) GROUP BY signature_id) SELECT s.id, s.image_id, s.name, s.origin, "
        "coalesce(c.n, 0) FROM searched s LEFT JOIN counts c ON c.signature_id = s.id ORDER BY "
        "s.id";
    struct searched_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_SEARCHED, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(db, stmt, err);
    return row_each(&bind, "signatures", "reading what was searched for", searched_give, &walk);
}
