/* SPDX-License-Identifier: Apache-2.0
 * db/scans.c - whether an image was scanned, and whether somebody is at it. */
#include "db/bind.h"
#include "db/row.h"

enum err_code db_scan_exists(struct db_case *db, int64_t image_id, bool *exists, struct err *err)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM runs WHERE image_id = ? AND command = 'scan')";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_SCAN_EXISTS, sql, &stmt, err);

    *exists = false;
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_exists(&bind, "runs", "looking for a scan", exists);
}

bool db_written_now(const struct db_case *db)
{
    return db->lock == NULL && db_lock_held(db->path, NULL);
}
