/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite.c - SQLite 3 databases.
 *
 *   page 1: 100 bytes of header | b-tree of the schema          pages of one size, numbered from 1
 *   header: "SQLite format 3\0" | u16be page size (1: 65536) | write, read version | reserved bytes
 * a page | 64 32 32 24 change counter | 28 pages | 32 first page of the free list, and its pages |
 * 44 schema format | 52 auto-vacuum | 56 encoding 72 zeros | 92 change counter for which the page
 * count is valid
 *
 * The length is page size x pages. The page count of the header counts only if it is valid for the
 * change counter; versions before 3.7.0 wrote none, and then the last page is the highest-numbered
 * one that a tree, a chain or the free list names, since every page of a database is named
 * somewhere. (A file that was grown in advance goes on behind its last page with pages that are in
 * use for nothing.)
 *
 * While the scan passes, the first bytes of each page are looked at: a tree page, or a number of a
 * page, begins each. Then the trees are followed (sqlite_tree.c), all of them in a database of
 * ordinary size, and the first pages of each in one that has left memory, where every page would
 * have to be read again.
 *
 * Write-ahead logs and rollback journals are files of their own. What they hold is not in the
 * database.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/database/database_facts.h"
#include "signatures/database/sqlite_application.h"
#include "signatures/database/sqlite_page.h"
#include "signatures/database/sqlite_tree.h"

enum {
    HEADER = 100,
    PAGE_MIN = 512,
    USABLE_MIN = 480,
    FOLLOW_ALL_MAX = 64 << 20, /* bytes of a database whose trees are followed to the end */
    FOLLOW_EACH = 32,          /* pages of each tree in a larger one */
    LOCK_BYTE = 1 << 30,       /* the page with this byte in it is never used */
    SCHEMA_PAGES = 12,         /* in which tables of applications are looked for */
    APPLICATION_AT = 68,       /* the number that an application gives its files */
};

enum sqlite_phase { SQLITE_AT_HEAD, SQLITE_AT_PAGES, SQLITE_AT_TREES };

/* Those of applications are known by their tables, a wallet of Bitcoin by the network's number. */
static const struct sig_type sqlite_types[] = {
    { "sqlite", "sqlite" },
    { "chrome-history", "sqlite" },
    { "chrome-cookies", "sqlite" },
    { "chrome-logins", "sqlite" },
    { "chrome-web-data", "sqlite" },
    { "chrome-favicons", "sqlite" },
    { "chrome-top-sites", "sqlite" },
    { "firefox-places", "sqlite" },
    { "firefox-cookies", "sqlite" },
    { "firefox-formhistory", "sqlite" },
    { "firefox-favicons", "sqlite" },
    { "firefox-permissions", "sqlite" },
    { "firefox-keys", "sqlite" },
    { "safari-history", "sqlite" },
    { "whatsapp-msgstore", "sqlite" },
    { "whatsapp-ios", "sqlite" },
    { "whatsapp-contacts", "sqlite" },
    { "signal-desktop", "sqlite" },
    { "signal-android", "sqlite" },
    { "telegram-android", "sqlite" },
    { "skype", "sqlite" },
    { "viber", "sqlite" },
    { "ios-sms", "sqlite" },
    { "ios-calls", "sqlite" },
    { "ios-contacts", "sqlite" },
    { "ios-notes", "sqlite" },
    { "ios-photos", "sqlite" },
    { "ios-calendar", "sqlite" },
    { "ios-manifest", "sqlite" },
    { "apple-knowledge", "sqlite" },
    { "android-sms", "sqlite" },
    { "android-contacts", "sqlite" },
    { "android-calls", "sqlite" },
    { "android-calendar", "sqlite" },
    { "android-downloads", "sqlite" },
    { "macos-quarantine", "sqlite" },
    { "macos-tcc", "sqlite" },
    { "windows-timeline", "sqlite" },
    { "windows-notifications", "sqlite" },
    { "thunderbird-global", "sqlite" },
    { "lightroom", "sqlite" },
    { "burin-case", "sqlite" },
    { "firefox-indexeddb", "sqlite" },
    { "ios-interactions", "sqlite" },
    { "geopackage", "sqlite" },
    { "mbtiles", "sqlite" },
    { "bitcoin-wallet", "dat" },
    { 0 },
};

