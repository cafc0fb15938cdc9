/* SPDX-License-Identifier: Apache-2.0
 * db/object_cursor.c - walks objects in the order (image, offset, id).
 *
 * One statement gives a row for each extent, with the object's columns before it; or, where that is
 * sooner done, a row for each object, and another one their extents while it stands on that row. So
 * a walk is one read transaction. What a row holds is copied and checked. Order is checked too: it
 * is what ends a walk over damaged pages that lead in a circle.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "db/bind.h"
#include "db/follow.h"
#include "db/row.h"

struct db_object_cursor {
    struct db_case *db;
    sqlite3_stmt *stmt;
    struct follow pieces;         /* rows of extents; closed: the statement has them, */
    sqlite3_stmt *image;          /* and sizes of images; else NULL */
    int64_t sized_id;             /* the image that was asked for last, */
    uint64_t size;                /* and its bytes */
    bool row;                     /* the statement stands on a row that was not read yet */
    int64_t image_id, offset, id; /* of the object last given */
    struct arena text;
    struct db_extent *extents;
    uint32_t extents_room;
};

enum {
    CURSOR_TEXT_MAX = 32 * 1024, /* the texts of one object */
    CURSOR_EXTENTS_FIRST = 16,
    CURSOR_EXTENT = 20, /* columns of a row before its extent's */
};

/* index: how the objects are found. */
#define CURSOR_SELECT(index)                                                                       \
    "SELECT o.id, o.image_id, o.signature_id, coalesce(a.type, o.type), "                          \
    "coalesce(a.extension, o.extension), coalesce(a.state, n.state, o.state), "                    \
    "coalesce(a.reason, n.reason, o.reason), o.validated, "                                        \
    "coalesce(a.proven, o.proven AND n.reason IS NULL), o.container, "                             \
    "o.offset, coalesce(a.len, o.len), iif(a.len IS NULL, n.len, NULL), " DB_PARENT                \
    ", c.sha256, o.name, o.slack, coalesce(c.known, 0), "                                          \
    "i.size, iif(a.len IS NULL, iif(n.len IS NULL, o.crc64, n.crc64), a.crc64), "                  \
    "coalesce(p.number, e.number), coalesce(p.offset, e.offset), coalesce(p.len, e.len) "          \
    "FROM objects o " index " LEFT JOIN nested n ON n.object_id = o.id "                           \
    "LEFT JOIN assembled a ON a.object_id = o.id "                                                 \
    "LEFT JOIN contents c ON c.object_id = o.id LEFT JOIN images i ON i.id = o.image_id "          \
    "LEFT JOIN extents e ON e.object_id = o.id AND a.len IS NULL "                                 \
    "LEFT JOIN pieces p ON p.object_id = o.id AND a.len IS NOT NULL "                              \
    "WHERE coalesce(a.part, 0) = 0 "
#define CURSOR_WALK CURSOR_SELECT(DB_BY_PLACE)
#define CURSOR_ANY CURSOR_SELECT("NOT INDEXED") "AND o.id = ? ORDER BY coalesce(p.number, e.number)"
/*
 * The same where no file was put together, as in most cases: without the tables that tell of those,
 * and in the order in which SQLite finds the rows, so that it sorts nothing. It takes a quarter
 * less time.
 */
#define CURSOR_PLAIN(size, columns, tables)                                                        \
    "SELECT o.id, o.image_id, o.signature_id, o.type, o.extension, coalesce(n.state, o.state), "   \
    "coalesce(n.reason, o.reason), o.validated, o.proven AND n.reason IS NULL, o.container, "      \
    "o.offset, o.len, n.len, n.parent_id, c.sha256, o.name, o.slack, coalesce(c.known, 0), " size  \
    ", iif(n.len IS NULL, o.crc64, n.crc64) " columns "FROM objects o " DB_BY_PLACE                \
    "LEFT JOIN nested n ON n.object_id = o.id "                                                    \
    "LEFT JOIN contents c ON c.object_id = o.id " tables "WHERE 1 "
/* Where objects stay in shards each is asked for its extents; else extents, and sizes of images,
 * are read beside objects. */
#define CURSOR_LINKED                                                                              \
    CURSOR_PLAIN("i.size", ", e.number, e.offset, e.len ",                                         \
                 "LEFT JOIN images i ON i.id = o.image_id "                                        \
                 "LEFT JOIN extents e ON e.object_id = o.id ")
