/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_vhdx.c - headers, tables, metadata and a log of any bytes, in a VHDX; see
 * lib_container.h.
 *
 * A VHDX is megabytes long, and only a few of its pages matter. So the bytes are cut into pages of
 * 512, which go to the places of these, and magics and checksums are made right: without them
 * nothing would come past the header. Of the log, an entry of two sectors gets what makes it one of
 * the disk's last use. vhdx_seeds.py has the pages of a sound one. Each run writes to the same
 * places, and nothing else is ever written, so one file does for all: to make megabytes of zeros
 * anew took most of the time.
 */
#include "io/image/crc32c.h"
#include "tests/fuzz/lib_container.h"

enum { PAGE = 512, HEADER = 64 << 10, HEADER_LEN = 4096, REGIONS = 192 << 10, MIB = 1 << 20 };

static void sum(uint8_t *bytes, size_t len)
{
    memset(bytes + 4, 0, 4);
    const uint32_t crc = io_crc32c(0, bytes, len);
    for (uint32_t i = 0; i < 4; i++)
        bytes[4 + i] = (uint8_t)(crc >> 8 * i);
}

/* Writes len bytes that begin with data, the magic and their checksum. */
static void put_sound(int fd, uint64_t at, const char *magic, const uint8_t *data, size_t len)
{
    static uint8_t bytes[64 << 10];
    memset(bytes, 0, len);
    memcpy(bytes, data, PAGE);
    memcpy(bytes, magic, 4);
    sum(bytes, len);
    fuzz_put(fd, at, bytes, len);
}

/* Writes the page as an entry of the log; the sector of its first change repeats its end. */
static void put_entry(int fd, const uint8_t *header, const uint8_t *page)
{
    enum { SECTOR = 4096, AT_LEN = 8, AT_NUMBER = 16, AT_ID = 32, AT_HEADER_ID = 48 };
    static uint8_t entry[2 * SECTOR];
    memset(entry, 0, sizeof entry);
    memcpy(entry, page, PAGE);
    memcpy(entry, "loge", 4);
    memcpy(entry + AT_LEN, "\0\x20\0\0", 4);
    memcpy(entry + AT_ID, header + AT_HEADER_ID, 16);
    for (uint32_t i = 0; i < SECTOR; i++)
        entry[SECTOR + i] = page[PAGE / 2 + i % (PAGE / 2)];
    memcpy(entry + SECTOR, "data", 4);
    memcpy(entry + SECTOR + 4, page + AT_NUMBER + 4, 4);
    memcpy(entry + sizeof entry - 4, page + AT_NUMBER, 4);
    sum(entry, sizeof entry);
    fuzz_put(fd, MIB, entry, sizeof entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The table of items, the items, the block table. */
    static const uint64_t places[] = { 2 * MIB, 2 * MIB + (64 << 10), 3 * MIB };
    char path[64];

    if (size < 6 * PAGE)
        return 0;
    const int fd = fuzz_kept(path, 8 * MIB);
    fuzz_put(fd, 0, (const uint8_t *)"vhdxfile", 8);
    put_sound(fd, HEADER, "head", data, HEADER_LEN);
    put_sound(fd, REGIONS, "regi", data + PAGE, 64 << 10);
    put_entry(fd, data, data + 2 * PAGE);
    for (uint32_t i = 0; i < 3; i++)
        fuzz_put(fd, places[i], data + (3 + (size_t)i) * PAGE, PAGE);
    fuzz_read(path, "vhdx");
    return 0;
}
