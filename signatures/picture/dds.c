/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/dds.c - DirectDraw surfaces: textures.
 *
 *   "DDS " | u32le 124 | flags | height | width | pitch | depth | levels | 11 numbers | u32le 32 |
 * flags | four letters | bits | masks | caps | ... | ("DX10") format, dimension, flags, number of
 * textures, flags | surfaces, each with its smaller levels
 *
 * The length follows from the format and the sizes of all levels.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/raster.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    DDS_HEAD = 128,
    DDS_DX10 = 20, /* bytes of the further header */
    DDS_REQUIRED =
        0x1007 & ~1, /* height, width, pixel format; some writers leave out that of the caps */
    DDS_SIDE_MAX = 1 << 16,
    DDS_LEVELS_MAX = 17,
    DDS_ARRAY_MAX = 1 << 16,
    DDS_FOURCC = 4,
    DDS_PLAIN = 0x1 | 0x2 | 0x40 | 0x200 | 0x20000 | 0x80000 |
                0x20, /* with alpha, alpha, RGB, YUV, luminance, bumps, palette */
    DDS_CUBE = 0x200,
    DDS_VOLUME = 0x200000,
};

struct dds_state {
    struct raster raster;
};

/* How the pixels of a format are stored. */
struct dds_format {
    uint32_t block; /* bytes of a block of 4 x 4 pixels; 0: no blocks */
    uint32_t bits;  /* of a pixel */
};

static bool dds_letters(const uint8_t *name, struct dds_format *format)
{
    static const struct {
        char name[5];
        uint8_t block;
    } known[] = { { "DXT1", 8 },  { "DXT2", 16 }, { "DXT3", 16 }, { "DXT4", 16 },
                  { "DXT5", 16 }, { "ATI1", 8 },  { "ATI2", 16 }, { "BC4U", 8 },
                  { "BC4S", 8 },  { "BC5U", 16 }, { "BC5S", 16 }, { "RXGB", 16 } };
    static const struct {
        uint8_t number, bits;
    } numbers[] = { { 36, 64 },  { 110, 64 }, { 111, 16 }, { 112, 32 },
                    { 113, 64 }, { 114, 32 }, { 115, 64 }, { 116, 128 } };

    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (memcmp(name, known[i].name, 4) == 0)
            format->block = known[i].block;
    for (uint32_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (bytes_u32le(name) == numbers[i].number)
            format->bits = numbers[i].bits;
    if (memcmp(name, "YUY2", 4) == 0 || memcmp(name, "UYVY", 4) == 0 ||
        memcmp(name, "RGBG", 4) == 0 || memcmp(name, "GRGB", 4) == 0)
        format->bits = 16;
    return format->block != 0 || format->bits != 0;
}

/* The numbers of DXGI_FORMAT. */
static bool dds_number(uint32_t number, struct dds_format *format)
{
    if ((number >= 70 && number <= 72) || (number >= 79 && number <= 81))
        format->block = 8; /* BC1, BC4 */
    else if ((number >= 73 && number <= 78) || (number >= 82 && number <= 84) ||
             (number >= 94 && number <= 99))
        format->block = 16; /* BC2, BC3, BC5, BC6H, BC7 */
    else if (number >= 1 && number <= 4)
        format->bits = 128;
    else if (number >= 5 && number <= 8)
        format->bits = 96;
    else if (number >= 9 && number <= 22)
        format->bits = 64;
    else if ((number >= 23 && number <= 47) || (number >= 67 && number <= 69) ||
             (number >= 87 && number <= 93))
        format->bits = 32;
    else if ((number >= 48 && number <= 59) || number == 85 || number == 86 || number == 115)
        format->bits = 16;
    else if (number >= 60 && number <= 65)
        format->bits = 8;
    return format->block != 0 || format->bits != 0;
}

static uint64_t dds_surface(const struct dds_format *format, uint64_t width, uint64_t height,
                            uint64_t depth, uint32_t levels)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < levels; i++) {
        bytes += (format->block != 0 ? (width + 3) / 4 * ((height + 3) / 4) * format->block
                                     : (width * format->bits + 7) / 8 * height) *
                 depth;
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
        depth = depth > 1 ? depth / 2 : 1;
    }
    return bytes;
}

