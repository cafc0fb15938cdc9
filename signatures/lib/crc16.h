/*
 * signatures/lib/crc16.h - CRC-16 of sound formats: the most significant bit first, nothing inverted, eight bytes a step.
 *
 * FLAC, MPEG audio and AC-3 use the polynomial x^16 + x^15 + x^2 + 1 (0x8005) and differ in where they begin. The tables are made by
 * the caller (some microseconds) and kept in a checker's state.
 */
#ifndef BURIN_SIGNATURES_LIB_CRC16_H
#define BURIN_SIGNATURES_LIB_CRC16_H

#include <stddef.h>
#include <stdint.h>

enum { CRC16_SOUND = 0x8005, CRC16_SLICES = 8 };

struct crc16 {
    uint16_t table[CRC16_SLICES][256];
};

void crc16_init(struct crc16 *crc, uint16_t polynomial);

/* The CRC of len more bytes behind those that gave `value`. */
uint16_t crc16_add(const struct crc16 *crc, uint16_t value, const uint8_t *bytes, size_t len);

#endif
