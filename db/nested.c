/*
 * db/nested.c - writes the tables nested and contents: what later stages say of objects, beside
 * what their validators said, so that it can be done again.
 */
#include "db/bind.h"
#include "db/connection.h"

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
        "DELETE FROM contents WHERE object_id IN (SELECT n.object_id FROM nested n JOIN "
        "objects o ON o.id = n.object_id WHERE n.len IS NOT NULL AND o.image_id = ?)";
    static const char all[] =
        "DELETE FROM nested WHERE (SELECT image_id FROM objects WHERE id = object_id) = ?";
    enum err_code rc = nested_run(db, DB_NESTED_CLEAR_HASHES, hashes, image_id, err);

    return rc == ERR_OK ? nested_run(db, DB_NESTED_CLEAR, all, image_id, err) : rc;
}

enum err_code db_nested_clear(struct db_case *db, int64_t image_id, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, nested_clear(db, image_id, err), err) : rc;
}

enum err_code db_nested_parent(struct db_case *db, int64_t id, int64_t parent_id, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_NESTED_PARENT,
                   "INSERT INTO nested (object_id, parent_id) VALUES (?, ?) ON CONFLICT "
                   "(object_id) DO UPDATE SET parent_id = excluded.parent_id",
                   &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, id);
    bind_id_or_null(&bind, parent_id);
    return db_run_to_end(db, stmt, "setting what an object lies in", err);
}

enum err_code db_object_set_parent(struct db_case *db, int64_t id, int64_t parent_id,
                                   struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, db_nested_parent(db, id, parent_id, err), err) : rc;
}

/* The hash of what an object had been before it was cut says nothing of it any more. */
static enum err_code nested_forget_content(struct db_case *db, int64_t id, struct err *err)
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

static enum err_code nested_cut(struct db_case *db, int64_t id, uint64_t len, const char *reason,
                                struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_NESTED_CUT,
        "INSERT INTO nested (object_id, state, len, reason) VALUES (?, 'truncated', ?, ?) "
        "ON CONFLICT (object_id) DO UPDATE SET state = excluded.state, len = excluded.len, "
        "reason = excluded.reason",
        &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, id);
    bind_size(&bind, "the length of an object", len);
    bind_text(&bind, "the reason of an object", reason, DB_REASON_MAX);
    rc = bind.rc == ERR_OK ? db_run_to_end(db, stmt, "cutting an object", err) : bind.rc;
    return rc == ERR_OK ? nested_forget_content(db, id, err) : rc;
}

enum err_code db_object_cut(struct db_case *db, int64_t id, uint64_t len, const char *reason,
                            struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, nested_cut(db, id, len, reason, err), err) : rc;
}

static enum err_code nested_crc64(struct db_case *db, int64_t id, uint64_t crc64, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_NESTED_CRC64, "UPDATE nested SET crc64 = ? WHERE object_id = ? AND len IS NOT NULL",
        &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_crc64(&bind, true, crc64);
    bind_int(&bind, id);
    return db_run_to_end(db, stmt, "storing the checksum of an object", err);
}

enum err_code db_object_cut_crc64(struct db_case *db, int64_t id, uint64_t crc64, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, nested_crc64(db, id, crc64, err), err) : rc;
}

static enum err_code nested_doubt(struct db_case *db, int64_t id, const char *reason,
                                  struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_NESTED_DOUBT,
        "INSERT INTO nested (object_id, state, reason) VALUES (?, 'truncated', ?) ON CONFLICT "
        "(object_id) DO UPDATE SET state = excluded.state, reason = excluded.reason",
        &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, id);
    bind_text(&bind, "the reason of an object", reason, DB_REASON_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "doubting an object", err) : bind.rc;
}

enum err_code db_object_doubt(struct db_case *db, int64_t id, const char *reason, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, nested_doubt(db, id, reason, err), err) : rc;
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
