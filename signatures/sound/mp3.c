/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/mp3.c - MPEG audio: layers III, II and I of MPEG-1, MPEG-2 and MPEG-2.5.
 *
 *   [ID3v2]* | [zeros] | frames | [APE tag, Lyrics3, ID3v1]
 *   frame: 11 ones | 2 bits version | 2 bits layer | no CRC | 4 bits bit rate | 2 bits sample rate
 * | padding | private | mode ...
 *
 * A frame's header tells its length, and all frames of a file have the same version, layer and
 * sample rate. The first one of many files is empty and holds the number of frames and bytes behind
 * "Xing", "Info" or "VBRI": then the file is whole with exactly these. Otherwise it ends behind its
 * tags, or where no frame follows; unless frames go on not far behind, or the end looks like the
 * edge of a fragment: that is a file that something was written into, or one in two pieces. Bit
 * rate "free" is not read. A thorough check sums the sound, where the first frame has a sum of it.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/sound/audio_frames.h"
#include "signatures/sound/audio_tag.h"
#include "signatures/sound/mp3_sum.h"
#include "signatures/sound/sound_facts.h"

enum {
    MP3_HEAD = 4,
    MP3_TAGS_MAX = 4,      /* ID3v2 tags in front of each other */
    MP3_ZEROS_MAX = 16384, /* bytes between the last one and the first frame */
    MP3_COUNTED_MIN = 3,   /* with one */
    MP3_FIRST = 64,        /* bytes of the first frame that are looked at */
};

enum mp3_layer { MP3_III, MP3_II, MP3_I, MP3_LAYERS };
static const struct sig_type mp3_types[] = {
    [MP3_III] = { "mp3", "mp3" },
    [MP3_II] = { "mp2", "mp2" },
    [MP3_I] = { "mp1", "mp1" },
    [MP3_LAYERS] = { 0 },
};

enum mp3_part { MP3_BEGIN, MP3_FIRST_FRAME, MP3_FRAMES, MP3_TAGS, MP3_SEARCH_ON, MP3_END };

struct mp3_state {
    enum mp3_part part;
    struct audio_frames frames;
    uint64_t first;          /* object offset of the first frame */
    uint64_t end;            /* behind the tags */
    uint32_t bytes, counted; /* as the first frame says; 0: it does not */
    bool tagged;             /* in front */
    bool informed;           /* the first frame has the mark of one that counts, */
    uint32_t mark;           /* so many bytes behind its first one */
    struct mp3_sum sum;      /* thorough: of the sound */
    bool proven;
};

static bool mp3_is_1(const uint8_t head[MP3_HEAD])
{
    return (head[1] >> 3 & 3) == 3;
}

static enum mp3_layer mp3_layer(const uint8_t head[MP3_HEAD])
{
    return (enum mp3_layer)((head[1] >> 1 & 3) - 1);
}

/* Bytes of the frame that begins with this header; 0: no such header. */
static uint32_t mp3_len(const uint8_t head[MP3_HEAD])
{
    static const uint16_t kilobits[5][15] = {
        { 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256,
          320 }, /* MPEG-1, layer III */
        { 0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384 },    /* II */
        { 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448 }, /* I */
        { 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144,
          160 }, /* MPEG-2 and 2.5, III and II */
        { 0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256 }, /* I */
    };
    static const uint32_t rates[3] = { 44100, 48000, 32000 };
    const uint32_t version = head[1] >> 3 & 3, rate = head[2] >> 2 & 3, kilobit = head[2] >> 4;

    if (head[0] != 0xff || (head[1] & 0xe0) != 0xe0 || version == 1 || (head[1] & 6) == 0 ||
        rate == 3 || kilobit == 0 || kilobit == 15 || (head[3] & 3) == 2)
        return 0;
    const enum mp3_layer layer = mp3_layer(head);
    const uint32_t table = version == 3 ? (uint32_t)layer : layer == MP3_I ? 4 : 3;
    const uint32_t hertz = rates[rate] >> (version == 3 ? 0 : version == 2 ? 1 : 2);
    const uint32_t bits = kilobits[table][kilobit] * 1000u, padding = head[2] >> 1 & 1;

    if (layer == MP3_I)
        return (12 * bits / hertz + padding) * 4;
    return (layer == MP3_III && version != 3 ? 72 : 144) * bits / hertz + padding;
}

