/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/ifo.c - IFO (and BUP, the same) of a DVD-Video: what titles and menus there are.
 *
 *   "DVDVIDEO-VMG" or "-VTS" | u32be last sector of the set | at 0x1c u32be last sector of the IFO
 * | u16be version | at 0x80 u32be last byte of the first table | from 0xc0 u32be sectors of the
 * tables
 *
 * A sector has 2048 bytes. A table says what its last byte is; the tables lie in the file, and the
 * last one ends in the last sector.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    IFO_SECTOR = 2048,
    IFO_HEAD = 0xe8,
    IFO_TABLES = 0xc0,
    IFO_FIRST_MAX = 4095, /* bytes of the first table, in two sectors at most */
    IFO_SECTORS_MAX = 1 << 13,
    IFO_SET_MAX = 1 << 23, /* sectors, more than a disc has */
};

/* Whether the word at 0xc0 + 4 * i is the sector of a table; the others point into the film. */
static bool ifo_is_table(bool manager, uint32_t i)
{
    return manager ? i >= 1 && i <= 7 : i >= 2;
}

/* Whether the table has its last byte in its first word; others have it in the second one. */
static bool ifo_is_map(bool manager, uint32_t i)
{
    return manager ? i == 7 : i == 7 || i == 9;
}

static struct sig_result ifo_check(struct sig_input *in, void *memory)
{
    uint32_t words[10];
    const uint8_t *p = sig_bytes(in, 0, IFO_HEAD);
    uint32_t reached = 0, tables = 0;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const bool manager = p[9] == 'V' && p[10] == 'M';
    const uint32_t all = bytes_u32be(p + 12), last = bytes_u32be(p + 0x1c),
                   first = bytes_u32be(p + 0x80);
    if (last == 0 || last >= IFO_SECTORS_MAX || all < 2 * last + 1 || all >= IFO_SET_MAX)
        return sig_reject("invalid last sector");
    if (p[0x20] != 0 || p[0x21] > 0x1f || first < IFO_HEAD || first > IFO_FIRST_MAX)
        return sig_reject("invalid version or first table");
    for (uint32_t i = 0; i < 10; i++)
        words[i] = bytes_u32be(p + IFO_TABLES + 4 * i);
    for (uint32_t i = 0; i < 10; i++) {
        if (!ifo_is_table(manager, i) || words[i] == 0)
            continue;
        if (words[i] > last)
            return sig_reject("a table lies behind the last sector");
        p = sig_bytes(in, (uint64_t)words[i] * IFO_SECTOR, 8);
        if (p == NULL)
            return sig_short(in);
        const uint32_t table_end = bytes_u32be(p + (ifo_is_map(manager, i) ? 0 : 4));
        /* The length of the manager's table of texts stands elsewhere. */
        if (manager && i == 5)
            continue;
        if (table_end < 7 - (ifo_is_map(manager, i) ? 4 : 0) ||
            table_end / IFO_SECTOR > last - words[i])
            return sig_reject("a table goes on behind the last sector");
        if (words[i] + table_end / IFO_SECTOR > reached)
            reached = words[i] + table_end / IFO_SECTOR;
        tables++;
    }
    if (tables == 0)
        return sig_reject("there are no tables");
    sig_valid(in, IFO_HEAD);
    if (reached != last && !(manager && words[5] != 0))
        return sig_breaks(in, "the tables do not end in the last sector");
    return sig_believe(in, ((uint64_t)last + 1) * IFO_SECTOR,
                       "the tables end in the sector that the header names");
}

const struct sig sig_ifo = {
    .name = "ifo",
    .what = "IFO of a DVD-Video: titles and menus",
    .proves = "tables lie in the file; the last one ends in the last sector",
    .source = "DVD-Video information (mpucoder.com), IFO files; libdvdread, ifo_types.h",
    .types = (const struct sig_type[]){ { "ifo", "ifo" }, { 0 } },
    .headers = { SIG_PATTERN("DVDVIDEO-VMG\0"), SIG_PATTERN("DVDVIDEO-VTS\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2 * IFO_SECTOR,
    .size_max = (uint64_t)IFO_SECTORS_MAX * IFO_SECTOR,
    .check = ifo_check,
};
