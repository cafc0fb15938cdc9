/*
 * carver/plan/pair_fifo.c - see pair_fifo.h.
 *
 * A run is written as: varint(delta * 2 + (count > 1)), varint(zigzag(tag_delta)), and
 * varint(count) where it is more than one. Blocks grow from 64 bytes to 64 KiB, so that thousands
 * of rules with one open header each stay cheap.
 */
#include <assert.h>
#include <stdlib.h>

#include "carver/plan/pair_fifo.h"

enum {
    FIFO_BLOCK_MIN = 64,
    FIFO_BLOCK_MAX = 64 * 1024,
    FIFO_RUN_MAX = 30 /* three varints of 64 bits */
};

struct pair_fifo_block {
    struct pair_fifo_block *next;
    uint32_t begin, end, size;
    uint8_t bytes[];
};

static void pair_fifo_write(struct pair_fifo_block *block, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        block->bytes[block->end++] = (uint8_t)(value | 0x80);
    block->bytes[block->end++] = (uint8_t)value;
}

static uint64_t pair_fifo_read(struct pair_fifo_block *block)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = block->bytes[block->begin++];

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

static void pair_fifo_free(struct pair_fifo_block *block, size_t *budget)
{
    *budget += sizeof *block + block->size;
    free(block);
}

/* Moves the run at the end into the blocks. */
static bool pair_fifo_flush(struct pair_fifo *fifo, size_t *budget)
{
    struct pair_fifo_block *block = fifo->newest;

    if (block == NULL || block->size - block->end < FIFO_RUN_MAX) {
        const uint32_t size = block == NULL                      ? FIFO_BLOCK_MIN
                              : block->size < FIFO_BLOCK_MAX / 2 ? block->size * 2
                                                                 : FIFO_BLOCK_MAX;
        if (*budget < sizeof *block + size || (block = malloc(sizeof *block + size)) == NULL)
            return false;
        *budget -= sizeof *block + size;
        *block = (struct pair_fifo_block){ .size = size };
        if (fifo->newest == NULL)
            fifo->oldest = block;
        else
            fifo->newest->next = block;
        fifo->newest = block;
    }
    const uint64_t tag = fifo->last.tag_delta;

    pair_fifo_write(block, fifo->last.delta << 1 | (fifo->last.count > 1));
    pair_fifo_write(block, tag << 1 ^ (tag >> 63 ? UINT64_MAX : 0));
    if (fifo->last.count > 1)
        pair_fifo_write(block, fifo->last.count);
    fifo->last.count = 0;
    return true;
}

bool pair_fifo_push(struct pair_fifo *fifo, uint64_t offset, uint64_t tag, size_t *budget)
{
    assert(offset < (uint64_t)1 << 63);
    if (fifo->count == 0) {
        fifo->head = offset;
        fifo->head_tag = tag;
    } else {
        const uint64_t delta = offset - fifo->tail, tag_delta = tag - fifo->tail_tag;

        assert(offset >= fifo->tail);
        if (fifo->last.count == 0 || fifo->last.delta != delta ||
            fifo->last.tag_delta != tag_delta) {
            if (fifo->last.count > 0 && !pair_fifo_flush(fifo, budget))
                return false;
            fifo->last = (struct pair_fifo_run){ delta, tag_delta, 0 };
        }
        fifo->last.count++;
    }
    fifo->tail = offset;
    fifo->tail_tag = tag;
    fifo->count++;
    return true;
}

/* The run that comes after the one that is used up: from the oldest block, or the one at the end.
 */
static void pair_fifo_load(struct pair_fifo *fifo, size_t *budget)
{
    struct pair_fifo_block *block = fifo->oldest;

    if (block == NULL || block->begin == block->end) {
        fifo->first = fifo->last;
        fifo->last.count = 0;
        return;
    }
    const uint64_t head = pair_fifo_read(block), tag = pair_fifo_read(block);

    fifo->first.delta = head >> 1;
    fifo->first.tag_delta = tag >> 1 ^ (tag & 1 ? UINT64_MAX : 0);
    fifo->first.count = head & 1 ? pair_fifo_read(block) : 1;
    if (block->begin < block->end)
        return;
    if (block->next == NULL) {
        block->begin = block->end = 0; /* kept: the next header is likely soon */
        return;
    }
    fifo->oldest = block->next;
    pair_fifo_free(block, budget);
}

void pair_fifo_pop(struct pair_fifo *fifo, size_t *budget)
{
    assert(fifo->count > 0);
    if (--fifo->count == 0)
        return;
    if (fifo->first.count == 0)
        pair_fifo_load(fifo, budget);
    assert(fifo->first.count > 0);
    fifo->head += fifo->first.delta;
    fifo->head_tag += fifo->first.tag_delta;
    fifo->first.count--;
}

void pair_fifo_release(struct pair_fifo *fifo, size_t *budget)
{
    struct pair_fifo_block *block = fifo->oldest;

    while (block != NULL) {
        struct pair_fifo_block *next = block->next;
        pair_fifo_free(block, budget);
        block = next;
    }
    *fifo = (struct pair_fifo){ 0 };
}