#define CURSOR_ALONE CURSOR_PLAIN("NULL", "", "")
#define CURSOR_SIZE "SELECT size FROM images WHERE id = ?"
#define CURSOR_EXTENTS                                                                             \
    "SELECT object_id, number, offset, len FROM extents WHERE object_id >= ? "                     \
    "ORDER BY object_id, number"
/*
 * The same where no object lies in another one either, and none was hashed or looked up: a fifth
 * less.
 */
#define CURSOR_BARE                                                                                \
    "SELECT o.id, o.image_id, o.signature_id, o.type, o.extension, o.state, o.reason, "            \
    "o.validated, o.proven, o.container, o.offset, o.len, NULL, NULL, NULL, o.name, o.slack, 0, "  \
    "NULL, o.crc64 "                                                                               \
    "FROM objects o " DB_BY_PLACE "WHERE 1 "
#define CURSOR_SIZE_OF "image_id (its image's size)"
#define CURSOR_IMAGE "AND o.image_id = ? "
#define CURSOR_PLACES "ORDER BY o.image_id, o.offset, o.id"
#define CURSOR_ORDER CURSOR_PLACES ", coalesce(p.number, e.number)"

/* A cursor that has its statement, and has not stepped it. */
static enum err_code cursor_open(struct db_case *db, const char *sql, struct db_object_cursor **out,
                                 struct err *err)
{
    struct db_object_cursor *cursor = calloc(1, sizeof *cursor);

    *out = NULL;
    if (cursor == NULL)
        return ERR_NO_MEMORY(err, sizeof *cursor);
    *cursor = (struct db_object_cursor){ .db = db, .offset = -1 };
    arena_init(&cursor->text, CURSOR_TEXT_MAX);
    const enum err_code rc = db_prepare_once(db, sql, &cursor->stmt, err);
    if (rc == ERR_OK)
        *out = cursor;
    else
        db_objects_close(cursor);
    return rc;
}

enum err_code db_objects_open_any(struct db_case *db, struct db_object_cursor **out,
                                  struct err *err)
{
    return cursor_open(db, CURSOR_ANY, out, err);
}

/* A cursor of this statement, which stands on its first row. */
static enum err_code cursor_begin(struct db_case *db, const char *sql, int64_t image_id,
                                  struct db_object_cursor **out, struct err *err)
{
    struct db_object_cursor *cursor;
    enum err_code rc = cursor_open(db, sql, &cursor, err);

    *out = NULL;
    if (rc == ERR_OK && image_id != 0) {
        struct bind bind = bind_init(db, cursor->stmt, err);

        bind_int(&bind, image_id);
        rc = bind.rc;
    }
    if (rc == ERR_OK)
        rc = db_step(db, cursor->stmt, &cursor->row, "reading objects", err);
    if (rc == ERR_OK)
        *out = cursor;
    else
        db_objects_close(cursor);
    return rc;
}

/* What a case file has, beside objects and their extents. */
struct cursor_has {
    bool assembled, more; /* files that were put together; what CURSOR_BARE leaves out */
};

static enum err_code cursor_look(struct db_case *db, struct cursor_has *out, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare_once(db,
                        "SELECT EXISTS (SELECT 1 FROM assembled), "
                        "EXISTS (SELECT 1 FROM nested) OR EXISTS (SELECT 1 FROM contents)",
                        &stmt, err);
    bool row = false;

    if (rc == ERR_OK)
        rc = db_step(db, stmt, &row, "reading objects", err);
    if (rc == ERR_OK)
        *out = (struct cursor_has){ sqlite3_column_int(stmt, 0) != 0,
                                    sqlite3_column_int(stmt, 1) != 0 };
    sqlite3_finalize(stmt);
    return rc;
}

/* The statement for all objects, or for those of one image. Where objects stay in shards SQLite
 * would sort all of them for the sake of extents, which come in their order as it is. */
static const char *cursor_statement(const struct db_case *db, bool plain, bool one)
{
    if (db->linked != NULL && plain)
        return one ? CURSOR_LINKED CURSOR_IMAGE CURSOR_PLACES : CURSOR_LINKED CURSOR_PLACES;
    if (db->linked != NULL)
        return one ? CURSOR_WALK CURSOR_IMAGE CURSOR_PLACES : CURSOR_WALK CURSOR_PLACES;
    if (plain)
        return one ? CURSOR_ALONE CURSOR_IMAGE CURSOR_PLACES : CURSOR_ALONE CURSOR_PLACES;
    return one ? CURSOR_WALK CURSOR_IMAGE CURSOR_ORDER : CURSOR_WALK CURSOR_ORDER;
}

