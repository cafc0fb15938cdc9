/* SPDX-License-Identifier: Apache-2.0
 * db/seal.c - one hash over all rows of all tables but the log.
 *
 * It is the SHA-256 of, for each table in the order of their names: its name with a NUL; each row
 * in the order of its primary key, as 'R' and its columns in their order; and 'E'. A column is 'N'
 * for NULL, 'I' and 8 bytes for a number, or 'T' (text) or 'B' (blob), 8 bytes for its length, and
 * its bytes. Numbers and lengths are little-endian. So no two contents have the same encoding, and
 * it depends on nothing that VACUUM or a write-ahead log change.
 */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "db/bind.h"
#include "db/row.h"

enum {
    SEAL_BUFFER = 256 * 1024,
    SEAL_LOOK = 4096,  /* rows between two questions whether to stop */
    SEAL_SQL_MAX = 128 /* bytes */
};

static const struct {
    const char *name, *key;
} seal_tables[] = {
    { "about", "key" },
    { "assembled", "object_id" },
    { "bad_ranges", "id" },
    { "contents", "object_id" },
    { "extents", "object_id, number" },
    { "facts", "object_id, key" },
    { "findings", "run_id, number" },
    { "found_in", "object_id" },
    { "hits", "id" },
    { "image_facts", "image_id, name" },
    { "image_hashes", "image_id, run_id, kind" },
    { "image_parts", "image_id, number" },
    { "image_samples", "image_id, offset" },
    { "images", "id" },
    { "joins", "object_id, number" },
    { "known_blocks", "image_id, offset, set_id" },
    { "known_objects", "object_id, set_id" },
    { "known_sets", "id" },
    { "nested", "object_id" },
    { "objects", "id" },
    { "outputs", "id" },
    { "parts", "run_id, offset" },
    { "pieces", "object_id, number" },
    { "resume", "run_id" },
    { "runs", "id" },
    { "scanned", "run_id, offset" },
    { "signatures", "id" },
    { "tree_leaves", "image_id, run_id, number" },
    { "triage", "run_id, sweep, volume" },
    { "triage_found", "run_id, number" },
    { "volumes", "run_id, number" },
};

struct seal {
    struct db_case *db;
    EVP_MD_CTX *hash;
    bool (*stop)(void *arg);
    void *arg;
    uint64_t rows;
    size_t len;
    uint8_t buffer[SEAL_BUFFER];
};

static enum err_code seal_failed(struct err *err)
{
    return ERR_RAISE(err, ERR_ENV,
                     "computing a SHA-256 failed; look at the installation of OpenSSL");
}

static enum err_code seal_flush(struct seal *seal, struct err *err)
{
    const size_t len = seal->len;

    seal->len = 0;
    return EVP_DigestUpdate(seal->hash, seal->buffer, len) == 1 ? ERR_OK : seal_failed(err);
}

static enum err_code seal_add(struct seal *seal, const void *bytes, size_t len, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (len > sizeof seal->buffer - seal->len)
        rc = seal_flush(seal, err);
    if (rc == ERR_OK && len > sizeof seal->buffer)
        return EVP_DigestUpdate(seal->hash, bytes, len) == 1 ? ERR_OK : seal_failed(err);
    if (rc != ERR_OK || len == 0)
        return rc;
    memcpy(seal->buffer + seal->len, bytes, len);
    seal->len += len;
    return ERR_OK;
}

/* Makes room for so few bytes. */
static inline enum err_code seal_room(struct seal *seal, size_t len, struct err *err)
{
    return len > sizeof seal->buffer - seal->len ? seal_flush(seal, err) : ERR_OK;
}

static inline enum err_code seal_number(struct seal *seal, char kind, uint64_t value,
                                        struct err *err)
{
    const enum err_code rc = seal_room(seal, 9, err);
    uint8_t *to = seal->buffer + seal->len;

    if (rc != ERR_OK)
        return rc;
    *to++ = (uint8_t)kind;
    for (int i = 0; i < 8; i++)
        *to++ = (uint8_t)(value >> 8 * i);
    seal->len += 9;
    return ERR_OK;
}

static inline enum err_code seal_word(struct seal *seal, char word, struct err *err)
{
    const enum err_code rc = seal_room(seal, 1, err);

    if (rc == ERR_OK)
        seal->buffer[seal->len++] = (uint8_t)word;
    return rc;
}

