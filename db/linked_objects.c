/* SPDX-License-Identifier: Apache-2.0
 * db/linked_objects.c - the TEMP tables objects, extents and facts, which show those of the case
 * file and those that stay in shards as one: virtual tables.
 */
#include <assert.h>
#include <string.h>

#include "db/linked_vtab.h"
#include "db/linked_walk.h"

enum { OBJECTS_BY_PLACE = 4 }; /* the plan of a filter: this, or the bounds of linked_vtab_bounds */
enum { OBJECTS_MANY = 1 << 24 };

/* In the order of the columns of db/schema.sql. */
static const char *const objects_columns[LINKED_ROWS] = {
    [LINKED_OBJECTS] =
        "CREATE TABLE objects (id INTEGER, image_id INTEGER, signature_id INTEGER, type TEXT, "
        "extension TEXT, state TEXT, reason TEXT, validated INTEGER, proven INTEGER, "
        "container INTEGER, offset INTEGER, len INTEGER, name TEXT, slack INTEGER, crc64 INTEGER)",
    [LINKED_EXTENTS] =
        "CREATE TABLE extents (object_id INTEGER, number INTEGER, offset INTEGER, len INTEGER, "
        "PRIMARY KEY (object_id, number)) WITHOUT ROWID",
    [LINKED_FACTS] = "CREATE TABLE facts (object_id INTEGER, key TEXT, value TEXT, number INTEGER, "
                     "reach INTEGER, PRIMARY KEY (object_id, key)) WITHOUT ROWID",
};

enum {
    OBJECT_ID,
    OBJECT_IMAGE,
    OBJECT_SIGNATURE,
    OBJECT_TYPE,
    OBJECT_EXTENSION,
    OBJECT_STATE,
    OBJECT_REASON,
    OBJECT_VALIDATED,
    OBJECT_PROVEN,
    OBJECT_CONTAINER,
    OBJECT_OFFSET,
    OBJECT_LEN,
    OBJECT_NAME,
    OBJECT_SLACK,
    OBJECT_CRC64,
};
_Static_assert((int)OBJECT_IMAGE == (int)LINKED_AT_IMAGE, "walks go by these");
_Static_assert((int)OBJECT_OFFSET == (int)LINKED_AT_OFFSET, "walks go by these");
enum { EXTENT_ID, EXTENT_NUMBER, EXTENT_OFFSET, EXTENT_LEN };
enum { FACT_ID, FACT_KEY, FACT_VALUE, FACT_NUMBER, FACT_REACH };

struct objects_cursor {
    sqlite3_vtab_cursor base;
    struct linked_walk walk;
};

static int objects_connect(sqlite3 *sqlite, void *arg, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **why)
{
    assert(argc == 4); /* module, database, table, and what its rows are */
    (void)argc;
    (void)why;
    const int rows = argv[3][0] - '0';
    return linked_vtab_connect(sqlite, arg, objects_columns[rows], rows, out);
}

/* Whether rows are asked for in the order of these columns. */
static bool objects_is_order(const sqlite3_index_info *info, const int *columns, int count)
{
    bool same = info->nOrderBy > 0 && info->nOrderBy <= count;

    for (int i = 0; same && i < info->nOrderBy; i++)
        same =
            !info->aOrderBy[i].desc &&
            (info->aOrderBy[i].iColumn < 0 ? OBJECT_ID : info->aOrderBy[i].iColumn) == columns[i];
    return same;
}

/* Where one image alone is asked for, its number may be left out. */
static bool objects_is_by_place(const sqlite3_index_info *info)
{
    static const int places[] = { OBJECT_IMAGE, OBJECT_OFFSET, OBJECT_ID };
    bool one = false;

    for (int i = 0; i < info->nConstraint; i++)
        one = one || (info->aConstraint[i].iColumn == OBJECT_IMAGE &&
                      info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ);
    return objects_is_order(info, places, 3) || (one && objects_is_order(info, places + 1, 2));
}

