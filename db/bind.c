/* SPDX-License-Identifier: Apache-2.0
 * db/bind.c - see bind.h. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "db/bind.h"
#include "db/row.h"

static void bind_done(struct bind *bind, int sqlite_rc)
{
    if (sqlite_rc != SQLITE_OK)
        bind->rc = DB_FAIL(bind->db, bind->err, "binding a value");
}

void bind_int(struct bind *bind, int64_t value)
{
    if (bind->rc == ERR_OK)
        bind_done(bind, sqlite3_bind_int64(bind->stmt, ++bind->at, value));
}

void bind_id_or_null(struct bind *bind, int64_t id)
{
    if (id != 0)
        bind_int(bind, id);
    else
        bind->at++;
}

void bind_time_or_null(struct bind *bind, int64_t time)
{
    if (time != DB_NO_TIME)
        bind_int(bind, time);
    else
        bind->at++;
}

enum err_code db_check_size(const struct db_case *db, const char *what, uint64_t value,
                            struct err *err)
{
    return value <= INT64_MAX
               ? ERR_OK
               : ERR_RAISE(err, ERR_INPUT,
                           "%s: %s is %" PRIu64
                           ", and a case file holds offsets and lengths below 2^63 only",
                           db->path, what, value);
}

void bind_size(struct bind *bind, const char *what, uint64_t value)
{
    if (bind->rc == ERR_OK)
        bind->rc = db_check_size(bind->db, what, value, bind->err);
    bind_int(bind, (int64_t)value);
}

static enum err_code bind_check_len(const struct db_case *db, const char *what, size_t len,
                                    size_t max, struct err *err)
{
    return len <= max ? ERR_OK
                      : ERR_RAISE(err, ERR_FULL,
                                  "%s: %s has %zu bytes, and a case file holds at most %zu there",
                                  db->path, what, len, max);
}

enum err_code db_check_text(const struct db_case *db, const char *what, const char *text,
                            size_t max, struct err *err)
{
    return bind_check_len(db, what, strlen(text), max, err);
}

void bind_text(struct bind *bind, const char *what, const char *text, size_t max)
{
    assert(text != NULL);
    const size_t len = strlen(text);

    if (bind->rc == ERR_OK)
        bind->rc = bind_check_len(bind->db, what, len, max, bind->err);
    if (bind->rc == ERR_OK)
        bind_done(bind, sqlite3_bind_text(bind->stmt, ++bind->at, text, (int)len, SQLITE_STATIC));
}

void bind_text_or_null(struct bind *bind, const char *what, const char *text, size_t max)
{
    if (text != NULL)
        bind_text(bind, what, text, max);
    else
        bind->at++;
}

void bind_sha256(struct bind *bind, const char *what, const char *text)
{
    if (bind->rc == ERR_OK && !row_is_sha256(text))
        bind->rc =
            ERR_RAISE(bind->err, ERR_INPUT, "%s: %s is not 64 hex digits", bind->db->path, what);
    bind_text(bind, what, text, DB_SHA256_HEX);
}

/* SQLite's integers are signed, and all 64 bits count. */
void bind_crc64(struct bind *bind, bool has, uint64_t crc64)
{
    int64_t value;

    memcpy(&value, &crc64, sizeof value);
    if (has)
        bind_int(bind, value);
    else
        bind_text_or_null(bind, "", NULL, 0);
}
