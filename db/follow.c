/* SPDX-License-Identifier: Apache-2.0
 * db/follow.c - see follow.h. */
#include "db/follow.h"

enum { FOLLOW_STEPS = 16 /* rows that are passed over before the statement begins anew */ };

enum err_code follow_open(struct follow *follow, struct db_case *db, const char *sql,
                          const char *doing, struct err *err)
{
    *follow = (struct follow){ .db = db, .doing = doing, .from = INT64_MAX };
    return db_prepare_once(db, sql, &follow->stmt, err);
}

void follow_close(struct follow *follow)
{
    sqlite3_finalize(follow->stmt);
    *follow = (struct follow){ 0 };
}

enum err_code follow_step(struct follow *follow, struct err *err)
{
    const enum err_code rc = db_step(follow->db, follow->stmt, &follow->row, follow->doing, err);

    if (rc == ERR_OK && follow->row)
        follow->at = sqlite3_column_int64(follow->stmt, 0);
    return rc;
}

static enum err_code follow_begin(struct follow *follow, int64_t object_id, struct err *err)
{
    struct bind bind = bind_init(follow->db, follow->stmt, err);

    sqlite3_reset(follow->stmt);
    follow->row = false;
    follow->from = object_id;
    bind_int(&bind, object_id);
    return bind.rc == ERR_OK ? follow_step(follow, err) : bind.rc;
}

enum err_code follow_find(struct follow *follow, int64_t object_id, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && object_id >= follow->from && i < FOLLOW_STEPS &&
                         follow->row && follow->at < object_id;
         i++)
        rc = follow_step(follow, err);
    if (rc == ERR_OK && (object_id < follow->from || (follow->row && follow->at < object_id)))
        rc = follow_begin(follow, object_id, err);
    return rc;
}

void follow_end(struct follow *follow, int64_t object_id, enum err_code rc)
{
    follow->from = rc == ERR_OK ? object_id + 1 : INT64_MAX;
}
