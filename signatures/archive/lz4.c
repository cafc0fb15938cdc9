/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/lz4.c - LZ4 frames, and the older form of them, whose sequences are followed
 * without unpacking them.
 *
 *   frame:  04 22 4d 18 | flags | block size | [content size 8] [dictionary 4] | a byte of XXH32 |
 *           blocks | u32le 0 | [XXH32]
 *   block:  u32le size, the top bit set: plain | data | [XXH32]
 *   legacy: 02 21 4c 18 | blocks: u32le size | data that unpack to 8 MiB, or to less in the last
 *   one
 *   data:   sequences: token | [literal length] | literals | u16le distance | [match length]; the
 *           last one ends with its literals
 *
 * The last sequence has to end where the block does, and no distance may reach behind the start.
 * The legacy form has no end mark: it ends behind the block that unpacks to less, or where no
 * further block can be. Frames right behind each other are one file.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    LZ4_MAGIC_LEN = 4,
    LZ4_VIEW = 48 << 10, /* holds the longest length of a run in a block */
    LZ4_MATCH_MIN = 4,
    LZ4_LEGACY_BLOCK = 8 << 20,
    LZ4_HAS_DICTIONARY = 1 << 0,
    LZ4_HAS_CONTENT_SUM = 1 << 2,
    LZ4_HAS_CONTENT_SIZE = 1 << 3,
    LZ4_HAS_BLOCK_SUMS = 1 << 4,
    LZ4_INDEPENDENT = 1 << 5,
};
#define LZ4_MAGIC UINT32_C(0x184d2204)
#define LZ4_LEGACY UINT32_C(0x184c2102)
#define LZ4_SKIPPABLE UINT32_C(0x184d2a50)
#define LZ4_PLAIN UINT32_C(0x80000000)

enum lz4_phase { LZ4_AT_FRAME, LZ4_AT_BLOCK, LZ4_IN_BLOCK };

struct lz4_state {
    enum lz4_phase phase;
    uint64_t at;    /* object offset: what is before it has been walked */
    uint64_t whole; /* end of the last whole frame; 0: none yet */
    uint64_t content,
        plain; /* what the frame says it unpacks to, UINT64_MAX: nothing; what its blocks did */
    uint64_t block_end;
    uint32_t block_plain, block_max, blocks;
    uint8_t flags;
    bool legacy, at_match; /* the next bytes are a distance */
    uint32_t token;        /* it belongs to */
};

/* XXH32 of fewer than 16 bytes, seed 0. */
static uint32_t lz4_xxh32(const uint8_t *bytes, uint32_t len)
{
    const uint32_t p1 = 0x9e3779b1, p2 = 0x85ebca77, p3 = 0xc2b2ae3d, p4 = 0x27d4eb2f,
                   p5 = 0x165667b1;
    uint32_t hash = p5 + len, i = 0;

    for (; len - i >= 4; i += 4) {
        hash += bytes_u32le(bytes + i) * p3;
        hash = (hash << 17 | hash >> 15) * p4;
    }
    for (; i < len; i++) {
        hash += bytes[i] * p5;
        hash = (hash << 11 | hash >> 21) * p1;
    }
    hash = (hash ^ hash >> 15) * p2;
    hash = (hash ^ hash >> 13) * p3;
    return hash ^ hash >> 16;
}

/* A frame's header, behind its magic number. */
static enum step lz4_frame(struct sig_input *in, struct lz4_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at + LZ4_MAGIC_LEN, 3);

    if (head == NULL)
        return STEP_WAIT;
    const uint8_t flags = head[0], size = head[1];
    if (flags >> 6 != 1 || (flags & 2) != 0 || (size & 0x8f) != 0 || size >> 4 < 4)
        return STEP_BAD;
    const uint32_t len =
        2 + (flags & LZ4_HAS_CONTENT_SIZE ? 8u : 0u) + (flags & LZ4_HAS_DICTIONARY ? 4u : 0u);
    if ((head = sig_bytes(in, state->at + LZ4_MAGIC_LEN, len + 1)) == NULL)
        return STEP_WAIT;
    if ((lz4_xxh32(head, len) >> 8 & 0xff) != head[len])
        return STEP_BAD;
    state->flags = flags;
    state->content = flags & LZ4_HAS_CONTENT_SIZE ? bytes_u64le(head + 2) : UINT64_MAX;
    state->block_max = 1u << (8 + 2 * (size >> 4));
    state->at += LZ4_MAGIC_LEN + len + 1;
    state->legacy = false;
    return STEP_DONE;
}

