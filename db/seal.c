/* SPDX-License-Identifier: Apache-2.0
 * db/seal.c - one hash over all rows of all tables but the log: the SHA-256 of the bytes that
 * seal_rows.c makes of them.
 *
 * Several threads read the rows, and hash them in groups, where nobody can write meanwhile: not
 * another program, by the transaction that the caller is in, and not the caller, who has written
 * nothing in it.
 */
#include <stdlib.h>

#include "base/hex.h"
#include "db/seal_readers.h"

_Static_assert((int)DB_SEAL_MANY >= (int)SEAL_IDS, "there is more than one range");

struct seal {
    struct db_case *db;
    EVP_MD_CTX *hash;
    bool (*stop)(void *arg);
    void *arg;
    uint64_t rows;
};

/* Takes the next bytes, which end so many rows. */
static enum err_code seal_hash(struct seal *seal, const uint8_t *bytes, size_t len, uint64_t rows,
                               struct err *err)
{
    seal->rows += rows;
    if (len > 0 && EVP_DigestUpdate(seal->hash, bytes, len) != 1)
        return seal_hash_failed(err);
    return seal->stop != NULL && seal->stop(seal->arg)
               ? ERR_RAISE(err, ERR_INTERRUPTED, "interrupted")
               : ERR_OK;
}

static enum err_code seal_take(struct seal_rows *rows, struct err *err)
{
    return seal_hash(rows->arg, rows->bytes, rows->len, rows->rows, err);
}

/* Reads all rows by the connection that the caller has. */
static enum err_code seal_alone(struct seal *seal, struct err *err)
{
    struct seal_rows rows = { .db = seal->db,
                              .ahead = seal->db->ahead,
                              .bytes = malloc(SEAL_BUFFER),
                              .take = seal_take,
                              .arg = seal };
    struct seal_range range = seal_range_first(false);
    bool more = true;
    enum err_code rc = rows.bytes != NULL ? ERR_OK : ERR_NO_MEMORY(err, (size_t)SEAL_BUFFER);

    if (rc == ERR_OK)
        rc = seal_rows_begin(&rows, err);
    for (; rc == ERR_OK && more; more = seal_range_next(&range, 0))
        rc = seal_rows_encode(&rows, &range, err);
    if (rc == ERR_OK)
        rc = seal_take(&rows, err);
    seal_rows_end(&rows);
    free(rows.bytes);
    return rc;
}

/* By threads that are ready, or by new ones. */
static enum err_code seal_by_readers(struct seal *seal, struct db_seal_readers *ready,
                                     uint32_t count, int64_t last_id, struct err *err)
{
    struct db_seal_readers *own = NULL;
    const uint8_t *bytes = NULL;
    uint64_t rows = 0;
    size_t len = 0;
    enum err_code rc = ERR_OK;

    if (ready == NULL)
        rc = db_seal_readers_open(seal->db->path, count, &own, err);
    if (rc != ERR_OK)
        return rc;
    ready = ready != NULL ? ready : own;
    seal_readers_begin(ready, last_id, seal->db->linked != NULL, seal->db->ahead);
    rc = seal_readers_next(ready, &bytes, &len, &rows, err);
    while (rc == ERR_OK && bytes != NULL) {
        rc = seal_hash(seal, bytes, len, rows, err);
        if (rc == ERR_OK)
            rc = seal_readers_next(ready, &bytes, &len, &rows, err);
    }
    db_seal_readers_close(own);
    return rc;
}

static enum err_code seal_walk(struct seal *seal, struct db_seal_readers *ready, uint32_t readers,
                               struct db_seal *out, struct err *err)
{
    struct db_case *db = seal->db;
    const bool still = db->in_transaction && db->path[0] == '/' &&
                       sqlite3_total_changes64(db->sqlite) == db->changes;
    uint8_t digest[EVP_MAX_MD_SIZE];
    int64_t last_id = 0;
    unsigned len = 0;
    enum err_code rc =
        EVP_DigestInit_ex(seal->hash, EVP_sha256(), NULL) == 1 ? ERR_OK : seal_hash_failed(err);

    if (rc == ERR_OK && still && readers > 1)
        rc = db_hit_last_id(db, &last_id, err);
    const int64_t hits = last_id - (int64_t)seal_ahead_rows(db->ahead); /* to be read */
    const bool folds = ready != NULL && seal_readers_count(ready) == 0;
    if (rc == ERR_OK && folds)
        seal_readers_begin(ready, last_id, db->linked != NULL, db->ahead);
    if (folds)
        ready = NULL;
    if (rc == ERR_OK)
        rc = hits >= DB_SEAL_MANY || (ready != NULL && last_id >= DB_SEAL_MANY)
                 ? seal_by_readers(seal, ready, readers, last_id, err)
                 : seal_alone(seal, err);
    if (rc == ERR_OK &&
        (EVP_DigestFinal_ex(seal->hash, digest, &len) != 1 || 2 * len != DB_SHA256_HEX))
        rc = seal_hash_failed(err);
    if (rc != ERR_OK)
        return rc;
    hex_bytes(digest, len, out->sha256);
    out->sha256[DB_SHA256_HEX] = '\0';
    out->rows = seal->rows;
    return ERR_OK;
}

enum err_code db_seal(struct db_case *db, struct db_seal_readers *ready, uint32_t readers,
                      bool (*stop)(void *arg), void *arg, struct db_seal *out, struct err *err)
{
    const bool own = !db->in_transaction; /* one state of the file */
    struct seal seal = { .db = db, .stop = stop, .arg = arg, .hash = EVP_MD_CTX_new() };
    enum err_code rc = seal.hash != NULL ? ERR_OK : ERR_NO_MEMORY(err, sizeof seal);

    *out = (struct db_seal){ 0 };
    if (rc == ERR_OK && own)
        rc = db_snapshot_begin(db, err);
    if (rc == ERR_OK) {
        rc = seal_walk(&seal, ready, readers, out, err);
        if (own)
            db_snapshot_end(db);
    }
    EVP_MD_CTX_free(seal.hash);
    return rc;
}