/* What the statement does not have is read by others. */
static enum err_code cursor_read_beside(struct db_object_cursor *cursor, struct err *err)
{
    const enum err_code rc =
        follow_open(&cursor->pieces, cursor->db, CURSOR_EXTENTS, "reading objects", err);

    return rc == ERR_OK ? db_prepare_once(cursor->db, CURSOR_SIZE, &cursor->image, err) : rc;
}

/* The first statement is begun before tables are asked, and ended behind the second one: what they
 * read is one state of the file, whoever writes to it meanwhile. */
enum err_code db_objects_open(struct db_case *db, int64_t image_id, struct db_object_cursor **out,
                              struct err *err)
{
    const bool one = image_id != 0;
    struct db_object_cursor *plain = NULL, *other = NULL;
    struct cursor_has has = { false, true };
    enum err_code rc = cursor_begin(db, cursor_statement(db, true, one), image_id, &plain, err);

    if (rc == ERR_OK)
        rc = cursor_look(db, &has, err);
    if (rc == ERR_OK && has.assembled)
        rc = cursor_begin(db, cursor_statement(db, false, one), image_id, &other, err);
    else if (rc == ERR_OK && !has.more && db->linked == NULL)
        rc = cursor_begin(db,
                          one ? CURSOR_BARE CURSOR_IMAGE CURSOR_PLACES : CURSOR_BARE CURSOR_PLACES,
                          image_id, &other, err);
    *out = rc != ERR_OK ? NULL : other != NULL ? other : plain;
    if (*out != plain)
        db_objects_close(plain);
    if (*out != other)
        db_objects_close(other);
    if (rc == ERR_OK && !has.assembled && db->linked == NULL)
        rc = cursor_read_beside(*out, err);
    if (rc != ERR_OK) {
        db_objects_close(*out);
        *out = NULL;
    }
    return rc;
}

void db_objects_close(struct db_object_cursor *cursor)
{
    if (cursor == NULL)
        return;
    sqlite3_finalize(cursor->stmt);
    sqlite3_finalize(cursor->image);
    follow_close(&cursor->pieces);
    arena_release(&cursor->text);
    free(cursor->extents);
    free(cursor);
}

/* Room for one more extent. */
static enum err_code cursor_grow(struct db_object_cursor *cursor, uint32_t count, struct err *err)
{
    if (count < cursor->extents_room)
        return ERR_OK;
    const uint32_t room = count == 0 ? CURSOR_EXTENTS_FIRST : count * 2;
    struct db_extent *extents = realloc(cursor->extents, sizeof *extents * room);

    if (extents == NULL)
        return ERR_NO_MEMORY(err, sizeof *extents * room);
    cursor->extents = extents;
    cursor->extents_room = room;
    return ERR_OK;
}

/* What a row says of its object, but for its length, which its extents must make. */
struct cursor_lengths {
    uint64_t image_size, found, cut; /* bytes; cut: what is left of it, or UINT64_MAX */
    uint64_t sum;                    /* of its extents so far */
};

/* column: of the statement, before those of the extent. */
static enum err_code cursor_read_extent(struct db_object_cursor *cursor, sqlite3_stmt *stmt,
                                        int column, struct db_object *out,
                                        struct cursor_lengths *lengths, struct err *err)
{
    const uint32_t at = out->extent_count;
    struct row row = row_init(cursor->db, stmt, "extents", err);

    row.id = out->id;
    row.at = column;
    row_int(&row, "number", at, at);
    const uint64_t offset = row_size(&row, "offset");
    const uint64_t len = row_size(&row, "len");
    if (row.rc == ERR_OK && at >= DB_EXTENTS_MAX)
        row_damaged(&row, "number", "too many extents");
    if (row.rc == ERR_OK && (offset > lengths->image_size || len > lengths->image_size - offset))
        row_damaged(&row, "len", "the extent ends behind the image");
    if (row.rc == ERR_OK && len > INT64_MAX - lengths->sum)
        row_damaged(&row, "len", "the object is longer than any image");
    const enum err_code rc = row.rc == ERR_OK ? cursor_grow(cursor, at, err) : row.rc;
    if (rc == ERR_OK) {
        cursor->extents[at] = (struct db_extent){ offset, len };
        out->extent_count++;
        lengths->sum += len;
    }
    return rc;
}

