/* SPDX-License-Identifier: Apache-2.0
 * tests/io/leftover/lib_ntfs.h - FILE records made by hand after the documentation of the
 * Linux-NTFS project. */
#ifndef BURIN_TESTS_IO_LEFTOVER_LIB_NTFS_H
#define BURIN_TESTS_IO_LEFTOVER_LIB_NTFS_H

#include "tests/io/leftover/lib_leftover.h"

enum { RECORD = 1024 };

/* What a record is to say. */
struct record {
    uint32_t number, sequence, flags; /* flags: 1 in use, 2 a folder */
    uint64_t base;                    /* with the sequence in the upper 16 bits; 0: none */
    const char *name;                 /* NULL: none */
    uint64_t first_vcn, last_vcn, allocated, size;
    uint32_t data_flags;
    const uint8_t *runs; /* NULL: no $DATA */
    size_t runs_len;
};

static inline uint8_t *record_attribute(uint8_t *at, uint32_t type, uint32_t len)
{
    put(at, type, 4);
    put(at + 4, len, 4);
    return at + len;
}

static inline uint8_t *record_value(uint8_t *at, uint32_t type, uint32_t value_len)
{
    put(at + 16, value_len, 4);
    put(at + 20, 24, 2);
    return record_attribute(at, type, (24 + value_len + 7) / 8 * 8);
}

static inline void record_make(uint8_t bytes[RECORD], const struct record *record)
{
    uint8_t *at = bytes + 56;

    memset(bytes, 0, RECORD);
    memcpy(bytes, "FILE", 4);
    put(bytes + 4, 48, 2);
    put(bytes + 6, 3, 2);
    put(bytes + 16, record->sequence, 2);
    put(bytes + 20, 56, 2);
    put(bytes + 22, record->flags, 2);
    put(bytes + 28, RECORD, 4);
    put(bytes + 32, record->base, 8);
    put(bytes + 44, record->number, 4);
    /* $STANDARD_INFORMATION: 2001-09-09 01:46:40 UTC is 1,000,000,000 s after 1970, and 1601 lies
     * 11,644,473,600 s before 1970. */
    put(at + 24 + 8, UINT64_C(12644473600) * 10000000, 8);
    at = record_value(at, 0x10, 48);
    if (record->name != NULL) {
        const uint32_t len = (uint32_t)strlen(record->name);

        at[24 + 64] = (uint8_t)len;
        at[24 + 65] = 1;
        for (uint32_t i = 0; i < len; i++)
            at[24 + 66 + 2 * i] = (uint8_t)record->name[i];
        at = record_value(at, 0x30, 66 + 2 * len);
    }
    if (record->runs != NULL) {
        at[8] = 1;
        put(at + 12, record->data_flags, 2);
        put(at + 16, record->first_vcn, 8);
        put(at + 24, record->last_vcn, 8);
        put(at + 32, 64, 2);
        put(at + 40, record->allocated, 8);
        put(at + 48, record->size, 8);
        put(at + 56, record->size, 8);
        memcpy(at + 64, record->runs, record->runs_len);
        at = record_attribute(at, 0x80, (uint32_t)(64 + record->runs_len + 8) / 8 * 8);
    }
    put(at, 0xffffffff, 4);
    put(bytes + 24, (uint64_t)(at + 8 - bytes), 4);
    put(bytes + 48, 0x1234, 2); /* the ends of the sectors are kept behind this number */
    for (uint32_t i = 1; i <= 2; i++) {
        memcpy(bytes + 48 + (size_t)2 * i, bytes + (size_t)512 * i - 2, 2);
        put(bytes + (size_t)512 * i - 2, 0x1234, 2);
    }
}

enum { INDEX_BLOCK = 4096 };

/* A block of an index, without entries: they begin 40 bytes behind its head, and end 16 further. */
static inline void index_make(uint8_t bytes[INDEX_BLOCK])
{
    memset(bytes, 0, INDEX_BLOCK);
    memcpy(bytes, "INDX", 4);
    put(bytes + 4, 40, 2);
    put(bytes + 6, 9, 2);
    put(bytes + 24, 40, 4);
    put(bytes + 28, 56, 4);
    put(bytes + 32, INDEX_BLOCK - 24, 4);
    put(bytes + 24 + 40 + 8, 16, 2);
    put(bytes + 24 + 40 + 12, 2, 4); /* the last entry */
    put(bytes + 40, 0x4321, 2);
    for (uint32_t i = 1; i <= 8; i++)
        put(bytes + (size_t)512 * i - 2, 0x4321, 2);
}

#endif
