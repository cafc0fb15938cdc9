/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/blockcache.c - the cache of Chrome on Windows: files of blocks (data_0 and on),
 * and their index.
 *
 *   blocks: c3 ca 04 c1 | u32le version | i16le number, next | i32le bytes of a block, blocks in
 * use, blocks | i32le empty runs of 1 to 4 | hints | updating | user | map of 8112 bytes, a bit for
 * each block | the blocks, from 8192 on
 *   index: c3 ca 03 c1 | u32le version | i32le entries, bytes | last file, identity, statistics |
 * i32le length of the table | crash, experiment | u64le time of creation | ... 368 bytes | table
 * of addresses: 1 bit in use, 3 bits kind of file, 28 bits place
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    BLOCKS_HEAD = 8192,
    BLOCKS_MAP = 80,
    BLOCKS_MAX = 8 * (BLOCKS_HEAD - BLOCKS_MAP),
    BLOCKS_KINDS = 4, /* of runs: one to four blocks */
    INDEX_HEAD = 368,
    INDEX_TABLE = 65536,
    INDEX_TABLE_MAX = 1 << 22,
};

struct blocks_state {
    uint64_t at;
    uint32_t used; /* addresses of the index that are in use */
};

/* Blocks in use by the map are no fewer than the header's count of the entries that use them. */
static struct sig_result blocks_check(struct sig_input *in)
{
    const uint8_t *p = sig_bytes(in, 0, BLOCKS_HEAD);
    uint32_t set = 0, last = 0;

    if (p == NULL)
        return sig_short(in);
    const uint32_t size = bytes_u32le(p + 12), entries = bytes_u32le(p + 16),
                   most = bytes_u32le(p + 20);
    if ((size != 36 && size != 256 && size != 1024 && size != 4096 && size != 8 && size != 104 &&
         size != 48) ||
        most == 0 || most > BLOCKS_MAX || entries > most)
        return sig_reject("invalid size or number of blocks");
    for (uint32_t i = 0; i < BLOCKS_KINDS; i++)
        if (bytes_u32le(p + 24 + 4 * i) > most)
            return sig_reject("invalid number of empty runs");
    for (uint32_t i = 0; i < BLOCKS_MAX; i++)
        if ((p[BLOCKS_MAP + i / 8] >> i % 8 & 1) != 0) {
            set++;
            last = i;
        }
    if (set < entries || (set > 0 && last >= most))
        return sig_reject("the map does not agree with the number of blocks");
    sig_valid(in, BLOCKS_HEAD);
    return sig_believe(in, BLOCKS_HEAD + (uint64_t)size * most,
                       "the map agrees with the number of blocks");
}

static struct sig_result index_check(struct sig_input *in, struct blocks_state *state)
{
    const uint8_t *p = sig_bytes(in, 0, INDEX_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t entries = bytes_u32le(p + 8), told = bytes_u32le(p + 28);
    const uint32_t len = told == 0 ? INDEX_TABLE : told;
    if (len > INDEX_TABLE_MAX || (len & (len - 1)) != 0 || len < 256 || entries >> 31 != 0 ||
        bytes_u32le(p + 12) >> 31 != 0)
        return sig_reject("invalid length of the table");
    if (state->at == 0)
        state->at = INDEX_HEAD;
    const uint64_t end = INDEX_HEAD + UINT64_C(4) * len;
    while (state->at < end) {
        p = sig_bytes(in, state->at, 4);
        if (p == NULL)
            return sig_short(in);
        const uint32_t address = bytes_u32le(p);
        /* the first entry of a bucket lies in a file of blocks of 256 bytes, which is kind 2 */
        if (address != 0 && address >> 28 != 0xa)
            return sig_breaks(in, "an address names no entry");
        state->used += address != 0;
        state->at += 4;
        sig_valid(in, state->at);
    }
    if (state->used > entries)
        return sig_breaks(in, "more buckets are in use than there are entries");
    return sig_complete(in, end, "every address of the table names an entry");
}

static struct sig_result blockcache_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, 4);

    if (p == NULL)
        return sig_short(in);
    in->type = &in->sig->types[p[2] == 3];
    return p[2] == 3 ? index_check(in, memory) : blocks_check(in);
}

const struct sig sig_blockcache = {
    .name = "blockcache",
    .what = "cache of Chrome on Windows: file of blocks, index",
    .proves = "blocks: the map agrees with their number; index: every address names an entry",
    .source = "Chromium, net/disk_cache/blockfile/disk_format.h and disk_format_base.h",
    .types = (const struct sig_type[]){ { "cache-blocks", "blocks" },
                                        { "cache-index", "index" },
                                        { 0 } },
    .headers = { SIG_MASKED("\xc3\xca\4\xc1\0\0\2\0", "\xff\xff\xff\xff\xfe\xff\xfe\xff"),
                 SIG_MASKED("\xc3\xca\3\xc1\0\0\2\0", "\xff\xff\xff\xff\xfe\xff\xfe\xff") },
    .flags = SIG_CONTAINER,
    .size_min = INDEX_HEAD + 4 * 256,
    .size_max = BLOCKS_HEAD + UINT64_C(4096) * BLOCKS_MAX,
    .state_size = sizeof(struct blocks_state),
    .check = blockcache_check,
};
