/* carver/known_block.c - see known_block.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "carver/known.h"
#include "carver/known_block.h"

enum { KNOWN_WORDS = KNOWN_BLOCK_MAX / 4 };

/* Words of 32 bits that count on by one, in either byte order, over more than half of the block. */
static bool block_is_ramp(const uint8_t *block, size_t len)
{
    size_t little = 0, big = 0;

    for (size_t i = 0; i + 8 < len; i += 4) {
        little += bytes_u32le(block + i) + 1 == bytes_u32le(block + i + 4);
        big += bytes_u32be(block + i) + 1 == bytes_u32be(block + i + 4);
    }
    return little > len / 8 || big > len / 8;
}

static int block_order(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Fewer than three different words, or one that makes up more than a quarter of the block. */
static bool block_has_few_values(const uint8_t *block, size_t len)
{
    uint32_t words[KNOWN_WORDS];
    const size_t count = len / 4;
    size_t values = 1, run = 1;

    if (count == 0)
        return true;
    for (size_t i = 0; i < count; i++)
        words[i] = bytes_u32le(block + 4 * i);
    qsort(words, count, sizeof *words, block_order);
    for (size_t i = 1; i < count; i++) {
        const bool same = words[i] == words[i - 1];

        run = same ? run + 1 : 1;
        values += !same;
        if (run > len / 16)
            return true;
    }
    return values < 3;
}

static bool block_is_white(const uint8_t *block, size_t len)
{
    size_t white = 0;

    for (size_t i = 0; i < len; i++)
        white += block[i] == ' ' || (block[i] >= '\t' && block[i] <= '\r');
    return white >= len * 3 / 4;
}

/* Three quarters of the words greater than the one before, or less, or the same. */
static bool block_is_ordered(const uint8_t *block, size_t len)
{
    size_t up = 0, down = 0, same = 0;

    for (size_t i = 0; i + 8 <= len; i += 4) {
        const uint32_t x = bytes_u32le(block + i), y = bytes_u32le(block + i + 4);

        up += y > x;
        down += y < x;
        same += y == x;
    }
    const size_t bound = len / 4 * 3 / 4;
    return up >= bound || down >= bound || same >= bound;
}

const char *known_block_dull(const uint8_t *block, size_t len)
{
    if (len < 16 || len > KNOWN_BLOCK_MAX || memcmp(block, block + 1, len - 1) == 0)
        return "constant";
    if (block_is_ramp(block, len))
        return "ramp";
    if (block_is_white(block, len))
        return "white space";
    if (block_is_ordered(block, len))
        return "ordered values";
    return block_has_few_values(block, len) ? "few values" : NULL;
}
