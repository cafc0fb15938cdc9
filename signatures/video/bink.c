/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/bink.c - RAD Game Tools: Bink and Smacker video.
 *
 *   "BIK" or "KB2", revision | u32le length - 8 | frames | largest frame | frames | width | height
 * | rate (2) | flags | audio tracks [u32le] | 3 u32le a track | u32le offset of each frame and of
 * the end (bit 0: key frame) "SMK2" or "SMK4" | width | height | frames | rate | flags | 7 audio |
 * trees | 4 more | 7 audio | 0 | sizes | kinds | trees | frames
 *
 * Bink's offsets rise to the length; the sizes of Smacker's frames add up to it.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    BINK_HEAD = 44,
    BINK_TRACKS_MAX = 256,
    BINK_FRAMES_MAX = 1000000, /* of Bink itself */
    BINK_SIDE_MAX = 32767,
    BINK_OFFSETS = 1024, /* looked at at a time */
    SMACKER_HEAD = 104,
    SMACKER_RING = 1,
};

struct bink_state {
    uint32_t done; /* entries of the table */
    uint64_t sum;  /* the last offset; the sum of the sizes */
};

static const struct sig_type bink_types[] = {
    { "bik", "bik" }, { "bk2", "bk2" }, { "smk", "smk" }, { 0 }
};

static struct sig_result bink_bink(struct sig_input *in, struct bink_state *state)
{
    const uint8_t *head = sig_bytes(in, 0, BINK_HEAD);

    if (head == NULL)
        return sig_short(in);
    const bool second = head[0] == 'K';
    const uint32_t length = bytes_u32le(head + 4), frames = bytes_u32le(head + 8),
                   largest = bytes_u32le(head + 12);
    const uint32_t tracks = bytes_u32le(head + 40);
    const bool more = second ? head[3] >= 'i' : head[3] == 'k';
    if (head[3] < 'a' || head[3] > 'n' || frames == 0 || frames > BINK_FRAMES_MAX ||
        largest > length || bytes_u32le(head + 20) == 0 || bytes_u32le(head + 20) > BINK_SIDE_MAX ||
        bytes_u32le(head + 24) == 0 || bytes_u32le(head + 24) > BINK_SIDE_MAX ||
        bytes_u32le(head + 28) == 0 || bytes_u32le(head + 32) == 0 || tracks > BINK_TRACKS_MAX)
        return sig_reject("invalid header");
    in->type = &bink_types[second];
    const uint64_t table = BINK_HEAD + (more ? 4u : 0u) + (uint64_t)tracks * 12,
                   total = (uint64_t)length + 8;
    const uint64_t table_end = table + ((uint64_t)frames + 1) * 4;
    while (state->done <= frames) {
        const uint32_t want =
            frames + 1 - state->done < BINK_OFFSETS ? frames + 1 - state->done : BINK_OFFSETS;
        const uint8_t *entries = sig_bytes(in, table + (uint64_t)state->done * 4, want * 4);

        if (entries == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < want; i++, state->done++) {
            const uint32_t at = bytes_u32le(entries + (size_t)i * 4) & ~1u;

            if (state->done == 0 ? at != (table_end & ~(uint64_t)1)
                                 : at < state->sum || at - state->sum > largest + 8)
                return sig_reject("the frames are out of order");
            state->sum = at;
        }
    }
    if (state->sum != (total & ~(uint64_t)1))
        return sig_reject("the frames do not end with the file");
    sig_valid(in, table_end);
    return sig_believe(in, total, "the frames lead to the length in the header");
}

static struct sig_result bink_smacker(struct sig_input *in, struct bink_state *state)
{
    const uint8_t *head = sig_bytes(in, 0, SMACKER_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t width = bytes_u32le(head + 4), height = bytes_u32le(head + 8),
                   flags = bytes_u32le(head + 20);
    const uint64_t frames = (uint64_t)bytes_u32le(head + 12) + (flags & SMACKER_RING);
    const uint32_t trees = bytes_u32le(head + 52);
    if (width == 0 || width > BINK_SIDE_MAX || height == 0 || height > BINK_SIDE_MAX ||
        frames == 0 || frames > BINK_FRAMES_MAX || bytes_u32le(head + 16) == 0 || flags > 7)
        return sig_reject("invalid header");
    in->type = &bink_types[2];
    while (state->done < frames) {
        const uint32_t left = (uint32_t)frames - state->done,
                       want = left < BINK_OFFSETS ? left : BINK_OFFSETS;
        const uint8_t *entries = sig_bytes(in, SMACKER_HEAD + (uint64_t)state->done * 4, want * 4);

        if (entries == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < want; i++, state->done++)
            state->sum += bytes_u32le(entries + (size_t)i * 4) & ~3u;
    }
    const uint64_t kinds = SMACKER_HEAD + frames * 4, data = kinds + frames + trees;
    const uint8_t *kind = sig_bytes(in, kinds, 1);
    if (kind == NULL)
        return sig_short(in);
    if (state->sum < frames || (kind[0] & 1) == 0 || data + state->sum > UINT32_MAX)
        return sig_reject("invalid frames"); /* the first one brings a palette */
    sig_valid(in, data);
    return sig_believe(in, data + state->sum, "the sizes of the frames give the length");
}

static struct sig_result bink_check(struct sig_input *in, void *memory)
{
    struct bink_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, 4);

    if (head == NULL)
        return sig_short(in);
    return head[0] == 'S' ? bink_smacker(in, state) : bink_bink(in, state);
}

const struct sig sig_bink = {
    .name = "bink",
    .what = "Bink and Smacker video of games",
    .proves =
        "offsets or sizes of all frames lead to the length; the frames themselves are not read",
    .source = "RAD Game Tools; MultimediaWiki, Bink Container and Smacker; FFmpeg libavformat "
              "bink.c, smacker.c",
    .types = bink_types,
    .headers = { SIG_MASKED(
                     "BIK`??????????????????\0\0??\0\0",
                     "\xff\xff\xff\xe0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\0\0\xff\xff"),
                 SIG_MASKED(
                     "KB2`??????????????????\0\0??\0\0",
                     "\xff\xff\xff\xe0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\0\0\xff\xff"),
                 SIG_MASKED("SMK2??\0\0??\0\0", "\xff\xff\xff\xff\0\0\xff\xff\0\0\xff\xff"),
                 SIG_MASKED("SMK4??\0\0??\0\0", "\xff\xff\xff\xff\0\0\xff\xff\0\0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct bink_state),
    .check = bink_check,
};
