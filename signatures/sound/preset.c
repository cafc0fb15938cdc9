/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/preset.c - presets of VST instruments (fxp, fxb), of Logic's sampler (exs).
 *
 *   fxp: "CcnK" | u32be bytes behind it | "FxCk", "FPCh" (a preset), "FxBk", "FBCh" (a bank) |
 * u32be 1, 2 | instrument | version | count | ...; FPCh: 28 bytes of name | u32be bytes | data;
 * FBCh: 128 bytes | u32be bytes | data; FxCk: name | count floats exs: parts: u32, whose highest
 * byte is the kind | bytes behind 84 | number | ... | "TBOS" (big-endian: "SOBT") at 16 | 64 bytes
 * of name | data
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    PRESET_HEAD = 28,
    PRESET_NAME = 28,
    PRESET_BANK = 128,
    EXS_PART = 84,
    EXS_KIND = 0x0c, /* at most: head, zone, group, sample, settings */
};

struct exs_state {
    uint64_t at; /* the next part */
    uint32_t parts;
};

static struct sig_result preset_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, PRESET_HEAD);

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint64_t end = 8 + (uint64_t)bytes_u32be(p + 4);
    const uint32_t count = bytes_u32be(p + 24), version = bytes_u32be(p + 12);
    const bool bank = p[9] == 'x' ? p[10] == 'B' : p[9] == 'B', data = p[9] != 'x';
    uint64_t room = PRESET_HEAD + (bank ? PRESET_BANK : PRESET_NAME);
    in->type = &in->sig->types[bank];
    if (version < 1 || version > 2 || end < room)
        return sig_reject("unknown version, or too short");
    if (data) {
        p = sig_bytes(in, room, 4);
        if (p == NULL)
            return sig_short(in);
        if (room + 4 + bytes_u32be(p) != end)
            return sig_reject("the data do not fill the length");
    } else if (!bank && room + 4 * (uint64_t)count != end) {
        return sig_reject("the values do not fill the length");
    } else if (bank && count == 0) {
        return sig_reject("a bank without presets");
    }
    sig_valid(in, room);
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "data or values fill the length");
}

static struct sig_result exs_check(struct sig_input *in, void *memory)
{
    struct exs_state *state = memory;

    while (state->at < in->limit) {
        const uint8_t *p = sig_bytes(in, state->at, EXS_PART);

        if (p == NULL)
            return sig_short(in);
        const bool little = memcmp(p + 16, "TBOS", 4) == 0, big = memcmp(p + 16, "SOBT", 4) == 0;
        const uint32_t kind = little ? bytes_u32le(p) : bytes_u32be(p),
                       bytes = little ? bytes_u32le(p + 4) : bytes_u32be(p + 4);
        /* the head begins the file and is not there again */
        if ((!little && !big) || (kind >> 24 & 0xf) > EXS_KIND ||
            (state->parts > 0 && (kind >> 24 & 0xf) == 0))
            break;
        const uint64_t next = state->at + EXS_PART + bytes;
        if (sig_bytes(in, next - 1, 1) == NULL)
            return sig_short(in);
        state->at = next;
        if (++state->parts > 1)
            sig_valid(in, next);
    }
    if (state->parts < 2)
        return sig_reject("there are too few parts");
    return sig_believe(in, state->at, "parts follow one another, and no other does");
}

const struct sig sig_fxp = {
    .name = "fxp",
    .what = "preset or bank of a VST instrument (fxp, fxb)",
    .proves = "data or values fill the length that the head gives",
    .source = "Steinberg, VST 2.4: vstfxstore.h",
    .types = (const struct sig_type[]){ { "fxp", "fxp" }, { "fxb", "fxb" }, { 0 } },
    .headers = { SIG_MASKED("CcnK????FxCk", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("CcnK????FPCh", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("CcnK????FxBk", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("CcnK????FBCh", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PRESET_HEAD + PRESET_NAME,
    .size_max = UINT64_C(1) << 32,
    .check = preset_check,
};

const struct sig sig_exs = {
    .name = "exs",
    .what = "instrument of Logic's sampler (EXS24)",
    .proves = "parts follow one another; it ends where no other follows",
    .source = "J. Moßgraber, ConvertWithMoss: EXS24 format (EXS24Block)",
    .types = (const struct sig_type[]){ { "exs", "exs" }, { 0 } },
    .headers = { SIG_PATTERN_AT(16, "TBOS"), SIG_PATTERN_AT(16, "SOBT") },
    .size_min = 2 * EXS_PART,
    .size_max = 1 << 28,
    .state_size = sizeof(struct exs_state),
    .check = exs_check,
};
