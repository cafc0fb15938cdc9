/* SPDX-License-Identifier: Apache-2.0
 * db/lines.c - what a scan found as lines of text that do not depend on how it was found.
 *
 * A line has a word for its kind and the values of a row, as SQL writes them, with "|" between
 * them. docs/reference/case-file.md, "The digest", is the specification.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "db/row.h"

/* One kind of line. The first column that sql gives is the image. */
struct lines_kind {
    const char *word, *table, *sql;
    /* One letter for each column: 'i' the image, 'n' the id of a hit or object, 'v' any value. */
    const char *columns;
    enum db_statement statement;
};

/* Rows that are equal may come in any order. */
static const struct lines_kind lines_kinds[] = {
    { "hit", "hits",
      "SELECT h.image_id, h.id, s.number, s.name, h.offset, h.len, h.footer "
      "FROM hits h LEFT JOIN signatures s ON s.id = h.signature_id ORDER BY h.id",
      "invvvvv", DB_LINES_HITS },
    { "object", "objects",
      "SELECT o.image_id, o.id, s.number, o.type, o.extension, o.state, o.reason, o.validated, "
      "o.proven, o.container, o.offset, o.len, o.name, o.slack, o.crc64 "
      "FROM objects o LEFT JOIN signatures s ON s.id = o.signature_id ORDER BY o.id",
      "invvvvvvvvvvvvv", DB_LINES_OBJECTS },
    { "extent", "extents",
      "SELECT o.image_id, e.object_id, e.number, e.offset, e.len "
      "FROM extents e LEFT JOIN objects o ON o.id = e.object_id ORDER BY e.object_id, e.number",
      "invvv", DB_LINES_EXTENTS },
    { "nested", "nested",
      "SELECT o.image_id, n.object_id, n.parent_id, n.state, n.len, n.reason, n.crc64 "
      "FROM nested n LEFT JOIN objects o ON o.id = n.object_id ORDER BY n.object_id",
      "innvvvv", DB_LINES_NESTED },
    { "assembled", "assembled",
      "SELECT o.image_id, a.object_id, a.added, a.part, a.parent_id, a.type, a.extension, a.state, "
      "a.reason, a.proven, a.len, a.crc64 "
      "FROM assembled a LEFT JOIN objects o ON o.id = a.object_id ORDER BY a.object_id",
      "invvnvvvvvvv", DB_LINES_ASSEMBLED },
    { "piece", "pieces",
      "SELECT o.image_id, p.object_id, p.number, p.offset, p.len "
      "FROM pieces p LEFT JOIN objects o ON o.id = p.object_id ORDER BY p.object_id, p.number",
      "invvv", DB_LINES_PIECES },
    { "join", "joins",
      "SELECT o.image_id, j.object_id, j.number, j.at, j.kind, j.bits, j.tried, j.text "
      "FROM joins j LEFT JOIN objects o ON o.id = j.object_id ORDER BY j.object_id, j.number",
      "invvvvvv", DB_LINES_JOINS },
    { "fact", "facts",
      "SELECT o.image_id, f.object_id, f.key, f.value, f.number, f.reach "
      "FROM facts f LEFT JOIN objects o ON o.id = f.object_id ORDER BY f.object_id, f.key",
      "invvvv", DB_LINES_FACTS },
    { "known-object", "known_objects",
      "SELECT o.image_id, k.object_id, s.sha256, k.digest, k.name FROM known_objects k "
      "LEFT JOIN objects o ON o.id = k.object_id LEFT JOIN known_sets s ON s.id = k.set_id "
      "ORDER BY k.object_id, s.sha256, k.digest, k.name",
      "invvv", DB_LINES_KNOWN_OBJECTS },
    { "known-block", "known_blocks",
      "SELECT b.image_id, b.offset, b.len, s.sha256, b.digest, b.name, b.source "
      "FROM known_blocks b LEFT JOIN known_sets s ON s.id = b.set_id "
      "ORDER BY b.image_id, b.offset, b.len, s.sha256, b.digest, b.name, b.source",
      "ivvvvvv", DB_LINES_KNOWN_BLOCKS },
    { "bad-range", "bad_ranges",
      "SELECT image_id, offset, len, cause, source, status FROM bad_ranges "
      "ORDER BY image_id, offset, len, cause, source, status",
      "ivvvvv", DB_LINES_BAD_RANGES },
    { "likely", "likely",
      "SELECT image_id, hit_id, type, extension, reason, wrong, tried, text, len, crc64 "
      "FROM likely ORDER BY hit_id",
      "invvvvvvvv", DB_LINES_LIKELY },
    { "likely-piece", "likely_pieces",
      "SELECT l.image_id, p.hit_id, p.number, p.offset, p.len FROM likely_pieces p "
      "LEFT JOIN likely l ON l.hit_id = p.hit_id ORDER BY p.hit_id, p.number",
      "invvv", DB_LINES_LIKELY_PIECES },
};

/* A walk over all lines. */
struct lines {
    db_line_fn each;
    void *arg;
    const struct lines_kind *kind;
    uint32_t image_count;
    int64_t *first; /* of image i + 1: the id of its first hit; 0: no hit yet */
    char *text;
    size_t len, room;
};

