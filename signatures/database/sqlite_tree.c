/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_tree.c - see sqlite_tree.h.
 *
 *   page 1: header | b-tree of the schema: a row (type, name, table, root page, SQL) for every
 * table and index tree: interior pages (table 5, index 2) -> leaf pages (table 13, index 10); cells
 * that do not fit -> chains of overflow pages
 *
 * What is proven: every page that another one names is of the right kind, its cells lie inside of
 * it, row numbers rise through the whole table, and overflow chains have just the length that their
 * cell needs. A page that was moved, or is not this database's, fails one of them. The order of an
 * index's keys depends on collations and is not looked at.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/database/sqlite_page.h"
#include "signatures/database/sqlite_tree.h"
#include "signatures/lib/step.h"

enum {
    DEPTH_MAX = 24, /* levels of a tree; SQLite itself stops at 20 */
    ROW_MAX = 4096, /* bytes of a row of the schema that are read to find its root page */
};

struct tree_frame {
    uint32_t number; /* of the page */
    uint32_t next;   /* the child to go to next */
};

static void tree_bad(struct sqlite_db *db, uint32_t number)
{
    db->bad = true;
    if (number < SQLITE_SEEN_MAX)
        db->seen[number / 8] &= (uint8_t) ~(1u << number % 8);
}

/* Notes that a page is in use. False: it was already, or more are than there can be. */
static bool tree_use(struct sqlite_db *db, uint32_t number)
{
    if (sqlite_seen(db, number) || db->used >= db->most)
        return false;
    if (number < SQLITE_SEEN_MAX)
        db->seen[number / 8] |= (uint8_t)(1u << number % 8);
    db->used++;
    return true;
}

/* The first len bytes of a page. NULL: db->wait, or there is no such page. */
static const uint8_t *tree_page(struct sqlite_db *db, uint32_t number, uint32_t len)
{
    if (number == 0 || number > db->most)
        return NULL;
    if (number > db->largest)
        db->largest = number;
    const uint8_t *page = sig_bytes(db->in, (uint64_t)(number - 1) * db->page_size, len);
    db->wait = page == NULL;
    return page;
}

/* The chain of overflow pages of a cell: as many as the rest of its payload needs, and no more. */
static enum step tree_overflow(struct sqlite_db *db, const struct sqlite_cell *cell)
{
    const uint32_t each = db->usable - 4;
    uint64_t left = (cell->payload - cell->local + each - 1) / each;
    uint32_t number = cell->overflow;

    while (number != 0 && left > 0) {
        const uint8_t *page = tree_page(db, number, 4);

        if (page == NULL && db->wait)
            return STEP_WAIT;
        const uint32_t next = page == NULL ? 0 : bytes_u32be(page);
        left--;
        if (page == NULL || (next == 0) != (left == 0) || !tree_use(db, number)) {
            tree_bad(db, number);
            return STEP_BAD;
        }
        number = next;
    }
    return STEP_DONE;
}

/* The serial type of each column, and from these where a row of the schema keeps its root page.
 * *root 0: it has none. */
static bool schema_root(const uint8_t *row, uint32_t len, uint32_t *root, bool *known)
{
    static const uint8_t sizes[10] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
    uint32_t at = 0;
    uint64_t types[5] = { 0 }, body[5];
    const uint64_t head = sqlite_varint(row, len, &at);

    *root = 0;
    for (int i = 0; i < 5 && at < head && at < len; i++)
        types[i] = sqlite_varint(row, len, &at);
    body[0] = head;
    for (int i = 1; i < 5; i++)
        body[i] = sig_add(body[i - 1], types[i - 1] >= 12  ? (types[i - 1] - 12) / 2
                                       : types[i - 1] < 10 ? sizes[types[i - 1]]
                                                           : 0);
    *known = head <= len && body[3] <= len && types[3] < 10 && sizes[types[3]] <= len - body[3];
    if (head < 6 || head > 64 || types[0] < 13 || types[0] % 2 == 0 || types[3] >= 10)
        return false;
    /* "table", "index", "view" or "trigger", in UTF-8 or UTF-16 */
    const uint64_t text = (types[0] - 13) / 2;
    if (text != 4 && text != 5 && text != 7 && text != 8 && text != 10 && text != 14)
        return false;
    if (!*known)
        return true;
    if (types[3] == 9)
        *root = 1;
    else if (types[3] < 7)
        for (uint32_t i = 0; i < sizes[types[3]]; i++)
            *root = *root << 8 | row[body[3] + i];
    return true;
}

