/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_page.h - one b-tree page of an SQLite database: its header and its
 * cells. Source: SQLite's file format, 1.6.
 *
 * `head` is where the page's b-tree header begins: 100 on page 1, else 0. `usable` is the page's
 * size without what is reserved at its end.
 */
#ifndef BURIN_SIGNATURES_DATABASE_SQLITE_PAGE_H
#define BURIN_SIGNATURES_DATABASE_SQLITE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { /* the first byte of the header */
       SQLITE_INDEX_INTERIOR = 2,
       SQLITE_TABLE_INTERIOR = 5,
       SQLITE_INDEX_LEAF = 10,
       SQLITE_TABLE_LEAF = 13,
};

struct sqlite_cell {
    int64_t row;              /* tables: the row's number, or the largest one below the child */
    uint32_t child;           /* interior pages */
    uint64_t payload;         /* bytes */
    uint32_t local_at, local; /* the part of it on this page */
    uint32_t size;            /* bytes of the cell */
    uint32_t overflow;        /* first page of the rest; 0: there is none */
};

static inline bool sqlite_is_leaf(uint32_t kind)
{
    return kind >= SQLITE_INDEX_LEAF;
}

static inline bool sqlite_is_table(uint32_t kind)
{
    return kind == SQLITE_TABLE_LEAF || kind == SQLITE_TABLE_INTERIOR;
}

/*
 * A number of 1 to 9 bytes, 7 bits each but for the last; *at moves behind it. Bytes from `end` on
 * count as zeros, so that *at is at most end + 9.
 */
uint64_t sqlite_varint(const uint8_t *page, uint32_t end, uint32_t *at);

/* Is this the header of a b-tree page? Reads 8 bytes. */
bool sqlite_page_sane(const uint8_t *page, uint32_t head, uint32_t usable);

/* The cell of this index on a page whose header is sane. False: it does not lie inside of the page.
 */
bool sqlite_cell(uint32_t usable, const uint8_t *page, uint32_t head, uint32_t index,
                 struct sqlite_cell *out);

/*
 * Is a page, whose header is sane and whose cells take cells_size bytes together, filled with them,
 * free blocks and fragments from the start of its content to its end, and with nothing else?
 */
bool sqlite_page_full(const uint8_t *page, uint32_t head, uint32_t usable, uint64_t cells_size);

/* The same for a page whose cells have not been read yet; and are its children, if it has any,
 * numbered up to child_max? */
bool sqlite_cells_full(uint32_t usable, const uint8_t *page, uint32_t head, uint32_t child_max);

#endif
