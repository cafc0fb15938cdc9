/*
 * tests/fuzz/fuzz_qcow2.c - a file of any bytes behind the magic of a qcow2; see lib_container.h.
 * Nothing in one has a checksum.
 */
#include "tests/fuzz/lib_container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const int fd = fuzz_file(path);

    fuzz_put(fd, 0, data, size);
    fuzz_put(fd, 0, (const uint8_t *)"QFI\xfb", 4);
    close(fd);
    fuzz_open(path, "qcow2");
    return 0;
}
