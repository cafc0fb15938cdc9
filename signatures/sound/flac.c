/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/flac.c - FLAC: metadata, then frames with a CRC-8 over the header and a CRC-16
 * over all.
 *
 *   [ID3v2] | "fLaC" | (last flag and type | u24be length | data)* | frames | [tags]
 *
 * A frame ends where the CRC-16 of what was read is zero and the header of the frame with the next
 * number stands. The last one is the one that makes up the samples of STREAMINFO, or, where that
 * does not know them, the one with no other behind it; its codes are stepped over to its end.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/crc16.h"
#include "signatures/sound/audio_tag.h"
#include "signatures/sound/flac.h"
#include "signatures/sound/sound_facts.h"

enum {
    FLAC_INFO = 34, /* bytes of STREAMINFO */
    FLAC_SEEK_POINT = 18,
    FLAC_BLOCK_MIN = 16, /* samples of any frame but the last */
    FLAC_BLOCKS_MAX = 4096,
    FLAC_FOOTER = 2,
    FLAC_LAST_BLOCK = 0x80,
};
enum flac_block {
    FLAC_STREAMINFO,
    FLAC_PADDING,
    FLAC_APPLICATION,
    FLAC_SEEKTABLE,
    FLAC_COMMENT,
    FLAC_CUESHEET,
    FLAC_PICTURE,
    FLAC_BLOCKS
};

static const uint8_t flac_sync = 0xff;

struct flac_state {
    bool begun, in_frames, ended;
    uint64_t at; /* object offset of the next metadata block, of the frame being read, or, at the
                    end, of the tags */
    uint32_t blocks;                 /* metadata blocks so far */
    uint64_t frames, samples, total; /* whole frames and the samples in them; total 0: not known */
    uint32_t channels, bits, rate, smallest, largest; /* smallest and largest: samples of a frame */
    uint32_t least_len, most_len;                     /* bytes of a frame; 0: not known */
    struct flac_frame frame;                          /* the one at `at` */
    uint64_t look;                                    /* where the next frame is looked for */
    uint16_t sum;                                     /* CRC of the frame up to there */
    struct crc16 crc;
};

/* Over the tag in front, if there is one, to the first metadata block. */
static enum step flac_begin(struct sig_input *in, struct flac_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, AUDIO_TAG_ID3_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t at = audio_tag_id3_len(head);
    head = sig_bytes(in, at, 4);
    if (head == NULL)
        return STEP_WAIT;
    if (memcmp(head, "fLaC", 4) != 0)
        return step_bad(why, "no FLAC stream follows the tag");
    sig_claim(in, at);
    sig_open_field(in, 0, at);
    crc16_init(&state->crc, CRC16_SOUND);
    state->at = at + 4;
    state->begun = true;
    return STEP_DONE;
}

static enum step flac_streaminfo(struct sig_input *in, struct flac_state *state, const char **why)
{
    const uint8_t *info = sig_bytes(in, state->at + 4, FLAC_INFO);

    if (info == NULL)
        return STEP_WAIT;

    state->smallest = bytes_u16be(info);
    state->least_len = bytes_u32be(info + 4) >> 8;
    state->most_len = bytes_u32be(info + 7) >> 8;
    state->largest = bytes_u16be(info + 2);
    state->rate = bytes_u32be(info + 10) >> 12;
    state->channels = (info[12] >> 1 & 7) + 1u;
    state->bits = (uint32_t)((info[12] & 1) << 4 | info[13] >> 4) + 1;
    state->total = (uint64_t)(info[13] & 15) << 32 | bytes_u32be(info + 14);
    if (state->smallest < FLAC_BLOCK_MIN || state->smallest > state->largest || state->bits < 4 ||
        (state->least_len > state->most_len && state->most_len != 0))
        return step_bad(why, "invalid STREAMINFO");
    return STEP_DONE;
}

/* What the blocks other than STREAMINFO say of themselves. */
static enum step flac_block(struct sig_input *in, enum flac_block type, uint64_t at, uint32_t len,
                            const char **why)
{
    if (type == FLAC_SEEKTABLE && len % FLAC_SEEK_POINT != 0)
        return step_bad(why, "invalid seek table");
    if (type != FLAC_COMMENT && type != FLAC_PICTURE)
        return STEP_DONE;
    if (len < 8)
        return step_bad(why, "a metadata block is too short");
    const uint8_t *body = sig_bytes(in, at, 8);
    if (body == NULL)
        return STEP_WAIT;
    const uint32_t text = type == FLAC_COMMENT ? bytes_u32le(body) : bytes_u32be(body + 4);
    return text > len - 8 ? step_bad(why, "a text is longer than its block") : STEP_DONE;
}

