/* SPDX-License-Identifier: Apache-2.0
 * db/assembled.c - the tables assembled, pieces and joins: objects that lie in more than one piece,
 * and what lies in those. What the scan had said of them stays in its own rows.
 */
#include "db/bind.h"
#include "db/references.h"
#include "db/row.h"

struct starts_walk {
    db_start_fn each;
    void *arg;
};

static enum err_code starts_read(void *arg, struct row *row)
{
    const struct starts_walk *walk = arg;
    struct db_start start;

    start.hit_id = row_id(row, "id");
    start.signature_id = row_id(row, "signature_id");
    start.signature = row_text(row, "signatures.name", DB_WORD_MAX);
    start.offset = row_size(row, "offset");
    start.object = row_int(row, "objects.id", 0, 1) == 1;

    return row->rc == ERR_OK ? walk->each(walk->arg, &start, row->err) : row->rc;
}

enum err_code db_starts_walk(struct db_case *db, int64_t image_id, const char *places,
                             db_start_fn each, void *arg, struct err *err)
{
    /* The places come first, without a join: nearly all hits are elsewhere. */
    static const char sql[] =
        "SELECT h.id, h.signature_id, s.name, h.offset, o.id IS NOT NULL FROM hits h "
        "CROSS JOIN signatures s ON s.id = h.signature_id LEFT JOIN objects o ON o.id = h.id "
        "WHERE h.image_id = ? AND h.footer = 0 AND (h.offset & 511) IN (SELECT value FROM "
        "json_each(?)) AND s.kind = 'validator' AND s.origin = 'built-in' ORDER BY h.id";
    struct starts_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_STARTS, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    bind_text(&bind, "the places of headers", places, DB_STARTS_PLACES_MAX);
    return row_each(&bind, "hits", "walking over headers", starts_read, &walk);
}

/* What no validator had taken for an object is one now: its first piece stands for it in the rows
 * of the scan. */
static enum err_code assembled_add_object(struct db_case *db, const struct db_assembled *row,
                                          struct err *err)
{
    const struct db_object object = { .id = row->object_id,
                                      .image_id = row->image_id,
                                      .signature_id = row->signature_id,
                                      .type = row->type,
                                      .extension = row->extension,
                                      .state = "truncated",
                                      .reason = row->reason,
                                      .validated = true,
                                      .container = row->container,
                                      .offset = row->extents[0].offset,
                                      .len = row->extents[0].len,
                                      .extents = row->extents,
                                      .extent_count = 1,
                                      .name = row->name };

    return db_object_insert(db, &object, err);
}

static enum err_code assembled_add_row(struct db_case *db, int64_t run_id,
                                       const struct db_assembled *row, struct err *err)
{
    static const char sql[] =
        "INSERT INTO assembled (object_id, run_id, added, part, parent_id, type, extension, state, "
        "reason, proven, len, crc64) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?11 IS NULL, NULL, "
        "?10), ?11, ?12)";
    sqlite3_stmt *stmt;
    uint64_t len = 0;
    const enum err_code rc = db_prepare(db, DB_ASSEMBLED_ADD, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; row->pieces && i < row->extent_count; i++)
        len += row->extents[i].len;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, row->object_id);
    bind_int(&bind, run_id);
    bind_int(&bind, row->pieces && row->added);
    bind_int(&bind, row->part);
    bind_id_or_null(&bind, row->parent_id);
    bind_text_or_null(&bind, "the type of an object", row->pieces ? row->type : NULL, DB_WORD_MAX);
    bind_text_or_null(&bind, "the extension of an object", row->pieces ? row->extension : NULL,
                      DB_WORD_MAX);
    bind_text_or_null(&bind, "the state of an object", row->pieces ? row->state : NULL,
                      DB_WORD_MAX);
    bind_text_or_null(&bind, "the reason of an object", row->pieces ? row->reason : NULL,
                      DB_REASON_MAX);
    bind_int(&bind, row->proven);
    if (row->pieces)
        bind_size(&bind, "the length of an object", len);
    else
        bind_id_or_null(&bind, 0);
    bind_crc64(&bind, row->pieces && row->has_crc64, row->crc64);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "storing an object in pieces", err)
                             : bind.rc;
}

