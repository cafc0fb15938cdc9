/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/crc16_low.c - see crc16_low.h. */
#include "signatures/lib/crc16_low.h"

uint16_t crc16_low(uint16_t crc, const uint8_t *bytes, size_t len)
{
    static const uint16_t table[16] = { 0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00,
                                        0x2800, 0xe401, 0xa001, 0x6c00, 0x7800, 0xb401,
                                        0x5000, 0x9c01, 0x8801, 0x4400 };

    for (size_t i = 0; i < len; i++) {
        crc = (uint16_t)(crc >> 4 ^ table[(crc ^ bytes[i]) & 15]);
        crc = (uint16_t)(crc >> 4 ^ table[(crc ^ bytes[i] >> 4) & 15]);
    }
    return crc;
}
