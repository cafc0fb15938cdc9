/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/lzma.c - LZMA data with the old header of 13 bytes: lzma.
 *
 *   5d (lc 3, lp 0, pb 2) | u32le bytes of the dictionary | u64le plain size, or -1 where an end
 * mark tells it | 00 | range-coded data
 *
 * Nothing tells the packed size. Only decoding does, which needs the dictionary, megabytes of it;
 * so such a file is never called whole: it is followed for as long as its data look packed, to be
 * cut there.
 */
#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

enum {
    LZMA_HEAD = 13,
    LZMA_LOOK = 64,       /* bytes that have to be like packed ones */
    LZMA_KINDS = 24,      /* different ones among them */
    LZMA_PLAIN_MAX = 38,  /* bits of a plain size */
    LZMA_DICTIONARY = 12, /* bits of the smallest dictionary */
    LZMA_DICTIONARY_MAX = 30,
    LZMA_EXPANDS = 1 << 6, /* plain data become longer by a part of so many, at most … */
    LZMA_OVER = 1 << 12,   /* … and by so many bytes, the end mark among them */
};

/* 2^n or 2^n + 2^(n-1): others are not written. */
static bool lzma_dictionary(uint32_t bytes)
{
    for (uint32_t n = LZMA_DICTIONARY; n <= LZMA_DICTIONARY_MAX; n++)
        if (bytes == UINT32_C(1) << n || bytes == UINT32_C(3) << (n - 1))
            return true;
    return false;
}

static struct sig_result lzma_check(struct sig_input *in, void *memory)
{
    struct plausible *plausible = memory;
    const uint8_t *head = sig_bytes(in, 0, LZMA_HEAD + LZMA_LOOK);
    uint32_t kinds = 0;
    uint64_t seen[4] = { 0 };

    if (head == NULL)
        return sig_short(in);
    const uint64_t plain = bytes_u64le(head + 5);
    if (!lzma_dictionary(bytes_u32le(head + 1)))
        return sig_reject("unusual size of the dictionary");
    if (plain != UINT64_MAX && (plain < LZMA_LOOK || plain >> LZMA_PLAIN_MAX != 0))
        return sig_reject("invalid uncompressed size");
    if (head[LZMA_HEAD] != 0)
        return sig_reject("the range coder's first byte is not 0");
    for (uint32_t i = LZMA_HEAD + 1; i < LZMA_HEAD + LZMA_LOOK; i++) {
        const uint64_t bit = UINT64_C(1) << head[i] % 64;

        kinds += (seen[head[i] / 64] & bit) == 0;
        seen[head[i] / 64] |= bit;
    }
    if (kinds < LZMA_KINDS)
        return sig_reject("the data do not look compressed");
    const uint64_t most =
        plain == UINT64_MAX ? in->limit : plain + plain / LZMA_EXPANDS + LZMA_OVER;
    const uint64_t end = most < in->limit ? most : in->limit;
    sig_valid(in, LZMA_HEAD + LZMA_LOOK);
    switch (plausible_check(in, plausible, PLAUSIBLE_COMPRESSED, 1, LZMA_HEAD, end)) {
    case STEP_DONE:
        sig_valid(in, end);
        return sig_breaks(in, "no length; only decoding finds the end, which is before here");
    case STEP_WAIT:
        return sig_short(in);
    default:
        sig_valid(in, plausible->at);
        return sig_breaks(in, "no length; only decoding finds the end; other data begin");
    }
}

const struct sig sig_lzma = {
    .name = "lzma",
    .what = "LZMA data (lzma), of unknown length",
    .proves = "never whole: sizes are valid; the data look compressed as far as the object goes",
    .source = "Igor Pavlov, LZMA specification (2015); XZ Utils 5.4, lzma-file-format.txt",
    .types = (const struct sig_type[]){ { "lzma", "lzma" }, { 0 } },
    .headers = { SIG_MASKED("\x5d\0\0\0\0\0\0\0\0\0\0\0\0\0",
                            "\xff\xff\0\0\x80\0\0\0\0\xc0\xff\xff\xff\xff"),
                 SIG_MASKED("\x5d\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0",
                            "\xff\xff\0\0\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = LZMA_HEAD + LZMA_LOOK,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct plausible),
    .check = lzma_check,
};
