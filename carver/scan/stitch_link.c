/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/stitch_link.c - the hits and objects of a part stay in its shard: where they are
 * there, and which of them are of the case.
 */
#include <string.h>

#include "carver/scan/stitch_impl.h"

bool stitch_stays(const struct stitch *s, const struct found_object *object)
{
    /* Where runs are chosen an object may be cut; a CRC that the part has not taken comes later. */
    return s->options.link && s->options.plan->runs == NULL && object->has_crc64 &&
           strlen(object->why) < RECORD_REASON;
}

void stitch_keep(struct stitch *s, const struct found_object *object, int64_t id)
{
    const struct db_place place = {
        .id = id,
        .offset = object->offset,
        .len = object->len,
        .validated = true,
        .proven = object->proven,
        .container = (s->options.plan->sigs[object->sig]->flags & SIG_CONTAINER) != 0,
        .complete = object->complete,
        .slack = object->slack,
    };

    record_object_stays(s->options.record, object->sig, &place);
}

void stitch_leave_out(struct stitch *s, uint32_t number)
{
    if (!s->options.link)
        return;
    pack_number(&s->left_out, number - s->left_out_next);
    s->left_out_next = number + 1;
    s->left_out_count++;
}

/* Notes which hits have no id; *count: how many have one. */
static void link_left_out(const struct stitch *s, uint32_t all, struct pack *out, uint32_t *count)
{
    uint32_t next = 0, gone = 0;

    for (uint32_t i = 0; i < all; i++)
        gone += s->ids[i] == 0;
    *count = all - gone;
    if (gone == 0 && s->left_out_count == 0)
        return;
    pack_number(out, gone);
    for (uint32_t i = 0; i < all && gone > 0; i++) {
        if (s->ids[i] != 0)
            continue;
        pack_number(out, i - next);
        next = i + 1;
    }
    pack_number(out, s->left_out_count);
    if (s->left_out_count > 0)
        pack_bytes(out, s->left_out.bytes, s->left_out.len);
}

enum err_code stitch_link(struct stitch *s, const struct part *part, struct err *err)
{
    const uint32_t all = part->found.hit_count;
    struct pack left_out = { 0 };
    uint32_t count = 0, first = 0;
    enum err_code rc = ERR_OK;

    link_left_out(s, all, &left_out, &count);
    if (left_out.failed || s->left_out.failed)
        rc = ERR_NO_MEMORY(err, left_out.len);
    while (first < all && s->ids[first] == 0)
        first++;
    if (rc == ERR_OK && count > 0)
        rc = record_link(s->options.record,
                         &(struct db_linked){ .first_id = s->ids[first],
                                              .hits = count,
                                              .shard = part->shard,
                                              .at = part->rows_at,
                                              .len = part->rows_len,
                                              .sha256 = part->rows_sha256,
                                              .left_out = left_out.bytes,
                                              .left_out_len = left_out.len },
                         err);
    pack_release(&left_out);
    pack_clear(&s->left_out);
    s->left_out_count = s->left_out_next = 0;
    return rc;
}
