/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/png_walk.c - see png_walk.h. */
#include <isa-l/crc.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/picture/png_walk.h"

enum { PNG_WALK_CRC = 4 };

enum step png_walk_chunk(struct sig_input *in, struct png_walk *walk, uint64_t end)
{
    const uint8_t *head = sig_bytes(in, walk->chunk, PNG_WALK_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    const uint64_t data_end = walk->chunk + PNG_WALK_HEAD + bytes_u32be(head);
    if (data_end + PNG_WALK_CRC > end)
        return STEP_BAD;
    if (walk->summed == 0) {
        walk->crc = crc32_gzip_refl(0, head + 4, 4);
        walk->summed = walk->chunk + PNG_WALK_HEAD;
    }
    if (crc32_add(in, &walk->summed, data_end, &walk->crc) == STEP_WAIT)
        return STEP_WAIT;
    const uint8_t *crc = sig_bytes(in, data_end, PNG_WALK_CRC);
    if (crc == NULL)
        return STEP_WAIT;
    if (bytes_u32be(crc) != walk->crc)
        return STEP_BAD;
    walk->chunk = data_end + PNG_WALK_CRC;
    walk->summed = 0;
    return STEP_DONE;
}

enum step png_walk_file(struct sig_input *in, struct png_walk *walk, uint64_t from, uint64_t end,
                        uint32_t pad)
{
    if (walk->chunk == 0) {
        const uint8_t *head = sig_bytes(in, from, PNG_WALK_SIGNATURE + PNG_WALK_HEAD);

        if (head == NULL)
            return STEP_WAIT;
        if (memcmp(head, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", PNG_WALK_SIGNATURE + PNG_WALK_HEAD) !=
            0)
            return STEP_BAD;
        walk->chunk = from + PNG_WALK_SIGNATURE;
    }
    for (;;) {
        const uint8_t *head = sig_bytes(in, walk->chunk, PNG_WALK_HEAD);

        if (head == NULL)
            return STEP_WAIT;
        const bool last = memcmp(head, "\0\0\0\0IEND", PNG_WALK_HEAD) == 0;
        const enum step step = png_walk_chunk(in, walk, end);
        if (step != STEP_DONE)
            return step;
        if (last)
            return end - walk->chunk <= pad ? STEP_DONE : STEP_BAD;
    }
}