static enum step lz4_start(struct sig_input *in, struct lz4_state *state)
{
    const uint64_t start = state->at;
    const uint8_t *head = sig_bytes(in, start, 2 * LZ4_MAGIC_LEN);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t magic = bytes_u32le(head);
    if ((magic & ~UINT32_C(15)) == LZ4_SKIPPABLE && start > 0) {
        sig_claim(in, start);
        state->at += 2 * LZ4_MAGIC_LEN + (uint64_t)bytes_u32le(head + 4);
        if (state->at <= in->limit)
            state->whole = state->at;
        return STEP_DONE;
    }
    if (magic == LZ4_MAGIC) {
        const enum step step = lz4_frame(in, state);
        if (step != STEP_DONE)
            return step;
    } else if (magic == LZ4_LEGACY) {
        state->flags = LZ4_INDEPENDENT;
        state->content = UINT64_MAX;
        state->block_max = LZ4_LEGACY_BLOCK;
        state->at += LZ4_MAGIC_LEN;
        state->legacy = true;
    } else {
        return STEP_BAD;
    }
    if (start > 0)
        sig_claim(in, start);
    state->plain = 0;
    state->blocks = 0;
    state->phase = LZ4_AT_BLOCK;
    return STEP_DONE;
}

/* Behind the last block. */
static enum step lz4_frame_end(struct sig_input *in, struct lz4_state *state, uint64_t end)
{
    if (state->content != UINT64_MAX && state->content != state->plain &&
        (state->flags & LZ4_HAS_DICTIONARY) == 0)
        return STEP_BAD;
    if (state->legacy && state->blocks == 0)
        return STEP_BAD;
    state->at = end + (!state->legacy && state->flags & LZ4_HAS_CONTENT_SUM ? 4 : 0);
    if (state->at > in->limit) {
        in->wanted = UINT64_MAX;
        return STEP_WAIT;
    }
    state->whole = state->at;
    state->phase = LZ4_AT_FRAME;
    sig_valid(in, state->at);
    return STEP_DONE;
}

static enum step lz4_block(struct sig_input *in, struct lz4_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, 4);

    if (head == NULL && state->legacy && in->wanted > in->limit)
        return lz4_frame_end(in, state, state->at);
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t word = bytes_u32le(head), size = word & ~LZ4_PLAIN;
    if (state->legacy && (word == 0 || word > LZ4_LEGACY_BLOCK + LZ4_LEGACY_BLOCK / 255 + 16))
        return lz4_frame_end(in, state, state->at);
    if (word == 0)
        return lz4_frame_end(in, state, state->at + 4);
    if (size > state->block_max + state->block_max / 255 + 16 || size == 0)
        return STEP_BAD;
    state->at += 4;
    state->block_end = state->at + size;
    state->block_plain = 0;
    state->at_match = false;
    state->phase = LZ4_IN_BLOCK;
    if (word & LZ4_PLAIN) {
        state->block_plain = size;
        state->at = state->block_end;
    }
    return STEP_DONE;
}

/* A length of 15 or more goes on in bytes, all of which but the last are 255. False: not in these.
 */
static bool lz4_length(const uint8_t *bytes, uint32_t len, uint32_t *at, uint32_t *value)
{
    uint8_t byte = 255;

    while (byte == 255) {
        if (*at >= len)
            return false;
        byte = bytes[(*at)++];
        *value += byte;
    }
    return true;
}

