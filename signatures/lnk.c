/*
 * signatures/lnk.c - Windows shortcuts.
 *
 *   76 bytes of header | list of item identifiers | link info | up to five strings, each counted | extra blocks: u32le size, u32le signature
 *   the terminal block: u32le below 4
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"
#include "signatures/step.h"

enum {
    LNK_HEAD = 76,
    LNK_HAS_LIST = 1,
    LNK_HAS_INFO = 2,
    LNK_FIRST_STRING = 2, /* bit number */
    LNK_STRINGS = 5,
    LNK_UNICODE = 0x80,
    LNK_NO_INFO = 0x100,
    LNK_BLOCKS_MAX = 64,
    LNK_BLOCK_MAX = 1 << 20,
    LNK_TERMINAL = 4,
};

/* Items fill the list, whose last one is two zeros. */
static enum step lnk_list(struct sig_input *in, uint64_t *at)
{
    const uint8_t *p = sig_bytes(in, *at, 2);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t end = *at + 2 + bytes_u16le(p);
    for (*at += 2; *at + 2 <= end;) {
        p = sig_bytes(in, *at, 2);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t len = bytes_u16le(p);
        if (len == 0) {
            *at += 2;
            return *at == end ? STEP_DONE : STEP_BAD;
        }
        if (len < 3)
            return STEP_BAD;
        *at += len;
    }
    return STEP_BAD;
}

static enum step lnk_info(struct sig_input *in, uint64_t *at)
{
    const uint8_t *p = sig_bytes(in, *at, 28);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t size = bytes_u32le(p), head = bytes_u32le(p + 4), flags = bytes_u32le(p + 8);
    if (head < 28 || head > 64 || size < head || size > LNK_BLOCK_MAX || flags > 3)
        return STEP_BAD;
    for (uint32_t i = 12; i < 28; i += 4)
        if (bytes_u32le(p + i) >= size)
            return STEP_BAD;
    *at += size;
    return STEP_DONE;
}

static enum step lnk_strings(struct sig_input *in, uint32_t flags, uint64_t *at)
{
    for (uint32_t i = 0; i < LNK_STRINGS; i++) {
        if ((flags >> (LNK_FIRST_STRING + i) & 1) == 0)
            continue;
        const uint8_t *p = sig_bytes(in, *at, 2);
        if (p == NULL)
            return STEP_WAIT;
        *at += 2 + (uint64_t)bytes_u16le(p) * ((flags & LNK_UNICODE) != 0 ? 2 : 1);
    }
    return STEP_DONE;
}

static enum step lnk_blocks(struct sig_input *in, uint64_t *at)
{
    for (uint32_t i = 0; i < LNK_BLOCKS_MAX; i++) {
        const uint8_t *p = sig_bytes(in, *at, 4);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t size = bytes_u32le(p);
        if (size < LNK_TERMINAL) {
            *at += 4;
            return STEP_DONE;
        }
        if (size < 8 || size > LNK_BLOCK_MAX)
            return STEP_BAD;
        p = sig_bytes(in, *at, 8);
        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u32le(p + 4) >> 8 != 0xa00000 || p[4] == 0)
            return STEP_BAD;
        *at += size;
        sig_valid(in, *at);
    }
    return STEP_BAD;
}

static struct sig_result lnk_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, LNK_HEAD);
    uint64_t at = LNK_HEAD;
    enum step step = STEP_DONE;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t flags = bytes_u32le(p + 20), show = bytes_u32le(p + 60);
    if ((flags & 0xf8000000) != 0 || show > 11 || bytes_u16le(p + 66) != 0 || bytes_u32le(p + 68) != 0)
        return sig_reject("flags or reserved fields that cannot be");
    if (flags & LNK_HAS_LIST)
        step = lnk_list(in, &at);
    if (step == STEP_DONE && (flags & LNK_HAS_INFO) != 0 && (flags & LNK_NO_INFO) == 0)
        step = lnk_info(in, &at);
    if (step == STEP_DONE)
        step = lnk_strings(in, flags, &at);
    if (step == STEP_DONE)
        step = lnk_blocks(in, &at);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "a part that cannot be");
    return sig_complete(in, at, "every part to the terminal block");
}

const struct sig sig_lnk = {
    .name = "lnk",
    .what = "Windows shortcut",
    .source = "Microsoft, MS-SHLLINK, 2",
    .types = (const struct sig_type[]){ { "lnk", "lnk" }, { 0 } },
    .headers = { SIG_PATTERN("\x4c\0\0\0\x01\x14\x02\0\0\0\0\0\xc0\0\0\0\0\0\0\x46") },
    .size_min = LNK_HEAD + LNK_TERMINAL,
    .size_max = 16 << 20,
    .check = lnk_check,
};
