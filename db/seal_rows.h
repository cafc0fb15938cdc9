/* SPDX-License-Identifier: Apache-2.0
 * db/seal_rows.h - rows of a case file as the bytes that its seal is the hash of: see seal_rows.c.
 */
#ifndef BURIN_DB_SEAL_ROWS_H
#define BURIN_DB_SEAL_ROWS_H

#include "db/seal_ahead.h"

enum {
    SEAL_BUFFER = 4096,        /* a hundred groups: so often somebody looks whether to stop */
    SEAL_IDS = 4096,           /* ids of hits in a group; a range has one of them, at least, */
    SEAL_SPARSE = 32,          /* or so many where most hits stay in shards, */
    SEAL_RANGES_MAX = 1 << 16, /* so that a table has no more ranges than that */
    SEAL_TABLES_MAX = 48
};

/* Groups of rows that are read together: of one table, all or those of a range of hits. */
struct seal_range {
    uint32_t table;        /* its place in the order of the seal */
    int64_t first_id, end; /* hits from .. to before; only where the table has them in ranges */
    bool begins, ends;     /* the table */
    bool sparse;           /* most hits have no row in the file */
};

/* Encodes groups of rows. One thread uses it, which owns db. */
struct seal_rows {
    struct db_case *db;
    const struct db_seal_ahead *ahead; /* of hits that need not be read; or NULL */
    uint8_t *bytes; /* [SEAL_BUFFER]: the first len of them are encoded, and not taken yet */
    size_t len;
    uint64_t rows; /* that bytes[len] end */
    /* Takes bytes[len] and rows, and leaves room for others. Its error ends the walk. */
    enum err_code (*take)(struct seal_rows *rows, struct err *err);
    void *arg;
    struct seal_group group;              /* under way */
    int64_t number;                       /* of it */
    sqlite3_stmt *stmts[SEAL_TABLES_MAX]; /* [table]; NULL: not needed so far */
};

/*
 * The first range of all, and the next one; false: there is none. last_id: the highest one of hits,
 * by which tables are cut into ranges, or 0: each is one range.
 */
struct seal_range seal_range_first(bool sparse);
bool seal_range_next(struct seal_range *range, int64_t last_id);

/* The caller has set db, bytes, take and arg, and ends it in any case. Errors: ERR_ENV, no memory.
 */
ERR_MUST_CHECK enum err_code seal_rows_begin(struct seal_rows *rows, struct err *err);
/* Compiles what reads the tables in ranges, before it is needed. Errors: those of the case file. */
ERR_MUST_CHECK enum err_code seal_rows_prepare(struct seal_rows *rows, struct err *err);
/* Encodes a range; what is not taken by then stays in the buffer. Errors: those of the case file;
 * those of seal_group.h; what take returned. */
ERR_MUST_CHECK enum err_code seal_rows_encode(struct seal_rows *rows,
                                              const struct seal_range *range, struct err *err);
void seal_rows_end(struct seal_rows *rows);

#endif
