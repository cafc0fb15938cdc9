/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_vhd.c - a file of any bytes, with the magics and checksums of a VHD; see
 * lib_container.h. Without the checksums nothing would come past the footer.
 */
#include "base/bytes.h"
#include "tests/fuzz/lib_container.h"

enum { FOOTER = 512, HEADER = 1024, AT_FOOTER_SUM = 64, AT_HEADER_SUM = 36 };

static void put_sum(uint8_t *bytes, size_t len, size_t at)
{
    uint32_t sum = 0;

    memset(bytes + at, 0, 4);
    for (size_t i = 0; i < len; i++)
        sum += bytes[i];
    for (uint32_t i = 0; i < 4; i++)
        bytes[at + i] = (uint8_t)(~sum >> (24 - 8 * i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    char path[64];
    const int fd = fuzz_file(path);

    fuzz_must(bytes != NULL);
    memcpy(bytes, data, size);
    if (size >= FOOTER + HEADER) {
        uint64_t header = bytes_u64be(bytes + 16);

        memcpy(bytes, "conectix", 8);
        put_sum(bytes, FOOTER, AT_FOOTER_SUM);
        if (header <= size - HEADER) {
            memcpy(bytes + header, "cxsparse", 8);
            put_sum(bytes + header, HEADER, AT_HEADER_SUM);
        }
        put_sum(bytes + size - FOOTER, FOOTER, AT_FOOTER_SUM);
    }
    fuzz_put(fd, 0, bytes, size);
    close(fd);
    free(bytes);
    fuzz_open(path, "vhd");
    return 0;
}
