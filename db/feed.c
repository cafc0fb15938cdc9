/* SPDX-License-Identifier: Apache-2.0
 * db/feed.c - see feed.h: virtual tables of SQLite (https://www.sqlite.org/vtab.html). */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/feed.h"

enum {
    FEED_SQL_MAX = 256, /* bytes */
    FEED_ROWS = 64,     /* of a table, about: SQLite asks before it plans */
};

struct feed_source;

struct feed_table {
    sqlite3_vtab base;
    const struct feed_source *source;
};

/* A row is the part numbered `part` of the item numbered `at`: an extent of an object. */
struct feed_cursor {
    sqlite3_vtab_cursor base;
    const struct feed_source *source;
    uint32_t at, part;
};

struct feed_shape {
    const char *name, *columns;
    /* How many rows the item is; NULL: one. */
    uint32_t (*parts)(const struct feed_source *source, uint32_t at);
    void (*column)(const struct feed_cursor *cursor, sqlite3_context *out, int column);
};

struct feed_source {
    const struct feed_shape *shape;
    const void *rows; /* the caller's, while a statement runs */
    uint32_t count;
};

struct feed {
    struct feed_source sources[FEED_KINDS];
};

/* ---- values ---- */

/* Whoever feeds it has seen that the text is not too long: it stays until the statement ends. */
static void feed_text(sqlite3_context *out, const char *text)
{
    if (text != NULL)
        sqlite3_result_text(out, text, (int)strlen(text), SQLITE_STATIC);
    else
        sqlite3_result_null(out);
}

static void feed_int_or_null(sqlite3_context *out, bool has, int64_t value)
{
    if (has)
        sqlite3_result_int64(out, value);
    else
        sqlite3_result_null(out);
}

/* SQLite's integers are signed, and all 64 bits count. */
static void feed_crc64(sqlite3_context *out, bool has, uint64_t crc64)
{
    int64_t value;

    memcpy(&value, &crc64, sizeof value);
    feed_int_or_null(out, has, value);
}

static void feed_match(const struct feed_cursor *cursor, sqlite3_context *out, int column)
{
    const struct feed_match *match = (const struct feed_match *)cursor->source->rows + cursor->at;

    switch (column) {
    case 0:
        return sqlite3_result_int64(out, match->pattern_id);
    case 1:
        return sqlite3_result_int64(out, (int64_t)match->offset);
    default:
        return sqlite3_result_int64(out, match->id);
    }
}

static const struct db_object *feed_object_at(const struct feed_source *source, uint32_t at)
{
    return (const struct db_object *)source->rows + at;
}

static void feed_object(const struct feed_cursor *cursor, sqlite3_context *out, int column)
{
    const struct db_object *object = feed_object_at(cursor->source, cursor->at);

    switch (column) {
    case 0:
        return sqlite3_result_int64(out, object->id);
    case 1:
        return sqlite3_result_int64(out, object->image_id);
    case 2:
        return sqlite3_result_int64(out, object->signature_id);
    case 3:
        return feed_text(out, object->type);
    case 4:
        return feed_text(out, object->extension);
    case 5:
        return feed_text(out, object->state);
    case 6:
        return feed_text(out, object->reason);
    case 7:
        return sqlite3_result_int64(out, object->validated);
    case 8:
        return sqlite3_result_int64(out, object->proven);
    case 9:
        return sqlite3_result_int64(out, object->container);
    case 10:
        return sqlite3_result_int64(out, (int64_t)object->offset);
    case 11:
        return sqlite3_result_int64(out, (int64_t)object->len);
    case 12:
        return feed_text(out, object->name);
    case 13:
        return sqlite3_result_int64(out, (int64_t)object->slack);
    default:
        return feed_crc64(out, object->has_crc64, object->crc64);
    }
}

static uint32_t feed_extents(const struct feed_source *source, uint32_t at)
{
    return feed_object_at(source, at)->extent_count;
}

