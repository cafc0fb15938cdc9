/* SPDX-License-Identifier: Apache-2.0
 * db/bad_ranges.c - the table bad_ranges: what could not be read.
 *
 * Runs over one image may record the same bytes twice. Questions are answered from a list of
 * disjoint ranges in memory, made on the first one: 16 bytes for each row of the table, and each
 * answer is a binary search.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "db/bad_ranges.h"
#include "db/bind.h"
#include "db/references.h"
#include "db/row.h"

/* Lengthens the last row, if the range goes on with it. */
static enum err_code bad_ranges_grow(struct db_case *db, int64_t run_id,
                                     const struct db_bad_range *range, bool *grown, struct err *err)
{
    static const char sql[] =
        "UPDATE bad_ranges SET len = len + ?1 WHERE id = (SELECT max(id) FROM bad_ranges) AND "
        "offset + len = ?2 AND image_id = ?3 AND run_id = ?4 AND cause = ?5 AND source = ?6 "
        "AND status = ?7";
    const char status[] = { range->status, '\0' };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_BAD_RANGE_GROW, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_size(&bind, "the length of a bad range", range->len);
    bind_size(&bind, "the offset of a bad range", range->offset);
    bind_int(&bind, range->image_id);
    bind_int(&bind, run_id);
    bind_int(&bind, range->cause);
    bind_text(&bind, "the source of a bad range", range->source, DB_WORD_MAX);
    bind_text(&bind, "the status of a bad range", status, DB_WORD_MAX);
    rc = bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a bad range", err) : bind.rc;
    *grown = rc == ERR_OK && sqlite3_changes(db->sqlite) > 0;
    return rc;
}

