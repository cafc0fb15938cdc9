/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/lmdb.c - databases of LMDB (data.mdb), of 64-bit machines.
 *
 *   pages of one size; a page: u64le its number | u16le 0 | u16le kind | u16le end of the places of
 * nodes, begin of the nodes (or u32le pages of a large value)
 *   pages 0, 1, kind 8: de c0 ef be | u32le version 1 | address | size of the map | two databases,
 * of free pages and the main one | u64le last page | u64le transaction; the younger one counts
 *   a database: u32le (page size) | u16le flags, depth | u64le inner pages, leaves, large pages,
 * entries, root
 *   a node: u16le low, high, flags | u16le bytes of the key | key | data; in a leaf low and high
 * are the bytes of the data, elsewhere they and the flags are the number of a page
 *
 * The length is that up to the last page. The trees of all databases are followed from their roots
 * to every page; those that are in no tree are free.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    LMDB_HEAD = 16,
    LMDB_META = 152,
    LMDB_DB = 48,
    LMDB_DB_FREE = 40, /* places in page 0, 1 */
    LMDB_DB_MAIN = 88,
    LMDB_PAGE_MIN = 512,
    LMDB_PAGE_MAX = 65536,
    LMDB_INNER = 1, /* kinds of pages */
    LMDB_LEAF = 2,
    LMDB_LARGE = 4,
    LMDB_IS_META = 8,
    LMDB_FIXED = 0x20, /* a leaf of keys of one size */
    LMDB_KINDS = LMDB_INNER | LMDB_LEAF | LMDB_LARGE | LMDB_IS_META | LMDB_FIXED,
    LMDB_NODE = 8,
    LMDB_IS_LARGE = 1, /* flags of nodes */
    LMDB_IS_DB = 2,
    LMDB_DEPTH_MAX = 64,        /* of all trees inside one another */
    LMDB_FOLLOW_MAX = 64 << 20, /* bytes of a database whose trees are followed to the end */
    LMDB_FOLLOW_PAGES = 4096,   /* pages of a larger one */
};
#define LMDB_NONE UINT64_MAX /* the root of an empty database */

/* A page that is open. */
struct lmdb_level {
    uint64_t page;
    uint32_t node;
};

struct lmdb_state {
    bool begun, main_done, free_done;
    uint32_t page_size, depth;
    uint64_t last;
    uint64_t roots[2];
    uint64_t told, seen; /* pages in trees: as databases count them, as found */
    struct lmdb_level levels[LMDB_DEPTH_MAX];
};

static uint64_t lmdb_db_pages(const uint8_t *db)
{
    return bytes_u64le(db + 8) + bytes_u64le(db + 16) + bytes_u64le(db + 24);
}

/* A database: its counts fit into the file. */
static bool lmdb_db_fits(const uint8_t *db, uint64_t last)
{
    const uint64_t root = bytes_u64le(db + 40);

    if (root == LMDB_NONE)
        return lmdb_db_pages(db) == 0 && bytes_u64le(db + 32) == 0;
    for (uint32_t i = 8; i < 32; i += 8)
        if (bytes_u64le(db + i) > last)
            return false;
    return root >= 2 && root <= last && bytes_u16le(db + 6) > 0 && bytes_u16le(db + 6) < 32 &&
           lmdb_db_pages(db) >= 1;
}

/* Whether the meta page at p is right. */
static bool lmdb_meta_fits(const uint8_t *p, uint32_t number, uint32_t page_size)
{
    return bytes_u64le(p) == number && bytes_u16le(p + 8) == 0 &&
           bytes_u16le(p + 10) == LMDB_IS_META && bytes_u32le(p + 16) == 0xbeefc0de &&
           bytes_u32le(p + 20) == 1 && bytes_u32le(p + LMDB_DB_FREE) == page_size &&
           bytes_u64le(p + 136) >= 1 && bytes_u64le(p + 136) < UINT64_C(1) << 40 &&
           lmdb_db_fits(p + LMDB_DB_FREE, bytes_u64le(p + 136)) &&
           lmdb_db_fits(p + LMDB_DB_MAIN, bytes_u64le(p + 136));
}

