/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/rhino.c - 3DM: models of Rhinoceros (openNURBS).
 *
 *   "3D Geometry File Format " | version, 8 characters | chunks: u32le kind | u32le length, from
 * version 50 on u64le | data
 *
 * A kind with its highest bit set has no data: what stands for the length is its value. The last
 * chunk holds the length of the file.
 */
#include "base/bytes.h"
#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum { RHINO_HEAD = 32, RHINO_VERSION = 24, RHINO_COMMENT = 1, RHINO_WIDE = 50 };
#define RHINO_SHORT 0x80000000u
#define RHINO_END 0x00007fffu
#define RHINO_TABLE 0x10000000u
#define RHINO_SIZE_MAX (UINT64_C(1) << 40)

struct rhino_state {
    uint64_t at; /* the next chunk; 0: not begun */
};

/* The version: a number behind blanks. 0: it is none. */
static uint32_t rhino_version(const uint8_t *p)
{
    uint32_t version = 0, i = 0;

    while (i < 8 && p[i] == ' ')
        i++;
    for (; i < 8; i++) {
        if (!chars_is_digit(p[i]))
            return 0;
        version = version * 10 + (p[i] - '0');
    }
    return version <= 1000 ? version : 0;
}

static struct sig_result rhino_check(struct sig_input *in, void *memory)
{
    struct rhino_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, RHINO_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t version = rhino_version(p + RHINO_VERSION);
    if (version == 0)
        return sig_reject("invalid version");
    const uint32_t width = version >= RHINO_WIDE ? 8 : 4;
    if (state->at == 0)
        state->at = RHINO_HEAD;
    for (;;) {
        p = sig_bytes(in, state->at, 4 + width);
        if (p == NULL)
            return sig_short(in);
        const uint32_t kind = bytes_u32le(p);
        const uint64_t length = width == 8 ? bytes_u64le(p + 4) : bytes_u32le(p + 4);
        const uint64_t data = state->at + 4 + width;
        /* A comment comes first, then tables, with their bit set. */
        if (state->at == RHINO_HEAD ? kind != RHINO_COMMENT
                                    : kind != RHINO_END && (kind & 0x7fff0000) == 0)
            return sig_breaks(in, "unknown kind of chunk");
        if ((kind & RHINO_SHORT) == 0 && length > RHINO_SIZE_MAX)
            return sig_breaks(in, "invalid length of a chunk");
        if (kind == RHINO_END && length == width) {
            p = sig_bytes(in, data, width);
            if (p == NULL)
                return sig_short(in);
            if ((width == 8 ? bytes_u64le(p) : bytes_u32le(p)) != data + width)
                return sig_breaks(in, "the last chunk tells another length");
            return sig_complete(in, data + width,
                                "chunks lead to the last, which tells the length");
        }
        sig_valid(in, state->at);
        state->at = data + ((kind & RHINO_SHORT) != 0 ? 0 : length);
    }
}

const struct sig sig_rhino = {
    .name = "3dm",
    .what = "3DM, models of Rhinoceros",
    .proves = "chunks follow one another up to the last, which tells the length",
    .source = "openNURBS, opennurbs_archive.cpp, opennurbs_3dm.h",
    .types = (const struct sig_type[]){ { "3dm", "3dm" }, { 0 } },
    .headers = { SIG_PATTERN("3D Geometry File Format ") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = RHINO_HEAD + 24,
    .size_max = RHINO_SIZE_MAX,
    .state_size = sizeof(struct rhino_state),
    .check = rhino_check,
};
