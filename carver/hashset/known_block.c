/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_block.c - see known_block.h. */
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "carver/hashset/known.h"
#include "carver/hashset/known_block.h"

enum { KNOWN_VOTES = 3 };

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

static size_t block_count(const uint8_t *block, size_t len, uint32_t word)
{
    size_t count = 0;

    for (size_t i = 0; i + 4 <= len; i += 4)
        count += bytes_u32le(block + i) == word;
    return count;
}

/* Counts a word; where all places are taken by others, each of them loses one. */
static void block_vote(uint32_t words[KNOWN_VOTES], size_t votes[KNOWN_VOTES], uint32_t word)
{
    for (int k = 0; k < KNOWN_VOTES; k++)
        if (votes[k] > 0 && words[k] == word) {
            votes[k]++;
            return;
        }
    for (int k = 0; k < KNOWN_VOTES; k++)
        if (votes[k] == 0) {
            words[k] = word;
            votes[k] = 1;
            return;
        }
    for (int k = 0; k < KNOWN_VOTES; k++)
        votes[k]--;
}

/*
 * Fewer than three different words, or one that makes up more than a quarter of the block. Such a
 * word outlives the others among three counters (Misra and Gries, Finding Repeated Elements, 1982);
 * then those left are counted.
 */
static bool block_has_few_values(const uint8_t *block, size_t len)
{
    uint32_t words[KNOWN_VOTES] = { 0 };
    size_t votes[KNOWN_VOTES] = { 0 };
    bool few = false;

    for (size_t i = 0; i + 4 <= len; i += 4)
        block_vote(words, votes, bytes_u32le(block + i));
    for (int k = 0; k < KNOWN_VOTES; k++)
        few = few || (votes[k] > 0 && block_count(block, len, words[k]) > len / 16);
    return few; /* of two different words, one makes up half */
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

const char *known_block_nonprobative(const uint8_t *block, size_t len)
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
