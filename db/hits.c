/* SPDX-License-Identifier: Apache-2.0
 * db/hits.c - hits: matches, of which each has its pattern. The table matches is the one that must
 * be fast.
 *
 * Rows go in many at a time, in one statement (feed.h). Ids that go on behind the last one are left
 * to SQLite, which then need not look for the place of each: three quarters of the time.
 *
 * What is read is the TEMP view hits, or a TEMP table of that name which has the hits that stay in
 * shards, too: see patterns.h and linked_table.c.
 */
#include <assert.h>
#include <string.h>

#include "db/bind.h"
#include "db/feed.h"
#include "db/patterns.h"
#include "db/references.h"
#include "db/row.h"

enum { HITS_AT_ONCE = 1024 /* rows of one statement */ };

/* The id that the statement gives; 0: NULL. */
static enum err_code hits_last(struct db_case *db, enum db_statement which, const char *sql,
                               int64_t *id, struct err *err)
{
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc = db_prepare(db, which, sql, &stmt, err);

    *id = 0;
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "reading the last hit", err);
    if (rc == ERR_OK && found) {
        struct row row = row_init(db, stmt, "hits", err);

        *id = row_id_or_null(&row, "id");
        rc = row.rc;
        sqlite3_reset(stmt);
    }
    return rc;
}

/* Rows whose ids go on behind the last one of the table. */
static enum err_code hits_append(struct db_case *db, const struct feed_match *rows, uint32_t count,
                                 struct err *err)
{
    static const char sql[] = "INSERT OR FAIL INTO main.matches (pattern_id, offset) SELECT "
                              "pattern_id, offset FROM temp.feed_matches";
    const enum err_code rc =
        feed_run(db, DB_HITS_ADD, sql, FEED_MATCHES, rows, count, "adding hits", err);

    assert(rc != ERR_OK || sqlite3_last_insert_rowid(db->sqlite) == rows[count - 1].id);
    return rc;
}

static enum err_code hits_insert(struct db_case *db, const struct feed_match *row, struct err *err)
{
    static const char sql[] = "INSERT OR FAIL INTO main.matches (pattern_id, offset, id) SELECT "
                              "pattern_id, offset, id FROM temp.feed_matches";

    return feed_run(db, DB_HIT_ADD, sql, FEED_MATCHES, row, 1, "adding hits", err);
}

/* How many of them have ids from `next` on, without a gap. */
static uint32_t hits_follow(const struct feed_match *rows, uint32_t count, int64_t next)
{
    uint32_t i = 0;

    while (i < count && rows[i].id - i == next)
        i++;
    return i;
}

/* *last: the last id of the table, before and afterwards. */
static enum err_code hits_insert_rows(struct db_case *db, const struct feed_match *rows,
                                      uint32_t count, int64_t *last, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t done = 0, many; rc == ERR_OK && done < count; done += many) {
        many = *last < INT64_MAX ? hits_follow(rows + done, count - done, *last + 1) : 0;
        if (many > 0)
            rc = hits_append(db, rows + done, many, err);
        else
            rc = hits_insert(db, &rows[done], err);
        many = many > 0 ? many : 1;
        if (rc == ERR_OK)
            db_refer_to_hits(db, rows[done].id, rows[done + many - 1].id);
        *last = rows[done + many - 1].id > *last ? rows[done + many - 1].id : *last;
    }
    return rc;
}

static enum err_code hits_insert_all(struct db_case *db, const struct db_hit *hits, uint32_t count,
                                     struct err *err)
{
    struct feed_match rows[HITS_AT_ONCE];
    int64_t last = 0;
    enum err_code rc =
        hits_last(db, DB_HIT_LAST_ROW, "SELECT max(id) FROM main.matches", &last, err);

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = db_check_size(db, "the offset of a hit", hits[i].offset, err);
    for (uint32_t done = 0, many; rc == ERR_OK && done < count; done += many) {
        many = count - done < HITS_AT_ONCE ? count - done : HITS_AT_ONCE;
        for (uint32_t i = 0; rc == ERR_OK && i < many; i++) {
            rows[i].id = hits[done + i].id;
            rows[i].offset = hits[done + i].offset;
            rc = patterns_find(db, &hits[done + i], &rows[i].pattern_id, err);
        }
        if (rc == ERR_OK)
            rc = hits_insert_rows(db, rows, many, &last, err);
    }
    return rc;
}

enum err_code db_hits_insert(struct db_case *db, const struct db_hit *hits, uint32_t count,
                             struct err *err)
{
    bool own;

    if (count == 0)
        return ERR_OK;
    enum err_code rc = db_atom_begin(db, &own, err);
    db_seal_ahead_add(db->ahead, hits, count);
    return rc == ERR_OK ? db_atom_end(db, own, hits_insert_all(db, hits, count, err), err) : rc;
}

enum err_code db_hit_last_id(struct db_case *db, int64_t *id, struct err *err)
{
    return hits_last(db, DB_HIT_LAST,
                     "SELECT max(id) FROM (SELECT max(id) AS id FROM main.matches UNION ALL "
                     "SELECT first_id + hits - 1 FROM (SELECT first_id, hits FROM linked "
                     "ORDER BY first_id DESC LIMIT 1))",
                     id, err);
}

struct hits_walk {
    int64_t image_id;
    db_hit_fn each;
    void *arg;
};

static enum err_code hits_read(void *arg, struct row *row)
{
    const struct hits_walk *walk = arg;
    struct db_hit hit = { .image_id = walk->image_id };

    hit.id = row_id(row, "id");
    hit.signature_id = row_id(row, "signature_id");
    hit.offset = row_size(row, "offset");
    hit.len = (uint32_t)row_int(row, "len", 0, UINT32_MAX);
    hit.footer = row_int(row, "footer", 0, 1) == 1;
    return row->rc == ERR_OK ? walk->each(walk->arg, &hit, row->err) : row->rc;
}

enum err_code db_hits_walk(struct db_case *db, int64_t image_id, int64_t after, db_hit_fn each,
                           void *arg, struct err *err)
{
    /* A match without its pattern is of no image: it ends the walk, and is not passed over. */
    static const char sql[] =
        "SELECT id, signature_id, offset, len, footer FROM hits WHERE id > ? AND "
        "(image_id = ? OR image_id IS NULL) ORDER BY id";
    struct hits_walk walk = { image_id, each, arg };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_HITS_WALK, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, after);
    bind_int(&bind, image_id);
    return row_each(&bind, "hits", "walking over the hits", hits_read, &walk);
}
