/* SPDX-License-Identifier: Apache-2.0
 * base/decimal.h - numbers in decimal digits, several times as fast as printf writes them. */
#ifndef BURIN_BASE_DECIMAL_H
#define BURIN_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_MAX = 20 }; /* characters of the longest: 2^64 - 1, or -2^63 with its sign */

/* Puts value, with a sign when it is negative, at the end of text; returns where it begins there.
 * No NUL follows it. */
static inline size_t decimal_put(char text[DECIMAL_MAX], uint64_t value, bool negative)
{
    size_t at = DECIMAL_MAX;

    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    if (negative)
        text[--at] = '-';
    return at;
}

/* The same for a signed number. */
static inline size_t decimal_put_int(char text[DECIMAL_MAX], int64_t value)
{
    return decimal_put(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

#endif
