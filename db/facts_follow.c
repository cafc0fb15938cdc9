/* SPDX-License-Identifier: Apache-2.0
 * db/facts_follow.c - the facts of one object after another: see db_facts_follow in case.h.
 *
 * Objects come mostly by their numbers, as facts lie in the table. So one statement stays where the
 * last object's facts end, and is begun anew only where that is not near the next one.
 */
#include <stdlib.h>
#include <string.h>

#include "db/bind.h"
#include "db/facts_row.h"

enum { FOLLOW_STEPS = 16 /* rows that are passed over before the statement begins anew */ };

struct db_facts_follow {
    struct db_case *db;
    sqlite3_stmt *stmt;        /* NULL: rows lie in shards, where each object is asked for */
    bool row;                  /* it stands on a row that was not read yet, */
    int64_t at;                /* of this object */
    int64_t from;              /* what lies before the row is of objects below this one */
    char key[DB_WORD_MAX + 1]; /* of the fact before it, where that is of the same object */
};

enum err_code db_facts_follow_open(struct db_case *db, struct db_facts_follow **out,
                                   struct err *err)
{
    struct db_facts_follow *follow = calloc(1, sizeof *follow);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (follow == NULL)
        return ERR_NO_MEMORY(err, sizeof *follow);
    *follow = (struct db_facts_follow){ .db = db, .from = INT64_MAX };
    if (db->linked == NULL)
        rc = db_prepare_once(db,
                             "SELECT " FACTS_COLUMNS("") "FROM facts WHERE object_id >= ? "
                                                         "ORDER BY object_id, key",
                             &follow->stmt, err);
    if (rc == ERR_OK)
        *out = follow;
    else
        db_facts_follow_close(follow);
    return rc;
}

void db_facts_follow_close(struct db_facts_follow *follow)
{
    if (follow != NULL)
        sqlite3_finalize(follow->stmt);
    free(follow);
}

static enum err_code follow_step(struct db_facts_follow *follow, struct err *err)
{
    const enum err_code rc = db_step(follow->db, follow->stmt, &follow->row, "reading facts", err);

    if (rc == ERR_OK && follow->row)
        follow->at = sqlite3_column_int64(follow->stmt, 0);
    return rc;
}

static enum err_code follow_begin(struct db_facts_follow *follow, int64_t object_id,
                                  struct err *err)
{
    struct bind bind = bind_init(follow->db, follow->stmt, err);

    sqlite3_reset(follow->stmt);
    follow->row = false;
    follow->from = object_id;
    bind_int(&bind, object_id);
    return bind.rc == ERR_OK ? follow_step(follow, err) : bind.rc;
}

/* To the first row that is not of an object below this one. */
static enum err_code follow_find(struct db_facts_follow *follow, int64_t object_id, struct err *err)
{
    enum err_code rc = ERR_OK;

    follow->key[0] = '\0';
    for (uint32_t i = 0; rc == ERR_OK && object_id >= follow->from && i < FOLLOW_STEPS &&
                         follow->row && follow->at < object_id;
         i++)
        rc = follow_step(follow, err);
    if (rc == ERR_OK && (object_id < follow->from || (follow->row && follow->at < object_id)))
        rc = follow_begin(follow, object_id, err);
    return rc;
}

/* The order is what ends a walk over damaged pages that lead in a circle. */
static enum err_code follow_read(struct db_facts_follow *follow, struct db_fact *fact,
                                 struct err *err)
{
    struct row row = row_init(follow->db, follow->stmt, "facts", err);

    (void)facts_row(&row, fact);
    if (row.rc == ERR_OK && strcmp(fact->key, follow->key) <= 0 && follow->key[0] != '\0')
        row_damaged(&row, "key", "out of order in its table");
    if (row.rc == ERR_OK)
        memcpy(follow->key, fact->key, strlen(fact->key) + 1);
    return row.rc;
}

enum err_code db_facts_follow(struct db_facts_follow *follow, int64_t object_id, uint64_t len,
                              db_fact_fn each, void *arg, struct err *err)
{
    if (follow->stmt == NULL)
        return db_facts_of(follow->db, object_id, len, each, arg, err);
    follow->db->ticks = 0; /* each object is a statement of its own */
    enum err_code rc = follow_find(follow, object_id, err);
    while (rc == ERR_OK && follow->row && follow->at == object_id) {
        struct db_fact fact;

        rc = follow_read(follow, &fact, err);
        if (rc == ERR_OK && fact.reach <= len)
            rc = each(arg, object_id, &fact, err);
        if (rc == ERR_OK)
            rc = follow_step(follow, err);
    }
    follow->from = rc == ERR_OK ? object_id + 1 : INT64_MAX;
    return rc;
}
