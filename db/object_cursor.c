/*
 * db/object_cursor.c - walks objects in the order (image, offset, id).
 *
 * Each step is a query of its own for the first object behind the last one, so that nothing of the cursor is open in
 * SQLite between two steps: the caller may write, commit and roll back on the same handle as it likes. What a row holds
 * is copied and checked. Order is checked too: it is what ends a walk over damaged pages that lead in a circle.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "db/bind.h"
#include "db/row.h"

struct db_object_cursor {
    struct db_case *db;
    bool all_images;
    int64_t image_id, offset, id; /* of the object last given */
    struct arena text;
    struct db_extent *extents;
    uint32_t extents_room;
};

enum {
    CURSOR_TEXT_MAX = 32 * 1024, /* the texts of one object */
    CURSOR_EXTENTS_FIRST = 16,
};

enum err_code db_objects_open(struct db_case *db, int64_t image_id, struct db_object_cursor **out, struct err *err)
{
    struct db_object_cursor *cursor = calloc(1, sizeof *cursor);

    *out = NULL;
    if (cursor == NULL)
        return ERR_NO_MEMORY(err, sizeof *cursor);
    *cursor = (struct db_object_cursor){ .db = db, .all_images = image_id == 0, .image_id = image_id, .offset = -1 };
    arena_init(&cursor->text, CURSOR_TEXT_MAX);
    *out = cursor;
    return ERR_OK;
}

void db_objects_close(struct db_object_cursor *cursor)
{
    if (cursor == NULL)
        return;
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

struct cursor_extents {
    struct db_object_cursor *cursor;
    struct db_object *object;
    uint64_t image_size, sum; /* sum: bytes of the extents so far */
};

static enum err_code cursor_read_extent(void *arg, struct row *row)
{
    struct cursor_extents *read = arg;
    const uint32_t at = read->object->extent_count;

    row->id = read->object->id;
    row_int(row, "number", at, at);
    const uint64_t offset = row_size(row, "offset");
    const uint64_t len = row_size(row, "len");
    if (at >= DB_EXTENTS_MAX)
        row_damaged(row, "number", "too many extents");
    if (offset > read->image_size || len > read->image_size - offset)
        row_damaged(row, "len", "the extent ends behind the image");
    if (len > INT64_MAX - read->sum)
        row_damaged(row, "len", "the object is longer than any image");
    const enum err_code rc = row->rc == ERR_OK ? cursor_grow(read->cursor, at, row->err) : row->rc;
    if (rc == ERR_OK) {
        read->cursor->extents[at] = (struct db_extent){ offset, len };
        read->object->extent_count++;
        read->sum += len;
    }
    return rc;
}

static enum err_code cursor_read_extents(struct db_object_cursor *cursor, uint64_t image_size, struct db_object *out,
                                         struct err *err)
{
    struct db_case *db = cursor->db;
    struct cursor_extents read = { .cursor = cursor, .object = out, .image_size = image_size };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_EXTENTS, "SELECT number, offset, len FROM extents WHERE object_id = ? ORDER BY number", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, out->id);
    rc = row_each(&bind, "extents", "reading extents", cursor_read_extent, &read);
    out->extents = cursor->extents;
    if (rc == ERR_OK && (out->extent_count == 0 || read.sum != out->len))
        rc = db_damaged(db, err,
                        "table objects, row %" PRId64 ": its %" PRIu32 " extents have %" PRIu64 " bytes, and len "
                        "says %" PRIu64,
                        out->id, out->extent_count, read.sum, out->len);
    return rc;
}

static bool cursor_is_state(const char *state)
{
    static const char *const states[] = { "complete", "footer", "truncated", "fragmented" };
    bool known = false;

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        known = known || strcmp(state, states[i]) == 0;
    return known;
}

