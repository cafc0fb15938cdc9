/* SPDX-License-Identifier: Apache-2.0
 * db/linked_table.c - the TEMP table hits, which shows the hits of the case file and those that
 * stay in shards as one: a virtual table.
 *
 * A cursor goes over ids. Where a span of shards has the next one, it reads that span; else it asks
 * the file for what comes before the next span.
 */
#include <string.h>

#include "db/bind.h"
#include "db/linked_vtab.h"
#include "db/patterns.h"
#include "db/row.h"

enum { TABLE_ID, TABLE_IMAGE, TABLE_SIGNATURE, TABLE_OFFSET, TABLE_LEN, TABLE_FOOTER };

struct table_cursor {
    sqlite3_vtab_cursor base;
    struct linked *linked;
    struct linked_hits *hits; /* held; or NULL */
    sqlite3_stmt *own;        /* of the file */
    bool asks;                /* it has rows yet */
    int64_t at, to;           /* ids that are still to come */
    bool end;
    struct db_hit row;
};

static int table_connect(sqlite3 *sqlite, void *arg, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **why)
{
    static const char columns[] =
        "CREATE TABLE hits (id INTEGER, image_id INTEGER, signature_id INTEGER, offset INTEGER, "
        "len INTEGER, footer INTEGER)";

    (void)argc;
    (void)argv;
    (void)why;
    return linked_vtab_connect(sqlite, arg, columns, 0, out);
}

static int table_best(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const bool one = linked_vtab_bounds(info);

    (void)base;
    info->orderByConsumed =
        info->nOrderBy == 1 && info->aOrderBy[0].iColumn <= TABLE_ID && info->aOrderBy[0].desc == 0;
    info->estimatedRows = one ? 1 : 1 << 24;
    info->estimatedCost = one ? 1 << 12 : info->idxNum != 0 ? 1 << 23 : 1 << 24;
    return SQLITE_OK;
}

static int table_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct table_cursor *cursor = sqlite3_malloc(sizeof *cursor);

    if (cursor == NULL)
        return SQLITE_NOMEM;
    *cursor = (struct table_cursor){ .linked = ((struct linked_vtab *)base)->linked };
    *out = &cursor->base;
    return SQLITE_OK;
}

static int table_close(sqlite3_vtab_cursor *base)
{
    struct table_cursor *cursor = (struct table_cursor *)base;

    sqlite3_finalize(cursor->own);
    linked_let_go(cursor->hits);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static enum err_code table_read(struct table_cursor *cursor, struct err *err)
{
    struct row row = row_init(cursor->linked->db, cursor->own, "hits", err);
    struct db_hit *hit = &cursor->row;

    hit->id = row_id(&row, "id");
    hit->image_id = row_id(&row, "image_id");
    hit->signature_id = row_id(&row, "signature_id");
    hit->offset = row_size(&row, "offset");
    hit->len = (uint32_t)row_int(&row, "len", 0, UINT32_MAX);
    hit->footer = row_int(&row, "footer", 0, 1) == 1;
    return row.rc;
}

/* The next hit of the file up to the id `last`. *found false: there is none. */
static enum err_code table_own(struct table_cursor *cursor, int64_t last, bool *found,
                               struct err *err)
{
    static const char sql[] = DB_OWN_HITS " WHERE m.id BETWEEN ? AND ? ORDER BY m.id";
    struct db_case *db = cursor->linked->db;
    enum err_code rc = ERR_OK;

    *found = false;
    if (cursor->own == NULL)
        rc = db_prepare_once(db, sql, &cursor->own, err);
    if (rc == ERR_OK && !cursor->asks) {
        struct bind bind = bind_init(db, cursor->own, err);

        sqlite3_reset(cursor->own);
        bind_int(&bind, cursor->at);
        bind_int(&bind, last);
        rc = bind.rc;
        cursor->asks = true;
    }
    if (rc == ERR_OK)
        rc = db_step(db, cursor->own, found, "reading hits", err);
    if (rc == ERR_OK && *found)
        rc = table_read(cursor, err);
    cursor->asks = *found;
    return rc;
}

static enum err_code table_step(struct table_cursor *cursor, struct err *err)
{
    const struct linked *linked = cursor->linked;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && cursor->at <= cursor->to) {
        const struct linked_hits *hits = cursor->hits;
        const int64_t first = hits != NULL ? hits->span.first_id : 0, index = cursor->at - first;
        bool found = false;

        if (hits != NULL && cursor->at >= first && index < (int64_t)hits->span.hits) {
            cursor->row = hits->items[index];
            cursor->at++;
            return ERR_OK;
        }
        const size_t next = linked_span_at(linked, cursor->at);
        const struct linked_span *span = next < linked->span_count ? &linked->spans[next] : NULL;
        if (span != NULL && span->first_id <= cursor->at) {
            linked_let_go(cursor->hits);
            rc = linked_hold(cursor->linked, span, &cursor->hits, err);
            continue;
        }
        const int64_t last =
            span != NULL && span->first_id <= cursor->to ? span->first_id - 1 : cursor->to;
        rc = table_own(cursor, last, &found, err);
        if (rc == ERR_OK && found && cursor->row.id >= cursor->at && cursor->row.id < INT64_MAX) {
            cursor->at = cursor->row.id + 1;
            return ERR_OK;
        }
        if (last == INT64_MAX)
            break;
        cursor->at = last + 1;
    }
    cursor->end = true;
    return rc;
}