static enum step lmdb_begin(struct sig_input *in, struct lmdb_state *state)
{
    const uint8_t *p = sig_bytes(in, 0, LMDB_META);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t size = bytes_u32le(p + LMDB_DB_FREE);
    if (size < LMDB_PAGE_MIN || size > LMDB_PAGE_MAX || (size & (size - 1)) != 0 ||
        !lmdb_meta_fits(p, 0, size))
        return STEP_BAD;
    const uint64_t first = bytes_u64le(p + 144);
    p = sig_bytes(in, size, LMDB_META);
    if (p == NULL)
        return STEP_WAIT;
    if (!lmdb_meta_fits(p, 1, size))
        return STEP_BAD;
    p = sig_bytes(in, bytes_u64le(p + 144) > first ? size : 0, LMDB_META);
    if (p == NULL)
        return STEP_WAIT;
    state->page_size = size;
    state->last = bytes_u64le(p + 136);
    for (uint32_t i = 0; i < 2; i++) {
        const uint8_t *db = p + (i == 0 ? LMDB_DB_FREE : LMDB_DB_MAIN);

        state->roots[i] = bytes_u64le(db + 40);
        state->told += lmdb_db_pages(db);
    }
    sig_valid(in, UINT64_C(2) * size);
    state->begun = true;
    return STEP_DONE;
}

static bool lmdb_open(struct lmdb_state *state, uint64_t page)
{
    if (state->depth == LMDB_DEPTH_MAX || page < 2 || page > state->last ||
        state->seen > state->last)
        return false;
    state->levels[state->depth++] = (struct lmdb_level){ .page = page };
    state->seen++;
    return true;
}

/* The pages of a large value at `page`, `bytes` long. */
static enum step lmdb_large(struct sig_input *in, struct lmdb_state *state, uint64_t page,
                            uint32_t bytes)
{
    const uint8_t *p =
        page < 2 || page > state->last ? NULL : sig_bytes(in, page * state->page_size, LMDB_HEAD);

    if (page < 2 || page > state->last)
        return STEP_BAD;
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t pages = bytes_u32le(p + 12);
    if (bytes_u64le(p) != page || bytes_u16le(p + 10) != LMDB_LARGE ||
        pages != (LMDB_HEAD + (uint64_t)bytes + state->page_size - 1) / state->page_size ||
        pages > state->last - page + 1)
        return STEP_BAD;
    state->seen += pages;
    return STEP_DONE;
}

/* The node at p, of a leaf; it ends before `end`. */
static enum step lmdb_leaf_node(struct sig_input *in, struct lmdb_state *state, const uint8_t *p,
                                const uint8_t *end)
{
    const uint32_t bytes = bytes_u16le(p) | (uint32_t)bytes_u16le(p + 2) << 16,
                   flags = bytes_u16le(p + 4), key = bytes_u16le(p + 6);
    const size_t room = (size_t)(end - p) - LMDB_NODE;
    const uint8_t *data = p + LMDB_NODE + key;

    if (key > room || flags > 7)
        return STEP_BAD;
    if ((flags & LMDB_IS_LARGE) != 0)
        return room - key < 8 ? STEP_BAD : lmdb_large(in, state, bytes_u64le(data), bytes);
    if (bytes > room - key)
        return STEP_BAD;
    if ((flags & LMDB_IS_DB) == 0)
        return STEP_DONE;
    if (bytes != LMDB_DB || !lmdb_db_fits(data, state->last))
        return STEP_BAD;
    state->told += lmdb_db_pages(data);
    const uint64_t root = bytes_u64le(data + 40);
    return root == LMDB_NONE || lmdb_open(state, root) ? STEP_DONE : STEP_BAD;
}

/* The next node of the deepest page that is open; behind its last one it is closed. */
static enum step lmdb_node(struct sig_input *in, struct lmdb_state *state)
{
    struct lmdb_level *level = &state->levels[state->depth - 1];
    const uint8_t *page = sig_bytes(in, level->page * state->page_size, state->page_size);

