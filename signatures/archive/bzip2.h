/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/bzip2.h - what the parts of the bzip2 validator share.
 *
 *   bzip2.c         streams, and the walk over the codes of their blocks
 *   bzip2_block.c   what stands before the codes of a block
 *   bzip2_unpack.c  the decompression of a block
 *   bzip2_joint.c   where a block that lies in two pieces is cut
 */
#ifndef BURIN_SIGNATURES_ARCHIVE_BZIP2_H
#define BURIN_SIGNATURES_ARCHIVE_BZIP2_H

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    BZIP2_LEVEL_SIZE = 100000, /* bytes of a block, times the level */
    BZIP2_GROUP = 50,          /* codes of a selector */
    BZIP2_TABLES = 6,
    BZIP2_SYMBOLS = 258,
    BZIP2_CODE_MAX = 20, /* bits */
    BZIP2_SLOW = 12,     /* times as long as deflate takes for a byte that is unpacked */
    BZIP2_FAST = 11,     /* bits looked up at a time */
    BZIP2_SPARE = 8, /* selectors more than are used: one by rounding, 7 that lbzip2 aligns with */
    BZIP2_SELECTORS_MAX = 18010,
    BZIP2_HEAD = 4, /* bytes of a stream's header */
};
#define BZIP2_BLOCK UINT64_C(0x314159265359)
#define BZIP2_END UINT64_C(0x177245385090)

struct bzip2_table {
    uint32_t limit[BZIP2_CODE_MAX + 2]; /* codes of this length are below it, aligned to 20 bits */
    uint32_t end_code;                  /* aligned likewise */
    uint8_t end_length;
    uint16_t
        fast[1 << BZIP2_FAST]; /* of the codes that fit: bits | how many << 4; 0: look closer */
};

/* How the codes of a block are read. */
struct bzip2_codes {
    uint32_t level, crc, selector_count; /* crc: of the block's text */
    bool fast;                           /* the tables have fast[] */
    uint8_t selectors[BZIP2_SELECTORS_MAX];
    struct bzip2_table tables[BZIP2_TABLES];
};

/* Bits of bytes that are at hand; behind them are zeros, and `over` says that some were read. */
struct bzip2_bits {
    const uint8_t *bytes;
    uint64_t len, at; /* bits */
};

/* The next 32 bits, or more; the first one on top of 64. */
static inline uint64_t bzip2_peek(const struct bzip2_bits *bits)
{
    const uint64_t byte = bits->at / 8;
    uint64_t word = 0;

    if (byte + 8 <= bits->len / 8)
        word = bytes_u64be(bits->bytes + byte);
    else
        for (uint64_t i = byte; i < byte + 8; i++)
            word = word << 8 | (i < bits->len / 8 ? bits->bytes[i] : 0);
    return word << bits->at % 8;
}

static inline uint32_t bzip2_take(struct bzip2_bits *bits, uint32_t count)
{
    const uint64_t word = bzip2_peek(bits);

    bits->at += count;
    return (uint32_t)(word >> (64 - count));
}

/* What stands before the codes of a block, behind its magic number; codes->level is set. Returns
 * why it is not right, or NULL. */
const char *bzip2_block(struct bzip2_bits *bits, struct bzip2_codes *codes);

/* Bits of the code that the next 20 bits begin with; more than BZIP2_CODE_MAX: there is no such
 * code. */
uint32_t bzip2_code(const struct bzip2_table *table, uint32_t next);

/* Whether a code of these bits, as bzip2_code has it, is that for the end of the block. */
static inline bool bzip2_is_end(const struct bzip2_table *table, uint32_t next, uint32_t len)
{
    return len == table->end_length && next - table->end_code < 1u << (BZIP2_CODE_MAX - len);
}

extern const struct sig_joint bzip2_joint;

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
