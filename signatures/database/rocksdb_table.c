/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/rocksdb_table.c - tables of RocksDB (sst): what many servers, wallets and
 * programs keep all they store in.
 *
 *   blocks: content | u8 kind: 0 plain, 1 Snappy, 7 Zstandard | u32le sum of both | the last 53
 * bytes: u8 kind of sum | place and bytes of the block about blocks, and of the index, numbers of 7
 * bits a byte; zeros | u32le version | f7 cf f4 85 b7 41 e2 88
 *   packed content: bytes when unpacked | Snappy's elements, or a frame of Zstandard
 *   block about blocks, plain: entries: numbers: 0, bytes of the name, bytes of the value | name |
 * place and bytes of a block | u32le place of every entry | u32le how many
 *
 * No magic number begins the file: it is a first block whose packed data lead to the kind that they
 * are of. Then the end of the file is looked for: it tells how far before it the file begins, and
 * the names of all other blocks. Sums are CRC-32C or those of xxHash, and are not made.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/varint.h"
#include "signatures/lib/number.h"
#include "signatures/lib/snappy_element.h"
#include "signatures/sig.h"

enum {
    ROCKS_TRAILER = 5,
    ROCKS_FOOTER = 53,
    ROCKS_HANDLES = 40, /* bytes of the two places, with the zeros behind them */
    ROCKS_SNAPPY = 1,
    ROCKS_ZSTD = 7,
    ROCKS_SUMS = 4,     /* kinds of sums */
    ROCKS_VERSIONS = 6, /* … and of footers */
    ROCKS_FIRST_MAX = 1 << 20,
    ROCKS_ELEMENT_MAX = 5,
    ROCKS_ABOUT_MAX = 4096, /* bytes of the block about blocks */
    ROCKS_NAME_MAX = 256,
    ROCKS_ZSTD_BLOCK = 128 << 10,
    ROCKS_OTHER_MAX = 8 << 20,
};

static const char rocks_other_mark[] = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
static const char rocks_mark[] = "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88";

struct rocks_state {
    uint64_t at, made, plain;     /* of the first block: the next element, bytes so far, in all */
    uint64_t about, size, footer; /* places; footer 0: not found yet */
    uint8_t kind;                 /* of the first block; 0: not begun */
    bool last;                    /* the last block of a frame, or element, is read */
    bool first_done;              /* the first block is right, */
    bool no_other;                /* and none of LevelDB */
};

/* The head of the frame at state->at (RFC 8878, 3.1.1). */
static enum step rocks_frame(struct sig_input *in, struct rocks_state *state)
{
    static const uint8_t sizes[4] = { 0, 2, 4, 8 }, dictionaries[4] = { 0, 1, 2, 4 };
    const uint8_t *p = sig_bytes(in, state->at, 5);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t flags = p[4];
    const bool single = (flags & 0x20) != 0;
    if ((flags & 0x0c) != 0) /* reserved, or a sum behind the frame: RocksDB has its own */
        return STEP_BAD;
    state->at += UINT64_C(5) + !single + dictionaries[flags & 3] +
                 (single && flags >> 6 == 0 ? 1U : sizes[flags >> 6]);
    return STEP_DONE;
}

/* The block of Zstandard at state->at. */
static enum step rocks_zstd(struct sig_input *in, struct rocks_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 3);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t head = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    const uint32_t kind = head >> 1 & 3, len = head >> 3;
    if (kind == 3 || len > ROCKS_ZSTD_BLOCK)
        return STEP_BAD;
    state->last = (head & 1) != 0;
    state->at += 3 + (kind == 1 ? 1 : len);
    return STEP_DONE;
}

static enum step rocks_snappy(struct sig_input *in, struct rocks_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, ROCKS_ELEMENT_MAX); /* the trailer is as long */

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t len = snappy_element(p, ROCKS_ELEMENT_MAX, state->plain, &state->made);
    state->at += len;
    state->last = state->made == state->plain;
    return len == 0 ? STEP_BAD : STEP_DONE;
}

/* What the first block is packed by, and where its packed data begin. */
static enum step rocks_begin(struct sig_input *in, struct rocks_state *state)
{
    uint64_t at = 0, plain;
    const enum step step = number_read(in, &at, &plain);

