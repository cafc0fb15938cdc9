/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/brush.c - brushes of Photoshop (abr), brushes and
 * patterns of GIMP (gbr, pat).
 *
 *   abr: u16be 6, 7, 9, 10 | u16be 1, 2 | parts: "8BIM" | 4 letters | u32be bytes | data, up to 4
 *   GIMP, brush: u32be bytes of the head | 1, 2 | columns | rows | bytes of a pixel, 1, 4 | "GIMP"
 * | spacing | name | pixels; pattern: u32be bytes of the head | 1 | columns | rows | bytes of a
 * pixel, 1 to 4 | "GPAT" | name | pixels
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    BRUSH_HEAD = 4,
    BRUSH_PART = 12,
    GIMP_BRUSH_HEAD = 28,
    GIMP_PATTERN_HEAD = 24,
    GIMP_NAME_MAX = 1024,
    GIMP_SIDE_MAX = 1 << 16,
};

struct brush_state {
    uint64_t at; /* the next part; 0: not begun */
    bool samples;
};

static struct sig_result brush_check(struct sig_input *in, void *memory)
{
    struct brush_state *state = memory;

    if (state->at == 0)
        state->at = BRUSH_HEAD;
    while (state->at < in->limit) {
        const uint8_t *p = sig_bytes(in, state->at, BRUSH_PART);

        if (p == NULL)
            return sig_short(in);
        if (memcmp(p, "8BIM", 4) != 0)
            break;
        state->samples |= memcmp(p + 4, "samp", 4) == 0 || memcmp(p + 4, "desc", 4) == 0;
        const uint64_t next =
            state->at + BRUSH_PART + (((uint64_t)bytes_u32be(p + 8) + 3) & ~UINT64_C(3));
        if (sig_bytes(in, next - 1, 1) == NULL)
            return sig_short(in);
        state->at = next;
        sig_valid(in, next);
    }
    if (!state->samples)
        return sig_reject("there are no brushes");
    return sig_believe(in, state->at, "parts follow one another, and no other does");
}

static struct sig_result gimp_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, GIMP_BRUSH_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const bool pattern = memcmp(p + 20, "GPAT", 4) == 0;
    const uint32_t least = pattern ? GIMP_PATTERN_HEAD : GIMP_BRUSH_HEAD;
    const uint64_t head = bytes_u32be(p), columns = bytes_u32be(p + 8), rows = bytes_u32be(p + 12),
                   depth = bytes_u32be(p + 16);
    in->type = &in->sig->types[pattern];
    if (head <= least || head > least + GIMP_NAME_MAX || columns == 0 || columns > GIMP_SIDE_MAX ||
        rows == 0 || rows > GIMP_SIDE_MAX || depth == 0 || depth > 4)
        return sig_reject("invalid sizes in the head");
    p = sig_bytes(in, head - 1, 1);
    if (p == NULL)
        return sig_short(in);
    if (p[0] != 0)
        return sig_reject("the name has no end");
    const uint64_t end = head + columns * rows * depth;
    sig_valid(in, head);
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "the head gives the number of pixels");
}

const struct sig sig_abr = {
    .name = "abr",
    .what = "brushes of Photoshop (abr)",
    .proves = "parts follow one another; it ends where no other follows",
    .source = "Adobe, Photoshop File Formats: Brushes; GIMP 2.10, app/core/gimpbrush-load.c",
    .types = (const struct sig_type[]){ { "abr", "abr" }, { 0 } },
    .headers = { SIG_MASKED("\0\6\0\0008BIMsamp",
                            "\xff\xfe\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\0\x08\0\0008BIMsamp",
                            "\xff\xfc\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = BRUSH_HEAD + BRUSH_PART,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct brush_state),
    .check = brush_check,
};

const struct sig sig_gimp_brush = {
    .name = "gimp-brush",
    .what = "brush or pattern of GIMP (gbr, pat)",
    .proves = "the head gives the number of pixels; they are not looked at",
    .source = "GIMP 2.10, devel-docs: gbr.txt, pat.txt",
    .types = (const struct sig_type[]){ { "gimp-brush", "gbr" }, { "gimp-pattern", "pat" }, { 0 } },
    .headers = { SIG_MASKED("\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0GIMP",
                            "\xff\xff\xf8\0\xff\xff\xff\xff\xff\xff\0\0\xff\xff\0\0\xff\xff\xff\xf8"
                            "\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0GPAT",
                            "\xff\xff\xf8\0\xff\xff\xff\xff\xff\xff\0\0\xff\xff\0\0\xff\xff\xff\xf8"
                            "\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = GIMP_PATTERN_HEAD + 2,
    .size_max = UINT64_C(1) << 34,
    .check = gimp_check,
};
