/* SPDX-License-Identifier: Apache-2.0
 * base/hit_saved.c - see hit_saved.h. */
#include "base/hit_saved.h"

void hit_saved_put(const struct hit *hits, uint32_t count, struct pack *out)
{
    uint64_t last = 0;

    pack_number(out, count);
    for (uint32_t i = 0; i < count; i++) {
        pack_number(out, hits[i].offset - last);
        pack_number(out, hits[i].pattern);
        pack_number(out, hits[i].len);
        last = hits[i].offset;
    }
}