/* The sequences that are at hand. */
static enum step lz4_sequences(struct sig_input *in, struct lz4_state *state)
{
    const uint64_t left = state->block_end - state->at;
    const uint32_t len = left < LZ4_VIEW ? (uint32_t)left : LZ4_VIEW;
    const uint8_t *bytes = sig_bytes(in, state->at, len);
    const uint64_t before =
        state->flags & (LZ4_INDEPENDENT | LZ4_HAS_DICTIONARY) ? 0 : state->plain;
    uint32_t at = 0;

    if (bytes == NULL)
        return STEP_WAIT;
    while (at < len) {
        const uint32_t from = at;
        uint32_t run;

        if (!state->at_match) {
            run = bytes[at] >> 4;
            state->token = bytes[at++] & 15;
            if (run == 15 && !lz4_length(bytes, len, &at, &run)) {
                at = from;
                break;
            }
            state->at_match = true;
            state->block_plain += run;
            if (run > left - at || state->block_plain > state->block_max)
                return STEP_BAD;
            at += run;
            continue; /* behind the last literals the loop ends */
        }
        if (len - at < 2)
            break;
        const uint32_t distance = bytes_u16le(bytes + at);
        run = state->token + LZ4_MATCH_MIN;
        at += 2;
        if (state->token == 15 && !lz4_length(bytes, len, &at, &run)) {
            at = from;
            break;
        }
        if (distance == 0 ||
            (distance > before + state->block_plain && (state->flags & LZ4_HAS_DICTIONARY) == 0))
            return STEP_BAD;
        state->block_plain += run;
        if (state->block_plain > state->block_max)
            return STEP_BAD;
        state->at_match = false;
    }
    if (at == 0)
        return STEP_BAD; /* a length that goes on longer than any block */
    state->at += at;
    return state->at == state->block_end && !state->at_match ? STEP_BAD : STEP_DONE;
}

static enum step lz4_in_block(struct sig_input *in, struct lz4_state *state)
{
    while (state->at < state->block_end) {
        const enum step step = lz4_sequences(in, state);
        if (step != STEP_DONE)
            return step;
    }
    state->plain += state->block_plain;
    state->at += !state->legacy && state->flags & LZ4_HAS_BLOCK_SUMS ? 4 : 0;
    state->phase = LZ4_AT_BLOCK;
    state->blocks++;
    sig_valid(in, state->at < in->limit ? state->at : in->limit);
    if (state->legacy && state->block_plain < LZ4_LEGACY_BLOCK)
        return lz4_frame_end(in, state, state->at);
    return STEP_DONE;
}

static struct sig_result lz4_check(struct sig_input *in, void *memory)
{
    struct lz4_state *state = memory;

    for (;;) {
        enum step step;

        if (state->phase == LZ4_AT_FRAME && sig_claims_full(in))
            return sig_again(in);
        if (state->phase == LZ4_AT_FRAME)
            step = lz4_start(in, state);
        else
            step = state->phase == LZ4_AT_BLOCK ? lz4_block(in, state) : lz4_in_block(in, state);
        if (step == STEP_DONE)
            continue;
        if (step == STEP_WAIT && in->wanted <= in->limit)
            return sig_short(in);
        if (state->whole > 0)
            return sig_complete(in, state->whole, "every sequence ends where the next begins");
        if (step == STEP_WAIT && in->valid > 0)
            sig_valid(in, in->limit);
        return step == STEP_WAIT ? sig_short(in)
                                 : sig_breaks(in, "a valid block or sequence must follow here, "
                                                  "and none does");
    }
}

const struct sig sig_lz4 = {
    .name = "lz4",
    .what = "LZ4 file, and its legacy form",
    .proves = "blocks lead to the end mark, sequences to the end of each block; the header's "
              "checksum is right",
    .source = "LZ4 Frame Format 1.6.4; LZ4 Block Format (2022-07-31)",
    .types = (const struct sig_type[]){ { "lz4", "lz4" }, { 0 } },
    .headers = { SIG_MASKED("\x04\x22\x4d\x18\x40\x40", "\xff\xff\xff\xff\xc2\xcf"),
                 SIG_PATTERN("\x02\x21\x4c\x18") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CLAIMS,
    .size_min = 9,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct lz4_state),
    .check = lz4_check,
};
