/* SPDX-License-Identifier: Apache-2.0
 * base/crc16.h - the CRC-16 of sound formats: most significant bit first, nothing
 * inverted.
 *
 * FLAC, MPEG audio and AC-3 use the polynomial x^16 + x^15 + x^2 + 1 (0x8005) with different
 * initial values. A validator makes the tables with crc16_init, which takes some microseconds, and
 * keeps them in its state. Each step takes eight bytes.
 */
#ifndef BURIN_BASE_CRC16_H
#define BURIN_BASE_CRC16_H

#include <stddef.h>
#include <stdint.h>

enum { CRC16_SOUND = 0x8005, CRC16_SLICES = 8 };

struct crc16 {
    uint16_t table[CRC16_SLICES][256];
};

void crc16_init(struct crc16 *crc, uint16_t polynomial);

/* The CRC of a text that begins with bytes whose CRC is `value` and ends with these len bytes. */
uint16_t crc16_add(const struct crc16 *crc, uint16_t value, const uint8_t *bytes, size_t len);

#endif
