/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fill_flow.c - see fill_impl.h.
 *
 * Other bytes inflate as well as a file's own, for a while, and look like them. How they follow the
 * pieces (struct sig, flow) tells most of them apart before the validator is asked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/fill_impl.h"

enum {
    FLOW_BEHIND = 64, /* bytes behind the pieces, so that the walk comes to their end */
    FLOW_SURE = 24,   /* bits: see units_flow.c */
    FLOW_VAIN = 2,    /* times in a row that it says nothing: then it is not asked any more */
    FLOW_WORK = 2,    /* work of reading each byte of the pieces, */
    FLOW_EACH = 256,  /* and of each hole */
};

/* The bytes of all pieces, and zeros behind them. NULL: there is no memory, or they are too many */
static uint8_t *flow_here(struct fill *fill, const struct sig_flow *sig, uint32_t len)
{
    uint8_t *here = len <= sig->most ? malloc(len + SIG_FLOW_SLACK) : NULL;
    uint32_t at = 0;

    for (uint32_t i = 0; here != NULL && i < fill->count; i++) {
        splice_copy(&fill->trial->splice, fill->runs[i].offset, here + at,
                    (uint32_t)fill->runs[i].len);
        at += (uint32_t)fill->runs[i].len;
    }
    if (here != NULL)
        memset(here + at, 0, len + SIG_FLOW_SLACK - at);
    return here;
}

bool fill_flows(struct fill *fill, bool *follows)
{
    const struct sig_flow *sig = fill->job->start->sig->flow;
    const struct resemble *heads = &fill->job->holes->heads;
    const uint32_t len =
        (uint32_t)(fill->cut < UINT32_MAX / 2 ? fill->cut : UINT32_MAX / 2) + FLOW_BEHIND;
    uint8_t *here = sig != NULL && fill->flows_vain < FLOW_VAIN ? flow_here(fill, sig, len) : NULL;
    const struct sig_flow_job job = {
        .here = here, .here_len = len, .cut = len - FLOW_BEHIND, .step = UINT32_C(1) << 30
    };
    void *flow = here != NULL ? sig->open(&job) : NULL;
    bool any = false;

    for (uint32_t i = 0; flow != NULL && i < fill->way_count; i++) {
        const uint32_t room = HOLES_HEAD * LIMIT_SECTOR;
        const uint8_t *there = heads->bytes + (size_t)fill->ways[i].hole * room;
        uint32_t end = 0;
        const uint32_t bits = sig->follow(flow, there, room < sig->there ? room : sig->there, &end);

        follows[i] = bits >= FLOW_SURE;
        any = any || follows[i];
    }
    if (here != NULL)
        fill->trial->work += (uint64_t)len * FLOW_WORK + (uint64_t)fill->way_count * FLOW_EACH;
    if (flow != NULL)
        sig->close(flow);
    free(here);
    if (sig != NULL)
        fill->flows_vain = any ? 0 : fill->flows_vain + 1;
    return any;
}
