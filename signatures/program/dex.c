/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/dex.c - Android programs: DEX, and ODEX as made from it by Android up to 4.4.
 *
 *   dex: "dex\n035\0" | adler32 of the rest | SHA-1 | u32le file size | header size, byte order |
 * tables | map list odex: "dey\n036\0" | place and size of the dex file inside, of dependencies, of
 * further data | flags, adler32
 */
#include <isa-l/igzip_lib.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    DEX_HEAD = 112,
    DEX_SUMMED = 12, /* the checksum covers the file from here on */
    DEX_ENDIAN = 0x12345678,
    DEX_ODEX_HEAD = 40,
    DEX_TABLES = 6, /* strings, types, prototypes, fields, methods, classes */
};

struct dex_state {
    uint64_t at; /* bytes summed; 0: not begun */
    uint32_t sum;
    bool claimed; /* the file inside */
};

/* Sums object bytes [from, to) and compares. */
static enum step dex_sum(struct sig_input *in, struct dex_state *state, uint64_t from, uint64_t to,
                         uint32_t stored)
{
    if (state->at == 0) {
        state->at = from;
        state->sum = 1;
    }
    while (state->at < to) {
        const uint32_t len =
            to - state->at < SIG_BYTES_MAX ? (uint32_t)(to - state->at) : SIG_BYTES_MAX;
        const uint8_t *p = sig_bytes(in, state->at, len);

        if (p == NULL)
            return STEP_WAIT;
        state->sum = isal_adler32(state->sum, p, len);
        state->at += len;
    }
    return state->sum == stored ? STEP_DONE : STEP_BAD;
}

/* The header of a dex file of size bytes: tables of ids, one behind the other. */
static bool dex_head_ok(const uint8_t *p, uint32_t size)
{
    static const uint8_t widths[DEX_TABLES] = { 4, 4, 12, 8, 8, 32 };

    if (bytes_u32le(p + 36) != DEX_HEAD || bytes_u32le(p + 40) != DEX_ENDIAN || size < DEX_HEAD ||
        bytes_u32le(p + 52) >= size || bytes_u32le(p + 52) % 4 != 0)
        return false;
    for (uint32_t i = 0; i < DEX_TABLES; i++) {
        const uint32_t count = bytes_u32le(p + 56 + i * 8), at = bytes_u32le(p + 60 + i * 8);

        if (count > 0 && (at < DEX_HEAD || at > size || count > (size - at) / widths[i]))
            return false;
    }
    return true;
}

static struct sig_result dex_odex(struct sig_input *in, struct dex_state *state)
{
    const uint8_t *p = sig_bytes(in, 0, DEX_ODEX_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t dex_at = bytes_u32le(p + 8), dex_size = bytes_u32le(p + 12),
                   depends_at = bytes_u32le(p + 16);
    const uint32_t depends_size = bytes_u32le(p + 20), more_at = bytes_u32le(p + 24),
                   more_size = bytes_u32le(p + 28);
    const uint32_t stored = bytes_u32le(p + 36);
    if (dex_at != DEX_ODEX_HEAD || dex_size < DEX_HEAD ||
        (uint64_t)dex_at + dex_size > depends_at || (uint64_t)depends_at + depends_size > more_at)
        return sig_reject("the parts are out of order");
    p = sig_bytes(in, dex_at, DEX_HEAD);
    if (p == NULL)
        return sig_short(in);
    if (memcmp(p, "dex\n03", 6) != 0 || !dex_head_ok(p, dex_size))
        return sig_reject("there is no valid dex file inside");
    if (!state->claimed)
        sig_claim(in, dex_at);
    state->claimed = true;
    sig_valid(in, DEX_ODEX_HEAD + DEX_HEAD);
    const enum step step = dex_sum(in, state, depends_at, (uint64_t)more_at + more_size, stored);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "the checksum is wrong");
    return sig_believe(in, (uint64_t)more_at + more_size,
                       "the checksum of the data behind the program is right");
}

static struct sig_result dex_check(struct sig_input *in, void *memory)
{
    struct dex_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, 8);

    if (p == NULL)
        return sig_short(in);
    if (p[2] == 'y') {
        in->type = &in->sig->types[1];
        return dex_odex(in, state);
    }
    if (p[6] < '5' && p[5] == '3')
        return sig_reject("unknown version");
    p = sig_bytes(in, 0, DEX_HEAD);
    if (p == NULL)
        return sig_short(in);
    const uint32_t stored = bytes_u32le(p + 8), size = bytes_u32le(p + 32);
    if (!dex_head_ok(p, size))
        return sig_reject("invalid header");
    sig_valid(in, DEX_HEAD);
    if (size > in->limit)
        return sig_complete(in, size, "");
    const enum step step = dex_sum(in, state, DEX_SUMMED, size, stored);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "the checksum is wrong");
    return sig_complete(in, size, "the checksum is right");
}

const struct sig sig_dex = {
    .name = "dex",
    .what = "Android program (DEX, ODEX)",
    .proves = "header reads; the Adler-32 of the file, or of the data behind the program, is right",
    .source = "Android Open Source Project, Dalvik Executable format; dalvik/libdex/DexFile.h: "
              "DexOptHeader",
    .types = (const struct sig_type[]){ { "dex", "dex" }, { "odex", "odex" }, { 0 } },
    .headers = { SIG_MASKED("dex\n030\0", "\xff\xff\xff\xff\xff\xfc\xf0\xff"),
                 SIG_PATTERN("dey\n035\0"), SIG_PATTERN("dey\n036\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CLAIMS,
    .size_min = DEX_HEAD,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct dex_state),
    .check = dex_check,
};
