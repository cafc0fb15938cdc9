/* SPDX-License-Identifier: Apache-2.0
 * base/bytes.h - integers of either byte order at any address.
 *
 * Every function reads exactly the bytes its name says; the caller has checked that they are there.
 */
#ifndef BURIN_BASE_BYTES_H
#define BURIN_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t bytes_u16le(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint16_t bytes_u16be(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t bytes_u32le(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t bytes_u32be(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline uint64_t bytes_u64le(const uint8_t *p)
{
    return (uint64_t)bytes_u32le(p) | (uint64_t)bytes_u32le(p + 4) << 32;
}

static inline uint64_t bytes_u64be(const uint8_t *p)
{
    return (uint64_t)bytes_u32be(p) << 32 | (uint64_t)bytes_u32be(p + 4);
}

#endif
