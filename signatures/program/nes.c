/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/nes.c - programs of the Nintendo Entertainment System: cartridges (iNES, NES
 * 2.0), and disks (FDS).
 *
 *   iNES: "NES" 0x1a | units of 16 KiB of program | units of 8 KiB of pictures | flags; 4: a
 * trainer of 512 bytes comes first | ... The program ends with three places; the second one, where
 * it begins, is 0x8000 or above.
 *
 *   FDS: "FDS" 0x1a | sides | 11 zeros | sides of 65500 bytes, each begins with 1 "*NINTENDO-HVC*"
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    NES_HEAD = 16,
    NES_TRAINER = 512,
    NES_PROGRAM = 16 << 10,
    NES_PICTURES = 8 << 10,
    NES_BIG = 0xf00, /* from here on sizes of NES 2.0 are powers */
    FDS_SIDE = 65500,
    FDS_SIDES_MAX = 16,
};

static struct sig_result nes_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, NES_HEAD);
    uint64_t program, pictures;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const bool second = (p[7] & 0x0c) == 8;
    program = p[4] | (second ? (p[9] & 0xfu) << 8 : 0u);
    pictures = p[5] | (second ? (p[9] & 0xf0u) << 4 : 0u);
    /* What an iNES header has no use for is zero, but for the names of some programs. */
    if (program == 0 || program >= NES_BIG || pictures >= NES_BIG ||
        (!second && (p[7] & 0x0c) != 0) || (!second && p[9] > 1))
        return sig_reject("invalid sizes");
    const uint64_t last =
        NES_HEAD + ((p[6] & 4) != 0 ? (uint64_t)NES_TRAINER : 0) + program * NES_PROGRAM;
    p = sig_bytes(in, last - 6, 6);
    if (p == NULL)
        return sig_short(in);
    if (bytes_u16le(p + 2) < 0x8000)
        return sig_reject("the program does not end with places in it");
    sig_valid(in, last);
    return sig_believe(in, last + pictures * NES_PICTURES, "program and pictures have their sizes");
}

static struct sig_result fds_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, NES_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t sides = p[4];
    if (sides == 0 || sides > FDS_SIDES_MAX)
        return sig_reject("invalid number of sides");
    for (uint32_t i = 0; i < sides; i++) {
        p = sig_bytes(in, NES_HEAD + (uint64_t)i * FDS_SIDE, 15);
        if (p == NULL)
            return sig_short(in);
        if (memcmp(p, "\1*NINTENDO-HVC*", 15) != 0)
            return i == 0 ? sig_reject("a side does not begin as it must")
                          : sig_breaks(in, "a side does not begin as it must");
        sig_valid(in, NES_HEAD + (uint64_t)i * FDS_SIDE + 15);
    }
    return sig_believe(in, NES_HEAD + (uint64_t)sides * FDS_SIDE, "sides begin where they must");
}

const struct sig sig_nes = {
    .name = "nes",
    .what = "program of the NES (iNES, NES 2.0)",
    .proves =
        "sizes in the header give the length; the program ends with the place where it begins",
    .source = "NESdev Wiki, iNES; NES 2.0; CPU memory map",
    .types = (const struct sig_type[]){ { "nes", "nes" }, { 0 } },
    .headers = { SIG_PATTERN("NES\x1a") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = NES_HEAD + NES_PROGRAM,
    .size_max = 1 << 27,
    .check = nes_check,
};

const struct sig sig_fds = {
    .name = "fds",
    .what = "disk of the Famicom",
    .proves = "every side begins with its mark, where the number of sides says",
    .source = "NESdev Wiki, FDS file format; FDS disk format",
    .types = (const struct sig_type[]){ { "fds", "fds" }, { 0 } },
    .headers = { SIG_MASKED("FDS\x1a\0\0\0\0\0\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\xf0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = NES_HEAD + FDS_SIDE,
    .size_max = NES_HEAD + FDS_SIDES_MAX * FDS_SIDE,
    .check = fds_check,
};