static struct sig_result dds_check(struct sig_input *in, void *memory)
{
    struct dds_state *state = memory;
    struct dds_format format = { 0 };
    const uint8_t *head = sig_bytes(in, 0, DDS_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t flags = bytes_u32le(head + 8), height = bytes_u32le(head + 12),
                   width = bytes_u32le(head + 16);
    const uint32_t kind = bytes_u32le(head + 80), bits = bytes_u32le(head + 88),
                   caps = bytes_u32le(head + 112);
    const uint32_t levels = bytes_u32le(head + 28) == 0 ? 1 : bytes_u32le(head + 28);
    const uint32_t depth =
        caps & DDS_VOLUME && bytes_u32le(head + 24) > 0 ? bytes_u32le(head + 24) : 1;
    const bool more = kind & DDS_FOURCC && memcmp(head + 84, "DX10", 4) == 0;
    uint64_t surfaces = 1, at = DDS_HEAD;
    if (bytes_u32le(head + 4) != 124 || bytes_u32le(head + 76) != 32 ||
        (flags & DDS_REQUIRED) != DDS_REQUIRED)
        return sig_reject("wrong length of a header");
    if (width == 0 || height == 0 || width > DDS_SIDE_MAX || height > DDS_SIDE_MAX ||
        depth > DDS_SIDE_MAX || levels > DDS_LEVELS_MAX)
        return sig_reject("invalid width, height or number of levels");
    if (caps & DDS_CUBE)
        surfaces = (uint64_t)__builtin_popcount(caps & 0xfc00);
    bool known = kind & DDS_FOURCC ? more || dds_letters(head + 84, &format)
                                   : (kind & DDS_PLAIN) != 0 && bits >= 1 && bits <= 128;
    if (!(kind & DDS_FOURCC))
        format.bits = bits;
    if (more) {
        const uint8_t *rest = sig_bytes(in, DDS_HEAD, DDS_DX10);

        if (rest == NULL)
            return sig_short(in);
        const uint32_t textures = bytes_u32le(rest + 12);
        known = dds_number(bytes_u32le(rest), &format) && textures >= 1 &&
                textures <= DDS_ARRAY_MAX && bytes_u32le(rest + 4) >= 2 &&
                bytes_u32le(rest + 4) <= 4;
        surfaces = (uint64_t)textures * (bytes_u32le(rest + 8) & 4 ? 6 : 1);
        at += DDS_DX10;
    }
    if (!known || surfaces == 0)
        return sig_reject("unknown format");
    if (kind & 0x20)
        at += 1024; /* colours */
    const uint64_t end = at + surfaces * dds_surface(&format, width, height, depth, levels);
    sig_valid(in, at);
    const bool plain =
        format.block == 0 && (format.bits == 24 || format.bits == 32 || format.bits == 8);
    const enum step seen =
        plain ? raster_check(in, &state->raster, format.bits / 8, at, end)
              : plausible_check(in, &state->raster.plausible, PLAUSIBLE_SAMPLES_8, 1, at, end);
    if (seen == STEP_WAIT)
        return sig_short(in);
    if (seen == STEP_BAD) {
        sig_valid(in, plain ? raster_right(&state->raster) : state->raster.plausible.at);
        return sig_breaks(in, "the data here do not look like pixels");
    }
    return sig_believe(in, end, "format, sizes and levels give the length");
}

const struct sig sig_dds = {
    .name = "dds",
    .what = "DirectDraw surface",
    .proves = "headers have their lengths; format and sizes are known and give the length; no text "
              "inside",
    .source = "Microsoft, Programming Guide for DDS: DDS_HEADER, DDS_PIXELFORMAT, DDS_HEADER_DXT10",
    .types = (const struct sig_type[]){ { "dds", "dds" }, { 0 } },
    .headers = { SIG_PATTERN("DDS \x7c\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = DDS_HEAD + 1,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct dds_state),
    .check = dds_check,
    .facts = dds_facts,
};