bool sqlite_schema_sane(const uint8_t *page, uint32_t usable, uint32_t pages)
{
    const uint32_t cells = bytes_u16be(page + 103);

    if (!sqlite_page_sane(page, 100, usable) || !sqlite_is_table(page[100]))
        return false;
    for (uint32_t i = 0; i < cells; i++) {
        struct sqlite_cell cell;
        uint32_t root;
        bool known;

        if (!sqlite_cell(usable, page, 100, i, &cell))
            return false;
        if (page[100] == SQLITE_TABLE_LEAF &&
            !schema_root(page + cell.local_at, cell.local, &root, &known))
            return false;
    }
    return sqlite_cells_full(usable, page, 100, pages != 0 ? pages : UINT32_MAX);
}

/* Reads as much of a row of the schema as is needed. */
static enum step schema_row(struct sqlite_db *db, const uint8_t *page,
                            const struct sqlite_cell *cell, uint8_t row[ROW_MAX], uint32_t *len)
{
    uint32_t number = cell->overflow;

    *len = cell->local < ROW_MAX ? cell->local : ROW_MAX;
    memcpy(row, page + cell->local_at, *len);
    while (number != 0 && *len < ROW_MAX && *len < cell->payload) {
        uint32_t part = db->usable - 4;

        if (part > ROW_MAX - *len)
            part = ROW_MAX - *len;
        page = tree_page(db, number, part + 4);
        if (page == NULL)
            return db->wait ? STEP_WAIT : STEP_BAD;
        memcpy(row + *len, page + 4, part);
        number = bytes_u32be(page);
        *len += part;
    }
    if (*len > cell->payload)
        *len = (uint32_t)cell->payload;
    return STEP_DONE;
}

static enum step tree_walk(struct sqlite_db *db, uint32_t root, bool schema);

/* A row of the schema: follows the tree that it names. */
static enum step schema_cell(struct sqlite_db *db, const uint8_t *page,
                             const struct sqlite_cell *cell)
{
    uint8_t row[ROW_MAX];
    uint32_t len, root;
    bool known;
    const enum step read = schema_row(db, page, cell, row, &len);

    if (read != STEP_DONE)
        return read;
    if (!schema_root(row, len, &root, &known))
        return STEP_BAD;
    db->partial = db->partial || !known;
    if (root == 0)
        return STEP_DONE;
    return tree_walk(db, root, false) == STEP_WAIT ? STEP_WAIT : STEP_DONE;
}

/* All cells of a leaf, in order. */
static enum step tree_leaf(struct sqlite_db *db, uint32_t number, bool schema, int64_t *last,
                           bool *any)
{
    const uint32_t head = number == 1 ? 100 : 0;
    const uint8_t *page = tree_page(db, number, db->page_size);

    if (page == NULL)
        return STEP_WAIT;
    const uint32_t cells = bytes_u16be(page + head + 3);
    const bool table = sqlite_is_table(page[head]);
    uint64_t size = 0;
    for (uint32_t i = 0; i < cells; i++) {
        struct sqlite_cell cell;

        if (!sqlite_cell(db->usable, page, head, i, &cell) || (table && *any && cell.row <= *last))
            return STEP_BAD;
        *last = cell.row;
        *any = true;
        size += cell.size;
        if (schema) {
            const enum step row = schema_cell(db, page, &cell);

            if (row != STEP_DONE)
                return row;
        }
        if (cell.overflow != 0 && tree_overflow(db, &cell) == STEP_WAIT)
            return STEP_WAIT;
        if ((schema || cell.overflow != 0) && (page = tree_page(db, number, db->page_size)) == NULL)
            return STEP_WAIT;
    }
    return sqlite_page_full(page, head, db->usable, size) ? STEP_DONE : STEP_BAD;
}

/* One step on an interior page: the cell before the next child, and that child's number; *child 0:
 * all have been visited. */
