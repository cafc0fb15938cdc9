/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/put.h - integers into the files that tests build by hand; the counterpart of
 * base/bytes.h. */
#ifndef BURIN_TESTS_SIGNATURES_PUT_H
#define BURIN_TESTS_SIGNATURES_PUT_H

#include <stdint.h>

static inline void put_u16le(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void put_u32le(uint8_t *at, uint32_t value)
{
    put_u16le(at, value);
    put_u16le(at + 2, value >> 16);
}

static inline void put_u32be(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

#endif
