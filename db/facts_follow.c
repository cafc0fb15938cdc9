/* SPDX-License-Identifier: Apache-2.0
 * db/facts_follow.c - the facts of one object after another: see db_facts_follow in case.h.
 */
#include <stdlib.h>
#include <string.h>

#include "db/facts_row.h"
#include "db/follow.h"

struct db_facts_follow {
    struct db_case *db;
    struct follow rows;        /* closed: they lie in shards, where each object is asked for */
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
    *follow = (struct db_facts_follow){ .db = db };
    if (db->linked == NULL)
        rc = follow_open(&follow->rows, db,
                         "SELECT " FACTS_COLUMNS("") "FROM facts WHERE object_id >= ? "
                                                     "ORDER BY object_id, key",
                         "reading facts", err);
    if (rc == ERR_OK)
        *out = follow;
    else
        db_facts_follow_close(follow);
    return rc;
}

void db_facts_follow_close(struct db_facts_follow *follow)
{
    if (follow != NULL)
        follow_close(&follow->rows);
    free(follow);
}

/* The order is what ends a walk over damaged pages that lead in a circle. */
static enum err_code facts_follow_read(struct db_facts_follow *follow, struct db_fact *fact,
                                       struct err *err)
{
    struct row row = row_init(follow->db, follow->rows.stmt, "facts", err);

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
    struct follow *rows = &follow->rows;

    if (rows->stmt == NULL)
        return db_facts_of(follow->db, object_id, len, each, arg, err);
    follow->db->ticks = 0; /* each object is a statement of its own */
    follow->key[0] = '\0';
    enum err_code rc = follow_find(rows, object_id, err);
    while (rc == ERR_OK && follow_has(rows, object_id)) {
        struct db_fact fact;

        rc = facts_follow_read(follow, &fact, err);
        if (rc == ERR_OK && fact.reach <= len)
            rc = each(arg, object_id, &fact, err);
        if (rc == ERR_OK)
            rc = follow_step(rows, err);
    }
    follow_end(rows, object_id, rc);
    return rc;
}
