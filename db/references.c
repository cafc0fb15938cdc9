/* SPDX-License-Identifier: Apache-2.0
 * db/references.c - see references.h.
 *
 * SQLite opens the table and searches it for each row that refers to one: half of the time that an
 * object takes to be written. What a scan refers to are runs of ids without a gap, which were
 * written by the same program: so a first and a last one say it all. Of objects, which are some of
 * the hits, a set of bits says it. Other ids are looked up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/references.h"
#include "db/row.h"
#include "db/wal_frames.h"

enum { REFERENCES_SET_MAX = 1 << 21 /* words: 2^27 ids, 16 MiB */ };

static const char *const references_tables[DB_PARENT_COUNT] = {
    [DB_PARENT_IMAGE] = "images",         [DB_PARENT_RUN] = "runs",
    [DB_PARENT_SIGNATURE] = "signatures", [DB_PARENT_HIT] = "hits",
    [DB_PARENT_SET] = "known_sets",       [DB_PARENT_OBJECT] = "objects",
};

void db_refer_again(struct db_case *db)
{
    for (int i = 0; i < DB_PARENT_COUNT; i++)
        db->there[i] = (struct db_ids){ 0 };
    free(db->objects.words);
    db->objects = (struct db_id_set){ 0 };
}

/* Rows go in one behind another: pages that are full are not asked for again, and a small cache
 * uses their memory again, where a large one would ask the system for new memory for each page. */
void db_bulk_begin(struct db_case *db)
{
    db_refer_again(db);
    db->bulk = true;
    if (db->frames == NULL)
        db->frames = wal_frames_begin(db);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    (void)!db_set_cache(db, DB_CACHE_BULK_KIB, NULL); /* the rows are the same without it */
}

void db_bulk_end(struct db_case *db)
{
    db->bulk = false;
    db_refer_again(db);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_FKEY, db->linked == NULL, NULL);
    (void)!db_set_cache(db, DB_CACHE_KIB, NULL);
}

void db_refer_to_hits(struct db_case *db, int64_t first, int64_t last)
{
    struct db_ids *there = &db->there[DB_PARENT_HIT];

    if (there->last == 0 || there->last + 1 != first)
        there->first = first;
    there->last = last;
}

void db_refer_to_object(struct db_case *db, int64_t id)
{
    struct db_id_set *set = &db->objects;

    if (!db->bulk)
        return;
    if (set->words == NULL)
        set->first = db->there[DB_PARENT_HIT].last > 0 ? db->there[DB_PARENT_HIT].first : id;
    const uint64_t at = (uint64_t)id - (uint64_t)set->first, word = at / 64;
    if (id < set->first || word >= REFERENCES_SET_MAX)
        return;
    if (set->words == NULL || word >= set->count) {
        const size_t count = (size_t)word * 2 + 64;
        uint64_t *words = realloc(set->words, count * sizeof *words);

        if (words == NULL)
            return;
        memset(words + set->count, 0, (count - set->count) * sizeof *words);
        set->words = words;
        set->count = count;
    }
    set->words[word] |= UINT64_C(1) << at % 64;
}

static bool references_set_has(const struct db_id_set *set, int64_t id)
{
    const uint64_t at = (uint64_t)id - (uint64_t)set->first;

    return id >= set->first && at / 64 < set->count && (set->words[at / 64] >> at % 64 & 1) != 0;
}

/* The first and the last row of a table of few rows, if no id between them is missing. */
static enum err_code references_read_span(struct db_case *db, enum db_parent parent,
                                          struct err *err)
{
    char sql[128];
    sqlite3_stmt *stmt = NULL;
    bool found = false;

    snprintf(sql, sizeof sql,
             "SELECT count(id), coalesce(min(id), 0), coalesce(max(id), 0) FROM %s",
             references_tables[parent]);
    enum err_code rc = db_prepare_once(db, sql, &stmt, err);
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "looking for a row", err);
    if (rc == ERR_OK && found) {
        struct row row = row_init(db, stmt, references_tables[parent], err);
        const int64_t count = row_int(&row, "count", 0, INT64_MAX);
        struct db_ids ids;

        ids.first = row_int(&row, "id", INT64_MIN, INT64_MAX);
        ids.last = row_int(&row, "id", INT64_MIN, INT64_MAX);
        rc = row.rc;
        if (rc == ERR_OK && ids.first > 0 && ids.last - ids.first == count - 1)
            db->there[parent] = ids;
    }
    sqlite3_finalize(stmt);
    return rc;
}

static enum err_code references_look_up(struct db_case *db, enum db_parent parent, int64_t id,
                                        bool *found, struct err *err)
{
    char sql[128];
    sqlite3_stmt *stmt = NULL;

    snprintf(sql, sizeof sql, "SELECT 1 FROM %s WHERE id = ?", references_tables[parent]);
    enum err_code rc = db_prepare_once(db, sql, &stmt, err);
    if (rc == ERR_OK) {
        struct bind bind = bind_init(db, stmt, err);

        bind_int(&bind, id);
        rc = bind.rc == ERR_OK ? db_step(db, stmt, found, "looking for a row", err) : bind.rc;
    }
    sqlite3_finalize(stmt);
    return rc;
}

static bool references_is_there(const struct db_case *db, enum db_parent parent, int64_t id)
{
    const struct db_ids *there = &db->there[parent];

    if (parent == DB_PARENT_OBJECT)
        return references_set_has(&db->objects, id);
    return there->last > 0 && id >= there->first && id <= there->last;
}

enum err_code db_refer(struct db_case *db, enum db_parent parent, int64_t id, struct err *err)
{
    enum err_code rc = ERR_OK;
    const bool in_shards = parent == DB_PARENT_OBJECT && db->linked != NULL;
    bool found = !db->bulk || in_shards || references_is_there(db, parent, id);

    if (!found && parent != DB_PARENT_HIT && parent != DB_PARENT_OBJECT) {
        rc = references_read_span(db, parent, err);
        found = rc == ERR_OK && references_is_there(db, parent, id);
    }
    if (rc == ERR_OK && !found)
        rc = references_look_up(db, parent, id, &found, err);
    if (rc == ERR_OK && !found)
        rc =
            ERR_RAISE(err, ERR_INPUT, "%s: a row refers to row %" PRId64 " of %s, which is missing",
                      db->path, id, references_tables[parent]);
    return rc;
}
