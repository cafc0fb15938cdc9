/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jpeg_decode.c - the Huffman codes of a stretch of entropy-coded data.
 *
 * Only what tells right from wrong is computed: where codes end, how many coefficients and blocks
 * they stand for, and the sum of the DC differences. Data that is not of this picture soon has a
 * code that is none, a run over the end of a block, or a DC out of range; what passes all that has
 * the wrong number of blocks.
 */
#include <assert.h>
#include <string.h>

#include "signatures/picture/jpeg.h"

enum { JPEG_SYMBOL_BITS = 32 }; /* at most: a code of 16 and a value of 16 bits */

/* Bits taken from the buffer, the next one topmost; behind count of them stand zeros, or bits that
 * `next` will give again. */
struct jpeg_bits {
    uint64_t acc;
    int32_t count; /* below zero: more bits were used than there are */
    const uint8_t *next, *end;
    bool last; /* nothing comes behind end */
};

static inline void jpeg_bits_load(struct jpeg_bits *bits)
{
    uint64_t word;

    memcpy(&word, bits->next, sizeof word);
    bits->acc |= __builtin_bswap64(word) >> bits->count;
    bits->next += (63 - bits->count) >> 3;
    bits->count |= 56;
}

static uint32_t jpeg_bits_used(const struct jpeg_bits *bits, const struct jpeg_scan *scan)
{
    return (uint32_t)((int32_t)(bits->next - scan->buffer) * 8 - bits->count);
}

static void jpeg_bits_begin(struct jpeg_bits *bits, const struct jpeg_scan *scan)
{
    const int32_t skip = scan->bit & 7;

    *bits = (struct jpeg_bits){ .next = scan->buffer + scan->bit / 8,
                                .end = scan->buffer + scan->have,
                                .last = scan->at_marker };
    if (skip > 0) {
        bits->acc = (uint64_t)*bits->next++ << (56 + skip);
        bits->count = 8 - skip;
    }
}

enum jpeg_supply { JPEG_ENOUGH, JPEG_FILL, JPEG_OUT };

/* At least JPEG_SYMBOL_BITS; before a marker at least one, so that what is decoded never depends on
 * how the buffer was filled. */
static inline enum jpeg_supply jpeg_bits_supply(struct jpeg_bits *bits)
{
    if (bits->count >= JPEG_SYMBOL_BITS)
        return JPEG_ENOUGH;
    if (bits->end - bits->next >= (ptrdiff_t)sizeof bits->acc && bits->count >= 0) {
        jpeg_bits_load(bits);
        return JPEG_ENOUGH;
    }
    for (; bits->next < bits->end && bits->count >= 0 && bits->count <= 56; bits->count += 8)
        bits->acc |= (uint64_t)*bits->next++ << (56 - bits->count);
    if (bits->count >= JPEG_SYMBOL_BITS)
        return JPEG_ENOUGH;
    if (!bits->last)
        return JPEG_FILL;
    return bits->count > 0 ? JPEG_ENOUGH : JPEG_OUT;
}

static inline void jpeg_bits_skip(struct jpeg_bits *bits, uint32_t count)
{
    bits->acc <<= count;
    bits->count -= (int32_t)count;
}

static inline uint32_t jpeg_bits_take(struct jpeg_bits *bits, uint32_t count)
{
    const uint32_t value = (uint32_t)(bits->acc >> 1 >> (63 - count));

    jpeg_bits_skip(bits, count);
    return value;
}

static inline uint32_t jpeg_lookup(const struct jpeg_table *table, uint64_t acc)
{
    const uint32_t entry = table->fast[acc >> (64 - JPEG_FAST_BITS)];

    return entry != 0 ? entry : jpeg_table_long(table, (uint32_t)(acc >> 48));
}

enum jpeg_block {
    JPEG_BLOCK_DONE,
    JPEG_BLOCK_FILL,
    JPEG_BLOCK_OUT,
    JPEG_BLOCK_CODE,
    JPEG_BLOCK_RUN,
    JPEG_BLOCK_DC
};

static inline enum jpeg_block jpeg_supply_block(enum jpeg_supply supply)
{
    return supply == JPEG_FILL ? JPEG_BLOCK_FILL : JPEG_BLOCK_OUT;
}

/* The DC difference of the current block. */
static inline enum jpeg_block jpeg_dc(struct jpeg_scan *scan, struct jpeg_bits *bits,
                                      uint32_t which)
{
    const enum jpeg_supply supply = jpeg_bits_supply(bits);

    if (supply != JPEG_ENOUGH)
        return jpeg_supply_block(supply);
    const uint32_t entry = jpeg_lookup(&scan->lookups[scan->dc_table[which]].dc, bits->acc);
    if (entry == 0)
        return JPEG_BLOCK_CODE;
    jpeg_bits_skip(bits, entry & 63);
    const uint32_t size = entry >> JPEG_STEP_SHIFT;
    if (size > 0) {
        int32_t difference = (int32_t)jpeg_bits_take(bits, size);

        if (difference < 1 << (size - 1))
            difference -= (1 << size) - 1;
        scan->dc[which] += difference;
        if (scan->dc[which] > scan->dc_max[which] || scan->dc[which] < -scan->dc_max[which])
            return JPEG_BLOCK_DC;
    }
    return JPEG_BLOCK_DONE;
}

