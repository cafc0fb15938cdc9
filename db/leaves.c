/* SPDX-License-Identifier: Apache-2.0
 * db/leaves.c - the table tree_leaves: SHA-256 of each MiB of an image. */
#include <stdlib.h>
#include <string.h>

#include "db/row.h"

enum { LEAVES_MAX = 1 << 26 /* of an image: 64 TiB */ };

static enum err_code leaves_add(struct db_case *db, int64_t image_id, int64_t run_id,
                                uint64_t first, const uint8_t *leaves, uint64_t count,
                                struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(
        db, DB_LEAVES_ADD, "INSERT OR REPLACE INTO tree_leaves VALUES (?, ?, ?, ?)", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    bind_int(&bind, run_id);
    bind_size(&bind, "the number of a leaf", first);
    if (bind.rc == ERR_OK &&
        sqlite3_bind_blob64(stmt, ++bind.at, leaves, count * DB_LEAF, SQLITE_STATIC) != SQLITE_OK)
        return ERR_NO_MEMORY(err, count * DB_LEAF);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding leaves of a tree hash", err)
                             : bind.rc;
}

enum err_code db_leaves_add(struct db_case *db, int64_t image_id, int64_t run_id, uint64_t first,
                            const uint8_t *leaves, uint64_t count, struct err *err)
{
    bool own;
    const enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK
               ? db_atom_end(db, own, leaves_add(db, image_id, run_id, first, leaves, count, err),
                             err)
               : rc;
}

struct leaves_list {
    uint8_t *bytes;
    uint64_t count, room;
};

static enum err_code leaves_read(void *arg, struct row *row)
{
    struct leaves_list *list = arg;
    const uint64_t number = row_size(row, "number");
    const void *bytes = sqlite3_column_blob(row->stmt, row->at);
    const uint64_t len = (uint64_t)sqlite3_column_bytes(row->stmt, row->at);
    const uint64_t count = len / DB_LEAF;

    if (row->rc == ERR_OK && number != list->count)
        row_damaged(row, "number", "not the one behind the row before");
    if (row->rc != ERR_OK)
        return row->rc;
    if (bytes == NULL || len % DB_LEAF != 0 || count == 0 || count > LEAVES_MAX - list->count) {
        row_damaged(row, "digests", "not of 32 bytes each, or too many");
        return row->rc;
    }
    if (list->count + count > list->room) {
        const uint64_t room = (list->count + count) * 2;
        uint8_t *grown = realloc(list->bytes, room * DB_LEAF);

        if (grown == NULL)
            return ERR_NO_MEMORY(row->err, room * DB_LEAF);
        list->bytes = grown;
        list->room = room;
    }
    memcpy(list->bytes + list->count * DB_LEAF, bytes, len);
    list->count += count;
    return ERR_OK;
}

enum err_code db_leaves_get(struct db_case *db, int64_t image_id, int64_t run_id, uint8_t **leaves,
                            uint64_t *count, struct err *err)
{
    struct leaves_list list = { 0 };
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_LEAVES_GET,
                   "SELECT number, digests FROM tree_leaves WHERE image_id = ?1 AND run_id = "
                   "CASE WHEN ?2 > 0 THEN ?2 ELSE (SELECT coalesce(r.resumes, r.id) FROM "
                   "image_hashes h JOIN runs r ON r.id = h.run_id WHERE h.image_id = ?1 AND h.kind "
                   "= 'tree' ORDER BY h.run_id DESC LIMIT 1) END ORDER BY number",
                   &stmt, err);

    *leaves = NULL;
    *count = 0;
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    bind_int(&bind, run_id);
    rc = row_each(&bind, "tree_leaves", "reading leaves of a tree hash", leaves_read, &list);
    if (rc != ERR_OK) {
        free(list.bytes);
        return rc;
    }
    *leaves = list.bytes;
    *count = list.count;
    return ERR_OK;
}
