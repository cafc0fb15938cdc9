/* SPDX-License-Identifier: Apache-2.0
 * db/linked_nested.c - the TEMP table nested, which shows the rows of the case file and the pairs
 * of the table linked_nested as one: a virtual table.
 *
 * Most of those who ask go over objects, and ask for the row of each. So a cursor keeps the pairs
 * of the row that it read last, and stays where it is in main.nested: between the id that was asked
 * for there and the one that was found there is none.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "db/bind.h"
#include "db/linked_nested.h"
#include "db/linked_vtab.h"
#include "db/row.h"

enum { SHOWN_ID, SHOWN_PARENT, SHOWN_STATE, SHOWN_LEN, SHOWN_REASON, SHOWN_CRC64 };
enum { SHOWN_MANY = 1 << 22 }; /* rows, for whoever plans */

struct shown_pair {
    int64_t id, parent_id;
};

struct shown_cursor {
    sqlite3_vtab_cursor base;
    struct linked *linked;
    uint64_t writes;          /* linked.nested_writes, when the rest was read */
    sqlite3_stmt *read;       /* of linked_nested; NULL: not needed yet */
    sqlite3_stmt *own;        /* of main.nested, likewise */
    struct shown_pair *pairs; /* [count], all there are of ids from .. last */
    size_t count, room, at;
    int64_t from, last;
    int64_t own_from, own_id; /* the first own row at own_from or behind it is own_id, at which the
                                 statement stands; INT64_MAX: there is none */
    int64_t to;               /* the last id that is asked for */
    bool none;                /* no id is */
};

static int shown_connect(sqlite3 *sqlite, void *arg, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **why)
{
    static const char columns[] =
        "CREATE TABLE nested (object_id INTEGER, parent_id INTEGER, state TEXT, len INTEGER, "
        "reason TEXT, crc64 INTEGER)";

    (void)argc;
    (void)argv;
    (void)why;
    return linked_vtab_connect(sqlite, arg, columns, 0, out);
}

static int shown_best(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const bool one = linked_vtab_bounds(info);

    (void)base;
    info->orderByConsumed =
        info->nOrderBy == 1 && info->aOrderBy[0].iColumn <= SHOWN_ID && !info->aOrderBy[0].desc;
    info->estimatedRows = one ? 1 : SHOWN_MANY;
    info->estimatedCost = one ? 4 : info->idxNum != 0 ? SHOWN_MANY / 2 : SHOWN_MANY;
    return SQLITE_OK;
}

static int shown_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct shown_cursor *cursor = sqlite3_malloc(sizeof *cursor);

    if (cursor == NULL)
        return SQLITE_NOMEM;
    *cursor = (struct shown_cursor){ .linked = ((struct linked_vtab *)base)->linked };
    *out = &cursor->base;
    return SQLITE_OK;
}