/* Whether all of these bytes are zero, as those of padding must be. */
static enum step flac_zeros(struct sig_input *in, uint64_t at, uint64_t to)
{
    while (at < to) {
        uint32_t len;
        const uint8_t *bytes = sig_span_to(in, at, to, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len; i++)
            if (bytes[i] != 0)
                return STEP_BAD;
        at += len;
    }
    return STEP_DONE;
}

static enum step flac_metadata(struct sig_input *in, struct flac_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->at, 4);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t type = head[0] & 0x7f, len = bytes_u32be(head) & 0xffffff;
    const bool last = (head[0] & FLAC_LAST_BLOCK) != 0;
    if (type >= FLAC_BLOCKS || (type == FLAC_STREAMINFO) != (state->blocks == 0) ||
        (type == FLAC_STREAMINFO && len != FLAC_INFO) || state->blocks == FLAC_BLOCKS_MAX)
        return step_bad(why, "invalid metadata block");
    const enum step step = type == FLAC_STREAMINFO ? flac_streaminfo(in, state, why)
                                                   : flac_block(in, type, state->at + 4, len, why);
    if (step != STEP_DONE)
        return step;
    if (type == FLAC_PADDING && in->thorough) {
        const enum step zeros = flac_zeros(in, state->at + 4, state->at + 4 + len);

        if (zeros != STEP_DONE)
            return zeros == STEP_BAD ? step_bad(why, "padding is not zero") : zeros;
    } else {
        sig_open_field(in, state->at + 4, state->at + 4 + len);
    }
    state->at += 4 + (uint64_t)len;
    state->blocks++;
    state->in_frames = last;
    return STEP_DONE;
}

/* The header of the frame at object offset at, if it can be the next one of this stream. */
static enum step flac_next(struct sig_input *in, const struct flac_state *state, uint64_t at,
                           struct flac_frame *next)
{
    const struct flac_frame *frame = &state->frame;
    const bool first = state->samples == 0 && state->look == 0;
    const enum step step = flac_frame_head(in, at, next);

    if (step != STEP_DONE)
        return step;
    if (next->channels != state->channels || (next->bits != 0 && next->bits != state->bits) ||
        (next->rate != 0 && next->rate != state->rate) || next->samples > state->largest)
        return STEP_BAD;
    if (!next->by_sample && state->smallest != state->largest)
        return STEP_BAD;
    if (!first && (next->by_sample != frame->by_sample ||
                   next->number != frame->number + (frame->by_sample ? frame->samples : 1)))
        return STEP_BAD;
    return STEP_DONE;
}

/* True when the next frame begins at state->look. STEP_BAD: another 0xff. */
static enum step flac_candidate(struct sig_input *in, const struct flac_state *state,
                                struct flac_frame *next)
{
    const enum step step = flac_next(in, state, state->look, next);

    return step == STEP_WAIT && in->wanted > in->limit ? STEP_BAD : step;
}

/* Looks on for the next frame. STEP_BAD: there is none as far as this one can go. */
static enum step flac_find(struct sig_input *in, struct flac_state *state, struct flac_frame *next)
{
    const struct flac_frame *frame = &state->frame;
    const uint64_t most = flac_frame_most(frame, state->bits);

    while (state->look - state->at < most) {
        uint32_t len, from = 0;
        const uint8_t *bytes = sig_span_to(in, state->look, state->at + most, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        while (from < len) {
            const uint8_t *sync = memchr(bytes + from, 0xff, len - from);
            const uint32_t before = sync == NULL ? len : (uint32_t)(sync - bytes);

            state->sum = crc16_add(&state->crc, state->sum, bytes + from, before - from);
            state->look += before - from;
            from = before;
            if (sync == NULL)
                break;
            const bool likely = state->sum == 0 && (from + 1 == len || (sync[1] & 0xfe) == 0xf8);
            const enum step step = likely ? flac_candidate(in, state, next) : STEP_BAD;
            if (step != STEP_BAD)
                return step;
            state->sum = crc16_add(&state->crc, state->sum, &flac_sync, 1);
            state->look++;
            from = likely ? len : from + 1; /* the bytes are good until they are asked for again */
        }
    }
    return STEP_BAD;
}

/* Whether STREAMINFO lets the frame at state->at end at object offset end. */
static bool flac_fits(const struct flac_state *state, uint64_t end, bool last)
{
    const uint64_t len = end - state->at;

    if (len < state->least_len || (state->most_len != 0 && len > state->most_len))
        return false;
    return last || state->frame.by_sample || state->frame.samples == state->largest;
}

/* The last frame: where its codes end, its CRC-16 must stand. */
static enum step flac_last(struct sig_input *in, struct flac_state *state, const char **why)
{
    uint64_t end = 0;
    uint32_t len;
    uint16_t sum = 0;
    enum step step = flac_frame_end(in, state->at, &state->frame, state->bits, &end);

