/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/gameboy.c - programs of the Game Boy.
 *
 *   0x104: a picture of 48 bytes | 0x134: title | 0x148: bytes, 32 KiB * 2^n | 0x14d: the check
 * byte of 0x134 to 0x14c | 0x14e: u16be, the sum of all other bytes
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { GAMEBOY_HEAD = 0x150, GAMEBOY_TITLE = 0x134, GAMEBOY_SUM = 0x14e, GAMEBOY_UNIT = 32 << 10 };

struct gameboy_state {
    uint64_t at;
    uint16_t sum; /* of the bytes before it */
};

static struct sig_result gameboy_check(struct sig_input *in, void *memory)
{
    struct gameboy_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, GAMEBOY_HEAD);
    uint8_t check = 0;

    if (p == NULL)
        return sig_short(in);
    for (uint32_t i = GAMEBOY_TITLE; i < 0x14d; i++)
        check = (uint8_t)(check - p[i] - 1);
    if (check != p[0x14d] || p[0x148] > 8)
        return sig_reject("wrong check byte of the header");
    const uint64_t size = (uint64_t)GAMEBOY_UNIT << p[0x148];
    const uint16_t told = bytes_u16be(p + GAMEBOY_SUM),
                   left_out = (uint16_t)(p[GAMEBOY_SUM] + p[GAMEBOY_SUM + 1]);
    sig_valid(in, GAMEBOY_HEAD);
    while (state->at < size) {
        uint32_t len;

        p = sig_span_to(in, state->at, size, &len);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < len; i++)
            state->sum = (uint16_t)(state->sum + p[i]);
        state->at += len;
    }
    if ((uint16_t)(state->sum - left_out) == told)
        return sig_complete(in, size, "the sum of all bytes");
    return sig_believe(in, size, "the header gives the length; the sum of all bytes is another");
}

const struct sig sig_gameboy = {
    .name = "gb",
    .what = "program of the Game Boy",
    .proves =
        "the check byte of the header, which gives the length; where it is right, the sum of all "
        "bytes",
    .source = "gbdev, Pan Docs: The Cartridge Header",
    .types = (const struct sig_type[]){ { "gb", "gb" }, { 0 } },
    .headers = { SIG_PATTERN_AT(
        0x104, "\xce\xed\x66\x66\xcc\x0d\x00\x0b\x03\x73\x00\x83\x00\x0c\x00\x0d"
               "\x00\x08\x11\x1f\x88\x89\x00\x0e\xdc\xcc\x6e\xe6\xdd\xdd\xd9\x99") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = GAMEBOY_UNIT,
    .size_max = GAMEBOY_UNIT << 8,
    .state_size = sizeof(struct gameboy_state),
    .check = gameboy_check,
};
