/* SPDX-License-Identifier: Apache-2.0
 * io/image/crc32c.c - see crc32c.h. */
#include "io/image/crc32c.h"

enum { CRC32C_BYTES = 256 };

#define CRC32C_POLYNOMIAL UINT32_C(0x82f63b78) /* 0x1edc6f41, the lowest bit first */

uint32_t io_crc32c(uint32_t crc, const uint8_t *bytes, size_t len)
{
    uint32_t table[CRC32C_BYTES]; /* made anew: what is summed up is a few times 64 KiB an image */

    if (len == 0)
        return crc;
    for (uint32_t i = 0; i < CRC32C_BYTES; i++) {
        table[i] = i;
        for (uint32_t bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? CRC32C_POLYNOMIAL : 0);
    }
    crc = ~crc;
    for (size_t i = 0; i < len; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}
