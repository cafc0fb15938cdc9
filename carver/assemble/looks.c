/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/looks.c - see looks.h. */
#include <string.h>

#include "base/memory.h"
#include "carver/assemble/looks.h"

struct looks {
    uint64_t known[LOOKS_ROOM]; /* the number of the first sector + 1; 0: of none */
    uint8_t looks[LOOKS_ROOM][LOOKS_AT_ONCE];
};

enum err_code looks_open(struct looks **out, struct err *err)
{
    *out = memory_sparse(sizeof **out);
    return *out != NULL ? ERR_OK : ERR_NO_MEMORY(err, sizeof **out);
}

void looks_close(struct looks *looks)
{
    memory_sparse_free(looks, sizeof *looks);
}

uint8_t *looks_of(struct looks *looks, uint64_t sector)
{
    const uint64_t first = sector / LOOKS_AT_ONCE * LOOKS_AT_ONCE;
    const uint32_t slot = sector / LOOKS_AT_ONCE % LOOKS_ROOM;

    if (looks->known[slot] != first + 1) {
        looks->known[slot] = first + 1;
        memset(looks->looks[slot], 0, LOOKS_AT_ONCE);
    }
    return &looks->looks[slot][sector % LOOKS_AT_ONCE];
}
