/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/zstd.c - Zstandard: frames of blocks, walked by their sizes.
 *
 *   frame: 28 b5 2f fd | descriptor | [window] [dictionary 0-4] [content size 0-8] | blocks |
 * [checksum 4] block: u24le: last block 1 bit, type 2 bits, size 21 bits | data skippable frame: 5x
 * 2a 4d 18 | u32le size | anything
 *
 * The data of a compressed block are not unpacked, but their outline is looked at: literals that
 * fit in it, what follows them, and the bit that ends the last stream. Frames right behind each
 * other are one file, as parallel compressors write it.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ZSTD_MAGIC_LEN = 4,
    ZSTD_BLOCK_HEAD = 3,
    ZSTD_BLOCK_MAX = 128 << 10,
    ZSTD_WINDOW_LOG_MAX = 31,
    ZSTD_LITERALS_HEAD = 5,
    ZSTD_SKIP_LEN = 8,
};
#define ZSTD_MAGIC UINT32_C(0xfd2fb528)
#define ZSTD_SKIPPABLE UINT32_C(0x184d2a50)

enum zstd_type { ZSTD_RAW, ZSTD_RUN, ZSTD_COMPRESSED, ZSTD_RESERVED };

struct zstd_state {
    uint64_t at;                  /* object offset: what is before it has been walked */
    uint64_t whole;               /* end of the last whole frame with content; 0: none yet */
    uint64_t content, plain_most; /* what the frame says it unpacks to, UINT64_MAX: nothing; what
                                     its blocks can */
    uint64_t blocks;
    bool inside, checksum, some; /* some: a frame that is not skippable was met */
};

