/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_ranges.c - names of ranges of any bytes: what a user asks a mount for.
 *
 * Found: crashes, bytes outside of the image, lengths that are not the sum of the pieces, two ways
 * to write one number.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/mount/ranges.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

static void check(const char *name, uint64_t image_size)
{
    struct ranges ranges;
    char again[RANGES_NAME_MAX + 64] = "";
    size_t at = 0;

    if (!ranges_read(name, image_size, &ranges))
        return;
    must(ranges.count > 0 && ranges.count <= RANGES_MAX && ranges.pieces[0].start == 0);
    for (uint32_t i = 0; i < ranges.count; i++) {
        const struct ranges_piece *piece = &ranges.pieces[i];
        const uint64_t end = i + 1 < ranges.count ? piece[1].start : ranges.len;
        const uint64_t len = end - piece->start;

        must(end > piece->start && ranges.len <= INT64_MAX);
        must(piece->offset == RANGES_HOLE ||
             (piece->offset <= image_size && len <= image_size - piece->offset));
        at += (size_t)(piece->offset == RANGES_HOLE
                           ? snprintf(again + at, sizeof again - at, "%sS%" PRIu64,
                                      i > 0 ? "_" : "", len)
                           : snprintf(again + at, sizeof again - at, "%s%" PRIu64 "+%" PRIu64,
                                      i > 0 ? "_" : "", piece->offset, len));
        must(at < sizeof again);
    }
    must(strncmp(name, again, at) == 0 && (name[at] == '\0' || name[at] == '.'));
}

/* The first byte says how large the image is, as a power of two. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *name = malloc(size);
    must(name != NULL);
    memcpy(name, data + 1, size - 1);
    name[size - 1] = '\0';
    check(name, UINT64_C(1) << (data[0] & 63));
    free(name);
    return 0;
}