/* The extents make the length that the validator said; of them stays what was cut off nowhere. */
static enum err_code cursor_settle_extents(struct db_object_cursor *cursor, struct db_object *out,
                                           const struct cursor_lengths *lengths, struct err *err)
{
    uint64_t left = lengths->cut < lengths->found ? lengths->cut : lengths->found;

    if (out->extent_count == 0 || lengths->sum != lengths->found)
        return db_damaged(cursor->db, err,
                          "table objects, row %" PRId64 ": its %" PRIu32 " extents have %" PRIu64
                          " bytes, and len says %" PRIu64,
                          out->id, out->extent_count, lengths->sum, lengths->found);
    if (lengths->cut != UINT64_MAX && lengths->cut > lengths->found)
        return db_damaged(cursor->db, err,
                          "table nested, row %" PRId64 ": %" PRIu64
                          " bytes are left of an object of %" PRIu64,
                          out->id, lengths->cut, lengths->found);
    out->len = left;
    for (uint32_t i = 0; i < out->extent_count; i++) {
        struct db_extent *extent = &cursor->extents[i];

        if (extent->len > left) {
            extent->len = left;
            out->extent_count = i + 1;
        }
        left -= extent->len;
    }
    out->extents = cursor->extents;
    return ERR_OK;
}

static bool cursor_is_state(const char *state)
{
    static const char *const states[] = { "complete", "footer", "truncated", "fragmented" };
    bool known = false;

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        known = known || strcmp(state, states[i]) == 0;
    return known;
}

/* The size of the row's image, which mostly is that of the row before it. */
static void cursor_size(struct db_object_cursor *cursor, int64_t image_id, struct row *row)
{
    struct bind bind = bind_init(cursor->db, cursor->image, row->err);
    struct row image = row_init(cursor->db, cursor->image, row->table, row->err);
    bool found = false;

    if (row->rc != ERR_OK || image_id == cursor->sized_id)
        return;
    image.id = row->id;
    bind_int(&bind, image_id);
    row->rc = bind.rc;
    if (row->rc == ERR_OK)
        row->rc = db_step(cursor->db, cursor->image, &found, "reading objects", row->err);
    if (row->rc == ERR_OK && !found)
        row_damaged(row, CURSOR_SIZE_OF, "not an integer");
    if (row->rc == ERR_OK) {
        cursor->size = row_size(&image, CURSOR_SIZE_OF);
        row->rc = image.rc;
    }
    cursor->sized_id = row->rc == ERR_OK ? image_id : 0;
    sqlite3_reset(cursor->image);
}

static enum err_code cursor_read_row(struct db_object_cursor *cursor, struct db_object *out,
                                     struct cursor_lengths *lengths, struct err *err)
{
    struct arena *text = &cursor->text;
    struct row row = row_init(cursor->db, cursor->stmt, "objects", err);

    arena_clear(text);
    out->id = row_id(&row, "id");
    out->image_id = row_int(&row, "image_id", 1, INT64_MAX);
    out->signature_id = row_int(&row, "signature_id", 1, INT64_MAX);
    out->type = row_copy(&row, "type", DB_WORD_MAX, text);
    out->extension = row_copy(&row, "extension", DB_WORD_MAX, text);
    out->state = row_copy(&row, "state", DB_WORD_MAX, text);
    out->reason = row_copy(&row, "reason", DB_REASON_MAX, text);
    out->validated = row_int(&row, "validated", 0, 1) == 1;
    out->proven = row_int(&row, "proven", 0, 1) == 1;
    out->container = row_int(&row, "container", 0, 1) == 1;
    out->offset = row_size(&row, "offset");
    lengths->found = row_size(&row, "len");
    lengths->cut = row_size_or_null(&row, "nested.len");
    out->parent_id = row_id_or_null(&row, "parent_id");
    out->sha256 = row_copy_or_null(&row, "sha256", DB_SHA256_HEX, text);
    out->name = row_copy(&row, "name", DB_NAME_MAX, text);
    out->slack = (enum db_slack)row_int(&row, "slack", DB_SLACK_NONE, DB_SLACK_FOREIGN);
    out->known = (enum db_known)row_int(&row, "known", DB_KNOWN_UNCHECKED, DB_KNOWN_BAD);
    if (cursor->image != NULL) {
        row.at++;
        cursor_size(cursor, out->image_id, &row);
        lengths->image_size = cursor->size;
    } else
        lengths->image_size = row_size(&row, CURSOR_SIZE_OF);
    out->has_crc64 = row_crc64_or_null(&row, "crc64", &out->crc64);
    if (row.rc == ERR_OK && !cursor_is_state(out->state))
        row_damaged(&row, "state", "not a state of an object");
    if (row.rc == ERR_OK && out->sha256 != NULL && !row_is_sha256(out->sha256))
        row_damaged(&row, "sha256", "not 64 hex digits");
    if (row.rc == ERR_OK && !row_is_safe_name(out->name))
        row_damaged(&row, "name", "not a path below an output folder");
    if (row.rc == ERR_OK && out->parent_id == out->id)
        row_damaged(&row, "parent_id", "the object itself");
    return row.rc;
}

