/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part.c - see part.h. */
#include "carver/scan/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

enum err_code part_open(const struct plan_options *options, struct lookback *lookback,
                        struct part **out, struct err *err)
{
    struct part *part = calloc(1, sizeof *part);

    *out = NULL;
    if (part == NULL)
        return ERR_NO_MEMORY(err, sizeof *part);
    enum err_code rc = found_open(options->sig_count, &part->found, err);
    if (rc == ERR_OK)
        rc = plan_open(options, lookback, &part->exit, err);
    if (rc == ERR_OK)
        *out = part;
    else
        part_close(part);
    return rc;
}

void part_close(struct part *part)
{
    if (part == NULL)
        return;
    found_release(&part->found);
    plan_close(part->exit);
    sums_close(part->sums);
    free(part->bad);
    free(part->sound);
    free(part->marks);
    text_starts_release(&part->texts);
    free(part->blocks.items);
    part_hashes_release(&part->hashes);
    free(part);
}

void part_begin(struct part *part, const struct plan_part *place)
{
    part->place = *place;
    part->last = part->whole = false;
    found_clear(&part->found);
    part->own_count = part->bad_count = part->blocks.count = 0;
    part->mark_count = 0;
    text_starts_clear(&part->texts);
    part->hashes.kinds = part->hashes.count = 0;
    part->totals = (struct plan_totals){ 0 };
    part->reread = 0;
    part->next = NULL;
}

enum err_code part_add_bad(struct part *part, const struct io_bad_range *ranges, uint32_t count,
                           struct err *err)
{
    if (part->bad_count + count > part->bad_room) {
        const uint32_t room = 2 * (part->bad_count + count);
        struct io_bad_range *bad = realloc(part->bad, room * sizeof *bad);

        if (bad == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *bad);
        part->bad = bad;
        part->bad_room = room;
    }
    if (count > 0)
        memcpy(part->bad + part->bad_count, ranges, count * sizeof *ranges);
    part->bad_count += count;
    return ERR_OK;
}

enum err_code part_room_marks(struct part *part, size_t count, struct err *err)
{
    if (count <= part->mark_room)
        return ERR_OK;
    const size_t room = 2 * count;
    uint8_t *marks = realloc(part->marks, room);

    if (marks == NULL)
        return ERR_NO_MEMORY(err, room);
    part->marks = marks;
    part->mark_room = room;
    return ERR_OK;
}

static bool part_bad_ends(const void *range, uint64_t at)
{
    const struct io_bad_range *bad = range;

    return bad->offset + bad->len <= at;
}

/* Whether a byte of the hit is in a bad range. */
static bool part_is_bad(const struct part *part, const struct hit *hit)
{
    const size_t at =
        bisect(part->bad, part->bad_count, sizeof *part->bad, part_bad_ends, hit->offset);

    return at < part->bad_count && part->bad[at].offset < hit->offset + hit->len;
}

enum err_code part_sound_hits(struct part *part, const struct hit **hits, uint32_t *count,
                              struct err *err)
{
    uint32_t kept = 0;

    if (part->bad_count == 0)
        return ERR_OK;
    if (*count > part->sound_room) {
        struct hit *sound = realloc(part->sound, *count * sizeof *sound);

        if (sound == NULL)
            return ERR_NO_MEMORY(err, *count * sizeof *sound);
        part->sound = sound;
        part->sound_room = *count;
    }
    for (uint32_t i = 0; i < *count; i++)
        if (!part_is_bad(part, &(*hits)[i]))
            part->sound[kept++] = (*hits)[i];
    *hits = part->sound;
    *count = kept;
    return ERR_OK;
}
