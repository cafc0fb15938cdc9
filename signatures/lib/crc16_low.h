/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/crc16_low.h - the CRC-16 of archives: x^16 + x^15 + x^2 + 1, least significant bit
 * first, nothing inverted. crc16.h has that of sound, which goes the other way.
 */
#ifndef BURIN_SIGNATURES_LIB_CRC16_LOW_H
#define BURIN_SIGNATURES_LIB_CRC16_LOW_H

#include <stddef.h>
#include <stdint.h>

/*
 * The CRC of a text that begins with bytes whose CRC is `crc` (0: none) and ends with these len
 * bytes. It takes four bits a step: for headers and short files.
 */
uint16_t crc16_low(uint16_t crc, const uint8_t *bytes, size_t len);

#endif
