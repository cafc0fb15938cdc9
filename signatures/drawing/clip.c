/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/clip.c - drawings of Clip Studio Paint.
 *
 *   "CSFCHUNK" | u64be bytes of the file | u64be 24 | chunks: "CHNK" and four letters | u64be
 * length | data. "CHNKFoot", with no data, is the last.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { CLIP_HEAD = 24, CLIP_CHUNK = 16 };
#define CLIP_SIZE_MAX (UINT64_C(1) << 38)

struct clip_state {
    uint64_t at; /* the next chunk; 0: not begun */
};

static struct sig_result clip_check(struct sig_input *in, void *memory)
{
    struct clip_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, CLIP_HEAD);

    if (p == NULL)
        return sig_short(in);
    if (bytes_u64be(p + 16) != CLIP_HEAD || bytes_u64be(p + 8) <= CLIP_HEAD)
        return sig_reject("invalid head");
    if (state->at == 0)
        state->at = CLIP_HEAD;
    for (;;) {
        p = sig_bytes(in, state->at, CLIP_CHUNK);
        if (p == NULL)
            return sig_short(in);
        const uint64_t len = bytes_u64be(p + 8);
        if (memcmp(p, "CHNK", 4) != 0 || len > CLIP_SIZE_MAX)
            return sig_breaks(in, "invalid chunk");
        state->at += CLIP_CHUNK + len;
        if (memcmp(p + 4, "Foot", 4) == 0)
            return sig_complete(in, state->at, "chunks lead to the last one");
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
}

const struct sig sig_clip = {
    .name = "clip",
    .what = "drawing of Clip Studio Paint",
    .proves = "chunks follow one another up to the last",
    .source = "dobrokot, clip_to_psd: clip file format; C. Grenier, testdisk: src/file_clip.c",
    .types = (const struct sig_type[]){ { "clip", "clip" }, { 0 } },
    .headers = { SIG_PATTERN("CSFCHUNK") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = CLIP_HEAD + 2 * CLIP_CHUNK,
    .size_max = CLIP_SIZE_MAX,
    .state_size = sizeof(struct clip_state),
    .check = clip_check,
};
