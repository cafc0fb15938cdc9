/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_shrink.c - a small picture of any bytes. The library itself is Debian's, without
 * sanitizers; found: what we do with what it says of sides and lengths.
 */
#include <stdlib.h>

#include "carver/report/html/shrink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct lib_turbojpeg jpeg;
    static uint8_t small[SHRINK_BYTES];

    if (jpeg.tjInitCompress == NULL && lib_turbojpeg_open(&jpeg, NULL) != ERR_OK)
        abort();
    const struct shrunk shrunk = shrink_jpeg(&jpeg, data, size, small);
    if (shrunk.len > SHRINK_BYTES || shrunk.damaged > 1)
        abort();
    return 0;
}
