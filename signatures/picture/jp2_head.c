/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jp2_head.c - see jp2_head.h. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/picture/jp2_head.h"

enum step jp2_head_read(struct sig_input *in, uint64_t at, bool (*known)(const uint8_t *type),
                        struct jp2_head *out)
{
    const uint8_t *bytes = sig_bytes(in, at, JP2_HEAD);

    if (bytes == NULL)
        return STEP_WAIT;
    *out =
        (struct jp2_head){ .known = known(bytes + 4), .len = JP2_HEAD, .box = bytes_u32be(bytes) };
    memcpy(out->type, bytes + 4, sizeof out->type);
    if (!out->known || out->box != 1)
        return STEP_DONE;
    bytes = sig_bytes(in, at + JP2_HEAD, 8);
    if (bytes == NULL)
        return STEP_WAIT;
    out->box = bytes_u64be(bytes);
    out->len = JP2_HEAD_WIDE;
    return STEP_DONE;
}
