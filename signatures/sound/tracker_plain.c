/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/tracker_plain.c - modules that are read from one end to the other: ProTracker
 * and FastTracker 2.
 *
 *   mod: title | 31 samples (name, u16be words, finetune, volume, u16be loop, u16be loop's length)
 * | u8 length | u8 | 128 patterns to play | mark, which tells the channels | patterns of 64 lines,
 * 4 bytes a channel | samples xm: "Extended Module: " ... | patterns: u32le head, 0, u16le lines,
 * u16le bytes | data; instruments: u32le head ... u16le samples | heads of samples | samples
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sound/tracker.h"

enum {
    MOD_HEAD = 1084,
    MOD_SAMPLES = 31,
    MOD_SAMPLE = 30,
    MOD_LINES = 64,
    MOD_ORDERS = 128,
    MOD_MARK = 1080,
    MOD_LOUDEST = 64,
    MOD_NOTE_FIRST = 0xe0, /* bits of a note's first byte that are zero: there are 31 samples */
    XM_HEAD_AT = 60,       /* where the length of the head is */
    XM_HEAD = 20 + 256,
    XM_CHANNELS_MAX = 128,
    XM_PATTERN = 9,
    XM_PATTERN_MAX = 1024, /* bytes of a pattern's or an instrument's head, at most */
    XM_LINES_MAX = 1024,
    XM_INSTRUMENT = 29,
    XM_INSTRUMENT_FULL = 33, /* with the length of a sample's head */
    XM_SAMPLE = 40,
    XM_SAMPLES_MAX = 256, /* of an instrument */
};

/* Channels, by the mark; 0: none of ours. */
static uint32_t mod_channels(const uint8_t *mark)
{
    if (memcmp(mark, "M.K.", 4) == 0 || memcmp(mark, "M!K!", 4) == 0 ||
        memcmp(mark, "FLT4", 4) == 0)
        return 4;
    if (memcmp(mark, "FLT8", 4) == 0 || memcmp(mark, "CD81", 4) == 0 ||
        memcmp(mark, "OKTA", 4) == 0)
        return 8;
    if (memcmp(mark + 1, "CHN", 3) == 0)
        return mark[0] - '0';
    return (mark[0] - '0') * 10u + mark[1] - '0';
}

static enum step mod_begin(struct sig_input *in, struct tracker *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, MOD_HEAD);
    uint64_t samples = 0;
    uint32_t patterns = 0;

    if (head == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < MOD_SAMPLES; i++) {
        const uint8_t *sample = head + 20 + i * MOD_SAMPLE;
        const uint32_t len = bytes_u16be(sample + 22), from = bytes_u16be(sample + 26),
                       loop = bytes_u16be(sample + 28);

        if (sample[24] > 15 || sample[25] > MOD_LOUDEST ||
            (len > 0 && loop > 1 && from + loop > 2 * len + 1))
            return step_bad(why, "invalid sample");
        samples += len * UINT64_C(2);
    }
    const uint8_t *orders = head + 20 + MOD_SAMPLES * MOD_SAMPLE + 2;
    if (orders[-2] == 0 || orders[-2] > MOD_ORDERS)
        return step_bad(why, "invalid length of the song");
    for (uint32_t i = 0; i < MOD_ORDERS; i++) {
        if (orders[i] >= MOD_ORDERS)
            return step_bad(why, "invalid pattern");
        patterns = orders[i] >= patterns ? orders[i] + 1u : patterns;
    }
    const bool pairs =
        memcmp(head + MOD_MARK, "FLT8", 4) == 0; /* of patterns with four channels each */
    if (pairs)
        patterns += patterns % 2;
    state->samples = samples;
    state->count = patterns * MOD_LINES * 4 * (pairs ? 4 : mod_channels(head + MOD_MARK));
    state->at = MOD_HEAD;
    return STEP_DONE;
}

enum step tracker_mod(struct sig_input *in, struct tracker *state, const char **why)
{
    if (state->at == 0) {
        const enum step step = mod_begin(in, state, why);

        if (step != STEP_DONE)
            return step;
    }
    const uint64_t end = MOD_HEAD + (uint64_t)state->count;
    while (state->at < end) {
        const uint8_t *notes =
            sig_bytes(in, state->at, MOD_LINES * 4); /* a channel's share of a pattern */

        if (notes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < MOD_LINES * 4; i += 4)
            if ((notes[i] & MOD_NOTE_FIRST) != 0)
                return step_bad(why, "invalid note");
        state->at += MOD_LINES * 4;
        sig_valid(in, state->at);
    }
    state->end = end + state->samples;
    return STEP_DONE;
}

static enum step xm_begin(struct sig_input *in, struct tracker *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, XM_HEAD_AT + 20);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t size = bytes_u32le(head + XM_HEAD_AT), songs = bytes_u16le(head + 64);
    const uint32_t channels = bytes_u16le(head + 68), patterns = bytes_u16le(head + 70);
    const uint32_t instruments = bytes_u16le(head + 72);
    if (head[37] != 0x1a || bytes_u16le(head + 58) != 0x104 || size < 20 || size > XM_HEAD ||
        songs > 256 || channels == 0 || channels > XM_CHANNELS_MAX || patterns > 256 ||
        instruments > 256)
        return step_bad(why, "invalid header");
    state->count = patterns;
    state->part = instruments;
    state->at = XM_HEAD_AT + (uint64_t)size;
    return STEP_DONE;
}

static enum step xm_pattern(struct sig_input *in, struct tracker *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->at, XM_PATTERN);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t size = bytes_u32le(head), lines = bytes_u16le(head + 5),
                   len = bytes_u16le(head + 7);
    if (size < XM_PATTERN - 1 || size > XM_PATTERN_MAX || head[4] != 0 || lines == 0 ||
        lines > XM_LINES_MAX)
        return step_bad(why, "invalid pattern");
    state->at += (uint64_t)size + len;
    return STEP_DONE;
}

static enum step xm_instrument(struct sig_input *in, struct tracker *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->at, XM_INSTRUMENT);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t size = bytes_u32le(head), samples = bytes_u16le(head + 27);
    if (size < XM_INSTRUMENT - 2 || size > XM_PATTERN_MAX || samples > XM_SAMPLES_MAX)
        return step_bad(why, "invalid instrument");
    uint64_t at = state->at + size, data = 0;
    if (samples > 0) {
        head = size < XM_INSTRUMENT_FULL ? NULL : sig_bytes(in, state->at + XM_INSTRUMENT, 4);
        if (head == NULL)
            return size < XM_INSTRUMENT_FULL ? step_bad(why, "invalid instrument") : STEP_WAIT;
        if (bytes_u32le(head) != XM_SAMPLE)
            return step_bad(why, "invalid sample");
        head = sig_bytes(in, at, samples * XM_SAMPLE);
        if (head == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < samples; i++, head += XM_SAMPLE) {
            if (head[12] > MOD_LOUDEST || (head[14] & ~0x33) != 0)
                return step_bad(why, "invalid sample");
            data += bytes_u32le(head);
        }
        at += samples * UINT64_C(40) + data;
    }
    state->at = at;
    return STEP_DONE;
}

enum step tracker_xm(struct sig_input *in, struct tracker *state, const char **why)
{
    enum step step = state->at == 0 ? xm_begin(in, state, why) : STEP_DONE;

    while (step == STEP_DONE && state->index < state->count + state->part) {
        step = state->index < state->count ? xm_pattern(in, state, why)
                                           : xm_instrument(in, state, why);
        if (step == STEP_DONE) {
            state->index++;
            sig_valid(in, state->at);
        }
    }
    state->end = state->at;
    return step;
}
