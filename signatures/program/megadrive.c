/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/megadrive.c - programs of the Mega Drive (Genesis).
 *
 *   0x100: "SEGA ..." | 0x18e: u16be, the sum of the words from 0x200 on | 0x1a0: u32be 0, u32be
 * place of the last byte | 0x1a8: u32be first and last place of the memory
 */
#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum { MEGADRIVE_HEAD = 0x200, MEGADRIVE_NAMES = 0x110, MEGADRIVE_SUM = 0x18e };

struct megadrive_state {
    uint64_t at; /* the next word; 0: not begun */
    uint16_t sum;
};

static struct sig_result megadrive_check(struct sig_input *in, void *memory)
{
    struct megadrive_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MEGADRIVE_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t size = (uint64_t)bytes_u32be(p + 0x1a4) + 1;
    const uint16_t told = bytes_u16be(p + MEGADRIVE_SUM);
    const uint32_t begin = bytes_u32be(p + 4);
    if (bytes_u32be(p + 0x1a0) != 0 || size % 512 != 0 || size <= MEGADRIVE_HEAD ||
        size > in->sig->size_max || begin >= size || begin % 2 != 0 ||
        bytes_u32be(p + 0x1a8) >> 16 != 0xff || !text_is_printable(p + MEGADRIVE_NAMES, 16))
        return sig_reject("places do not agree");
    sig_valid(in, MEGADRIVE_HEAD);
    if (state->at == 0)
        state->at = MEGADRIVE_HEAD;
    while (state->at < size) {
        p = sig_bytes(in, state->at, 512);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < 512; i += 2)
            state->sum = (uint16_t)(state->sum + bytes_u16be(p + i));
        state->at += 512;
    }
    if (state->sum == told)
        return sig_complete(in, size, "the sum of all words");
    return sig_believe(in, size, "the header gives the length; the sum of all words is another");
}

const struct sig sig_megadrive = {
    .name = "megadrive",
    .what = "program of the Mega Drive (Genesis)",
    .proves =
        "places in the header agree and give the length; where it is right, the sum of all words",
    .source = "Sega, Genesis Technical Overview; Plutiedev, ROM header reference",
    .types = (const struct sig_type[]){ { "megadrive", "md" }, { 0 } },
    .headers = { SIG_PATTERN_AT(0x100, "SEGA MEGA DRIVE "),
                 SIG_PATTERN_AT(0x100, "SEGA GENESIS    ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 2 * MEGADRIVE_HEAD,
    .size_max = 4 << 20,
    .state_size = sizeof(struct megadrive_state),
    .check = megadrive_check,
};