/*
 * Frames of one stream: version, layer, sample rate, and one channel or two. In layer I they have
 * all in common but the padding and the mode's extension: their headers are so short of fixed bits
 * that machine code has some in a row.
 */
static bool mp3_is_alike(const uint8_t a[MP3_HEAD], const uint8_t b[MP3_HEAD])
{
    if (mp3_layer(a) == MP3_I)
        return a[1] == b[1] && ((a[2] ^ b[2]) & ~2) == 0 && ((a[3] ^ b[3]) & ~0x30) == 0;
    return (a[1] | 1) == (b[1] | 1) && ((a[2] ^ b[2]) & 0x0c) == 0 &&
           (a[3] >> 6 == 3) == (b[3] >> 6 == 3);
}

static const struct audio_frames_kind mp3_kind = { MP3_HEAD, 0xff, false, mp3_len, mp3_is_alike };

/* Over the tags in front and the zeros behind them. */
static enum step mp3_begin(struct sig_input *in, struct mp3_state *state, const char **why)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < MP3_TAGS_MAX; i++) {
        const uint8_t *head = sig_bytes(in, at, AUDIO_TAG_ID3_HEAD);

        if (head == NULL)
            return STEP_WAIT;
        const uint64_t len = audio_tag_id3_len(head);
        if (len == 0)
            break;
        at += len;
        state->tagged = true;
    }
    for (const uint64_t from = at; state->tagged;) {
        const uint8_t *byte = sig_bytes(in, at, 1);

        if (byte == NULL)
            return STEP_WAIT;
        if (byte[0] != 0)
            break;
        if (++at - from > MP3_ZEROS_MAX)
            return step_bad(why, "a tag has no sound behind it");
    }
    state->frames.at = at;
    state->first = at;
    state->part = MP3_FIRST_FRAME;
    return STEP_DONE;
}

/* The numbers of frames and bytes that an empty first frame tells. */
static void mp3_count(struct mp3_state *state, const uint8_t *frame)
{
    const bool mono = frame[3] >> 6 == 3;
    uint32_t at = MP3_HEAD + (mp3_is_1(frame) ? (mono ? 17 : 32) : (mono ? 9 : 17));

    if (memcmp(frame + 36, "VBRI", 4) == 0) {
        state->informed = true;
        state->bytes = bytes_u32be(frame + 46);
        state->counted = bytes_u32be(frame + 50);
        return;
    }
    if (memcmp(frame + at, "Xing", 4) != 0 && memcmp(frame + at, "Info", 4) != 0)
        at += 2; /* some leave room for a CRC */
    if (memcmp(frame + at, "Xing", 4) != 0 && memcmp(frame + at, "Info", 4) != 0)
        return;
    const uint32_t flags = bytes_u32be(frame + at + 4);
    state->informed = true;
    state->mark = at;
    at += 8;
    if (flags & 1) {
        state->counted = bytes_u32be(frame + at);
        at += 4;
    }
    if (flags & 2)
        state->bytes = bytes_u32be(frame + at);
}

/* What a thorough check proves: all but tags and the first frame, or nothing. */
static enum step mp3_prove(struct sig_input *in, struct mp3_state *state, uint32_t len)
{
    const uint64_t first = state->first;
    const enum step step = state->mark == 0 ? STEP_DONE
                                            : mp3_sum_begin(in, first, len, first + state->mark,
                                                            state->bytes, &state->sum);

    if (step == STEP_DONE && state->sum.at == 0)
        sig_open(in, 0, in->limit);
    else if (step == STEP_DONE)
        sig_open_field(in, 0, first + len);
    return step;
}

static enum step mp3_first(struct sig_input *in, struct mp3_state *state, const char **why)
{
    const uint8_t *frame = sig_bytes(in, state->first, 2 * MP3_HEAD);