static void feed_extent(const struct feed_cursor *cursor, sqlite3_context *out, int column)
{
    const struct db_object *object = feed_object_at(cursor->source, cursor->at);
    const struct db_extent *extent = &object->extents[cursor->part];

    switch (column) {
    case 0:
        return sqlite3_result_int64(out, object->id);
    case 1:
        return sqlite3_result_int64(out, cursor->part);
    case 2:
        return sqlite3_result_int64(out, (int64_t)extent->offset);
    default:
        return sqlite3_result_int64(out, (int64_t)extent->len);
    }
}

static uint32_t feed_facts(const struct feed_source *source, uint32_t at)
{
    return feed_object_at(source, at)->fact_count;
}

static void feed_fact(const struct feed_cursor *cursor, sqlite3_context *out, int column)
{
    const struct db_object *object = feed_object_at(cursor->source, cursor->at);
    const struct db_fact *fact = &object->facts[cursor->part];

    switch (column) {
    case 0:
        return sqlite3_result_int64(out, object->id);
    case 1:
        return feed_text(out, fact->key);
    case 2:
        return feed_text(out, fact->value);
    case 3:
        return feed_int_or_null(out, fact->has_number, fact->number);
    default:
        return sqlite3_result_int64(out, (int64_t)fact->reach);
    }
}

static void feed_nested(const struct feed_cursor *cursor, sqlite3_context *out, int column)
{
    const struct db_nested *row = (const struct db_nested *)cursor->source->rows + cursor->at;

    switch (column) {
    case 0:
        return sqlite3_result_int64(out, row->id);
    case 1:
        return feed_int_or_null(out, row->parent_id != 0, row->parent_id);
    case 2:
        return feed_text(out, row->state);
    case 3:
        return feed_int_or_null(out, row->cut, (int64_t)row->len);
    case 4:
        return feed_text(out, row->reason);
    default:
        return feed_crc64(out, row->cut && row->has_crc64, row->crc64);
    }
}

static const struct feed_shape feed_shapes[FEED_KINDS] = {
    [FEED_MATCHES] = { "feed_matches", "pattern_id, offset, id", NULL, feed_match },
    [FEED_OBJECTS] = { "feed_objects",
                       "id, image_id, signature_id, type, extension, state, reason, validated, "
                       "proven, container, offset, len, name, slack, crc64",
                       NULL, feed_object },
    [FEED_EXTENTS] = { "feed_extents", "object_id, number, offset, len", feed_extents,
                       feed_extent },
    [FEED_FACTS] = { "feed_facts", "object_id, key, value, number, reach", feed_facts, feed_fact },
    [FEED_NESTED] = { "feed_nested", "object_id, parent_id, state, len, reason, crc64", NULL,
                      feed_nested },
};

/* ---- what SQLite calls ---- */

static int feed_connect(sqlite3 *sqlite, void *arg, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **why)
{
    const struct feed_source *source = arg;
    struct feed_table *table = sqlite3_malloc(sizeof *table);
    char sql[FEED_SQL_MAX];

    (void)argc;
    (void)argv;
    (void)why;
    if (table == NULL)
        return SQLITE_NOMEM;
    *table = (struct feed_table){ .source = source };
    snprintf(sql, sizeof sql, "CREATE TABLE feed (%s)", source->shape->columns);
    const int rc = sqlite3_declare_vtab(sqlite, sql);
    if (rc != SQLITE_OK) {
        sqlite3_free(table);
        return rc;
    }
    *out = &table->base;
    return SQLITE_OK;
}

static int feed_disconnect(sqlite3_vtab *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

/* There is one plan: all rows, as they stand. */
static int feed_best(sqlite3_vtab *base, sqlite3_index_info *info)
{
    (void)base;
    info->estimatedRows = FEED_ROWS;
    info->estimatedCost = FEED_ROWS;
    return SQLITE_OK;
}

static int feed_cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct feed_cursor *cursor = sqlite3_malloc(sizeof *cursor);

    if (cursor == NULL)
        return SQLITE_NOMEM;
    *cursor = (struct feed_cursor){ .source = ((struct feed_table *)base)->source };
    *out = &cursor->base;
    return SQLITE_OK;
}

