/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/urlcache.c - index.dat: cache, history and cookies of Internet Explorer 4 to 9.
 *
 *   "Client UrlCache MMF Ver 5.2\0" | u32le size of the file | place of the first hash table |
 * blocks, blocks in use from 0x4000 on blocks of 128 bytes: hash tables ("HASH"), records ("URL ",
 * "REDR", "LEAK")
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    URLCACHE_HEAD = 72,
    URLCACHE_BLOCKS_AT = 0x4000,
    URLCACHE_BLOCK = 128,
    URLCACHE_TABLES_MAX = 4096,
    URLCACHE_ENTRY = 8,
    URLCACHE_UNIT = 0x1000,
};

struct urlcache_state {
    uint64_t table; /* the next hash table; 0: the first */
    uint32_t tables, entry;
};

/* The records that one hash table names. */
static enum step urlcache_table(struct sig_input *in, struct urlcache_state *state, uint32_t size,
                                uint32_t *next)
{
    const uint8_t *p = sig_bytes(in, state->table, 16);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t blocks = bytes_u32le(p + 4);
    *next = bytes_u32le(p + 8);
    if (memcmp(p, "HASH", 4) != 0 || blocks == 0 || blocks > 1 << 16 ||
        state->table + (uint64_t)blocks * URLCACHE_BLOCK > size)
        return STEP_BAD;
    const uint32_t entries = (blocks * URLCACHE_BLOCK - 16) / URLCACHE_ENTRY;
    for (; state->entry < entries; state->entry++) {
        p = sig_bytes(in, state->table + 16 + state->entry * URLCACHE_ENTRY, URLCACHE_ENTRY);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t flags = bytes_u32le(p), at = bytes_u32le(p + 4);
        if (flags == 3 || flags == 1 || at == 0 || at == 0xbadf00d || at == UINT32_MAX ||
            (flags & 0x3f) == 3 || (flags & 0x3f) == 1)
            continue;
        if (at < URLCACHE_BLOCKS_AT || at % URLCACHE_BLOCK != 0 || at >= size)
            return STEP_BAD;
        p = sig_bytes(in, at, 8);
        if (p == NULL)
            return STEP_WAIT;
        if ((memcmp(p, "URL ", 4) != 0 && memcmp(p, "REDR", 4) != 0 && memcmp(p, "LEAK", 4) != 0) ||
            at + (uint64_t)bytes_u32le(p + 4) * URLCACHE_BLOCK > size)
            return STEP_BAD;
    }
    state->entry = 0;
    return STEP_DONE;
}

static struct sig_result urlcache_check(struct sig_input *in, void *memory)
{
    struct urlcache_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, URLCACHE_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t size = bytes_u32le(p + 28), table = bytes_u32le(p + 32),
                   blocks = bytes_u32le(p + 36);
    const uint32_t used = bytes_u32le(p + 40);
    if (size < URLCACHE_BLOCKS_AT || size % URLCACHE_UNIT != 0 || table < URLCACHE_BLOCKS_AT ||
        table >= size || table % URLCACHE_BLOCK != 0 || used > blocks ||
        (uint64_t)blocks * URLCACHE_BLOCK > size)
        return sig_reject("invalid sizes");
    sig_valid(in, URLCACHE_HEAD);
    if (state->table == 0)
        state->table = table;
    for (;;) {
        uint32_t next;
        const enum step step = urlcache_table(in, state, size, &next);

        if (step == STEP_WAIT && in->wanted > in->limit)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD || ++state->tables > URLCACHE_TABLES_MAX)
            return sig_breaks(in, "invalid hash table or record");
        if (next == 0)
            break;
        if (next >= size || next < URLCACHE_BLOCKS_AT)
            return sig_breaks(in, "a hash table lies outside the file");
        state->table = next;
    }
    return sig_complete(in, size, "every record of the hash tables is there");
}

const struct sig sig_urlcache = {
    .name = "index.dat",
    .what = "cache, history or cookies of Internet Explorer (index.dat)",
    .proves = "hash tables lead from one to the next; every record that they name is there",
    .source = "libmsiecf documentation, MSIE Cache File (index.dat) format, 2-5",
    .types = (const struct sig_type[]){ { "index.dat", "dat" }, { 0 } },
    .headers = { SIG_PATTERN("Client UrlCache MMF Ver ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = URLCACHE_BLOCKS_AT,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct urlcache_state),
    .check = urlcache_check,
};
