/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/compress.c - files packed by Unix compress: Z.
 *
 *   1f 9d | most bits of a code, 9 to 16; 0x80: code 256 empties the table | codes, the least
 * significant bit first
 *
 * Codes begin with 9 bits. When the table has 2^bits entries they get one bit more; codes of one
 * width come in groups of eight, and a group that is left early, by a wider code or by code 256, is
 * filled up with bits of any value.
 *
 * There is no length, no end mark and no checksum. As long as the table grows, a code must be one
 * of it, which other data soon are not; once it is full every code is one. So the end is known only
 * where zeros fill the rest of the sector: three codes of 0 are never written one behind the other,
 * since the first two make a string with a code of its own. Anything else is said to break.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/sig.h"

enum {
    COMPRESS_HEAD = 3,
    COMPRESS_FIRST_BITS = 9,
    COMPRESS_LAST_BITS = 16,
    COMPRESS_CLEAR = 256,
    COMPRESS_GROUP = 8, /* codes; a group of them is as many bytes long as a code has bits */
    COMPRESS_SURE = 96, /* codes that are right by chance once in 2^60 or so */
    COMPRESS_ZERO_CODES = 3,
};

struct compress_state {
    uint64_t at; /* object offset of the group being read; 0: not begun */
    uint64_t codes;
    uint32_t bits, next; /* of the codes; the next free one */
    uint32_t zeros;      /* codes of 0 just before `at` */
    uint64_t end;        /* behind the last code that is not 0 */
    bool cleared;        /* nothing has been put in the table since it was emptied */
};

/* Not enum step: all bytes are at hand, and a good code may change the size of the next, or end. */
enum compress_step { COMPRESS_GOOD, COMPRESS_CHANGED, COMPRESS_ENDED, COMPRESS_BAD };

/* One code; where: object offset behind it. CHANGED: the rest of the group is filling. */
static enum compress_step compress_code(struct compress_state *state, uint32_t code, uint64_t where,
                                        bool clears, uint32_t most)
{
    const uint32_t first = clears ? COMPRESS_CLEAR + 1 : COMPRESS_CLEAR;

    if (code == 0 && ++state->zeros == COMPRESS_ZERO_CODES)
        return COMPRESS_ENDED;
    if (code == COMPRESS_CLEAR && clears) {
        if (state->cleared)
            return COMPRESS_BAD;
        state->bits = COMPRESS_FIRST_BITS;
        state->next = first;
        state->cleared = true;
        state->end = where;
        state->zeros = 0;
        return COMPRESS_CHANGED;
    }
    /* The first code stands for a byte; any other may also be the one that it makes. */
    if (state->cleared ? code > 255 : code > state->next)
        return COMPRESS_BAD;
    if (code != 0) {
        state->zeros = 0;
        state->end = where;
    }
    state->codes++;
    if (state->cleared)
        state->cleared = false;
    else if (state->next < UINT32_C(1) << most)
        state->next++;
    /* The writer makes its entry a code earlier than the reader, who can make it only now. */
    if (state->next == UINT32_C(1) << state->bits && state->bits < most) {
        state->bits++;
        return COMPRESS_CHANGED;
    }
    return COMPRESS_GOOD;
}

static enum compress_step compress_group(struct compress_state *state, const uint8_t *group,
                                         uint32_t len, bool clears, uint32_t most)
{
    const uint32_t bits = state->bits;

    for (uint32_t i = 0; i < COMPRESS_GROUP; i++) {
        const uint32_t bit = i * bits, byte = bit / 8;
        uint32_t window = 0;

        if ((bit + bits + 7) / 8 > len)
            return COMPRESS_ENDED;
        for (uint32_t k = 0; k < 3 && byte + k < len; k++)
            window |= (uint32_t)group[byte + k] << 8 * k;
        const uint32_t code = window >> bit % 8 & ((UINT32_C(1) << bits) - 1);
        const enum compress_step step =
            compress_code(state, code, state->at + (bit + bits + 7) / 8, clears, most);
        if (step != COMPRESS_GOOD)
            return step;
    }
    return COMPRESS_GOOD;
}

