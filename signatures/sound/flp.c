/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/flp.c - projects of FL Studio.
 *
 *   "FLhd" | u32le 6 | u16le kind, channels, beats | "FLdt" | u32le length | events: below 64, one
 * byte follows; below 128, two; below 192, four; else a length of 7 bits a byte and as many bytes
 *
 * The events fill the length.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { FLP_HEAD = 22, FLP_NUMBER_MAX = 5 };

struct flp_state {
    uint64_t at; /* the next event; 0: not begun */
};

static enum step flp_event(struct sig_input *in, struct flp_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 1);
    uint64_t len = 0;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = *p;
    if (kind < 192) {
        state->at += kind < 64 ? 2 : kind < 128 ? 3 : 5;
        return STEP_DONE;
    }
    for (uint32_t i = 0; i < FLP_NUMBER_MAX; i++) {
        p = sig_bytes(in, state->at + 1 + i, 1);
        if (p == NULL)
            return STEP_WAIT;
        len |= (uint64_t)(*p & 0x7f) << (7 * i);
        if ((*p & 0x80) == 0) {
            state->at += 2 + i + len;
            return STEP_DONE;
        }
    }
    return STEP_BAD;
}

static struct sig_result flp_check(struct sig_input *in, void *memory)
{
    struct flp_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, FLP_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t end = FLP_HEAD + (uint64_t)bytes_u32le(p + 18);
    if (memcmp(p + 14, "FLdt", 4) != 0 || end == FLP_HEAD)
        return sig_reject("there are no events");
    if (state->at == 0)
        state->at = FLP_HEAD;
    while (state->at < end) {
        const enum step step = flp_event(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD || state->at > end)
            return sig_breaks(in, "an event does not end inside");
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    return sig_complete(in, end, "events fill the file");
}

const struct sig sig_flp = {
    .name = "flp",
    .what = "project of FL Studio",
    .proves = "events fill the length that the head gives",
    .source = "Image-Line, FL Studio SDK: FLP format; LMMS, FlpImport.cpp",
    .types = (const struct sig_type[]){ { "flp", "flp" }, { 0 } },
    .headers = { SIG_PATTERN("FLhd\6\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = FLP_HEAD + 2,
    .size_max = UINT32_MAX,
    .state_size = sizeof(struct flp_state),
    .check = flp_check,
};
