/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/sdb.c - sdb: shims that Windows puts under old programs, and that intruders
 * use.
 *
 *   u32le 2 or 3 | u32le 1 | "sdbf" | parts: u16le tag | u32le bytes | data, up to 2
 *   parts of the file: 7802 indexes, 7001 the database, 7801 its strings
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    SDB_HEAD = 12,
    SDB_PART = 6,
    SDB_INDEXES = 0x7802,
    SDB_DATABASE = 0x7001,
    SDB_STRINGS = 0x7801,
    SDB_KIND = 0xf000,
    SDB_LIST = 0x7000,
};

/* Bytes of the value of a tag; 0: its length stands behind the tag. */
static uint32_t sdb_bytes(uint32_t tag)
{
    static const uint8_t bytes[] = { 0, 0, 1, 2, 4, 8, 4 };

    return tag >> 12 < sizeof bytes ? bytes[tag >> 12] : 0;
}

static struct sig_result sdb_check(struct sig_input *in, void *memory)
{
    uint64_t at = SDB_HEAD;
    bool database = false;

    (void)memory;
    for (uint32_t part = 0; part < 3; part++) {
        const uint8_t *p = sig_bytes(in, at, SDB_PART);

        if (p == NULL)
            return sig_short(in);
        const uint32_t tag = bytes_u16le(p), bytes = bytes_u32le(p + 2);
        if (tag != SDB_INDEXES && tag != SDB_DATABASE && tag != SDB_STRINGS)
            return sig_breaks(in, "invalid part");
        p = bytes < 2 ? NULL : sig_bytes(in, at + SDB_PART, 2);
        if (bytes >= 2 && p == NULL)
            return sig_short(in);
        const uint32_t first = p == NULL ? 0 : bytes_u16le(p);
        if (p != NULL && sdb_bytes(first) == 0 && (first & SDB_KIND) < SDB_LIST)
            return sig_breaks(in, "invalid tag in a part");
        at += SDB_PART + (uint64_t)bytes;
        at += at % 2;
        database |= tag == SDB_DATABASE;
        if (sig_bytes(in, at - 1, 1) == NULL)
            return sig_short(in);
        sig_valid(in, at);
        if (tag == SDB_STRINGS && database)
            return sig_believe(in, at, "the parts of a database, up to its strings");
    }
    return sig_breaks(in, "there are no strings");
}

const struct sig sig_sdb = {
    .name = "sdb",
    .what = "shims of Windows for old programs (sdb)",
    .proves = "indexes, database and strings follow one another; they are not read",
    .source = "Microsoft, Application Compatibility Database: TAG types; W. Ballenthin, python-sdb",
    .types = (const struct sig_type[]){ { "sdb", "sdb" }, { 0 } },
    .headers = { SIG_MASKED("\2\0\0\0????sdbf", "\xfe\xff\xff\xff\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SDB_HEAD + SDB_PART,
    .size_max = 1 << 30,
    .check = sdb_check,
};
