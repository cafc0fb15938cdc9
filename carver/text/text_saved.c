/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_saved.c - see text_saved.h.
 *
 *   sectors of the stretch    how many of them may begin text    for each: sectors left out before
 * it
 */
#include "carver/text/text_saved.h"

#include "base/grow.h"
#include "base/limits.h"

void text_starts_save(const struct text_starts *starts, struct pack *out)
{
    const bool few = starts->count <= TEXT_SPOTS_MAX;
    const size_t count = few ? starts->count : 0;
    uint64_t next = starts->from;

    pack_number(out, few ? (starts->to - starts->from) / LIMIT_SECTOR : 0);
    pack_number(out, count);
    for (size_t i = 0; i < count; i++) {
        pack_number(out, (starts->items[i] - next) / LIMIT_SECTOR);
        next = starts->items[i] + LIMIT_SECTOR;
    }
}

enum err_code text_starts_restore(struct text_starts *starts, uint64_t from, uint64_t to,
                                  struct unpack *in, struct err *err)
{
    const uint64_t most = from % LIMIT_SECTOR == 0 ? (to - from) / LIMIT_SECTOR : 0;
    const uint64_t sectors = unpack_number(in, most);
    const uint32_t count = unpack_count(in);
    enum err_code rc = ERR_OK;
    uint64_t next = 0;

    in->failed = in->failed || count > TEXT_SPOTS_MAX;
    text_starts_clear(starts);
    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++) {
        next += unpack_number(in, sectors - next);
        in->failed = in->failed || next == sectors;
        rc = grow_items(&starts->items, starts->count, &starts->room, sizeof *starts->items, err);
        if (rc == ERR_OK)
            starts->items[starts->count++] = from + next++ * LIMIT_SECTOR;
    }
    if (rc != ERR_OK || in->failed) {
        text_starts_clear(starts);
        return rc;
    }
    starts->from = from;
    starts->to = from + sectors * LIMIT_SECTOR;
    return ERR_OK;
}

void text_spots_save(const struct text_starts *starts, struct pack *out)
{
    pack_number(out, starts->from);
    text_starts_save(starts, out);
}

enum err_code text_spots_restore(struct text_spots *spots, const uint8_t *bytes, size_t len,
                                 uint64_t end, bool *right, struct err *err)
{
    struct unpack in = { .at = bytes, .end = bytes + len };
    struct text_starts starts = { 0 };
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && in.at < in.end && !in.failed) {
        const struct io_range *last =
            spots->seen_count > 0 ? &spots->seen[spots->seen_count - 1] : NULL;
        const uint64_t from = unpack_number(&in, end);
        bool added;

        in.failed = in.failed || (last != NULL && from < last->offset + last->len);
        rc = text_starts_restore(&starts, from, end, &in, err);
        if (rc == ERR_OK)
            rc = text_spots_add(spots, &starts, &added, err);
    }
    text_starts_release(&starts);
    *right = unpack_whole(&in);
    return rc;
}
