/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_qcow2.c - a file of any bytes behind the magic of a qcow2, read as it is now and
 * as its first snapshot; see lib_container.h. Nothing in one has a checksum.
 */
#include "tests/fuzz/lib_container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = { "qcow2", "qcow2@1" };
    char path[64];

    for (uint32_t i = 0; i < 2; i++) {
        const int fd = fuzz_file(path);

        fuzz_put(fd, 0, data, size);
        fuzz_put(fd, 0, (const uint8_t *)"QFI\xfb", 4);
        close(fd);
        fuzz_open(path, types[i]);
    }
    return 0;
}
