/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/deflate_code.c - see deflate_code.h. */
#include <string.h>

#include "signatures/archive/deflate_code.h"

enum {
    DEFLATE_LENGTHS = 19, /* symbols of the code that the lengths of codes are packed with */
    DEFLATE_REPEAT = 16,  /* the first one of these that says the one before once more */
};

/* A number of so many bits, at most 16. */
static uint32_t deflate_take(struct deflate_bits *bits, uint32_t count)
{
    const uint32_t value = (uint32_t)deflate_peek(bits) & ((UINT32_C(1) << count) - 1);

    bits->at += count;
    return value;
}

static uint32_t deflate_turned(uint32_t code, uint32_t len)
{
    uint32_t turned = 0;

    for (uint32_t i = 0; i < len; i++)
        turned |= (code >> i & 1) << (len - 1 - i);
    return turned;
}

/* Makes the code that has these lengths. False: they are those of none. */
static bool deflate_make(struct deflate_code *code, const uint8_t *lens, uint32_t count)
{
    uint32_t next[DEFLATE_CODE_MAX + 2] = { 0 }, first[DEFLATE_CODE_MAX + 2] = { 0 }, used = 0;
    int64_t left = 1;

    *code = (struct deflate_code){ .counts = { 0 } };
    memcpy(code->lens, lens, count);
    for (uint32_t i = 0; i < count; i++)
        code->counts[lens[i]]++;
    code->counts[0] = 0;
    for (uint32_t len = 1; len <= DEFLATE_CODE_MAX; len++) {
        left = left * 2 - code->counts[len];
        used += code->counts[len];
        next[len + 1] = (next[len] + code->counts[len]) << 1;
        first[len + 1] = first[len] + code->counts[len];
        if (left < 0)
            return false;
    }
    if (left > 0 && used > 1) /* a lone code has one bit */
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t len = lens[i];

        if (len == 0)
            continue;
        code->symbols[first[len]++] = (uint16_t)i;
        const uint32_t turned = deflate_turned(next[len]++, len);
        for (uint32_t at = turned; len <= DEFLATE_FAST && at < 1 << DEFLATE_FAST; at += 1u << len)
            code->fast[at] = (uint16_t)(i << 4 | len);
    }
    return true;
}

uint32_t deflate_long(uint64_t next, const struct deflate_code *code)
{
    uint32_t value = 0, first = 0, index = 0;

    for (uint32_t len = 1; len <= DEFLATE_CODE_MAX; len++) {
        const uint32_t count = code->counts[len];

        value |= (uint32_t)(next >> (len - 1) & 1);
        if (value < first + count)
            return (uint32_t)code->symbols[index + value - first] << 4 | len;
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    return (uint32_t)DEFLATE_NONE << 4;
}

static uint32_t deflate_symbol(struct deflate_bits *bits, const struct deflate_code *code)
{
    const uint32_t found = deflate_next(deflate_peek(bits), code);

    bits->at += found & 15;
    return found >> 4;
}

/* Reads the lengths of both codes. False: they are none. */
static bool deflate_lengths(struct deflate_bits *bits, const struct deflate_code *code,
                            uint8_t *lens, uint32_t count)
{
    static const uint8_t least[] = { 3, 3, 11 }, more[] = { 2, 3, 7 };
    uint32_t done = 0;

    while (done < count && bits->at <= bits->end) {
        const uint32_t symbol = deflate_symbol(bits, code);

        if (symbol < DEFLATE_REPEAT) {
            lens[done++] = (uint8_t)symbol;
            continue;
        }
        if (symbol == DEFLATE_NONE || (symbol == DEFLATE_REPEAT && done == 0))
            return false;
        const uint32_t kind = symbol - DEFLATE_REPEAT;
        const uint32_t times = least[kind] + deflate_take(bits, more[kind]);
        if (times > count - done)
            return false;
        memset(lens + done, kind == 0 ? lens[done - 1] : 0, times);
        done += times;
    }
    return done == count && lens[DEFLATE_END] != 0;
}

static bool deflate_dynamic(struct deflate_bits *bits, struct deflate_block *block)
{
    static const uint8_t order[DEFLATE_LENGTHS] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                    11, 4,  12, 3, 13, 2, 14, 1, 15 };
    uint8_t lens[DEFLATE_LITERALS + DEFLATE_DISTANCES] = { 0 };
    const uint32_t literals = 257 + deflate_take(bits, 5), distances = 1 + deflate_take(bits, 5);
    const uint32_t lengths = 4 + deflate_take(bits, 4);

    if (literals > DEFLATE_LITERALS || distances > DEFLATE_DISTANCES)
        return false;
    for (uint32_t i = 0; i < lengths; i++)
        lens[order[i]] = (uint8_t)deflate_take(bits, 3);
    if (!deflate_make(&block->literals, lens, DEFLATE_LENGTHS))
        return false;
    const struct deflate_code code = block->literals;
    return deflate_lengths(bits, &code, lens, literals + distances) &&
           deflate_make(&block->literals, lens, literals) &&
           deflate_make(&block->distances, lens + literals, distances);
}

static bool deflate_fixed(struct deflate_block *block)
{
    uint8_t lens[DEFLATE_SYMBOLS];

    memset(lens, 8, 144);
    memset(lens + 144, 9, 112);
    memset(lens + 256, 7, 24);
    memset(lens + 280, 8, 8);
    const bool made = deflate_make(&block->literals, lens, DEFLATE_SYMBOLS);
    memset(lens, 5, 32);
    return made && deflate_make(&block->distances, lens, 32);
}

bool deflate_block(struct deflate_bits *bits, struct deflate_block *block)
{
    bool good;

    if (bits->at + 3 > bits->end)
        return false;
    block->last = deflate_take(bits, 1) != 0;
    block->stored = 0;
    switch (deflate_take(bits, 2)) {
    case DEFLATE_STORED:
        block->kind = DEFLATE_STORED;
        bits->at = (bits->at + 7) / 8 * 8;
        if (bits->at + 32 > bits->end)
            return false;
        block->stored = deflate_take(bits, 16);
        return (deflate_take(bits, 16) ^ block->stored) == UINT16_MAX;
    case DEFLATE_FIXED:
        block->kind = DEFLATE_FIXED;
        return deflate_fixed(block);
    case DEFLATE_DYNAMIC:
        block->kind = DEFLATE_DYNAMIC;
        good = deflate_dynamic(bits, block);
        return good && bits->at <= bits->end;
    default:
        return false;
    }
}
