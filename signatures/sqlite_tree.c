/*
 * signatures/sqlite_tree.c - see sqlite_tree.h.
 *
 *   page 1: header | b-tree of the schema: a row (type, name, table, root page, SQL) for every table and index
 *   tree: interior pages (table 5, index 2) -> leaf pages (table 13, index 10); cells that do not fit -> chains of overflow pages
 *
 * What is proven: every page that another one names is of the right kind, its cells lie inside of it, row numbers rise through the
 * whole table, and overflow chains have just the length that their cell needs. A page that was moved, or is not this database's,
 * fails one of them. The order of an index's keys depends on collations and is not looked at.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sqlite_tree.h"

enum {
    INDEX_INTERIOR = 2,
    TABLE_INTERIOR = 5,
    INDEX_LEAF = 10,
    TABLE_LEAF = 13,
    DEPTH_MAX = 24,         /* levels of a tree; SQLite itself stops at 20 */
    FRAGMENTS_MAX = 60,     /* bytes in fragments on one page */
    ROW_MAX = 4096,         /* bytes of a row of the schema that are read to find its root page */
    VARINT_MAX = 9,
    CELL_MIN = 4,           /* a cell takes at least so many bytes */
};

enum tree { TREE_OK, TREE_BAD, TREE_WAIT };

struct tree_cell {
    int64_t  row;            /* tables: the row's number, or the largest one below the child */
    uint32_t child;          /* interior pages */
    uint64_t payload;        /* bytes */
    uint32_t local_at, local; /* the part of it on this page */
    uint32_t size;           /* bytes of the cell */
    uint32_t overflow;       /* first page of the rest; 0: there is none */
};

struct tree_frame {
    uint32_t number; /* of the page */
    uint32_t next;   /* the child to go to next */
};

static bool tree_is_leaf(uint32_t kind)
{
    return kind >= INDEX_LEAF;
}

static bool tree_is_table(uint32_t kind)
{
    return kind == TABLE_LEAF || kind == TABLE_INTERIOR;
}

