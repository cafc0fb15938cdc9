/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/dpx.c - SMPTE DPX frames, of either byte order.
 *
 *   "SDPX" (big-endian) or "XPDS" | u32 where the picture begins | "V1.0" or "V2.0" | u32 file
 * length | u32 | u32 1664 | u32 384 | u32 length of the user's data | names | at 768: orientation,
 * elements, u32 width, u32 height, 8 x 72 bytes of element
 *
 * The length must have room for the elements, which are not compressed as a rule. What is inside
 * can only be looked at.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/raster.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    DPX_HEAD = 2048,
    DPX_PICTURE = 768, /* where the picture information begins */
    DPX_ELEMENT = 72,
    DPX_ELEMENTS_MAX = 8,
    DPX_SIDE_MAX = 1 << 20,
    DPX_SLACK = 1 << 16, /* bytes behind the picture that writers add to fill blocks */
    DPX_GENERIC = 1664,
    DPX_INDUSTRY = 384,
};

struct dpx_state {
    struct raster raster;
};

static uint32_t dpx_u32(const uint8_t *bytes, bool big)
{
    return big ? bytes_u32be(bytes) : bytes_u32le(bytes);
}

/* Samples of a pixel by the element's descriptor; 0: of no known kind. */
static uint32_t dpx_samples(uint8_t descriptor)
{
    switch (descriptor) {
    case 50:  /* RGB */
    case 102: /* CbYCr 4:4:4 */
        return 3;
    case 51: /* RGBA */
    case 52: /* ABGR */
    case 103:
        return 4;
    case 100: /* CbYCrY 4:2:2 */
        return 2;
    default:
        return descriptor <= 9 || (descriptor >= 150 && descriptor <= 156) || descriptor == 101 ? 1
                                                                                                : 0;
    }
}

/* The least number of bytes of the elements together; 0: they cannot be. */
static uint64_t dpx_pixels(const uint8_t *head, bool big)
{
    const uint8_t *picture = head + DPX_PICTURE;
    const uint32_t elements = big ? bytes_u16be(picture + 2) : bytes_u16le(picture + 2);
    const uint64_t width = dpx_u32(picture + 4, big), height = dpx_u32(picture + 8, big);
    uint64_t bytes = 0;

    if (elements == 0 || elements > DPX_ELEMENTS_MAX || width == 0 || height == 0 ||
        width > DPX_SIDE_MAX || height > DPX_SIDE_MAX)
        return 0;
    for (uint32_t i = 0; i < elements; i++) {
        const uint8_t *element = picture + 12 + i * DPX_ELEMENT;
        const uint32_t bits = element[23], samples = dpx_samples(element[20]);
        const uint32_t packing = big ? bytes_u16be(element + 24) : bytes_u16le(element + 24);
        const uint32_t coding = big ? bytes_u16be(element + 26) : bytes_u16le(element + 26);

        if (samples == 0 || bits == 0 || bits > 64 || packing > 2 || coding > 1)
            return 0;
        if (coding == 0)
            bytes += (width * samples * bits + 31) / 32 * 4 * height;
        else
            bytes += 1;
    }
    return bytes;
}

static struct sig_result dpx_check(struct sig_input *in, void *memory)
{
    struct dpx_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, DPX_HEAD);

    if (head == NULL)
        return sig_short(in);
    const bool big = head[0] == 'S';
    const uint64_t at = dpx_u32(head + 4, big), size = dpx_u32(head + 16, big),
                   pixels = dpx_pixels(head, big);
    const uint32_t generic = dpx_u32(head + 24, big), industry = dpx_u32(head + 28, big);
    const uint8_t bits = head[DPX_PICTURE + 12 + 23], descriptor = head[DPX_PICTURE + 12 + 20];
    const bool coded = (head[DPX_PICTURE + 12 + 26] | head[DPX_PICTURE + 12 + 27]) != 0;
    if (memcmp(head + 8, "V1.0", 4) != 0 && memcmp(head + 8, "V2.0", 4) != 0)
        return sig_reject("unknown version");
    /* Writers that do not fill them in leave zeros or ones. */
    if ((generic != DPX_GENERIC && generic != UINT32_MAX && generic != 0) ||
        (industry != DPX_INDUSTRY && industry != UINT32_MAX && industry != 0))
        return sig_reject("wrong length of a header");
    if (pixels == 0 || at < DPX_GENERIC || at > size || size - at < pixels)
        return sig_reject("the length leaves no room for the picture");
    if (!coded && size - at - pixels > DPX_SLACK + pixels / 2) /* 10 bits in 16, and the like */
        return sig_reject("the length is much larger than that of the picture");
    sig_valid(in, DPX_HEAD);
    const uint32_t samples = dpx_samples(descriptor),
                   step = bits == 10 ? 4 : (bits + 7u) / 8 * samples;
    if (!coded && step <= RASTER_STEP_MAX) {
        const enum step seen = raster_check(in, &state->raster, step, at, at + pixels);

        if (raster_right(&state->raster) > at)
            sig_valid(in, raster_right(&state->raster));
        if (seen == STEP_WAIT)
            return sig_short(in);
        if (seen == STEP_BAD)
            return sig_breaks(in, "the data here do not look like pixels");
    }
    return sig_believe(in, size, "the header gives the length, which has room for the picture");
}

const struct sig sig_dpx = {
    .name = "dpx",
    .what = "SMPTE DPX frame",
    .proves =
        "headers have their lengths; the file's has room for the elements; the data look like "
        "pixels",
    .source = "SMPTE 268M-2003, Digital Moving-Picture Exchange (DPX), Version 2.0",
    .types = (const struct sig_type[]){ { "dpx", "dpx" }, { 0 } },
    .headers = { SIG_MASKED("SDPX\0???V0.0", "\xff\xff\xff\xff\xff\0\0\0\xff\xfc\xff\xff"),
                 SIG_MASKED("XPDS???\0V0.0", "\xff\xff\xff\xff\0\0\0\xff\xff\xfc\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = DPX_HEAD + 4,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct dpx_state),
    .check = dpx_check,
    .facts = dpx_facts,
};