static inline enum jpeg_block jpeg_sequential(struct jpeg_scan *scan, struct jpeg_bits *bits)
{
    const uint32_t which = scan->block_of[scan->block];
    const struct jpeg_table *table = &scan->lookups[scan->ac_table[which]].ac;
    struct jpeg_several *several = &scan->lookups[scan->ac_table[which]].ac_several;
    uint32_t k = scan->k;

    if (k == 0) {
        const enum jpeg_block dc = jpeg_dc(scan, bits, which);

        if (dc != JPEG_BLOCK_DONE)
            return dc;
        k = 1;
    }
    while (k < 64) {
        const enum jpeg_supply supply = jpeg_bits_supply(bits);

        if (supply != JPEG_ENOUGH) {
            scan->k = k;
            return jpeg_supply_block(supply);
        }
        const uint32_t next = (uint32_t)(bits->acc >> (64 - JPEG_SEVERAL_BITS));
        uint32_t all = several->entries[next];
        if (all == 0)
            all = several->entries[next] = jpeg_several_entry(table, next);
        const uint32_t behind = k + (uint8_t)(all >> JPEG_SEVERAL_SHIFT);
        if (behind < 64) {
            jpeg_bits_skip(bits, all & 0xff);
            k = all & JPEG_SEVERAL_END ? JPEG_STEP_END : behind;
            continue;
        }
        const uint32_t entry = jpeg_lookup(table, bits->acc);
        if (entry == 0)
            return JPEG_BLOCK_CODE;
        jpeg_bits_skip(bits, entry & 63);
        k += entry >> JPEG_STEP_SHIFT;
    }
    scan->k = 0;
    return k == 64 || k >= JPEG_STEP_END ? JPEG_BLOCK_DONE : JPEG_BLOCK_RUN;
}

/* Of one component: a block's band, or the end of this and more blocks. */
static inline enum jpeg_block jpeg_ac_first(struct jpeg_scan *scan, struct jpeg_bits *bits)
{
    const struct jpeg_table *table = &scan->lookups[scan->ac_table[0]].ac;
    uint32_t k = scan->k == 0 ? scan->ss : scan->k;

    while (k <= scan->se) {
        const enum jpeg_supply supply = jpeg_bits_supply(bits);

        if (supply != JPEG_ENOUGH) {
            scan->k = k;
            return jpeg_supply_block(supply);
        }
        const uint32_t entry = jpeg_lookup(table, bits->acc);
        if (entry == 0)
            return JPEG_BLOCK_CODE;
        jpeg_bits_skip(bits, entry & 63);
        const uint32_t step = entry >> JPEG_STEP_SHIFT;
        if (step >= JPEG_STEP_END) {
            const uint32_t run = step - JPEG_STEP_END;

            scan->end_run = (1u << run) - 1 + (run > 0 ? jpeg_bits_take(bits, run) : 0);
            scan->k = 0;
            return JPEG_BLOCK_DONE;
        }
        k += step;
    }
    scan->k = 0;
    return k == scan->se + 1u ? JPEG_BLOCK_DONE : JPEG_BLOCK_RUN;
}

static inline enum jpeg_block jpeg_block(struct jpeg_scan *scan, struct jpeg_bits *bits)
{
    switch (scan->coding) {
    case JPEG_SEQUENTIAL:
        return jpeg_sequential(scan, bits);
    case JPEG_DC_FIRST:
        return jpeg_dc(scan, bits, scan->block_of[scan->block]);
    case JPEG_AC_FIRST:
        return jpeg_ac_first(scan, bits);
    default: {
        const enum jpeg_supply supply = jpeg_bits_supply(bits);

        if (supply != JPEG_ENOUGH)
            return jpeg_supply_block(supply);
        jpeg_bits_skip(bits, 1);
        return JPEG_BLOCK_DONE;
    }
    }
}

enum step jpeg_decode(struct jpeg_scan *scan, const char **why)
{
    static const char *const reasons[] = { [JPEG_BLOCK_OUT] = "a scan has too few blocks",
                                           [JPEG_BLOCK_CODE] = "invalid Huffman code",
                                           [JPEG_BLOCK_RUN] =
                                               "the coefficients pass the end of a block",
                                           [JPEG_BLOCK_DC] = "a mean value is out of range" };
    struct jpeg_bits bits;
    enum jpeg_block block = JPEG_BLOCK_DONE;

    assert(scan->coding != JPEG_WALKED);
    jpeg_bits_begin(&bits, scan);
    while (scan->interval_left > 0) {
        if (scan->end_run > 0) { /* only where an MCU is one block */
            const uint32_t skipped =
                scan->end_run < scan->interval_left ? scan->end_run : scan->interval_left;

            scan->end_run -= skipped;
            scan->interval_left -= skipped;
            scan->mcus_left -= skipped;
            continue;
        }
        for (; scan->block < scan->blocks; scan->block++) {
            block = jpeg_block(scan, &bits);
            if (block != JPEG_BLOCK_DONE)
                goto out;
        }
        scan->block = 0;
        scan->interval_left--;
        scan->mcus_left--;
    }
out:
    scan->bit = jpeg_bits_used(&bits, scan);
    if (block == JPEG_BLOCK_FILL)
        return STEP_WAIT;
    if (block == JPEG_BLOCK_DONE && scan->end_run > 0) {
        *why = "a run of ended blocks passes the end of the interval";
        return STEP_BAD;
    }
    if (block == JPEG_BLOCK_DONE && scan->bit > scan->have * 8)
        block = JPEG_BLOCK_OUT;
    *why = reasons[block];
    return block == JPEG_BLOCK_DONE ? STEP_DONE : STEP_BAD;
}
