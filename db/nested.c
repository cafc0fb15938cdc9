/* SPDX-License-Identifier: Apache-2.0
 * db/nested.c - writes the tables nested and contents: what later stages say of objects, beside
 * what their validators said, so that it can be done again.
 */
#include "db/bind.h"
#include "db/feed.h"
#include "db/linked_nested.h"
#include "db/references.h"

/* Cursors that stand in the table look again. */
static void nested_wrote(const struct db_case *db)
{
    if (db->linked != NULL)
        db->linked->nested_writes++;
}

static enum err_code nested_run(struct db_case *db, enum db_statement which, const char *sql,
                                int64_t image_id, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, which, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return db_run_to_end(db, stmt, "forgetting what lies in what", err);
}

/* The hash of what was left of an object goes with the cut. */
static enum err_code nested_clear(struct db_case *db, int64_t image_id, struct err *err)
{
    static const char hashes[] =
        "DELETE FROM contents WHERE object_id IN (SELECT n.object_id FROM main.nested n JOIN "
        "objects o ON o.id = n.object_id WHERE n.len IS NOT NULL AND o.image_id = ?)";
    static const char all[] =
        "DELETE FROM main.nested WHERE (SELECT image_id FROM objects WHERE id = object_id) = ?";
    enum err_code rc = nested_run(db, DB_NESTED_CLEAR_HASHES, hashes, image_id, err);

    if (rc == ERR_OK)
        rc = nested_run(db, DB_NESTED_CLEAR, all, image_id, err);
    nested_wrote(db);
    return rc == ERR_OK ? linked_pairs_clear(db, image_id, err) : rc;
}

enum err_code db_nested_clear(struct db_case *db, int64_t image_id, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, nested_clear(db, image_id, err), err) : rc;
}

/* The hash of what an object had been before it was cut says nothing of it any more. */
enum err_code db_contents_forget(struct db_case *db, int64_t id, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_CONTENT_FORGET, "DELETE FROM contents WHERE object_id = ?", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, id);
    return db_run_to_end(db, stmt, "forgetting the hash of an object", err);
}

static enum err_code nested_check(struct db_case *db, const struct db_nested *row, struct err *err)
{
    enum err_code rc = db_refer(db, DB_PARENT_OBJECT, row->id, err);

    if (rc == ERR_OK && row->parent_id != 0)
        rc = db_refer(db, DB_PARENT_OBJECT, row->parent_id, err);
    if (rc == ERR_OK && row->state != NULL)
        rc = db_check_text(db, "the state of an object", row->state, DB_WORD_MAX, err);
    if (rc == ERR_OK && row->reason != NULL)
        rc = db_check_text(db, "the reason of an object", row->reason, DB_REASON_MAX, err);
    return rc == ERR_OK && row->cut ? db_check_size(db, "the length of an object", row->len, err)
                                    : rc;
}

/* Nearly all rows say in what an object lies, and no more: SQLite need not ask for the rest. */
static enum err_code nested_add(struct db_case *db, const struct db_nested *rows, uint32_t count,
                                struct err *err)
{
    static const char all[] =
        "INSERT OR FAIL INTO main.nested (object_id, parent_id, state, len, reason, crc64) "
        "SELECT object_id, parent_id, state, len, reason, crc64 FROM temp.feed_nested";
    static const char parents[] = "INSERT OR FAIL INTO main.nested (object_id, parent_id) "
                                  "SELECT object_id, parent_id FROM temp.feed_nested";
    bool only = true;

    for (uint32_t i = 0; i < count; i++)
        only = only && rows[i].state == NULL && rows[i].reason == NULL && !rows[i].cut;
    nested_wrote(db);
    return count > 0
               ? feed_run(db, only ? DB_NESTED_ADD_PARENTS : DB_NESTED_ADD, only ? parents : all,
                          FEED_NESTED, rows, count, "storing what lies in what", err)
               : ERR_OK;
}

/* Where objects stay in shards, pairs do not become rows of their own. */
static enum err_code nested_add_rest(struct db_case *db, const struct db_nested *rows,
                                     uint32_t count, struct linked_pairs *pairs, struct err *err)
{
    enum err_code rc = ERR_OK;
    uint32_t from = 0; /* the first row that nobody has yet */

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        if (linked_pairs_take(pairs, &rows[i])) {
            rc = nested_add(db, rows + from, i - from, err);
            from = i + 1;
        }
    return rc == ERR_OK ? nested_add(db, rows + from, count - from, err) : rc;
}

enum err_code db_nested_add(struct db_case *db, const struct db_nested *row, struct err *err)
{
    const enum err_code rc = nested_check(db, row, err);

    return rc == ERR_OK ? nested_add(db, row, 1, err) : rc;
}

static enum err_code nested_insert(struct db_case *db, const struct db_nested *rows, uint32_t count,
                                   struct err *err)
{
    struct linked_pairs pairs = { 0 };
    enum err_code rc = linked_pairs_last(db, &pairs.last, err);

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = nested_check(db, &rows[i], err);
    if (rc == ERR_OK)
        rc = nested_add_rest(db, rows, count, &pairs, err);
    if (rc == ERR_OK)
        rc = linked_pairs_store(db, &pairs, err);
    pack_release(&pairs.pack);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        if (rows[i].cut)
            rc = db_contents_forget(db, rows[i].id, err);
    return rc;
}

enum err_code db_nested_insert(struct db_case *db, const struct db_nested *rows, uint32_t count,
                               struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, nested_insert(db, rows, count, err), err) : rc;
}

enum err_code db_contents_put(struct db_case *db, int64_t id, int known, const char *sha256,
                              struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_CONTENT_PUT,
                   "INSERT INTO contents (object_id, sha256, known) VALUES (?1, ?2, max(?3, 0)) "
                   "ON CONFLICT (object_id) DO UPDATE SET sha256 = coalesce(?2, sha256), "
                   "known = iif(?3 < 0, known, ?3)",
                   &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, id);
    if (sha256 != NULL)
        bind_sha256(&bind, "the sha256 of an object", sha256);
    else
        bind_text_or_null(&bind, "the sha256 of an object", NULL, 0);
    bind_int(&bind, known);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "storing the hash of an object", err)
                             : bind.rc;
}

enum err_code db_object_set_sha256(struct db_case *db, int64_t id, const char *sha256,
                                   struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, db_contents_put(db, id, -1, sha256, err), err) : rc;
}

enum err_code db_object_set_known(struct db_case *db, int64_t id, enum db_known known,
                                  const char *sha256, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK
               ? db_atom_end(db, own, db_contents_put(db, id, (int)known, sha256, err), err)
               : rc;
}
