/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/aiff.c - AIFF and AIFF-C sound.
 *
 *   "FORM" | u32be size | "AIFF" or "AIFC" | (id | u32be length | data | pad to even)*      size
 * counts from the type on COMM: u16be channels | u32be sample frames | u16be bits | 80-bit rate |
 * AIFC: compression, its name SSND: u32be offset | u32be block | samples
 *
 * Chunks must end with the form (the pad byte of the last one may be left out), and the samples are
 * as many as COMM says.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    AIFF_HEAD = 12,
    AIFF_COMM = 18,
    AIFF_COMM_MAX = 1024,
    AIFF_SOUND_HEAD = 8, /* of SSND, in front of the samples */
    AIFF_CHUNKS_MAX = 4096,
    AIFF_PEAK = 16,     /* bytes of a chunk of peaks before those of its channels */
    AIFF_CUT_MIN = 512, /* bytes that make a file which the end of the image cuts off */
    AIFF_CHANNELS_MAX = 256,
    AIFF_EXPONENT_MIN = 0x4003, /* of the rate: 16 and more, below 4 million */
    AIFF_EXPONENT_MAX = 0x4014,
};

struct aiff_state {
    uint64_t at; /* object offset of the next chunk; 0: not begun */
    uint64_t end;
    bool compressed_form; /* AIFC */
    bool has_format, has_sound;
    uint32_t chunks, frames, frame_bits; /* of COMM; frame_bits 0: not known */
    uint32_t channels;
    enum plausible_kind kind;
    struct plausible plausible;
};

/* What is known of the samples by their compression. */
static void aiff_samples(struct aiff_state *state, const uint8_t *compression, uint32_t bits)
{
    static const struct {
        char id[5];
        uint8_t bits; /* 0: as COMM says */
        enum plausible_kind kind;
    } known[] = {
        { "NONE", 0, PLAUSIBLE_SAMPLES_16_BIG },
        { "twos", 0, PLAUSIBLE_SAMPLES_16_BIG },
        { "sowt", 0, PLAUSIBLE_SAMPLES_16 },
        { "raw ", 8, PLAUSIBLE_SAMPLES_8 },
        { "fl32", 32, PLAUSIBLE_ANY },
        { "FL32", 32, PLAUSIBLE_ANY },
        { "fl64", 64, PLAUSIBLE_ANY },
        { "FL64", 64, PLAUSIBLE_ANY },
        { "in24", 24, PLAUSIBLE_SAMPLES_24_BIG },
        { "in32", 32, PLAUSIBLE_SAMPLES_32_BIG },
        { "ulaw", 8, PLAUSIBLE_SAMPLES_8 },
        { "ULAW", 8, PLAUSIBLE_SAMPLES_8 },
        { "alaw", 8, PLAUSIBLE_SAMPLES_8 },
        { "ALAW", 8, PLAUSIBLE_SAMPLES_8 },
    };

    static const enum plausible_kind by_width[] = { PLAUSIBLE_ANY, PLAUSIBLE_SAMPLES_8_SIGNED,
                                                    PLAUSIBLE_SAMPLES_16_BIG,
                                                    PLAUSIBLE_SAMPLES_24_BIG,
                                                    PLAUSIBLE_SAMPLES_32_BIG };

    state->kind = PLAUSIBLE_ANY;
    state->frame_bits = 0;
    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (memcmp(known[i].id, compression, 4) != 0)
            continue;
        const uint32_t whole = (bits + 7) / 8 * 8; /* samples of 12 bits are stored in 16 */
        state->frame_bits = (known[i].bits == 0 ? whole : known[i].bits) * state->channels;
        state->kind = known[i].kind;
        if (state->kind == PLAUSIBLE_SAMPLES_16_BIG && whole <= 32)
            state->kind = by_width[whole / 8];
        else if (state->kind == PLAUSIBLE_SAMPLES_16 && whole != 16)
            state->kind = PLAUSIBLE_SAMPLES_8;
        if (state->frame_bits / 8 > PLAUSIBLE_STEP_MAX)
            state->kind = PLAUSIBLE_ANY;
    }
}

static enum step aiff_format(struct sig_input *in, struct aiff_state *state, uint64_t len,
                             const char **why)
{
    const uint32_t least = AIFF_COMM + (state->compressed_form ? 4 : 0);

    if (state->has_format || len < least || len > AIFF_COMM_MAX)
        return step_bad(why, "invalid sound format");
    const uint8_t *format = sig_bytes(in, state->at + 8, least);
    if (format == NULL)
        return STEP_WAIT;
    const uint32_t bits = bytes_u16be(format + 6), exponent = bytes_u16be(format + 8);
    state->channels = bytes_u16be(format);
    state->frames = bytes_u32be(format + 2);
    if (state->channels == 0 || state->channels > AIFF_CHANNELS_MAX || bits > 64 ||
        (bits == 0 && !state->compressed_form) || exponent < AIFF_EXPONENT_MIN ||
        exponent > AIFF_EXPONENT_MAX || (format[10] & 0x80) == 0)
        return step_bad(why, "invalid sound format");
    aiff_samples(state, state->compressed_form ? format + AIFF_COMM : (const uint8_t *)"NONE",
                 bits);
    state->has_format = true;
    return STEP_DONE;
}