static int feed_cursor_close(sqlite3_vtab_cursor *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

/* Goes on to the next item that has rows, if the item has no more. */
static void feed_settle(struct feed_cursor *cursor)
{
    const struct feed_source *source = cursor->source;

    while (source->shape->parts != NULL && cursor->at < source->count &&
           cursor->part >= source->shape->parts(source, cursor->at)) {
        cursor->at++;
        cursor->part = 0;
    }
}

static int feed_filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                       sqlite3_value **argv)
{
    struct feed_cursor *cursor = (struct feed_cursor *)base;

    (void)plan;
    (void)name;
    (void)argc;
    (void)argv;
    cursor->at = cursor->part = 0;
    feed_settle(cursor);
    return SQLITE_OK;
}

static int feed_next(sqlite3_vtab_cursor *base)
{
    struct feed_cursor *cursor = (struct feed_cursor *)base;

    if (cursor->source->shape->parts != NULL)
        cursor->part++;
    else
        cursor->at++;
    feed_settle(cursor);
    return SQLITE_OK;
}

static int feed_eof(sqlite3_vtab_cursor *base)
{
    const struct feed_cursor *cursor = (const struct feed_cursor *)base;

    return cursor->at >= cursor->source->count;
}

static int feed_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    const struct feed_cursor *cursor = (const struct feed_cursor *)base;

    cursor->source->shape->column(cursor, out, column);
    return SQLITE_OK;
}

static int feed_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    const struct feed_cursor *cursor = (const struct feed_cursor *)base;

    *id = (int64_t)cursor->at << 32 | cursor->part;
    return SQLITE_OK;
}

static const sqlite3_module feed_module = {
    .iVersion = 1,
    .xCreate = feed_connect,
    .xConnect = feed_connect,
    .xBestIndex = feed_best,
    .xDisconnect = feed_disconnect,
    .xDestroy = feed_disconnect,
    .xOpen = feed_cursor_open,
    .xClose = feed_cursor_close,
    .xFilter = feed_filter,
    .xNext = feed_next,
    .xEof = feed_eof,
    .xColumn = feed_column,
    .xRowid = feed_rowid,
};

/* ---- what db/ calls ---- */

static enum err_code feed_make(struct db_case *db, struct feed_source *source, struct err *err)
{
    const char *name = source->shape->name;
    char sql[FEED_SQL_MAX];

    if (sqlite3_create_module_v2(db->sqlite, name, &feed_module, source, NULL) != SQLITE_OK)
        return DB_FAIL(db, err, "making a table of rows in memory");
    snprintf(sql, sizeof sql, "CREATE VIRTUAL TABLE temp.%s USING %s", name, name);
    return db_exec(db, sql, "making a table of rows in memory", err);
}

enum err_code feed_open(struct db_case *db, struct err *err)
{
    struct feed *feed = calloc(1, sizeof *feed);
    enum err_code rc = ERR_OK;

    assert(!db->in_transaction && db->feed == NULL);
    if (feed == NULL)
        return ERR_NO_MEMORY(err, sizeof *feed);
    db->feed = feed;
    for (int i = 0; rc == ERR_OK && i < FEED_KINDS; i++) {
        feed->sources[i].shape = &feed_shapes[i];
        rc = feed_make(db, &feed->sources[i], err);
    }
    return rc;
}

void feed_close(struct feed *feed)
{
    free(feed);
}

enum err_code feed_run(struct db_case *db, enum db_statement which, const char *sql,
                       enum feed_kind kind, const void *rows, uint32_t count, const char *doing,
                       struct err *err)
{
    struct feed_source *source = &db->feed->sources[kind];
    sqlite3_stmt *stmt = NULL;
    enum err_code rc = db_prepare(db, which, sql, &stmt, err);

    source->rows = rows;
    source->count = count;
    if (rc == ERR_OK)
        rc = db_run_to_end(db, stmt, doing, err);
    source->rows = NULL;
    source->count = 0;
    return rc;
}
