/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_vhd.c - a file of any bytes, with the magics and checksums of a VHD; see
 * lib_container.h. Without the checksums nothing would come past the footer.
 *
 * Blocks of a VHD have 64 KiB at least, most of which is no matter. So where the first byte is
 * even, a hole follows the others, and the footer's copy ends it.
 */
#include "base/bytes.h"
#include "tests/fuzz/lib_container.h"

enum { FOOTER = 512, HEADER = 1024, AT_FOOTER_SUM = 64, AT_HEADER_SUM = 36, HOLE = 160 << 10 };

static void put_sum(uint8_t *bytes, size_t len, size_t at)
{
    uint32_t sum = 0;

    memset(bytes + at, 0, 4);
    for (size_t i = 0; i < len; i++)
        sum += bytes[i];
    for (uint32_t i = 0; i < 4; i++)
        bytes[at + i] = (uint8_t)(~sum >> (24 - 8 * i));
}

/* What a VHD has in front of its data, with magics and checksums. */
static void mend(uint8_t *bytes, size_t size)
{
    const uint64_t header = bytes_u64be(bytes + 16);

    memcpy(bytes, "conectix", 8);
    put_sum(bytes, FOOTER, AT_FOOTER_SUM);
    if (header <= size - HEADER) {
        memcpy(bytes + header, "cxsparse", 8);
        put_sum(bytes + header, HEADER, AT_HEADER_SUM);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes;
    char path[64];

    if (size < 1 + FOOTER + HEADER)
        return 0;
    const bool hole = (data[0] & 1) == 0;
    bytes = malloc(--size);
    fuzz_must(bytes != NULL);
    memcpy(bytes, data + 1, size);
    mend(bytes, size);
    if (!hole)
        put_sum(bytes + size - FOOTER, FOOTER, AT_FOOTER_SUM);
    const int fd = fuzz_file(path);
    fuzz_put(fd, 0, bytes, size);
    if (hole)
        fuzz_put(fd, size + HOLE, bytes, FOOTER);
    close(fd);
    free(bytes);
    fuzz_open(path, "vhd");
    return 0;
}
