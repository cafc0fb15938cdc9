/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/ape.c - Monkey's Audio from version 3.98 on.
 *
 *   [ID3v2] | "MAC " | u16le version | u16 | u32le bytes of: this descriptor, the header, the seek
 * table, the head of the WAVE file, the frames (u32le, and u32le upper half), its tail | MD5 |
 * header | seek table | head | frames | tail | [tags]
 *
 * The seek table holds the offset of every frame: the first one begins where the frames do, and
 * they rise.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/sound/audio_tag.h"

enum {
    APE_VERSION_MIN = 3980,
    APE_VERSION_MAX = 4200,
    APE_DESCRIPTOR = 52,
    APE_HEADER = 24,
    APE_PART_MAX = 1 << 24,
    APE_PIECE = 4096, /* bytes of the seek table asked for at a time */
};

struct ape_state {
    uint64_t start;       /* object offset of "MAC " */
    uint64_t entry, last; /* of the next entry of the seek table; value of the one before it */
    uint64_t table_end, frames, end;
    uint32_t frame_count;
};

static enum step ape_begin(struct sig_input *in, struct ape_state *state)
{
    const uint8_t *head = sig_bytes(in, 0, AUDIO_TAG_ID3_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t start = audio_tag_id3_len(head);
    head = sig_bytes(in, start, APE_DESCRIPTOR);
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t version = bytes_u16le(head + 4), descriptor = bytes_u32le(head + 8),
                   header = bytes_u32le(head + 12);
    const uint32_t table = bytes_u32le(head + 16), before = bytes_u32le(head + 20),
                   after = bytes_u32le(head + 32);
    const uint64_t frames = bytes_u32le(head + 24) | (uint64_t)bytes_u32le(head + 28) << 32;

    if (memcmp(head, "MAC ", 4) != 0 || version < APE_VERSION_MIN || version > APE_VERSION_MAX ||
        descriptor != APE_DESCRIPTOR || header != APE_HEADER || table % 4 != 0 ||
        table > APE_PART_MAX || before > APE_PART_MAX || after > APE_PART_MAX ||
        frames > UINT64_C(1) << 40)
        return STEP_BAD;
    head = sig_bytes(in, start + descriptor, APE_HEADER);
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t level = bytes_u16le(head), blocks = bytes_u32le(head + 4),
                   last = bytes_u32le(head + 8);
    const uint32_t bits = bytes_u16le(head + 16), channels = bytes_u16le(head + 18),
                   rate = bytes_u32le(head + 20);
    state->frame_count = bytes_u32le(head + 12);
    if (level == 0 || level % 1000 != 0 || level > 6000 || blocks == 0 || last == 0 ||
        last > blocks || state->frame_count == 0 || state->frame_count > table / 4 || bits == 0 ||
        bits > 32 || bits % 8 != 0 || channels == 0 || channels > 32 || rate == 0 ||
        frames < state->frame_count)
        return STEP_BAD;
    sig_claim(in, start);
    state->entry = start + descriptor + header;
    state->table_end = state->entry + state->frame_count * UINT64_C(4);
    state->frames = start + descriptor + header + table + before;
    state->end = state->frames + frames + after;
    state->start = start;
    return STEP_DONE;
}

static enum step ape_table(struct sig_input *in, struct ape_state *state)
{
    while (state->entry < state->table_end) {
        const uint64_t rest = state->table_end - state->entry;
        const uint32_t len = rest < APE_PIECE ? (uint32_t)rest : APE_PIECE;
        const uint8_t *piece = sig_bytes(in, state->entry, len);

        if (piece == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len; i += 4) {
            const uint32_t offset = bytes_u32le(piece + i);
            const uint64_t full =
                (state->last & ~(uint64_t)UINT32_MAX) | offset; /* the upper half is not stored */
            const uint64_t next = state->last > full ? full + (UINT64_C(1) << 32) : full;

            if ((state->last == 0 && next + state->start != state->frames &&
                 next != state->frames) ||
                (state->last > 0 && next == state->last) || next > state->end)
                return STEP_BAD;
            state->last = next;
        }
        state->entry += len;
    }
    return STEP_DONE;
}

static struct sig_result ape_check(struct sig_input *in, void *memory)
{
    struct ape_state *state = memory;
    enum step step = state->end == 0 ? ape_begin(in, state) : STEP_DONE;

    if (step == STEP_BAD)
        return sig_reject("invalid header");
    if (step == STEP_DONE)
        step = ape_table(in, state);
    if (step == STEP_BAD)
        return sig_reject("invalid seek table");
    if (step == STEP_DONE)
        sig_valid(in, state->frames);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (sig_bytes(in, state->end - 1, 1) == NULL) {
        if (in->wanted > in->limit)
            sig_valid(in, in->limit);
        return sig_short(in);
    }
    uint64_t end = state->end;
    if (audio_tag_behind(in, &end) == STEP_WAIT)
        return sig_short(in);
    return sig_believe(in, end, "the descriptor gives the length; the seek table rises");
}

const struct sig sig_ape = {
    .name = "ape",
    .what = "Monkey's Audio",
    .proves = "header, seek table and frames make up the length, places of frames rise; the sound "
              "and its MD5 are not read",
    .source = "Matthew T. Ashland, Monkey's Audio SDK: APE_DESCRIPTOR, APE_HEADER",
    .types = (const struct sig_type[]){ { "ape", "ape" }, { 0 } },
    .headers = { SIG_MASKED("MAC ????\x34\0\0\0\x18\0\0\0",
                            "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"),
                 AUDIO_TAG_ID3_PATTERN("\2"), AUDIO_TAG_ID3_PATTERN("\3"),
                 AUDIO_TAG_ID3_PATTERN("\4") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CLAIMS | SIG_CONTAINER,
    .size_min = APE_DESCRIPTOR + APE_HEADER + 4 + 1,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct ape_state),
    .check = ape_check,
};
