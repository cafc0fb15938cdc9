/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/thumbcache.c - thumbnails that Windows Explorer keeps since Vista:
 * thumbcache_*.db, and their index, thumbcache_idx.db.
 *
 *   cache: "CMMM" | version (20 Vista, 21 Windows 7, 26 .. 31 Windows 8, 32 Windows 10 and 11) |
 * which size it keeps | [from 26 on: 0 |] first entry | first entry that is free entries: "CMMM" |
 * its size | hash | [Vista: extension 8] | sizes of name, padding and data | 4 [Windows 8 on: 12] |
 *          CRC-64 of the data | CRC-64 of what stands before it | name | padding | data
 *   index: "IMMM" | version | ? | entries in use | entries | 0; entries of 40 bytes (Vista) or 32
 * (Windows 7)
 *
 * Entries stand one behind the other; the last one is free and has the rest of the file. Of data
 * longer than 1 KiB the CRC takes the first KiB and four bytes of every 400. How long the index of
 * Windows 8 and later is, nobody has published: it is not looked for.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    THUMBCACHE_HEAD = 24,
    THUMBCACHE_VISTA = 20,
    THUMBCACHE_SEVEN = 21,
    THUMBCACHE_EIGHT = 26,
    THUMBCACHE_TEN = 32,
    THUMBCACHE_TYPES = 14,
    THUMBCACHE_NAME_MAX = 1024,
    THUMBCACHE_PADDING_MAX = 4096,
    THUMBCACHE_SUMMED = 1024, /* bytes of the data that are summed one by one; behind them … */
    THUMBCACHE_STRIDE = 400,  /* … four bytes of so many are */
    THUMBCACHE_ZEROS = 4096,  /* bytes of a free entry that are looked at */
};

struct thumbcache_state {
    uint64_t at;      /* the entry being read; 0: not begun */
    uint64_t data_at; /* of its data: where to go on summing; 0: not begun */
    uint64_t first_sum, sum;
    uint64_t entries;
    bool free_seen; /* an entry, or the end, was where the header has the first free one */
};

struct thumbcache_entry {
    uint64_t size, data, data_len, data_sum;
    bool empty; /* free: no name, no padding, no data */
};

/* CRC-64 of the polynomial 0x92c64265d32139a4, the least significant bit first, nothing inverted;
 * four bits a step. */
static uint64_t thumbcache_crc(uint64_t crc, const uint8_t *bytes, uint32_t len)
{
    static const uint64_t table[16] = {
        0x0000000000000000, 0x809e8a2969451e90, 0x24b1909974c84e69, 0xa42f1ab01d8d50f9,
        0x49632132e9909cd2, 0xc9fdab1b80d58242, 0x6dd2b1ab9d58d2bb, 0xed4c3b82f41dcc2b,
        0x92c64265d32139a4, 0x1258c84cba642734, 0xb677d2fca7e977cd, 0x36e958d5ceac695d,
        0xdba563573ab1a576, 0x5b3be97e53f4bbe6, 0xff14f3ce4e79eb1f, 0x7f8a79e7273cf58f,
    };

    for (uint32_t i = 0; i < len; i++) {
        crc = crc >> 4 ^ table[(crc ^ bytes[i]) & 15];
        crc = crc >> 4 ^ table[(crc ^ bytes[i] >> 4) & 15];
    }
    return crc;
}

static bool thumbcache_zeros(const uint8_t *bytes, uint32_t len)
{
    return len == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0);
}

