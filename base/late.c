/* SPDX-License-Identifier: Apache-2.0
 * base/late.c - see late.h. */
#include "base/late.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void late_put_back(void *items, size_t count, void *late, size_t late_count, size_t bytes,
                   int (*compare)(const void *a, const void *b))
{
    uint8_t *all = items;

    if (late_count > 0)
        qsort(late, late_count, bytes, compare);
    /* From the last one on: what lies behind it moves to its place, and never again. */
    for (size_t left = late_count; left > 0; left--) {
        const uint8_t *one = (const uint8_t *)late + (left - 1) * bytes;
        size_t low = 0, high = count;

        while (low < high) {
            const size_t middle = low + (high - low) / 2;

            if (compare(all + middle * bytes, one) > 0)
                high = middle;
            else
                low = middle + 1;
        }
        memmove(all + (low + left) * bytes, all + low * bytes, (count - low) * bytes);
        memcpy(all + (low + left - 1) * bytes, one, bytes);
        count = low;
    }
}
