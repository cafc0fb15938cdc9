/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_served.c - what is looked at of containers that QEMU reads, in a file of any
 * bytes and any size: the table of a Parallels image, the header of a LUKS volume.
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

static void check(enum err_code (*whole)(const char *, int, uint64_t, struct err *), int fd,
                  uint64_t size)
{
    struct err err = { 0 };

    if (whole("fuzz", fd, size, &err) != ERR_OK && err.text[0] == '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t hole;

    if (size < sizeof hole)
        return 0;
    memcpy(&hole, data, sizeof hole);
    const size_t have = size - sizeof hole;
    const uint64_t whole = have + hole % FUZZ_HOLE_MAX;
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0)
        return 0;
    if (pwrite(fd, data + sizeof hole, have, 0) == (ssize_t)have &&
        ftruncate(fd, (off_t)whole) == 0 && whole > 0) {
        check(io_parallels_check, fd, whole);
        check(io_luks_check, fd, whole);
    }
    close(fd);
    return 0;
}
