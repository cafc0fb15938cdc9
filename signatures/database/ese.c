/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/ese.c - Extensible Storage Engine databases: Exchange, Active Directory,
 * Windows Search, Edge and Internet Explorer: edb.
 *
 *   header page: XOR checksum | EF CD AB 89 | version 0x620 | file type 0 | ... | 52 state | ... |
 * 232 revision | 236 page size the same again in the second page, then pages from number 1 on page:
 * checksum: XOR of its words with the page number, ECC; before revision 0x0b: XOR and page number |
 * time | siblings | ... | 34 tags | 36 flags pages of 16 and 32 KiB: 40 bytes more, with checksums
 * of their second to fourth quarters the tree on page 2 holds the extents that the database owns,
 * by their last page
 *
 * The pages of the tree number 2 (byte 24) are the catalogue, which has the names of all tables:
 * some of them tell whose database it is.
 *
 * The file ends with the last page of the last extent. Every page up to there must have the right
 * checksum for its number, or be all zeros where it was never written.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ESE_HEAD = 240,
    ESE_SMALL = 8192, /* larger pages have the longer head */
    ESE_ECC_REVISION = 0x0b,
    ESE_IS_LEAF = 2,
    ESE_IS_SPACE = 0x20,
    ESE_IS_ECC = 0x2000,
    ESE_OWNED_PAGE = 2,
    ESE_CATALOGUE = 2, /* the number of its tree */
    ESE_LEVELS = 5,
    ESE_COMPRESSED = 4, /* the beginning of the key stands in the page's first tag */
};

/* Types, and tables in the catalogue that tell each but the first: both of them are there. */
static const struct sig_type ese_types[] = { { "edb", "edb" },
                                             { "srum", "dat" },
                                             { "windows-search", "edb" },
                                             { "ntds", "dit" },
                                             { "webcache", "dat" },
                                             { "bits", "db" },
                                             { "windows-update", "edb" },
                                             { "user-access", "mdb" },
                                             { "catdb", "catdb" },
                                             { "spartan", "edb" },
                                             { 0 } };

static const char *const ese_tables[][2] = {
    { "SruDbIdMapTable", "SruDbIdMapTable" },
    { "SystemIndex_", "SystemIndex_" },
    { "datatable", "link_table" },
    { "Containers", "Container_1" },
    { "Jobs", "Files" },
    { "tbUpdates", "tbFiles" },
    { "ROLE_ACCESS", "CLIENTS" },
    { "HashCatNameTable", "HashCatNameTable" },
    { "Favorites", "ReadingList" },
};

enum { ESE_TYPES = sizeof ese_tables / sizeof ese_tables[0] };

#define ESE_SEED UINT32_C(0x89abcdef)

struct ese_state {
    uint32_t page_size, revision;
    uint32_t next, last;       /* page numbers; last 0: not known yet */
    uint32_t written;          /* pages that are not zeros */
    uint8_t tables[ESE_TYPES]; /* met in the catalogue: a bit for each of the two */
};

/* XOR of all words in len bytes, a multiple of 8. */
static uint32_t ese_xor(const uint8_t *bytes, uint32_t len)
{
    uint64_t sum = 0, word;

    for (uint32_t i = 0; i < len; i += (uint32_t)sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        sum ^= word;
    }
    uint8_t both[sizeof sum];
    memcpy(both, &sum, sizeof both);
    return bytes_u32le(both) ^ bytes_u32le(both + 4);
}

static const char *ese_head(struct sig_input *in, struct ese_state *state, bool *wait)
{
    const uint8_t *head = sig_bytes(in, 0, ESE_HEAD);

    *wait = head == NULL;
    if (head == NULL)
        return NULL;
    const uint32_t size = bytes_u32le(head + 236), status = bytes_u32le(head + 52);
    if (status < 1 || status > 5 || bytes_u32le(head + 12) != 0)
        return "not a database, or its state is unknown";
    if (size < 2048 || size > 32768 || (size & (size - 1)) != 0)
        return "the page size is out of range";
    state->revision = bytes_u32le(head + 232);
    head = sig_bytes(in, 0, size);
    *wait = head == NULL;
    if (head == NULL)
        return NULL;
    if (ese_xor(head, size) != ESE_SEED)
        return "the checksum of the header is wrong";
    state->page_size = size;
    state->next = 1;
    return NULL;
}

/* The checksum that the page says, of its first part in a large page; the rest has its own. */
static bool ese_sums_right(const struct ese_state *state, const uint8_t *page, uint32_t number)
{
    const uint32_t size = state->page_size, first = size <= ESE_SMALL ? size : size / 4;

    if (state->revision < ESE_ECC_REVISION || (bytes_u32le(page + 36) & ESE_IS_ECC) == 0)
        return bytes_u32le(page + 4) == number && ese_xor(page, size) == ESE_SEED;
    if ((ese_xor(page + 8, first - 8) ^ number) != bytes_u32le(page))
        return false;
    for (uint32_t i = 1; i < size / first; i++)
        if ((ese_xor(page + i * first, first) ^ number) != bytes_u32le(page + 32 + 8 * i))
            return false;
    return true;
}

/*
 * The last entry of a page of the tree of owned extents: in a leaf the extent's last page, above it
 * the number of the next page on the way. 0: it cannot be read.
 */
