/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/bzip2_block.c - what stands before the codes of a bzip2 block: see bzip2.h. */
#include <string.h>

#include "signatures/archive/bzip2.h"

enum {
    BZIP2_LEVEL_SELECTORS = 2000, /* selectors of 50 codes that 100,000 bytes may need */
    BZIP2_FAST_SELECTORS = 400,   /* fewer are not worth the making of tables */
};
_Static_assert(BZIP2_SELECTORS_MAX == 9 * BZIP2_LEVEL_SELECTORS + BZIP2_SPARE + 2, "level 9");

/* Symbols that the block uses, or 0. */
static uint32_t bzip2_symbols(struct bzip2_bits *bits)
{
    const uint32_t map = bzip2_take(bits, 16);
    uint32_t used = 0;

    for (uint32_t i = 0; i < 16; i++)
        if (map >> i & 1) {
            const uint32_t part = bzip2_take(bits, 16);
            if (part == 0)
                return 0;
            used += (uint32_t)__builtin_popcount(part);
        }
    return used == 0 ? 0 : used + 2;
}

static bool bzip2_selectors(struct bzip2_bits *bits, struct bzip2_codes *codes, uint32_t tables)
{
    uint8_t order[BZIP2_TABLES] = { 0, 1, 2, 3, 4, 5 };

    codes->selector_count = bzip2_take(bits, 15);
    if (codes->selector_count == 0 ||
        codes->selector_count > codes->level * BZIP2_LEVEL_SELECTORS + BZIP2_SPARE + 2)
        return false;
    for (uint32_t i = 0; i < codes->selector_count; i++) {
        const uint32_t ones = (uint32_t)__builtin_clzll(~bzip2_peek(bits) | 1);

        if (ones >= tables)
            return false;
        bits->at += ones + 1;
        const uint8_t table = order[ones];
        memmove(order + 1, order, ones);
        order[0] = table;
        codes->selectors[i] = table;
    }
    return true;
}

static bool bzip2_lengths(struct bzip2_bits *bits, uint32_t symbols, uint8_t *lengths)
{
    uint32_t length = bzip2_take(bits, 5);

    for (uint32_t i = 0; i < symbols; i++) {
        for (;;) {
            if (length < 1 || length > BZIP2_CODE_MAX || bits->at > bits->len)
                return false;
            if (bzip2_take(bits, 1) == 0)
                break;
            length = bzip2_take(bits, 1) ? length - 1 : length + 1;
        }
        lengths[i] = (uint8_t)length;
    }
    return true;
}

/* The canonical code of these lengths; false when there are more codes than room for them. */
static bool bzip2_limits(struct bzip2_table *table, const uint8_t *lengths, uint32_t symbols)
{
    uint32_t counts[BZIP2_CODE_MAX + 1] = { 0 }, code = 0;

    for (uint32_t i = 0; i < symbols; i++)
        counts[lengths[i]]++;
    table->end_length = lengths[symbols - 1];
    table->limit[0] = 0;
    for (uint32_t len = 1; len <= BZIP2_CODE_MAX; len++) {
        code += counts[len] << (BZIP2_CODE_MAX - len);
        if (code > 1u << BZIP2_CODE_MAX)
            return false;
        table->limit[len] = code;
        if (len == table->end_length) /* the last symbol has the last code of its length */
            table->end_code = code - (1u << (BZIP2_CODE_MAX - len));
    }
    table->limit[BZIP2_CODE_MAX + 1] = UINT32_MAX;
    return true;
}

uint32_t bzip2_code(const struct bzip2_table *table, uint32_t next)
{
    uint32_t len = 1;

    while (next >= table->limit[len])
        len++;
    return len;
}

static void bzip2_fast(struct bzip2_table *table)
{
    uint8_t single[1 << BZIP2_FAST];

    for (uint32_t i = 0; i < 1 << BZIP2_FAST; i++) {
        const uint32_t next = i << (BZIP2_CODE_MAX - BZIP2_FAST), len = bzip2_code(table, next);
        const bool fits = len <= BZIP2_FAST && (len != table->end_length ||
                                                next >> (BZIP2_CODE_MAX - len) !=
                                                    table->end_code >> (BZIP2_CODE_MAX - len));
        single[i] = fits ? (uint8_t)len : 0;
    }
    for (uint32_t i = 0; i < 1 << BZIP2_FAST; i++) {
        uint32_t bits = 0, count = 0;

        for (;;) {
            const uint32_t len = single[i << bits & ((1 << BZIP2_FAST) - 1)];
            if (len == 0 || bits + len > BZIP2_FAST)
                break;
            bits += len;
            count++;
        }
        table->fast[i] = (uint16_t)(bits | count << 4);
    }
}

const char *bzip2_block(struct bzip2_bits *bits, struct bzip2_codes *codes)
{
    uint8_t lengths[BZIP2_SYMBOLS];

    codes->crc = bzip2_take(bits, 32);
    bits->at++; /* "randomised": only old compressors set it */
    if (bzip2_take(bits, 24) > codes->level * 100000)
        return "the origin of a block lies outside the block";
    const uint32_t symbols = bzip2_symbols(bits), tables = symbols == 0 ? 0 : bzip2_take(bits, 3);
    if (symbols == 0 || tables < 2 || tables > BZIP2_TABLES)
        return "a block has no symbols or no tables";
    if (!bzip2_selectors(bits, codes, tables))
        return "invalid selectors of a block";
    codes->fast = codes->selector_count >= BZIP2_FAST_SELECTORS;
    for (uint32_t i = 0; i < tables; i++) {
        if (!bzip2_lengths(bits, symbols, lengths) ||
            !bzip2_limits(&codes->tables[i], lengths, symbols))
            return "invalid code lengths of a block";
    }
    for (uint32_t i = 0; codes->fast && bits->at <= bits->len && i < tables; i++)
        bzip2_fast(&codes->tables[i]); /* now that all of them are right: that takes its time */
    return NULL;
}
