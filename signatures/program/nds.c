/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/nds.c - programs of the Nintendo DS.
 *
 *   0x14: the chip has 128 KiB * 2^n | 0x20: programs, each u32le place, entry, memory, bytes |
 * 0x40: names, u32le place, bytes | 0x48: places of files | 0x80: u32le bytes in use | 0xc0: a
 * picture | 0x15c: its CRC-16, 0xcf56 | 0x15e: the CRC-16 of the bytes before
 *
 * A file is as long as the chip, filled up with 0xff, or ends where its use ends.
 */
#include "base/bytes.h"
#include "signatures/lib/crc16_low.h"
#include "signatures/sig.h"

enum { NDS_HEAD = 0x160, NDS_CRC_AT = 0x15e, NDS_PICTURE_CRC = 0xcf56, NDS_CHIP = 128 << 10 };

struct nds_state {
    uint64_t at; /* what lies behind the use is looked at from here on; 0: not begun */
};

static struct sig_result nds_check(struct sig_input *in, void *memory)
{
    struct nds_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, NDS_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t used = bytes_u32le(p + 0x80), chip = (uint64_t)NDS_CHIP << (p[0x14] & 15);
    if (bytes_u16le(p + 0x15c) != NDS_PICTURE_CRC ||
        crc16_low(0xffff, p, NDS_CRC_AT) != bytes_u16le(p + NDS_CRC_AT))
        return sig_reject("wrong CRC of the header");
    if (used < NDS_HEAD || used > chip || p[0x14] > 12)
        return sig_reject("more bytes in use than the chip has");
    for (uint32_t at = 0x20; at <= 0x48; at += at < 0x40 ? 16 : 8) {
        const uint64_t place = bytes_u32le(p + at),
                       len = bytes_u32le(p + at + (at < 0x40 ? 12 : 4));

        if (place > used || len > used - place)
            return sig_reject("a part lies outside");
    }
    sig_valid(in, NDS_HEAD);
    if (state->at == 0)
        state->at = used;
    while (state->at < chip && in->limit >= chip) {
        uint32_t len, i = 0;

        p = sig_span_to(in, state->at, chip, &len);
        if (p == NULL)
            return sig_short(in);
        while (i < len && p[i] == 0xff)
            i++;
        if (i < len)
            break;
        state->at += len;
    }
    return sig_believe(in, state->at == chip ? chip : used, "the header gives the length");
}

const struct sig sig_nds = {
    .name = "nds",
    .what = "program of the Nintendo DS",
    .proves = "the CRC-16 of the header, which gives the length; parts lie inside",
    .source = "M. Korth, GBATEK: DS Cartridge Header",
    .types = (const struct sig_type[]){ { "nds", "nds" }, { 0 } },
    .headers = { SIG_PATTERN_AT(0xc0, "\x24\xff\xae\x51\x69\x9a\xa2\x21"
                                      "\x3d\x84\x82\x0a\x84\xe4\x09\xad") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = NDS_HEAD,
    .size_max = UINT64_C(1) << 29,
    .state_size = sizeof(struct nds_state),
    .check = nds_check,
};