    if (step != STEP_DONE)
        return step;
    if (plain > ROCKS_FIRST_MAX)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, at, 4);
    if (p == NULL)
        return STEP_WAIT;
    const bool zstd = memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0;
    state->at = at;
    state->plain = plain;
    const enum step head = zstd ? rocks_frame(in, state) : STEP_DONE;
    if (head != STEP_DONE)
        return head;
    state->kind = zstd ? ROCKS_ZSTD : ROCKS_SNAPPY;
    return STEP_DONE;
}

/* The first block, up to its kind. */
static enum step rocks_first(struct sig_input *in, struct rocks_state *state)
{
    enum step step = state->kind == 0 ? rocks_begin(in, state) : STEP_DONE;

    while (step == STEP_DONE && !state->last) {
        step = state->kind == ROCKS_ZSTD ? rocks_zstd(in, state) : rocks_snappy(in, state);
        if (state->at > ROCKS_FIRST_MAX)
            step = STEP_BAD;
    }
    if (step != STEP_DONE)
        return step;
    const uint8_t *p = sig_bytes(in, state->at, ROCKS_TRAILER);
    if (p == NULL)
        return STEP_WAIT;
    return p[0] == state->kind ? STEP_DONE : STEP_BAD;
}

/* The footer before the mark at `at`: whether it says that the file begins where this one does. */
static enum step rocks_footer(struct sig_input *in, struct rocks_state *state, uint64_t at)
{
    uint64_t about, size, index, len;

    if (at + 8 < state->at + ROCKS_TRAILER + ROCKS_FOOTER)
        return STEP_BAD;
    const uint64_t footer = at + 8 - ROCKS_FOOTER;
    const uint8_t *p = sig_bytes(in, footer, ROCKS_FOOTER);
    if (p == NULL)
        return STEP_WAIT;
    const uint8_t *next = p + 1, *end = next + ROCKS_HANDLES;
    if (p[0] > ROCKS_SUMS || bytes_u32le(end) == 0 || bytes_u32le(end) > ROCKS_VERSIONS ||
        !varint_get(&next, end, &about) || !varint_get(&next, end, &size) ||
        !varint_get(&next, end, &index) || !varint_get(&next, end, &len) || size < 8 ||
        size > ROCKS_ABOUT_MAX || about >= footer || about + size + ROCKS_TRAILER != footer ||
        index >= about || len >= about || index + len + ROCKS_TRAILER > about)
        return STEP_BAD;
    state->about = about;
    state->size = size;
    state->footer = footer;
    return STEP_DONE;
}

/*
 * A table of LevelDB begins alike, and is small: looking for the end of one of RocksDB behind each
 * would take long. STEP_BAD: it is one, as a footer of LevelDB says that it begins here.
 */
static enum step rocks_other(struct sig_input *in, struct rocks_state *state)
{
    const uint64_t most = in->limit < ROCKS_OTHER_MAX ? in->limit : ROCKS_OTHER_MAX;

    for (uint64_t from = state->at, at;;) {
        const enum sig_found found = sig_find(in, from, most, rocks_other_mark, 8, &at);

        if (found != SIG_FOUND)
            return found == SIG_FIND_WAIT ? STEP_WAIT : STEP_DONE;
        const uint64_t footer = at - ROCKS_HANDLES;
        const uint8_t *p = at < ROCKS_HANDLES ? NULL : sig_bytes(in, footer, ROCKS_HANDLES);
        const uint8_t *end = p + (p == NULL ? 0 : ROCKS_HANDLES);
        uint64_t about, size, index, len;
        if (p != NULL && varint_get(&p, end, &about) && varint_get(&p, end, &size) &&
            varint_get(&p, end, &index) && varint_get(&p, end, &len) && index < footer &&
            len < footer && index + len + ROCKS_TRAILER == footer)
            return STEP_BAD;
        from = at + 1;
        in->find_at = from;
    }
}

static enum step rocks_find(struct sig_input *in, struct rocks_state *state)
{
    for (uint64_t from = state->at, at;;) {
        const enum sig_found found = sig_find(in, from, in->limit, rocks_mark, 8, &at);

        if (found != SIG_FOUND)
            return found == SIG_FIND_WAIT ? STEP_WAIT : STEP_BAD;
        const enum step step = rocks_footer(in, state, at);
        if (step != STEP_BAD)
            return step;
        from = at + 1;
        in->find_at = from;
    }
}

