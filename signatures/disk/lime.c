/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/lime.c - LiME: the memory of a Linux or Android, range by range.
 *
 *   ranges: "EMiL" | u32le 1 | u64le first address | last address | 8 zeros | as many bytes; the
 * addresses rise
 *
 * The file ends where no range follows.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { LIME_HEAD = 32, LIME_RANGES_MAX = 65536 };

#define LIME_MAGIC UINT32_C(0x4c694d45)

struct lime_state {
    uint64_t at, last; /* the next range; the last address of the one before */
    uint32_t ranges;
};

static struct sig_result lime_check(struct sig_input *in, void *memory)
{
    struct lime_state *state = memory;

    while (state->at < in->limit && state->ranges < LIME_RANGES_MAX) {
        const uint8_t *p = sig_bytes(in, state->at, LIME_HEAD);

        if (p == NULL)
            return sig_short(in);
        const uint64_t first = bytes_u64le(p + 8), last = bytes_u64le(p + 16);
        if (bytes_u32le(p) != LIME_MAGIC || bytes_u32le(p + 4) != 1 || bytes_u64le(p + 24) != 0 ||
            last < first || last >> 52 != 0 || (state->ranges > 0 && first <= state->last))
            break;
        const uint64_t next = state->at + LIME_HEAD + (last - first + 1);
        sig_valid(in, state->at + LIME_HEAD);
        if (sig_bytes(in, next - 1, 1) == NULL)
            return sig_short(in);
        state->last = last;
        state->at = next;
        state->ranges++;
    }
    if (state->ranges == 0)
        return sig_reject("invalid addresses");
    return sig_believe(in, state->at, "ranges of rising addresses follow one another");
}

const struct sig sig_lime = {
    .name = "lime",
    .what = "memory of a Linux or Android (LiME)",
    .proves = "ranges of rising addresses follow one another; it ends where no other follows",
    .source = "J. Sylve, LiME 1.9, doc/README.md: lime_mem_range_header",
    .types = (const struct sig_type[]){ { "lime", "lime" }, { 0 } },
    .headers = { SIG_PATTERN("EMiL\1\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER | SIG_STREAM,
    .size_min = LIME_HEAD + 1,
    .size_max = UINT64_C(1) << 44,
    .state_size = sizeof(struct lime_state),
    .check = lime_check,
};