static int shown_close(sqlite3_vtab_cursor *base)
{
    struct shown_cursor *cursor = (struct shown_cursor *)base;

    sqlite3_finalize(cursor->read);
    sqlite3_finalize(cursor->own);
    free(cursor->pairs);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

/* The statement with the id bound, not stepped. */
static enum err_code shown_ask(const struct shown_cursor *cursor, sqlite3_stmt **stmt,
                               const char *sql, int64_t id, struct err *err)
{
    struct db_case *db = cursor->linked->db;
    const uint64_t ticks = db->ticks;
    enum err_code rc = *stmt == NULL ? db_prepare_once(db, sql, stmt, err) : ERR_OK;

    db->ticks = ticks; /* of the statement that asks */
    if (rc != ERR_OK)
        return rc;
    sqlite3_reset(*stmt);
    struct bind bind = bind_init(db, *stmt, err);
    bind_int(&bind, id);
    return bind.rc;
}

/* ---- pairs ---- */

/* Adds the pairs of these bytes; the last one must be of the object last_id. */
static enum err_code shown_unpack(struct shown_cursor *cursor, struct row *row, struct unpack *in,
                                  int64_t last_id)
{
    enum err_code rc = ERR_OK;
    int64_t id = 0;

    while (rc == ERR_OK && !in->failed && in->at < in->end) {
        const uint64_t distance = unpack_number(in, (uint64_t)(last_id - id));
        const uint64_t parent = unpack_number(in, UINT64_MAX), apart = parent / 2;
        const bool behind = parent % 2 != 0;

        id += (int64_t)distance;
        in->failed = in->failed || distance == 0 || apart == 0 ||
                     apart > (behind ? (uint64_t)(INT64_MAX - id) : (uint64_t)(id - 1));
        if (in->failed)
            break;
        rc = grow_items(&cursor->pairs, cursor->count, &cursor->room, sizeof *cursor->pairs,
                        row->err);
        if (rc == ERR_OK)
            cursor->pairs[cursor->count++] =
                (struct shown_pair){ id, behind ? id + (int64_t)apart : id - (int64_t)apart };
    }
    if (rc == ERR_OK && (in->failed || id != last_id))
        row_damaged(row, "pairs", "no such pairs can be");
    return rc == ERR_OK ? row->rc : rc;
}

static enum err_code shown_take(struct shown_cursor *cursor, struct err *err)
{
    struct row row = row_init(cursor->linked->db, cursor->read, "linked_nested", err);
    const int64_t last_id = row_id(&row, "last_id");

    if (row.rc == ERR_OK && sqlite3_column_bytes(cursor->read, row.at) > LINKED_PAIRS_LEN)
        row_damaged(&row, "pairs", "longer than any that burin writes");
    if (row.rc != ERR_OK)
        return row.rc;
    const uint8_t *bytes = sqlite3_column_blob(cursor->read, row.at);
    const int len = sqlite3_column_bytes(cursor->read, row.at);
    struct unpack in = { .at = bytes, .end = bytes + (bytes != NULL ? len : 0) };
    const enum err_code rc = shown_unpack(cursor, &row, &in, last_id);

    if (rc != ERR_OK)
        return rc;
    cursor->last = last_id;
    if (cursor->pairs[0].id < cursor->from)
        cursor->from = cursor->pairs[0].id;
    return ERR_OK;
}

/* Reads the pairs of the row that has the first one at the id or behind it. */
static enum err_code shown_read(struct shown_cursor *cursor, int64_t id, struct err *err)
{
    static const char sql[] = "SELECT last_id, pairs FROM linked_nested WHERE last_id >= ? ORDER "
                              "BY last_id LIMIT 1";
    bool found = false;
    enum err_code rc = shown_ask(cursor, &cursor->read, sql, id, err);

    cursor->count = cursor->at = 0;
    cursor->from = id;
    cursor->last = INT64_MAX;
    if (rc == ERR_OK)
        rc = db_step(cursor->linked->db, cursor->read, &found, "reading what lies in what", err);
    if (rc == ERR_OK && found)
        rc = shown_take(cursor, err);
    sqlite3_reset(cursor->read);
    if (rc != ERR_OK)
        cursor->from = INT64_MAX; /* nothing is known */
    return rc;
}

/* Goes to the first pair at the id or behind it. */
static enum err_code shown_seek_pair(struct shown_cursor *cursor, int64_t id, struct err *err)
{
    const enum err_code rc =
        id < cursor->from || id > cursor->last ? shown_read(cursor, id, err) : ERR_OK;
    size_t low = 0, high = cursor->count;

    while (rc == ERR_OK && low < high) {
        const size_t middle = low + (high - low) / 2;

        if (cursor->pairs[middle].id >= id)
            high = middle;
        else
            low = middle + 1;
    }
    cursor->at = low;
    return rc;
}

/* ---- the file's own rows ---- */

static enum err_code shown_step_own(struct shown_cursor *cursor, struct err *err)
{
    bool found = false;
    const enum err_code rc =
        db_step(cursor->linked->db, cursor->own, &found, "reading what lies in what", err);

    cursor->own_id = found ? sqlite3_column_int64(cursor->own, SHOWN_ID) : INT64_MAX;
    return rc;
}

static enum err_code shown_seek_own(struct shown_cursor *cursor, int64_t id, struct err *err)
{
    static const char sql[] = "SELECT object_id, parent_id, state, len, reason, crc64 FROM "
                              "main.nested WHERE object_id >= ? ORDER BY object_id";

    if (id >= cursor->own_from && id <= cursor->own_id)
        return ERR_OK;
    const bool follows = cursor->own_from <= cursor->own_id && id - 1 == cursor->own_id;
    const enum err_code rc = follows ? ERR_OK : shown_ask(cursor, &cursor->own, sql, id, err);

    cursor->own_from = id;
    return rc == ERR_OK ? shown_step_own(cursor, err) : rc;
}

/* ---- both ---- */

static int64_t shown_pair_id(const struct shown_cursor *cursor)
{
    return cursor->at < cursor->count ? cursor->pairs[cursor->at].id : INT64_MAX;
}

static enum err_code shown_check(const struct shown_cursor *cursor, struct err *err)
{
    if (cursor->own_id == INT64_MAX || cursor->own_id != shown_pair_id(cursor))
        return ERR_OK;
    return db_damaged(cursor->linked->db, err,
                      "its table nested has a row of its table "
                      "linked_nested once more");
}

/* Goes to the first row at the id or behind it. */
static enum err_code shown_seek(struct shown_cursor *cursor, int64_t id, struct err *err)
{
    if (cursor->writes != cursor->linked->nested_writes || cursor->own == NULL) {
        cursor->writes = cursor->linked->nested_writes;
        cursor->from = cursor->own_from = INT64_MAX; /* nothing is known */
        cursor->last = cursor->own_id = INT64_MIN;
    }
    enum err_code rc = shown_seek_pair(cursor, id, err);
    if (rc == ERR_OK)
        rc = shown_seek_own(cursor, id, err);
    return rc == ERR_OK ? shown_check(cursor, err) : rc;
}

static int64_t shown_id(const struct shown_cursor *cursor)
{
    const int64_t pair = shown_pair_id(cursor);

    return cursor->own_id < pair ? cursor->own_id : pair;
}

static int shown_filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                        sqlite3_value **argv)
{
    struct shown_cursor *cursor = (struct shown_cursor *)base;
    struct err err = { 0 };
    int64_t from;

    (void)name;
    linked_vtab_range(plan, argc, argv, &from, &cursor->to);
    cursor->none = from > cursor->to;
    if (cursor->none)
        return SQLITE_OK;
    return linked_vtab_failed(cursor->linked, shown_seek(cursor, from, &err), &err);
}

