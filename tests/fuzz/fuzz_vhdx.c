/*
 * tests/fuzz/fuzz_vhdx.c - headers, tables, metadata and a log of any bytes, in a VHDX; see
 * lib_container.h.
 *
 * A VHDX is megabytes long, and only a few of its pages matter. So the bytes are cut into pages of
 * 512, which go to the places of these, and magics and checksums are made right: without them
 * nothing would come past the header.
 */
#include "io/image/crc32c.h"
#include "tests/fuzz/lib_container.h"

enum { PAGE = 512, HEADER = 64 << 10, HEADER_LEN = 4096, REGIONS = 192 << 10, MIB = 1 << 20 };

/* Writes len bytes that begin with data, the magic and their checksum. */
static void put_sound(int fd, uint64_t at, const char *magic, const uint8_t *data, size_t len)
{
    static uint8_t bytes[64 << 10];
    memset(bytes, 0, len);
    memcpy(bytes, data, PAGE);
    memcpy(bytes, magic, 4);
    memset(bytes + 4, 0, 4);
    const uint32_t sum = io_crc32c(0, bytes, len);
    for (uint32_t i = 0; i < 4; i++)
        bytes[4 + i] = (uint8_t)(sum >> 8 * i);
    fuzz_put(fd, at, bytes, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The log, the table of items, the items, the block table. */
    static const uint64_t places[] = { MIB, 2 * MIB, 2 * MIB + (64 << 10), 3 * MIB };
    char path[64];

    if (size < 6 * PAGE)
        return 0;
    const int fd = fuzz_file(path);
    fuzz_must(ftruncate(fd, 8 * MIB) == 0);
    fuzz_put(fd, 0, (const uint8_t *)"vhdxfile", 8);
    put_sound(fd, HEADER, "head", data, HEADER_LEN);
    put_sound(fd, REGIONS, "regi", data + PAGE, 64 << 10);
    for (uint32_t i = 0; i < 4; i++)
        fuzz_put(fd, places[i], data + (2 + (size_t)i) * PAGE, PAGE);
    close(fd);
    fuzz_open(path, "vhdx");
    return 0;
}
