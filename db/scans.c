/* db/scans.c - whether an image was scanned, and whether somebody is at it. */
#include <time.h>

#include "db/bind.h"
#include "db/row.h"

enum {
    SCANS_LOOKS = 10,         /* a writer lets go of its lock for a moment when it commits */
    SCANS_APART_NS = 10000000 /* 10 ms, between two looks */
};

static enum err_code scans_read(void *arg, struct row *row)
{
    bool *exists = arg;

    *exists = row_int(row, "count", 0, 1) == 1;
    return row->rc;
}

enum err_code db_scan_exists(struct db_case *db, int64_t image_id, bool *exists, struct err *err)
{
    static const char sql[] = "SELECT EXISTS (SELECT 1 FROM runs WHERE image_id = ? AND command = 'scan')";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_SCAN_EXISTS, sql, &stmt, err);

    *exists = false;
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "runs", "looking for a scan", scans_read, exists);
}

/*
 * Asks for the lock of a writer through a handle of its own, since the other one may be meant for
 * reading alone, and gives it back: nothing is written, and what waits in the -wal file stays
 * there.
 */
bool db_written_now(struct db_case *db)
{
    const struct timespec apart = { .tv_nsec = SCANS_APART_NS };
    sqlite3 *other = NULL;
    bool busy = false;

    if (db->access == DB_ACCESS_IMMUTABLE)
        return false;
    if (sqlite3_open_v2(db->path, &other, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
        sqlite3_db_config(other, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK)
        for (int i = 0; i < SCANS_LOOKS && !busy; i++) {
            const int rc = sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL);

            busy = (rc & 0xff) == SQLITE_BUSY;
            if (rc == SQLITE_OK)
                sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
            if (rc != SQLITE_OK && !busy)
                break;
            if (!busy)
                nanosleep(&apart, NULL);
        }
    sqlite3_close(other);
    return busy;
}