    if (step == STEP_BAD)
        *why = "invalid codes in the last frame";
    if (step != STEP_DONE)
        return step;
    end += FLAC_FOOTER;
    for (uint64_t at = state->at; at < end; at += len) {
        const uint8_t *bytes = sig_span_to(in, at, end, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        sum = crc16_add(&state->crc, sum, bytes, len);
    }
    if (sum != 0)
        return step_bad(why, "the CRC of the last frame is wrong");
    if (!flac_fits(state, end, true))
        return step_bad(why, "the size of a frame contradicts STREAMINFO");
    state->at = end;
    state->frames++;
    state->ended = true;
    return STEP_DONE;
}

static enum step flac_walk(struct sig_input *in, struct flac_state *state, const char **why)
{
    struct flac_frame next;

    if (state->look == 0) {
        const enum step step = flac_next(in, state, state->at, &state->frame);

        if (step == STEP_BAD)
            *why = "a valid frame must begin here, and none does";
        if (step != STEP_DONE)
            return step;
        state->look = state->at;
        sig_sure(in, state->at); /* but for what is open before */
    }
    const uint64_t samples = state->samples + state->frame.samples;
    if (state->total > 0 && samples >= state->total)
        return samples == state->total ? flac_last(in, state, why)
                                       : step_bad(why, "there are more samples than STREAMINFO "
                                                       "says");
    const enum step step = flac_find(in, state, &next);
    const bool none = step == STEP_BAD || (step == STEP_WAIT && in->wanted > in->limit);
    if (none && state->total == 0)
        return flac_last(in, state, why);
    if (step == STEP_BAD)
        *why = "the next frame must follow here, and none does";
    if (step != STEP_DONE)
        return step;
    if (!flac_fits(state, state->look, false))
        return step_bad(why, "the size of a frame contradicts STREAMINFO");
    state->at = state->look;
    state->sum = 0;
    state->samples = samples;
    state->frames++;
    state->frame = next;
    return STEP_DONE;
}

static enum step flac_part(struct sig_input *in, struct flac_state *state, const char **why)
{
    if (!state->begun)
        return flac_begin(in, state, why);
    return state->in_frames ? flac_walk(in, state, why) : flac_metadata(in, state, why);
}

static struct sig_result flac_check(struct sig_input *in, void *memory)
{
    struct flac_state *state = memory;
    const char *why = NULL;

    while (!state->ended) {
        const enum step step = flac_part(in, state, &why);

        if (step == STEP_DONE) {
            if (state->frames > 0) {
                sig_valid(in, state->at);
                sig_sure(in, state->at);
            }
            continue;
        }
        if (step == STEP_WAIT && in->wanted > in->limit && state->frames > 0)
            sig_valid(in, in->limit);
        return step == STEP_WAIT ? sig_short(in) : sig_breaks(in, why);
    }
    uint64_t end = state->at;
    if (audio_tag_behind(in, &end) == STEP_WAIT)
        return sig_short(in);
    sig_open_field(in, state->at, end);
    return sig_complete(in, end, "the CRC of every frame is right");
}

const struct sig sig_flac = {
    .name = "flac",
    .what = "FLAC audio",
    .proves =
        "CRC-8 and CRC-16 of every frame, their numbers, and the samples that the header counts",
    .source = "RFC 9639 (FLAC)",
    .types = (const struct sig_type[]){ { "flac", "flac" }, { 0 } },
    .headers = { SIG_PATTERN("fLaC\0\0\0\x22"), SIG_PATTERN("fLaC\x80\0\0\x22"),
                 AUDIO_TAG_ID3_PATTERN("\2"), AUDIO_TAG_ID3_PATTERN("\3"),
                 AUDIO_TAG_ID3_PATTERN("\4") },
    .flags = SIG_CLAIMS | SIG_CONTAINER,
    .size_min = 4 + 4 + FLAC_INFO + 8,
    .size_max = UINT64_C(1) << 36, /* policy: STREAMINFO counts up to 2^36 samples */
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct flac_state),
    .check = flac_check,
    .unit = flac_unit,
    .facts = flac_facts,
};
