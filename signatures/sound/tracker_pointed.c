/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/tracker_pointed.c - modules that point to their parts: Scream Tracker 3 and
 * Impulse Tracker.
 *
 *   s3m: title | 1a 10 | u16le orders, instruments, patterns | ... | "SCRM" | ... | orders | u16le
 *   pointers in paragraphs of 16 bytes
 *        instrument: 1, 80 bytes, "SCRS" at 76; where its sample is, how long, flags     pattern:
 *        u16le length
 *   it: "IMPM" | title | ... | u16le orders, instruments, samples, patterns | ... | orders | u32le
 *   pointers
 *        instrument: "IMPI", 554 bytes     sample: "IMPS", 80 bytes     pattern: u16le length
 *        behind 8 bytes
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sound/tracker.h"

enum {
    TRACKER_PARAGRAPH = 16,
    S3M_HEAD = 96,
    S3M_SAMPLE = 80,
    S3M_PARTS_MAX = 256,
    S3M_PANS = 32,
    IT_HEAD = 192,
    IT_INSTRUMENT = 554,
    IT_SAMPLE = 80,
    IT_PATTERN = 8,
    IT_PARTS_MAX = 4096,
    IT_16_BITS = 1 << 1,
    IT_STEREO = 1 << 2,
    IT_COMPRESSED = 1 << 3,
    IT_PRESENT = 1 << 0,
    IT_BLOCK = 0x8000, /* bytes of samples that a compressed block holds */
};

enum { TRACKER_INSTRUMENTS, TRACKER_SAMPLES, TRACKER_PATTERNS };

static enum step s3m_instrument(struct sig_input *in, struct tracker *state, uint64_t at,
                                const char **why)
{
    const uint8_t *head = sig_bytes(in, at, S3M_SAMPLE);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t type = head[0], flags = head[31];
    const uint64_t data = ((uint64_t)head[13] << 16 | bytes_u16le(head + 14)) * TRACKER_PARAGRAPH;
    if (type > 7 || (type == 1 && memcmp(head + 76, "SCRS", 4) != 0))
        return step_bad(why, "there is no instrument where the header points");
    tracker_reach(state, at + S3M_SAMPLE);
    if (type == 1 && bytes_u32le(head + 16) > 0 && data > 0)
        tracker_reach(state, data + bytes_u32le(head + 16) * (flags & 4 ? UINT64_C(2) : 1) *
                                        (flags & 2 ? 2 : 1));
    return STEP_DONE;
}

enum step tracker_s3m(struct sig_input *in, struct tracker *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, S3M_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t orders = bytes_u16le(head + 32), instruments = bytes_u16le(head + 34);
    const uint32_t patterns = bytes_u16le(head + 36), samples = bytes_u16le(head + 42);
    const uint64_t pointers = S3M_HEAD + (uint64_t)orders;
    if (head[28] != 0x1a || head[29] != 16 || orders == 0 || orders > S3M_PARTS_MAX ||
        instruments > S3M_PARTS_MAX || patterns > S3M_PARTS_MAX || samples == 0 || samples > 2)
        return step_bad(why, "invalid header");
    tracker_reach(state, pointers + (instruments + patterns) * UINT64_C(2) +
                             (head[53] == 0xfc ? S3M_PANS : 0));
    for (; state->index < instruments + patterns; state->index++) {
        enum step step = STEP_DONE;
        const uint8_t *entry = sig_bytes(in, pointers + state->index * UINT64_C(2), 2);

        if (entry == NULL)
            return STEP_WAIT;
        const uint64_t at = bytes_u16le(entry) * UINT64_C(16);
        if (at == 0)
            continue;
        if (state->index < instruments) {
            step = s3m_instrument(in, state, at, why);
        } else {
            const uint8_t *pattern = sig_bytes(in, at, 2);

            if (pattern == NULL)
                return STEP_WAIT;
            if (bytes_u16le(pattern) < 2)
                return step_bad(why, "invalid pattern");
            tracker_reach(state, at + bytes_u16le(pattern));
        }
        if (step != STEP_DONE)
            return step;
        sig_valid(in, pointers);
    }
    return STEP_DONE;
}

