/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/inflate.c - see inflate.h. */
#include "signatures/lib/inflate.h"

#include "base/uninitialized.h"

enum { INFLATE_PIECE = 512, INFLATE_OUT = 32 * 1024 }; /* bytes in and out at a time */

enum step inflate_range(struct sig_input *in, struct inflate_state *inflate, uint64_t *at,
                        uint64_t to, struct inflate_got *got)
{
    uint8_t out[INFLATE_OUT] UNINITIALIZED;

    if (to > in->limit)
        to = in->limit;
    while (!inflate_ended(inflate)) {
        /* Always the same pieces: igzip decodes ahead of its output, so that where it meets a fault
         * depends on how it is fed. */
        const uint64_t rest = *at < to ? to - *at : 0;
        const uint32_t len = rest == 0 ? 1 : rest < INFLATE_PIECE ? (uint32_t)rest : INFLATE_PIECE;

        if (rest == 0 && to < in->limit)
            return STEP_BAD;
        const uint8_t *bytes = sig_bytes(in, *at, len);
        if (bytes == NULL)
            return STEP_WAIT;
        if (!inflate_zeros(&got->zeros, bytes, len))
            return STEP_BAD;
        inflate_give(inflate, bytes, len);
        do {
            uint32_t more;

            if (!inflate_take(inflate, out, sizeof out, &more) ||
                !sig_unpacked(in, *at + len, more))
                return STEP_BAD;
            got->bytes += more;
        } while (inflate_more(inflate));
        *at += len;
        if (inflate_ended(inflate))
            *at -= inflate_unused(inflate);
    }
    return STEP_DONE;
}
