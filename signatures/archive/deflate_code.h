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

/* The symbol whose code the bits begin with, and in the lower four bits its length, as in
 * deflate_code.fast, of any length; DEFLATE_NONE << 4: none. */
uint32_t deflate_long(uint64_t next, const struct deflate_code *code);

/* As deflate_long; most codes are short. */
static inline uint32_t deflate_next(uint64_t next, const struct deflate_code *code)
{
    const uint32_t fast = code->fast[next & ((1 << DEFLATE_FAST) - 1)];

    return fast != 0 ? fast : deflate_long(next, code);
}

/* Reads the next token of a block that is not stored, which may lie over the end. */
static inline void deflate_token(struct deflate_bits *bits, const struct deflate_block *block,
                                 struct deflate_token *token)
{
    static const uint16_t lens[] = { 3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                     15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                     67, 83, 99, 115, 131, 163, 195, 227, 258 };
    static const uint8_t len_bits[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                        2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
    uint64_t next = deflate_peek(bits); /* of a token all bits */
    const uint32_t found = deflate_next(next, &block->literals), symbol = found >> 4;

    *token = (struct deflate_token){ .symbol = symbol };
    bits->at += found & 15;
    if (symbol <= DEFLATE_END || symbol >= DEFLATE_LITERALS) {
        if (symbol >= DEFLATE_LITERALS)
            token->symbol = DEFLATE_NONE;
        return;
    }
    next >>= found & 15;
    const uint32_t add = len_bits[symbol - DEFLATE_END - 1];
    token->len = lens[symbol - DEFLATE_END - 1] + ((uint32_t)next & ((UINT32_C(1) << add) - 1));
    next >>= add;
    const uint32_t far = deflate_next(next, &block->distances), distance = far >> 4;
    bits->at += add + (far & 15);
    if (distance >= DEFLATE_DISTANCES) {
        token->symbol = DEFLATE_NONE;
        return;
    }
    next >>= far & 15;
    const uint32_t more = distance < 4 ? 0 : distance / 2 - 1;
    token->distance = (distance < 4 ? distance : (2 + distance % 2) << more) + 1;
    token->distance += (uint32_t)next & ((UINT32_C(1) << more) - 1);
    bits->at += more;
}

#endif
