/* SPDX-License-Identifier: Apache-2.0
 * db/row.c - see row.h. */
#include <inttypes.h>
#include <string.h>

#include "db/row.h"

void row_damaged(struct row *row, const char *column, const char *why)
{
    if (row->rc == ERR_OK)
        row->rc = db_damaged(row->db, row->err, "table %s, row %" PRId64 ", column %s: %s",
                             row->table, row->id, column, why);
}

int64_t row_int(struct row *row, const char *column, int64_t min, int64_t max)
{
    const int at = row->at++;

    if (row->rc != ERR_OK)
        return 0;
    sqlite3_value *const found = sqlite3_column_value(row->stmt, at);
    if (sqlite3_value_type(found) != SQLITE_INTEGER) {
        row_damaged(row, column, "not an integer");
        return 0;
    }
    const int64_t value = sqlite3_value_int64(found);
    if (value < min || value > max) {
        row_damaged(row, column, value < 0 ? "negative" : "out of range");
        return 0;
    }
    return value;
}

int64_t row_id(struct row *row, const char *column)
{
    if (row->rc == ERR_OK)
        row->id = sqlite3_column_int64(row->stmt, row->at);
    return row_int(row, column, 1, INT64_MAX);
}

int64_t row_id_or_null(struct row *row, const char *column)
{
    if (row->rc == ERR_OK && sqlite3_column_type(row->stmt, row->at) == SQLITE_NULL) {
        row->at++;
        return 0;
    }
    return row_int(row, column, 1, INT64_MAX);
}

uint64_t row_size(struct row *row, const char *column)
{
    return (uint64_t)row_int(row, column, 0, INT64_MAX);
}

uint64_t row_size_or_null(struct row *row, const char *column)
{
    if (row->rc == ERR_OK && sqlite3_column_type(row->stmt, row->at) == SQLITE_NULL) {
        row->at++;
        return UINT64_MAX;
    }
    return row_size(row, column);
}

int64_t row_time_or_null(struct row *row, const char *column)
{
    if (row->rc == ERR_OK && sqlite3_column_type(row->stmt, row->at) == SQLITE_NULL) {
        row->at++;
        return DB_NO_TIME;
    }
    return row_int(row, column, INT64_MIN, INT64_MAX);
}

bool row_crc64_or_null(struct row *row, const char *column, uint64_t *out)
{
    const bool there = row->rc == ERR_OK && sqlite3_column_type(row->stmt, row->at) != SQLITE_NULL;

    if (there)
        *out = (uint64_t)row_int(row, column, INT64_MIN, INT64_MAX);
    else
        row->at++;
    return there && row->rc == ERR_OK;
}

const char *row_text(struct row *row, const char *column, size_t max)
{
    const int at = row->at++;

    if (row->rc != ERR_OK)
        return "";
    sqlite3_value *const found = sqlite3_column_value(row->stmt, at);
    if (sqlite3_value_type(found) != SQLITE_TEXT) {
        row_damaged(row, column, "not a text");
        return "";
    }
    const char *text = (const char *)sqlite3_value_text(found);
    const size_t len = (size_t)sqlite3_value_bytes(found);
    if (text == NULL) {
        row->rc = DB_FAIL(row->db, row->err, "reading a text");
        return "";
    }
    if (len > max || memchr(text, '\0', len) != NULL) {
        row_damaged(row, column, len > max ? "too long" : "a NUL in a text");
        return "";
    }
    return text;
}

const char *row_text_or_null(struct row *row, const char *column, size_t max)
{
    if (row->rc == ERR_OK && sqlite3_column_type(row->stmt, row->at) == SQLITE_NULL) {
        row->at++;
        return NULL;
    }
    return row_text(row, column, max);
}

static const char *row_keep(struct row *row, const char *text, struct arena *arena)
{
    if (text == NULL || row->rc != ERR_OK)
        return text;
    const char *copy = arena_copy(arena, text, strlen(text));
    if (copy == NULL) {
        row->rc = ERR_NO_MEMORY(row->err, strlen(text));
        return "";
    }
    return copy;
}

const char *row_copy(struct row *row, const char *column, size_t max, struct arena *arena)
{
    return row_keep(row, row_text(row, column, max), arena);
}

const char *row_copy_or_null(struct row *row, const char *column, size_t max, struct arena *arena)
{
    return row_keep(row, row_text_or_null(row, column, max), arena);
}

enum err_code row_each(const struct bind *bind, const char *table, const char *doing, row_fn read,
                       void *arg)
{
    bool found = true;
    enum err_code rc = bind->rc;

    while (rc == ERR_OK && found) {
        rc = db_step(bind->db, bind->stmt, &found, doing, bind->err);
        if (rc == ERR_OK && found) {
            struct row row = row_init(bind->db, bind->stmt, table, bind->err);

            rc = read(arg, &row);
        }
    }
    sqlite3_reset(bind->stmt);
    return rc;
}

static enum err_code row_read_exists(void *arg, struct row *row)
{
    bool *exists = arg;

    *exists = row_int(row, "EXISTS", 0, 1) == 1;
    return row->rc;
}

enum err_code row_exists(const struct bind *bind, const char *table, const char *doing,
                         bool *exists)
{
    *exists = false;
    return row_each(bind, table, doing, row_read_exists, exists);
}

bool row_is_sha256(const char *text)
{
    return strlen(text) == DB_SHA256_HEX && strspn(text, "0123456789abcdefABCDEF") == DB_SHA256_HEX;
}

bool row_is_safe_name(const char *text)
{
    for (const char *at = text;; at++) {
        const size_t len = strcspn(at, "/");

        if (len == 0 || (len == 1 && at[0] == '.') || (len == 2 && at[0] == '.' && at[1] == '.'))
            return false;
        for (size_t i = 0; i < len; i++)
            if ((unsigned char)at[i] < 0x20 || at[i] == 0x7f)
                return false;
        at += len;
        if (*at == '\0')
            return true;
    }
}
