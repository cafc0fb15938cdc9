/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/tail.c - see tail.h. */
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/tail.h"

enum { TAIL_PIECE = 16 * 1024 };

/* What the record at image offset at says of the bytes between the pieces; 0: nothing. */
static uint64_t tail_says(const struct sig *sig, const uint8_t *record, uint64_t start, uint64_t at)
{
    const uint64_t object = sig->tail_at(record);

    if (object == 0 || object >= at - start)
        return 0;
    const uint64_t gap = at - start - object;
    return gap <= TAIL_GAP && gap % LIMIT_SECTOR == 0 ? gap : 0;
}

/* Copies bytes of the image, and zeros behind those that are there, whose number it returns. */
static uint32_t tail_copy(struct splice *splice, uint64_t image_len, uint64_t at, uint8_t *out,
                          uint32_t len)
{
    uint32_t copied = 0;

    while (copied < len && at + copied < image_len) {
        uint32_t have = 0;
        const uint8_t *bytes = splice_image(splice, at + copied, &have);

        if (bytes == NULL)
            break;
        have = have < len - copied ? have : len - copied;
        memcpy(out + copied, bytes, have);
        copied += have;
    }
    memset(out + copied, 0, len - copied);
    return copied;
}

uint64_t tail_gap(struct splice *splice, uint64_t image_len, const struct sig *sig, uint64_t start,
                  uint64_t from, uint64_t *read)
{
    const struct sig_pattern *tail = &sig->tail;
    uint8_t bytes[TAIL_PIECE + SIG_TAIL];
    uint64_t gap = 0;

    /* What is read overlaps by one record, so that each lies whole in one part of it. */
    for (uint64_t at = from; gap == 0 && at < image_len && at - from < TAIL_REACH;
         at += TAIL_PIECE) {
        const uint32_t len = tail_copy(splice, image_len, at, bytes, sizeof bytes);
        const uint8_t *next = memmem(bytes, len, tail->bytes, tail->len);

        *read += len;
        while (gap == 0 && next != NULL && next < bytes + TAIL_PIECE) {
            gap = tail_says(sig, next, start, at + (uint64_t)(next - bytes));
            next++;
            next = memmem(next, (size_t)(bytes + len - next), tail->bytes, tail->len);
        }
    }
    return gap;
}
