/* SPDX-License-Identifier: Apache-2.0
 * db/likely.c - the tables likely and likely_pieces: files that were put together without proof.
 */
#include "db/bind.h"
#include "db/row.h"

static enum err_code likely_delete(struct db_case *db, enum db_statement number, const char *sql,
                                   int64_t image_id, struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, number, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "forgetting likely files", err) : bind.rc;
}

static enum err_code likely_clear(struct db_case *db, int64_t image_id, struct err *err)
{
    const enum err_code rc =
        likely_delete(db, DB_LIKELY_CLEAR_PIECES,
                      "DELETE FROM likely_pieces WHERE hit_id IN (SELECT hit_id FROM likely WHERE "
                      "image_id = ?)",
                      image_id, err);

    return rc == ERR_OK ? likely_delete(db, DB_LIKELY_CLEAR,
                                        "DELETE FROM likely WHERE image_id = ?", image_id, err)
                        : rc;
}

enum err_code db_likely_clear(struct db_case *db, int64_t image_id, struct err *err)
{
    bool own;
    const enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, likely_clear(db, image_id, err), err) : rc;
}

static enum err_code likely_add_row(struct db_case *db, int64_t run_id, const struct db_likely *row,
                                    struct err *err)
{
    static const char sql[] =
        "INSERT INTO likely (hit_id, run_id, image_id, type, extension, reason, wrong, tried, "
        "text, len, crc64) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *stmt;
    uint64_t len = 0;
    const enum err_code rc = db_prepare(db, DB_LIKELY_ADD, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < row->extent_count; i++)
        len += row->extents[i].len;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, row->hit_id);
    bind_int(&bind, run_id);
    bind_int(&bind, row->image_id);
    bind_text(&bind, "the type of a likely file", row->type, DB_WORD_MAX);
    bind_text(&bind, "the extension of a likely file", row->extension, DB_WORD_MAX);
    bind_text(&bind, "the reason of a likely file", row->reason, DB_REASON_MAX);
    bind_int(&bind, row->wrong);
    bind_size(&bind, "the number of ways tried", row->tried);
    bind_text(&bind, "what speaks for a likely file", row->text, DB_REASON_MAX);
    bind_size(&bind, "the length of a likely file", len);
    bind_crc64(&bind, row->has_crc64, row->crc64);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "storing a likely file", err) : bind.rc;
}

static enum err_code likely_add_piece(struct db_case *db, const struct db_likely *row,
                                      uint32_t number, struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(
        db, DB_LIKELY_PIECE,
        "INSERT INTO likely_pieces (hit_id, number, offset, len) VALUES (?, ?, ?, ?)", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, row->hit_id);
    bind_int(&bind, number);
    bind_size(&bind, "the offset of a piece", row->extents[number].offset);
    bind_size(&bind, "the length of a piece", row->extents[number].len);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "storing a piece of a likely file", err)
                             : bind.rc;
}

static enum err_code likely_add(struct db_case *db, int64_t run_id, const struct db_likely *row,
                                struct err *err)
{
    if (row->extent_count < 2 || row->extent_count > DB_LIKELY_PIECES)
        return ERR_RAISE(err, ERR_FULL, "a likely file has 2 to %d pieces, and not %u",
                         DB_LIKELY_PIECES, row->extent_count);
    enum err_code rc = likely_add_row(db, run_id, row, err);
    for (uint32_t i = 0; rc == ERR_OK && i < row->extent_count; i++)
        rc = likely_add_piece(db, row, i, err);
    return rc;
}

enum err_code db_likely_add(struct db_case *db, int64_t run_id, const struct db_likely *row,
                            struct err *err)
{
    bool own;
    const enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, likely_add(db, run_id, row, err), err) : rc;
}

/* A row for each piece, with those of its file before it: the last piece gives the file. */
struct likely_walk {
    db_likely_fn each;
    void *arg;
    struct db_extent extents[DB_LIKELY_PIECES];
    uint32_t count; /* pieces so far */
};

