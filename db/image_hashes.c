/* SPDX-License-Identifier: Apache-2.0
 * db/image_hashes.c - the tables image_facts and image_hashes. */
#include <string.h>

#include "db/bind.h"
#include "db/row.h"

static enum err_code image_hashes_add_fact(struct db_case *db, int64_t image_id, const char *name,
                                           const char *value, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_FACT_ADD, "INSERT OR REPLACE INTO image_facts VALUES (?, ?, ?)", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    bind_text(&bind, "the name of a fact of an image", name, DB_WORD_MAX);
    bind_text(&bind, "a fact of an image", value, DB_NAME_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a fact of an image", err) : bind.rc;
}

enum err_code db_image_fact_add(struct db_case *db, int64_t image_id, const char *name,
                                const char *value, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK
               ? db_atom_end(db, own, image_hashes_add_fact(db, image_id, name, value, err), err)
               : rc;
}

struct image_hashes_walk {
    db_image_fact_fn fact;
    db_image_hash_fn hash;
    void *arg;
};

static enum err_code image_hashes_read_fact(void *arg, struct row *row)
{
    const struct image_hashes_walk *walk = arg;
    const char *name = row_text(row, "name", DB_WORD_MAX);
    const char *value = row_text(row, "value", DB_NAME_MAX);

    return row->rc == ERR_OK ? walk->fact(walk->arg, name, value, row->err) : row->rc;
}

enum err_code db_image_facts(struct db_case *db, int64_t image_id, db_image_fact_fn each, void *arg,
                             struct err *err)
{
    struct image_hashes_walk walk = { .fact = each, .arg = arg };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_FACTS, "SELECT name, value FROM image_facts WHERE image_id = ? ORDER BY name", &stmt,
        err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "image_facts", "reading the facts of an image", image_hashes_read_fact,
                    &walk);
}

static enum err_code image_hashes_add(struct db_case *db, const struct db_image_hash *hash,
                                      struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_HASH_ADD, "INSERT OR REPLACE INTO image_hashes VALUES (?, ?, ?, ?, ?, ?)",
                   &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, hash->image_id);
    bind_int(&bind, hash->run_id);
    bind_text(&bind, "the kind of a hash of an image", hash->kind, DB_WORD_MAX);
    bind_text(&bind, "a hash of an image", hash->digest, DB_SHA256_HEX);
    bind_size(&bind, "the bytes of a hash of an image", hash->bytes);
    bind_size(&bind, "the bytes filled of a hash of an image", hash->filled);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a hash of an image", err) : bind.rc;
}

enum err_code db_image_hash_add(struct db_case *db, const struct db_image_hash *hash,
                                struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, image_hashes_add(db, hash, err), err) : rc;
}

static enum err_code image_hashes_read(void *arg, struct row *row)
{
    const struct image_hashes_walk *walk = arg;
    struct db_image_hash hash = { 0 };

    hash.image_id = row_id(row, "image_id");
    hash.run_id = row_int(row, "run_id", 1, INT64_MAX);
    hash.kind = row_text(row, "kind", DB_WORD_MAX);
    hash.digest = row_text(row, "digest", DB_SHA256_HEX);
    hash.bytes = row_size(row, "bytes");
    hash.filled = row_size(row, "filled");
    if (row->rc == ERR_OK && hash.digest[strspn(hash.digest, "0123456789abcdef")] != '\0')
        row_damaged(row, "digest", "not hex digits");
    return row->rc == ERR_OK ? walk->hash(walk->arg, &hash, row->err) : row->rc;
}

enum err_code db_image_hashes(struct db_case *db, int64_t image_id, db_image_hash_fn each,
                              void *arg, struct err *err)
{
    struct image_hashes_walk walk = { .hash = each, .arg = arg };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_HASHES,
                                  "SELECT image_id, run_id, kind, digest, bytes, filled FROM "
                                  "image_hashes WHERE image_id = ? ORDER BY run_id, kind",
                                  &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    return row_each(&bind, "image_hashes", "reading the hashes of an image", image_hashes_read,
                    &walk);
}
