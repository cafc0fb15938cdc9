/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/nut.c - NUT: video and sound of MPlayer and FFmpeg.
 *
 *   "nut/multimedia container" 0 | packets: start code, u64be | bytes behind this number (7 bits a
 * byte) | where these are more than 4096: a check sum | data | u32be check sum. The index ends the
 * file; its last 8 bytes of data are its length.
 *
 * Frames between the packets are not walked: the end is where an index tells its own length.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { NUT_ID = 25, NUT_CODE = 8, NUT_NUMBER_MAX = 5, NUT_CHECKED = 4096, NUT_LAST = 12 };

static const uint8_t nut_main[] = "\x4e\x4d\x7a\x56\x1f\x5f\x04\xad",
                     nut_index[] = "\x4e\x58\xdd\x67\x2f\x23\xe6\x4e";

struct nut_state {
    uint64_t at; /* an index is looked for from here on; 0: not begun */
};

/* The packet at `at`; *end: behind it. */
static enum step nut_packet(struct sig_input *in, uint64_t at, uint64_t *end)
{
    const uint8_t *p = sig_bytes(in, at + NUT_CODE, NUT_NUMBER_MAX);
    uint64_t value = 0;
    uint32_t i = 0;

    if (p == NULL)
        return STEP_WAIT;
    do
        value = value << 7 | (p[i] & 0x7fu);
    while ((p[i++] & 0x80) != 0 && i < NUT_NUMBER_MAX);
    *end = at + NUT_CODE + i + (value > NUT_CHECKED ? 4 : 0) + value;
    return (p[i - 1] & 0x80) == 0 && value > NUT_LAST ? STEP_DONE : STEP_BAD;
}

/* Whether the index at `at` tells its own length; *end: behind it. */
static enum step nut_ends(struct sig_input *in, uint64_t at, uint64_t *end)
{
    const enum step step = nut_packet(in, at, end);

    if (step != STEP_DONE)
        return step;
    const uint8_t *p = sig_bytes(in, *end - NUT_LAST, NUT_LAST);
    if (p == NULL)
        return in->wanted <= in->limit ? STEP_WAIT : STEP_BAD;
    return bytes_u64be(p) == *end - at ? STEP_DONE : STEP_BAD;
}

static struct sig_result nut_check(struct sig_input *in, void *memory)
{
    struct nut_state *state = memory;
    const uint8_t *p = sig_bytes(in, NUT_ID, NUT_CODE);
    uint64_t at, end;

    if (p == NULL)
        return sig_short(in);
    if (memcmp(p, nut_main, NUT_CODE) != 0)
        return sig_reject("there is no main header");
    enum step step = nut_packet(in, NUT_ID, &end);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_reject("invalid length of the main header");
    if (state->at == 0)
        state->at = end;
    sig_valid(in, end < in->limit ? end : in->limit);
    for (;;) {
        switch (sig_find(in, state->at, in->limit, nut_index, NUT_CODE, &at)) {
        case SIG_FOUND:
            break;
        case SIG_FIND_WAIT:
            return sig_short(in);
        case SIG_FIND_NONE:
            return sig_breaks(in, "there is no index");
        }
        step = nut_ends(in, at, &end);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_DONE)
            return sig_believe(in, end, "the index tells its own length and ends the file");
        state->at = at + NUT_CODE;
    }
}

const struct sig sig_nut = {
    .name = "nut",
    .what = "NUT video and sound",
    .proves = "the main header, and an index that tells its own length; frames are not walked",
    .source = "MPlayer and FFmpeg, NUT Open Container Format 20130327",
    .types = (const struct sig_type[]){ { "nut", "nut" }, { 0 } },
    .headers = { SIG_PATTERN("nut/multimedia container\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = NUT_ID + 2 * NUT_CODE,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct nut_state),
    .check = nut_check,
};
