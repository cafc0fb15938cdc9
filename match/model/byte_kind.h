/* SPDX-License-Identifier: Apache-2.0
 * match/model/byte_kind.h - which bytes are about as frequent as one another on a disk, where
 * media, programs, text and the zeros between lie.
 *
 * Who weighs single bytes (pattern/anchor.c, words_model.c) takes these kinds, and a table of what
 * each is worth there. The tables differ in unit, and by some rounding: anchors add weights in
 * 65536ths and take their logarithm, words need parts that add up to 1. simd_model.h is not of
 * these: it was fitted to a disk, and knows which bytes stand together.
 */
#ifndef BURIN_MATCH_MODEL_BYTE_KIND_H
#define BURIN_MATCH_MODEL_BYTE_KIND_H

#include <stdint.h>

/* From the most frequent to the rarest. */
enum byte_kind {
    BYTE_ZERO,
    BYTE_ONES,   /* 0xff */
    BYTE_COMMON, /* a space, and the letters that texts have most of */
    BYTE_OFTEN,  /* other small letters, small numbers, powers of two */
    BYTE_LOW,    /* the rest of ASCII */
    BYTE_HIGH,
    BYTE_KINDS
};

static inline enum byte_kind byte_kind(uint8_t byte)
{
    static const char common[] = " etaoinsr";

    if (byte == 0)
        return BYTE_ZERO;
    if (byte == 0xff)
        return BYTE_ONES;
    for (uint32_t i = 0; i < sizeof common - 1; i++)
        if (byte == common[i])
            return BYTE_COMMON;
    if ((byte >= 'a' && byte <= 'z') || byte <= 4 || byte == 8 || byte == 0x10 || byte == 0x40 ||
        byte == 0x80)
        return BYTE_OFTEN;
    return byte < 128 ? BYTE_LOW : BYTE_HIGH;
}

#endif
