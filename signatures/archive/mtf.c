/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/mtf.c - BKF: backups in Microsoft's tape format.
 *
 *   blocks, each at a multiple of 512: kind, 4 letters | u32le | u16le place of its first stream |
 * ... | u16le at 50: all words before it, one xor the other
 *
 *   streams: kind, 4 letters | u16le, u16le | u64le length | u16le, u16le | u16le: the words before
 * it | data | up to a multiple of 4. The last stream of a block, "SPAD", fills it up.
 *
 * "TAPE" comes first. A file mark, "SFMB", has no streams; "TAPE" says how long it is. The backup
 * ends with "EOTM", or where no block follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MTF_BLOCK = 52,
    MTF_BLOCK_SUM = 50,
    MTF_STREAM = 22,
    MTF_STREAM_SUM = 20,
    MTF_UNIT = 512,
    MTF_HEAD = 94, /* of TAPE */
};
#define MTF_SIZE_MAX (UINT64_C(1) << 44)

struct mtf_state {
    uint64_t block, stream; /* the next one; stream 0: a block comes */
    uint32_t mark;          /* bytes of a file mark */
    uint32_t blocks;
    bool last; /* the block is the last one */
};

static bool mtf_sum(const uint8_t *p, uint32_t len)
{
    uint16_t sum = 0;

    for (uint32_t i = 0; i < len; i += 2)
        sum ^= bytes_u16le(p + i);
    return sum == bytes_u16le(p + len);
}

static bool mtf_kind(const uint8_t *p)
{
    static const char kinds[][5] = { "TAPE", "SSET", "VOLB", "DIRB", "FILE",
                                     "CFIL", "ESPB", "ESET", "EOTM", "SFMB" };

    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (memcmp(p, kinds[i], 4) == 0)
            return true;
    return false;
}

/* The block at state->block. STEP_BAD: there is none. */
static enum step mtf_block(struct sig_input *in, struct mtf_state *state)
{
    const uint8_t *p = sig_bytes(in, state->block, MTF_BLOCK);

    if (p == NULL)
        return state->blocks > 0 && in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
    if (!mtf_kind(p) || !mtf_sum(p, MTF_BLOCK_SUM) ||
        (memcmp(p, "TAPE", 4) == 0) != (state->blocks == 0))
        return STEP_BAD;
    const uint32_t stream = bytes_u16le(p + 8);
    state->last = memcmp(p, "EOTM", 4) == 0;
    if (memcmp(p, "SFMB", 4) == 0) {
        if (state->mark == 0)
            return STEP_BAD;
        state->block += state->mark;
    } else if (stream < MTF_BLOCK || stream % 4 != 0) {
        return STEP_BAD;
    } else {
        state->stream = state->block + stream;
    }
    state->blocks++;
    return STEP_DONE;
}

static enum step mtf_stream(struct sig_input *in, struct mtf_state *state)
{
    const uint8_t *p = sig_bytes(in, state->stream, MTF_STREAM);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t len = bytes_u64le(p + 8);
    const bool fill = memcmp(p, "SPAD", 4) == 0;
    const uint64_t end = state->stream + MTF_STREAM + (len > MTF_SIZE_MAX ? MTF_SIZE_MAX : len);
    if (!mtf_sum(p, MTF_STREAM_SUM) || len > MTF_SIZE_MAX || (fill && end % MTF_UNIT != 0))
        return STEP_BAD;
    sig_valid(in, state->stream + MTF_STREAM);
    state->stream = fill ? 0 : (end + 3) / 4 * 4;
    if (fill)
        state->block = end;
    return STEP_DONE;
}

static struct sig_result mtf_check(struct sig_input *in, void *memory)
{
    struct mtf_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MTF_HEAD);

    if (p == NULL)
        return sig_short(in);
    state->mark = bytes_u16le(p + 64) * MTF_UNIT;
    for (;;) {
        const bool block = state->stream == 0;

        if (block && state->blocks > 0) {
            p = sig_bytes(in, state->block - 1, 1);
            if (p == NULL)
                return sig_short(in);
            sig_valid(in, state->block);
            if (state->last)
                return sig_complete(in, state->block, "blocks and streams lead to the last one");
        }
        const enum step step = block ? mtf_block(in, state) : mtf_stream(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD && block && state->blocks > 1)
            break;
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid block or stream");
    }
    return sig_believe(in, state->block, "blocks and streams follow one another");
}

const struct sig sig_mtf = {
    .name = "bkf",
    .what = "BKF, backup in Microsoft's tape format",
    .proves = "the sum of the head of every block and stream, which follow one another",
    .source = "Seagate, Microsoft Tape Format Specification 1.00a (1997)",
    .types = (const struct sig_type[]){ { "bkf", "bkf" }, { 0 } },
    .headers = { SIG_MASKED("TAPE\0\0\0\0\0\0", "\xff\xff\xff\xff\0\0\0\0\0\xfc") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = MTF_UNIT,
    .size_max = MTF_SIZE_MAX,
    .state_size = sizeof(struct mtf_state),
    .check = mtf_check,
};
