/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/d2s.c - games of Diablo II that somebody saved.
 *
 *   aa55aa55 | u32le version, 92 and more | bytes of all | sum: of every byte added to twice the
 * sum before it, whose highest bit comes back as the lowest; with zeros here
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { D2S_HEAD = 16, D2S_SUM_AT = 12, D2S_VERSION_MIN = 92, D2S_VERSION_MAX = 0x69 };

struct d2s_state {
    uint64_t at; /* summed up to here */
    uint32_t sum;
};

static struct sig_result d2s_check(struct sig_input *in, void *memory)
{
    struct d2s_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, D2S_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t version = bytes_u32le(p + 4), bytes = bytes_u32le(p + 8),
                   told = bytes_u32le(p + D2S_SUM_AT);
    if (version < D2S_VERSION_MIN || version > D2S_VERSION_MAX || bytes < 335)
        return sig_reject("unknown version");
    while (state->at < bytes) {
        uint32_t len;

        p = sig_span_to(in, state->at, bytes, &len);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < len; i++) {
            const bool in_sum = state->at + i >= D2S_SUM_AT && state->at + i < D2S_HEAD;

            state->sum = (state->sum << 1 | state->sum >> 31) + (in_sum ? 0 : p[i]);
        }
        state->at += len;
    }
    if (state->sum != told)
        return sig_reject("wrong sum");
    return sig_complete(in, bytes, "the sum of all bytes");
}

const struct sig sig_d2s = {
    .name = "d2s",
    .what = "saved game of Diablo II",
    .proves = "the sum of all bytes",
    .source = "K. Guerin and others, Diablo II Saved Game File Format (v1.10)",
    .types = (const struct sig_type[]){ { "d2s", "d2s" }, { 0 } },
    .headers = { SIG_MASKED("\x55\xaa\x55\xaa\x40\0\0\0??\0\0",
                            "\xff\xff\xff\xff\xc0\xff\xff\xff\0\0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 335,
    .size_max = 65535,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct d2s_state),
    .check = d2s_check,
};