struct sqlite_state {
    uint32_t phase;
    uint32_t page_size, usable;
    uint32_t pages; /* by the header; 0: it does not say */
    uint32_t freelist_at, freelist_pages;
    bool has_maps;                   /* auto-vacuum: pages that say which page names which */
    uint32_t number;                 /* of the next page to look at */
    uint32_t strange, first_strange; /* pages that begin as none does */
};

static struct sig_result sqlite_head(struct sig_input *in, struct sqlite_state *state)
{
    static const uint8_t zeros[20];
    const uint8_t *head = sig_bytes(in, 0, HEADER);

    if (head == NULL)
        return sig_short(in);
    const uint32_t size = bytes_u16be(head + 16) == 1 ? 65536 : bytes_u16be(head + 16);
    const bool counted = bytes_u32be(head + 24) == bytes_u32be(head + 92);

    if (size < PAGE_MIN || (size & (size - 1)) != 0 || size - head[20] < USABLE_MIN)
        return sig_reject("the page size is out of range");
    if (head[18] < 1 || head[18] > 2 || head[19] < 1 || head[19] > 2 ||
        bytes_u32be(head + 44) > 4 || bytes_u32be(head + 56) > 3 ||
        memcmp(head + 72, zeros, sizeof zeros) != 0)
        return sig_reject("header fields are out of range");
    state->page_size = size;
    state->usable = size - head[20];
    state->pages = counted ? bytes_u32be(head + 28) : 0;
    state->freelist_at = bytes_u32be(head + 32);
    state->freelist_pages = bytes_u32be(head + 36);
    state->has_maps = bytes_u32be(head + 52) != 0;
    if (state->pages != 0 &&
        (state->freelist_at > state->pages || state->freelist_pages >= state->pages))
        return sig_reject("the free list is larger than the database");

    const uint8_t *page = sig_bytes(in, 0, size);
    if (page == NULL)
        return sig_short(in);
    if (!sqlite_schema_sane(page, state->usable, state->pages))
        return sig_reject("page 1 does not hold a schema");
    if (size > PAGE_MIN) /* a page that is one sector may be what is left of a file in a slack */
        sig_valid(in, size);
    state->number = 2;
    state->phase = state->pages == 0 ? SQLITE_AT_TREES : SQLITE_AT_PAGES;
    return (struct sig_result){ 0 };
}

static uint32_t sqlite_lock_page(const struct sqlite_state *state)
{
    return LOCK_BYTE / state->page_size + 1;
}

/* Is this one of the pages that say which page names which? One of them covers usable / 5 pages
 * behind it. */
static bool sqlite_is_map(const struct sqlite_state *state, uint32_t number)
{
    const uint32_t each = state->usable / 5 + 1, lock = sqlite_lock_page(state);

    if (!state->has_maps)
        return false;
    return number == lock + 1 ? (lock - 2) % each == 0 : number != lock && (number - 2) % each == 0;
}

/* Can a page of this database begin so? */
static bool sqlite_page_begins(const struct sqlite_state *state, uint32_t number,
                               const uint8_t *head)
{
    if (number == sqlite_lock_page(state))
        return true;
    if (sqlite_is_map(state, number))
        return head[0] <= 5 && bytes_u32be(head + 1) <= state->pages;
    return bytes_u32be(head) <= state->pages || sqlite_page_sane(head, 0, state->usable);
}

/*
 * Free pages hold what they held before, which was some page of this database too. Only one that
 * has shrunk since may have numbers in them that are now too large.
 */
