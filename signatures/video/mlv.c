/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/mlv.c - MLV: video of Magic Lantern, as raw pictures.
 *
 *   blocks: kind, 4 letters | u32le bytes | time ... The first is "MLVI" with 52 bytes: version,
 * number of the file, flags, u32le at 36: frames of video, at 40: of sound; 0: never filled in
 *
 * The file ends where no block follows.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum { MLV_HEAD = 52, MLV_BLOCK = 16, MLV_BLOCK_MAX = 1 << 28 };

struct mlv_state {
    uint64_t at;
    uint64_t frames;
};

static bool mlv_block(const uint8_t *p)
{
    for (uint32_t i = 0; i < 4; i++)
        if ((p[i] < 'A' || p[i] > 'Z') && !chars_is_digit(p[i]))
            return false;
    return memcmp(p, "MLVI", 4) != 0 && bytes_u32le(p + 4) >= MLV_BLOCK &&
           bytes_u32le(p + 4) <= MLV_BLOCK_MAX;
}

static struct sig_result mlv_check(struct sig_input *in, void *memory)
{
    struct mlv_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MLV_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t told = bytes_u32le(p + 36);
    if (bytes_u32le(p + 4) != MLV_HEAD || p[8] != 'v')
        return sig_reject("unknown head");
    if (state->at == 0)
        state->at = MLV_HEAD;
    for (;;) {
        p = sig_bytes(in, state->at, MLV_BLOCK);
        if (p == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (p == NULL || !mlv_block(p))
            break;
        const bool frame = memcmp(p, "VIDF", 4) == 0;
        const uint64_t end = state->at + bytes_u32le(p + 4);
        p = sig_bytes(in, end - 1, 1);
        if (p == NULL) {
            sig_valid(in, state->at + MLV_BLOCK);
            return sig_short(in);
        }
        state->frames += frame;
        state->at = end;
        sig_valid(in, end);
    }
    if (state->at == MLV_HEAD)
        return sig_reject("there is no block");
    if (told != 0 && state->frames < told)
        return sig_breaks(in, "there are fewer frames than the head says");
    return sig_believe(in, state->at, "blocks follow one another");
}

const struct sig sig_mlv = {
    .name = "mlv",
    .what = "MLV, video of Magic Lantern",
    .proves = "blocks follow one another; as many frames as the head says, if it does",
    .source = "Magic Lantern, modules/mlv_rec/mlv.h",
    .types = (const struct sig_type[]){ { "mlv", "mlv" }, { 0 } },
    .headers = { SIG_PATTERN("MLVI\x34\0\0\0v") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = MLV_HEAD + MLV_BLOCK,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct mlv_state),
    .check = mlv_check,
};