static enum err_code assembled_add_piece(struct db_case *db, const struct db_assembled *row,
                                         uint32_t number, struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(
        db, DB_ASSEMBLED_PIECE,
        "INSERT INTO pieces (object_id, number, offset, len) VALUES (?, ?, ?, ?)", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, row->object_id);
    bind_int(&bind, number);
    bind_size(&bind, "the offset of a piece", row->extents[number].offset);
    bind_size(&bind, "the length of a piece", row->extents[number].len);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "storing a piece", err) : bind.rc;
}

static enum err_code assembled_add_join(struct db_case *db, const struct db_assembled *row,
                                        uint32_t number, struct err *err)
{
    const struct db_join *join = &row->joins[number - 1];
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_ASSEMBLED_JOIN,
                                        "INSERT INTO joins (object_id, number, at, kind, bits, "
                                        "tried, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
                                        &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, row->object_id);
    bind_int(&bind, number);
    bind_size(&bind, "the place of a seam", join->at);
    bind_text(&bind, "the kind of a seam", join->kind, DB_WORD_MAX);
    bind_int(&bind, join->bits);
    bind_size(&bind, "the number of places tried", join->tried);
    bind_text(&bind, "the proof of a seam", join->text, DB_REASON_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "storing a seam", err) : bind.rc;
}

struct joins_walk {
    db_join_fn each;
    void *arg;
};

static enum err_code joins_read(void *arg, struct row *row)
{
    const struct joins_walk *walk = arg;
    const uint32_t number = (uint32_t)row_int(row, "number", 1, DB_EXTENTS_MAX);
    struct db_join join = { .at = row_size(row, "at") };

    join.kind = row_text(row, "kind", DB_WORD_MAX);
    join.bits = (uint32_t)row_int(row, "bits", 0, UINT32_MAX);
    join.tried = row_size(row, "tried");
    join.text = row_text(row, "text", DB_REASON_MAX);
    return row->rc == ERR_OK ? walk->each(walk->arg, number, &join, row->err) : row->rc;
}

enum err_code db_joins_of(struct db_case *db, int64_t object_id, db_join_fn each, void *arg,
                          struct err *err)
{
    struct joins_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_JOINS,
                                        "SELECT number, at, kind, bits, tried, text FROM joins "
                                        "WHERE object_id = ? ORDER BY number",
                                        &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, object_id);
    return row_each(&bind, "joins", "reading the seams of an object", joins_read, &walk);
}

static enum err_code assembled_add(struct db_case *db, int64_t run_id,
                                   const struct db_assembled *row, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (row->pieces && (row->extent_count < 2 || row->extent_count > DB_EXTENTS_MAX))
        return ERR_RAISE(err, ERR_FULL, "an object has 2 to %d pieces, and not %u", DB_EXTENTS_MAX,
                         row->extent_count);
    if (row->pieces && row->added)
        rc = assembled_add_object(db, row, err);
    if (rc == ERR_OK)
        rc = assembled_add_row(db, run_id, row, err);
    for (uint32_t i = 0; rc == ERR_OK && row->pieces && i < row->extent_count; i++) {
        rc = assembled_add_piece(db, row, i, err);
        if (rc == ERR_OK && i > 0)
            rc = assembled_add_join(db, row, i, err);
    }
    if (rc == ERR_OK && row->pieces)
        rc = db_contents_forget(db, row->object_id, err);
    if (rc == ERR_OK && row->pieces)
        rc = db_facts_replace(db, row->object_id, row->facts, row->fact_count, err);
    return rc;
}

enum err_code db_assembled_add(struct db_case *db, int64_t run_id, const struct db_assembled *row,
                               struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, assembled_add(db, run_id, row, err), err) : rc;
}
