/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/sun.c - Sun rasterfiles.
 *
 *   59 a6 6a 95 | u32be width | height | bits | length of the picture | kind | kind of colour map |
 * its length | colours | rows, padded to 16 bits; kind 2: in codes: 80, count - 1, byte; 80, 0 is
 * the byte 80
 *
 * Codes are followed, and have to give exactly the rows. Plain rows have to be as long as the
 * header says, and to look like pixels.
 */
#include "base/bytes.h"
#include "signatures/lib/raster.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    SUN_HEAD = 32,
    SUN_SIDE_MAX = 1 << 20,
    SUN_COLOURS_MAX = 1 << 12,
    SUN_CODED = 2,
    SUN_KIND_MAX = 3, /* old, standard, coded, RGB; 4 and 5 wrap TIFF and IFF */
    SUN_ESCAPE = 0x80,
};

struct sun_state {
    struct raster raster;
    uint64_t at;   /* object offset of the next code; 0: not begun */
    uint64_t made; /* bytes of rows that the codes before it make */
};

/* The codes in len bytes, all but those that may go on behind them; at the end of the picture, all.
 */
static void sun_decode(struct sun_state *state, const uint8_t *bytes, uint32_t len, bool last,
                       uint64_t rows)
{
    uint32_t i = 0;

    while (state->made < rows && (i + 3 <= len || (last && i < len))) {
        const bool escape = bytes[i] == SUN_ESCAPE && i + 2 <= len,
                   run = escape && bytes[i + 1] != 0;

        state->made += run ? bytes[i + 1] + 1u : 1;
        i += run ? 3 : escape ? 2 : 1;
    }
    state->at += i;
}

static enum step sun_codes(struct sig_input *in, struct sun_state *state, uint64_t end,
                           uint64_t rows)
{
    while (state->at < end && state->made < rows) {
        const uint64_t rest = end - state->at;
        uint32_t len;
        const uint8_t *bytes = sig_span(in, state->at, &len);

        if (bytes != NULL && len < 3 && len < rest)
            bytes = sig_bytes(in, state->at, len = rest < 3 ? (uint32_t)rest : 3);
        if (bytes == NULL)
            return STEP_WAIT;
        sun_decode(state, bytes, len < rest ? len : (uint32_t)rest, len >= rest, rows);
    }
    return STEP_DONE;
}

static struct sig_result sun_check(struct sig_input *in, void *memory)
{
    struct sun_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, SUN_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t width = bytes_u32be(head + 4), height = bytes_u32be(head + 8),
                   bits = bytes_u32be(head + 12);
    const uint32_t length = bytes_u32be(head + 16), kind = bytes_u32be(head + 20),
                   map = bytes_u32be(head + 24);
    const uint32_t colours = bytes_u32be(head + 28);
    if (width == 0 || height == 0 || width > SUN_SIDE_MAX || height > SUN_SIDE_MAX ||
        (bits != 1 && bits != 4 && bits != 8 && bits != 24 && bits != 32))
        return sig_reject("invalid width, height or bits");
    if (kind > SUN_KIND_MAX || map > 2 || colours > SUN_COLOURS_MAX || (map == 0) != (colours == 0))
        return sig_reject("invalid kind of picture or colour map");
    const uint64_t rows = ((uint64_t)width * bits + 15) / 16 * 2 * height,
                   at = SUN_HEAD + (uint64_t)colours;
    if (kind == SUN_CODED ? length == 0 : length != rows && (kind != 0 || length != 0))
        return sig_reject("the length contradicts width, height and bits");
    const uint64_t end = at + (kind == SUN_CODED ? length : rows);
    sig_valid(in, at);
    if (kind == SUN_CODED) {
        if (state->at == 0)
            state->at = at;
        if (sun_codes(in, state, end, rows) == STEP_WAIT) {
            sig_valid(in, state->at);
            return sig_short(in);
        }
        if (state->at != end || state->made != rows)
            return sig_reject("the codes do not end where the length says");
        return sig_complete(in, end, "the codes give exactly the rows");
    }
    switch (raster_check(in, &state->raster, bits >= 24 ? bits / 8 : 1, at, end)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        sig_valid(in, raster_right(&state->raster));
        return sig_breaks(in, "the data here do not look like pixels");
    default:
        return sig_believe(in, end, "width, height and bits give the length");
    }
}

const struct sig sig_sun = {
    .name = "ras",
    .what = "Sun rasterfile",
    .proves = "length and sizes agree; codes give exactly the rows, or the data look like pixels",
    .source = "SunOS, rasterfile(5); /usr/include/rasterfile.h",
    .types = (const struct sig_type[]){ { "ras", "ras" }, { 0 } },
    .headers = { SIG_MASKED("\x59\xa6\x6a\x95\0\0\0\0\0\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\xff\xf0\0\0\xff\xf0\0\0\xff\xff\xff\xc0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = SUN_HEAD + 2,
    .size_max = UINT64_C(1) << 34,
    .state_size = sizeof(struct sun_state),
    .check = sun_check,
    .facts = sun_facts,
};