static int objects_best(sqlite3_vtab *base, sqlite3_index_info *info)
{
    static const int keys[] = { 0, 1 }; /* the table's, or the id of an object */
    const int rows = ((const struct linked_vtab *)base)->rows;
    const bool one = linked_vtab_bounds(info);

    info->orderByConsumed = objects_is_order(info, keys, rows == LINKED_OBJECTS ? 1 : 2);
    if (rows == LINKED_OBJECTS && info->idxNum == 0 && objects_is_by_place(info)) {
        info->idxNum = OBJECTS_BY_PLACE;
        info->orderByConsumed = 1;
    }
    info->estimatedRows = one ? 1 : OBJECTS_MANY;
    info->estimatedCost = one ? 16 : info->idxNum != 0 ? OBJECTS_MANY / 2 : OBJECTS_MANY;
    return SQLITE_OK;
}

static int objects_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    const struct linked_vtab *table = (const struct linked_vtab *)base;
    struct objects_cursor *cursor = sqlite3_malloc(sizeof *cursor);

    if (cursor == NULL)
        return SQLITE_NOMEM;
    *cursor = (struct objects_cursor){ .walk = { .linked = table->linked,
                                                 .rows = (enum linked_rows)table->rows } };
    *out = &cursor->base;
    return SQLITE_OK;
}

static int objects_close(sqlite3_vtab_cursor *base)
{
    struct objects_cursor *cursor = (struct objects_cursor *)base;

    linked_walk_close(&cursor->walk);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int objects_filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                          sqlite3_value **argv)
{
    struct linked_walk *walk = &((struct objects_cursor *)base)->walk;
    int64_t from, to;
    struct err err = { 0 };

    (void)name;
    linked_vtab_range(plan, argc, argv, &from, &to);
    const bool by_place = (plan & OBJECTS_BY_PLACE) != 0;
    return linked_vtab_failed(walk->linked, linked_walk_begin(walk, by_place, from, to, &err),
                              &err);
}

static int objects_next(sqlite3_vtab_cursor *base)
{
    struct linked_walk *walk = &((struct objects_cursor *)base)->walk;
    struct err err = { 0 };

    return linked_vtab_failed(walk->linked, linked_walk_next(walk, &err), &err);
}

static int objects_eof(sqlite3_vtab_cursor *base)
{
    return ((struct objects_cursor *)base)->walk.end;
}

static void objects_text(sqlite3_context *context, const char *text, size_t len)
{
    sqlite3_result_text(context, text, (int)len, SQLITE_TRANSIENT);
}

static void objects_object(const struct linked_walk *walk, sqlite3_context *context, int column)
{
    const struct linked_object *object = walk->object;
    const struct object_saved *saved = &object->saved;
    const struct linked_use *use = &walk->linked->uses[object->pattern];
    const int64_t numbers[] = { [OBJECT_ID] = object->id,
                                [OBJECT_IMAGE] = walk->linked->image_id,
                                [OBJECT_SIGNATURE] = use->signature_id,
                                [OBJECT_VALIDATED] = 1,
                                [OBJECT_PROVEN] = saved->proven,
                                [OBJECT_CONTAINER] = walk->linked->kinds[use->kind].container,
                                [OBJECT_OFFSET] = (int64_t)object->offset,
                                [OBJECT_LEN] = (int64_t)saved->len,
                                [OBJECT_SLACK] = saved->slack,
                                [OBJECT_CRC64] = (int64_t)saved->crc64 };
    char name[OBJECT_NAME_MAX];

    switch (column) {
    case OBJECT_TYPE:
        objects_text(context, object->type->name, strlen(object->type->name));
        break;
    case OBJECT_EXTENSION:
        objects_text(context, object->type->extension, strlen(object->type->extension));
        break;
    case OBJECT_STATE:
        sqlite3_result_text(context, saved->complete ? "complete" : "truncated", -1, SQLITE_STATIC);
        break;
    case OBJECT_REASON:
        objects_text(context, saved->why, saved->why_len);
        break;
    case OBJECT_NAME:
        object_name(name, object->type->name, object->type->extension, object->offset);
        objects_text(context, name, strlen(name));
        break;
    default:
        if (column == OBJECT_CRC64 && !saved->has_crc64)
            sqlite3_result_null(context);
        else
            sqlite3_result_int64(context, numbers[column]);
    }
}