static enum err_code cursor_read_row(struct db_object_cursor *cursor, sqlite3_stmt *stmt, struct db_object *out,
                                     uint64_t *image_size, struct err *err)
{
    struct arena *text = &cursor->text;
    struct row row = row_init(cursor->db, stmt, "objects", err);

    arena_release(text);
    arena_init(text, CURSOR_TEXT_MAX);
    out->id = row_id(&row, "id");
    out->image_id = row_int(&row, "image_id", 1, INT64_MAX);
    out->signature_id = row_int(&row, "signature_id", 1, INT64_MAX);
    out->type = row_copy(&row, "type", DB_WORD_MAX, text);
    out->extension = row_copy(&row, "extension", DB_WORD_MAX, text);
    out->state = row_copy(&row, "state", DB_WORD_MAX, text);
    out->reason = row_copy(&row, "reason", DB_REASON_MAX, text);
    out->checked = row_int(&row, "checked", 0, 1) == 1;
    out->proven = row_int(&row, "proven", 0, 1) == 1;
    out->container = row_int(&row, "container", 0, 1) == 1;
    out->offset = row_size(&row, "offset");
    out->len = row_size(&row, "len");
    out->parent_id = row_id_or_null(&row, "parent_id");
    out->sha256 = row_copy_or_null(&row, "sha256", DB_SHA256_HEX, text);
    out->name = row_copy(&row, "name", DB_NAME_MAX, text);
    out->slack = (enum db_slack)row_int(&row, "slack", DB_SLACK_NONE, DB_SLACK_FOREIGN);
    out->known = (enum db_known)row_int(&row, "known", DB_KNOWN_UNCHECKED, DB_KNOWN_BAD);
    *image_size = row_size(&row, "image_id (its image's size)");
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
static enum err_code cursor_advance(struct db_object_cursor *cursor, const struct db_object *out, struct err *err)
{
    const int64_t offset = (int64_t)out->offset;
    const bool same_image = out->image_id == cursor->image_id;

    if (!(cursor->all_images && out->image_id > cursor->image_id) && !(same_image && offset > cursor->offset) &&
        !(same_image && offset == cursor->offset && out->id > cursor->id))
        return db_damaged(cursor->db, err, "table objects, row %" PRId64 ": out of order in its index", out->id);
    cursor->image_id = out->image_id;
    cursor->offset = offset;
    cursor->id = out->id;
    return ERR_OK;
}

#define CURSOR_SELECT                                                                                                  \
    "SELECT o.id, o.image_id, o.signature_id, o.type, o.extension, o.state, o.reason, o.checked, o.proven, "           \
    "o.container, o.offset, "                                                                                          \
    "o.len, o.parent_id, o.sha256, o.name, o.slack, o.known, i.size FROM objects o LEFT JOIN images i ON i.id = "      \
    "o.image_id "                                                                                                      \
    "WHERE "

/* The next object is the first that one of these finds; each is one look into the index objects_by_offset. */
static const struct {
    enum db_statement statement;
    const char *sql;
} cursor_steps[] = {
    { DB_OBJECT_AT_OFFSET, CURSOR_SELECT "o.image_id = ?1 AND o.offset = ?2 AND o.id > ?3 ORDER BY o.id LIMIT 1" },
    { DB_OBJECT_IN_IMAGE, CURSOR_SELECT "o.image_id = ?1 AND o.offset > ?2 AND ?3 IS NOT NULL "
                                        "ORDER BY o.offset, o.id LIMIT 1" },
    { DB_OBJECT_IN_LATER, CURSOR_SELECT "o.image_id > ?1 AND ?2 IS NOT NULL AND ?3 IS NOT NULL "
                                        "ORDER BY o.image_id, o.offset, o.id LIMIT 1" },
};

enum err_code db_objects_next(struct db_object_cursor *cursor, bool *found, struct db_object *out, struct err *err)
{
    const size_t steps = cursor->all_images ? 3 : 2;
    uint64_t image_size = 0;
    enum err_code rc = ERR_OK;

    *found = false;
    *out = (struct db_object){ 0 };
    for (size_t i = 0; i < steps && rc == ERR_OK && !*found; i++) {
        sqlite3_stmt *stmt;

        rc = db_prepare(cursor->db, cursor_steps[i].statement, cursor_steps[i].sql, &stmt, err);
        if (rc != ERR_OK)
            break;
        struct bind bind = bind_init(cursor->db, stmt, err);
        bind_int(&bind, cursor->image_id);
        bind_int(&bind, cursor->offset);
        bind_int(&bind, cursor->id);
        rc = bind.rc == ERR_OK ? db_step(cursor->db, stmt, found, "reading an object", err) : bind.rc;
        if (rc == ERR_OK && *found)
            rc = cursor_read_row(cursor, stmt, out, &image_size, err);
        sqlite3_reset(stmt);
    }
    if (rc == ERR_OK && *found)
        rc = cursor_advance(cursor, out, err);
    if (rc == ERR_OK && *found)
        rc = cursor_read_extents(cursor, image_size, out, err);
    *found = *found && rc == ERR_OK;
    return rc;
}
