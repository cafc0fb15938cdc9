/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/jet.c - Microsoft Access databases (Jet 3, Jet 4, ACE) and Money files: mdb,
 * accdb, mny.
 *
 *   page 0: 00 01 00 00 | "Standard Jet DB" or "Standard ACE DB" or "MSISAM Database" | 0x14
 * version: 0 pages of 2048 bytes, else of 4096 pages: kind (1 data, 2 table, 3 and 4 index, 5 usage
 * map; +8: deleted) | 01 | u16le free bytes | u32le table that owns it, or "LVAL" data page: rows,
 * then u16le where each begins; what lies between the list and the lowest row is free table: where
 * the map of the pages it owns is: u8 row, u24le page
 *
 * Nothing in the file says how long it is. It ends with the last page that is one of the above
 * (pages of zeros in between are pages that were never written), provided that this is not before
 * the last page that a table owns: a file that is cut or goes on elsewhere breaks there. A page
 * overwritten by another Jet page goes unnoticed. In an encoded database pages are under RC4 with a
 * key from page 0 and the page's number; databases under Office 2007 encryption cannot be read and
 * are refused.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    JET_HEAD = 160,
    JET_KEYED_AT = 0x18, /* the part of page 0 under a key known to all */
    JET_KEY_AT = 0x3e,
    JET_PAGE_3 = 2048,
    JET_PAGE = 4096,
    JET_LVAL = 0x4c41564c, /* "LVAL": rows too long for their table's pages */
    JET_NEAR = 256,        /* pages behind a table within which its map is */
    JET_UNWRITTEN = 64,    /* pages of zeros in a row inside of a file */
};

struct jet_state {
    uint32_t page_size, key;
    uint32_t next;  /* page to look at */
    uint32_t pages; /* good ones, the unwritten between them included */
    uint32_t owned; /* last page that a table owns */
};

static const struct sig_type jet_types[] = {
    { "mdb", "mdb" }, { "accdb", "accdb" }, { "mny", "mny" }, { 0 }
};

static void jet_rc4(uint32_t key, const uint8_t *from, uint8_t *to, uint32_t len)
{
    uint8_t box[256], j = 0;

    for (uint32_t i = 0; i < 256; i++)
        box[i] = (uint8_t)i;
    for (uint32_t i = 0; i < 256; i++) {
        const uint8_t c = box[i];

        j = (uint8_t)(j + c + (uint8_t)(key >> i % 4 * 8));
        box[i] = box[j];
        box[j] = c;
    }
    j = 0;
    for (uint32_t n = 0; n < len; n++) {
        const uint8_t i = (uint8_t)(n + 1), c = box[i];

        j = (uint8_t)(j + c);
        box[i] = box[j];
        box[j] = c;
        to[n] = from[n] ^ box[(uint8_t)(box[i] + c)];
    }
}

static const char *jet_head(struct sig_input *in, const uint8_t *head, struct jet_state *state)
{
    const uint32_t version = head[0x14];
    uint8_t key[4 + JET_KEY_AT - JET_KEYED_AT];

    in->type = &jet_types[head[4] == 'M' ? 2 : memcmp(head + 13, "ACE", 3) == 0];
    if (version > 8 || head[0x15] != 0 || head[0x16] > 1 || head[0x17] != 0 ||
        (version < 2) != (in->type != &jet_types[1]))
        return "the version is out of range";
    state->page_size = version == 0 ? JET_PAGE_3 : JET_PAGE;
    jet_rc4(0x6b39dac7, head + JET_KEYED_AT, key, sizeof key);
    state->key = bytes_u32le(key + (JET_KEY_AT - JET_KEYED_AT));
    state->next = state->pages = 1;
    return NULL;
}

/* The page in clear. NULL: it is not there yet, or the image ends before. */
static const uint8_t *jet_page(struct sig_input *in, const struct jet_state *state, uint32_t number,
                               uint8_t *clear)
{
    const uint8_t *page = sig_bytes(in, (uint64_t)number * state->page_size, state->page_size);

    if (page == NULL || state->key == 0)
        return page;
    jet_rc4(state->key ^ number, page, clear, state->page_size);
    return clear;
}

/* Rows from the end down, none below the list of where they begin, and just as many bytes between
 * as the head says. */
static bool jet_rows_fit(const struct jet_state *state, const uint8_t *page)
{
    const uint32_t list = state->page_size == JET_PAGE_3 ? 10 : 14,
                   count = bytes_u16le(page + list - 2);
    uint32_t low = state->page_size;

    if (list + 2 * count > state->page_size)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = bytes_u16le(page + list + 2 * i) & 0x1fff;

        if (at > low)
            return false;
        low = at;
    }
    return low >= list + 2 * count && low - list - 2 * count == bytes_u16le(page + 2);
}

static bool jet_page_fits(const struct jet_state *state, const uint8_t *page)
{
    const uint32_t kind = page[0] & 7, free_bytes = bytes_u16le(page + 2),
                   owner = bytes_u32le(page + 4);

    if (page[1] != 1 || page[0] > 15 || kind < 1 || kind > 5)
        return false;
    if (kind == 1)
        return (owner == JET_LVAL || owner < 1u << 24) && jet_rows_fit(state, page);
    if (kind == 2) /* "VC", or free bytes; the next page of the table */
        return owner < 1u << 24;
    if (kind == 5)
        return true;
    return free_bytes < state->page_size && owner < 1u << 24;
}