static int shown_next(sqlite3_vtab_cursor *base)
{
    struct shown_cursor *cursor = (struct shown_cursor *)base;
    const int64_t id = shown_id(cursor);
    struct err err = { 0 };

    return linked_vtab_failed(cursor->linked, shown_seek(cursor, id + 1, &err), &err);
}

static int shown_eof(sqlite3_vtab_cursor *base)
{
    const struct shown_cursor *cursor = (const struct shown_cursor *)base;
    const int64_t id = cursor->none ? INT64_MAX : shown_id(cursor);

    return id == INT64_MAX || id > cursor->to;
}

static int shown_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct shown_cursor *cursor = (const struct shown_cursor *)base;

    if (cursor->own_id < shown_pair_id(cursor))
        sqlite3_result_value(context, sqlite3_column_value(cursor->own, column));
    else if (column == SHOWN_ID)
        sqlite3_result_int64(context, shown_id(cursor));
    else if (column == SHOWN_PARENT)
        sqlite3_result_int64(context, cursor->pairs[cursor->at].parent_id);
    else
        sqlite3_result_null(context);
    return SQLITE_OK;
}

static int shown_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = shown_id((const struct shown_cursor *)base);
    return SQLITE_OK;
}

static const sqlite3_module shown_module = {
    .iVersion = 1,
    .xCreate = shown_connect,
    .xConnect = shown_connect,
    .xBestIndex = shown_best,
    .xDisconnect = linked_vtab_disconnect,
    .xDestroy = linked_vtab_disconnect,
    .xOpen = shown_open,
    .xClose = shown_close,
    .xFilter = shown_filter,
    .xNext = shown_next,
    .xEof = shown_eof,
    .xColumn = shown_column,
    .xRowid = shown_rowid,
};

enum err_code linked_nested_make(struct linked *linked, struct err *err)
{
    struct db_case *db = linked->db;

    if (sqlite3_create_module_v2(db->sqlite, "linked_nested", &shown_module, linked, NULL) !=
        SQLITE_OK)
        return DB_FAIL(db, err, "looking at what lies in what");
    return db_exec(db, "CREATE VIRTUAL TABLE temp.nested USING linked_nested",
                   "looking at what lies in what", err);
}
