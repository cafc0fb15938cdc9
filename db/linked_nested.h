/* SPDX-License-Identifier: Apache-2.0
 * db/linked_nested.h - in which object each one lies, where objects stay in shards: a row of the
 * table linked_nested has hundreds of such pairs. Not for other folders.
 *
 *   a pair alone, by ascending ids ──► linked_pairs ──► table linked_nested ─┐
 *   a row that says more, or comes late ──────────────► main.nested ─────────┴─► TEMP table nested
 *
 * The column pairs has for each of them, as base/pack.h writes numbers, how far the id of the
 * object is from that of the pair before (the first one: from 0), and twice how far that of its
 * parent is from its own, with 1 more where it is behind it.
 */
#ifndef BURIN_DB_LINKED_NESTED_H
#define BURIN_DB_LINKED_NESTED_H

#include "base/pack.h"
#include "db/linked.h"

enum { LINKED_PAIRS_LEN = 1 << 16 }; /* most bytes of a row's pairs */

/* Pairs on their way into one row; zeroed but for last there are none. */
struct linked_pairs {
    int64_t last; /* id of the last object that has one, here or in the table */
    int64_t from; /* id of the last one here; 0: there is none */
    struct pack pack;
};

/* The id of the last object that a pair of the table tells of; INT64_MAX: the case file does
 * not have its rows so. */
ERR_MUST_CHECK enum err_code linked_pairs_last(struct db_case *db, int64_t *last, struct err *err);
/* False: the row says more than a pair, its id is not behind the last one, or there is no room:
 * main.nested has to have it. */
bool linked_pairs_take(struct linked_pairs *pairs, const struct db_nested *row);
/* Part of an atom. Stores them as a row, if there are any. pack is the caller's to release. */
ERR_MUST_CHECK enum err_code linked_pairs_store(struct db_case *db,
                                                const struct linked_pairs *pairs, struct err *err);
/* Part of an atom. Forgets those of an image. */
ERR_MUST_CHECK enum err_code linked_pairs_clear(struct db_case *db, int64_t image_id,
                                                struct err *err);

/* Makes the TEMP table nested. */
ERR_MUST_CHECK enum err_code linked_nested_make(struct linked *linked, struct err *err);

#endif