static uint64_t zstd_little(const uint8_t *bytes, uint32_t len)
{
    uint64_t value = 0;

    for (uint32_t i = len; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static enum step zstd_frame(struct sig_input *in, struct zstd_state *state)
{
    static const uint8_t dictionary[4] = { 0, 1, 2, 4 };
    const uint8_t *head = sig_bytes(in, state->at, ZSTD_MAGIC_LEN + 2);

    if (head == NULL)
        return STEP_WAIT;
    if (bytes_u32le(head) != ZSTD_MAGIC)
        return STEP_BAD;
    const uint8_t descriptor = head[4];
    const bool single = (descriptor & 0x20) != 0;
    if ((descriptor & 0x18) != 0 || (!single && (head[5] >> 3) + 10 > ZSTD_WINDOW_LOG_MAX))
        return STEP_BAD;
    const uint32_t size_len = descriptor >> 6 == 0 ? (single ? 1u : 0u) : 1u << (descriptor >> 6);
    const uint32_t before = ZSTD_MAGIC_LEN + 1u + (single ? 0u : 1u) + dictionary[descriptor & 3];
    if ((head = sig_bytes(in, state->at, before + size_len + ZSTD_BLOCK_HEAD)) == NULL)
        return STEP_WAIT;
    state->content = size_len == 0
                         ? UINT64_MAX
                         : zstd_little(head + before, size_len) + (size_len == 2 ? 256 : 0);
    state->checksum = (descriptor & 4) != 0;
    if (state->at > 0)
        sig_claim(in, state->at);
    state->at += before + size_len;
    state->inside = true;
    state->plain_most = state->blocks = 0;
    return STEP_DONE;
}

/* A frame, or a skippable one. */
static enum step zstd_start(struct sig_input *in, struct zstd_state *state)
{
    const uint8_t *magic = sig_bytes(in, state->at, ZSTD_SKIP_LEN);

    if (magic == NULL)
        return STEP_WAIT;
    if ((bytes_u32le(magic) & ~UINT32_C(15)) != ZSTD_SKIPPABLE)
        return zstd_frame(in, state);
    if (state->at > 0)
        sig_claim(in, state->at);
    state->at += ZSTD_SKIP_LEN + (uint64_t)bytes_u32le(magic + 4);
    if (state->some && state->at <= in->limit)
        state->whole = state->at;
    return STEP_DONE;
}

/* Where the literals of a compressed block end, by the up to 5 bytes that it begins with; 0: they
 * cannot be. */
static uint32_t zstd_literals(const uint8_t *head)
{
    const uint32_t type = head[0] & 3, form = head[0] >> 2 & 3;
    const uint64_t bits = zstd_little(head, ZSTD_LITERALS_HEAD) >> 4;

    if (type < 2) { /* raw or a run: only a plain size */
        const uint32_t head_len = form == 1 ? 2 : form == 3 ? 3 : 1;
        const uint32_t plain = form == 1   ? (uint32_t)(bits & 0xfff)
                               : form == 3 ? (uint32_t)(bits & 0xfffff)
                                           : head[0] >> 3;

        return plain > ZSTD_BLOCK_MAX ? 0 : head_len + (type == 1 ? 1 : plain);
    }
    const uint32_t width = form <= 1   ? 10
                           : form == 2 ? 14
                                       : 18,
                   head_len = form <= 1   ? 3
                              : form == 2 ? 4
                                          : 5;
    const uint32_t plain = (uint32_t)(bits & ((1u << width) - 1)),
                   packed = (uint32_t)(bits >> width & ((1u << width) - 1));
    return plain == 0 || plain > ZSTD_BLOCK_MAX || packed == 0 ? 0 : head_len + packed;
}

/* The outline of a compressed block of len bytes at object offset at. */
static enum step zstd_outline(struct sig_input *in, uint64_t at, uint32_t len)
{
    uint8_t head[ZSTD_LITERALS_HEAD] = { 0 };

    if (len < 2)
        return STEP_BAD;
    const uint32_t have = len < ZSTD_LITERALS_HEAD ? len : ZSTD_LITERALS_HEAD;
    const uint8_t *bytes = sig_bytes(in, at, have);

    if (bytes == NULL)
        return STEP_WAIT;
    memcpy(head, bytes, have);
    const uint32_t literals = zstd_literals(head);
    if (literals == 0 || literals >= len)
        return STEP_BAD;
    const uint32_t look = len - literals < 4 ? len - literals : 4;
    if ((bytes = sig_bytes(in, at + literals, look)) == NULL)
        return STEP_WAIT;
    const uint32_t count_len = bytes[0] == 0 ? 0 : bytes[0] < 128 ? 1 : bytes[0] < 255 ? 2 : 3;
    if (count_len == 0)
        return look == 1 ? STEP_DONE : STEP_BAD;
    if (count_len >= look || (bytes[count_len] & 3) != 0)
        return STEP_BAD;
    const uint8_t *last = sig_bytes(in, at + len - 1, 1);
    if (last == NULL)
        return STEP_WAIT;
    return last[0] != 0 ? STEP_DONE : STEP_BAD;
}

static enum step zstd_block(struct sig_input *in, struct zstd_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, ZSTD_BLOCK_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t word = (uint32_t)zstd_little(head, ZSTD_BLOCK_HEAD), size = word >> 3;
    const enum zstd_type type = (enum zstd_type)(word >> 1 & 3);
    if (type == ZSTD_RESERVED || size > ZSTD_BLOCK_MAX)
        return STEP_BAD;
    if (type == ZSTD_COMPRESSED) {
        const enum step step = zstd_outline(in, state->at + ZSTD_BLOCK_HEAD, size);
        if (step != STEP_DONE)
            return step;
    }
    state->plain_most += type == ZSTD_COMPRESSED ? ZSTD_BLOCK_MAX : size;
    const uint64_t end = state->at + ZSTD_BLOCK_HEAD + (type == ZSTD_RUN ? 1 : size);
    if ((word & 1) != 0) {
        if (state->content != UINT64_MAX && state->content > state->plain_most)
            return STEP_BAD;
        state->inside = false;
        state->at = end + (state->checksum ? 4 : 0);
        state->some = true;
        if (state->at <= in->limit)
            state->whole = state->at;
    } else {
        state->at = end;
    }
    if (state->blocks++ > 0 || !state->inside)
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    return STEP_DONE;
}

static struct sig_result zstd_check(struct sig_input *in, void *memory)
{
    struct zstd_state *state = memory;

    for (;;) {
        if (!state->inside && sig_claims_full(in))
            return sig_again(in);
        const enum step step = state->inside ? zstd_block(in, state) : zstd_start(in, state);
        if (step == STEP_DONE)
            continue;
        if (step == STEP_WAIT && in->wanted <= in->limit)
            return sig_short(in);
        if (state->whole > 0)
            return sig_complete(in, state->whole, "every block ends at the next one");
        if (step == STEP_WAIT && in->valid > 0)
            sig_valid(in, in->limit);
        return step == STEP_WAIT ? sig_short(in)
                                 : sig_breaks(in, "a valid block must follow "
                                                  "here, and none does");
    }
}

const struct sig sig_zstd = {
    .name = "zst",
    .what = "Zstandard file",
    .proves = "blocks lead to the last one; the outline of compressed ones fits",
    .source = "RFC 8878, section 3.1",
    .types = (const struct sig_type[]){ { "zst", "zst" }, { 0 } },
    .headers = { SIG_MASKED("\x28\xb5\x2f\xfd\0", "\xff\xff\xff\xff\x18") },
    .flags = SIG_CLAIMS,
    .size_min = 9,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct zstd_state),
    .check = zstd_check,
};