static enum step tree_interior(struct sqlite_db *db, struct tree_frame *frame, const uint8_t *page,
                               int64_t *last, bool *any, uint32_t *child)
{
    const uint32_t head = frame->number == 1 ? 100 : 0, cells = bytes_u16be(page + head + 3),
                   at = frame->next++;
    const bool table = sqlite_is_table(page[head]);
    struct sqlite_cell cell;

    *child = 0;
    if (at > 0 && at <= cells && table) { /* every row below the child before is at most this */
        if (!sqlite_cell(db->usable, page, head, at - 1, &cell) || (*any && cell.row < *last))
            return STEP_BAD;
        *last = cell.row;
        *any = true;
    }
    if (at > cells)
        return STEP_DONE;
    if (at == cells) {
        *child = bytes_u32be(page + head + 8);
        return *child == 0 ? STEP_BAD : STEP_DONE;
    }
    if (!sqlite_cell(db->usable, page, head, at, &cell) || cell.child == 0)
        return STEP_BAD;
    *child = cell.child;
    return cell.overflow != 0 && tree_overflow(db, &cell) == STEP_WAIT ? STEP_WAIT : STEP_DONE;
}

static enum step tree_walk(struct sqlite_db *db, uint32_t root, bool schema)
{
    struct tree_frame frames[DEPTH_MAX] = { { root, 0 } };
    uint32_t depth = 1, kind = 0, followed = 0;
    int64_t last = 0;
    bool any = false;

    while (depth > 0) {
        struct tree_frame *frame = &frames[depth - 1];
        const uint32_t number = frame->number, head = number == 1 ? 100 : 0;
        const uint8_t *page = tree_page(db, number, db->page_size);
        uint32_t child = 0;
        enum step step = STEP_DONE;

        if (page == NULL && db->wait)
            return STEP_WAIT;
        if (page == NULL || (number == 1 && !schema))
            step = STEP_BAD;
        if (step == STEP_DONE && frame->next == 0) {
            kind = kind == 0 ? page[head] : kind;
            followed++;
            if (!tree_use(db, number) || !sqlite_page_sane(page, head, db->usable) ||
                sqlite_is_table(page[head]) != sqlite_is_table(kind) ||
                (!sqlite_is_leaf(page[head]) &&
                 !sqlite_cells_full(db->usable, page, head, UINT32_MAX)))
                step = STEP_BAD;
        }
        if (step == STEP_DONE && sqlite_is_leaf(page[head]))
            step = tree_leaf(db, number, schema, &last, &any);
        else if (step == STEP_DONE)
            step = tree_interior(db, frame, page, &last, &any, &child);
        if (step == STEP_WAIT)
            return STEP_WAIT;
        if (step == STEP_BAD)
            tree_bad(db, number);
        if (child == 0) {
            depth--;
        } else if (db->tree_budget != 0 && followed >= db->tree_budget) {
            db->partial = true;
            depth = 0;
        } else if (depth < DEPTH_MAX) {
            frames[depth++] = (struct tree_frame){ child, 0 };
        } else {
            tree_bad(db, number);
            depth = 0;
        }
    }
    return STEP_DONE;
}

/* Trunk pages: next trunk | number of leaves | their page numbers. The leaves hold whatever they
 * held when they became free. */
static enum step tree_freelist(struct sqlite_db *db)
{
    uint32_t number = db->freelist_at, left = db->freelist_pages;

    while (number != 0) {
        const uint8_t *page = tree_page(db, number, db->page_size);

        if (page == NULL && db->wait)
            return STEP_WAIT;
        const uint32_t leaves = page == NULL ? UINT32_MAX : bytes_u32be(page + 4);
        if (leaves > db->usable / 4 - 2 || left < leaves + 1) {
            tree_bad(db, number);
            return STEP_BAD;
        }
        bool right = tree_use(db, number);
        for (uint32_t i = 0; i < leaves && right; i++) {
            const uint32_t leaf = bytes_u32be(page + 8 + 4 * (size_t)i);

            right = leaf >= 2 && leaf <= db->most && tree_use(db, leaf);
            if (right && leaf > db->largest)
                db->largest = leaf;
            if (right && leaf < SQLITE_SEEN_MAX)
                db->idle[leaf / 8] |= (uint8_t)(1u << leaf % 8);
        }
        if (!right) {
            tree_bad(db, number);
            return STEP_BAD;
        }
        left -= leaves + 1;
        number = bytes_u32be(page);
    }
    db->bad = db->bad || left != 0;
    return STEP_DONE;
}

bool sqlite_follow(struct sqlite_db *db)
{
    return tree_walk(db, 1, true) != STEP_WAIT && tree_freelist(db) != STEP_WAIT;
}
