/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/leveldb.h - what files of LevelDB and RocksDB have in common. */
#ifndef BURIN_SIGNATURES_DATABASE_LEVELDB_H
#define BURIN_SIGNATURES_DATABASE_LEVELDB_H

#include <isa-l/crc.h>
#include <stdint.h>

/* The CRC-32C of a text that ends with these bytes; crc: that of those before them, 0 for none. */
static inline uint32_t leveldb_crc(uint32_t crc, const uint8_t *bytes, uint32_t len)
{
    return ~crc32_iscsi((uint8_t *)(uintptr_t)bytes, (int)len, ~crc); /* ISA-L only reads it */
}

/* A CRC-32C as files have it: masked (doc/log_format.md of LevelDB). */
static inline uint32_t leveldb_masked(uint32_t crc)
{
    return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

#endif