    if (frame == NULL)
        return STEP_WAIT;
    const uint32_t len = mp3_len(frame);
    if (len < MP3_HEAD + 2)
        return step_bad(why, "a valid frame must begin here, and none does");
    if (memcmp(frame, frame + MP3_HEAD, MP3_HEAD) == 0)
        return step_bad(why, "the same four bytes again and again are no sound");
    in->type = &mp3_types[mp3_layer(frame)];
    if (len >= MP3_FIRST && mp3_layer(frame) == MP3_III) {
        frame = sig_bytes(in, state->first, MP3_FIRST);
        if (frame == NULL)
            return STEP_WAIT;
        mp3_count(state, frame);
        /* Where nothing else says that a file begins here, its sound does not begin in a frame
         * before. */
        const uint32_t side = frame[1] & 1 ? MP3_HEAD : MP3_HEAD + 2;
        const uint32_t back = mp3_is_1(frame) ? bytes_u16be(frame + side) >> 7 : frame[side];
        if (!state->tagged && back != 0)
            return step_bad(why, "the frame is from the middle of a stream");
    }
    if (in->thorough && mp3_prove(in, state, len) != STEP_DONE)
        return STEP_WAIT;
    state->part = MP3_FRAMES;
    return STEP_DONE;
}

/* True when the frames so far are all of which the first one told. */
static bool mp3_counted(const struct mp3_state *state)
{
    return state->bytes > 0 && state->frames.at - state->first == state->bytes &&
           state->frames.frames >= state->counted;
}

/* STEP_BAD, without why: no frame follows. */
static enum step mp3_frame(struct sig_input *in, struct mp3_state *state)
{
    if (mp3_sum_to(in, state->frames.at, &state->sum) != STEP_DONE)
        return STEP_WAIT;
    if (mp3_counted(state))
        return STEP_BAD;
    const enum step step = audio_frames_next(in, &mp3_kind, &state->frames);
    return step == STEP_DONE ? STEP_DONE : step == STEP_WAIT ? STEP_WAIT : STEP_BAD;
}

/* Behind the last frame, or inside it where it was cut off: tags. */
static enum step mp3_tags(struct sig_input *in, struct mp3_state *state)
{
    static const char *const marks[] = { "APETAGEX", "TAG" };
    const uint64_t sound = state->frames.at;
    uint64_t end = sound, at;

    if (audio_tag_behind(in, &end) == STEP_WAIT)
        return STEP_WAIT;
    for (uint32_t i = 0; i < 2 && end == sound; i++) {
        const uint32_t len = (uint32_t)strlen(marks[i]);

        in->find_at = 0;
        const enum sig_found found =
            sig_find(in, state->frames.last, sound + len, marks[i], len, &at);
        if (found == SIG_FIND_WAIT)
            return STEP_WAIT;
        uint64_t behind = at;
        if (found == SIG_FOUND && audio_tag_behind(in, &behind) == STEP_WAIT)
            return STEP_WAIT;
        if (found == SIG_FOUND && behind > at)
            end = behind;
    }
    state->proven = end != sound || mp3_counted(state);
    if (state->sum.at != 0)
        sig_open_field(in, sound, end);
    state->end = end;
    state->part = state->proven ? MP3_END : MP3_SEARCH_ON;
    return STEP_DONE;
}

static enum step mp3_search(struct sig_input *in, struct mp3_state *state, const char **why)
{
    const enum step step = audio_frames_end(in, &mp3_kind, &state->frames, why);

    if (step == STEP_DONE)
        state->part = MP3_END;
    return step == STEP_DONE ? STEP_DONE : step == STEP_WAIT ? STEP_WAIT : STEP_BAD;
}

static enum step mp3_step(struct sig_input *in, struct mp3_state *state, const char **why)
{
    enum step step;