static void likely_read_piece(struct likely_walk *walk, struct row *row, uint32_t pieces)
{
    const uint64_t size = row_size(row, "image_id (its image's size)");

    row_int(row, "number", walk->count, walk->count);
    const uint64_t offset = row_size(row, "offset"), len = row_size(row, "likely_pieces.len");
    if (row->rc == ERR_OK && (pieces < 2 || pieces > DB_LIKELY_PIECES))
        row_damaged(row, "number", "a likely file of one piece, or of too many");
    if (row->rc == ERR_OK && (offset > size || len > size - offset))
        row_damaged(row, "len", "the piece ends behind the image");
    if (row->rc == ERR_OK)
        walk->extents[walk->count++] = (struct db_extent){ offset, len };
}

static enum err_code likely_read(void *arg, struct row *row)
{
    struct likely_walk *walk = arg;
    struct db_likely likely = { .hit_id = row_id(row, "hit_id") };

    likely.image_id = row_int(row, "image_id", 1, INT64_MAX);
    likely.type = row_text(row, "type", DB_WORD_MAX);
    likely.extension = row_text(row, "extension", DB_WORD_MAX);
    likely.reason = row_text(row, "reason", DB_REASON_MAX);
    likely.wrong = (uint32_t)row_int(row, "wrong", 1, 1000000);
    likely.tried = row_size(row, "tried");
    likely.text = row_text(row, "text", DB_REASON_MAX);
    likely.has_crc64 = row_crc64_or_null(row, "crc64", &likely.crc64);
    const uint64_t len = row_size(row, "len");
    const uint32_t pieces = (uint32_t)row_int(row, "pieces", 0, DB_EXTENTS_MAX);
    likely_read_piece(walk, row, pieces);
    if (row->rc != ERR_OK || walk->count < pieces)
        return row->rc;
    likely.extents = walk->extents;
    likely.extent_count = walk->count;
    for (uint32_t i = 0; i < walk->count; i++)
        likely.len += walk->extents[i].len;
    walk->count = 0;
    if (likely.len != len)
        row_damaged(row, "len", "not the sum of its pieces");
    return row->rc == ERR_OK ? walk->each(walk->arg, &likely, row->err) : row->rc;
}

#define LIKELY_SELECT(which)                                                                       \
    "SELECT l.hit_id, l.image_id, l.type, l.extension, l.reason, l.wrong, l.tried, l.text, "       \
    "l.crc64, l.len, (SELECT count(*) FROM likely_pieces WHERE hit_id = l.hit_id), i.size, "       \
    "p.number, p.offset, p.len FROM likely l JOIN images i ON i.id = l.image_id "                  \
    "JOIN likely_pieces p ON p.hit_id = l.hit_id " which "ORDER BY l.image_id, l.hit_id, p.number"

enum err_code db_likely_walk(struct db_case *db, db_likely_fn each, void *arg, struct err *err)
{
    struct likely_walk walk = { .each = each, .arg = arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_LIKELY, LIKELY_SELECT(""), &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    return row_each(&bind, "likely", "reading likely files", likely_read, &walk);
}

enum err_code db_likely_find(struct db_case *db, int64_t hit_id, db_likely_fn each, void *arg,
                             struct err *err)
{
    struct likely_walk walk = { .each = each, .arg = arg };
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_LIKELY_FIND, LIKELY_SELECT("WHERE l.hit_id = ? "), &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, hit_id);
    return row_each(&bind, "likely", "reading a likely file", likely_read, &walk);
}

static enum err_code likely_read_count(void *arg, struct row *row)
{
    *(uint64_t *)arg = row_size(row, "count");
    return row->rc;
}

enum err_code db_likely_count(struct db_case *db, int64_t image_id, uint64_t *count,
                              struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_LIKELY_COUNT, "SELECT count(*) FROM likely WHERE ?1 = 0 OR image_id = ?1",
                   &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "likely", "counting likely files", likely_read_count, count);
}
