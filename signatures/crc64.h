/*
 * signatures/crc64.h - CRC-64 as XZ files have it (ECMA-182, reflected), and sums of parts from sums
 * of others.
 *
 * The CRC of "123456789" is 0x995dc9bbdf1939fa, that of nothing is 0. A CRC is linear: with the CRCs
 * of a text's beginning and of its end, that of the whole follows without the bytes, and with those
 * of the whole and of its beginning, that of the end. Each takes some ten multiplications of
 * polynomials over GF(2), however long the texts are.
 */
#ifndef BURIN_SIGNATURES_CRC64_H
#define BURIN_SIGNATURES_CRC64_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of a text that begins with bytes whose CRC is `value` and goes on with len more. */
uint64_t crc64_add(uint64_t value, const uint8_t *bytes, size_t len);

/* The CRC of two texts, one behind the other; second_len is the length of the second in bytes. */
uint64_t crc64_join(uint64_t first, uint64_t second, uint64_t second_len);

/* The CRC of the last rest_len bytes of a text with the CRC `whole` that begins with `first`. */
static inline uint64_t crc64_rest(uint64_t first, uint64_t whole, uint64_t rest_len)
{
    return crc64_join(first, whole, rest_len); /* to add is to subtract */
}

/*
 * The product of two polynomials modulo that of the CRC, bit 63 for x^0: by the processor's own
 * instruction where it has one, and bit by bit. For crc64_join; tests compare the two.
 */
uint64_t crc64_multiply(uint64_t a, uint64_t b);
uint64_t crc64_multiply_bits(uint64_t a, uint64_t b);

#endif
