/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/ole2_facts.c - facts of OLE compound files: the property sets of the streams
 * SummaryInformation and DocumentSummaryInformation, and whether the document is encrypted.
 *
 * Sources: [MS-CFB], [MS-OLEPS], [MS-OFFCRYPTO] 2.3 (EncryptionInfo, EncryptedPackage).
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/document/document_facts.h"
#include "signatures/facts/tell.h"

#define OLE2_EPOCH INT64_C(11644473600) /* seconds from 1601 to 1970 */

enum {
    OLE2_FACTS_ENTRIES = 512,    /* of the directory, that are looked at, */
    OLE2_FACTS_SECTORS = 128,    /* in so many sectors of it */
    OLE2_FACTS_DEEP = 64,        /* of the tree of entries: it is balanced */
    OLE2_FACTS_ENTRY = 128,      /* bytes of one */
    OLE2_FACTS_STREAM = 16384,   /* bytes of a stream that are looked at */
    OLE2_FACTS_PROPERTIES = 64,  /* of a set, that are looked at */
    OLE2_FACTS_END = 0xfffffffa, /* sector numbers from here on end a chain */
};

struct ole2_facts_walk {
    struct sig_facts *facts;
    uint32_t shift;     /* of a sector's bytes */
    uint32_t mini_from; /* first sector of the stream of small streams */
    uint32_t mini_fat;  /* first sector of their table */
    uint32_t mini_most; /* streams of fewer bytes lie there */
    uint32_t page;      /* of Windows code */
};

static uint64_t ole2_facts_at(const struct ole2_facts_walk *walk, uint32_t sector)
{
    return ((uint64_t)sector + 1) << walk->shift;
}

/* The sector behind this one in its chain. */
static uint32_t ole2_facts_next(const struct ole2_facts_walk *walk, uint32_t sector)
{
    const uint32_t in_sector = 1u << (walk->shift - 2);
    const uint32_t table = sector / in_sector;
    /* Only the first 109 sectors of the table are named in the header: 6.8 MiB of a file with
     * sectors of 512 bytes. The summaries of larger ones mostly lie in front, too. */
    const uint8_t *bytes =
        table < 109 ? tell_bytes(walk->facts, 76 + UINT64_C(4) * table, 4) : NULL;

    if (bytes == NULL || bytes_u32le(bytes) >= OLE2_FACTS_END)
        return UINT32_MAX;
    bytes =
        tell_bytes(walk->facts,
                   ole2_facts_at(walk, bytes_u32le(bytes)) + UINT64_C(4) * (sector % in_sector), 4);
    return bytes != NULL ? bytes_u32le(bytes) : UINT32_MAX;
}

/* Sector number `number` of a chain. */
static uint32_t ole2_facts_nth(const struct ole2_facts_walk *walk, uint32_t first, uint32_t number)
{
    for (; number > 0 && first < OLE2_FACTS_END; number--)
        first = ole2_facts_next(walk, first);
    return first;
}

/* The object offset of the mini sector, or 0. */
static uint64_t ole2_facts_mini(const struct ole2_facts_walk *walk, uint32_t mini)
{
    const uint64_t at = (uint64_t)mini << 6;
    const uint32_t sector = ole2_facts_nth(walk, walk->mini_from, (uint32_t)(at >> walk->shift));

    return sector < OLE2_FACTS_END ? ole2_facts_at(walk, sector) + (at & ((1u << walk->shift) - 1))
                                   : 0;
}

static uint32_t ole2_facts_mini_next(const struct ole2_facts_walk *walk, uint32_t mini)
{
    const uint64_t at = UINT64_C(4) * mini;
    const uint32_t sector = ole2_facts_nth(walk, walk->mini_fat, (uint32_t)(at >> walk->shift));
    const uint8_t *bytes =
        sector < OLE2_FACTS_END
            ? tell_bytes(walk->facts,
                         ole2_facts_at(walk, sector) + (at & ((1u << walk->shift) - 1)), 4)
            : NULL;

    return bytes != NULL ? bytes_u32le(bytes) : UINT32_MAX;
}