/* The samples, or what stands for them: as many as COMM told. It may come behind them. */
static enum step aiff_sound(struct sig_input *in, struct aiff_state *state, uint64_t len,
                            const char **why)
{
    const uint64_t from = state->at + 8 + AIFF_SOUND_HEAD, to = state->at + 8 + len;
    const uint8_t *head = len < AIFF_SOUND_HEAD ? NULL : sig_bytes(in, state->at + 8, 4);

    if (state->has_sound)
        return step_bad(why, "there are two chunks of samples");
    if (head == NULL)
        return len < AIFF_SOUND_HEAD ? step_bad(why, "a chunk of samples is shorter than its "
                                                     "header")
                                     : STEP_WAIT;
    const uint64_t offset = bytes_u32be(head), samples = to - from;
    if (offset > samples)
        return step_bad(why, "the samples begin outside their chunk");
    if (state->has_format && state->frame_bits > 0) {
        const uint64_t needed = (uint64_t)state->frames * state->frame_bits / 8;

        if (needed > samples - offset)
            return step_bad(why, "there are fewer samples than the format says");
        if (samples - offset - needed > 4096)
            return step_bad(why, "there are more samples than the format says");
    }
    const bool known = state->has_format && state->kind != PLAUSIBLE_ANY;
    switch (plausible_check(in, &state->plausible, known ? state->kind : PLAUSIBLE_ANY,
                            known ? state->frame_bits / 8 : 1, from, to)) {
    case STEP_WAIT:
        return STEP_WAIT;
    case STEP_BAD:
        if (state->plausible.at > from && state->has_format)
            sig_valid(in, state->plausible.at);
        return step_bad(why, "the data here do not look like samples");
    default:
        state->has_sound = true;
        return STEP_DONE;
    }
}

static enum step aiff_chunk(struct sig_input *in, struct aiff_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->at, 8);
    enum step step = STEP_DONE;

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t len = bytes_u32be(head + 4), next = state->at + 8 + len + len % 2;
    const bool format = memcmp(head, "COMM", 4) == 0, sound = memcmp(head, "SSND", 4) == 0;
    if (!text_is_printable(head, 4))
        return step_bad(why, "the name of a chunk is not printable");
    if (state->at + 8 + len > state->end || state->chunks == AIFF_CHUNKS_MAX)
        return step_bad(why, "a chunk is longer than the form");
    if (format)
        step = aiff_format(in, state, len, why);
    else if (sound)
        step = aiff_sound(in, state, len, why);
    if (step != STEP_DONE)
        return step;
    state->at = next;
    state->chunks++;
    return STEP_DONE;
}

static enum step aiff_begin(struct sig_input *in, struct aiff_state *state)
{
    const uint8_t *head = sig_bytes(in, 0, AIFF_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    state->end = 8 + (uint64_t)bytes_u32be(head + 4);
    state->compressed_form = head[11] == 'C';
    state->at = AIFF_HEAD;
    return STEP_DONE;
}

/*
 * A chunk of peaks at *end, which libsndfile has written without counting it: *end moves behind it.
 *   "PEAK" | u32be bytes | u32be 1 | time | two words a channel
 */
static enum step aiff_peak(struct sig_input *in, const struct aiff_state *state, uint64_t *end)
{
    if (*end >= in->limit || in->limit - *end < AIFF_PEAK)
        return STEP_DONE;
    const uint8_t *p = sig_bytes(in, *end, AIFF_PEAK);
    if (p == NULL)
        return STEP_WAIT;
    const uint64_t bytes = bytes_u32be(p + 4);
    if (memcmp(p, "PEAK", 4) != 0 || bytes != 8 + 8 * (uint64_t)state->channels ||
        bytes_u32be(p + 8) != 1 || bytes + 8 > in->limit - *end)
        return STEP_DONE;
    *end += 8 + bytes;
    return sig_bytes(in, *end - 1, 1) == NULL ? STEP_WAIT : STEP_DONE;
}

static struct sig_result aiff_check(struct sig_input *in, void *memory)
{
    struct aiff_state *state = memory;
    enum step step = state->at == 0 ? aiff_begin(in, state) : STEP_DONE;
    const char *why = NULL;

    while (step == STEP_DONE && state->at < state->end) {
        step = aiff_chunk(in, state, &why);
        if (step == STEP_DONE && state->has_format && state->has_sound)
            sig_valid(in, state->at < state->end ? state->at : state->end);
    }
    if (step == STEP_WAIT && in->wanted > in->limit && state->has_format &&
        in->limit > AIFF_CUT_MIN)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    if (!state->has_format || (!state->has_sound && state->frames > 0))
        return sig_breaks(in, "the file ends before its format or its samples");
    uint64_t end = state->end;
    if (aiff_peak(in, state, &end) == STEP_WAIT)
        return sig_short(in);
    return sig_believe(in, end, "the chunks end with the form");
}

const struct sig sig_aiff = {
    .name = "aiff",
    .what = "AIFF or AIFF-C sound",
    .proves = "chunks end with the form; as many samples as the format says, no text or zeros "
              "among plain ones",
    .source = "Apple Computer, Audio Interchange File Format: AIFF, version 1.3 (1989); AIFF-C, "
              "draft 1991-08-26",
    .types = (const struct sig_type[]){ { "aiff", "aiff" }, { 0 } },
    .headers = { SIG_MASKED("FORM????AIFF", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("FORM????AIFC", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = AIFF_HEAD + 8 + AIFF_COMM,
    .size_max = (UINT64_C(1) << 32) + 8,
    .state_size = sizeof(struct aiff_state),
    .check = aiff_check,
};
