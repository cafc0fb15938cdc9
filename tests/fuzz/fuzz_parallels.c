/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_parallels.c - the table of a Parallels image of any bytes, of a file of any size.
 *
 * Found: crashes, tables without an end. The first 8 bytes say how far a hole follows the others.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/image/container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_HOLE_MAX = 1 << 22 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t hole;
    struct err err = { 0 };

    if (size < sizeof hole)
        return 0;
    memcpy(&hole, data, sizeof hole);
    const size_t have = size - sizeof hole;
    const uint64_t whole = have + hole % FUZZ_HOLE_MAX;
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0)
        return 0;
    if (pwrite(fd, data + sizeof hole, have, 0) == (ssize_t)have &&
        ftruncate(fd, (off_t)whole) == 0 && whole > 0 &&
        io_parallels_check("fuzz", fd, whole, &err) != ERR_OK && err.text[0] == '\0')
        abort();
    close(fd);
    return 0;
}
