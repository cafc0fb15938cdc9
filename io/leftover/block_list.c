/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/block_list.c - see block_list.h. */
#include "io/leftover/block_list.h"

#include "base/bytes.h"

bool block_list_read(const uint8_t *block, uint32_t unit, uint64_t blocks, struct block_list *out)
{
    const uint32_t room = unit / 4;
    uint32_t steps = 0, last = 0, i = 0;

    for (; i < room; i++) {
        const uint32_t entry = bytes_u32le(block + 4 * (size_t)i);

        if (entry == 0)
            break;
        if (entry >= blocks || entry == last)
            return false;
        steps += i > 0 && entry == last + 1;
        last = entry;
    }
    *out = (struct block_list){ .count = i, .first = bytes_u32le(block), .last = last };
    out->runs = i > 0 && steps >= (i - 1) / 2;
    out->full = i == room;
    for (; i < room; i++)
        if (bytes_u32le(block + 4 * (size_t)i) != 0)
            return false;
    return out->count > 0;
}