static enum step thumbcache_entry(struct sig_input *in, uint64_t at, uint32_t version,
                                  struct thumbcache_entry *entry)
{
    const uint32_t head_len = version == THUMBCACHE_SEVEN ? 48 : 56,
                   sizes_at = version == THUMBCACHE_VISTA ? 24 : 16;
    const uint8_t *head = sig_bytes(in, at, head_len);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t name = bytes_u32le(head + sizes_at), padding = bytes_u32le(head + sizes_at + 4);
    entry->size = bytes_u32le(head + 4);
    entry->data_len = bytes_u32le(head + sizes_at + 8);
    entry->data = at + head_len + name + padding;
    entry->data_sum = bytes_u64le(head + head_len - 16);
    entry->empty = name == 0 && padding == 0 && entry->data_len == 0;
    if (memcmp(head, "CMMM", 4) != 0 || entry->size < head_len || name > THUMBCACHE_NAME_MAX ||
        name % 2 != 0 || padding > THUMBCACHE_PADDING_MAX ||
        head_len + name + padding + entry->data_len > entry->size)
        return STEP_BAD;
    if (!entry->empty &&
        thumbcache_crc(UINT64_MAX, head, head_len - 8) != bytes_u64le(head + head_len - 8))
        return STEP_BAD;
    if (!entry->empty)
        return STEP_DONE;
    const uint64_t rest = entry->size - head_len;
    const uint32_t look = (uint32_t)(rest < THUMBCACHE_ZEROS ? rest : THUMBCACHE_ZEROS);
    head = look == 0 ? NULL : sig_bytes(in, at + head_len, look);
    if (look > 0 && head == NULL)
        return STEP_WAIT;
    return look == 0 || thumbcache_zeros(head, look) ? STEP_DONE : STEP_BAD;
}

/* The CRC of an entry's data. */
static enum step thumbcache_data(struct sig_input *in, struct thumbcache_state *state,
                                 const struct thumbcache_entry *entry)
{
    const uint64_t end = entry->data + entry->data_len;

    if (state->data_at == 0) {
        const uint32_t len =
            (uint32_t)(entry->data_len < THUMBCACHE_SUMMED ? entry->data_len : THUMBCACHE_SUMMED);
        const uint8_t *bytes = len == 0 ? NULL : sig_bytes(in, entry->data, len);

        if (len > 0 && bytes == NULL)
            return STEP_WAIT;
        state->first_sum = len == 0 ? 0 : thumbcache_crc(0, bytes, len);
        state->data_at = entry->data + len;
        state->sum = 0;
    }
    for (; state->data_at < end; state->data_at += THUMBCACHE_STRIDE) {
        const uint32_t len = (uint32_t)(end - state->data_at < 4 ? end - state->data_at : 4);
        const uint8_t *bytes = sig_bytes(in, state->data_at, len);

        if (bytes == NULL)
            return STEP_WAIT;
        state->sum = thumbcache_crc(state->sum, bytes, len);
    }
    return (state->first_sum ^ state->sum) == entry->data_sum ? STEP_DONE : STEP_BAD;
}

static struct sig_result thumbcache_short(struct sig_input *in)
{
    if (in->wanted > in->limit && in->valid > 0)
        sig_valid(in, in->limit);
    return sig_short(in);
}

/* No entry at state->at: the end, when the header has the first free entry there or before. */
static struct sig_result thumbcache_end(const struct sig_input *in,
                                        const struct thumbcache_state *state)
{
    if (state->entries == 0)
        return sig_reject("there is no entry behind the header");
    if (!state->free_seen)
        return sig_breaks(in, "the entries end before the first free one of the header");
    return sig_complete(in, state->at,
                        "the checksums are right, up to the free entry of the header");
}

static struct sig_result thumbcache_check(struct sig_input *in, void *memory)
{
    struct thumbcache_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, THUMBCACHE_HEAD + 8);

    if (head == NULL)
        return sig_short(in);
    const uint32_t version = bytes_u32le(head + 4), type = bytes_u32le(head + 8);
    const uint32_t first_at = version <= THUMBCACHE_SEVEN ? 12 : 16;
    const uint32_t first = bytes_u32le(head + first_at), vacant = bytes_u32le(head + first_at + 4);
    if ((version != THUMBCACHE_VISTA && version != THUMBCACHE_SEVEN &&
         version < THUMBCACHE_EIGHT) ||
        version > THUMBCACHE_TEN || type >= THUMBCACHE_TYPES)
        return sig_reject("unknown version or kind of cache");
    if (first < THUMBCACHE_HEAD || first > THUMBCACHE_HEAD + 8 || vacant < first)
        return sig_reject("the entries are out of place");
    if (state->at == 0)
        state->at = first;
    for (;;) {
        struct thumbcache_entry entry;
        const uint8_t *mark = sig_bytes(in, state->at, 4);

        state->free_seen = state->free_seen || state->at == vacant;
        if (mark == NULL)
            return in->wanted > in->limit && state->free_seen ? thumbcache_end(in, state)
                                                              : thumbcache_short(in);
        if (memcmp(mark, "CMMM", 4) != 0)
            return thumbcache_end(in, state);
        enum step step = thumbcache_entry(in, state->at, version, &entry);
        if (step == STEP_DONE && !entry.empty)
            step = thumbcache_data(in, state, &entry);
        if (step == STEP_WAIT)
            return thumbcache_short(in);
        if (step == STEP_BAD && state->free_seen && state->at >= vacant)
            return thumbcache_end(in, state); /* another file of the kind, or what is left of one */
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid entry, or its checksum is wrong");
        state->at += entry.size;
        state->data_at = 0;
        state->entries++;
        sig_valid(in, state->at);
        if (state->free_seen && entry.empty)
            return sig_complete(in, state->at,
                                "the checksums are right, up to the free entry at the end");
    }
}

