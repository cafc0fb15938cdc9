/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_saved.c - see text_saved.h.
 *
 *   sectors of the stretch    how many of them may begin text    for each: sectors left out before
 *   it    of how many something is said    for each: sectors from the one before, what is said
 */
#include "carver/text/text_saved.h"

#include "base/grow.h"
#include "base/limits.h"

static void saved_said(const struct text_starts *starts, size_t count, struct pack *out)
{
    uint64_t next = starts->from;

    pack_number(out, count);
    for (size_t i = 0; i < count; i++) {
        const struct text_said *said = &starts->said[i];

        pack_number(out, (said->at - next) / LIMIT_SECTOR);
        pack_number(out, said->kind);
        pack_number(out, said->zeros);
        pack_number(out, said->len);
        pack_number(out, said->over);
        if (said->kind != TEXT_SAID_NONE) {
            pack_number(out, said->type);
            pack_u64(out, said->crc64);
        }
        next = said->at + LIMIT_SECTOR;
    }
}

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
    saved_said(starts, few ? starts->said_count : 0, out);
}

/* What is said is for those that may begin text. */
static enum err_code saved_read_said(struct text_starts *starts, uint64_t from, uint64_t sectors,
                                     struct unpack *in, struct err *err)
{
    const uint32_t count = unpack_count(in);
    enum err_code rc = ERR_OK;
    uint64_t next = 0;

    in->failed = in->failed || count > starts->count;
    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++) {
        next += unpack_number(in, sectors - next);
        in->failed = in->failed || next == sectors;
        struct text_said said = { .at = from + next++ * LIMIT_SECTOR };

        said.kind = (uint8_t)unpack_number(in, TEXT_SAID_KINDS - 1);
        said.zeros = unpack_flag(in);
        said.len = (uint32_t)unpack_number(in, UINT32_MAX);
        said.over = (uint16_t)unpack_number(in, UINT16_MAX);
        if (said.kind != TEXT_SAID_NONE) {
            said.type = (uint8_t)unpack_number(in, UINT8_MAX);
            said.crc64 = unpack_u64(in);
        }
        in->failed = in->failed || said.len == 0;
        rc = grow_items(&starts->said, starts->said_count, &starts->said_room, sizeof said, err);
        if (rc == ERR_OK)
            starts->said[starts->said_count++] = said;
    }
    return rc;
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
    if (rc == ERR_OK && !in->failed)
        rc = saved_read_said(starts, from, sectors, in, err);
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