static int table_next(sqlite3_vtab_cursor *base)
{
    struct table_cursor *cursor = (struct table_cursor *)base;
    struct err err = { 0 };

    return linked_vtab_failed(cursor->linked, table_step(cursor, &err), &err);
}

static int table_filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                        sqlite3_value **argv)
{
    struct table_cursor *cursor = (struct table_cursor *)base;
    struct err err = { 0 };

    (void)name;
    linked_vtab_range(plan, argc, argv, &cursor->at, &cursor->to);
    cursor->end = false;
    cursor->asks = false;
    enum err_code rc = linked_refresh(cursor->linked, &err);
    if (rc == ERR_OK)
        rc = table_step(cursor, &err);
    return linked_vtab_failed(cursor->linked, rc, &err);
}

static int table_eof(sqlite3_vtab_cursor *base)
{
    return ((struct table_cursor *)base)->end;
}

static int table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct db_hit *hit = &((struct table_cursor *)base)->row;
    const int64_t values[] = { [TABLE_ID] = hit->id,
                               [TABLE_IMAGE] = hit->image_id,
                               [TABLE_SIGNATURE] = hit->signature_id,
                               [TABLE_OFFSET] = (int64_t)hit->offset,
                               [TABLE_LEN] = hit->len,
                               [TABLE_FOOTER] = hit->footer };

    sqlite3_result_int64(context, values[column]);
    return SQLITE_OK;
}

static int table_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = ((struct table_cursor *)base)->row.id;
    return SQLITE_OK;
}

static const sqlite3_module table_module = {
    .iVersion = 1,
    .xCreate = table_connect,
    .xConnect = table_connect,
    .xBestIndex = table_best,
    .xDisconnect = linked_vtab_disconnect,
    .xDestroy = linked_vtab_disconnect,
    .xOpen = table_open,
    .xClose = table_close,
    .xFilter = table_filter,
    .xNext = table_next,
    .xEof = table_eof,
    .xColumn = table_column,
    .xRowid = table_rowid,
};

enum err_code linked_table_make(struct linked *linked, struct err *err)
{
    struct db_case *db = linked->db;

    if (sqlite3_create_module_v2(db->sqlite, "linked_hits", &table_module, linked, NULL) !=
        SQLITE_OK)
        return DB_FAIL(db, err, "looking at the hits in shards");
    return db_exec(db,
                   "DROP VIEW IF EXISTS temp.hits;"
                   "CREATE VIRTUAL TABLE temp.hits USING linked_hits",
                   "looking at the hits in shards", err);
}