    switch (state->part) {
    case MP3_BEGIN:
        return mp3_begin(in, state, why);
    case MP3_FIRST_FRAME:
        return mp3_first(in, state, why);
    case MP3_FRAMES:
        step = mp3_frame(in, state);
        if (step != STEP_BAD)
            return step;
        if (!mp3_counted(state) &&
            state->frames.frames < (state->informed ? MP3_COUNTED_MIN : AUDIO_FRAMES_MIN))
            return step_bad(why, "there are too few frames in a row");
        state->part = MP3_TAGS;
        return STEP_DONE;
    case MP3_TAGS:
        step = mp3_tags(in, state);
        if (step == STEP_DONE && !state->proven &&
            (state->frames.frames < state->counted ||
             state->frames.at - state->first < state->bytes))
            return step_bad(why, "there are fewer frames than the first one says");
        if (step == STEP_DONE && state->sum.at != 0 &&
            (!mp3_counted(state) || state->sum.sum != state->sum.want))
            return step_bad(why, "the sum of the sound is not that which the first frame has");
        return step;
    default:
        return mp3_search(in, state, why);
    }
}

static struct sig_result mp3_check(struct sig_input *in, void *memory)
{
    struct mp3_state *state = memory;
    const char *why = NULL;

    while (state->part != MP3_END) {
        const enum step step = mp3_step(in, state, &why);
        const bool certain = state->frames.frames >= AUDIO_FRAMES_MIN;

        if (certain && state->part == MP3_FRAMES)
            sig_valid(in, state->frames.at);
        /* The last frame may end in another place. */
        if (certain && state->sum.at != 0)
            sig_sure(in, state->frames.last);
        if (step == STEP_WAIT && certain && in->wanted > in->limit)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, why);
    }
    if (state->proven)
        return sig_complete(in, state->end,
                            "the frames lead to the end that the first one gives, or to a tag");
    return sig_believe(in, state->end, "the frames lead to other data");
}

/* The next frame has the same bit rate, and is padded or not. */
static bool mp3_unit(const uint8_t *head, struct sig_unit *unit)
{
    const uint32_t len = mp3_len(head), padding = 2;

    *unit = (struct sig_unit){ .next_at = len, .next_count = 2 };
    for (uint8_t i = 0; i < 2; i++) {
        struct sig_next *next = &unit->next[i];

        memcpy(next->bytes, head, MP3_HEAD);
        memcpy(next->mask, "\xff\xff\xff\xcf", MP3_HEAD);
        next->bytes[2] = (uint8_t)((head[2] & ~padding) | i * padding);
        next->len = MP3_HEAD;
    }
    return len > MP3_HEAD;
}

const struct sig sig_mp3 = {
    .name = "mp3",
    .what = "MPEG audio, layer III, II or I",
    .proves = "frames alike lead to the count in the first one or to a tag; without both, to where "
              "none follows",
    .source = "ISO/IEC 11172-3:1993 and 13818-3:1998, 2.4.1; MPEG-2.5 (Fraunhofer IIS); LAME, Xing "
              "and Info tag; "
              "Fraunhofer IIS, VBRI header; id3.org, ID3v2",
    .types = mp3_types,
    .headers = { AUDIO_TAG_ID3_PATTERN("\2"), AUDIO_TAG_ID3_PATTERN("\3"),
                 AUDIO_TAG_ID3_PATTERN("\4"), SIG_MASKED("\xff\xfa", "\xff\xfe"),
                 SIG_MASKED("\xff\xf2", "\xff\xfe"), SIG_MASKED("\xff\xe2", "\xff\xfe"),
                 SIG_MASKED("\xff\xfc", "\xff\xfe"), SIG_MASKED("\xff\xf4", "\xff\xfe"),
                 SIG_MASKED("\xff\xff\x00", "\xff\xff\x0c"),
                 SIG_MASKED("\xff\xff\x04", "\xff\xff\x0c"),
                 SIG_MASKED("\xff\xff\x08", "\xff\xff\x0c") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM | SIG_CONTAINER,
    .size_min = MP3_COUNTED_MIN * 24,
    .size_max = UINT64_C(1) << 34, /* policy: the format has no limit */
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct mp3_state),
    .check = mp3_check,
    .unit = mp3_unit,
    .facts = mp3_facts,
};
