/* SPDX-License-Identifier: Apache-2.0
 * db/transaction.c - whole or not at all: the caller's transactions, and the atoms that each
 * writing call is.
 */
#include <assert.h>
#include <sys/stat.h>

#include "db/linked.h"
#include "db/patterns.h"
#include "db/references.h"

static enum err_code transaction_do(struct db_case *db, enum db_statement which, const char *sql,
                                    const char *doing, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, which, sql, &stmt, err);

    return rc == ERR_OK ? db_run_to_end(db, stmt, doing, err) : rc;
}

/* SQLite itself has rolled back where it could not go on; else we do. */
static void transaction_rollback(struct db_case *db)
{
    if (sqlite3_get_autocommit(db->sqlite) == 0)
        (void)!transaction_do(db, DB_ROLLBACK, "ROLLBACK", "undoing a transaction", NULL);
    db->bad.image_id = 0;
    patterns_forget(db);
    db_seal_ahead_give(db, NULL); /* it may know of hits that are not there now */
    if (db->linked != NULL) {
        db->linked->stale = true;
        db->linked->nested_writes++;
    }
    db_refer_again(db);
}

/* What is written to a file that has lost its name is lost. */
static enum err_code transaction_check_place(const struct db_case *db, struct err *err)
{
    struct stat st;

    if (db->lock == NULL ||
        (stat(db->path, &st) == 0 && st.st_dev == db->device && st.st_ino == db->inode))
        return ERR_OK;
    return ERR_RAISE(
        err, ERR_ENV,
        "%s: another program has removed, moved or replaced the case file while it was being "
        "written: what was found since is lost; do it again",
        db->path);
}

static enum err_code transaction_commit(struct db_case *db, struct err *err)
{
    enum err_code rc = transaction_check_place(db, err);

    if (rc == ERR_OK)
        rc = transaction_do(db, DB_COMMIT, "COMMIT", "ending a transaction", err);
    if (rc != ERR_OK)
        transaction_rollback(db);
    return rc;
}

enum err_code db_begin(struct db_case *db, struct err *err)
{
    assert(!db->in_transaction);
    const enum err_code rc =
        transaction_do(db, DB_BEGIN, "BEGIN IMMEDIATE", "beginning a transaction", err);

    db->in_transaction = rc == ERR_OK;
    db->changes = sqlite3_total_changes64(db->sqlite);
    db->failed = rc != ERR_OK;
    return rc;
}

/* What follows a lost write could only be half of something. */
static enum err_code transaction_refuse(struct db_case *db, struct err *err)
{
    return ERR_RAISE(err, ERR_ENV,
                     "%s: nothing more is written, because a write before this one failed",
                     db->path);
}

enum err_code db_commit(struct db_case *db, struct err *err)
{
    enum err_code rc;

    assert(db->in_transaction || db->failed);
    if (db->failed) {
        if (db->in_transaction)
            transaction_rollback(db);
        rc = transaction_refuse(db, err);
    } else {
        rc = transaction_commit(db, err);
    }
    db->in_transaction = false;
    db->failed = rc != ERR_OK;
    return rc;
}

void db_rollback(struct db_case *db)
{
    transaction_rollback(db);
    db->in_transaction = db->failed = false;
}

enum err_code db_snapshot_begin(struct db_case *db, struct err *err)
{
    assert(!db->in_transaction);
    return transaction_do(db, DB_SNAPSHOT, "BEGIN DEFERRED", "beginning to read", err);
}

void db_snapshot_end(struct db_case *db)
{
    (void)!transaction_do(db, DB_SNAPSHOT_END, "COMMIT", "ending to read", NULL);
}

void db_checkpoint(struct db_case *db)
{
    assert(!db->in_transaction);
    (void)sqlite3_wal_checkpoint_v2(db->sqlite, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

enum err_code db_atom_begin(struct db_case *db, bool *own, struct err *err)
{
    *own = false;
    if (db->failed)
        return transaction_refuse(db, err);
    *own = !db->in_transaction;
    return *own ? transaction_do(db, DB_BEGIN, "BEGIN IMMEDIATE", "beginning a transaction", err)
                : ERR_OK;
}

enum err_code db_atom_end(struct db_case *db, bool own, enum err_code rc, struct err *err)
{
    if (own && rc == ERR_OK)
        return transaction_commit(db, err);
    if (own)
        transaction_rollback(db);
    else if (rc != ERR_OK)
        db->failed = true;
    return rc;
}