static uint32_t sqlite_strange_max(const struct sqlite_state *state)
{
    return state->has_maps ? state->freelist_pages : 0;
}

/* Looks at the pages as they come by. Returns MORE, or changes the phase. */
static struct sig_result sqlite_pages(struct sig_input *in, struct sqlite_state *state)
{
    for (; state->number <= state->pages; state->number++) {
        const uint64_t at = (uint64_t)(state->number - 1) * state->page_size;

        if (at >= in->limit || in->limit - at < state->page_size)
            break; /* the trees tell how far it is right */
        const uint8_t *head = sig_bytes(in, at, 12);
        if (head == NULL)
            return sig_short(in);
        if (!sqlite_page_begins(state, state->number, head)) {
            if (state->strange++ == 0)
                state->first_strange = state->number;
            if (state->strange > sqlite_strange_max(state)) {
                state->phase = SQLITE_AT_TREES;
                return (struct sig_result){ 0 };
            }
        }
    }
    const uint64_t len = (uint64_t)state->pages * state->page_size;
    if (len <= in->limit && sig_bytes(in, len - 1, 1) == NULL)
        return sig_short(in);
    state->phase = SQLITE_AT_TREES;
    return (struct sig_result){ 0 };
}

/* Notes the tables in page `number` of the schema; false: wait. Pages behind the end are left out.
 */
static bool sqlite_tables_of(struct sig_input *in, const struct sqlite_state *state,
                             uint32_t number, struct sqlite_tables *tables)
{
    const uint64_t at = ((uint64_t)number - 1) * state->page_size;

    if (number == 0 || at >= in->limit || in->limit - at < state->page_size)
        return true;
    const uint8_t *page = sig_bytes(in, at, state->page_size);
    if (page != NULL)
        sqlite_application_take(tables, page, state->page_size);
    return page != NULL;
}

/* The leaves of the schema: page 1, or those that it names. Returns how many; 0: wait. */
static uint32_t sqlite_schema_pages(struct sig_input *in, uint32_t page_size, uint32_t *pages)
{
    const uint8_t *page = sig_bytes(in, 0, page_size);
    uint32_t count = 1;

    pages[0] = 1;
    if (page == NULL || page[HEADER] != 5)
        return page == NULL ? 0 : 1;
    const uint32_t cells = bytes_u16be(page + HEADER + 3);
    pages[0] = bytes_u32be(page + HEADER + 8);
    for (uint32_t i = 0; i < cells && count < SCHEMA_PAGES; i++) {
        const uint32_t place = HEADER + 12 + 2 * i;
        const uint32_t cell = place + 2 <= page_size ? bytes_u16be(page + place) : page_size;

        if (cell + 4 > page_size)
            break;
        pages[count++] = bytes_u32be(page + cell);
    }
    return count;
}

static const struct sig_type *sqlite_type(const char *name)
{
    for (const struct sig_type *type = sqlite_types; type->name != NULL; type++)
        if (strcmp(type->name, name) == 0)
            return type;
    return &sqlite_types[0];
}

/* Sets the type by the tables of the schema; false: wait. */
static bool sqlite_tell_type(struct sig_input *in, const struct sqlite_state *state)
{
    struct sqlite_tables tables = { 0 };
    uint32_t pages[SCHEMA_PAGES];
    const uint32_t count = sqlite_schema_pages(in, state->page_size, pages);

    for (uint32_t i = 0; i < count; i++)
        if (!sqlite_tables_of(in, state, pages[i], &tables))
            return false;
    const char *name = sqlite_application(&tables);
    const uint8_t *head = sig_bytes(in, APPLICATION_AT, 4);
    if (head == NULL || count == 0)
        return false;
    const uint32_t network = bytes_u32be(head);
    if (name == NULL && (network == 0xf9beb4d9 || network == 0x0b110907))
        name = "bitcoin-wallet";
    if (name != NULL)
        in->type = sqlite_type(name);
    return true;
}

