/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/bpg.c - Better Portable Graphics: one HEVC picture.
 *
 *   "BPG\xfb" | 3 bits pixel format, alpha, 4 bits depth - 8 | 4 bits colour space, extension,
 *   alpha, range, animation | width | height |
 *   length of the picture | (extension) its length | extension | picture      numbers of 7 bits a
 *   byte, the first ones first
 *
 * A picture of length 0, which goes on to the end of the file, cannot be measured and is refused.
 */
#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    BPG_HEAD = 6,
    BPG_NUMBER = 5, /* bytes of a number, at most */
    BPG_SIDE_MAX = 1 << 17,
    BPG_PICTURE_MIN = 8,
    BPG_EXTENSION = 8,
    BPG_FORMATS = 6,
    BPG_SPACES = 5,
};

struct bpg_state {
    struct plausible plausible;
};

static enum step bpg_number(struct sig_input *in, uint64_t *at, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < BPG_NUMBER; i++) {
        const uint8_t *byte = sig_bytes(in, *at, 1);

        if (byte == NULL)
            return STEP_WAIT;
        ++*at;
        if (i == 0 && *byte == 0x80) /* no number begins with zeros */
            return STEP_BAD;
        *value = *value << 7 | (*byte & 0x7f);
        if (*byte < 0x80)
            return STEP_DONE;
    }
    return STEP_BAD;
}

static struct sig_result bpg_check(struct sig_input *in, void *memory)
{
    struct bpg_state *state = memory;
    uint64_t numbers[4] = { 0 }, at = BPG_HEAD;
    const uint8_t *head = sig_bytes(in, 0, BPG_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint8_t format = head[4] >> 5, depth = head[4] & 15, space = head[5] >> 4;
    const uint32_t count = head[5] & BPG_EXTENSION ? 4 : 3;
    if (format >= BPG_FORMATS || depth > 6 || space > BPG_SPACES)
        return sig_reject("invalid pixel format, depth or colour space");
    for (uint32_t i = 0; i < count; i++) {
        const enum step step = bpg_number(in, &at, &numbers[i]);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("invalid number");
    }
    if (numbers[0] == 0 || numbers[1] == 0 || numbers[0] > BPG_SIDE_MAX ||
        numbers[1] > BPG_SIDE_MAX)
        return sig_reject("invalid width or height");
    if (numbers[2] < BPG_PICTURE_MIN)
        return sig_reject("invalid length of the picture");
    const uint64_t picture = at + numbers[3], end = picture + numbers[2];
    uint64_t header = picture, header_length;
    const enum step step =
        bpg_number(in, &header, &header_length); /* of the HEVC header, which comes first */
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD || header_length == 0 || header_length > end - header)
        return sig_reject("invalid length of the HEVC header");
    sig_valid(in, header);
    return plausible_believe(in, &state->plausible, PLAUSIBLE_COMPRESSED, header, end, end,
                             "the header gives the length");
}

const struct sig sig_bpg = {
    .name = "bpg",
    .what = "Better Portable Graphics picture",
    .proves = "header reads; the picture's own header fits into its length; it looks compressed",
    .source = "Fabrice Bellard, BPG Specification, version 0.9.5: 3.1, 3.2",
    .types = (const struct sig_type[]){ { "bpg", "bpg" }, { 0 } },
    .headers = { SIG_PATTERN("BPG\xfb") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = BPG_HEAD + 3 + BPG_PICTURE_MIN,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct bpg_state),
    .check = bpg_check,
    .facts = bpg_facts,
};
