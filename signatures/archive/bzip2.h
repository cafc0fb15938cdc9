/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/bzip2.h - what the walk over the codes of a bzip2 file (bzip2.c) and the
 * decompression of a block (bzip2_unpack.c) share.
 */
#ifndef BURIN_SIGNATURES_ARCHIVE_BZIP2_H
#define BURIN_SIGNATURES_ARCHIVE_BZIP2_H

#include "signatures/sig.h"

enum {
    BZIP2_LEVEL_SIZE = 100000, /* bytes of a block, times the level */
    BZIP2_GROUP = 50,          /* codes of a selector */
    BZIP2_TABLES = 6,
    BZIP2_SYMBOLS = 258,
    BZIP2_CODE_MAX = 20, /* bits */
    BZIP2_SLOW = 12,     /* times as long as deflate takes for a byte that is unpacked */
};

enum bzip2_unpacked { BZIP2_RIGHT, BZIP2_WRONG, BZIP2_UNKNOWN };

/*
 * Decompresses the block whose CRC begins at bit `from` of the object, all of whose bytes are there
 * and whose codes bzip2.c has walked, and compares the CRC. BZIP2_UNKNOWN: it cannot be told, for
 * want of memory (4 bytes for each byte of a block), or since the block is one of those that old
 * compressors made "random". *done: how many bytes were put out, or gone over.
 */
enum bzip2_unpacked bzip2_unpack(struct sig_input *in, uint64_t from, uint32_t level,
                                 uint64_t *done);

#endif
