/* SPDX-License-Identifier: Apache-2.0
 * base/hex.h - hexadecimal digits. */
#ifndef BURIN_BASE_HEX_H
#define BURIN_BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

/* The value of a hexadecimal digit of either case, 0..15; -1 when c is not one. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Writes two small digits for each of len bytes: 2 * len characters, and no NUL. */
static inline void hex_bytes(const uint8_t *bytes, size_t len, char *out)
{
    for (size_t i = 0; i < len; i++) {
        out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
}

/* Writes a number in 16 small digits, and no NUL; returns where they end. */
static inline char *hex_number(uint64_t value, char *out)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        *out++ = "0123456789abcdef"[value >> shift & 15];
    return out;
}

#endif
