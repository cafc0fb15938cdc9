/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_vmdk_stream.c - a file of any bytes behind the magic and the flags of a VMDK in
 * one packed file; see lib_container.h.
 */
#include "tests/fuzz/lib_container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t flags[] = { 1, 0, 3, 0 };
    char path[64];

    if (size < 512)
        return 0;
    const int fd = fuzz_file(path);
    fuzz_put(fd, 0, data, size);
    fuzz_put(fd, 0, (const uint8_t *)"KDMV", 4);
    fuzz_put(fd, 8, flags, sizeof flags);
    close(fd);
    fuzz_open(path, "vmdk");
    return 0;
}