static uint32_t ese_last_entry(const struct ese_state *state, const uint8_t *page, bool leaf)
{
    const bool large = state->page_size > ESE_SMALL;
    const uint32_t head = large ? 80 : 40, tags = bytes_u16le(page + 34),
                   room = state->page_size - head;

    if (tags < 2 || tags > room / 8)
        return 0;
    const uint8_t *tag = page + state->page_size - 4 * tags,
                  *prefix_tag = page + state->page_size - 4;
    const uint32_t size = bytes_u16le(tag) & 0x7fff,
                   at = bytes_u16le(tag + 2) & (large ? 0x7fff : 0x1fff);
    const uint32_t prefix_at = bytes_u16le(prefix_tag + 2) & (large ? 0x7fff : 0x1fff);
    if (size < 6 || at > room || size > room - at || prefix_at + 4 > room)
        return 0;
    const uint8_t *entry = page + head + at, *end = entry + size;
    const uint32_t flags = large ? entry[1] >> 5 : tag[3] >> 5;
    uint32_t prefix = 0;
    uint8_t key[4];
    if ((flags & ESE_COMPRESSED) != 0) {
        prefix = bytes_u16le(entry) & 0x1fff;
        entry += 2;
    }
    const uint32_t suffix = bytes_u16le(entry) & 0x1fff;
    entry += 2;
    if (suffix > (uint32_t)(end - entry) || (uint32_t)(end - entry) - suffix < 4)
        return 0;
    if (!leaf)
        return bytes_u32le(entry + suffix);
    if (prefix > 4 || prefix + suffix != 4)
        return 0;
    memcpy(key, page + head + prefix_at, prefix);
    memcpy(key + prefix, entry, suffix);
    return bytes_u32be(key);
}

/* Finds the last page that the database owns. */
static enum step ese_find_last(struct sig_input *in, struct ese_state *state)
{
    uint32_t number = ESE_OWNED_PAGE;

    for (uint32_t level = 0; level < ESE_LEVELS && number > 0; level++) {
        const uint8_t *page =
            sig_bytes(in, ((uint64_t)number + 1) * state->page_size, state->page_size);

        if (page == NULL)
            return STEP_WAIT;
        const uint32_t flags = bytes_u32le(page + 36);
        if (!ese_sums_right(state, page, number) || (flags & ESE_IS_SPACE) == 0)
            return STEP_BAD;
        number = ese_last_entry(state, page, (flags & ESE_IS_LEAF) != 0);
        if ((flags & ESE_IS_LEAF) != 0) {
            state->last = number;
            return number >= ESE_OWNED_PAGE ? STEP_DONE : STEP_BAD;
        }
    }
    return STEP_BAD;
}

/* Notes the tables that a page of the catalogue names, and sets the type. */
static void ese_tell_type(struct sig_input *in, struct ese_state *state, const uint8_t *page)
{
    for (uint32_t i = ESE_TYPES; i-- > 0;) {
        for (uint32_t k = 0; k < 2; k++)
            if (memmem(page, state->page_size, ese_tables[i][k], strlen(ese_tables[i][k])) != NULL)
                state->tables[i] |= (uint8_t)(1u << k);
        if (state->tables[i] == 3)
            in->type = &ese_types[i + 1];
    }
}

static bool ese_is_unwritten(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, 39) == 0;
}

static enum step ese_pages(struct sig_input *in, struct ese_state *state)
{
    for (; state->next <= state->last; state->next++) {
        const uint64_t at = ((uint64_t)state->next + 1) * state->page_size;
        const uint8_t *page = sig_bytes(in, at, state->page_size);

        if (page == NULL)
            return STEP_WAIT;
        if (!ese_is_unwritten(page)) {
            if (!ese_sums_right(state, page, state->next))
                return STEP_BAD;
            sig_valid(in, at + state->page_size);
            state->written++;
            if (bytes_u32le(page + 24) == ESE_CATALOGUE)
                ese_tell_type(in, state, page);
        }
    }
    return STEP_DONE;
}

static struct sig_result ese_check(struct sig_input *in, void *memory)
{
    struct ese_state *state = memory;

    if (state->page_size == 0) {
        bool wait;
        const char *why = ese_head(in, state, &wait);

        if (wait)
            return sig_short(in);
        if (why != NULL)
            return sig_reject(why);
    }
    if (state->last == 0) {
        const enum step step = ese_find_last(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("no valid tree of the pages that the database owns");
    }
    const enum step step = ese_pages(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "wrong checksum or number of a page");
    if (state->written < 2)
        return sig_breaks(in, "the pages have no content");
    return sig_complete(in, ((uint64_t)state->last + 2) * state->page_size,
                        "every page that the database owns has the right checksum");
}

const struct sig sig_ese = {
    .name = "ese",
    .what =
        "Extensible Storage Engine database: Exchange, Active Directory, Windows Search, web cache",
    .proves = "checksum and number of every page that the database owns",
    .source = "libesedb, Extensible Storage Engine (ESE) Database File (EDB) format: file header, "
              "page header, page "
              "tags, space tree",
    .types = ese_types,
    .headers = { SIG_PATTERN_AT(4, "\xef\xcd\xab\x89\x20\x06\0\0\0\0\0\0") },
    .flags = SIG_CONTAINER,
    .size_min = 4 * 2048,
    .size_max = UINT64_C(1) << 44,
    .state_size = sizeof(struct ese_state),
    .check = ese_check,
};
