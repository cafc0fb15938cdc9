/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/islands.c - see islands.h. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "base/limits.h"
#include "carver/assemble/islands.h"
#include "carver/plan/clusters.h"

enum { ISLANDS_LEAST = 32 /* proven files, before their clusters are believed */ };

/* Whether a header that any member of an archive has is among so many starts. */
static bool islands_any_loose(const struct starts *starts, size_t first, size_t count)
{
    bool is = false;

    for (size_t i = first; i < first + count; i++)
        is = is || (starts->items[i].sig->flags & SIG_LOOSE_START) != 0;
    return is;
}

/* Whether one stands at this offset. */
static bool islands_is_loose(const struct starts *starts, uint64_t offset)
{
    size_t count = 0;
    const size_t first = starts_at(starts, offset, &count);

    return islands_any_loose(starts, first, count);
}

/* Whether one stands right before this offset. */
static bool islands_is_behind(const struct starts *starts, uint64_t offset)
{
    return offset >= LIMIT_SECTOR && islands_is_loose(starts, offset - LIMIT_SECTOR);
}

static void islands_clusters(const struct owners *owners, const struct starts *starts,
                             struct islands *out)
{
    struct clusters clusters = { 0 };
    size_t next = 0;

    for (size_t i = 0; i < owners->count; i++) {
        const struct owner *owner = &owners->items[i];
        size_t count = 0;

        if (!owner->complete || !owner->proven || owner->parent_id != 0)
            continue;
        if (owner->offset >= LIMIT_SECTOR)
            next = starts_at_next(starts, owner->offset - LIMIT_SECTOR, next, &count);
        if (!islands_any_loose(starts, next, count))
            clusters_see(&clusters, owner->offset, owner->len);
    }
    out->unit = clusters_find(&clusters, ISLANDS_LEAST, &out->phase);
}

uint32_t islands_unit(const struct owners *owners, const struct starts *starts)
{
    struct islands islands = { 0 };

    islands_clusters(owners, starts, &islands);
    return islands.unit;
}

static enum err_code islands_add(struct islands *islands, uint64_t begin, uint64_t end,
                                 struct err *err)
{
    const uint64_t unit = islands->unit, phase = islands->phase;

    /* Whole clusters alone are free. */
    begin = begin <= phase ? phase : (begin - phase + unit - 1) / unit * unit + phase;
    end = end <= phase ? phase : (end - phase) / unit * unit + phase;
    if (begin >= end)
        return ERR_OK;
    if (islands->count == islands->room) {
        const size_t room = islands->room == 0 ? 256 : 2 * islands->room;
        uint64_t *begins = realloc(islands->begins, room * sizeof *begins);

        if (begins != NULL)
            islands->begins = begins;
        uint64_t *ends = begins != NULL ? realloc(islands->ends, room * sizeof *ends) : NULL;
        if (ends == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *ends);
        islands->ends = ends;
        islands->room = room;
    }
    islands->begins[islands->count] = begin;
    islands->ends[islands->count++] = end;
    return ERR_OK;
}

static int islands_compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static enum err_code islands_breaks(const struct owners *owners, struct islands *out,
                                    struct err *err)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < owners->count; i++) {
        const struct owner *owner = &owners->items[i];

        if (owner->complete || owner->parent_id != 0)
            continue;
        rc = grow_items(&out->breaks, out->break_count, &out->break_room, sizeof *out->breaks, err);
        if (rc == ERR_OK)
            out->breaks[out->break_count++] = owner->offset + owner->len;
    }
    if (out->break_count > 1)
        qsort(out->breaks, out->break_count, sizeof *out->breaks, islands_compare);
    return rc;
}

/*
 * Whether it is owned by the member of an archive, which owns nothing itself; or by the last
 * members of one, which look like an archive: nobody owns what is before them. before: the end of
 * what is owned before it.
 */
static bool islands_is_member(const struct islands *islands, const struct starts *starts,
                              const struct ground_owned *owned, uint64_t before)
{
    return owned->owner != GROUND_FILE_SYSTEM && islands->unit > LIMIT_SECTOR &&
           (!islands_on_cluster(islands, owned->first) || islands_is_behind(starts, owned->first) ||
            (owned->begin == owned->first && before + islands->unit <= owned->begin &&
             islands_is_loose(starts, owned->first)));
}

enum err_code islands_find(const struct owners *owners, const struct ground *ground,
                           const struct starts *starts, uint64_t image_len, bool members,
                           struct islands *out, struct err *err)
{
    uint64_t at = 0;
    enum err_code rc = ERR_OK;

    *out = (struct islands){ 0 };
    islands_clusters(owners, starts, out);
    for (size_t i = 0; rc == ERR_OK && i < ground->count; i++) {
        if (members && islands_is_member(out, starts, &ground->items[i], at))
            continue;
        if (ground->items[i].begin > at)
            rc = islands_add(out, at, ground->items[i].begin, err);
        at = ground->items[i].end > at ? ground->items[i].end : at;
    }
    if (rc == ERR_OK && at < image_len)
        rc = islands_add(out, at, image_len, err);
    if (rc == ERR_OK)
        rc = islands_breaks(owners, out, err);
    if (rc != ERR_OK)
        islands_release(out);
    return rc;
}

void islands_release(struct islands *islands)
{
    free(islands->begins);
    free(islands->ends);
    free(islands->breaks);
    *islands = (struct islands){ 0 };
}

static bool islands_end_before(const void *end, uint64_t at)
{
    return *(const uint64_t *)end <= at;
}

size_t islands_from(const struct islands *islands, uint64_t offset)
{
    return bisect(islands->ends, islands->count, sizeof *islands->ends, islands_end_before, offset);
}

bool islands_on_cluster(const struct islands *islands, uint64_t offset)
{
    return offset >= islands->phase && (offset - islands->phase) % islands->unit == 0;
}

bool islands_begin(const struct islands *islands, uint64_t offset)
{
    const size_t i = islands_from(islands, offset);

    return i < islands->count && islands->begins[i] == offset;
}
