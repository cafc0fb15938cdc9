/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/leveldb_table.c - tables of LevelDB (Chrome, Electron, WhatsApp and others
 * keep all they store in such).
 *
 *   blocks: content | u8 kind: 0 plain, 1 Snappy | u32le CRC-32C of both | the last 48 bytes: place
 * and bytes of the block about blocks, and of the index, numbers of 7 bits a byte; zeros; 57 fb 80
 * 8b 24 75 47 db
 *   plain content: entries: numbers: bytes that the key shares with the one before, bytes of its
 * own, bytes of the value | both | u32le place of every 16th entry | u32le how many
 *   Snappy: bytes when unpacked | elements, which are followed and not unpacked
 *
 * No magic number begins the file: it is the first block, whose end its content tells, that has its
 * CRC-32C. Then the end of the file is looked for, and each block before it has to have its own:
 * blocks of entries one behind the other, at most one that holds none (a filter), the block about
 * blocks, the index.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/varint.h"
#include "signatures/database/leveldb.h"
#include "signatures/lib/number.h"
#include "signatures/lib/snappy_element.h"
#include "signatures/sig.h"

enum {
    TABLE_TRAILER = 5,
    TABLE_FOOTER = 48,
    TABLE_KEY_MIN = 8, /* a number of 56 bits and a kind end each key */
    TABLE_KEY_MAX = 1 << 24,
    TABLE_FIRST_MAX = 1 << 20, /* bytes of the first block, which few beginnings turn out to have */
    TABLE_BLOCK_MAX = 1 << 28,
    TABLE_ELEMENT_MAX = 5, /* bytes of one of Snappy's, but for literals */
};

static const char table_mark[] = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";

enum table_part {
    TABLE_BEGIN, /* of a block */
    TABLE_ENTRIES,
    TABLE_RESTARTS,
    TABLE_PACKED,
    TABLE_SUM,
};

struct table_state {
    enum table_part part;
    uint64_t block, at;        /* the block's first byte; the next one to look at */
    uint64_t summed;           /* object offset up to which the block's bytes are in crc */
    uint64_t made, plain, key; /* Snappy: bytes so far, in all; entries: bytes of the last key */
    uint64_t about, index, footer; /* places; footer 0: not found yet */
    uint64_t most;                 /* the block ends before this offset */
    uint64_t last;                 /* of the places of entries, as the file has it */
    uint32_t restarts, crc, entries;
    bool packed, first_done, filter;
};

/* One entry at state->at. STEP_BAD: none; its first two numbers are 0 where the restarts begin. */
static enum step table_entry(struct sig_input *in, struct table_state *state, bool *end)
{
    uint64_t at = state->at, shared, own, value;
    const uint8_t *p = sig_bytes(in, at, 4);

    if (p == NULL)
        return STEP_WAIT;
    *end = state->entries > 0 && bytes_u32le(p) == 0;
    if (*end)
        return STEP_DONE;
    enum step step = number_read(in, &at, &shared);
    if (step == STEP_DONE)
        step = number_read(in, &at, &own);
    if (step == STEP_DONE)
        step = number_read(in, &at, &value);
    if (step != STEP_DONE)
        return step;
    if (shared > state->key || own > TABLE_KEY_MAX || shared + own < TABLE_KEY_MIN ||
        shared + own > TABLE_KEY_MAX || value > state->most || own == 0 ||
        (state->entries == 0 && shared != 0))
        return STEP_BAD;
    state->key = shared + own;
    state->entries++;
    state->at = at + own + value;
    return state->at <= state->most ? STEP_DONE : STEP_BAD;
}

/* The places of entries rise up to the number that says how many there are. */
static enum step table_restart(struct sig_input *in, struct table_state *state, bool *end)
{
    const uint8_t *p = sig_bytes(in, state->at, 4);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t place = bytes_u32le(p);
    *end = state->restarts > 0 && place == state->restarts;
    if (!*end && (state->restarts == 0 ? place != 0 : place <= state->last))
        return STEP_BAD;
    state->last = place;
    state->restarts += !*end;
    state->at += 4;
    return state->restarts <= state->entries ? STEP_DONE : STEP_BAD;
}

