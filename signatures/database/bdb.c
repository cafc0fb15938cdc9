/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/bdb.c - Berkeley DB: B-trees, hashes, queues and heaps; Bitcoin's wallet.dat
 * among them.
 *
 *   page 0: log position | page number 0 | 12 magic | version | page size | encryption | 25 kind of
 * page | ... | 32 number of the last page every page: log position | 8 its number | previous, next
 * | entries, place of the lowest | level | 25 kind, 0 to 13
 *
 * Either byte order. A queue says instead which record is next (76) and how many a page has (88).
 * The file has as many pages as the first one says; each must carry its number and a kind, or be
 * zeros where a hash keeps room. In an encrypted database only the numbers can be read, so those
 * are refused.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    BDB_HEAD = 92,
    BDB_PAGE_HEAD = 26,
    BDB_KIND_MAX = 13,
    BDB_LEAF = 5,
    BDB_NUMBERED_INNER = 4,
    BDB_NUMBERED_LEAF = 6,
    BDB_META_FIRST = 8,
    BDB_META_LAST = 10,
};

struct bdb_state {
    uint32_t page_size, last, next;
    bool big_endian, begun, has_main, is_wallet;
};

static const struct sig_type bdb_types[] = { { "bdb", "db" }, { "wallet", "dat" }, { 0 } };

static uint32_t bdb_u32(const struct bdb_state *state, const uint8_t *p)
{
    return state->big_endian ? bytes_u32be(p) : bytes_u32le(p);
}

static const char *bdb_head(const uint8_t *head, struct bdb_state *state)
{
    state->big_endian = head[12] == 0;
    const uint32_t magic = bdb_u32(state, head + 12), version = bdb_u32(state, head + 16);
    const uint32_t kind = magic == 0x53162 ? 9 : magic == 0x61561 ? 8 : magic == 0x42253 ? 10 : 15;

    state->page_size = bdb_u32(state, head + 20);
    state->last = bdb_u32(state, head + 32);
    if (version < 1 || version > 12 || state->page_size < 512 || state->page_size > 65536 ||
        (state->page_size & (state->page_size - 1)) != 0)
        return "version or page size is out of range";
    if (bdb_u32(state, head + 8) != 0 || head[24] != 0 ||
        (head[25] != kind && !(kind == 15 && head[25] <= 15)))
        return "the first page is not that of a database, or is encrypted";
    if (bdb_u32(state, head + 28) > state->last)
        return "a free page lies outside the file";
    if (kind ==
        10) { /* a queue does not keep the number of its last page: next record, records a page */
        const uint32_t record = bdb_u32(state, head + 76), each = bdb_u32(state, head + 88);

        if (record < 2 || each == 0)
            return "the queue has no records";
        state->last = (record - 2) / each + 1;
    }
    state->next = 1;
    state->begun = true;
    return NULL;
}

static bool bdb_page_fits(const struct bdb_state *state, const uint8_t *page)
{
    static const uint8_t zeros[BDB_PAGE_HEAD];
    const uint32_t number = bdb_u32(state, page + 8);

    if (memcmp(page, zeros, BDB_PAGE_HEAD) == 0)
        return true;
    const uint32_t kind = page[25], word = bdb_u32(state, page + 12);

    if (number != state->next || kind > BDB_KIND_MAX || page[24] >= 32)
        return false;
    if (kind >= BDB_META_FIRST &&
        kind <= BDB_META_LAST) /* a table inside: its magic stands there */
        return word >> 16 >= 4 && word >> 16 <= 6;
    /* the page before; in trees of numbered records, how many there are */
    return word <= state->last || word == UINT32_MAX || kind == BDB_NUMBERED_INNER ||
           kind == BDB_NUMBERED_LEAF;
}

/* Bitcoin keeps all in one table, "main", with keys like these. */
static void bdb_look(struct bdb_state *state, const uint8_t *page)
{
    static const char *const keys[] = { "\x0aminversion",
                                        "\x09"
                                        "bestblock",
                                        "\x0a"
                                        "defaultkey",
                                        "\x04mkey" };

    if (state->next == 1)
        state->has_main = memmem(page, state->page_size, "\x04\0\x01main", 7) != NULL;
    for (uint32_t i = 0; i < sizeof keys / sizeof keys[0] && state->has_main && !state->is_wallet;
         i++)
        state->is_wallet = memmem(page, state->page_size, keys[i], strlen(keys[i])) != NULL;
}

static struct sig_result bdb_check(struct sig_input *in, void *memory)
{
    struct bdb_state *state = memory;

    if (!state->begun) {
        const uint8_t *head = sig_bytes(in, 0, BDB_HEAD);

        if (head == NULL)
            return sig_short(in);
        const char *why = bdb_head(head, state);
        if (why != NULL)
            return sig_reject(why);
    }
    for (; state->next <= state->last; state->next++) {
        const uint64_t at = (uint64_t)state->next * state->page_size;
        const uint8_t *page = sig_bytes(in, at, state->page_size);

        if (page == NULL)
            return sig_short(in);
        if (!bdb_page_fits(state, page))
            return sig_breaks(in, "a page does not carry its number");
        if (page[25] == BDB_LEAF)
            bdb_look(state, page);
        sig_valid(in, at + state->page_size);
    }
    in->type = &bdb_types[state->is_wallet];
    return sig_complete(in, ((uint64_t)state->last + 1) * state->page_size,
                        "every page carries its number");
}

const struct sig sig_bdb = {
    .name = "bdb",
    .what = "Berkeley DB database, wallet.dat of Bitcoin",
    .proves = "every page carries its number and a kind; entries on the pages are not read",
    .source = "Berkeley DB 5.3, dbinc/db_page.h: DBMETA, PAGE; Bitcoin Core, wallet/walletdb: keys",
    .types = bdb_types,
    .headers = { SIG_PATTERN_AT(12, "\x62\x31\x05\0"), SIG_PATTERN_AT(12, "\x61\x15\x06\0"),
                 SIG_PATTERN_AT(12, "\x53\x22\x04\0"), SIG_PATTERN_AT(12, "\0\x05\x31\x62"),
                 SIG_PATTERN_AT(12, "\0\x06\x15\x61"), SIG_PATTERN_AT(12, "\0\x04\x22\x53") },
    .flags = SIG_CONTAINER,
    .size_min = 1024,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct bdb_state),
    .check = bdb_check,
};
