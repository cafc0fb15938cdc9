/* SPDX-License-Identifier: Apache-2.0
 * db/totals.c - counts over hits, objects and bad ranges. */
#include "db/bad_ranges.h"
#include "db/bind.h"
#include "db/row.h"

static enum err_code totals_read_hits(void *arg, struct row *row)
{
    struct db_totals *out = arg;

    out->hits = row_size(row, "count");
    return row->rc;
}

/* sum(1) and not count(*): the latter is one uninterruptible step, which a file with looping pages
 * could make endless. */
static enum err_code totals_hits(struct db_case *db, int64_t image_id, struct db_totals *out,
                                 struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_TOTAL_HITS,
        "SELECT (SELECT coalesce(sum(1), 0) FROM main.matches m WHERE ?1 = 0 OR "
        "(SELECT image_id FROM main.patterns WHERE id = m.pattern_id) = ?1) + "
        "(SELECT coalesce(sum(l.hits), 0) FROM linked l JOIN link k ON k.run_id = l.run_id "
        "WHERE ?1 = 0 OR k.image_id = ?1)",
        &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "hits", "counting hits", totals_read_hits, out);
}

static enum err_code totals_read_objects(void *arg, struct row *row)
{
    struct db_totals *out = arg;

    out->objects = row_size(row, "count");
    out->complete = row_size(row, "state");
    out->footer = row_size(row, "state");
    out->truncated = row_size(row, "state");
    out->fragmented = row_size(row, "state");
    out->embedded = row_size(row, "parent_id");
    if (row->rc == ERR_OK &&
        out->complete + out->footer + out->truncated + out->fragmented != out->objects)
        row_damaged(row, "state", "not a state of an object");
    return row->rc;
}

/* Sums over all rows, which need no sorting, as groups would. */
static enum err_code totals_objects(struct db_case *db, int64_t image_id, struct db_totals *out,
                                    struct err *err)
{
    static const char sql[] =
        "SELECT coalesce(sum(1), 0), coalesce(sum(word = 'complete'), 0), "
        "coalesce(sum(word = 'footer'), 0), coalesce(sum(word = 'truncated'), 0), "
        "coalesce(sum(word = 'fragmented'), 0), coalesce(sum(inside), 0) FROM "
        "(SELECT coalesce(a.state, n.state, o.state) AS word, " DB_PARENT " IS NOT NULL AS inside "
        "FROM objects o LEFT JOIN nested n ON n.object_id = o.id "
        "LEFT JOIN assembled a ON a.object_id = o.id "
        "WHERE coalesce(a.part, 0) = 0 AND (?1 = 0 OR o.image_id = ?1))";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_TOTAL_OBJECTS, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "objects", "counting objects", totals_read_objects, out);
}

struct totals_types {
    db_type_totals_fn each;
    void *arg;
};

static enum err_code totals_read_type(void *arg, struct row *row)
{
    const struct totals_types *walk = arg;
    struct db_type_totals totals = { .type = row_text(row, "type", DB_WORD_MAX) };

    totals.objects = row_size(row, "count");
    totals.complete = row_size(row, "state");
    totals.footer = row_size(row, "state");
    totals.fragmented = row_size(row, "state");
    totals.truncated = row_size(row, "state");
    totals.embedded = row_size(row, "parent_id");
    totals.bytes = row_size(row, "len");
    totals.bytes_whole = row_size(row, "len");
    return row->rc == ERR_OK ? walk->each(walk->arg, &totals, row->err) : row->rc;
}

/* A sum of lengths that no integer holds would be an error of SQLite's: total() has none. */
enum err_code db_type_totals(struct db_case *db, int64_t image_id, db_type_totals_fn each,
                             void *arg, struct err *err)
{
    static const char sql[] =
        "SELECT type, sum(1), sum(word = 'complete'), sum(word = 'footer'), "
        "sum(word = 'fragmented'), sum(word = 'truncated'), sum(inside), "
        "cast(min(total(len), 9.2e18) AS INTEGER), "
        "cast(min(total(iif(word = 'truncated' OR inside, 0, len)), 9.2e18) AS INTEGER) FROM "
        "(SELECT coalesce(a.type, o.type) AS type, coalesce(a.state, n.state, o.state) AS word, "
        "coalesce(a.len, n.len, o.len) AS len, " DB_PARENT " IS NOT NULL AS inside "
        "FROM objects o LEFT JOIN nested n ON n.object_id = o.id "
        "LEFT JOIN assembled a ON a.object_id = o.id "
        "WHERE coalesce(a.part, 0) = 0 AND (?1 = 0 OR o.image_id = ?1)) GROUP BY type ORDER BY "
        "type";
    struct totals_types walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_TOTAL_TYPES, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "objects", "counting objects by type", totals_read_type, &walk);
}

static enum err_code totals_bad(struct db_case *db, int64_t image_id, struct db_totals *out,
                                struct err *err)
{
    const struct db_bad_cache *bad;
    enum err_code rc = db_bad_ranges_cached(db, image_id, &bad, err);

    for (size_t i = 0; rc == ERR_OK && i < bad->count; i++) {
        out->bad_ranges++;
        out->bad_bytes += bad->ranges[i].len;
    }
    return rc;
}

enum err_code db_totals(struct db_case *db, int64_t image_id, struct db_totals *out,
                        struct err *err)
{
    uint32_t images = 0;
    enum err_code rc;

    *out = (struct db_totals){ 0 };
    rc = totals_hits(db, image_id, out, err);
    if (rc == ERR_OK)
        rc = totals_objects(db, image_id, out, err);
    if (rc == ERR_OK && image_id != 0)
        return totals_bad(db, image_id, out, err);
    if (rc == ERR_OK)
        rc = db_image_count(db, &images, err);
    for (int64_t id = 1; id <= images && rc == ERR_OK; id++)
        rc = totals_bad(db, id, out, err);
    return rc;
}
