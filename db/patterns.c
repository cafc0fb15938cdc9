/* SPDX-License-Identifier: Apache-2.0
 * db/patterns.c - see patterns.h.
 *
 * A scan finds a million hits of some hundred patterns: ids that were found once are kept in
 * memory, in a table of open addressing.
 */
#include "db/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "db/bind.h"
#include "db/row.h"

enum {
    PATTERNS_LEAST = 1 << 10, /* places in memory; a power of two */
    PATTERNS_MOST = 1 << 18,  /* 8 MiB; where half of them are taken, all are given back */
};

struct pattern {
    int64_t id; /* 0: the place is free */
    int64_t image_id, signature_id;
    uint32_t len;
    bool footer;
};

struct db_patterns {
    size_t count, room; /* at most half of the places are taken */
    struct pattern places[];
};

enum err_code patterns_show(struct db_case *db, struct err *err)
{
    enum err_code rc = db_let_make(db, true, err);

    if (rc == ERR_OK)
        rc = db_exec(db, "CREATE TEMP VIEW hits AS " DB_OWN_HITS, "looking at the hits", err);
    return rc == ERR_OK ? db_let_make(db, false, err) : rc;
}

void patterns_forget(struct db_case *db)
{
    free(db->patterns);
    db->patterns = NULL;
}

/* The place of the pattern, or the free one where it belongs. */
static struct pattern *patterns_place(struct db_patterns *patterns, const struct pattern *pattern)
{
    const uint64_t key = (uint64_t)pattern->signature_id << 1 ^ (uint64_t)pattern->footer ^
                         (uint64_t)pattern->len << 40 ^ (uint64_t)pattern->image_id << 52;
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (patterns->room - 1);
    struct pattern *place = &patterns->places[at];

    while (place->id != 0 &&
           (place->signature_id != pattern->signature_id || place->len != pattern->len ||
            place->footer != pattern->footer || place->image_id != pattern->image_id)) {
        at = (at + 1) & (patterns->room - 1);
        place = &patterns->places[at];
    }
    return place;
}

/* Gets room for one more. */
static enum err_code patterns_grow(struct db_case *db, struct err *err)
{
    struct db_patterns *old = db->patterns, *grown;
    const bool empty = old == NULL || old->room == PATTERNS_MOST;
    const size_t room = empty ? PATTERNS_LEAST : old->room * 2;

    if (old != NULL && old->count * 2 < old->room)
        return ERR_OK;
    grown = calloc(1, sizeof *grown + room * sizeof grown->places[0]);
    if (grown == NULL)
        return ERR_NO_MEMORY(err, room * sizeof grown->places[0]);
    grown->room = room;
    for (size_t i = 0; !empty && i < old->room; i++)
        if (old->places[i].id != 0)
            *patterns_place(grown, &old->places[i]) = old->places[i];
    grown->count = empty ? 0 : old->count;
    free(old);
    db->patterns = grown;
    return ERR_OK;
}

static void patterns_bind(struct bind *bind, const struct pattern *pattern)
{
    bind_int(bind, pattern->image_id);
    bind_int(bind, pattern->signature_id);
    bind_int(bind, pattern->len);
    bind_int(bind, pattern->footer);
}

/* *id: of its row; 0: there is none. */
static enum err_code patterns_ask(struct db_case *db, const struct pattern *pattern, int64_t *id,
                                  struct err *err)
{
    static const char sql[] = "SELECT id FROM main.patterns WHERE image_id = ? AND signature_id = "
                              "? AND len = ? AND footer = ?";
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc = db_prepare(db, DB_PATTERN_GET, sql, &stmt, err);

    *id = 0;
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    patterns_bind(&bind, pattern);
    rc = bind.rc == ERR_OK ? db_step(db, stmt, &found, "looking for a pattern", err) : bind.rc;
    if (rc == ERR_OK && found) {
        struct row row = row_init(db, stmt, "patterns", err);

        *id = row_id(&row, "id");
        rc = row.rc;
        sqlite3_reset(stmt);
    }
    return rc;
}

static enum err_code patterns_add(struct db_case *db, const struct pattern *pattern, int64_t *id,
                                  struct err *err)
{
    static const char sql[] =
        "INSERT INTO main.patterns (image_id, signature_id, len, footer) VALUES (?, ?, ?, ?)";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_PATTERN_ADD, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    patterns_bind(&bind, pattern);
    rc = bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a pattern", err) : bind.rc;
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return rc;
}

enum err_code patterns_find(struct db_case *db, const struct db_hit *hit, int64_t *id,
                            struct err *err)
{
    struct pattern pattern = { .image_id = hit->image_id,
                               .signature_id = hit->signature_id,
                               .len = hit->len,
                               .footer = hit->footer };

    if (db->patterns != NULL) {
        *id = patterns_place(db->patterns, &pattern)->id;
        if (*id != 0)
            return ERR_OK;
    }
    enum err_code rc = patterns_grow(db, err);
    if (rc == ERR_OK)
        rc = patterns_ask(db, &pattern, &pattern.id, err);
    if (rc == ERR_OK && pattern.id == 0)
        rc = patterns_add(db, &pattern, &pattern.id, err);
    if (rc != ERR_OK)
        return rc;
    *patterns_place(db->patterns, &pattern) = pattern;
    db->patterns->count++;
    *id = pattern.id;
    return ERR_OK;
}
