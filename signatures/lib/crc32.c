/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/crc32.c - see crc32.h. */
#include "signatures/lib/crc32.h"

#include <isa-l/crc.h>

enum step crc32_add(struct sig_input *in, uint64_t *at, uint64_t to, uint32_t *crc)
{
    while (*at < to) {
        uint32_t len;
        const uint8_t *bytes = sig_span_to(in, *at, to, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        *crc = crc32_gzip_refl(*crc, bytes, len);
        *at += len;
    }
    return STEP_DONE;
}