/* The block about blocks: names, one of them that of the properties, and blocks before it. */
static enum step rocks_about(struct sig_input *in, const struct rocks_state *state)
{
    const uint8_t *p = sig_bytes(in, state->about, (uint32_t)state->size + 1);
    bool properties = false;
    uint32_t entries = 0;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u32le(p + state->size - 4);
    if (p[state->size] != 0 || count == 0 || count > (state->size - 4) / 4)
        return STEP_BAD;
    const uint8_t *first = p, *end = p + state->size - 4 - 4 * (uint64_t)count;
    for (; p < end; entries++) {
        uint64_t shared, own, value, at, len;

        if (entries >= count || bytes_u32le(end + 4 * (size_t)entries) != (uint64_t)(p - first))
            return STEP_BAD;
        if (!varint_get(&p, end, &shared) || !varint_get(&p, end, &own) ||
            !varint_get(&p, end, &value) || shared != 0 || own == 0 || own > ROCKS_NAME_MAX ||
            value > 2 * VARINT_MAX || own + value > (uint64_t)(end - p))
            return STEP_BAD;
        properties = properties || (own == 18 && memcmp(p, "rocksdb.properties", 18) == 0) ||
                     (own == 13 && memcmp(p, "rocksdb.stats", 13) == 0);
        const uint8_t *handle = p + own;
        p = handle + value;
        if (!varint_get(&handle, p, &at) || !varint_get(&handle, p, &len) || handle != p ||
            at >= state->about || len >= state->about || at + len + ROCKS_TRAILER > state->about)
            return STEP_BAD;
    }
    return properties && entries == count ? STEP_DONE : STEP_BAD;
}

static struct sig_result rocks_check(struct sig_input *in, void *memory)
{
    struct rocks_state *state = memory;
    enum step step;

    if (!state->first_done) {
        step = rocks_first(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("the data of the first block do not lead to its kind");
        state->first_done = true;
        in->find_at = 0;
    }
    if (!state->no_other) {
        step = rocks_other(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("a table of LevelDB");
        state->no_other = true;
        in->find_at = 0;
    }
    if (state->footer == 0) {
        step = rocks_find(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("no footer says that a file begins here");
    }
    step = rocks_about(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("the footer leads to no list of blocks");
    return sig_complete(in, state->footer + ROCKS_FOOTER,
                        "the footer tells where the file begins, and leads to a list of blocks");
}

/*
 * By default a block is packed when it has 4, 16 or 32 KiB; its last entry makes that a little more
 * or less. What Snappy packed begins with a literal, and in that the 0 of its first entry.
 */
const struct sig sig_rocksdb_table = {
    .name = "rocksdb-table",
    .what = "table of RocksDB (sst), packed by Snappy or Zstandard",
    .proves = "the footer tells where the file begins, and leads to the list of its blocks; their "
              "sums are not made",
    .source = "RocksDB 7.8, table/format.cc, table/block_based/block_based_table_builder.cc; "
              "Google, snappy 1.1: format_description.txt; RFC 8878",
    .types = (const struct sig_type[]){ { "rocksdb-table", "sst" }, { 0 } },
    .headers = { SIG_MASKED("\x80\x1f\0\0\0", "\x80\xff\3\xff\x80"),
                 SIG_MASKED("\x80\x20\0\0\0", "\x80\xff\3\xff\x80"),
                 SIG_MASKED("\x80\x7f\0\0\0", "\x80\xff\3\xff\x80"),
                 SIG_MASKED("\x80\x80\1\0\0\0", "\x80\xff\xff\3\xff\x80"),
                 SIG_MASKED("\x80\x80\2\0\0\0", "\x80\xff\xff\3\xff\x80"),
                 SIG_MASKED("\x80\0\x28\xb5\x2f\xfd", "\x80\x80\xff\xff\xff\xff"),
                 SIG_MASKED("\x80\x80\0\x28\xb5\x2f\xfd", "\x80\x80\xc0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = ROCKS_FOOTER + 3 * ROCKS_TRAILER,
    .size_max = UINT64_C(1) << 29,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct rocks_state),
    .check = rocks_check,
};
