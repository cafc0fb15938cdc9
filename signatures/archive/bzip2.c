/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/bzip2.c - bzip2: streams of blocks, whose Huffman codes are followed to their
 * end.
 *
 *   "BZh" | '1'..'9' | blocks | 48 bits 0x177245385090 | u32be CRC of all blocks | zero bits up to
 * a byte block: 48 bits 0x314159265359 | 32 bits CRC | 1 bit | 24 bits origin | map of the bytes
 * used | 3 bits tables | 15 bits selectors | the selectors, unary | tables of code lengths | codes,
 * 50 to a selector, up to the code for the end
 *
 * Nothing says how long a block is. What is read here are the lengths of its codes alone, several
 * codes with one look into a table: the code for the end has to come within the last selector's 50,
 * and a block or the end of the stream has to stand right behind. The CRCs of the blocks are not
 * computed (that takes the whole decompression, bzip2_unpack.c, and is done in a thorough check
 * only), but that of the stream follows from them. A stream
 * that begins right behind another one and is whole belongs to the same file, as parallel
 * compressors write it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/archive/bzip2.h"

enum {
    BZIP2_FIRST = 1024, /* bytes in which the tables of a block are looked for at first */
    BZIP2_STEP = 4096,  /* bytes of codes read at a time, as many as are there behind a header */
    BZIP2_VIEW =
        48 << 10, /* bytes of a block looked at together; holds everything before the codes */
};

enum bzip2_phase { BZIP2_AT_STREAM, BZIP2_AT_BLOCK, BZIP2_IN_CODES };

struct bzip2_state {
    enum bzip2_phase phase;
    uint64_t bit;            /* of the object: what is before it has been walked */
    uint64_t block;          /* the bit behind the magic number of the block that is being walked */
    uint64_t unpacked;       /* thorough: bytes that blocks have been decompressed to */
    uint64_t whole;          /* end of the last whole stream; 0: none yet */
    uint32_t crc, blocks;    /* of the stream */
    uint32_t selector, left; /* left: codes of the selector still to come */
    struct bzip2_codes codes;
};
_Static_assert(sizeof(struct bzip2_state) <= SIG_STATE_MAX, "six tables fit");

/* As enum step, and: the part wants more bits, which may be at hand. */
enum bzip2_step { BZIP2_DONE, BZIP2_WAIT, BZIP2_BAD, BZIP2_MORE };

/*
 * Where the bits at state->bit are, of so many bytes at most; NULL: wait. *last: no others can
 * follow them.
 */
static const uint8_t *bzip2_view(struct sig_input *in, const struct bzip2_state *state,
                                 uint32_t most, struct bzip2_bits *bits, bool *last)
{
    const uint64_t byte = state->bit / 8, rest = byte < in->limit ? in->limit - byte : 1;
    const uint32_t len = rest < most ? (uint32_t)rest : most;

    *last = rest <= most;

    *bits = (struct bzip2_bits){ .bytes = sig_bytes(in, byte, len),
                                 .len = (uint64_t)len * 8,
                                 .at = state->bit % 8 };
    return bits->bytes;
}

/* A stream's header. */
static enum bzip2_step bzip2_stream(struct sig_input *in, struct bzip2_state *state)
{
    const uint64_t at = state->bit / 8;
    const uint8_t *head = sig_bytes(in, at, BZIP2_HEAD);

    if (head == NULL)
        return BZIP2_WAIT;
    if (memcmp(head, "BZh", 3) != 0 || head[3] < '1' || head[3] > '9')
        return BZIP2_BAD;
    state->codes.level = head[3] - '0';
    state->crc = 0;
    state->blocks = 0;
    const uint8_t *magic = sig_bytes(in, at + BZIP2_HEAD, 6);
    if (magic == NULL)
        return BZIP2_WAIT;
    const uint64_t number = (uint64_t)bytes_u32be(magic) << 16 | bytes_u16be(magic + 4);
    if (number != BZIP2_BLOCK && number != BZIP2_END)
        return BZIP2_BAD;
    if (at > 0)
        sig_claim(in, at);
    state->bit += BZIP2_HEAD * 8;
    state->phase = BZIP2_AT_BLOCK;
    return BZIP2_DONE;
}

