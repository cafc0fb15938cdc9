/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/stitch_link.c - the hits of a part stay in its shard: where they are there, and which
 * of them were recorded.
 */

#include "carver/scan/stitch_impl.h"
#include "db/sha256.h"

/* Notes which hits have no id; *count: how many have one. */
static void link_left_out(const struct stitch *s, uint32_t all, struct pack *out, uint32_t *count)
{
    uint32_t next = 0;

    *count = 0;
    for (uint32_t i = 0; i < all; i++) {
        if (s->ids[i] != 0) {
            ++*count;
            continue;
        }
        pack_number(out, i - next);
        next = i + 1;
    }
}

enum err_code stitch_link(const struct stitch *s, const struct part *part, struct err *err)
{
    const uint32_t all = part->found.hit_count;
    char sha256[DB_SHA256_HEX + 1];
    struct pack left_out = { 0 };
    uint32_t count = 0, first = 0;
    enum err_code rc = ERR_OK;

    link_left_out(s, all, &left_out, &count);
    if (count == 0) {
        pack_release(&left_out);
        return ERR_OK;
    }
    while (s->ids[first] == 0)
        first++;
    rc = left_out.failed ? ERR_NO_MEMORY(err, left_out.len)
                         : db_sha256(part->hits, part->hits_len, sha256, err);
    if (rc == ERR_OK)
        rc = record_link(s->options.record,
                         &(struct db_linked){ .first_id = s->ids[first],
                                              .hits = count,
                                              .shard = part->shard,
                                              .at = part->hits_at,
                                              .len = part->hits_len,
                                              .sha256 = sha256,
                                              .left_out = left_out.bytes,
                                              .left_out_len = left_out.len },
                         err);
    pack_release(&left_out);
    return rc;
}
