/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/dav.c - recordings of Dahua's cameras and recorders (DHAV, .dav).
 *
 *   frames: "DHAV" | u8 kind: fd picture by itself, fc picture by others, f0 sound, f1 other | u8
 * subkind | u8 channel | u8 part | u32le number | u32le bytes | u32le date | u16le milliseconds |
 * u8 bytes of more | u8 sum | more | data | "dhav" | u32le bytes again
 *
 * A recording ends where no other frame follows.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    DAV_MARK = 4,
    DAV_HEAD = 24,
    DAV_TAIL = 8,
    DAV_DATE = 16, /* place of the date: years since 2000, month, day, hour, minute, second */
    DAV_FRAME_MAX = 16 << 20,
};

struct dav_state {
    uint64_t at; /* the next frame */
    uint32_t frames;
};

/* The frame at state->at. STEP_BAD: none. */
static enum step dav_frame(struct sig_input *in, struct dav_state *state)
{
    const uint64_t left = in->limit - state->at;
    const uint32_t seen = left < DAV_MARK ? (uint32_t)left : DAV_MARK;
    const uint8_t *p = seen == 0 ? NULL : sig_bytes(in, state->at, seen);

    if (seen == 0)
        return STEP_BAD;
    if (p == NULL)
        return STEP_WAIT;
    if (memcmp(p, "DHAV", seen) != 0)
        return STEP_BAD;
    p = sig_bytes(in, state->at, DAV_HEAD);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32le(p + 12);
    if (p[4] < 0xf0 || len > DAV_FRAME_MAX || len < DAV_HEAD + (uint32_t)p[22] + DAV_TAIL)
        return STEP_BAD;
    const uint64_t end = state->at + len;
    p = sig_bytes(in, end - DAV_TAIL, DAV_TAIL);
    if (p == NULL)
        return STEP_WAIT;
    if (memcmp(p, "dhav", DAV_MARK) != 0 || bytes_u32le(p + DAV_MARK) != len)
        return STEP_BAD;
    state->at = end;
    state->frames++;
    sig_valid(in, end);
    return STEP_DONE;
}

static struct sig_result dav_check(struct sig_input *in, void *memory)
{
    struct dav_state *state = memory;
    enum step step = STEP_DONE;

    while (step == STEP_DONE)
        step = dav_frame(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (state->frames == 0)
        return sig_reject("no frame that tells its bytes at both ends");
    return sig_complete(in, state->at, "frames tell their bytes at both ends; no other follows");
}

static void dav_facts(struct sig_facts *facts)
{
    const uint8_t *p = tell_bytes(facts, DAV_DATE, 4);
    const uint32_t date = p == NULL ? 0 : bytes_u32le(p);
    char text[32];

    if (date == 0)
        return;
    const int len =
        snprintf(text, sizeof text, "%04u-%02u-%02u %02u:%02u:%02u", 2000 + (date >> 26),
                 date >> 22 & 15, date >> 17 & 31, date >> 12 & 31, date >> 6 & 63, date & 63);
    tell_date(facts, SIG_FACT_CREATED, text, (size_t)len, "", 0);
}

const struct sig sig_dav = {
    .name = "dav",
    .what = "recording of a camera or recorder of Dahua (DHAV)",
    .proves =
        "frames have their bytes at both ends, up to where no other follows; pictures are not "
        "decoded",
    .source = "FFmpeg 6.0, libavformat/dhav.c",
    .types = (const struct sig_type[]){ { "dav", "dav" }, { 0 } },
    .headers = { SIG_MASKED("DHAV\xf0", "\xff\xff\xff\xff\xf0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = DAV_HEAD + DAV_TAIL,
    .size_max = UINT64_C(1) << 38,
    .state_size = sizeof(struct dav_state),
    .check = dav_check,
    .facts = dav_facts,
};