static void objects_extent(const struct linked_walk *walk, sqlite3_context *context, int column)
{
    const int64_t numbers[] = { [EXTENT_ID] = walk->object->id,
                                [EXTENT_NUMBER] = 0,
                                [EXTENT_OFFSET] = (int64_t)walk->object->offset,
                                [EXTENT_LEN] = (int64_t)walk->object->saved.len };

    sqlite3_result_int64(context, numbers[column]);
}

static void objects_fact(const struct linked_walk *walk, sqlite3_context *context, int column)
{
    const struct fact_saved *fact =
        &walk->spans[walk->first].hits->facts[walk->object->fact + walk->fact];
    const char *key = walk->linked->keys[fact->key].name;

    if (column == FACT_KEY)
        objects_text(context, key, strlen(key));
    else if (column == FACT_VALUE)
        objects_text(context, fact->text, fact->len);
    else if (column == FACT_NUMBER && !fact->has_number)
        sqlite3_result_null(context);
    else
        sqlite3_result_int64(context, column == FACT_ID       ? walk->object->id
                                      : column == FACT_NUMBER ? fact->number
                                                              : (int64_t)fact->reach);
}

static int objects_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct linked_walk *walk = &((struct objects_cursor *)base)->walk;

    if (walk->is_own)
        sqlite3_result_value(context, sqlite3_column_value(walk->own, column));
    else if (walk->rows == LINKED_OBJECTS)
        objects_object(walk, context, column);
    else if (walk->rows == LINKED_EXTENTS)
        objects_extent(walk, context, column);
    else
        objects_fact(walk, context, column);
    return SQLITE_OK;
}

static int objects_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    const struct linked_walk *walk = &((struct objects_cursor *)base)->walk;

    *id = walk->is_own ? sqlite3_column_int64(walk->own, LINKED_AT_ID) : walk->object->id;
    return SQLITE_OK;
}

static const sqlite3_module objects_module = {
    .iVersion = 1,
    .xCreate = objects_connect,
    .xConnect = objects_connect,
    .xBestIndex = objects_best,
    .xDisconnect = linked_vtab_disconnect,
    .xDestroy = linked_vtab_disconnect,
    .xOpen = objects_open,
    .xClose = objects_close,
    .xFilter = objects_filter,
    .xNext = objects_next,
    .xEof = objects_eof,
    .xColumn = objects_column,
    .xRowid = objects_rowid,
};

enum err_code linked_objects_make(struct linked *linked, struct err *err)
{
    static const char *const tables[] = {
        [LINKED_OBJECTS] = "CREATE VIRTUAL TABLE temp.objects USING linked_objects(0)",
        [LINKED_EXTENTS] = "CREATE VIRTUAL TABLE temp.extents USING linked_objects(1)",
        [LINKED_FACTS] = "CREATE VIRTUAL TABLE temp.facts USING linked_objects(2)",
    };
    enum err_code rc = ERR_OK;

    if (sqlite3_create_module_v2(linked->db->sqlite, "linked_objects", &objects_module, linked,
                                 NULL) != SQLITE_OK)
        return DB_FAIL(linked->db, err, "looking at the objects in shards");
    for (int i = 0; rc == ERR_OK && i < LINKED_ROWS; i++)
        rc = db_exec(linked->db, tables[i], "looking at the objects in shards", err);
    return rc;
}
