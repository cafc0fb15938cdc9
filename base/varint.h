/* SPDX-License-Identifier: Apache-2.0
 * base/varint.h - numbers in groups of seven bits, the lowest group first; the top bit of a byte
 * says that another one follows (LEB128).
 */
#ifndef BURIN_BASE_VARINT_H
#define BURIN_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum { VARINT_MAX = 10 }; /* bytes of the longest number */

/* Writes a number, VARINT_MAX bytes at most; returns where it ends. */
static inline uint8_t *varint_put(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

/* The groups of seven bits in the low `len` of these bytes, which end a number; the lowest byte
 * first. */
static inline uint64_t varint_join(uint64_t bytes, unsigned len)
{
    bytes &= UINT64_C(0x7f7f7f7f7f7f7f7f) >> (64 - 8 * len);
    bytes = (bytes & UINT64_C(0x007f007f007f007f)) | (bytes & UINT64_C(0x7f007f007f007f00)) >> 1;
    bytes = (bytes & UINT64_C(0x00003fff00003fff)) | (bytes & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (bytes & UINT64_C(0x0fffffff)) | (bytes & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* Reads the number at *at, which moves behind it. False: it does not end before `end`, or has more
 * than 64 bits. */
static inline bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    if (end - *at >= 8) { /* nearly all end in so many bytes, which are taken together */
        const uint64_t bytes = bytes_u64le(*at);
        const uint64_t last = ~bytes & UINT64_C(0x8080808080808080);

        if (last != 0) {
            const unsigned len = (unsigned)__builtin_ctzll(last) / 8 + 1;

            *value = varint_join(bytes, len);
            *at += len;
            return true;
        }
    }
    *value = 0;
    for (unsigned shift = 0; *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;

        if (shift == 63 && byte > 1)
            return false;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

#endif
