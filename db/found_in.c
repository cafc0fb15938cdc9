/* SPDX-License-Identifier: Apache-2.0
 * db/found_in.c - the table found_in: what file systems say of the places that objects begin at. */
#include "db/bind.h"
#include "db/references.h"
#include "db/row.h"

#define FOUND_IN_COLUMNS                                                                           \
    "object_id, kind, slot, file_system, path, inode, file_offset, modified, accessed, changed, "  \
    "created"

static enum err_code found_in_clear(struct db_case *db, int64_t image_id, struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_FOUND_IN_CLEAR,
                   "DELETE FROM found_in WHERE (SELECT image_id FROM objects WHERE id = object_id) "
                   "= ?",
                   &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "removing places", err) : bind.rc;
}

enum err_code db_found_in_clear(struct db_case *db, int64_t image_id, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, found_in_clear(db, image_id, err), err) : rc;
}

static enum err_code found_in_add(struct db_case *db, const struct db_found_in *place,
                                  struct err *err)
{
    static const char sql[] =
        "INSERT INTO found_in (" FOUND_IN_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_FOUND_IN_ADD, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, place->object_id);
    bind_text(&bind, "the kind of a place", place->kind, DB_WORD_MAX);
    bind_int(&bind, place->slot);
    bind_text(&bind, "the file system of a place", place->file_system, DB_WORD_MAX);
    bind_text(&bind, "the path of a place", place->path, DB_NAME_MAX);
    bind_size(&bind, "the inode of a place", place->inode);
    bind_size(&bind, "the offset of a place", place->file_offset);
    bind_time_or_null(&bind, place->modified);
    bind_time_or_null(&bind, place->accessed);
    bind_time_or_null(&bind, place->changed);
    bind_time_or_null(&bind, place->created);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a place", err) : bind.rc;
}

enum err_code db_found_in_add(struct db_case *db, const struct db_found_in *place, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, found_in_add(db, place, err), err) : rc;
}

struct found_in_walk {
    db_found_in_fn each;
    void *arg;
};

static enum err_code found_in_read(void *arg, struct row *row)
{
    const struct found_in_walk *walk = arg;
    struct db_found_in place = { .object_id = row_id(row, "object_id") };

    place.kind = row_text(row, "kind", DB_WORD_MAX);
    place.slot = (uint32_t)row_int(row, "slot", 0, UINT32_MAX);
    place.file_system = row_text(row, "file_system", DB_WORD_MAX);
    place.path = row_text(row, "path", DB_NAME_MAX);
    place.inode = row_size(row, "inode");
    place.file_offset = row_size(row, "file_offset");
    place.modified = row_time_or_null(row, "modified");
    place.accessed = row_time_or_null(row, "accessed");
    place.changed = row_time_or_null(row, "changed");
    place.created = row_time_or_null(row, "created");
    return row->rc == ERR_OK ? walk->each(walk->arg, &place, row->err) : row->rc;
}

enum err_code db_found_in_walk(struct db_case *db, db_found_in_fn each, void *arg, struct err *err)
{
    struct found_in_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_FOUND_IN_ALL,
                   "SELECT " FOUND_IN_COLUMNS " FROM found_in ORDER BY object_id", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(db, stmt, err);
    return row_each(&bind, "found_in", "reading places", found_in_read, &walk);
}

enum err_code db_found_in_any(struct db_case *db, bool *any, struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_FOUND_IN_ANY, "SELECT EXISTS (SELECT 1 FROM found_in)", &stmt, err);

    *any = false;
    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(db, stmt, err);
    return row_exists(&bind, "found_in", "looking for places", any);
}

enum err_code db_found_in_of(struct db_case *db, int64_t object_id, db_found_in_fn each, void *arg,
                             struct err *err)
{
    struct found_in_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_FOUND_IN, "SELECT " FOUND_IN_COLUMNS " FROM found_in WHERE object_id = ?",
                   &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, object_id);
    return row_each(&bind, "found_in", "reading a place", found_in_read, &walk);
}
