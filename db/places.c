/* SPDX-License-Identifier: Apache-2.0
 * db/places.c - a walk over where all objects lie. */
#include <assert.h>

#include "db/bind.h"
#include "db/row.h"

struct places_walk {
    db_place_fn each;
    void *arg;
};

static enum err_code places_read(void *arg, struct row *row)
{
    const struct places_walk *walk = arg;
    struct db_place place;

    place.id = row_id(row, "id");
    place.signature_id = row_id(row, "signature_id");
    place.offset = row_size(row, "offset");
    place.len = row_size(row, "len");
    place.validated = row_int(row, "validated", 0, 1) == 1;
    place.proven = row_int(row, "proven", 0, 1) == 1;
    place.container = row_int(row, "container", 0, 1) == 1;
    place.complete = row_int(row, "state", 0, 1) == 1;
    place.slack = (enum db_slack)row_int(row, "slack", DB_SLACK_NONE, DB_SLACK_FOREIGN);
    return row->rc == ERR_OK ? walk->each(walk->arg, &place, row->err) : row->rc;
}

enum err_code db_places_walk(struct db_case *db, int64_t image_id, db_place_fn each, void *arg,
                             struct err *err)
{
    static const char sql[] = "SELECT id, signature_id, offset, len, validated, proven, container, "
                              "state = 'complete', slack FROM objects " DB_BY_PLACE
                              "WHERE image_id = ? ORDER BY offset, id";
    struct places_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_PLACES, sql, &stmt, err);

    assert(db->in_transaction);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "objects", "walking over the objects", places_read, &walk);
}

enum err_code db_places_any(struct db_case *db, int64_t image_id, bool *any, struct err *err)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM objects " DB_BY_PLACE "WHERE image_id = ?)";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_PLACES_ANY, sql, &stmt, err);

    *any = false;
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_exists(&bind, "objects", "looking for objects", any);
}

struct places_owners {
    db_owner_fn each;
    void *arg;
};

static enum err_code places_read_owner(void *arg, struct row *row)
{
    const struct places_owners *walk = arg;
    struct db_owner owner;

    owner.id = row_id(row, "id");
    owner.parent_id = row_id_or_null(row, "parent_id");
    owner.offset = row_size(row, "offset");
    owner.len = row_size(row, "len");
    owner.complete = row_int(row, "state", 0, 1) == 1;
    owner.proven = row_int(row, "proven", 0, 1) == 1;
    owner.in_pieces = row_int(row, "assembled.len", 0, 1) == 1;
    owner.ends_in_zeros = row_int(row, "slack", 0, 1) == 1;
    const uint64_t size = row_size(row, "image_id (its image's size)");
    if (row->rc == ERR_OK && (owner.offset > size || owner.len > size - owner.offset) &&
        !owner.in_pieces)
        row_damaged(row, "len", "the object ends behind the image");
    return row->rc == ERR_OK ? walk->each(walk->arg, &owner, row->err) : row->rc;
}

enum err_code db_owners_walk(struct db_case *db, int64_t image_id, db_owner_fn each, void *arg,
                             struct err *err)
{
    static const char sql[] =
        "SELECT o.id, " DB_PARENT ", o.offset, "
        "coalesce(a.len, n.len, o.len), coalesce(a.state, n.state, o.state) = 'complete' AND "
        "o.signature_id NOT IN (SELECT id FROM signatures WHERE header = ''), "
        "coalesce(a.proven, o.proven AND n.reason IS NULL), a.len IS NOT NULL, "
        "o.slack = 1 AND a.len IS NULL, "
        "(SELECT size FROM images WHERE id = ?1) FROM objects o " DB_BY_PLACE
        "LEFT JOIN nested n ON n.object_id = o.id "
        "LEFT JOIN assembled a ON a.object_id = o.id "
        "WHERE o.image_id = ?1 AND coalesce(a.part, 0) = 0 ORDER BY o.offset, o.id";
    struct places_owners walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_OWNERS, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "objects", "walking over what objects own", places_read_owner, &walk);
}

struct places_pieces {
    db_piece_fn each;
    void *arg;
};

static enum err_code places_read_piece(void *arg, struct row *row)
{
    const struct places_pieces *walk = arg;
    struct db_piece piece;

    piece.object_id = row_id(row, "object_id");
    piece.offset = row_size(row, "offset");
    piece.len = row_size(row, "len");
    piece.object_len = row_size(row, "objects.len");
    piece.name = row_text(row, "name", DB_NAME_MAX);
    return row->rc == ERR_OK ? walk->each(walk->arg, &piece, row->err) : row->rc;
}

enum err_code db_pieces_walk(struct db_case *db, int64_t image_id, db_piece_fn each, void *arg,
                             struct err *err)
{
    static const char sql[] =
        "SELECT o.id, e.offset, min(e.len, coalesce(n.len, e.len)), coalesce(n.len, o.len), o.name "
        "FROM objects o " DB_BY_PLACE "JOIN extents e ON e.object_id = o.id "
        "LEFT JOIN nested n ON n.object_id = o.id LEFT JOIN assembled a ON a.object_id = o.id "
        "WHERE o.image_id = ?1 AND a.len IS NULL AND coalesce(a.part, 0) = 0 "
        "UNION ALL SELECT o.id, p.offset, p.len, a.len, o.name FROM pieces p JOIN objects o ON "
        "o.id = p.object_id JOIN assembled a ON a.object_id = o.id WHERE o.image_id = ?1 "
        "ORDER BY 2, 1";
    struct places_pieces walk = { each, arg };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_PIECES, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "extents", "walking over the pieces of objects", places_read_piece,
                    &walk);
}
