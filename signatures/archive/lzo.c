/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/lzo.c - files of lzop.
 *
 *   "\x89LZO\0\r\n\x1a\n" | u16be version, of the library, needed | method | level | u32be flags |
 * u32be mode | u32be time, low and high | u8 length, name | u32be check of all behind the magic
 * (u32be length | u32be packed length | checks of both | data)* | u32be 0
 *
 * The check of the header is computed. Blocks are walked to the length 0 that ends the file.
 */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    LZO_MAGIC = 9,
    LZO_FIXED = 25, /* bytes behind the magic, up to the length of the name */
    LZO_FILTER = 4,
    LZO_OLD = 0x940, /* the first version with level and high part of the time */
    LZO_BLOCK_MAX = 64 << 20,
};

/* Flags of the header. */
enum {
    LZO_ADLER_DATA = 0x1,
    LZO_ADLER_PACKED = 0x2,
    LZO_EXTRA = 0x40,
    LZO_CRC_DATA = 0x100,
    LZO_CRC_PACKED = 0x200,
    LZO_FILTERED = 0x800,
    LZO_CRC_HEAD = 0x1000,
};

struct lzo_state {
    uint64_t at; /* object offset of the next block; 0: not begun */
    uint32_t flags;
};

/* The header. *why: what is wrong with it. */
static enum step lzo_head(struct sig_input *in, struct lzo_state *state, const char **why)
{
    const uint8_t *p = sig_bytes(in, LZO_MAGIC, LZO_FIXED + LZO_FILTER + 1);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t flags = bytes_u32be(p + 8), method = p[6];
    const uint32_t fixed = LZO_FIXED - 1 + ((flags & LZO_FILTERED) != 0 ? LZO_FILTER : 0);
    const uint32_t all = fixed + 1 + p[fixed];

    *why = "invalid version or method, or no plain file";
    if (bytes_u16be(p) < LZO_OLD || bytes_u16be(p + 4) < LZO_OLD ||
        bytes_u16be(p + 4) > bytes_u16be(p) || method < 1 || method > 3 || p[7] > 9 ||
        (flags & LZO_EXTRA) != 0)
        return STEP_BAD;
    p = sig_bytes(in, LZO_MAGIC, all + 4);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t check =
        (flags & LZO_CRC_HEAD) != 0 ? crc32_gzip_refl(0, p, all) : isal_adler32(1, p, all);
    *why = "the check of the header is wrong";
    if (check != bytes_u32be(p + all))
        return STEP_BAD;
    state->flags = flags;
    state->at = LZO_MAGIC + all + 4;
    return STEP_DONE;
}

static uint32_t lzo_checks(uint32_t flags, bool packed)
{
    uint32_t checks =
        ((flags & LZO_ADLER_DATA) != 0 ? 1u : 0u) + ((flags & LZO_CRC_DATA) != 0 ? 1u : 0u);

    if (packed)
        checks +=
            ((flags & LZO_ADLER_PACKED) != 0 ? 1u : 0u) + ((flags & LZO_CRC_PACKED) != 0 ? 1u : 0u);
    return checks * 4;
}

static struct sig_result lzo_check(struct sig_input *in, void *memory)
{
    struct lzo_state *state = memory;

    if (state->at == 0) {
        const char *why = NULL;
        const enum step step = lzo_head(in, state, &why);

        if (step != STEP_DONE)
            return step == STEP_WAIT ? sig_short(in) : sig_reject(why);
        sig_valid(in, state->at);
    }
    for (;;) {
        const uint8_t *block = sig_bytes(in, state->at, 4);

        if (block == NULL)
            return sig_short(in);
        const uint32_t length = bytes_u32be(block);
        if (length == 0)
            return sig_complete(in, state->at + 4, "the blocks lead to the end mark");
        block = sig_bytes(in, state->at, 8);
        if (block == NULL)
            return sig_short(in);
        const uint32_t packed = bytes_u32be(block + 4);
        if (length > LZO_BLOCK_MAX || packed == 0 || packed > length)
            return sig_breaks(in, "invalid length of a block");
        state->at += 8 + lzo_checks(state->flags, packed < length) + packed;
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
}

const struct sig sig_lzo = {
    .name = "lzo",
    .what = "file packed by lzop",
    .proves = "the check of the header; blocks lead to the end mark; they are not unpacked",
    .source = "lzop 1.04 (M. F. X. J. Oberhumer), src/lzop.c and conf.h",
    .types = (const struct sig_type[]){ { "lzo", "lzo" }, { 0 } },
    .headers = { SIG_PATTERN("\x89LZO\0\r\n\x1a\n") },
    .size_min = LZO_MAGIC + LZO_FIXED + 8,
    .size_max = UINT64_C(1) << 40, /* policy: blocks have no count */
    .state_size = sizeof(struct lzo_state),
    .check = lzo_check,
};