static struct sig_result thumbcache_index_check(struct sig_input *in, void *memory)
{
    uint64_t *next = memory;
    const uint8_t *head = sig_bytes(in, 0, THUMBCACHE_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t version = bytes_u32le(head + 4), used = bytes_u32le(head + 12),
                   count = bytes_u32le(head + 16);
    const uint32_t len = version == THUMBCACHE_VISTA ? 40 : 32;
    if (used > count || count == 0 || bytes_u32le(head + 20) != 0)
        return sig_reject("invalid counts");
    const uint64_t size = THUMBCACHE_HEAD + (uint64_t)count * len;
    for (; *next < count; ++*next) {
        const uint64_t at = THUMBCACHE_HEAD + *next * len;
        const uint8_t *entry = sig_bytes(in, at, len);

        if (entry == NULL)
            return thumbcache_short(in);
        /* Places in the caches: 0 or -1 for none, else behind a header and a multiple of 8 as the
         * entries are. */
        for (uint32_t i = len - 20; i < len; i += 4) {
            const uint32_t place = bytes_u32le(entry + i);

            if (place != 0 && place != UINT32_MAX && (place < THUMBCACHE_HEAD || place % 8 != 0))
                return *next < 4 ? sig_reject("invalid entries") : sig_breaks(in, "invalid entry");
        }
        if (*next >= 4)
            sig_valid(in, at + len);
    }
    return sig_believe(in, size, "every entry points to a valid place");
}

const struct sig sig_thumbcache = {
    .name = "thumbcache",
    .what = "thumbnails of Windows Explorer (thumbcache_*.db)",
    .proves = "every entry's header and data have their CRC-64; the first free one stands where "
              "the header says",
    .source = "libwtcdb documentation, Windows Explorer Thumbnail Cache database format 0.0.7, 3; "
              "thumbcacheviewer "
              "(CRC of data)",
    .types = (const struct sig_type[]){ { "thumbcache", "db" }, { 0 } },
    .headers = { SIG_MASKED("CMMM\x14\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\xfe\xff\xff\xff\xf0\xff\xff\xff"),
                 SIG_MASKED("CMMM\x18\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\xf8\xff\xff\xff\xf0\xff\xff\xff"),
                 SIG_MASKED("CMMM\x20\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\xff\xff\xff\xff\xf0\xff\xff\xff") },
    .flags = SIG_CONTAINER,
    .size_min = THUMBCACHE_HEAD + 48,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct thumbcache_state),
    .check = thumbcache_check,
};

const struct sig sig_thumbcache_index = {
    .name = "thumbcache_idx",
    .what = "index of the thumbnails of Windows Explorer (Vista, 7)",
    .proves = "counts agree; every entry points to a valid place",
    .source = "libwtcdb documentation, Windows Explorer Thumbnail Cache database format 0.0.7, 4",
    .types = (const struct sig_type[]){ { "thumbcache_idx", "db" }, { 0 } },
    .headers = { SIG_MASKED("IMMM\x14\0\0\0", "\xff\xff\xff\xff\xfe\xff\xff\xff") },
    .size_min = THUMBCACHE_HEAD + 32,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(uint64_t),
    .check = thumbcache_index_check,
};
