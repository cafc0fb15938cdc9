/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/ivf.c - IVF: VP8, VP9 or AV1 frames.
 *
 *   "DKIF" | u16le 0 | u16le 32 | codec | u16le width | u16le height | u32le rate | u32le scale |
 * u32le frames | u32le 0 (u32le size | u64le time | frame)*
 *
 * Frames are walked, and their times rise. The number of frames ends the file; when it is 0 the
 * file ends where no frame follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { IVF_HEAD = 32, IVF_FRAME = 12, IVF_FRAME_MAX = 64 << 20, IVF_FRAMES_MIN = 2 };

struct ivf_state {
    uint64_t at, time;
    uint32_t frames;
};

static struct sig_result ivf_check(struct sig_input *in, void *memory)
{
    struct ivf_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, IVF_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t frames = bytes_u32le(head + 24);
    for (int i = 8; i < 12; i++)
        if (head[i] < '0' || head[i] > 'z')
            return sig_reject("invalid codec");
    if (bytes_u16le(head + 12) == 0 || bytes_u16le(head + 14) == 0 || bytes_u32le(head + 16) == 0)
        return sig_reject("invalid picture size or rate");
    if (state->at == 0)
        state->at = IVF_HEAD;
    while (frames == 0 || state->frames < frames) {
        const uint8_t *frame = sig_bytes(in, state->at, IVF_FRAME);

        if (frame == NULL && in->wanted <= in->limit)
            return sig_short(in);
        const uint32_t size = frame == NULL ? 0 : bytes_u32le(frame);
        const uint64_t time = frame == NULL ? 0 : bytes_u64le(frame + 4);
        if (size == 0 || size > IVF_FRAME_MAX ||
            (state->frames > 0 && (time <= state->time || time >> 48 != 0)))
            break;
        state->at += IVF_FRAME + size;
        state->time = time;
        state->frames++;
        if (state->frames >= IVF_FRAMES_MIN)
            sig_valid(in, state->at);
    }
    if (frames == 0 ? state->frames >= IVF_FRAMES_MIN : state->frames == frames)
        return frames == 0 ? sig_believe(in, state->at, "the frames follow one another")
                           : sig_complete(in, state->at,
                                          "the frames are as many as the header "
                                          "says");
    return sig_breaks(in, "there are fewer frames than the header says");
}

const struct sig sig_ivf = {
    .name = "ivf",
    .what = "IVF: VP8, VP9 or AV1 frames",
    .proves =
        "frames lead to the last one that the header counts, times rise; frames are not decoded",
    .source = "libvpx, ivfdec.c and ivfenc.c; Duck IVF",
    .types = (const struct sig_type[]){ { "ivf", "ivf" }, { 0 } },
    .headers = { SIG_PATTERN("DKIF\0\0\x20\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = IVF_HEAD + IVF_FRAME,
    .size_max = UINT64_C(1) << 36,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct ivf_state),
    .check = ivf_check,
};
