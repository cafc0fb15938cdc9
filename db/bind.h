/* SPDX-License-Identifier: Apache-2.0
 * db/bind.h - fills the parameters of a statement from left to right. The first value that cannot
 * be stored makes the whole binding fail; ask once, at the end. Texts must live until the statement
 * has been stepped.
 */
#ifndef BURIN_DB_BIND_H
#define BURIN_DB_BIND_H

#include "db/connection.h"

struct bind {
    struct db_case *db;
    sqlite3_stmt *stmt;
    struct err *err;
    int at; /* parameters bound so far */
    enum err_code rc;
};

static inline struct bind bind_init(struct db_case *db, sqlite3_stmt *stmt, struct err *err)
{
    return (struct bind){ .db = db, .stmt = stmt, .err = err };
}

void bind_int(struct bind *bind, int64_t value);
void bind_id_or_null(struct bind *bind, int64_t id);     /* 0: NULL */
void bind_time_or_null(struct bind *bind, int64_t time); /* DB_NO_TIME: NULL */
/* what: the name for the error text. Values of 2^63 and more are ERR_INPUT: SQLite's integers are
 * signed. */
void bind_size(struct bind *bind, const char *what, uint64_t value);
/* Texts longer than max bytes are ERR_FULL. */
void bind_text(struct bind *bind, const char *what, const char *text, size_t max);
void bind_text_or_null(struct bind *bind, const char *what, const char *text, size_t max);
void bind_crc64(struct bind *bind, bool has, uint64_t crc64); /* has false: NULL */
/* The same rules for values that are not bound: ERR_INPUT and ERR_FULL. */
ERR_MUST_CHECK enum err_code db_check_size(const struct db_case *db, const char *what,
                                           uint64_t value, struct err *err);
ERR_MUST_CHECK enum err_code db_check_text(const struct db_case *db, const char *what,
                                           const char *text, size_t max, struct err *err);
/* 64 hex digits. */
void bind_sha256(struct bind *bind, const char *what, const char *text);

#endif