/* The row is the first behind the last one, if the file is what it should be. */
static enum err_code cursor_advance(struct db_object_cursor *cursor, const struct db_object *out,
                                    struct err *err)
{
    const int64_t offset = (int64_t)out->offset;
    const bool same_image = out->image_id == cursor->image_id;

    if (!(out->image_id > cursor->image_id) && !(same_image && offset > cursor->offset) &&
        !(same_image && offset == cursor->offset && out->id > cursor->id))
        return db_damaged(cursor->db, err,
                          "table objects, row %" PRId64 ": out of order in its index", out->id);
    cursor->image_id = out->image_id;
    cursor->offset = offset;
    cursor->id = out->id;
    return ERR_OK;
}

/* The extents of the object, from this row on up to the first row of the next object. */
static enum err_code cursor_read_rows(struct db_object_cursor *cursor, struct db_object *out,
                                      struct cursor_lengths *lengths, struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && cursor->row && sqlite3_column_int64(cursor->stmt, 0) == out->id) {
        if (sqlite3_column_type(cursor->stmt, CURSOR_EXTENT) != SQLITE_NULL)
            rc = cursor_read_extent(cursor, cursor->stmt, CURSOR_EXTENT, out, lengths, err);
        if (rc == ERR_OK)
            rc = db_step(cursor->db, cursor->stmt, &cursor->row, "reading objects", err);
    }
    return rc;
}

/* The same, where another statement has them; then to the row of the next object. */
static enum err_code cursor_follow(struct db_object_cursor *cursor, struct db_object *out,
                                   struct cursor_lengths *lengths, struct err *err)
{
    struct follow *pieces = &cursor->pieces;
    const uint64_t ticks = cursor->db->ticks;

    cursor->db->ticks = 0; /* each object is a statement of its own */
    enum err_code rc = follow_find(pieces, out->id, err);
    while (rc == ERR_OK && follow_has(pieces, out->id)) {
        rc = cursor_read_extent(cursor, pieces->stmt, 1, out, lengths, err);
        if (rc == ERR_OK)
            rc = follow_step(pieces, err);
    }
    follow_end(pieces, out->id, rc);
    cursor->db->ticks = ticks; /* of the walk */
    return rc == ERR_OK ? db_step(cursor->db, cursor->stmt, &cursor->row, "reading objects", err)
                        : rc;
}

static enum err_code cursor_read_extents(struct db_object_cursor *cursor, struct db_object *out,
                                         struct cursor_lengths *lengths, struct err *err)
{
    const enum err_code rc = cursor->pieces.stmt != NULL
                                 ? cursor_follow(cursor, out, lengths, err)
                                 : cursor_read_rows(cursor, out, lengths, err);

    return rc == ERR_OK ? cursor_settle_extents(cursor, out, lengths, err) : rc;
}

enum err_code db_objects_next(struct db_object_cursor *cursor, bool *found, struct db_object *out,
                              struct err *err)
{
    struct cursor_lengths lengths = { 0 };
    enum err_code rc = ERR_OK;

    *found = false;
    *out = (struct db_object){ 0 };
    if (!cursor->row)
        return ERR_OK;
    rc = cursor_read_row(cursor, out, &lengths, err);
    if (rc == ERR_OK)
        rc = cursor_advance(cursor, out, err);
    if (rc == ERR_OK)
        rc = cursor_read_extents(cursor, out, &lengths, err);
    *found = rc == ERR_OK;
    cursor->row = cursor->row && rc == ERR_OK;
    return rc;
}

enum err_code db_objects_find(struct db_object_cursor *cursor, int64_t id, bool *found,
                              struct db_object *out, struct err *err)
{
    struct bind bind = bind_init(cursor->db, cursor->stmt, err);

    *found = false;
    cursor->db->ticks = 0; /* each object is a statement of its own */
    sqlite3_reset(cursor->stmt);
    bind_int(&bind, id);
    const enum err_code rc = bind.rc == ERR_OK ? db_step(cursor->db, cursor->stmt, &cursor->row,
                                                         "reading an object", err)
                                               : bind.rc;
    cursor->image_id = 0; /* whatever it is, it is the first one */
    cursor->offset = -1;
    return rc == ERR_OK ? db_objects_next(cursor, found, out, err) : rc;
}
