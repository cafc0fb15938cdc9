/* SPDX-License-Identifier: Apache-2.0
 * base/varint.h - numbers in groups of seven bits, the lowest group first; the top bit of a byte
 * says that another one follows (LEB128).
 */
#ifndef BURIN_BASE_VARINT_H
#define BURIN_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

enum { VARINT_MAX = 10 }; /* bytes of the longest number */

/* Writes a number, VARINT_MAX bytes at most; returns where it ends. */
static inline uint8_t *varint_put(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

/* Reads the number at *at, which moves behind it. False: it does not end before `end`, or has more
 * than 64 bits. */
static inline bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
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
