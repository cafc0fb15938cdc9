/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/pair_fifo.c - see pair_fifo.h.
 *
 * A run is written as: varint(delta * 2 + (count > 1)), varint(zigzag(tag_delta)), and
 * varint(count) where it is more than one. Blocks grow from 64 bytes to 64 KiB, so that thousands
 * of rules with one open header each stay cheap.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/varint.h"
#include "carver/plan/pair_fifo.h"

enum { FIFO_BLOCK_MIN = 64, FIFO_BLOCK_MAX = 64 * 1024, FIFO_RUN_MAX = 3 * VARINT_MAX };

struct pair_fifo_block {
    struct pair_fifo_block *next;
    uint32_t begin, end, size;
    uint8_t bytes[];
};

static void pair_fifo_write(struct pair_fifo_block *block, uint64_t value)
{
    block->end = (uint32_t)(varint_put(block->bytes + block->end, value) - block->bytes);
}

/* The number at *at, which moves behind it; one was written there. */
static uint64_t pair_fifo_read(const struct pair_fifo_block *block, uint32_t *at)
{
    const uint8_t *from = block->bytes + *at;
    uint64_t value;

    (void)!varint_get(&from, block->bytes + block->end, &value);
    *at = (uint32_t)(from - block->bytes);
    return value;
}

static struct pair_fifo_run pair_fifo_read_run(const struct pair_fifo_block *block, uint32_t *at)
{
    const uint64_t head = pair_fifo_read(block, at), tag = pair_fifo_read(block, at);

    return (struct pair_fifo_run){ .delta = head >> 1,
                                   .tag_delta = tag >> 1 ^ (tag & 1 ? UINT64_MAX : 0),
                                   .count = head & 1 ? pair_fifo_read(block, at) : 1 };
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
    fifo->first = pair_fifo_read_run(block, &block->begin);
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

static void pair_fifo_save_run(struct pair_fifo_run run, struct pack *out)
{
    if (run.count == 0)
        return;
    pack_number(out, run.count);
    pack_number(out, run.delta);
    pack_number(out, run.tag_delta);
}

void pair_fifo_save(const struct pair_fifo *fifo, struct pack *out)
{
    pack_number(out, fifo->count);
    if (fifo->count == 0)
        return;
    pack_number(out, fifo->head);
    pack_number(out, fifo->head_tag);
    pair_fifo_save_run(fifo->first, out);
    for (const struct pair_fifo_block *block = fifo->oldest; block != NULL; block = block->next)
        for (uint32_t at = block->begin; at < block->end;)
            pair_fifo_save_run(pair_fifo_read_run(block, &at), out);
    pair_fifo_save_run(fifo->last, out);
}

void pair_fifo_restore(struct pair_fifo *fifo, struct unpack *in, uint64_t end, size_t *budget)
{
    const uint64_t count = unpack_number(in, end);

    if (count == 0)
        return;
    fifo->head = fifo->tail = unpack_number(in, end - 1);
    fifo->head_tag = fifo->tail_tag = unpack_number(in, UINT64_MAX);
    fifo->count = 1;
    while (!in->failed && fifo->count < count) {
        struct pair_fifo_run run;

        run.count = unpack_number(in, count - fifo->count);
        run.delta = unpack_number(in, end);
        run.tag_delta = unpack_number(in, UINT64_MAX);
        in->failed = in->failed || run.count == 0 || run.delta == 0 ||
                     run.count > (end - 1 - fifo->tail) / run.delta ||
                     (fifo->last.count > 0 && !pair_fifo_flush(fifo, budget));
        if (in->failed)
            break;
        fifo->last = run;
        fifo->tail += run.count * run.delta;
        fifo->tail_tag += run.count * run.tag_delta;
        fifo->count += run.count;
    }
    if (in->failed)
        pair_fifo_release(fifo, budget);
}
