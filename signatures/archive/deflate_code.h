/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/deflate_code.h - the codes of a deflate block, read one at a time: for those
 * who follow a stream from its middle on, or over a place where it may be cut (RFC 1951).
 *
 * Threads: plain data.
 */
#ifndef BURIN_SIGNATURES_ARCHIVE_DEFLATE_CODE_H
#define BURIN_SIGNATURES_ARCHIVE_DEFLATE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum {
    DEFLATE_SLACK = 32,     /* bytes behind those of a reader that must be there, too */
    DEFLATE_CODE_MAX = 15,  /* bits of a code */
    DEFLATE_FAST = 10,      /* and of those that one look at a table decodes */
    DEFLATE_LITERALS = 286, /* symbols of the one code, */
    DEFLATE_DISTANCES = 30, /* and of the other one */
    DEFLATE_SYMBOLS = 288,
    DEFLATE_END = 256,         /* the symbol that ends a block */
    DEFLATE_NONE = UINT16_MAX, /* no symbol */
    DEFLATE_MATCH_MOST = 258,  /* bytes of a copy */
};

/* Bits of bytes, the lowest one of a byte first. */
struct deflate_bits {
    const uint8_t *bytes;
    uint64_t at, end; /* the next bit, and the first one that is not there */
};

struct deflate_code {
    uint16_t fast[1 << DEFLATE_FAST]; /* symbol and, in the lower four bits, length; 0: longer */
    uint16_t counts[DEFLATE_CODE_MAX + 1], symbols[DEFLATE_SYMBOLS];
    uint8_t lens[DEFLATE_SYMBOLS]; /* 0: the symbol has no code */
};

enum deflate_kind { DEFLATE_STORED, DEFLATE_FIXED, DEFLATE_DYNAMIC };

struct deflate_block {
    bool last;
    enum deflate_kind kind;
    uint32_t stored; /* bytes, of one that is stored */
    struct deflate_code literals, distances;
};

/* A literal, the end of a block, or a copy. */
struct deflate_token {
    uint32_t symbol; /* that of a literal or the end, or any above; DEFLATE_NONE: it is wrong */
    uint32_t len, distance; /* bytes, of a copy */
};

/* At least 48 bits from the next one on; some behind the end among them. */
static inline uint64_t deflate_peek(const struct deflate_bits *bits)
{
    return bytes_u64le(bits->bytes + bits->at / 8) >> bits->at % 8;
}

/* Reads what a block begins with. False: it is none, or it does not lie before the end. */
bool deflate_block(struct deflate_bits *bits, struct deflate_block *block);

/* Reads the next token of a block that is not stored, which may lie over the end. */
void deflate_token(struct deflate_bits *bits, const struct deflate_block *block,
                   struct deflate_token *token);

#endif
