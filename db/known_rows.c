/* SPDX-License-Identifier: Apache-2.0
 * db/known_rows.c - the tables known_sets, known_objects and known_blocks. */
#include "db/bind.h"
#include "db/references.h"
#include "db/row.h"

static enum err_code known_add_set(struct db_case *db, const struct db_known_set *set, int64_t *id,
                                   struct err *err)
{
    static const char sql[] =
        "INSERT INTO known_sets (run_id, path, label, verdict, hash, block, hashes, sha256) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_KNOWN_SET_ADD, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, set->run_id);
    bind_text(&bind, "the path of a hash set", set->path, DB_NAME_MAX);
    bind_text(&bind, "the label of a hash set", set->label, DB_REASON_MAX);
    bind_text(&bind, "the verdict of a hash set", set->verdict, DB_WORD_MAX);
    bind_text(&bind, "the hash of a hash set", set->hash, DB_WORD_MAX);
    bind_int(&bind, set->block);
    bind_size(&bind, "the hashes of a hash set", set->hashes);
    bind_sha256(&bind, "the sha256 of a hash set", set->sha256);
    rc = bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a hash set", err) : bind.rc;
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return rc;
}

enum err_code db_known_set_add(struct db_case *db, const struct db_known_set *set, int64_t *id,
                               struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, known_add_set(db, set, id, err), err) : rc;
}

struct known_sets_walk {
    db_known_set_fn each;
    void *arg;
    int64_t run_id;
};

static enum err_code known_read_set(void *arg, struct row *row)
{
    const struct known_sets_walk *walk = arg;
    struct db_known_set set = { .run_id = walk->run_id };
    const int64_t id = row_id(row, "id");

    set.path = row_text(row, "path", DB_NAME_MAX);
    set.label = row_text(row, "label", DB_REASON_MAX);
    set.verdict = row_text(row, "verdict", DB_WORD_MAX);
    set.hash = row_text(row, "hash", DB_WORD_MAX);
    set.block = (uint32_t)row_int(row, "block", 0, UINT32_MAX);
    set.hashes = row_size(row, "hashes");
    set.sha256 = row_text(row, "sha256", DB_SHA256_HEX);
    return row->rc == ERR_OK ? walk->each(walk->arg, id, &set, row->err) : row->rc;
}

enum err_code db_known_sets_walk(struct db_case *db, int64_t run_id, db_known_set_fn each,
                                 void *arg, struct err *err)
{
    static const char sql[] = "SELECT id, path, label, verdict, hash, block, hashes, sha256 FROM "
                              "known_sets WHERE run_id = ? ORDER BY id";
    struct known_sets_walk walk = { each, arg, run_id };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_KNOWN_SETS, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    return row_each(&bind, "known_sets", "reading hash sets", known_read_set, &walk);
}

static enum err_code known_add_object(struct db_case *db, int64_t object_id, int64_t set_id,
                                      const char *digest, const char *name, struct err *err)
{
    static const char sql[] = "INSERT OR REPLACE INTO known_objects (object_id, set_id, digest, "
                              "name) VALUES (?, ?, ?, ?)";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_KNOWN_OBJECT_ADD, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, object_id);
    bind_int(&bind, set_id);
    bind_text(&bind, "the hash of an object", digest, DB_WORD_MAX);
    bind_text_or_null(&bind, "the name of a known hash", name, DB_NAME_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a known object", err) : bind.rc;
}

enum err_code db_known_object_add(struct db_case *db, int64_t object_id, int64_t set_id,
                                  const char *digest, const char *name, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK
               ? db_atom_end(db, own, known_add_object(db, object_id, set_id, digest, name, err),
                             err)
               : rc;
}

static enum err_code known_put_run(struct db_case *db, const struct db_known_run *run,
                                   struct err *err)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO known_blocks (image_id, offset, set_id, len, digest, name, source) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *stmt;
    enum err_code rc = db_refer(db, DB_PARENT_IMAGE, run->image_id, err);

    if (rc == ERR_OK)
        rc = db_refer(db, DB_PARENT_SET, run->set_id, err);
    if (rc == ERR_OK)
        rc = db_prepare(db, DB_KNOWN_RUN_PUT, sql, &stmt, err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run->image_id);
    bind_size(&bind, "the offset of known blocks", run->offset);
    bind_int(&bind, run->set_id);
    bind_size(&bind, "the length of known blocks", run->len);
    bind_text(&bind, "the hash of a known block", run->digest, DB_WORD_MAX);
    bind_text_or_null(&bind, "the name of a known hash", run->name, DB_NAME_MAX);
    bind_size(&bind, "the place of a known block in its file", run->source);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding known blocks", err) : bind.rc;
}

enum err_code db_known_run_put(struct db_case *db, const struct db_known_run *run, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, known_put_run(db, run, err), err) : rc;
}

struct known_runs_walk {
    db_known_run_fn each;
    void *arg;
};

static enum err_code known_read_run(void *arg, struct row *row)
{
    const struct known_runs_walk *walk = arg;
    struct db_known_run run = { .image_id = row_id(row, "image_id") };

    run.offset = row_size(row, "offset");
    run.set_id = row_int(row, "set_id", 1, INT64_MAX);
    run.len = row_size(row, "len");
    run.digest = row_text(row, "digest", DB_WORD_MAX);
    run.name = row_text_or_null(row, "name", DB_NAME_MAX);
    run.source = row_size(row, "source");
    const char *path = row_text(row, "path", DB_NAME_MAX);
    return row->rc == ERR_OK ? walk->each(walk->arg, &run, path, row->err) : row->rc;
}

enum err_code db_known_runs_walk(struct db_case *db, db_known_run_fn each, void *arg,
                                 struct err *err)
{
    static const char sql[] =
        "SELECT b.image_id, b.offset, b.set_id, b.len, b.digest, b.name, b.source, s.path FROM "
        "known_blocks b JOIN known_sets s ON s.id = b.set_id ORDER BY 1, 2, 3";
    struct known_runs_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_KNOWN_BLOCKS, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(db, stmt, err);
    return row_each(&bind, "known_blocks", "reading known blocks", known_read_run, &walk);
}
