/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/likely.c - see likely.h. */
#include "carver/assemble/likely.h"

static bool likely_may(const struct likely_tell *tell, const struct whole *whole)
{
    const uint64_t begin = whole->start->offset;

    for (size_t i = 0; i < tell->told.count; i++)
        if (tell->told.items[i].begin <= begin && tell->told.items[i].end > begin)
            return false;
    for (uint32_t i = 0; i < whole->run_count; i++)
        if (unread_bytes(tell->unread, whole->runs[i].offset, whole->runs[i].len) > 0)
            return false;
    return whole->run_count >= 2 && whole->run_count <= DB_LIKELY_PIECES;
}

enum err_code likely_tell(struct likely_tell *tell, const struct whole *whole, struct err *err)
{
    struct db_extent extents[DB_LIKELY_PIECES];
    uint64_t sum = 0;

    if (!likely_may(tell, whole))
        return ERR_OK;
    for (uint32_t i = 0; i < whole->run_count; i++)
        extents[i] = (struct db_extent){ whole->runs[i].offset, whole->runs[i].len };
    enum err_code rc = whole_sum(tell->splice, whole, &sum, err);
    const struct db_likely row = { .hit_id = whole->start->hit_id,
                                   .image_id = tell->image_id,
                                   .type = whole->type->name,
                                   .extension = whole->type->extension,
                                   .reason = whole->why,
                                   .wrong = whole->wrong,
                                   .tried = whole->tried,
                                   .text = whole->text,
                                   .has_crc64 = true,
                                   .crc64 = sum,
                                   .extents = extents,
                                   .extent_count = whole->run_count };
    if (rc == ERR_OK)
        rc = told_likely(tell->rows, &row, err);
    for (uint32_t i = 0; rc == ERR_OK && i < whole->run_count; i++)
        rc = ground_add(&tell->told, extents[i].offset, extents[i].offset + extents[i].len,
                        whole->start->hit_id, err);
    tell->count += rc == ERR_OK;
    return rc;
}
