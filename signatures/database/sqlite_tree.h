/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_tree.h - the b-trees of an SQLite database, followed page by page from
 * its schema.
 */
#ifndef BURIN_SIGNATURES_DATABASE_SQLITE_TREE_H
#define BURIN_SIGNATURES_DATABASE_SQLITE_TREE_H

#include "signatures/sig.h"

enum {
    SQLITE_SEEN_MAX = 1 << 17
}; /* pages of which is remembered that they are right: all of 64 MiB, however small they are */

struct sqlite_db {
    struct sig_input *in;
    uint32_t page_size,
        usable;    /* bytes; usable is without what is reserved at the end of each page */
    uint32_t most; /* pages that may be: of the header, or those that the range has room for */
    uint32_t freelist_at, freelist_pages;
    uint32_t tree_budget; /* pages of one tree that are followed; 0: all */
    /* found */
    bool wait;        /* a page is not there yet: return sig_short(in) */
    bool partial;     /* a budget cut something off, or a table's place could not be read */
    uint32_t largest; /* largest number of a page that is in use */
    bool bad;         /* some page is not what it should be */
    uint64_t used;    /* pages of trees, their overflow pages and the free list */
    uint8_t seen[SQLITE_SEEN_MAX / 8]; /* … one bit each */
    uint8_t
        idle[SQLITE_SEEN_MAX / 8]; /* … and those of them that are free, and may hold anything */
};

/* Does page 1, all of it, hold the schema of a database of so many pages (0: unknown)? No other
 * page is looked at. */
bool sqlite_schema_sane(const uint8_t *page, uint32_t usable, uint32_t pages);

/* Has this page been met in a tree or on the free list, and was right? */
static inline bool sqlite_seen(const struct sqlite_db *db, uint32_t number)
{
    return number < SQLITE_SEEN_MAX && (db->seen[number / 8] >> number % 8 & 1) != 0;
}

/* Is this page free? Then nothing tells whether it is right. */
static inline bool sqlite_idle(const struct sqlite_db *db, uint32_t number)
{
    return number < SQLITE_SEEN_MAX && (db->idle[number / 8] >> number % 8 & 1) != 0;
}

/* Follows every tree and the free list. False: a page is not there yet. */
bool sqlite_follow(struct sqlite_db *db);

#endif