static enum step table_packed(struct sig_input *in, struct table_state *state)
{
    while (state->made < state->plain) {
        const uint8_t *p = sig_bytes(in, state->at, TABLE_ELEMENT_MAX); /* the trailer is as long */

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t len = snappy_element(p, TABLE_ELEMENT_MAX, state->plain, &state->made);
        if (len == 0)
            return STEP_BAD;
        state->at += len;
        if (state->at > state->most)
            return STEP_BAD;
    }
    state->part = TABLE_SUM;
    return STEP_DONE;
}

/* The first byte tells: entries begin with a 0, what Snappy packed with its length. */
static enum step table_begin(struct sig_input *in, struct table_state *state)
{
    const uint8_t *p = sig_bytes(in, state->block, 1);
    enum step step = STEP_DONE;

    if (p == NULL)
        return STEP_WAIT;
    state->packed = p[0] != 0;
    state->at = state->block;
    state->summed = state->block;
    state->crc = state->restarts = state->entries = 0;
    state->made = state->plain = state->key = state->last = 0;
    if (state->packed)
        step = number_read(in, &state->at, &state->plain);
    if (step != STEP_DONE)
        return step;
    if (state->plain > TABLE_BLOCK_MAX)
        return STEP_BAD;
    state->part = state->packed ? TABLE_PACKED : TABLE_ENTRIES;
    return STEP_DONE;
}

/* The kind of block at `end` is right, and so is the CRC of what begins at state->block. */
static enum step table_sum(struct sig_input *in, struct table_state *state, uint64_t end,
                           uint32_t kinds)
{
    while (state->summed <= end) { /* the kind is in the sum */
        uint32_t len;
        const uint8_t *p = sig_span_to(in, state->summed, end + 1, &len);

        if (p == NULL)
            return STEP_WAIT;
        state->crc = leveldb_crc(state->crc, p, len);
        state->summed += len;
    }
    const uint8_t *p = sig_bytes(in, end, TABLE_TRAILER);
    if (p == NULL)
        return STEP_WAIT;
    if (p[0] > 1 || (kinds >> p[0] & 1) == 0 || leveldb_masked(state->crc) != bytes_u32le(p + 1))
        return STEP_BAD;
    state->block = end + TABLE_TRAILER;
    state->part = TABLE_BEGIN;
    return STEP_DONE;
}

/* The block at state->block, whose content tells where it ends. */
static enum step table_block(struct sig_input *in, struct table_state *state)
{
    enum step step = STEP_DONE;

    while (step == STEP_DONE) {
        bool end = false;

        switch (state->part) {
        case TABLE_BEGIN:
            step = table_begin(in, state);
            break;
        case TABLE_ENTRIES:
            step = table_entry(in, state, &end);
            if (end)
                state->part = TABLE_RESTARTS;
            break;
        case TABLE_RESTARTS:
            step = table_restart(in, state, &end);
            if (end)
                state->part = TABLE_SUM;
            break;
        case TABLE_PACKED:
            step = table_packed(in, state);
            break;
        case TABLE_SUM:
            return table_sum(in, state, state->at, state->packed ? 2 : 1);
        }
    }
    return step;
}

/* Place and bytes of a block, as the footer has them; it ends at `end`. */
static bool table_handle(const uint8_t **p, const uint8_t *footer_end, uint64_t end, uint64_t *at)
{
    uint64_t bytes;

    return varint_get(p, footer_end, at) && varint_get(p, footer_end, &bytes) && *at < end &&
           bytes < end && *at + bytes + TABLE_TRAILER == end;
}

static bool table_zeros(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p == 0)
        p++;
    return p == end;
}

/* Finds the footer whose places fit. */
static enum step table_find(struct sig_input *in, struct table_state *state)
{
    for (uint64_t from = state->block, at;;) {
        const enum sig_found found = sig_find(in, from, in->limit, table_mark, 8, &at);

        if (found != SIG_FOUND)
            return found == SIG_FIND_WAIT ? STEP_WAIT : STEP_BAD;
        from = at + 1;
        const uint64_t footer = at + 8 - TABLE_FOOTER;
        const uint8_t *p = at < state->block + TABLE_FOOTER ? NULL : sig_bytes(in, footer, 40);
        if (at >= state->block + TABLE_FOOTER && p == NULL)
            return STEP_WAIT;
        /* the index lies before the footer, the block about blocks before the index */
        const uint8_t *next = p;
        uint64_t about, size, index;
        if (p != NULL && varint_get(&next, p + 40, &about) && varint_get(&next, p + 40, &size) &&
            table_handle(&next, p + 40, footer, &index) && about >= state->block && about < index &&
            size < index && about + size + TABLE_TRAILER == index && table_zeros(next, p + 40)) {
            state->about = about;
            state->index = index;
            state->footer = footer;
            return STEP_DONE;
        }
        in->find_at = from;
    }
}

