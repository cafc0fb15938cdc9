/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/xwd.c - XWD: pictures of a window of X11.
 *
 *   u32be: bytes of the head and name | 7 | 2 | depth | width, height | ... | at 44 bits of a pixel
 * | bytes of a row | ... | at 76 colours | at 96 the name | colours, 12 bytes each | rows
 */
#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

enum { XWD_HEAD = 100, XWD_NAME_MAX = 4096, XWD_COLOUR = 12, XWD_COLOURS_MAX = 65536 };

struct xwd_state {
    struct plausible plausible;
};

static struct sig_result xwd_check(struct sig_input *in, void *memory)
{
    struct xwd_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, XWD_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t head = bytes_u32be(p), depth = bytes_u32be(p + 12), width = bytes_u32be(p + 16),
                   height = bytes_u32be(p + 20), order = bytes_u32be(p + 28),
                   bits = bytes_u32be(p + 44), row = bytes_u32be(p + 48),
                   colours = bytes_u32be(p + 76);
    if (head < XWD_HEAD || head > XWD_HEAD + XWD_NAME_MAX || depth == 0 || depth > 32 ||
        width == 0 || width > UINT16_MAX || height == 0 || height > UINT16_MAX || order > 1 ||
        bits < depth || bits > 32 || row < (width * bits + 7) / 8 || row > width * bits / 8 + 8 ||
        colours > XWD_COLOURS_MAX)
        return sig_reject("width, depth and bytes of a row do not agree");
    const uint64_t from = head + colours * XWD_COLOUR, end = from + row * height;
    p = sig_bytes(in, head - 1, 1);
    if (p == NULL)
        return sig_short(in);
    if (head > XWD_HEAD && *p != 0)
        return sig_reject("the name does not end");
    sig_valid(in, XWD_HEAD);
    switch (plausible_check(in, &state->plausible, bits % 8 == 0 ? PLAUSIBLE_PIXELS : PLAUSIBLE_ANY,
                            bits < 8 ? 1 : (uint32_t)bits / 8, from, end)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        sig_valid(in, state->plausible.at);
        return sig_breaks(in, "the data here do not look like pixels");
    case STEP_DONE:
        break;
    }
    return sig_believe(in, end, "rows are as long as the head says");
}

const struct sig sig_xwd = {
    .name = "xwd",
    .what = "XWD, picture of a window of X11",
    .proves = "width, depth and bytes of a row agree and give the length",
    .source = "X.Org, XWDFile.h",
    .types = (const struct sig_type[]){ { "xwd", "xwd" }, { 0 } },
    .headers = { SIG_MASKED(
        "\0\0\0\0\0\0\0\7\0\0\0\2\0\0\0\0\0\0\0\0\0\0",
        "\xff\xff\xe0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xc0\xff\xff\0\0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = XWD_HEAD + 1,
    .size_max = UINT64_C(1) << 34,
    .state_size = sizeof(struct xwd_state),
    .check = xwd_check,
};
