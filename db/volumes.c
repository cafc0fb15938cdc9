/* SPDX-License-Identifier: Apache-2.0
 * db/volumes.c - the tables volumes and scanned: which bytes of an image a scan was asked to look
 * at, and why. */
#include "db/bind.h"
#include "db/references.h"
#include "db/row.h"

static enum err_code volumes_add(struct db_case *db, int64_t run_id, const struct db_volume *volume,
                                 struct err *err)
{
    static const char sql[] = "INSERT INTO volumes (run_id, number, slot, kind, offset, len, "
                              "description, content, label, scanned, why) "
                              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *stmt;
    enum err_code rc = db_refer(db, DB_PARENT_RUN, run_id, err);

    if (rc == ERR_OK)
        rc = db_prepare(db, DB_VOLUME_ADD, sql, &stmt, err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    bind_int(&bind, volume->number);
    bind_int(&bind, volume->slot);
    bind_text(&bind, "the kind of a volume", volume->kind, DB_WORD_MAX);
    bind_size(&bind, "the offset of a volume", volume->offset);
    bind_size(&bind, "the length of a volume", volume->len);
    bind_text(&bind, "the description of a volume", volume->description, DB_REASON_MAX);
    bind_text(&bind, "the content of a volume", volume->content, DB_WORD_MAX);
    bind_text(&bind, "the label of a volume", volume->label, DB_REASON_MAX);
    bind_size(&bind, "the scanned bytes of a volume", volume->scanned);
    bind_text(&bind, "the reason of a volume", volume->why, DB_REASON_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a volume", err) : bind.rc;
}

enum err_code db_volume_add(struct db_case *db, int64_t run_id, const struct db_volume *volume,
                            struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, volumes_add(db, run_id, volume, err), err) : rc;
}

struct volumes_walk {
    db_volume_fn each;
    void *arg;
};

static enum err_code volumes_read(void *arg, struct row *row)
{
    const struct volumes_walk *walk = arg;
    struct db_volume volume = { 0 };
    const int64_t image_id = row_id(row, "image_id");

    volume.number = (uint32_t)row_int(row, "number", 0, UINT32_MAX);
    volume.slot = (uint32_t)row_int(row, "slot", 0, UINT32_MAX);
    volume.kind = row_text(row, "kind", DB_WORD_MAX);
    volume.offset = row_size(row, "offset");
    volume.len = row_size(row, "len");
    volume.description = row_text(row, "description", DB_REASON_MAX);
    volume.content = row_text(row, "content", DB_WORD_MAX);
    volume.label = row_text(row, "label", DB_REASON_MAX);
    volume.scanned = row_size(row, "scanned");
    volume.why = row_text(row, "why", DB_REASON_MAX);
    return row->rc == ERR_OK ? walk->each(walk->arg, image_id, &volume, row->err) : row->rc;
}

enum err_code db_volumes_walk(struct db_case *db, db_volume_fn each, void *arg, struct err *err)
{
    static const char sql[] =
        "SELECT r.image_id, v.number, v.slot, v.kind, v.offset, v.len, v.description, v.content, "
        "v.label, v.scanned, v.why FROM volumes v JOIN runs r ON r.id = v.run_id "
        "ORDER BY v.run_id, v.number";
    struct volumes_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_VOLUMES, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    return row_each(&bind, "volumes", "reading the volumes of an image", volumes_read, &walk);
}

static enum err_code volumes_add_scanned(struct db_case *db, int64_t run_id, uint64_t offset,
                                         uint64_t len, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_refer(db, DB_PARENT_RUN, run_id, err);

    if (rc == ERR_OK)
        rc = db_prepare(db, DB_SCANNED_ADD,
                        "INSERT INTO scanned (run_id, offset, len) VALUES (?, ?, ?)", &stmt, err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    bind_size(&bind, "the offset of scanned bytes", offset);
    bind_size(&bind, "the length of scanned bytes", len);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding scanned bytes", err) : bind.rc;
}

enum err_code db_scanned_add(struct db_case *db, int64_t run_id, uint64_t offset, uint64_t len,
                             struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK
               ? db_atom_end(db, own, volumes_add_scanned(db, run_id, offset, len, err), err)
               : rc;
}

struct scanned_walk {
    db_scanned_fn each;
    void *arg;
};

static enum err_code volumes_read_scanned(void *arg, struct row *row)
{
    const struct scanned_walk *walk = arg;
    const uint64_t offset = row_size(row, "offset");
    const uint64_t len = row_size(row, "len");

    return row->rc == ERR_OK ? walk->each(walk->arg, offset, len, row->err) : row->rc;
}

enum err_code db_scanned_walk(struct db_case *db, int64_t scan_id, db_scanned_fn each, void *arg,
                              struct err *err)
{
    struct scanned_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_SCANNED,
                   "SELECT offset, len FROM scanned WHERE run_id = ? ORDER BY offset", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, scan_id);
    return row_each(&bind, "scanned", "reading what was to be scanned", volumes_read_scanned,
                    &walk);
}
