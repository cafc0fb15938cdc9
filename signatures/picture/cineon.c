/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/cineon.c - Cineon: frames of scanned film.
 *
 *   u32 80 2a 5f d7, in either byte order | u32 place of the pixels | u32 1024, 1024, bytes of the
 * user's head | u32 bytes of the file | "V" version ... | at 193 channels | of each 28 bytes: 2,
 * bits of a pixel, 0, u32 width, u32 height
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { CINEON_HEAD = 1024, CINEON_CHANNELS = 193, CINEON_CHANNEL = 196, CINEON_SIDE_MAX = 1 << 16 };

static uint32_t cineon_u32(const uint8_t *p, bool little)
{
    return little ? bytes_u32le(p) : bytes_u32be(p);
}

static struct sig_result cineon_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, CINEON_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const bool little = p[0] == 0xd7;
    const uint64_t place = cineon_u32(p + 4, little), size = cineon_u32(p + 20, little),
                   user = cineon_u32(p + 16, little), channels = p[CINEON_CHANNELS],
                   width = cineon_u32(p + CINEON_CHANNEL + 4, little),
                   height = cineon_u32(p + CINEON_CHANNEL + 8, little),
                   bits = p[CINEON_CHANNEL + 2];
    if (cineon_u32(p + 8, little) != CINEON_HEAD || place < CINEON_HEAD || user > size ||
        channels == 0 || channels > 8 || bits == 0 || bits > 32 || width == 0 || height == 0 ||
        width > CINEON_SIDE_MAX || height > CINEON_SIDE_MAX)
        return sig_reject("invalid head");
    if (size < place + width * height * channels * bits / 8)
        return sig_reject("the pixels do not fit into the length");
    sig_valid(in, CINEON_HEAD);
    return sig_believe(in, size, "the head gives the length, which the pixels fit into");
}

const struct sig sig_cineon = {
    .name = "cin",
    .what = "Cineon, frame of a scanned film",
    .proves = "width, height and depth fit into the length that the head gives",
    .source = "Kodak, Cineon Digital Film Image File Format 4.5; ANSI/SMPTE 268M",
    .types = (const struct sig_type[]){ { "cin", "cin" }, { 0 } },
    .headers = { SIG_PATTERN("\x80\x2a\x5f\xd7\0\0"),
                 SIG_MASKED("\xd7\x5f\x2a\x80\0\0\0\0", "\xff\xff\xff\xff\0\0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = CINEON_HEAD + 1,
    .size_max = UINT32_MAX,
    .check = cineon_check,
};
