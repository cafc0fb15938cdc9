/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_vdi.c - a file of any bytes behind the magic of a VDI; see lib_container.h. */
#include "tests/fuzz/lib_container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const int fd = fuzz_file(path);

    fuzz_put(fd, 0, data, size);
    if (size > 68)
        fuzz_put(fd, 64, (const uint8_t *)"\x7f\x10\xda\xbe", 4);
    close(fd);
    fuzz_open(path, "vdi");
    return 0;
}