    if (page == NULL)
        return STEP_WAIT;
    const uint32_t kind = bytes_u16le(page + 10), lower = bytes_u16le(page + 12),
                   upper = bytes_u16le(page + 14) == 0 ? state->page_size : bytes_u16le(page + 14);
    if (bytes_u64le(page) != level->page || (kind & ~(uint32_t)LMDB_KINDS) != 0 ||
        (kind & (LMDB_INNER | LMDB_LEAF)) == 0 ||
        (kind & (LMDB_INNER | LMDB_LEAF)) == (LMDB_INNER | LMDB_LEAF) || lower < LMDB_HEAD ||
        lower > upper || upper > state->page_size || lower % 2 != 0)
        return STEP_BAD;
    const uint32_t nodes = (kind & LMDB_FIXED) != 0 ? 0 : (lower - LMDB_HEAD) / 2;
    if (level->node == nodes) {
        state->depth--;
        return STEP_DONE;
    }
    const uint32_t place = bytes_u16le(page + LMDB_HEAD + 2 * level->node);
    if (place < upper || place > state->page_size - LMDB_NODE)
        return STEP_BAD;
    const uint8_t *node = page + place;
    level->node++;
    enum step step;
    if ((kind & LMDB_LEAF) != 0) {
        step = lmdb_leaf_node(in, state, node, page + state->page_size);
    } else {
        const uint64_t child = bytes_u16le(node) | (uint64_t)bytes_u16le(node + 2) << 16 |
                               (uint64_t)bytes_u16le(node + 4) << 32;

        step =
            bytes_u16le(node + 6) <= state->page_size - LMDB_NODE - place && lmdb_open(state, child)
                ? STEP_DONE
                : STEP_BAD;
    }
    if (step == STEP_WAIT)
        level->node--;
    return step;
}

/* Follows both trees. */
static enum step lmdb_trees(struct sig_input *in, struct lmdb_state *state, bool all)
{
    for (;;) {
        if (!all && state->seen > LMDB_FOLLOW_PAGES)
            return STEP_DONE;
        if (state->depth > 0) {
            const enum step step = lmdb_node(in, state);

            if (step != STEP_DONE)
                return step;
        } else if (!state->free_done || !state->main_done) {
            const uint64_t root = state->roots[state->free_done];

            state->main_done = state->free_done;
            state->free_done = true;
            if (root != LMDB_NONE && !lmdb_open(state, root))
                return STEP_BAD;
        } else {
            return STEP_DONE;
        }
    }
}

static struct sig_result lmdb_check(struct sig_input *in, void *memory)
{
    struct lmdb_state *state = memory;
    enum step step = state->begun ? STEP_DONE : lmdb_begin(in, state);

    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("the first two pages do not describe a database");
    const uint64_t len = (state->last + 1) * state->page_size;
    const bool all = len <= LMDB_FOLLOW_MAX;
    if (sig_bytes(in, len - 1, 1) == NULL)
        return sig_short(in);
    step = lmdb_trees(in, state, all);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "a page contradicts the tree above it");
    if (!all)
        return sig_believe(in, len, "the first pages of the trees are where they say");
    if (state->seen != state->told)
        return sig_breaks(in, "the trees have not as many pages as the databases count");
    return sig_complete(in, len, "the trees have as many pages as the databases count");
}

const struct sig sig_lmdb = {
    .name = "lmdb",
    .what = "database of LMDB (data.mdb)",
    .proves = "every page is where its tree says, and there are as many as the databases count "
              "(some pages, in a large database)",
    .source = "OpenLDAP, LMDB 0.9.24: mdb.c, MDB_page, MDB_meta, MDB_db, MDB_node",
    .types = (const struct sig_type[]){ { "lmdb", "mdb" }, { 0 } },
    .headers = { SIG_PATTERN("\0\0\0\0\0\0\0\0\0\0\x08\0\0\0\0\0\xde\xc0\xef\xbe\1\0\0\0") },
    .flags = SIG_CONTAINER,
    .size_min = 2 * LMDB_PAGE_MIN,
    .size_max = UINT64_C(1) << 44,
    .seam = SIG_SEAM_NONE,
    .state_size = sizeof(struct lmdb_state),
    .check = lmdb_check,
};