static enum err_code lines_add(struct lines *lines, const char *text, size_t len, struct err *err)
{
    if (len > lines->room - lines->len) {
        const size_t room = 2 * (lines->len + len);
        char *grown = realloc(lines->text, room);

        if (grown == NULL)
            return ERR_NO_MEMORY(err, room);
        lines->text = grown;
        lines->room = room;
    }
    memcpy(lines->text + lines->len, text, len);
    lines->len += len;
    return ERR_OK;
}

static enum err_code lines_add_int(struct lines *lines, int64_t value, struct err *err)
{
    char text[DECIMAL_MAX];
    const size_t at = decimal_put_int(text, value);

    return lines_add(lines, text + at, sizeof text - at, err);
}

/* In single quotes, and each single quote in it twice. */
static enum err_code lines_add_quoted(struct lines *lines, const char *text, size_t len,
                                      struct err *err)
{
    enum err_code rc = lines_add(lines, "'", 1, err);

    while (rc == ERR_OK && len > 0) {
        const char *quote = memchr(text, '\'', len);
        const size_t step = quote != NULL ? (size_t)(quote - text) + 1 : len;

        rc = lines_add(lines, text, step, err);
        if (rc == ERR_OK && quote != NULL)
            rc = lines_add(lines, "'", 1, err);
        text += step;
        len -= step;
    }
    return rc == ERR_OK ? lines_add(lines, "'", 1, err) : rc;
}

static enum err_code lines_add_value(struct lines *lines, struct row *row)
{
    sqlite3_value *const value = sqlite3_column_value(row->stmt, row->at++);
    const char *text;

    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return lines_add(lines, "NULL", 4, row->err);
    case SQLITE_INTEGER:
        return lines_add_int(lines, sqlite3_value_int64(value), row->err);
    case SQLITE_TEXT:
        text = (const char *)sqlite3_value_text(value);
        if (text == NULL)
            return DB_FAIL(row->db, row->err, "reading a text");
        return lines_add_quoted(lines, text, (size_t)sqlite3_value_bytes(value), row->err);
    default:
        row_damaged(row, "of a value", "neither a number nor a text");
        return row->rc;
    }
}

/* The number of a hit or object: how far its id is from that of its image's first hit. */
static enum err_code lines_add_number(struct lines *lines, struct row *row, int64_t image_id)
{
    int64_t *first = &lines->first[image_id - 1];
    const int64_t id = row_id_or_null(row, "id");

    if (row->rc != ERR_OK)
        return row->rc;
    if (id == 0)
        return lines_add(lines, "NULL", 4, row->err);
    if (*first == 0)
        *first = id; /* hits come first, by ascending ids */
    return lines_add_int(lines, id - *first, row->err);
}

static enum err_code lines_read(void *arg, struct row *row)
{
    struct lines *lines = arg;
    const int64_t image_id = row_int(row, "image_id", 1, lines->image_count);
    enum err_code rc = row->rc;

    lines->len = 0;
    if (rc == ERR_OK)
        rc = lines_add(lines, lines->kind->word, strlen(lines->kind->word), row->err);
    for (const char *c = lines->kind->columns; rc == ERR_OK && *c != '\0'; c++) {
        rc = lines_add(lines, "|", 1, row->err);
        if (rc == ERR_OK && *c == 'i')
            rc = lines_add_int(lines, image_id, row->err);
        else if (rc == ERR_OK && *c == 'n')
            rc = lines_add_number(lines, row, image_id);
        else if (rc == ERR_OK)
            rc = lines_add_value(lines, row);
    }
    if (rc == ERR_OK)
        rc = lines_add(lines, "\n", 1, row->err);
    return rc == ERR_OK ? lines->each(lines->arg, lines->text, lines->len, row->err) : rc;
}

static enum err_code lines_walk(struct db_case *db, struct lines *lines, struct err *err)
{
    enum err_code rc = db_image_count(db, &lines->image_count, err);

    if (rc != ERR_OK)
        return rc;
    lines->first = calloc((size_t)lines->image_count + 1, sizeof *lines->first);
    if (lines->first == NULL)
        return ERR_NO_MEMORY(err, lines->image_count * sizeof *lines->first);
    for (size_t i = 0; rc == ERR_OK && i < sizeof lines_kinds / sizeof lines_kinds[0]; i++) {
        sqlite3_stmt *stmt;

        lines->kind = &lines_kinds[i];
        rc = db_prepare(db, lines->kind->statement, lines->kind->sql, &stmt, err);
        if (rc != ERR_OK)
            break;
        const struct bind bind = bind_init(db, stmt, err);
        rc = row_each(&bind, lines->kind->table, "reading all rows", lines_read, lines);
    }
    return rc;
}

enum err_code db_lines_walk(struct db_case *db, db_line_fn each, void *arg, struct err *err)
{
    struct lines lines = { .each = each, .arg = arg };
    enum err_code rc = db_snapshot_begin(db, err);

    if (rc != ERR_OK)
        return rc;
    rc = lines_walk(db, &lines, err);
    db_snapshot_end(db);
    free(lines.first);
    free(lines.text);
    return rc;
}