/* Codes of 0 begin behind state->end: the end, when only zeros stand there up to the sector's. */
static struct sig_result compress_end(struct sig_input *in, const struct compress_state *state,
                                      uint32_t most)
{
    const uint64_t sector = (state->end + LIMIT_SECTOR - 1) / LIMIT_SECTOR * LIMIT_SECTOR;
    const uint64_t to = sector < in->limit ? sector : in->limit;
    const uint8_t *rest =
        to > state->end ? sig_bytes(in, state->end, (uint32_t)(to - state->end)) : NULL;

    sig_valid(in, state->end);
    if (rest == NULL && to > state->end)
        return sig_short(in);
    for (uint64_t i = state->end; i < to; i++)
        if (rest[i - state->end] != 0)
            return sig_breaks(in, "no length or end mark: other data follow the codes");
    if (state->next == UINT32_C(1) << most)
        return sig_breaks(in, "no length or end mark: in the full table every code is valid");
    return sig_believe(in, state->end, "codes lead to zeros that fill the sector");
}

static struct sig_result compress_check(struct sig_input *in, void *memory)
{
    struct compress_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, COMPRESS_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t most = head[2] & 0x1f;
    const bool clears = (head[2] & 0x80) != 0;
    if (most < COMPRESS_FIRST_BITS || most > COMPRESS_LAST_BITS || (head[2] & 0x60) != 0)
        return sig_reject("unknown width of the codes");
    if (state->at == 0)
        *state = (struct compress_state){ .at = COMPRESS_HEAD,
                                          .bits = COMPRESS_FIRST_BITS,
                                          .next = clears ? COMPRESS_CLEAR + 1 : COMPRESS_CLEAR,
                                          .end = COMPRESS_HEAD,
                                          .cleared = true };
    for (;;) {
        const uint64_t left = in->limit - state->at;
        const uint32_t bits = state->bits, len = left < bits ? (uint32_t)left : bits;
        const uint8_t *group = len == 0 ? NULL : sig_bytes(in, state->at, len);

        if (group == NULL && len > 0)
            return sig_short(in);
        struct compress_state after = *state;
        const enum compress_step step =
            group == NULL ? COMPRESS_ENDED : compress_group(&after, group, len, clears, most);
        if (step == COMPRESS_BAD && after.codes < COMPRESS_SURE)
            return sig_reject("a code is not in the table");
        if (step == COMPRESS_ENDED && after.codes < COMPRESS_FIRST_BITS)
            return sig_reject("there are no codes");
        if (after.codes >= COMPRESS_SURE)
            sig_valid(in, after.end);
        if (step == COMPRESS_BAD)
            return sig_breaks(in, "no length or end mark: a code is not in the table");
        if (step ==
            COMPRESS_ENDED) /* it may ask for more bytes, and then this group is read again */
            return compress_end(in, &after, most);
        after.at += bits;
        *state = after;
    }
}

const struct sig sig_compress = {
    .name = "z",
    .what = "file packed by Unix compress (Z)",
    .proves = "every code is in the table at its time; zeros up to the end of the sector behind "
              "the last one",
    .source = "IEEE Std 1003.1-2017, compress; ncompress 4.2.4, compress42.c",
    .types = (const struct sig_type[]){ { "z", "z" }, { 0 } },
    .headers = { SIG_MASKED("\x1f\x9d\x88", "\xff\xff\xe8"),
                 SIG_MASKED("\x1f\x9d\x90", "\xff\xff\xff"),
                 SIG_MASKED("\x1f\x9d\x08", "\xff\xff\xe8"),
                 SIG_MASKED("\x1f\x9d\x10", "\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = COMPRESS_HEAD + 9,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct compress_state),
    .check = compress_check,
};
