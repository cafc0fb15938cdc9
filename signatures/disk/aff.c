/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/aff.c - disk images in the Advanced Forensic Format, version 3 and before.
 *
 *   "AFF10\r\n\0" | segments: "AFF\0", u32be lengths of name and data, u32be flag | name | data |
 * "ATT\0", u32be length of it all
 *
 * The file ends where no segment begins.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    AFF_HEAD = 8,
    AFF_SEGMENT = 16,
    AFF_TAIL = 8,
    AFF_NAME_MAX = 64,
    AFF_DATA_MAX = 1 << 28,
};

struct aff_state {
    uint64_t at; /* next segment; 0: the first */
};

static struct sig_result aff_check(struct sig_input *in, void *memory)
{
    struct aff_state *state = memory;

    if (state->at == 0)
        state->at = AFF_HEAD;
    for (;;) {
        const uint8_t *p = sig_bytes(in, state->at, AFF_SEGMENT);

        if (p == NULL && (in->wanted <= in->limit || state->at == AFF_HEAD))
            return sig_short(in);
        if (p == NULL || memcmp(p, "AFF\0", 4) != 0)
            break;
        const uint32_t name = bytes_u32be(p + 4), data = bytes_u32be(p + 8);
        if (name == 0 || name > AFF_NAME_MAX || data > AFF_DATA_MAX)
            return sig_breaks(in, "invalid segment");
        const uint64_t tail = state->at + AFF_SEGMENT + name + data;
        p = sig_bytes(in, tail, AFF_TAIL);
        if (p == NULL) {
            if (in->wanted > in->limit && state->at > AFF_HEAD)
                sig_valid(in, in->limit);
            return sig_short(in);
        }
        if (memcmp(p, "ATT\0", 4) != 0 || bytes_u32be(p + 4) != tail + AFF_TAIL - state->at)
            return sig_breaks(in, "a segment does not end where its length says");
        state->at = tail + AFF_TAIL;
        sig_valid(in, state->at);
    }
    if (state->at == AFF_HEAD)
        return sig_reject("there is no segment");
    return sig_complete(in, state->at, "every segment has its length twice");
}

const struct sig sig_aff = {
    .name = "aff",
    .what = "disk image in the Advanced Forensic Format",
    .proves = "segments have their length twice",
    .source = "AFFLIB 3.7: lib/afflib_i.h, struct af_segment_head and af_segment_tail",
    .types = (const struct sig_type[]){ { "aff", "aff" }, { 0 } },
    .headers = { SIG_PATTERN("AFF10\r\n\0AFF\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = AFF_HEAD + AFF_SEGMENT + AFF_TAIL + 1,
    .size_max = UINT64_C(1) << 44,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct aff_state),
    .check = aff_check,
};