/* Blocks of compressed samples, `bytes` in all when unpacked. */
static enum step it_blocks(struct sig_input *in, struct tracker *state, uint64_t at, uint64_t bytes)
{
    for (uint64_t unpacked = 0; unpacked < bytes; unpacked += IT_BLOCK) {
        const uint8_t *len = sig_bytes(in, at, 2);

        if (len == NULL)
            return STEP_WAIT;
        at += 2 + (uint64_t)bytes_u16le(len);
    }
    tracker_reach(state, at);
    return STEP_DONE;
}

static enum step it_sample(struct sig_input *in, struct tracker *state, uint64_t at,
                           const char **why)
{
    const uint8_t *head = sig_bytes(in, at, IT_SAMPLE);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t flags = head[18];
    const uint64_t data = bytes_u32le(head + 72), len = bytes_u32le(head + 48);
    const uint64_t one = len * (flags & IT_16_BITS ? 2 : 1);
    if (memcmp(head, "IMPS", 4) != 0 || head[17] > 64 || head[19] > 64)
        return step_bad(why, "there is no sample where the header points");
    tracker_reach(state, at + IT_SAMPLE);
    if ((flags & IT_PRESENT) == 0 || len == 0)
        return STEP_DONE;
    if (data > in->limit || one > in->limit) {
        in->wanted = UINT64_MAX;
        return STEP_WAIT;
    }
    if (flags & IT_COMPRESSED)
        return it_blocks(in, state, data, one * (flags & IT_STEREO ? 2 : 1));
    tracker_reach(state, data + one * (flags & IT_STEREO ? 2 : 1));
    return STEP_DONE;
}

static enum step it_part(struct sig_input *in, struct tracker *state, uint32_t part, uint64_t at,
                         const char **why)
{
    if (part == TRACKER_SAMPLES)
        return it_sample(in, state, at, why);
    const uint8_t *head = sig_bytes(in, at, 4);
    if (head == NULL)
        return STEP_WAIT;
    if (part == TRACKER_INSTRUMENTS) {
        if (memcmp(head, "IMPI", 4) != 0)
            return step_bad(why, "there is no instrument where the header points");
        tracker_reach(state, at + IT_INSTRUMENT);
        return STEP_DONE;
    }
    if (bytes_u16le(head + 2) == 0 || bytes_u16le(head + 2) > 1024)
        return step_bad(why, "invalid pattern");
    tracker_reach(state, at + IT_PATTERN + bytes_u16le(head));
    return STEP_DONE;
}

enum step tracker_it(struct sig_input *in, struct tracker *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, IT_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t orders = bytes_u16le(head + 32), instruments = bytes_u16le(head + 34);
    const uint32_t samples = bytes_u16le(head + 36), patterns = bytes_u16le(head + 38);
    const uint32_t special = bytes_u16le(head + 46), all = instruments + samples + patterns;
    const uint64_t pointers = IT_HEAD + (uint64_t)orders;
    if (orders > IT_PARTS_MAX || instruments > IT_PARTS_MAX || samples > IT_PARTS_MAX ||
        patterns > IT_PARTS_MAX || all == 0 || head[48] > 128 || head[49] > 128 ||
        bytes_u16le(head + 42) > 0x300)
        return step_bad(why, "invalid header");
    tracker_reach(state, pointers + all * UINT64_C(4));
    if (special & 1)
        tracker_reach(state, (uint64_t)bytes_u32le(head + 56) + bytes_u16le(head + 54));
    for (; state->index < all; state->index++) {
        const uint32_t part = state->index < instruments             ? TRACKER_INSTRUMENTS
                              : state->index < instruments + samples ? TRACKER_SAMPLES
                                                                     : TRACKER_PATTERNS;
        const uint8_t *entry = sig_bytes(in, pointers + state->index * UINT64_C(4), 4);

        if (entry == NULL)
            return STEP_WAIT;
        const uint64_t at = bytes_u32le(entry);
        if (at == 0)
            continue;
        const enum step step = it_part(in, state, part, at, why);
        if (step != STEP_DONE)
            return step;
        sig_valid(in, pointers);
    }
    return STEP_DONE;
}