/* A block, or the end of the stream, in bits that may end before it does: then nothing is kept. */
static enum bzip2_step bzip2_try(struct sig_input *in, struct bzip2_state *state,
                                 struct bzip2_bits bits, bool last, const char **why)
{
    const uint32_t crc = state->crc, blocks = state->blocks;
    const uint64_t whole = state->whole;
    const enum bzip2_phase phase = state->phase;
    const uint64_t base = state->bit - bits.at;
    const uint64_t magic = (uint64_t)bzip2_take(&bits, 24) << 24;
    const uint64_t number = magic | bzip2_take(&bits, 24);

    if (number == BZIP2_BLOCK) {
        state->block = base + bits.at;
        *why = bzip2_block(&bits, &state->codes);
        if (*why == NULL) {
            state->crc = (state->crc << 1 | state->crc >> 31) ^ state->codes.crc;
            state->blocks++;
        }
        state->phase = BZIP2_IN_CODES;
        state->selector = 0;
        state->left = BZIP2_GROUP;
    } else if (number == BZIP2_END) {
        const bool right = bzip2_take(&bits, 32) == state->crc;
        const uint32_t pad = (uint32_t)(-bits.at & 7);

        *why = !right ? "the CRC of the stream differs from that of its blocks"
               : pad > 0 && bzip2_take(&bits, pad) != 0 ? "the bits behind the end of the stream "
                                                          "are not zero"
                                                        : NULL;
        if (*why == NULL && bits.at <= bits.len)
            state->whole = (base + bits.at) / 8;
        state->phase = BZIP2_AT_STREAM;
    } else {
        *why = "a valid block must follow here, and none does";
    }
    if (bits.at > bits.len && !last) {
        *why = NULL;
        state->crc = crc;
        state->blocks = blocks;
        state->whole = whole;
        state->phase = phase;
        return BZIP2_MORE;
    }
    if (bits.at > bits.len) {
        in->wanted = UINT64_MAX;
        return *why == NULL ? BZIP2_WAIT : BZIP2_BAD;
    }
    state->bit = base + bits.at;
    return *why == NULL ? BZIP2_DONE : BZIP2_BAD;
}

/* Likewise, in as many bits as that takes: BZIP2_VIEW holds what stands before any codes. */
static enum bzip2_step bzip2_next(struct sig_input *in, struct bzip2_state *state, const char **why)
{
    enum bzip2_step step = BZIP2_MORE;

    for (uint32_t most = BZIP2_FIRST; step == BZIP2_MORE;
         most = most * 2 < BZIP2_VIEW ? most * 2 : BZIP2_VIEW) {
        struct bzip2_bits bits;
        bool last;

        if (bzip2_view(in, state, most, &bits, &last) == NULL)
            return BZIP2_WAIT;
        step = bzip2_try(in, state, bits, last || most == BZIP2_VIEW, why);
    }
    return step;
}

/* One code, read bit by bit. True: it is that for the end of the block. */
static bool bzip2_one(struct bzip2_bits *bits, const struct bzip2_table *table, const char **why)
{
    const uint32_t code = (uint32_t)(bzip2_peek(bits) >> (64 - BZIP2_CODE_MAX)),
                   len = bzip2_code(table, code);

    if (len > BZIP2_CODE_MAX) {
        *why = "invalid Huffman code";
        return false;
    }
    bits->at += len;
    return bzip2_is_end(table, code, len);
}

/* Codes of one selector, as far as they are at hand. True: the end of the block was met. */
static bool bzip2_group(struct bzip2_bits *bits, struct bzip2_state *state, uint64_t stop,
                        const char **why)
{
    enum { LOOKS = 57 / BZIP2_FAST }; /* into one word */
    const struct bzip2_table *table = &state->codes.tables[state->codes.selectors[state->selector]];
    uint32_t left = state->left;

    while (left > 0 && bits->at < stop && *why == NULL) {
        uint64_t next = bzip2_peek(bits);
        uint32_t look = 0, used = 0;

        for (; state->codes.fast && look < LOOKS; look++) {
            const uint32_t entry = table->fast[next >> (64 - BZIP2_FAST)], count = entry >> 4 & 15;

            if (count == 0 || count > left)
                break;
            next <<= entry & 15;
            used += entry & 15;
            left -= count;
        }
        bits->at += used;
        if (look == LOOKS || left == 0)
            continue;
        left--;
        if (bzip2_one(bits, table, why))
            return true;
    }
    state->left = left;
    return false;
}

