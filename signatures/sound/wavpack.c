/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/wavpack.c - WavPack.
 *
 *   blocks: "wvpk" | u32le length behind these 8 bytes | u16le version | u8, u8: upper bits of the
 * next two | u32le samples of the file | u32le index of the first sample | u32le samples of this
 * block | flags | crc | (id | length in words | data)*
 *
 * The file ends behind the block that makes up its samples, blocks without samples, and tags.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/sound/audio_tag.h"

enum {
    WAVPACK_HEAD = 32,
    WAVPACK_VERSION_MIN = 0x402,
    WAVPACK_VERSION_MAX = 0x410,
    WAVPACK_BLOCK_MAX = 1 << 24,
    WAVPACK_PIECE = 4096,
    WAVPACK_PARTS_MAX = 256, /* of a block */
    WAVPACK_LARGE = 0x80,    /* the length of a part has three bytes */
    WAVPACK_CHECKSUM = 0x2f, /* part: sum of all before it, since version 5 */
    WAVPACK_FIRST = 1 << 11, /* flags: of the channels of one stretch of time */
    WAVPACK_LAST = 1 << 12,
};

struct wavpack_state {
    uint64_t at;            /* object offset of the next block */
    uint64_t next, samples; /* sample that the next block begins with; of the file, 0: not known */
    uint64_t blocks;
    bool summed; /* all blocks so far have a sum, and it is right */
    bool inside; /* of one stretch of time: more channels follow */
};

/* The parts of a block fill it. *sum: where the one is that sums up the others; 0: none is. */
static enum step wavpack_parts(struct sig_input *in, uint64_t at, uint64_t end, uint64_t *sum)
{
    *sum = 0;
    for (uint32_t i = 0; at < end; i++) {
        const uint8_t *part = end - at < 2 || i == WAVPACK_PARTS_MAX ? NULL : sig_bytes(in, at, 2);

        if (part == NULL)
            return end - at < 2 || i == WAVPACK_PARTS_MAX ? STEP_BAD : STEP_WAIT;
        const bool large = (part[0] & WAVPACK_LARGE) != 0;
        uint64_t len = 2 + part[1] * UINT64_C(2);

        if (part[0] == WAVPACK_CHECKSUM && (len == 4 || len == 6))
            *sum = at;
        if (large) {
            part = end - at < 4 ? NULL : sig_bytes(in, at, 4);
            if (part == NULL)
                return end - at < 4 ? STEP_BAD : STEP_WAIT;
            len = 4 + (bytes_u32le(part) >> 8) * UINT64_C(2);
        }
        if (len > end - at)
            return STEP_BAD;
        at += len;
    }
    return STEP_DONE;
}

/* The block from object offset at on, all of which is there, has the sum that stands at object
 * offset part. */
static enum step wavpack_sum(struct sig_input *in, uint64_t at, uint64_t part)
{
    uint32_t sum = UINT32_MAX;

    while (at < part) {
        const uint32_t piece = part - at < WAVPACK_PIECE ? (uint32_t)(part - at) : WAVPACK_PIECE;
        const uint8_t *words = sig_bytes(in, at, piece);

        if (words == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < piece; i += 2)
            sum = sum * 3 + bytes_u16le(words + i);
        at += piece;
    }
    const uint8_t *stored = sig_bytes(in, part, 4);
    if (stored == NULL)
        return STEP_WAIT;
    if (stored[1] == 1)
        return bytes_u16le(stored + 2) == ((sum ^ sum >> 16) & 0xffff) ? STEP_DONE : STEP_BAD;
    stored = sig_bytes(in, part + 2, 4);
    return stored == NULL ? STEP_WAIT : bytes_u32le(stored) == sum ? STEP_DONE : STEP_BAD;
}

/* STEP_BAD: no further block of this file. */
static enum step wavpack_block(struct sig_input *in, struct wavpack_state *state)
{
    const uint8_t *head = sig_bytes(in, state->at, WAVPACK_HEAD);

    if (head == NULL)
        return in->wanted > in->limit && state->samples > 0 && state->next == state->samples
                   ? STEP_BAD
                   : STEP_WAIT;
    const uint32_t len = bytes_u32le(head + 4), version = bytes_u16le(head + 8),
                   count = bytes_u32le(head + 20);
    const uint64_t index = (uint64_t)head[10] << 32 | bytes_u32le(head + 16);
    const uint32_t flags = bytes_u32le(head + 24), all = bytes_u32le(head + 12);
    const uint64_t samples = ((uint64_t)head[11] << 32 | all) - head[11];
    const bool known = all != UINT32_MAX;

    if (memcmp(head, "wvpk", 4) != 0 || len < WAVPACK_HEAD - 8 || len > WAVPACK_BLOCK_MAX ||
        len % 2 != 0 || version < WAVPACK_VERSION_MIN || version > WAVPACK_VERSION_MAX)
        return STEP_BAD;
    if (count > 0 && (index != state->next || ((flags & WAVPACK_FIRST) == 0) != state->inside))
        return STEP_BAD;
    if (count > 0 && state->samples > 0 && index + count > state->samples)
        return STEP_BAD;
    const uint64_t end = state->at + 8 + len;
    uint64_t sum;
    enum step step = wavpack_parts(in, state->at + WAVPACK_HEAD, end, &sum);
    if (step != STEP_DONE)
        return step;
    if (sig_bytes(in, end - 1, 1) == NULL)
        return STEP_WAIT;
    step = sum == 0 ? STEP_DONE : wavpack_sum(in, state->at, sum);
    if (step != STEP_DONE)
        return step;
    state->summed = (state->blocks == 0 || state->summed) && sum != 0;
    if (state->blocks == 0 && known)
        state->samples = samples;
    state->inside = count > 0 && (flags & WAVPACK_LAST) == 0;
    if (count > 0 && !state->inside)
        state->next = index + count;
    state->at = end;
    state->blocks++;
    return STEP_DONE;
}

static struct sig_result wavpack_check(struct sig_input *in, void *memory)
{
    struct wavpack_state *state = memory;
    enum step step = STEP_DONE;

    while (step == STEP_DONE) {
        if (state->blocks > 0)
            sig_valid(in, state->at);
        step = wavpack_block(in, state);
    }
    if (step == STEP_WAIT && in->wanted > in->limit && state->blocks > 0)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (state->blocks == 0)
        return sig_reject("there is no valid first block");
    if (state->inside || (state->samples > 0 && state->next != state->samples))
        return sig_breaks(in, "the next block of samples must follow here, and does not");
    if (state->samples == 0)
        return sig_breaks(in, "the file was written as a stream: its length is not recorded");
    uint64_t end = state->at;
    if (audio_tag_behind(in, &end) == STEP_WAIT)
        return sig_short(in);
    if (state->summed)
        return sig_complete(in, end, "the checksum of every block is right");
    return sig_believe(in, end, "the blocks make up the samples of the file");
}

const struct sig sig_wavpack = {
    .name = "wv",
    .what = "WavPack audio",
    .proves =
        "blocks count up to the given number of samples; their checksums since version 5, else "
        "only lengths",
    .source = "David Bryant, WavPack 4 & 5 Binary File / Block Format",
    .types = (const struct sig_type[]){ { "wv", "wv" }, { 0 } },
    .headers = { SIG_MASKED("wvpk\0\0\0\0\0\4\0\0\0\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\x01\0\0\xff\0\xff\xff\0\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = WAVPACK_HEAD + 2,
    .size_max = UINT64_C(1) << 36, /* policy: up to 2^40 samples */
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct wavpack_state),
    .check = wavpack_check,
};
