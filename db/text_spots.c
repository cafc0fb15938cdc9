/* SPDX-License-Identifier: Apache-2.0
 * db/text_spots.c - the table text_spots: where plain text may begin, for a scan that goes on. */
#include "db/row.h"

enum { SPOTS_ROW_MAX = 1 << 28 /* bytes; what one commit has is far less */ };

static enum err_code spots_add(struct db_case *db, int64_t scan_id, uint64_t offset,
                               const uint8_t *bytes, size_t len, struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_TEXT_SPOTS_ADD, "INSERT INTO text_spots VALUES (?, ?, ?)", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, scan_id);
    bind_size(&bind, "the offset of a part", offset);
    if (bind.rc == ERR_OK &&
        sqlite3_bind_blob64(stmt, ++bind.at, bytes, len, SQLITE_STATIC) != SQLITE_OK)
        return ERR_NO_MEMORY(err, len);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding where text may begin", err)
                             : bind.rc;
}

enum err_code db_text_spots_add(struct db_case *db, int64_t scan_id, uint64_t offset,
                                const uint8_t *bytes, size_t len, struct err *err)
{
    bool own;
    const enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, spots_add(db, scan_id, offset, bytes, len, err), err)
                        : rc;
}

struct spots_walk {
    db_text_spots_fn each;
    void *arg;
};

static enum err_code spots_read(void *arg, struct row *row)
{
    const struct spots_walk *walk = arg;
    const void *bytes = sqlite3_column_blob(row->stmt, row->at);
    const size_t len = (size_t)sqlite3_column_bytes(row->stmt, row->at);

    if (bytes == NULL || len > SPOTS_ROW_MAX) {
        row_damaged(row, "spots", "nothing, or too much");
        return row->rc;
    }
    return walk->each(walk->arg, bytes, len, row->err);
}

enum err_code db_text_spots_walk(struct db_case *db, int64_t scan_id, db_text_spots_fn each,
                                 void *arg, struct err *err)
{
    struct spots_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_TEXT_SPOTS,
                   "SELECT spots FROM text_spots WHERE run_id = ? ORDER BY offset", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, scan_id);
    return row_each(&bind, "text_spots", "reading where text may begin", spots_read, &walk);
}

enum err_code db_text_spots_drop(struct db_case *db, int64_t scan_id, struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_TEXT_SPOTS_DROP, "DELETE FROM text_spots WHERE run_id = ?", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, scan_id);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "removing where text may begin", err)
                             : bind.rc;
}