static void tree_bad(struct sqlite_db *db, uint32_t number)
{
    db->bad = true;
    if (number < SQLITE_SEEN_MAX)
        db->seen[number / 8] &= (uint8_t)~(1u << number % 8);
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

/* A number of 1 to 9 bytes, 7 bits each but for the last; *at moves behind it, never beyond end + 9. */
static uint64_t tree_varint(const uint8_t *page, uint32_t end, uint32_t *at)
{
    uint64_t value = 0;

    if (*at < end && page[*at] < 0x80) /* nearly all of them */
        return page[(*at)++];
    for (uint32_t i = 0; i < VARINT_MAX; i++) {
        const uint8_t byte = *at < end ? page[*at] : 0;

        (*at)++;
        if (i == VARINT_MAX - 1)
            return value << 8 | byte;
        value = value << 7 | (byte & 0x7f);
        if (byte < 0x80)
            break;
    }
    return value;
}

bool sqlite_page_sane(const uint8_t *page, uint32_t at, uint32_t usable)
{
    const uint8_t *head = page + at;
    const uint32_t kind = head[0], cells = bytes_u16be(head + 3), free_at = bytes_u16be(head + 1);
    const uint32_t content = bytes_u16be(head + 5) == 0 ? 65536 : bytes_u16be(head + 5);
    const uint32_t begin = at + (kind == INDEX_LEAF || kind == TABLE_LEAF ? 8 : 12);

    if (kind != INDEX_INTERIOR && kind != TABLE_INTERIOR && kind != INDEX_LEAF && kind != TABLE_LEAF)
        return false;
    return begin + 2 * cells <= content && content <= usable && head[7] <= FRAGMENTS_MAX &&
           (free_at == 0 || (free_at >= content && free_at < usable));
}

/* The cell of this index on a page whose header is sane. */
static bool tree_cell(const struct sqlite_db *db, const uint8_t *page, uint32_t head, uint32_t index, struct tree_cell *out)
{
    const uint32_t kind = page[head], usable = db->usable;
    const bool table = tree_is_table(kind), leaf = tree_is_leaf(kind);
    uint32_t at = bytes_u16be(page + head + (leaf ? 8 : 12) + 2 * (size_t)index);

    const uint32_t begin = at;
    *out = (struct tree_cell){ 0 };
    if (at < head + 8 || at + CELL_MIN > usable)
        return false;
    if (!leaf) {
        out->child = bytes_u32be(page + at);
        at += 4;
    }
    if (leaf || !table)
        out->payload = tree_varint(page, usable, &at);
    if (table)
        out->row = (int64_t)tree_varint(page, usable, &at);
    if (!leaf && table) {
        out->size = at - begin;
        return at <= usable;
    }
    /* SQLite's file format, 1.6: how much of the payload stays on the page. */
    const uint32_t most = table ? usable - 35 : (usable - 12) * 64 / 255 - 23, least = (usable - 12) * 32 / 255 - 23;
    out->local_at = at;
    out->local = (uint32_t)out->payload;
    if (out->payload > most) {
        const uint64_t kept = least + (out->payload - least) % (usable - 4);

        out->local = kept <= most ? (uint32_t)kept : least;
    }
    if (at > usable || out->local > usable - at)
        return false;
    out->size = at + out->local - begin;
    if (out->payload > most) {
        out->size += 4;
        if (usable - at - out->local < 4)
            return false;
        out->overflow = bytes_u32be(page + at + out->local);
        return out->overflow != 0 && out->payload < UINT64_C(1) << 32;
    }
    out->size = out->size < CELL_MIN ? CELL_MIN : out->size;
    return true;
}

/* From the start of the content to the end of the page there is nothing but cells, free blocks and counted fragments. */
static bool tree_full(const uint8_t *page, uint32_t head, uint32_t usable, uint64_t cells_size)
{
    const uint32_t content = bytes_u16be(page + head + 5) == 0 ? 65536 : bytes_u16be(page + head + 5);
    uint32_t at = bytes_u16be(page + head + 1), last = 0;

    while (at != 0) {
        if (at <= last || at + 4 > usable)
            return false;
        last = at;
        cells_size += bytes_u16be(page + at + 2);
        at = bytes_u16be(page + at);
    }
    return cells_size + page[head + 7] == usable - content;
}

/* The same for all cells of a page, whose children, if it has any, are numbered up to child_max. */
static bool tree_cells_full(const struct sqlite_db *db, const uint8_t *page, uint32_t head, uint32_t child_max)
{
    const bool leaf = tree_is_leaf(page[head]);
    const uint32_t cells = bytes_u16be(page + head + 3);
    uint64_t size = 0;

    for (uint32_t i = 0; i < cells; i++) {
        struct tree_cell cell;

        if (!tree_cell(db, page, head, i, &cell) || (!leaf && (cell.child == 0 || cell.child > child_max)))
            return false;
        size += cell.size;
    }
    return tree_full(page, head, db->usable, size);
}

/* The chain of overflow pages of a cell: as many as the rest of its payload needs, and no more. */
static enum tree tree_overflow(struct sqlite_db *db, const struct tree_cell *cell)
{
    const uint32_t each = db->usable - 4;
    uint64_t left = (cell->payload - cell->local + each - 1) / each;
    uint32_t number = cell->overflow;

    while (number != 0 && left > 0) {
        const uint8_t *page = tree_page(db, number, 4);

        if (page == NULL && db->wait)
            return TREE_WAIT;
        const uint32_t next = page == NULL ? 0 : bytes_u32be(page);
        left--;
        if (page == NULL || (next == 0) != (left == 0) || !tree_use(db, number)) {
            tree_bad(db, number);
            return TREE_BAD;
        }
        number = next;
    }
    return TREE_OK;
}

/* The serial type of each column, and from these where a row of the schema keeps its root page. *root 0: it has none. */
static bool schema_root(const uint8_t *row, uint32_t len, uint32_t *root, bool *known)
{
    static const uint8_t sizes[10] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
    uint32_t at = 0;
    uint64_t types[5] = { 0 }, body[5];
    const uint64_t head = tree_varint(row, len, &at);

    *root = 0;
    for (int i = 0; i < 5 && at < head && at < len; i++)
        types[i] = tree_varint(row, len, &at);
    body[0] = head;
    for (int i = 1; i < 5; i++)
        body[i] = sig_add(body[i - 1], types[i - 1] >= 12 ? (types[i - 1] - 12) / 2 : types[i - 1] < 10 ? sizes[types[i - 1]] : 0);
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
    struct sqlite_db db = { .usable = usable };
    const uint32_t cells = bytes_u16be(page + 103);

    if (!sqlite_page_sane(page, 100, usable) || !tree_is_table(page[100]))
        return false;
    for (uint32_t i = 0; i < cells; i++) {
        struct tree_cell cell;
        uint32_t root;
        bool known;

        if (!tree_cell(&db, page, 100, i, &cell))
            return false;
        if (page[100] == TABLE_LEAF && !schema_root(page + cell.local_at, cell.local, &root, &known))
            return false;
    }
    return tree_cells_full(&db, page, 100, pages != 0 ? pages : UINT32_MAX);
}

/* Reads as much of a row of the schema as is needed. */
static enum tree schema_row(struct sqlite_db *db, const uint8_t *page, const struct tree_cell *cell, uint8_t row[ROW_MAX], uint32_t *len)
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
            return db->wait ? TREE_WAIT : TREE_BAD;
        memcpy(row + *len, page + 4, part);
        number = bytes_u32be(page);
        *len += part;
    }
    if (*len > cell->payload)
        *len = (uint32_t)cell->payload;
    return TREE_OK;
}

static enum tree tree_walk(struct sqlite_db *db, uint32_t root, bool schema);

/* A row of the schema: follows the tree that it names. */
static enum tree schema_cell(struct sqlite_db *db, const uint8_t *page, const struct tree_cell *cell)
{
    uint8_t row[ROW_MAX];
    uint32_t len, root;
    bool known;
    const enum tree read = schema_row(db, page, cell, row, &len);

