/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/aac.c - AAC in ADTS frames.
 *
 *   ADTS: [ID3v2] | frames: 12 ones | MPEG-2 | layer 0 | no CRC | profile | 4 bits rate | private |
 * 3 bits channels | ... | 13 bits frame length | 11 bits buffer | 2 bits blocks - 1 | [CRC] | data,
 * which ends with three ones and zeros to the byte
 *
 * ADIF, the other form, is not looked for: one header, and data without any lengths. Where a file
 * ends that has no frame behind it see audio_frames.h.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sound/audio_frames.h"
#include "signatures/sound/audio_tag.h"

enum { AAC_HEAD = 7, AAC_RATES = 13, AAC_TAGS_MAX = 4 };

struct aac_state {
    struct audio_frames frames;
    bool begun, ended;
};

static uint32_t aac_len(const uint8_t *head)
{
    const uint32_t len = (uint32_t)(head[3] & 3) << 11 | (uint32_t)head[4] << 3 | head[5] >> 5;
    const uint32_t least = head[1] & 1 ? AAC_HEAD : AAC_HEAD + 2;

    if (head[0] != 0xff || (head[1] & 0xf6) != 0xf0 || (head[2] >> 2 & 15) >= AAC_RATES ||
        len <= least)
        return 0;
    return len;
}

/* Version, CRC, profile, rate and channels. */
static bool aac_is_alike(const uint8_t *first, const uint8_t *head)
{
    return first[1] == head[1] && (first[2] & 0xfd) == (head[2] & 0xfd) &&
           (first[3] & 0xf0) == (head[3] & 0xf0);
}

static const struct audio_frames_kind aac_kind = { AAC_HEAD, 0xff, true, aac_len, aac_is_alike };

/* The data of the frame before state->frames.at ends with the element END, three ones, and up to
 * seven zeros. */
static enum step aac_ends(struct sig_input *in, const struct aac_state *state)
{
    const uint8_t *last = sig_bytes(in, state->frames.at - 2, 2);

    if (last == NULL)
        return STEP_WAIT;
    uint32_t bits = bytes_u16be(last);
    for (uint32_t i = 0; i < 7 && (bits & 1) == 0; i++)
        bits >>= 1;
    return (bits & 7) == 7 ? STEP_DONE : STEP_BAD;
}

static enum step aac_begin(struct sig_input *in, struct aac_state *state)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < AAC_TAGS_MAX; i++) {
        const uint8_t *head = sig_bytes(in, at, AUDIO_TAG_ID3_HEAD);

        if (head == NULL)
            return STEP_WAIT;
        const uint64_t len = audio_tag_id3_len(head);
        if (len == 0)
            break;
        at += len;
    }
    state->frames.at = at;
    state->begun = true;
    return STEP_DONE;
}

/* One frame, or what ends the frames. */
static enum step aac_step(struct sig_input *in, struct aac_state *state, const char **why)
{
    struct audio_frames next = state->frames;

    if (!state->begun)
        return aac_begin(in, state);
    enum step step = audio_frames_next(in, &aac_kind, &next);
    if (step == STEP_DONE) {
        const struct aac_state ahead = { .frames = next };

        step = aac_ends(in, &ahead);
        *why = "the data of a frame do not end as they must";
        if (step == STEP_DONE)
            state->frames = next;
        return step;
    }
    if (step == STEP_BAD) {
        state->ended = true;
        *why = "there are too few frames in a row";
        return state->frames.frames < AUDIO_FRAMES_MIN ? STEP_BAD : STEP_DONE;
    }
    return step;
}

static struct sig_result aac_check(struct sig_input *in, void *memory)
{
    struct aac_state *state = memory;
    enum step step;
    const char *why = NULL;
    uint64_t end;

    do {
        if (state->ended) {
            end = state->frames.at;
            step = audio_tag_behind(in, &end) == STEP_WAIT ? STEP_WAIT : STEP_DONE;
            if (step == STEP_DONE && end != state->frames.at)
                return sig_complete(in, end, "the frames lead to a tag");
            if (step == STEP_DONE)
                step = audio_frames_end(in, &aac_kind, &state->frames, &why);
            if (step == STEP_DONE)
                return sig_believe(in, end, "the frames lead to other data");
        } else {
            step = aac_step(in, state, &why);
        }
        if (state->frames.frames >= AUDIO_FRAMES_MIN)
            sig_valid(in, state->frames.at);
    } while (step == STEP_DONE);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    if (in->wanted > in->limit && state->frames.frames >= AUDIO_FRAMES_MIN)
        sig_valid(in, in->limit);
    return sig_short(in);
}

const struct sig sig_aac = {
    .name = "aac",
    .what = "AAC audio in ADTS frames",
    .proves = "frames alike lead from one to the next and end as frames do; the sound itself is "
              "not decoded",
    .source = "ISO/IEC 13818-7:2006, 6.2 (ADTS) and 8.2; ISO/IEC 14496-3:2009, 1.A.3",
    .types = (const struct sig_type[]){ { "aac", "aac" }, { 0 } },
    .headers = { SIG_MASKED("\xff\xf0", "\xff\xf6"), AUDIO_TAG_ID3_PATTERN("\2"),
                 AUDIO_TAG_ID3_PATTERN("\3"), AUDIO_TAG_ID3_PATTERN("\4") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM | SIG_CONTAINER,
    .size_min = AUDIO_FRAMES_MIN * (AAC_HEAD + 1),
    .size_max = UINT64_C(1) << 34, /* policy: the format has no limit */
    .state_size = sizeof(struct aac_state),
    .check = aac_check,
};
