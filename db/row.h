/* SPDX-License-Identifier: Apache-2.0
 * db/row.h - reads the columns of a row from left to right and believes none of them: types, ranges
 * and lengths are checked. The first column that cannot be makes the whole row fail (ERR_INPUT,
 * naming table, row and column); ask once, at the end. Until then the functions give 0 or "".
 *
 * row_each is the walk over all rows that a statement gives.
 */
#ifndef BURIN_DB_ROW_H
#define BURIN_DB_ROW_H

#include "db/bind.h"

struct row {
    struct db_case *db;
    sqlite3_stmt *stmt;
    const char *table;
    int64_t id; /* for the error text; row_id sets it */
    struct err *err;
    int at; /* columns read so far */
    enum err_code rc;
};

static inline struct row row_init(struct db_case *db, sqlite3_stmt *stmt, const char *table,
                                  struct err *err)
{
    return (struct row){ .db = db, .stmt = stmt, .table = table, .err = err };
}

int64_t row_int(struct row *row, const char *column, int64_t min, int64_t max);
int64_t row_id(struct row *row, const char *column); /* 1 and up; names the row in later errors */
int64_t row_id_or_null(struct row *row, const char *column);                /* NULL: 0 */
uint64_t row_size(struct row *row, const char *column);                     /* 0 .. 2^63 - 1 */
uint64_t row_size_or_null(struct row *row, const char *column);             /* NULL: UINT64_MAX */
int64_t row_time_or_null(struct row *row, const char *column);              /* NULL: DB_NO_TIME */
bool row_crc64_or_null(struct row *row, const char *column, uint64_t *out); /* NULL: false */

/* Until the next step of the statement. Longer than max bytes, or with a NUL in it, is an error. */
const char *row_text(struct row *row, const char *column, size_t max);
const char *row_text_or_null(struct row *row, const char *column, size_t max); /* NULL: NULL */

/* The same, copied into arena. */
const char *row_copy(struct row *row, const char *column, size_t max, struct arena *arena);
const char *row_copy_or_null(struct row *row, const char *column, size_t max, struct arena *arena);

/* ERR_INPUT for this row. */
void row_damaged(struct row *row, const char *column, const char *why);

/* Reads one row; what it gives ends the walk unless it is ERR_OK. */
typedef enum err_code (*row_fn)(void *arg, struct row *row);
/*
 * Steps a filled statement to its end, handing each row of table to read, and resets it; doing is
 * for the error text. A binding that failed is an error here.
 */
ERR_MUST_CHECK enum err_code row_each(const struct bind *bind, const char *table, const char *doing,
                                      row_fn read, void *arg);

/* The answer of a filled statement SELECT EXISTS (...), of rows of table; and resets it. */
ERR_MUST_CHECK enum err_code row_exists(const struct bind *bind, const char *table,
                                        const char *doing, bool *exists);

bool row_is_sha256(const char *text); /* 64 hex digits */
/* A relative path without "", "." and ".." between its slashes and without control characters. */
bool row_is_safe_name(const char *text);

#endif
