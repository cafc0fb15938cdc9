/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/grib.c - GRIB and BUFR: weather, as messages of the WMO.
 *
 *   GRIB 1: "GRIB" | u24be length | 1 | sections: u24be length ... | "7777"
 *   GRIB 2: "GRIB" | 2 bytes | discipline | 2 | u64be length | sections: u32be length, u8 number
 *   BUFR:   "BUFR" | u24be length | edition 2 to 4 | sections: u24be length ... | "7777"
 *
 * Sections fill a message up to its end mark. A file is a row of messages.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    GRIB_HEAD_1 = 8,
    GRIB_HEAD_2 = 16,
    GRIB_END = 4,
    GRIB_SECTIONS_MAX = 1 << 16,
};
#define GRIB_MESSAGE_MAX (UINT64_C(1) << 34)

struct grib_state {
    uint64_t message; /* where it begins */
    uint64_t at;      /* its next section; 0: its head */
    uint32_t sections;
};

static uint32_t grib_u24(const uint8_t *p)
{
    return bytes_u32be(p) >> 8;
}

/* The length of the message with this head. 0: it is none. */
static uint64_t grib_length(const uint8_t *p, const char *magic)
{
    if (memcmp(p, magic, 4) != 0)
        return 0;
    if (magic[0] == 'B')
        return p[7] >= 2 && p[7] <= 4 ? grib_u24(p + 4) : 0;
    if (p[7] == 1)
        return grib_u24(p + 4);
    return p[7] == 2 ? bytes_u64be(p + 8) : 0;
}

/* The bytes of the section of a GRIB 2 message with this head; 0: it is none. */
static uint32_t grib_section_2(const uint8_t *p, uint32_t sections)
{
    return p[4] >= 1 && p[4] <= 7 && (sections > 0 || p[4] == 1) ? bytes_u32be(p) : 0;
}

/* Sections of the message, up to its end. */
static enum step grib_message(struct sig_input *in, struct grib_state *state, uint64_t end,
                              bool second)
{
    while (state->at < end - GRIB_END) {
        const uint8_t *p = sig_bytes(in, state->at, 5);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t len = second ? grib_section_2(p, state->sections) : grib_u24(p);
        if (len < 4 || len > end - GRIB_END - state->at || state->sections == GRIB_SECTIONS_MAX)
            return STEP_BAD;
        state->at += len;
        state->sections++;
    }
    const uint8_t *p = sig_bytes(in, end - GRIB_END, GRIB_END);
    if (p == NULL)
        return STEP_WAIT;
    return memcmp(p, "7777", 4) == 0 && state->sections >= 2 ? STEP_DONE : STEP_BAD;
}

static struct sig_result grib_check(struct sig_input *in, void *memory)
{
    struct grib_state *state = memory;
    const char *magic = in->sig->headers[0].bytes;

    for (;;) {
        const uint8_t *p = sig_bytes(in, state->message, GRIB_HEAD_2);

        if (p == NULL && (state->message == 0 || in->wanted <= in->limit))
            return sig_short(in);
        const uint64_t len = p == NULL ? 0 : grib_length(p, magic);
        const bool second = p != NULL && magic[0] == 'G' && p[7] == 2;
        if (len == 0 && state->message > 0)
            return sig_complete(in, state->message, "messages end with their marks");
        if (len < GRIB_HEAD_2 + 2 * GRIB_END || len > GRIB_MESSAGE_MAX)
            return sig_breaks(in, "invalid length of a message");
        if (state->at == 0) {
            state->at = state->message + (second ? GRIB_HEAD_2 : GRIB_HEAD_1);
            state->sections = 0;
        }
        const enum step step = grib_message(in, state, state->message + len, second);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "sections do not fill a message");
        state->message += len;
        state->at = 0;
        sig_valid(in, state->message);
    }
}

const struct sig sig_grib = {
    .name = "grib",
    .what = "GRIB, weather on a grid",
    .proves = "sections fill every message up to its end mark; values are not unpacked",
    .source = "WMO, Manual on Codes (WMO-No. 306): FM 92 GRIB editions 1 and 2",
    .types = (const struct sig_type[]){ { "grib", "grib" }, { 0 } },
    .headers = { SIG_MASKED("GRIB\0\0\0\1", "\xff\xff\xff\xff\0\0\0\xff"),
                 SIG_MASKED("GRIB\0\0\0\2\0\0\0", "\xff\xff\xff\xff\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = GRIB_HEAD_2 + 2 * GRIB_END,
    .size_max = UINT64_C(1) << 40, /* policy: nothing counts the messages */
    .state_size = sizeof(struct grib_state),
    .check = grib_check,
};

const struct sig sig_bufr = {
    .name = "bufr",
    .what = "BUFR, weather reports",
    .proves = "sections fill every message up to its end mark; values are not unpacked",
    .source = "WMO, Manual on Codes (WMO-No. 306): FM 94 BUFR editions 2 to 4",
    .types = (const struct sig_type[]){ { "bufr", "bufr" }, { 0 } },
    .headers = { SIG_MASKED("BUFR\0\0\0\0", "\xff\xff\xff\xff\0\0\0\xf8") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = GRIB_HEAD_2 + 2 * GRIB_END,
    .size_max = UINT64_C(1) << 40, /* policy: nothing counts the messages */
    .state_size = sizeof(struct grib_state),
    .check = grib_check,
};