static enum err_code seal_value(struct seal *seal, sqlite3_stmt *stmt, int column, struct err *err)
{
    sqlite3_value *const value = sqlite3_column_value(stmt, column);
    const int type = sqlite3_value_type(value);

    if (type == SQLITE_NULL)
        return seal_word(seal, 'N', err);
    if (type == SQLITE_INTEGER)
        return seal_number(seal, 'I', (uint64_t)sqlite3_value_int64(value), err);
    if (type == SQLITE_FLOAT)
        return db_damaged(seal->db, err, "a value of column %s is neither a number nor a text",
                          sqlite3_column_name(stmt, column));
    /* A blob is the bytes of a text as they stand. */
    const void *bytes = sqlite3_value_blob(value);
    const size_t len = (size_t)sqlite3_value_bytes(value);

    if (bytes == NULL && len > 0)
        return DB_FAIL(seal->db, err, "reading all rows");
    const enum err_code rc = seal_number(seal, type == SQLITE_TEXT ? 'T' : 'B', len, err);
    return rc == ERR_OK ? seal_add(seal, bytes, len, err) : rc;
}

static enum err_code seal_row(struct seal *seal, sqlite3_stmt *stmt, int columns, struct err *err)
{
    enum err_code rc = seal_word(seal, 'R', err);

    for (int i = 0; rc == ERR_OK && i < columns; i++)
        rc = seal_value(seal, stmt, i, err);
    if (rc == ERR_OK && ++seal->rows % SEAL_LOOK == 0 && seal->stop != NULL &&
        seal->stop(seal->arg))
        rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    return rc;
}

static enum err_code seal_table(struct seal *seal, const char *name, const char *key,
                                struct err *err)
{
    char sql[SEAL_SQL_MAX];
    sqlite3_stmt *stmt = NULL;
    bool found = true;

    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY %s", name, key);
    enum err_code rc = seal_add(seal, name, strlen(name) + 1, err);
    if (rc == ERR_OK)
        rc = db_prepare_once(seal->db, sql, &stmt, err);
    while (rc == ERR_OK && found) {
        rc = db_step(seal->db, stmt, &found, "reading all rows", err);
        if (rc == ERR_OK && found)
            rc = seal_row(seal, stmt, sqlite3_column_count(stmt), err);
    }
    sqlite3_finalize(stmt);
    return rc == ERR_OK ? seal_word(seal, 'E', err) : rc;
}

static enum err_code seal_walk(struct seal *seal, struct db_seal *out, struct err *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    enum err_code rc =
        EVP_DigestInit_ex(seal->hash, EVP_sha256(), NULL) == 1 ? ERR_OK : seal_failed(err);

    for (size_t i = 0; rc == ERR_OK && i < sizeof seal_tables / sizeof seal_tables[0]; i++)
        rc = seal_table(seal, seal_tables[i].name, seal_tables[i].key, err);
    if (rc == ERR_OK)
        rc = seal_flush(seal, err);
    if (rc == ERR_OK &&
        (EVP_DigestFinal_ex(seal->hash, digest, &len) != 1 || 2 * len != DB_SHA256_HEX))
        rc = seal_failed(err);
    if (rc != ERR_OK)
        return rc;
    hex_bytes(digest, len, out->sha256);
    out->sha256[DB_SHA256_HEX] = '\0';
    out->rows = seal->rows;
    return ERR_OK;
}

enum err_code db_seal(struct db_case *db, bool (*stop)(void *arg), void *arg, struct db_seal *out,
                      struct err *err)
{
    const bool own = !db->in_transaction; /* one state of the file */
    struct seal *seal = calloc(1, sizeof *seal);
    enum err_code rc = ERR_OK;

    *out = (struct db_seal){ 0 };
    if (seal == NULL)
        return ERR_NO_MEMORY(err, sizeof *seal);
    seal->db = db;
    seal->stop = stop;
    seal->arg = arg;
    seal->hash = EVP_MD_CTX_new();
    if (seal->hash == NULL)
        rc = ERR_NO_MEMORY(err, sizeof *seal);
    if (rc == ERR_OK && own)
        rc = db_snapshot_begin(db, err);
    if (rc == ERR_OK) {
        rc = seal_walk(seal, out, err);
        if (own)
            db_snapshot_end(db);
    }
    EVP_MD_CTX_free(seal->hash);
    free(seal);
    return rc;
}
