/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_aff4.c - metadata, a map, its targets, an index and a bevvy of any bytes, in an
 * AFF4; see lib_container.h.
 *
 * The bytes are cut into these parts by their first five numbers, and become members of a ZIP of
 * which names, lengths and checksums are right: without them nothing would come past the directory.
 * Where the first byte is odd, they are a ZIP as they stand, of which only the magic is right. The
 * stream and the map have the names that the metadata of aff4_seeds.py use. Then each stream is
 * opened by itself.
 */
#include <libdeflate.h>

#include "base/bytes.h"
#include "io/image/aff4_blocks.h"
#include "tests/fuzz/lib_container.h"

enum { PARTS = 5, PARTS_HEAD = 1 + 2 * PARTS, NAMES_MAX = 64, DIRECTORY_MAX = 4096 };

struct zip {
    int fd;
    uint64_t at;
    uint8_t directory[DIRECTORY_MAX];
    size_t directory_len;
    uint16_t count;
};

static void put(uint8_t *bytes, uint64_t value, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void zip_add(struct zip *zip, const char *name, const uint8_t *bytes, size_t len)
{
    const size_t name_len = strlen(name);
    uint8_t header[30] = "PK\3\4", *entry = zip->directory + zip->directory_len;
    const uint32_t crc = libdeflate_crc32(0, bytes, len);

    put(header + 14, crc, 4);
    put(header + 18, len, 4);
    put(header + 22, len, 4);
    put(header + 26, name_len, 2);
    fuzz_must(zip->directory_len + 46 + name_len <= DIRECTORY_MAX);
    memset(entry, 0, 46);
    memcpy(entry, "PK\1\2", 4);
    put(entry + 16, crc, 4);
    put(entry + 20, len, 4);
    put(entry + 24, len, 4);
    put(entry + 28, name_len, 2);
    put(entry + 42, zip->at, 4);
    memcpy(entry + 46, name, name_len);
    zip->directory_len += 46 + name_len;
    zip->count++;
    fuzz_put(zip->fd, zip->at, header, sizeof header);
    fuzz_put(zip->fd, zip->at + sizeof header, (const uint8_t *)name, name_len);
    fuzz_put(zip->fd, zip->at + sizeof header + name_len, bytes, len);
    zip->at += sizeof header + name_len + len;
}

static void zip_end(struct zip *zip)
{
    uint8_t end[22] = "PK\5\6";

    put(end + 8, zip->count, 2);
    put(end + 10, zip->count, 2);
    put(end + 12, zip->directory_len, 4);
    put(end + 16, zip->at, 4);
    fuzz_put(zip->fd, zip->at, zip->directory, zip->directory_len);
    fuzz_put(zip->fd, zip->at + zip->directory_len, end, sizeof end);
}

static void open_streams(const char *path)
{
    static uint8_t dst[FUZZ_READ_LEN];
    struct err err = { .text = "" };
    bool more = true;

    for (uint32_t i = 0; more && i < PARTS; i++) {
        struct io_aff4_alone alone;

        more = io_aff4_alone(path, i, &alone, &err) == ERR_OK && alone.image != NULL;
        if (more) {
            const uint64_t size = io_image_size(alone.image);

            fuzz_must(size > 0 && alone.chunk > 0 && alone.per_bevvy > 0);
            fuzz_must(io_salvage_read(alone.image, 0, dst,
                                      size < sizeof dst ? (size_t)size : sizeof dst, NULL, NULL,
                                      &err) == ERR_OK);
        }
        io_aff4_alone_release(&alone);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[PARTS] = { "information.turtle", "m/map", "m/idx",
                                              "s/00000000.index", "s/00000000" };
    static const char description[] = "aff4://v", version[] = "major=1\nminor=0\n";
    char path[64];

    if (size < PARTS_HEAD)
        return 0;
    struct zip zip = { .fd = fuzz_file(path) };
    if ((data[0] & 1) != 0) {
        fuzz_put(zip.fd, 0, data + 1, size - 1);
        fuzz_put(zip.fd, 0, (const uint8_t *)"PK\3\4", 4);
    } else {
        size_t at = PARTS_HEAD;

        zip_add(&zip, "container.description", (const uint8_t *)description,
                sizeof description - 1);
        zip_add(&zip, "version.txt", (const uint8_t *)version, sizeof version - 1);
        for (uint32_t i = 0; i < PARTS; i++) {
            const size_t said = bytes_u16le(data + 1 + 2 * i);
            const size_t len = said < size - at ? said : size - at;

            zip_add(&zip, names[i], data + at, len);
            at += len;
        }
        zip_end(&zip);
    }
    close(zip.fd);
    open_streams(path);
    fuzz_open(path, "aff4");
    return 0;
}
