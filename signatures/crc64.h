/* SPDX-License-Identifier: Apache-2.0
 * signatures/crc64.h - the CRC-64 of XZ files (ECMA-182, reflected), and how to compute the CRC of
 * a text from the CRCs of its parts.
 *
 * The CRC of "123456789" is 0x995dc9bbdf1939fa; the CRC of an empty text is 0. A CRC is linear. So
 * the CRC of a whole text follows from the CRCs of its beginning and its end, and the CRC of the
 * end follows from those of the whole and of the beginning, without the bytes. Each takes some ten
 * multiplications of polynomials over GF(2), however long the texts are. Any thread may call any
 * function.
 */
#ifndef BURIN_SIGNATURES_CRC64_H
#define BURIN_SIGNATURES_CRC64_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of a text that begins with bytes whose CRC is `value` and ends with these len bytes. */
uint64_t crc64_add(uint64_t value, const uint8_t *bytes, size_t len);

/* The CRC of two texts, one behind the other; second_len is the length of the second in bytes. */
uint64_t crc64_join(uint64_t first, uint64_t second, uint64_t second_len);

/*
 * The CRC of the last rest_len bytes of a text. whole is the CRC of the text, first that of the
 * bytes before the last rest_len.
 */
static inline uint64_t crc64_rest(uint64_t first, uint64_t whole, uint64_t rest_len)
{
    return crc64_join(first, whole, rest_len); /* over GF(2), adding is subtracting */
}

/*
 * The product of two polynomials modulo the CRC's polynomial; bit 63 is the coefficient of x^0. The
 * first function uses the processor's carry-less multiplication where there is one, the second goes
 * bit by bit. For crc64_join; tests compare the two.
 */
uint64_t crc64_multiply(uint64_t a, uint64_t b);
uint64_t crc64_multiply_bits(uint64_t a, uint64_t b);

#endif