/* A table says where the map of its pages is: a row with the first page's number and a bit for each
 * from there on. */
static enum step jet_table(struct sig_input *in, struct jet_state *state, const uint8_t *table)
{
    const bool old = state->page_size == JET_PAGE_3;
    const uint32_t list = old ? 10 : 14, where = bytes_u32le(table + (old ? 0x23 : 0x37)),
                   sort = table[old ? 0x14 : 0x28];
    const uint32_t row = where & 255, number = where >> 8;
    uint8_t clear[JET_PAGE];

    if (sort != 'N' && sort != 'S') /* not the first page of its table */
        return STEP_DONE;
    if (number == 0 || number > state->next + JET_NEAR)
        return STEP_BAD;
    if (number > state->owned)
        state->owned = number;
    const uint8_t *page = jet_page(in, state, number, clear);
    if (page == NULL)
        return STEP_WAIT;
    if (page[0] != 1 || !jet_rows_fit(state, page) || row >= bytes_u16le(page + list - 2))
        return STEP_BAD;
    const uint32_t from = bytes_u16le(page + list + 2 * row) & 0x1fff;
    const uint32_t to =
        row == 0 ? state->page_size : bytes_u16le(page + list + 2 * row - 2) & 0x1fff;
    if (to - from < 6 || page[from] != 0) /* 1: maps on pages of their own, of very large tables */
        return STEP_DONE;
    const uint32_t first = bytes_u32le(page + from + 1);
    for (uint32_t i = to - from - 5; i > 0; i--) {
        const uint32_t bits = page[from + 4 + i];

        if (bits == 0 || first > 1u << 24)
            continue;
        const uint32_t last = first + (i - 1) * 8 + (31 - (uint32_t)__builtin_clz(bits));
        if (last > state->owned)
            state->owned = last;
        break;
    }
    return STEP_DONE;
}

/* Data and index pages name their table, which begins on a page of kind 2. */
static enum step jet_owner(struct sig_input *in, const struct jet_state *state, uint32_t kind,
                           uint32_t owner)
{
    uint8_t clear[JET_PAGE];

    if ((kind != 1 && kind != 3 && kind != 4) || owner == 0 || owner >= state->next)
        return STEP_DONE;
    const uint8_t *page = jet_page(in, state, owner, clear);
    if (page == NULL)
        return STEP_WAIT;
    return (page[0] & 7) == 2 && page[1] == 1 ? STEP_DONE : STEP_BAD;
}

static bool jet_is_unwritten(const uint8_t *page)
{
    static const uint8_t zeros[32];

    return memcmp(page, zeros, sizeof zeros) == 0;
}

/* As far as pages are pages of this database. */
static enum step jet_walk(struct sig_input *in, struct jet_state *state)
{
    uint8_t clear[JET_PAGE], head[64];

    for (; state->next - state->pages <= JET_UNWRITTEN; state->next++) {
        const uint8_t *raw = sig_bytes(in, (uint64_t)state->next * state->page_size, 32);
        if (raw == NULL)
            return STEP_WAIT;
        if (jet_is_unwritten(raw))
            continue;
        const uint8_t *page = jet_page(in, state, state->next, clear);
        if (page == NULL)
            return STEP_WAIT;
        if (!jet_page_fits(state, page))
            break;
        memcpy(head, page, sizeof head);
        const enum step step = head[0] == 2 ? jet_table(in, state, head)
                                            : jet_owner(in, state, head[0], bytes_u32le(head + 4));
        if (step == STEP_WAIT)
            return STEP_WAIT;
        if (step == STEP_BAD)
            break;
        state->pages = state->next + 1;
    }
    return STEP_DONE;
}

static struct sig_result jet_check(struct sig_input *in, void *memory)
{
    struct jet_state *state = memory;

    if (state->page_size == 0) {
        const uint8_t *head = sig_bytes(in, 0, JET_HEAD);

        if (head == NULL)
            return sig_short(in);
        const char *why = jet_head(in, head, state);
        if (why != NULL)
            return sig_reject(why);
    }
    if (jet_walk(in, state) == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    const uint64_t len = (uint64_t)state->pages * state->page_size;
    if (state->pages < 4)
        return sig_reject("no page of a database follows the first");
    sig_valid(in, len);
    if (state->owned >= state->pages)
        return sig_breaks(in, "a table owns pages that are missing");
    if (state->owned == 0)
        return sig_breaks(in, "no table says which pages it owns");
    return sig_complete(in, len, "every page that a table owns is there");
}

const struct sig sig_jet = {
    .name = "jet",
    .what = "Access database (mdb, accdb) and Money file (mny)",
    .proves = "pages up to the last that a table owns read, rows fit; the owners of data and "
              "indexes are tables",
    .source = "mdbtools, HACKING: pages, usage maps, rows; jackcess, JetFormat; [MS-OFFCRYPTO] for "
              "what is not read",
    .types = jet_types,
    .headers = { SIG_PATTERN("\0\x01\0\0Standard Jet DB\0"),
                 SIG_PATTERN("\0\x01\0\0Standard ACE DB\0"),
                 SIG_PATTERN("\0\x01\0\0MSISAM Database\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 4 * JET_PAGE_3,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct jet_state),
    .check = jet_check,
};