static enum err_code bad_ranges_add(struct db_case *db, int64_t run_id,
                                    const struct db_bad_range *range, struct err *err)
{
    const char status[] = { range->status, '\0' };
    sqlite3_stmt *stmt;

    if (range->len == 0 || range->len > INT64_MAX || range->offset > INT64_MAX - range->len)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: no bad range can have offset %" PRIu64 " and length %" PRIu64,
                         db->path, range->offset, range->len);
    bool grown = false;
    enum err_code rc = db_refer(db, DB_PARENT_IMAGE, range->image_id, err);

    if (rc == ERR_OK)
        rc = db_refer(db, DB_PARENT_RUN, run_id, err);
    if (rc == ERR_OK)
        rc = bad_ranges_grow(db, run_id, range, &grown, err);
    if (rc != ERR_OK || grown)
        return rc;
    rc = db_prepare(db, DB_BAD_RANGE_ADD,
                    "INSERT INTO bad_ranges (image_id, run_id, offset, len, cause, source, status) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    &stmt, err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, range->image_id);
    bind_int(&bind, run_id);
    bind_size(&bind, "the offset of a bad range", range->offset);
    bind_size(&bind, "the length of a bad range", range->len);
    bind_int(&bind, range->cause);
    bind_text(&bind, "the source of a bad range", range->source, DB_WORD_MAX);
    bind_text(&bind, "the status of a bad range", status, DB_WORD_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a bad range", err) : bind.rc;
}

/* Adds a range that begins at or behind the last one. */
static enum err_code bad_ranges_append(struct db_bad_cache *bad, uint64_t offset, uint64_t len,
                                       struct err *err)
{
    struct db_extent *last = bad->count > 0 ? &bad->ranges[bad->count - 1] : NULL;

    if (last != NULL && offset <= last->offset + last->len) {
        if (offset + len > last->offset + last->len)
            last->len = offset + len - last->offset;
        return ERR_OK;
    }
    const enum err_code rc =
        grow_items(&bad->ranges, bad->count, &bad->room, sizeof *bad->ranges, err);

    if (rc == ERR_OK)
        bad->ranges[bad->count++] = (struct db_extent){ offset, len };
    return rc;
}

enum err_code db_bad_range_add(struct db_case *db, int64_t run_id, const struct db_bad_range *range,
                               struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    if (rc != ERR_OK)
        return rc;
    rc = db_atom_end(db, own, bad_ranges_add(db, run_id, range, err), err);
    if (rc == ERR_OK && db->bad.image_id == range->image_id) {
        const struct db_bad_cache *bad = &db->bad;

        if (bad->count == 0 || bad->ranges[bad->count - 1].offset <= range->offset)
            rc = bad_ranges_append(&db->bad, range->offset, range->len, err);
        else
            db->bad.image_id = 0;
    }
    return rc;
}

struct bad_ranges_load {
    struct db_bad_cache *bad;
    uint64_t before; /* where the row before begins */
};

static enum err_code bad_ranges_read(void *arg, struct row *row)
{
    struct bad_ranges_load *load = arg;

    row_id(row, "id");
    const uint64_t offset = row_size(row, "offset");
    const uint64_t len = row_size(row, "len");

    if (len > INT64_MAX - offset)
        row_damaged(row, "len", "the range ends behind every image");
    if (offset < load->before)
        row_damaged(row, "offset", "out of order in its index");
    load->before = offset;
    return row->rc == ERR_OK ? bad_ranges_append(load->bad, offset, len, row->err) : row->rc;
}

static enum err_code bad_ranges_load(struct db_case *db, int64_t image_id, struct err *err)
{
    static const char sql[] =
        "SELECT id, offset, len FROM bad_ranges WHERE image_id = ? ORDER BY offset";
    struct bad_ranges_load load = { &db->bad, 0 };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_BAD_RANGES, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    db->bad.image_id = 0;
    db->bad.count = 0;
    rc = row_each(&bind, "bad_ranges", "reading bad ranges", bad_ranges_read, &load);
    if (rc == ERR_OK)
        db->bad.image_id = image_id;
    return rc;
}

enum err_code db_bad_ranges_cached(struct db_case *db, int64_t image_id,
                                   const struct db_bad_cache **out, struct err *err)
{
    *out = &db->bad;
    return db->bad.image_id == image_id ? ERR_OK : bad_ranges_load(db, image_id, err);
}

static bool bad_ends(const void *range, uint64_t at)
{
    const struct db_extent *bad = range;

    return bad->offset + bad->len <= at;
}

enum err_code db_bad_bytes(struct db_case *db, int64_t image_id, uint64_t offset, uint64_t len,
                           uint64_t *bytes, struct err *err)
{
    const struct db_bad_cache *bad;
    const uint64_t end = len > UINT64_MAX - offset ? UINT64_MAX : offset + len;
    const enum err_code rc = db_bad_ranges_cached(db, image_id, &bad, err);

    *bytes = 0;
    if (rc != ERR_OK)
        return rc;
    for (size_t i = bisect(bad->ranges, bad->count, sizeof *bad->ranges, bad_ends, offset);
         i < bad->count && bad->ranges[i].offset < end; i++) {
        const struct db_extent *range = &bad->ranges[i];
        const uint64_t from = range->offset > offset ? range->offset : offset;
        const uint64_t to = range->offset + range->len < end ? range->offset + range->len : end;

        *bytes += to - from;
    }
    return ERR_OK;
}

struct bad_ranges_walk {
    db_bad_range_fn each;
    void *arg;
    int64_t image_id;
};

static enum err_code bad_ranges_give(void *arg, struct row *row)
{
    const struct bad_ranges_walk *walk = arg;

    row_id(row, "id");
    const uint64_t offset = row_size(row, "offset");
    const uint64_t len = row_size(row, "len");
    const int cause = (int)row_int(row, "cause", INT32_MIN, INT32_MAX);
    const char *source = row_text(row, "source", DB_WORD_MAX);
    const char *status = row_text(row, "status", 1);

    if (len > INT64_MAX - offset)
        row_damaged(row, "len", "the range ends behind every image");
    if (row->rc == ERR_OK && (status[0] == '\0' || strchr("-*/?", status[0]) == NULL))
        row_damaged(row, "status", "none of - * / ?");
    const struct db_bad_range range = { walk->image_id, offset, len, cause, source, status[0] };
    return row->rc == ERR_OK ? walk->each(walk->arg, &range, row->err) : row->rc;
}

enum err_code db_bad_ranges_walk(struct db_case *db, int64_t image_id, int64_t run_id,
                                 db_bad_range_fn each, void *arg, struct err *err)
{
    static const char sql[] =
        "SELECT id, offset, len, cause, source, status FROM bad_ranges WHERE image_id = ? AND "
        "run_id = ? ORDER BY offset";
    struct bad_ranges_walk walk = { each, arg, image_id };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_BAD_RANGES_OF, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    bind_int(&bind, run_id);
    return row_each(&bind, "bad_ranges", "reading bad ranges", bad_ranges_give, &walk);
}
