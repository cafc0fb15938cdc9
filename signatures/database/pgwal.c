/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/pgwal.c - segments of the log of PostgreSQL (WAL): every change of its
 * tables.
 *
 *   pages, each: u16 magic d0xx or d1xx, of the version | u16 flags | u32 timeline | u64 place of
 * the page in the log | u32 bytes left of the record before | 4 bytes | of the first page: u64
 * number of the system | u32 bytes of the segment | u32 bytes of a page | records
 *
 * Numbers are those of the machine; little-endian ones are read. A segment is as long as its first
 * page says. Behind the last record are zeros, or pages of an older segment whose file was used
 * again: their places differ by whole segments.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    WAL_LONG = 40,  /* bytes of the head of the first page */
    WAL_SHORT = 24, /* … of the others */
    WAL_IS_LONG = 2,
    WAL_FLAGS = 15,
    WAL_SEGMENT_MIN = 1 << 20,
    WAL_SEGMENT_MAX = 1 << 30,
    WAL_PAGE_MIN = 1024,
    WAL_PAGE_MAX = 65536,
};

struct wal_state {
    uint64_t at;    /* the next page; 0: not begun */
    uint64_t place; /* of the last page that is not of zeros */
};

static bool wal_power(uint32_t value, uint32_t least, uint32_t most)
{
    return value >= least && value <= most && (value & (value - 1)) == 0;
}

/* A later page: of zeros, of this segment, or of the one whose file it was. */
static bool wal_page(const uint8_t *p, uint32_t magic, uint64_t at, uint32_t segment,
                     struct wal_state *state)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < WAL_SHORT; i++)
        any |= p[i];
    if (any == 0)
        return true;
    const uint64_t place = bytes_u64le(p + 8);
    if (bytes_u16le(p) != magic || bytes_u16le(p + 2) > WAL_FLAGS ||
        (bytes_u16le(p + 2) & WAL_IS_LONG) != 0 || bytes_u32le(p + 4) == 0 ||
        place % segment != at || place / segment > state->place / segment)
        return false;
    state->place = place;
    return true;
}

static struct sig_result wal_check(struct sig_input *in, void *memory)
{
    struct wal_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, WAL_LONG);

    if (p == NULL)
        return sig_short(in);
    const uint32_t magic = bytes_u16le(p), flags = bytes_u16le(p + 2),
                   segment = bytes_u32le(p + 32), page = bytes_u32le(p + 36);
    const uint64_t place = bytes_u64le(p + 8);
    if (!wal_power(segment, WAL_SEGMENT_MIN, WAL_SEGMENT_MAX) ||
        !wal_power(page, WAL_PAGE_MIN, WAL_PAGE_MAX) || flags > WAL_FLAGS ||
        bytes_u32le(p + 4) == 0 || place == 0 || place % segment != 0 || bytes_u64le(p + 24) == 0)
        return sig_reject("invalid head");
    if (state->at == 0) {
        state->at = page;
        state->place = place;
    }
    while (state->at < segment) {
        p = sig_bytes(in, state->at, WAL_SHORT);
        if (p == NULL)
            return sig_short(in);
        if (!wal_page(p, magic, state->at, segment, state))
            return sig_breaks(in, "invalid page");
        sig_valid(in, state->at);
        state->at += page;
    }
    return sig_believe(in, segment, "every page has its place in the log, or is empty");
}

const struct sig sig_pgwal = {
    .name = "pgwal",
    .what = "segment of the log of PostgreSQL (WAL)",
    .proves = "every page has the place that belongs to it, or is empty; records are not read",
    .source = "PostgreSQL 15, src/include/access/xlog_internal.h: XLogLongPageHeaderData",
    .types = (const struct sig_type[]){ { "pgwal", "pgwal" }, { 0 } },
    .headers = { SIG_MASKED("\0\xd0\2\0????\0\0", "\0\xfe\xf2\xff\0\0\0\0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = WAL_SEGMENT_MIN,
    .size_max = WAL_SEGMENT_MAX,
    .state_size = sizeof(struct wal_state),
    .check = wal_check,
};
