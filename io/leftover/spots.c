/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/spots.c - see spots.h and io/leftover.h. */
#include "io/leftover/spots.h"
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "io/leftover.h"

enum err_code leftover_spots_put(struct leftover_spots *spots, uint64_t at, struct err *err)
{
    if (spots->count == LEFTOVER_SPOTS_MAX)
        return ERR_OK;
    const enum err_code rc =
        grow_items(&spots->at, spots->count, &spots->room, sizeof *spots->at, err);

    if (rc == ERR_OK)
        spots->at[spots->count++] = at;
    return rc;
}

enum err_code leftover_spots_marked(struct leftover_spots kinds[LEFTOVER_SPOT_KINDS],
                                    uint64_t offset, const uint8_t *marks, size_t count,
                                    struct err *err)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < count; i++) {
        static const uint8_t none[64];

        while (count - i >= sizeof none && memcmp(marks + i, none, sizeof none) == 0)
            i += sizeof none; /* most sectors are nothing */
        if (i == count)
            break;
        for (unsigned left = marks[i]; rc == ERR_OK && left != 0; left &= left - 1)
            rc = leftover_spots_put(&kinds[__builtin_ctz(left)], offset + i * LIMIT_SECTOR, err);
    }
    return rc;
}

void leftover_spots_release(struct leftover_spots kinds[LEFTOVER_SPOT_KINDS])
{
    for (uint32_t i = 0; i < LEFTOVER_SPOT_KINDS; i++)
        free(kinds[i].at);
}

enum err_code io_leftover_spots_open(struct io_leftover_spots **out, struct err *err)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? ERR_OK : ERR_NO_MEMORY(err, sizeof **out);
}

void io_leftover_spots_close(struct io_leftover_spots *spots)
{
    if (spots == NULL)
        return;
    leftover_spots_release(spots->kinds);
    free(spots->seen);
    free(spots);
}

static enum err_code spots_seen(struct io_leftover_spots *spots, uint64_t offset, uint64_t len,
                                struct err *err)
{
    if (spots->seen_count > 0) {
        struct io_range *last = &spots->seen[spots->seen_count - 1];

        if (last->offset + last->len == offset) {
            last->len += len;
            return ERR_OK;
        }
    }
    const enum err_code rc =
        grow_items(&spots->seen, spots->seen_count, &spots->seen_room, sizeof *spots->seen, err);

    if (rc == ERR_OK)
        spots->seen[spots->seen_count++] = (struct io_range){ offset, len };
    return rc;
}

enum err_code io_leftover_spots_add(struct io_leftover_spots *spots, uint64_t offset,
                                    const uint8_t *marks, size_t count, struct err *err)
{
    if (count == 0)
        return ERR_OK;
    const enum err_code rc = leftover_spots_marked(spots->kinds, offset, marks, count, err);
    return rc == ERR_OK ? spots_seen(spots, offset, (uint64_t)count * LIMIT_SECTOR, err) : rc;
}
