/* SPDX-License-Identifier: Apache-2.0
 * db/linked_pairs.c - writes the table linked_nested: see linked_nested.h.
 *
 * A row of nested for each object, and its place in the index by parents, took half of the time of
 * a merge that leaves all else in the shards.
 */
#include "db/bind.h"
#include "db/linked_nested.h"
#include "db/row.h"

enum { PAIRS_BYTES = 20 /* most of a pair */ };

enum err_code linked_pairs_last(struct db_case *db, int64_t *last, struct err *err)
{
    sqlite3_stmt *stmt;
    bool found = false;

    *last = INT64_MAX;
    if (db->linked == NULL || !db->linked->objects)
        return ERR_OK;
    enum err_code rc =
        db_prepare(db, DB_LINKED_NESTED_LAST, "SELECT coalesce(max(last_id), 0) FROM linked_nested",
                   &stmt, err);
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "looking for what lies in what", err);
    if (rc != ERR_OK || !found)
        return rc;
    struct row row = row_init(db, stmt, "linked_nested", err);
    *last = row_int(&row, "last_id", 0, INT64_MAX);
    sqlite3_reset(stmt);
    return row.rc;
}

bool linked_pairs_take(struct linked_pairs *pairs, const struct db_nested *row)
{
    const bool behind = row->parent_id > row->id;
    const uint64_t apart = behind ? (uint64_t)row->parent_id - (uint64_t)row->id
                                  : (uint64_t)row->id - (uint64_t)row->parent_id;

    if (row->parent_id <= 0 || apart == 0 || row->state != NULL || row->reason != NULL ||
        row->cut || row->id <= pairs->last || pairs->pack.len > LINKED_PAIRS_LEN - PAIRS_BYTES)
        return false;
    pack_number(&pairs->pack, (uint64_t)(row->id - pairs->from));
    pack_number(&pairs->pack, 2 * apart + (behind ? 1 : 0));
    pairs->last = pairs->from = row->id;
    return true;
}

enum err_code linked_pairs_store(struct db_case *db, const struct linked_pairs *pairs,
                                 struct err *err)
{
    static const char sql[] = "INSERT INTO linked_nested (last_id, run_id, pairs) VALUES (?, ?, ?)";
    sqlite3_stmt *stmt;

    if (pairs->pack.failed)
        return ERR_NO_MEMORY(err, pairs->pack.len);
    if (pairs->from == 0)
        return ERR_OK;
    const enum err_code rc = db_prepare(db, DB_LINKED_NESTED_ADD, sql, &stmt, err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, pairs->from);
    bind_int(&bind, db->linked->run_id);
    if (bind.rc == ERR_OK && sqlite3_bind_blob64(stmt, ++bind.at, pairs->pack.bytes,
                                                 pairs->pack.len, SQLITE_TRANSIENT) != SQLITE_OK)
        bind.rc = ERR_NO_MEMORY(err, pairs->pack.len);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "storing what lies in what", err) : bind.rc;
}

enum err_code linked_pairs_clear(struct db_case *db, int64_t image_id, struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_LINKED_NESTED_CLEAR,
                   "DELETE FROM linked_nested WHERE run_id IN (SELECT run_id FROM link WHERE "
                   "image_id = ?)",
                   &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "forgetting what lies in what", err)
                             : bind.rc;
}
