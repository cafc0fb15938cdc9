/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/rrd.c - RRDtool: measurements over time, as monitors of machines keep them.
 *
 *   "RRD\0" | "0001" to "0005" | 8.642135e130, a double | u64 sources | archives | seconds of a
 * step | 10 parameters of 8 bytes sources: 20 bytes of name, 20 of kind, 10 parameters | archives:
 * 20 bytes of kind | u64 rows | values of a row | 10 parameters | time, 8 bytes (16 from version 3
 * on) | sources, 112 bytes each | sources of archives, 80 each | archives: u64 row | rows: a double
 * a source
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    RRD_HEAD = 128,
    RRD_SOURCE = 120,
    RRD_ARCHIVE = 120,
    RRD_PREPARED = 112,
    RRD_CONSOLIDATED = 80,
    RRD_SOURCES_MAX = 65536,
    RRD_ARCHIVES_MAX = 1024,
    RRD_ROWS_MAX = 1 << 28,
};

/* The kind of a source or an archive: letters, and NULs behind them. */
static bool rrd_is_word(const uint8_t *p)
{
    const uint8_t *end = memchr(p, 0, 20);

    if (end == NULL || end == p)
        return false;
    for (; p < end; p++)
        if (*p < ' ' || *p > '~')
            return false;
    return true;
}

static struct sig_result rrd_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, RRD_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t sources = bytes_u64le(p + 24), archives = bytes_u64le(p + 32);
    const uint32_t live = p[7] >= '3' ? 16 : 8;
    if (sources == 0 || sources > RRD_SOURCES_MAX || archives == 0 || archives > RRD_ARCHIVES_MAX)
        return sig_reject("invalid number of sources or archives");
    uint64_t end = RRD_HEAD + (RRD_SOURCE + RRD_PREPARED) * sources + (RRD_ARCHIVE + 8) * archives +
                   live + RRD_CONSOLIDATED * sources * archives;
    p = sig_bytes(in, RRD_HEAD, RRD_SOURCE);
    if (p == NULL)
        return sig_short(in);
    if (!rrd_is_word(p) || !rrd_is_word(p + 20))
        return sig_reject("a source has no name");
    for (uint64_t i = 0; i < archives; i++) {
        p = sig_bytes(in, RRD_HEAD + RRD_SOURCE * sources + RRD_ARCHIVE * i, 32);
        if (p == NULL)
            return sig_short(in);
        const uint64_t rows = bytes_u64le(p + 24);
        if (!rrd_is_word(p) || rows == 0 || rows > RRD_ROWS_MAX)
            return sig_reject("invalid archive");
        end += 8 * sources * rows;
    }
    sig_valid(in, RRD_HEAD);
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "sources and rows of all archives make up the length");
}

const struct sig sig_rrd = {
    .name = "rrd",
    .what = "measurements over time (RRDtool)",
    .proves = "sources and archives are named; their rows make up the length",
    .source = "RRDtool 1.7, src/rrd_format.h (of machines of 64 bits)",
    .types = (const struct sig_type[]){ { "rrd", "rrd" }, { 0 } },
    .headers = { SIG_MASKED("RRD\0"
                            "000?\0???????\x2f\x25\xc0\xc7\x43\x2b\x1f\x5b",
                            "\xff\xff\xff\xff\xff\xff\xff\0\xff\0\0\0\0\0\0\0\xff\xff\xff\xff"
                            "\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = RRD_HEAD + RRD_SOURCE + RRD_ARCHIVE,
    .size_max = UINT64_C(1) << 40,
    .check = rrd_check,
};
