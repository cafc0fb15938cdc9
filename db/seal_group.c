/* SPDX-License-Identifier: Apache-2.0
 * db/seal_group.c - see seal_group.h. */
#include "db/seal_group.h"

#include <stdlib.h>
#include <string.h>

#include "db/bind.h"

enum { SEAL_NUMBER = 9 /* bytes of a number with its letter */ };

enum err_code seal_hash_failed(struct err *err)
{
    return ERR_RAISE(err, ERR_ENV,
                     "computing a SHA-256 failed; look at the installation of OpenSSL");
}

void seal_put_number(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

enum err_code seal_group_open(struct seal_group *group, struct err *err)
{
    *group =
        (struct seal_group){ .hash = EVP_MD_CTX_new(), .bytes = malloc((size_t)SEAL_GROUP_BUFFER) };
    return group->hash != NULL && group->bytes != NULL
               ? ERR_OK
               : ERR_NO_MEMORY(err, (size_t)SEAL_GROUP_BUFFER);
}

void seal_group_close(struct seal_group *group)
{
    EVP_MD_CTX_free(group->hash);
    free(group->bytes);
    *group = (struct seal_group){ 0 };
}

enum err_code seal_group_begin(struct seal_group *group, struct err *err)
{
    group->len = 0;
    return EVP_DigestInit_ex(group->hash, EVP_sha256(), NULL) == 1 ? ERR_OK : seal_hash_failed(err);
}

static enum err_code group_flush(struct seal_group *group, struct err *err)
{
    const size_t len = group->len;

    group->len = 0;
    return EVP_DigestUpdate(group->hash, group->bytes, len) == 1 ? ERR_OK : seal_hash_failed(err);
}

/* Makes room for so few bytes. */
static inline enum err_code group_room(struct seal_group *group, size_t len, struct err *err)
{
    return len > SEAL_GROUP_BUFFER - group->len ? group_flush(group, err) : ERR_OK;
}

static inline enum err_code group_word(struct seal_group *group, char word, struct err *err)
{
    const enum err_code rc = group_room(group, 1, err);

    if (rc == ERR_OK)
        group->bytes[group->len++] = (uint8_t)word;
    return rc;
}

static inline enum err_code group_number(struct seal_group *group, char kind, uint64_t value,
                                         struct err *err)
{
    const enum err_code rc = group_room(group, SEAL_NUMBER, err);

    if (rc != ERR_OK)
        return rc;
    group->bytes[group->len] = (uint8_t)kind;
    seal_put_number(group->bytes + group->len + 1, value);
    group->len += SEAL_NUMBER;
    return ERR_OK;
}

/* Those that do not fit are hashed where they stand. */
static enum err_code group_bytes(struct seal_group *group, const void *bytes, size_t len,
                                 struct err *err)
{
    enum err_code rc = group_room(group, len, err);

    if (rc != ERR_OK || bytes == NULL || len == 0)
        return rc;
    if (len > SEAL_GROUP_BUFFER)
        return EVP_DigestUpdate(group->hash, bytes, len) == 1 ? ERR_OK : seal_hash_failed(err);
    memcpy(group->bytes + group->len, bytes, len);
    group->len += len;
    return rc;
}

static enum err_code group_value(struct seal_group *group, struct db_case *db, sqlite3_stmt *stmt,
                                 int column, struct err *err)
{
    sqlite3_value *const value = sqlite3_column_value(stmt, column);
    const int type = sqlite3_value_type(value);

    if (type == SQLITE_NULL)
        return group_word(group, 'N', err);
    if (type == SQLITE_INTEGER)
        return group_number(group, 'I', (uint64_t)sqlite3_value_int64(value), err);
    if (type == SQLITE_FLOAT)
        return db_damaged(db, err, "a value of column %s is neither a number nor a text",
                          sqlite3_column_name(stmt, column));
    /* A blob is the bytes of a text as they stand. */
    const void *bytes = sqlite3_value_blob(value);
    const size_t len = (size_t)sqlite3_value_bytes(value);

    if (bytes == NULL && len > 0)
        return DB_FAIL(db, err, "reading all rows");
    const enum err_code rc = group_number(group, type == SQLITE_TEXT ? 'T' : 'B', len, err);
    return rc == ERR_OK ? group_bytes(group, bytes, len, err) : rc;
}

enum err_code seal_group_row(struct seal_group *group, struct db_case *db, sqlite3_stmt *stmt,
                             struct err *err)
{
    const int columns = sqlite3_column_count(stmt);
    enum err_code rc = group_word(group, 'R', err);

    for (int i = 0; rc == ERR_OK && i < columns; i++)
        rc = group_value(group, db, stmt, i, err);
    return rc;
}

enum err_code seal_group_numbers(struct seal_group *group, const int64_t *columns, uint32_t count,
                                 struct err *err)
{
    enum err_code rc = group_word(group, 'R', err);

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = group_number(group, 'I', (uint64_t)columns[i], err);
    return rc;
}

enum err_code seal_group_end(struct seal_group *group, uint8_t digest[SEAL_SHA256], struct err *err)
{
    unsigned len = 0;
    const enum err_code rc = group_flush(group, err);

    if (rc != ERR_OK)
        return rc;
    return EVP_DigestFinal_ex(group->hash, digest, &len) == 1 && len == SEAL_SHA256
               ? ERR_OK
               : seal_hash_failed(err);
}
