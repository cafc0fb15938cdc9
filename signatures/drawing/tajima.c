/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/tajima.c - DST: patterns of Tajima's embroidery machines.
 *
 *   "LA:" name, 16 characters | CR "ST:" stitches, 7 characters | CR "CO:" colours | ... | 512
 * bytes in all | records of 3 bytes, the lowest two bits of the last one set | 00 00 f3
 */
#include <string.h>

#include "signatures/sig.h"

enum { TAJIMA_HEAD = 512, TAJIMA_RECORD = 3 };

static struct sig_result tajima_check(struct sig_input *in, void *memory)
{
    uint64_t *at = memory;
    const uint8_t *p = sig_bytes(in, 0, TAJIMA_HEAD);

    if (p == NULL)
        return sig_short(in);
    if (memcmp(p + 30, "\rCO:", 4) != 0)
        return sig_reject("no colours in the head");
    if (*at == 0)
        *at = TAJIMA_HEAD;
    sig_valid(in, TAJIMA_HEAD);
    for (;;) {
        p = sig_bytes(in, *at, TAJIMA_RECORD);
        if (p == NULL)
            return sig_short(in);
        if ((p[2] & 3) != 3)
            return sig_breaks(in, "invalid record");
        *at += TAJIMA_RECORD;
        sig_valid(in, *at);
        if (p[0] == 0 && p[1] == 0 && p[2] == 0xf3)
            return sig_complete(in, *at, "records lead to the last one");
    }
}

const struct sig sig_tajima = {
    .name = "dst",
    .what = "DST, pattern of an embroidery machine",
    .proves = "records up to the last one, each with its two bits",
    .source = "EduTechWiki, Embroidery format DST; pyembroidery, DstReader.py",
    .types = (const struct sig_type[]){ { "dst", "dst" }, { 0 } },
    .headers = { SIG_MASKED("LA:\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\rST:",
                            "\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = TAJIMA_HEAD + TAJIMA_RECORD,
    .size_max = 1 << 24,
    .state_size = sizeof(uint64_t),
    .check = tajima_check,
};