/* The first bytes of a stream, in facts->scratch; returns how many. */
static uint32_t ole2_facts_stream(const struct ole2_facts_walk *walk, uint32_t first, uint64_t len)
{
    const bool mini = len < walk->mini_most;
    const uint32_t step = mini ? 64 : 1u << walk->shift;
    const uint32_t want = len < OLE2_FACTS_STREAM ? (uint32_t)len : OLE2_FACTS_STREAM;
    uint32_t got = 0;

    while (got < want && first < OLE2_FACTS_END) {
        const uint64_t at = mini ? ole2_facts_mini(walk, first) : ole2_facts_at(walk, first);
        const uint32_t more = want - got < step ? want - got : step;
        const uint8_t *bytes = at != 0 ? tell_bytes(walk->facts, at, more) : NULL;

        if (bytes == NULL)
            break;
        memcpy(walk->facts->scratch + got, bytes, more);
        got += more;
        first = mini ? ole2_facts_mini_next(walk, first) : ole2_facts_next(walk, first);
    }
    return got;
}

static void ole2_facts_text(const struct ole2_facts_walk *walk, enum sig_fact_key key,
                            const uint8_t *value, uint32_t room, bool wide)
{
    const uint32_t count = bytes_u32le(value), left = room - 4;
    const uint32_t len = wide           ? (count < left / 2 ? 2 * count : left / 2 * 2)
                         : count < left ? count
                                        : left;

    if (wide || walk->page == 1200)
        tell_utf16(walk->facts, key, value + 4, len, false);
    else if (walk->page == 65001 || walk->page == 0)
        tell_text(walk->facts, key, value + 4, len);
    else
        tell_latin1(walk->facts, key, value + 4, len);
}

/* A FILETIME: 100 nanoseconds since 1601. Small ones are spans of time. */
static void ole2_facts_time(struct sig_facts *facts, enum sig_fact_key key, const uint8_t *value)
{
    const uint64_t seconds = bytes_u64le(value) / 10000000;

    if (seconds > UINT64_C(1) << 32 && seconds < UINT64_C(1) << 40)
        tell_moment(facts, key, (int64_t)seconds - OLE2_EPOCH);
}

/* A property: u32 type | value, of which room bytes are there. */
static void ole2_facts_property(const struct ole2_facts_walk *walk, bool document, uint32_t number,
                                const uint8_t *bytes, uint32_t room)
{
    static const enum sig_fact_key summary[] = {
        [2] = SIG_FACT_TITLE,       [3] = SIG_FACT_SUBJECT,  [4] = SIG_FACT_AUTHOR,
        [8] = SIG_FACT_LAST_AUTHOR, [11] = SIG_FACT_PRINTED, [12] = SIG_FACT_CREATED,
        [13] = SIG_FACT_MODIFIED,   [18] = SIG_FACT_SOFTWARE
    };
    const uint32_t type = bytes_u32le(bytes) & 0xffff;
    enum sig_fact_key key = SIG_FACT_TAKEN; /* no property's */

    if (document)
        key = number == 15 ? SIG_FACT_COMPANY : key;
    else if (number < sizeof summary / sizeof summary[0])
        key = summary[number];
    if (key == SIG_FACT_TAKEN || room < 12)
        return;
    if (type == 64)
        ole2_facts_time(walk->facts, key, bytes + 4);
    else if (type == 30 || type == 31)
        ole2_facts_text(walk, key, bytes + 4, room - 4, type == 31);
}

/* The first property set of a stream: 28 bytes | class | place; size | count | (number, place)* */
static void ole2_facts_set(struct ole2_facts_walk *walk, const uint8_t *bytes, uint32_t len,
                           bool document)
{
    const uint32_t from = len >= 48 ? bytes_u32le(bytes + 44) : UINT32_MAX;

    if (from > len || len - from < 8)
        return;
    const uint8_t *set = bytes + from;
    const uint32_t room = len - from, count = bytes_u32le(set + 4);
    walk->page = 0;
    for (uint32_t pass = 0; pass < 2; pass++) /* the code page first */
        for (uint32_t i = 0; i < count && i < OLE2_FACTS_PROPERTIES && 8 + 8 * i + 8 <= room; i++) {
            const uint32_t number = bytes_u32le(set + 8 + (size_t)8 * i);
            const uint32_t at = bytes_u32le(set + 12 + (size_t)8 * i);

            if (at > room || room - at < 8)
                continue;
            if (pass == 0 && number == 1)
                walk->page = bytes_u16le(set + at + 4);
            else if (pass == 1)
                ole2_facts_property(walk, document, number, set + at, room - at);
        }
}

