/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/raf.c - RAF, raw pictures of Fujifilm.
 *
 *   "FUJIFILMCCD-RAW " | version | camera | name | at 0x54 u32be places and bytes of: a JPEG | the
 * picture's description | the picture
 *
 * The parts follow one another; the last one ends the file. The JPEG begins as one.
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum { RAF_PARTS = 0x54, RAF_HEAD = RAF_PARTS + 24, RAF_GAP_MAX = 1 << 16 };

static struct sig_result raf_check(struct sig_input *in, void *memory)
{
    uint64_t place[3], bytes[3], end = RAF_HEAD;
    const uint8_t *p = sig_bytes(in, 0, RAF_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    for (uint32_t i = 0; i < 4; i++)
        if (p[16 + i] < '0' || p[16 + i] > '9')
            return sig_reject("invalid version");
    for (uint32_t i = 0; i < 3; i++) {
        place[i] = bytes_u32be(p + RAF_PARTS + 8 * i);
        bytes[i] = bytes_u32be(p + RAF_PARTS + 8 * i + 4);
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (bytes[i] < 4 || place[i] < end || place[i] - end > RAF_GAP_MAX)
            return sig_reject("the parts do not follow one another");
        end = place[i] + bytes[i];
    }
    sig_valid(in, RAF_HEAD);
    p = sig_bytes(in, place[0], 3);
    if (p == NULL)
        return sig_short(in);
    if (p[0] != 0xff || p[1] != 0xd8 || p[2] != 0xff)
        return sig_breaks(in, "there is no JPEG where the header points");
    return sig_believe(in, end, "the parts lead to the end of the picture");
}

const struct sig sig_raf = {
    .name = "raf",
    .what = "RAF, raw picture of Fujifilm",
    .proves = "JPEG, description and picture follow one another to the end; pixels are not read",
    .source = "LibRaw, src/metadata/identify.cpp and fuji.cpp; ExifTool, FujiFilm RAF tags",
    .types = (const struct sig_type[]){ { "raf", "raf" }, { 0 } },
    .headers = { SIG_PATTERN("FUJIFILMCCD-RAW ") },
    .flags = SIG_CONTAINER,
    .size_min = RAF_HEAD + 12,
    .size_max = UINT64_C(1) << 32,
    .check = raf_check,
};