    if (read != TREE_OK)
        return read;
    if (!schema_root(row, len, &root, &known))
        return TREE_BAD;
    db->partial = db->partial || !known;
    if (root == 0)
        return TREE_OK;
    return tree_walk(db, root, false) == TREE_WAIT ? TREE_WAIT : TREE_OK;
}

/* All cells of a leaf, in order. */
static enum tree tree_leaf(struct sqlite_db *db, uint32_t number, bool schema, int64_t *last, bool *any)
{
    const uint32_t head = number == 1 ? 100 : 0;
    const uint8_t *page = tree_page(db, number, db->page_size);

    if (page == NULL)
        return TREE_WAIT;
    const uint32_t cells = bytes_u16be(page + head + 3);
    const bool table = tree_is_table(page[head]);
    uint64_t size = 0;
    for (uint32_t i = 0; i < cells; i++) {
        struct tree_cell cell;

        if (!tree_cell(db, page, head, i, &cell) || (table && *any && cell.row <= *last))
            return TREE_BAD;
        *last = cell.row;
        *any = true;
        size += cell.size;
        if (schema) {
            const enum tree row = schema_cell(db, page, &cell);

            if (row != TREE_OK)
                return row;
        }
        if (cell.overflow != 0 && tree_overflow(db, &cell) == TREE_WAIT)
            return TREE_WAIT;
        if ((schema || cell.overflow != 0) && (page = tree_page(db, number, db->page_size)) == NULL)
            return TREE_WAIT;
    }
    return tree_full(page, head, db->usable, size) ? TREE_OK : TREE_BAD;
}

/* One step on an interior page: the cell before the next child, and that child's number; *child 0: all have been visited. */
static enum tree tree_interior(struct sqlite_db *db, struct tree_frame *frame, const uint8_t *page, int64_t *last, bool *any, uint32_t *child)
{
    const uint32_t head = frame->number == 1 ? 100 : 0, cells = bytes_u16be(page + head + 3), at = frame->next++;
    const bool table = tree_is_table(page[head]);
    struct tree_cell cell;

    *child = 0;
    if (at > 0 && at <= cells && table) { /* every row below the child before is at most this */
        if (!tree_cell(db, page, head, at - 1, &cell) || (*any && cell.row < *last))
            return TREE_BAD;
        *last = cell.row;
        *any = true;
    }
    if (at > cells)
        return TREE_OK;
    if (at == cells) {
        *child = bytes_u32be(page + head + 8);
        return *child == 0 ? TREE_BAD : TREE_OK;
    }
    if (!tree_cell(db, page, head, at, &cell) || cell.child == 0)
        return TREE_BAD;
    *child = cell.child;
    return cell.overflow != 0 && tree_overflow(db, &cell) == TREE_WAIT ? TREE_WAIT : TREE_OK;
}

static enum tree tree_walk(struct sqlite_db *db, uint32_t root, bool schema)
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
        enum tree step = TREE_OK;

        if (page == NULL && db->wait)
            return TREE_WAIT;
        if (page == NULL || (number == 1 && !schema))
            step = TREE_BAD;
        if (step == TREE_OK && frame->next == 0) {
            kind = kind == 0 ? page[head] : kind;
            followed++;
            if (!tree_use(db, number) || !sqlite_page_sane(page, head, db->usable) || tree_is_table(page[head]) != tree_is_table(kind) ||
                (!tree_is_leaf(page[head]) && !tree_cells_full(db, page, head, UINT32_MAX)))
                step = TREE_BAD;
        }
        if (step == TREE_OK && tree_is_leaf(page[head]))
            step = tree_leaf(db, number, schema, &last, &any);
        else if (step == TREE_OK)
            step = tree_interior(db, frame, page, &last, &any, &child);
        if (step == TREE_WAIT)
            return TREE_WAIT;
        if (step == TREE_BAD)
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
    return TREE_OK;
}

/* Trunk pages: next trunk | number of leaves | their page numbers. The leaves hold whatever they held when they became free. */
static enum tree tree_freelist(struct sqlite_db *db)
{
    uint32_t number = db->freelist_at, left = db->freelist_pages;

    while (number != 0) {
        const uint8_t *page = tree_page(db, number, db->page_size);

        if (page == NULL && db->wait)
            return TREE_WAIT;
        const uint32_t leaves = page == NULL ? UINT32_MAX : bytes_u32be(page + 4);
        if (leaves > db->usable / 4 - 2 || left < leaves + 1) {
            tree_bad(db, number);
            return TREE_BAD;
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
            return TREE_BAD;
        }
        left -= leaves + 1;
        number = bytes_u32be(page);
    }
    db->bad = db->bad || left != 0;
    return TREE_OK;
}

bool sqlite_follow(struct sqlite_db *db)
{
    return tree_walk(db, 1, true) != TREE_WAIT && tree_freelist(db) != TREE_WAIT;
}