/* Whether the name of an entry is this ASCII text. */
static bool ole2_facts_named(const uint8_t *entry, const char *name)
{
    const size_t len = strlen(name);

    if (bytes_u16le(entry + 64) != 2 * (len + 1))
        return false;
    for (size_t i = 0; i < len; i++)
        if (entry[2 * i] != (uint8_t)name[i] || entry[2 * i + 1] != 0)
            return false;
    return true;
}

/* The places of the directory's sectors. */
struct ole2_facts_directory {
    uint64_t at[OLE2_FACTS_SECTORS];
    uint32_t count;
};

static bool ole2_facts_read(const struct ole2_facts_walk *walk,
                            const struct ole2_facts_directory *directory, uint32_t number,
                            uint8_t entry[OLE2_FACTS_ENTRY])
{
    const uint32_t in_sector = (1u << walk->shift) / OLE2_FACTS_ENTRY;
    const uint8_t *bytes = number / in_sector < directory->count
                               ? tell_bytes(walk->facts,
                                            directory->at[number / in_sector] +
                                                (uint64_t)OLE2_FACTS_ENTRY * (number % in_sector),
                                            OLE2_FACTS_ENTRY)
                               : NULL;

    if (bytes != NULL)
        memcpy(entry, bytes, OLE2_FACTS_ENTRY);
    return bytes != NULL;
}

static void ole2_facts_entry(struct ole2_facts_walk *walk, const uint8_t entry[OLE2_FACTS_ENTRY])
{
    const uint32_t first = bytes_u32le(entry + 116);
    const uint64_t len = bytes_u32le(entry + 120);
    const bool summary = ole2_facts_named(entry, "\5SummaryInformation");

    if (ole2_facts_named(entry, "EncryptedPackage") || ole2_facts_named(entry, "EncryptionInfo")) {
        tell_count(walk->facts, SIG_FACT_ENCRYPTED, 1);
    } else if (summary || ole2_facts_named(entry, "\5DocumentSummaryInformation")) {
        const uint32_t got = ole2_facts_stream(walk, first, len);

        ole2_facts_set(walk, walk->facts->scratch, got, !summary);
    }
}

/* What stands in the root, and not in the documents that lie inside: a tree of entries. */
static void ole2_facts_tree(struct ole2_facts_walk *walk,
                            const struct ole2_facts_directory *directory, uint32_t root)
{
    uint32_t stack[OLE2_FACTS_DEEP] = { root }, depth = 1;
    uint8_t entry[OLE2_FACTS_ENTRY];

    for (uint32_t i = 0; depth > 0 && i < OLE2_FACTS_ENTRIES; i++) {
        if (!ole2_facts_read(walk, directory, stack[--depth], entry))
            continue;
        ole2_facts_entry(walk, entry);
        for (uint32_t side = 0; side < 2 && depth < OLE2_FACTS_DEEP; side++)
            if (bytes_u32le(entry + 68 + (size_t)4 * side) < OLE2_FACTS_END)
                stack[depth++] = bytes_u32le(entry + 68 + (size_t)4 * side);
    }
}

void ole2_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 0, 76);
    struct ole2_facts_walk walk = { .facts = facts, .mini_from = UINT32_MAX };
    struct ole2_facts_directory directory = { .count = 0 };
    uint8_t root[OLE2_FACTS_ENTRY];

    if (head == NULL || (bytes_u16le(head + 30) != 9 && bytes_u16le(head + 30) != 12))
        return;
    walk.shift = bytes_u16le(head + 30);
    walk.mini_most = bytes_u32le(head + 56);
    walk.mini_fat = bytes_u32le(head + 60);
    uint32_t sector = bytes_u32le(head + 48);
    for (; directory.count < OLE2_FACTS_SECTORS && sector < OLE2_FACTS_END;
         sector = ole2_facts_next(&walk, sector))
        directory.at[directory.count++] = ole2_facts_at(&walk, sector);
    if (!ole2_facts_read(&walk, &directory, 0, root))
        return;
    walk.mini_from = bytes_u32le(root + 116);
    ole2_facts_tree(&walk, &directory, bytes_u32le(root + 76));
}
