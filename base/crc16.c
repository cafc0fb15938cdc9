/* SPDX-License-Identifier: Apache-2.0
 * base/crc16.c - see crc16.h. */
#include "base/crc16.h"

void crc16_init(struct crc16 *crc, uint16_t polynomial)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i << 8;

        for (int bit = 0; bit < 8; bit++)
            value = value & 0x8000 ? value << 1 ^ polynomial : value << 1;
        crc->table[0][i] = (uint16_t)value;
    }
    for (uint32_t slice = 1; slice < CRC16_SLICES; slice++)
        for (uint32_t i = 0; i < 256; i++) {
            const uint16_t before = crc->table[slice - 1][i];

            crc->table[slice][i] = (uint16_t)(before << 8 ^ crc->table[0][before >> 8]);
        }
}

uint16_t crc16_add(const struct crc16 *crc, uint16_t value, const uint8_t *bytes, size_t len)
{
    for (; len >= CRC16_SLICES; bytes += CRC16_SLICES, len -= CRC16_SLICES)
        value =
            (uint16_t)(crc->table[7][bytes[0] ^ value >> 8] ^
                       crc->table[6][bytes[1] ^ (value & 0xff)] ^ crc->table[5][bytes[2]] ^
                       crc->table[4][bytes[3]] ^ crc->table[3][bytes[4]] ^ crc->table[2][bytes[5]] ^
                       crc->table[1][bytes[6]] ^ crc->table[0][bytes[7]]);
    for (; len > 0; bytes++, len--)
        value = (uint16_t)(value << 8 ^ crc->table[0][value >> 8 ^ bytes[0]]);
    return value;
}
