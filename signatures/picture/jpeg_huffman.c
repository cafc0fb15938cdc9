/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jpeg_huffman.c - a DHT table as something to look the next bits up in. T.81
 * annex C and F.2.2.3. */
#include <string.h>

#include "signatures/picture/jpeg.h"

enum { JPEG_SIZE_MAX = 16 }; /* bits of a coefficient or a difference */

/* Bits to skip and coefficients to step over for a code of len bits with this symbol; 0: a symbol
 * that cannot be. */
static uint32_t jpeg_entry(const struct jpeg_table *table, uint32_t len, uint32_t symbol)
{
    const uint32_t run = symbol >> 4, size = symbol & 15;
    uint32_t bits = len + size, step = run + 1;

    if (table->dc)
        return symbol > JPEG_SIZE_MAX ? 0 : len | symbol << JPEG_STEP_SHIFT;
    if (size == 0 && run == 15) {
        step = 16;
    } else if (size == 0) {
        if (table->coding == JPEG_SEQUENTIAL && run > 0)
            return 0;
        bits = len; /* the bits of a run's length are needed: they are not skipped */
        step = JPEG_STEP_END + run;
    }
    return bits | step << JPEG_STEP_SHIFT;
}

void jpeg_table_make(struct jpeg_table *table, const struct jpeg_huffman *from,
                     enum jpeg_coding coding, bool dc)
{
    uint32_t code = 0, index = 0;

    table->coding = coding;
    table->dc = dc;
    memset(table->fast, 0, sizeof table->fast);
    memcpy(table->symbols, from->symbols, sizeof table->symbols);
    for (uint32_t len = 1; len <= 16; len++, code <<= 1) {
        table->offset[len] = (int32_t)index - (int32_t)code;
        for (uint32_t i = 0; i < from->counts[len]; i++, code++, index++) {
            if (len > JPEG_FAST_BITS)
                continue;
            const uint16_t entry = (uint16_t)jpeg_entry(table, len, from->symbols[index]);
            const uint32_t first = code << (JPEG_FAST_BITS - len);
            for (uint32_t k = 0; k < 1u << (JPEG_FAST_BITS - len); k++)
                table->fast[first + k] = entry;
        }
        table->limit[len] = code << (16 - len);
    }
}

/* Bits of the code that these JPEG_FAST_BITS bits begin with, which is not longer. */
static uint32_t jpeg_code_len(const struct jpeg_table *table, uint32_t rest)
{
    uint32_t len = 1;

    while (len < JPEG_FAST_BITS && rest << (16 - JPEG_FAST_BITS) >= table->limit[len])
        len++;
    return len;
}

uint32_t jpeg_several_entry(const struct jpeg_table *table, uint32_t bits)
{
    uint32_t used = 0, steps = 0, all = 64 << JPEG_SEVERAL_SHIFT;

    while (used < JPEG_SEVERAL_BITS) {
        const uint32_t rest = (bits << used & ((1u << JPEG_SEVERAL_BITS) - 1)) >>
                              (JPEG_SEVERAL_BITS - JPEG_FAST_BITS);
        const uint32_t entry = table->fast[rest];
        const uint32_t step = entry >> JPEG_STEP_SHIFT;

        if (entry == 0 || jpeg_code_len(table, rest) > JPEG_SEVERAL_BITS - used)
            break;
        used += entry & ((1 << JPEG_STEP_SHIFT) - 1);
        if (step >= JPEG_STEP_END)
            return used | steps << JPEG_SEVERAL_SHIFT | JPEG_SEVERAL_END;
        steps += step;
        all = used | steps << JPEG_SEVERAL_SHIFT;
    }
    return all;
}

uint32_t jpeg_table_long(const struct jpeg_table *table, uint32_t bits)
{
    for (uint32_t len = JPEG_FAST_BITS + 1; len <= 16; len++)
        if (bits < table->limit[len])
            return jpeg_entry(
                table, len,
                table->symbols[(uint8_t)((int32_t)(bits >> (16 - len)) + table->offset[len])]);
    return 0;
}