/* All blocks up to the footer. */
static enum step table_rest(struct sig_input *in, struct table_state *state)
{
    while (state->block < state->footer) {
        const uint64_t end = state->block < state->about   ? state->about
                             : state->block < state->index ? state->index
                                                           : state->footer;
        enum step step;

        if (state->block < state->about && !state->filter) {
            step = table_block(in, state);
            if (step == STEP_BAD) { /* the last one before the block about blocks may be a filter */
                state->filter = true;
                state->part = TABLE_BEGIN;
                continue;
            }
        } else {
            if (state->part == TABLE_BEGIN) {
                state->part = TABLE_SUM;
                state->summed = state->block;
                state->crc = 0;
            }
            step = table_sum(in, state, end - TABLE_TRAILER, 3);
        }
        if (step != STEP_DONE)
            return step;
        sig_valid(in, state->block);
    }
    return STEP_DONE;
}

static struct sig_result table_check(struct sig_input *in, void *memory)
{
    struct table_state *state = memory;
    enum step step;

    if (!state->first_done) {
        state->most = TABLE_FIRST_MAX;
        step = table_block(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("no block with its CRC-32C");
        state->first_done = true;
        in->find_at = 0;
        sig_valid(in, state->block);
    }
    if (state->footer == 0) {
        step = table_find(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "there is no footer");
        state->most = state->about;
    }
    step = table_rest(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "a block has a wrong CRC-32C");
    return sig_complete(in, state->footer + TABLE_FOOTER,
                        "every block has its CRC-32C; the last two are where the footer says");
}

/*
 * A first block that Snappy packed begins with its length, a literal, and in that the 0 of its
 * first entry. A plain one begins with 0 and the lengths of key and value, which are too little to
 * look for: it is found where the key is one of Chrome's databases (IndexedDB: four zeros; local
 * and session storage: a word).
 */
const struct sig sig_leveldb_table = {
    .name = "leveldb-table",
    .what = "table of LevelDB (ldb, sst): Chrome, Electron and others",
    .proves = "the CRC-32C of every block; the last two are where the footer says",
    .source = "LevelDB 1.23, doc/table_format.md; table/format.cc, table/block_builder.cc; Google, "
              "snappy 1.1: format_description.txt",
    .types = (const struct sig_type[]){ { "leveldb-table", "ldb" }, { 0 } },
    .headers = { SIG_MASKED("\0\x08?\0\0\0\0", "\xff\xf8\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\x10?\0\0\0\0", "\xff\xf0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0?META:", "\xff\x80\0\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0?META-", "\xff\x80\0\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0?VERSION", "\xff\x80\0\xff\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0?_http", "\xff\x80\0\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0?map-", "\xff\x80\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0?namespace-",
                            "\xff\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\x80\0\x10\0\x08", "\x80\xc0\xf3\xff\xf8"),
                 SIG_MASKED("\x80\0\x10\0\x10", "\x80\xc0\xf3\xff\xf0"),
                 SIG_MASKED("\x80\0\x10\0\x20", "\x80\xc0\xf3\xff\xe0"),
                 SIG_MASKED("\x80\0\x20\0\0", "\x80\xc0\xe3\xff\x80"),
                 SIG_MASKED("\x80\0\x40\0\0", "\x80\xc0\xc3\xff\x80"),
                 SIG_MASKED("\x80\0\x80\0\0", "\x80\xc0\x83\xff\x80"),
                 SIG_MASKED("\x80\0\xf0?\0\0", "\x80\xc0\xff\0\xff\x80"),
                 SIG_MASKED("\x80\x80\0\x20\0\0", "\x80\x80\xfc\xe3\xff\x80"),
                 SIG_MASKED("\x80\x80\0\x40\0\0", "\x80\x80\xfc\xc3\xff\x80"),
                 SIG_MASKED("\x80\x80\0\x80\0\0", "\x80\x80\xfc\x83\xff\x80"),
                 SIG_MASKED("\x80\x80\0\xf0?\0\0", "\x80\x80\xfc\xff\0\xff\x80") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = TABLE_FOOTER + 3 * TABLE_TRAILER,
    .size_max = UINT64_C(1) << 31,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct table_state),
    .check = table_check,
};
