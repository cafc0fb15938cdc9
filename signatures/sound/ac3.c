/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/ac3.c - AC-3 and Enhanced AC-3.
 *
 *   0b 77 | ... length ... | up to 4 kB in all, 16-bit words; the CRC-16 of everything behind the
 * first two bytes is zero
 *
 * AC-3 tells its length by sample rate and a code, Enhanced AC-3 as a number of words. Where a file
 * of frames ends: audio_frames.h.
 */
#include "base/bytes.h"
#include "base/crc16.h"
#include "signatures/sound/audio_frames.h"
#include "signatures/sound/audio_tag.h"

enum {
    AC3_HEAD = 6,
    AC3_CODES = 38,
    AC3_PLAIN_MAX = 10,
    AC3_ENHANCED_MAX = 16,
    AC3_FRAMES_MIN = 3
};

enum ac3_kind { AC3_PLAIN, AC3_ENHANCED, AC3_KINDS };
static const struct sig_type ac3_types[] = {
    [AC3_PLAIN] = { "ac3", "ac3" },
    [AC3_ENHANCED] = { "eac3", "eac3" },
    [AC3_KINDS] = { 0 },
};

struct ac3_state {
    struct audio_frames frames;
    struct crc16 crc;
    bool begun, ended;
};

static enum ac3_kind ac3_kind_of(const uint8_t *head)
{
    return head[5] >> 3 <= AC3_PLAIN_MAX ? AC3_PLAIN : AC3_ENHANCED;
}

static uint32_t ac3_len(const uint8_t *head)
{
    static const uint16_t kilobits[AC3_CODES / 2] = { 32,  40,  48,  56,  64,  80,  96,
                                                      112, 128, 160, 192, 224, 256, 320,
                                                      384, 448, 512, 576, 640 };
    const uint32_t rate = head[4] >> 6, code = head[4] & 0x3f;

    if (head[0] != 0x0b || head[1] != 0x77 || head[5] >> 3 > AC3_ENHANCED_MAX)
        return 0;
    if (ac3_kind_of(head) == AC3_ENHANCED)
        return head[2] >> 6 == 3 ? 0 : ((head[2] & 7u) << 8 | head[3]) * 2 + 2;
    if (rate == 3 || code >= AC3_CODES)
        return 0;
    const uint32_t bits = kilobits[code / 2] * 1000u;
    if (rate == 1) /* 44.1 kHz: a frame of 1536 samples is no whole number of words */
        return (bits * 96 / 44100 + code % 2) * 2;
    return bits * 96 / (rate == 0 ? 48000 : 32000) * 2;
}

static bool ac3_is_alike(const uint8_t *first, const uint8_t *head)
{
    return first[4] >> 6 == head[4] >> 6 && ac3_kind_of(first) == ac3_kind_of(head);
}

static const struct audio_frames_kind ac3_kind = { AC3_HEAD, 0x0b, true, ac3_len, ac3_is_alike };

/* One frame and its CRC, or the end of the frames. */
static enum step ac3_step(struct sig_input *in, struct ac3_state *state, const char **why)
{
    struct audio_frames next = state->frames;
    const enum step step = audio_frames_next(in, &ac3_kind, &next);

    if (step == STEP_WAIT)
        return step;
    if (step == STEP_BAD) {
        state->ended = true;
        *why = "there are too few frames in a row";
        return state->frames.frames < AC3_FRAMES_MIN ? STEP_BAD : STEP_DONE;
    }
    const uint32_t len = (uint32_t)(next.at - next.last);
    const uint8_t *frame = sig_bytes(in, next.last, len);
    if (frame == NULL)
        return STEP_WAIT;
    *why = "the CRC of a frame is wrong";
    if (crc16_add(&state->crc, 0, frame + 2, len - 2) != 0)
        return STEP_BAD;
    in->type = &ac3_types[ac3_kind_of(next.head)];
    state->frames = next;
    return STEP_DONE;
}

static struct sig_result ac3_check(struct sig_input *in, void *memory)
{
    struct ac3_state *state = memory;
    enum step step = STEP_DONE;
    const char *why = NULL;

    if (!state->begun)
        crc16_init(&state->crc, CRC16_SOUND);
    state->begun = true;
    while (step == STEP_DONE) {
        if (state->frames.frames >= AC3_FRAMES_MIN)
            sig_valid(in, state->frames.at);
        if (!state->ended) {
            step = ac3_step(in, state, &why);
            continue;
        }
        uint64_t end = state->frames.at;
        if (audio_tag_behind(in, &end) == STEP_WAIT)
            return sig_short(in);
        step =
            end == state->frames.at ? audio_frames_end(in, &ac3_kind, &state->frames, &why) : step;
        if (step == STEP_DONE)
            return sig_complete(in, end, "the CRC of every frame is right");
    }
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    if (in->wanted > in->limit && state->frames.frames >= AC3_FRAMES_MIN)
        sig_valid(in, in->limit);
    return sig_short(in);
}

const struct sig sig_ac3 = {
    .name = "ac3",
    .what = "AC-3 or Enhanced AC-3 audio",
    .proves = "every frame has its CRC; frames are alike up to where none follows",
    .source = "ATSC A/52:2018, 5.3, 5.4, 7.10 and annex E",
    .types = ac3_types,
    .headers = { SIG_PATTERN("\x0b\x77") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = AC3_FRAMES_MIN * AC3_HEAD,
    .size_max = UINT64_C(1) << 34, /* policy: the format has no limit */
    .state_size = sizeof(struct ac3_state),
    .check = ac3_check,
};
