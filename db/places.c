/* db/places.c - a walk over where all objects lie. */
#include <assert.h>

#include "db/bind.h"
#include "db/row.h"

static enum err_code places_read(struct db_case *db, sqlite3_stmt *stmt, struct db_place *out, struct err *err)
{
    struct row row = row_init(db, stmt, "objects", err);

    out->id = row_id(&row, "id");
    out->signature_id = row_id(&row, "signature_id");
    out->offset = row_size(&row, "offset");
    out->len = row_size(&row, "len");
    out->checked = row_int(&row, "checked", 0, 1) == 1;
    out->proven = row_int(&row, "proven", 0, 1) == 1;
    out->container = row_int(&row, "container", 0, 1) == 1;
    out->complete = row_int(&row, "state", 0, 1) == 1;
    out->slack = (enum db_slack)row_int(&row, "slack", DB_SLACK_NONE, DB_SLACK_FOREIGN);
    return row.rc;
}

/*
 * What each changes (parent, state, length, reason) is no part of the index that the walk follows, so the walk sees every
 * object once.
 */
enum err_code db_places_walk(struct db_case *db, int64_t image_id, db_place_fn each, void *arg, struct err *err)
{
    static const char sql[] =
        "SELECT id, signature_id, offset, len, checked, proven, container, state = 'complete', slack FROM objects "
        "INDEXED BY objects_by_offset "
        "WHERE image_id = ? ORDER BY offset, id";
    struct db_place place;
    sqlite3_stmt *stmt;
    bool found = true;
    enum err_code rc = db_prepare(db, DB_PLACES, sql, &stmt, err);

    assert(db->in_transaction);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    for (rc = bind.rc; rc == ERR_OK && found;) {
        rc = db_step(db, stmt, &found, "walking over the objects", err);
        if (rc == ERR_OK && found)
            rc = places_read(db, stmt, &place, err);
        if (rc == ERR_OK && found)
            rc = each(arg, &place, err);
    }
    sqlite3_reset(stmt);
    return rc;
}

static enum err_code places_read_piece(struct db_case *db, sqlite3_stmt *stmt, struct db_piece *out, struct err *err)
{
    struct row row = row_init(db, stmt, "extents", err);

    out->object_id = row_id(&row, "object_id");
    out->offset = row_size(&row, "offset");
    out->len = row_size(&row, "len");
    out->object_len = row_size(&row, "objects.len");
    out->name = row_text(&row, "name", DB_NAME_MAX);
    return row.rc;
}

enum err_code db_pieces_walk(struct db_case *db, int64_t image_id, db_piece_fn each, void *arg, struct err *err)
{
    static const char sql[] = "SELECT o.id, e.offset, e.len, o.len, o.name FROM objects o INDEXED BY objects_by_offset "
                              "JOIN extents e ON e.object_id = o.id WHERE o.image_id = ? ORDER BY e.offset, o.id";
    struct db_piece piece;
    sqlite3_stmt *stmt;
    bool found = true;
    enum err_code rc = db_prepare(db, DB_PIECES, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    for (rc = bind.rc; rc == ERR_OK && found;) {
        rc = db_step(db, stmt, &found, "walking over the pieces of objects", err);
        if (rc == ERR_OK && found)
            rc = places_read_piece(db, stmt, &piece, err);
        if (rc == ERR_OK && found)
            rc = each(arg, &piece, err);
    }
    sqlite3_reset(stmt);
    return rc;
}

enum err_code db_slack_count(struct db_case *db, int64_t image_id, struct db_slack_counts *out, struct err *err)
{
    static const char sql[] =
        "SELECT count(*) FILTER (WHERE slack = 1 AND proven), count(*) FILTER (WHERE slack = 2), "
        "count(*) FILTER (WHERE slack = 1 AND NOT proven), count(*) FILTER (WHERE slack = 3) FROM objects "
        "WHERE image_id = ? AND state = 'complete'";
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc = db_prepare(db, DB_SLACK_COUNT, sql, &stmt, err);

    *out = (struct db_slack_counts){ 0 };
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    rc = bind.rc == ERR_OK ? db_step(db, stmt, &found, "counting the objects", err) : bind.rc;
    if (rc == ERR_OK && found) {
        struct row row = row_init(db, stmt, "objects", err);

        out->zeros = row_size(&row, "zeros");
        out->other = row_size(&row, "other");
        out->believed = row_size(&row, "believed");
        out->foreign = row_size(&row, "foreign");
        rc = row.rc;
    }
    sqlite3_reset(stmt);
    return rc;
}