/* Decompresses the block that ends at state->bit. */
static bool bzip2_right(struct sig_input *in, struct bzip2_state *state)
{
    enum bzip2_unpacked unpacked = BZIP2_UNKNOWN;
    uint64_t done = 0;

    /* A few bytes can stand for 45 MB: blocks are left out that come too soon behind such. */
    if (state->unpacked / SIG_UNPACK_RATE < state->bit / 8)
        unpacked = bzip2_unpack(in, state->block, state->codes.level, &done);
    state->unpacked += done;
    in->unpacked_aside += BZIP2_SLOW * done;
    if (unpacked == BZIP2_UNKNOWN)
        sig_open(in, state->block / 8, state->bit / 8);
    sig_sure(in, unpacked == BZIP2_WRONG ? 0 : state->bit / 8);
    return unpacked != BZIP2_WRONG;
}

static enum bzip2_step bzip2_codes(struct sig_input *in, struct bzip2_state *state,
                                   const char **why)
{
    struct bzip2_bits bits;
    bool ended = false, last;

    if (bzip2_view(in, state, BZIP2_STEP, &bits, &last) == NULL)
        return BZIP2_WAIT;
    const uint64_t base = state->bit - bits.at;
    const uint64_t stop = last ? bits.len : bits.len - 64;

    while (!ended && *why == NULL && bits.at < stop) {
        ended = bzip2_group(&bits, state, stop, why);
        if (ended || state->left > 0)
            continue;
        state->left = BZIP2_GROUP;
        if (++state->selector == state->codes.selector_count)
            *why = "the codes go on behind those of the last selector";
    }
    if (last && (bits.at > bits.len || (!ended && *why == NULL))) {
        in->wanted = UINT64_MAX;
        return BZIP2_WAIT;
    }
    state->bit = base + bits.at;
    if (ended && state->codes.selector_count - state->selector > BZIP2_SPARE)
        *why = "a block ends before its last selector";
    if (*why != NULL)
        return BZIP2_BAD;
    if (ended && in->thorough && !bzip2_right(in, state)) {
        *why = "the CRC of a block is wrong";
        return BZIP2_BAD;
    }
    if (ended) {
        state->phase = BZIP2_AT_BLOCK;
        sig_valid(in, state->bit / 8);
    }
    return BZIP2_DONE;
}

static struct sig_result bzip2_check(struct sig_input *in, void *memory)
{
    struct bzip2_state *state = memory;

    for (;;) {
        const char *why = NULL;
        enum bzip2_step step;

        if (state->phase == BZIP2_AT_STREAM) {
            if (sig_claims_full(in))
                return sig_again(in);
            step = bzip2_stream(in, state);
        } else if (state->phase == BZIP2_AT_BLOCK) {
            step = bzip2_next(in, state, &why);
        } else {
            step = bzip2_codes(in, state, &why);
        }
        if (step == BZIP2_DONE)
            continue;
        if (step == BZIP2_WAIT && in->wanted <= in->limit)
            return sig_short(in);
        if (state->whole > 0)
            return sig_complete(in, state->whole,
                                "the codes of every block end at the next, and the CRCs agree");
        if (step == BZIP2_BAD)
            return sig_breaks(in, why == NULL ? "invalid header of a stream" : why);
        if (state->blocks > 0)
            sig_valid(in, in->limit);
        return sig_short(in);
    }
}

const struct sig sig_bzip2 = {
    .name = "bz2",
    .what = "bzip2 file",
    .proves = "codes of every block lead to its end, blocks to the end mark; the stream's CRC "
              "follows from theirs",
    .source = "bzip2 and libbzip2 1.0.8, decompress.c; J. Tsai, BZIP2: Format Specification (2016)",
    .types = (const struct sig_type[]){ { "bz2", "bz2" }, { 0 } },
    .headers = { SIG_MASKED("BZh0\x31\x41\x59\x26\x53\x59",
                            "\xff\xff\xff\xf0\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("BZh0\x17\x72\x45\x38\x50\x90\0\0\0\0",
                            "\xff\xff\xff\xf0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_CLAIMS,
    .size_min = 14,
    .size_max = UINT64_C(1) << 36,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct bzip2_state),
    .state_clean = offsetof(struct bzip2_state, codes.selectors),
    .open_max = 16, /* a file ends before the next one is judged */
    .check = bzip2_check,
    .joint = &bzip2_joint,
};
