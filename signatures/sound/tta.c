/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/tta.c - True Audio.
 *
 *   [ID3v2] | "TTA1" | u16le format | u16le channels | u16le bits | u32le rate | u32le samples |
 * u32le CRC-32 of these 18 bytes | (u32le bytes of a frame)* | u32le CRC-32 of these | frames, each
 * with its CRC-32 behind it | [tags]
 *
 * A frame has 256/245 seconds of samples.
 */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/sound/audio_tag.h"

enum {
    TTA_HEAD = 22,
    TTA_SUMMED = 18,
    TTA_FRAME_MIN = 5,
    TTA_FRAME_MAX = 1 << 26,
    TTA_FRAMES_MAX = 1 << 22,
};

struct tta_state {
    uint64_t table;         /* of the next entry of the table */
    uint64_t at;            /* of what is summed next */
    uint64_t frame_end;     /* of the frame being summed; 0: none */
    uint32_t count, frames; /* count: as the header tells; 0: not begun */
    uint32_t crc;
    bool table_right;
};

/* Sums from state->at to `to`, and compares with the CRC that stands there. */
static enum step tta_sum(struct sig_input *in, struct tta_state *state, uint64_t to)
{
    if (crc32_add(in, &state->at, to, &state->crc) == STEP_WAIT)
        return STEP_WAIT;
    const uint8_t *stored = sig_bytes(in, to, 4);
    if (stored == NULL)
        return STEP_WAIT;
    if (bytes_u32le(stored) != state->crc)
        return STEP_BAD;
    state->crc = 0;
    state->at = to + 4;
    return STEP_DONE;
}

static enum step tta_begin(struct sig_input *in, struct tta_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, AUDIO_TAG_ID3_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t at = audio_tag_id3_len(head);
    sig_open_field(in, 0, at);
    head = sig_bytes(in, at, TTA_HEAD);
    if (head == NULL)
        return STEP_WAIT;
    if (memcmp(head, "TTA1", 4) != 0 ||
        crc32_gzip_refl(0, head, TTA_SUMMED) != bytes_u32le(head + TTA_SUMMED))
        return step_bad(why, "invalid header, or its CRC is wrong");
    const uint32_t rate = bytes_u32le(head + 10), samples = bytes_u32le(head + 14);
    const uint64_t of_frame = rate * UINT64_C(256) / 245;
    if (of_frame == 0 || samples == 0 || samples / of_frame >= TTA_FRAMES_MAX)
        return step_bad(why, "invalid header");
    sig_claim(in, at);
    state->count = (uint32_t)((samples + of_frame - 1) / of_frame);
    state->table = at + TTA_HEAD;
    state->at = state->table;
    return STEP_DONE;
}

static enum step tta_frame(struct sig_input *in, struct tta_state *state, const char **why)
{
    if (state->frame_end == 0) {
        const uint8_t *entry = sig_bytes(in, state->table, 4);

        if (entry == NULL)
            return STEP_WAIT;
        const uint32_t len = bytes_u32le(entry);
        if (len < TTA_FRAME_MIN || len > TTA_FRAME_MAX)
            return step_bad(why, "invalid length of a frame");
        state->frame_end = state->at + len;
    }
    const enum step step = tta_sum(in, state, state->frame_end - 4);
    if (step == STEP_BAD)
        *why = "the CRC of a frame is wrong";
    if (step != STEP_DONE)
        return step;
    state->table += 4;
    state->frame_end = 0;
    state->frames++;
    return STEP_DONE;
}

static enum step tta_part(struct sig_input *in, struct tta_state *state, const char **why)
{
    if (state->count == 0)
        return tta_begin(in, state, why);
    if (state->table_right)
        return tta_frame(in, state, why);
    const enum step step = tta_sum(in, state, state->table + state->count * UINT64_C(4));
    if (step == STEP_BAD)
        *why = "the CRC of the table of frames is wrong";
    state->table_right = step == STEP_DONE;
    return step;
}

static struct sig_result tta_check(struct sig_input *in, void *memory)
{
    struct tta_state *state = memory;
    enum step step = STEP_DONE;
    const char *why = NULL;

    while (step == STEP_DONE && (state->count == 0 || state->frames < state->count)) {
        step = tta_part(in, state, &why);
        if (step == STEP_DONE && state->table_right)
            sig_valid(in, state->at);
    }
    if (step == STEP_WAIT && in->wanted > in->limit && state->table_right)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    uint64_t end = state->at;
    if (audio_tag_behind(in, &end) == STEP_WAIT)
        return sig_short(in);
    sig_open_field(in, state->at, end);
    return sig_complete(in, end, "the CRC of every frame is right");
}

const struct sig sig_tta = {
    .name = "tta",
    .what = "True Audio",
    .proves = "CRC-32 of header, table and every frame",
    .source = "Alexander Djourik, TTA lossless audio codec: format description, TTA1",
    .types = (const struct sig_type[]){ { "tta", "tta" }, { 0 } },
    .headers = { SIG_MASKED("TTA1\0\0\0\0\0\0", "\xff\xff\xff\xff\xfc\xff\0\xff\0\xff"),
                 AUDIO_TAG_ID3_PATTERN("\2"), AUDIO_TAG_ID3_PATTERN("\3"),
                 AUDIO_TAG_ID3_PATTERN("\4") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CLAIMS | SIG_CONTAINER,
    .size_min = TTA_HEAD + 8 + TTA_FRAME_MIN,
    .size_max = UINT64_C(1) << 35, /* the samples are counted in 32 bits */
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct tta_state),
    .check = tta_check,
};
