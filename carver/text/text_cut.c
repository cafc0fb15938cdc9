/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_cut.c - see text_cut.h. */
#include "carver/text/text_cut.h"

enum {
    CUT_TRIES = 64, /* places that are looked at: where texts fill whole clusters, none may do */
};

static bool cut_behind_zeros(struct text_walk *walk, uint64_t at)
{
    const struct text_spots *spots = walk->job->spots;
    const struct text_said *said = spots != NULL ? text_spots_said(spots, at) : NULL;

    if (said != NULL)
        return said->zeros;
    const uint8_t *bytes =
        at >= TEXT_ZEROS ? text_walk_bytes(walk, at - TEXT_ZEROS, TEXT_ZEROS) : NULL;

    return bytes != NULL && bytes[0] == 0 && bytes[1] == 0;
}

uint64_t text_cut(struct text_walk *walk, uint64_t from, uint64_t to)
{
    const struct io_range *had = occupied_at(walk->occupied, from);

    if (had != NULL && had->offset < to)
        return had->offset > from ? had->offset : from;
    uint64_t at = text_walk_next(walk, from);
    for (uint32_t tries = 0; tries < CUT_TRIES && at < to; tries++) {
        if (cut_behind_zeros(walk, at))
            return at;
        at = text_walk_next(walk, at + 1);
    }
    return TEXT_CUT_NONE;
}
