/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/spots.h - lists of sectors that may hold what file systems leave behind.
 */
#ifndef BURIN_IO_LEFTOVER_SPOTS_H
#define BURIN_IO_LEFTOVER_SPOTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/leftover/sieve.h"
#include "io/reader.h"

enum { LEFTOVER_SPOTS_MAX = 1 << 21 /* of one kind, 8 bytes each; those behind are left out */ };

struct leftover_spots {
    uint64_t *at; /* image offsets, ascending */
    uint32_t count;
    size_t room;
};

struct io_leftover_spots {
    struct leftover_spots kinds[LEFTOVER_SPOT_KINDS];
    struct io_range *seen; /* [seen_count]: looked at; ascending, not touching each other */
    uint32_t seen_count;
    size_t seen_room;
};

/* Adds those of one kind. Errors: ERR_ENV, no memory. */
ERR_MUST_CHECK enum err_code leftover_spots_put(struct leftover_spots *spots, uint64_t at,
                                                struct err *err);
/* Adds what io_leftover_sieve has marked: marks[count], of sectors from this image offset on. */
ERR_MUST_CHECK enum err_code leftover_spots_marked(struct leftover_spots kinds[LEFTOVER_SPOT_KINDS],
                                                   uint64_t offset, const uint8_t *marks,
                                                   size_t count, struct err *err);
void leftover_spots_release(struct leftover_spots kinds[LEFTOVER_SPOT_KINDS]);

#endif
