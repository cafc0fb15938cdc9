/* SPDX-License-Identifier: Apache-2.0
 * db/linked_vtab.h - what the virtual tables of linked shards have in common: they are SQLite's
 * (https://www.sqlite.org/vtab.html), and the first column of each is an id. Not for other folders.
 */
#ifndef BURIN_DB_LINKED_VTAB_H
#define BURIN_DB_LINKED_VTAB_H

#include "db/linked.h"

struct linked_vtab {
    sqlite3_vtab base;
    struct linked *linked;
    int rows; /* what they are, where a module has several tables */
};

/* xConnect of a table with such columns, and xDisconnect. */
int linked_vtab_connect(sqlite3 *sqlite, struct linked *linked, const char *columns, int rows,
                        sqlite3_vtab **out);
int linked_vtab_disconnect(sqlite3_vtab *base);

/*
 * In xBestIndex: has SQLite give the bounds of ids that are asked for, the lower one first; which
 * there are stands in idxNum. SQLite itself looks at all conditions, too. True: one id is asked
 * for.
 */
enum { LINKED_FROM = 1, LINKED_TO = 2 };
bool linked_vtab_bounds(sqlite3_index_info *info);
/* In xFilter, of that idxNum: the ids from .. to are asked for; none where to < from. */
void linked_vtab_range(int plan, int argc, sqlite3_value **argv, int64_t *from, int64_t *to);

/* What failed while SQLite asked for a row, which takes only a text, is kept for db_fail. */
int linked_vtab_failed(struct linked *linked, enum err_code rc, const struct err *err);

#endif