/*
 * Bytes from the start on in which every page is right. Where foreign bytes begin in the middle of
 * a page, it is often only the next one that shows it; so the last page counts only if the image
 * ends behind it.
 */
static uint64_t sqlite_sure(const struct sqlite_state *state, const struct sqlite_db *db,
                            bool image_ends)
{
    uint32_t number = 1, last = 1;

    for (; number <= db->most; number++) {
        if (sqlite_seen(db, number) && !sqlite_idle(db, number))
            last = number;
        else if (!sqlite_seen(db, number) && !sqlite_is_map(state, number) &&
                 number != sqlite_lock_page(state))
            break;
    }
    if (number > db->most && image_ends)
        return (uint64_t)db->most * state->page_size;
    return (uint64_t)(last - 1) * state->page_size;
}

static struct sig_result sqlite_trees(struct sig_input *in, const struct sqlite_state *state)
{
    const uint64_t room =
        in->limit / state->page_size < UINT32_MAX ? in->limit / state->page_size : UINT32_MAX - 1;
    const bool strange = state->strange > sqlite_strange_max(state);
    struct sqlite_db db = {
        .in = in,
        .page_size = state->page_size,
        .usable = state->usable,
        .most = state->pages != 0 && state->pages <= room ? state->pages : (uint32_t)room,
        .freelist_at = state->freelist_at,
        .freelist_pages = state->freelist_pages,
        .tree_budget = (uint64_t)state->pages * state->page_size > FOLLOW_ALL_MAX ? FOLLOW_EACH : 0,
    };

    if (strange) /* nothing behind the first of them is worth following */
        db.most = state->first_strange - 1;
    if (!sqlite_follow(&db)) {
        /* Without a page count the trees are followed anew for every page that has come: ask for
         * twice as much instead. */
        const uint64_t twice = in->wanted > in->limit / 2 ? in->limit : 2 * in->wanted;

        if (in->wanted <= in->limit)
            sig_bytes(in, twice - 1, 1);
        return sig_short(in);
    }
    if (!sqlite_tell_type(in, state))
        return sig_short(in);
    const uint64_t len =
        (uint64_t)(state->pages != 0 ? state->pages : db.largest) * state->page_size;
    if (!strange && !db.bad)
        return sig_complete(in, len, "every page is where its tree says");
    sig_valid(in, sqlite_sure(state, &db, !strange && len > in->limit));
    if (strange)
        return sig_breaks(in, "a page does not belong to this database");
    return sig_breaks(in, len > in->limit ? "the image ends before the database does"
                                          : "a page contradicts the tree above it");
}

static struct sig_result sqlite_check(struct sig_input *in, void *memory)
{
    struct sqlite_state *state = memory;
    struct sig_result out = { 0 };

    if (state->phase == SQLITE_AT_HEAD) {
        out = sqlite_head(in, state);
        if (state->phase == SQLITE_AT_HEAD)
            return out;
    }
    if (state->phase == SQLITE_AT_PAGES) {
        out = sqlite_pages(in, state);
        if (state->phase == SQLITE_AT_PAGES)
            return out;
    }
    return sqlite_trees(in, state);
}

const struct sig sig_sqlite = {
    .name = "sqlite",
    .what = "SQLite 3 database",
    .proves = "every page is where a tree, overflow chain or free list says (some trees, in a "
              "large database); rows in order",
    .source = "SQLite, Database File Format (fileformat2.html)",
    .types = sqlite_types,
    .headers = { SIG_MASKED(
        "SQLite format 3\0?????\x40\x20\x20",
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\xff\xff\xff") },
    .size_min = PAGE_MIN,
    .size_max = UINT64_C(65536) * (UINT32_MAX - 1),
    .state_size = sizeof(struct sqlite_state),
    .check = sqlite_check,
    .facts = sqlite_facts,
};
