/* SPDX-License-Identifier: Apache-2.0
 * io/image/compressed.c - see compressed.h. Offsets are those of the formats' specifications, named
 * at each check.
 */
#include <string.h>

#include "base/bytes.h"
#include "io/image/compressed.h"

/* CRC-32 of a few bytes. Source: ISO 3309, as RFC 1952 has it in section 8. */
static uint32_t compressed_crc32(const uint8_t *bytes, size_t len)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/*
 * RFC 1952, 2.3: 10 bytes of header, at least 2 of deflated bytes, 8 of trailer. The magic has the
 * method.
 */
bool io_compressed_is_gzip(const struct io_probe *probe)
{
    enum { AT_FLAGS = 3, FLAGS_RESERVED = 0xe0, LEN_MIN = 20 };

    return probe->size >= LEN_MIN && (probe->head[AT_FLAGS] & FLAGS_RESERVED) == 0;
}

/*
 * bzip2's decompress.c: the level, then the magic of a block, or that of the end where there is
 * none.
 */
bool io_compressed_is_bzip2(const struct io_probe *probe)
{
    static const uint8_t block[] = { 0x31, 0x41, 0x59, 0x26, 0x53, 0x59 },
                         end[] = { 0x17, 0x72, 0x45, 0x38, 0x50, 0x90 };
    const uint8_t *level = probe->head + 3;

    return probe->head_len >= 14 && *level >= '1' && *level <= '9' &&
           (memcmp(level + 1, block, sizeof block) == 0 || memcmp(level + 1, end, sizeof end) == 0);
}

/* The .xz File Format 1.1.0, 2.1.1: stream flags and their CRC-32. */
bool io_compressed_is_xz(const struct io_probe *probe)
{
    enum { AT_FLAGS = 6, FLAGS_LEN = 2, AT_SUM = 8, HEADER_LEN = 12 };

    return probe->head_len >= HEADER_LEN &&
           compressed_crc32(probe->head + AT_FLAGS, FLAGS_LEN) == bytes_u32le(probe->head + AT_SUM);
}

/*
 * RFC 8878, 3.1.1: a descriptor with a reserved bit, the window that may follow it, two fields
 * whose lengths it tells, and the header of the first block, whose type 3 is reserved and which has
 * at most 128 KiB.
 */
static bool compressed_zstd_frame(const uint8_t *frame, size_t len)
{
    enum {
        MAGIC_LEN = 4,
        RESERVED = 0x08,
        SINGLE = 0x20,
        WINDOW_LOG_MAX = 31 - 10,
        BLOCK_MAX = 128 << 10
    };
    static const uint8_t dictionary_len[] = { 0, 1, 2, 4 }, size_len[] = { 0, 2, 4, 8 };

    if (len < MAGIC_LEN + 2 || (frame[MAGIC_LEN] & RESERVED) != 0)
        return false;
    const uint8_t flags = frame[MAGIC_LEN];
    const bool single = (flags & SINGLE) != 0;
    const size_t sizes = flags >> 6 == 0 && single ? 1 : size_len[flags >> 6];
    const size_t at = MAGIC_LEN + 1u + !single + dictionary_len[flags & 3] + sizes;
    if (!single && frame[MAGIC_LEN + 1] >> 3 > WINDOW_LOG_MAX)
        return false;
    if (len < at + 3)
        return false;
    const uint32_t block = frame[at] | (uint32_t)frame[at + 1] << 8 | (uint32_t)frame[at + 2] << 16;
    return (block >> 1 & 3) != 3 && block >> 3 <= BLOCK_MAX;
}

/* lz4_Frame_format.md: the version, reserved bits, and the largest size of a block. */
static bool compressed_lz4_frame(const uint8_t *frame, size_t len)
{
    enum {
        MAGIC_LEN = 4,
        VERSION = 1,
        FLAGS_RESERVED = 0x02,
        BLOCK_RESERVED = 0x8f,
        BLOCK_MIN = 4
    };

    return len >= MAGIC_LEN + 3 && frame[MAGIC_LEN] >> 6 == VERSION &&
           (frame[MAGIC_LEN] & FLAGS_RESERVED) == 0 &&
           (frame[MAGIC_LEN + 1] & BLOCK_RESERVED) == 0 && frame[MAGIC_LEN + 1] >> 4 >= BLOCK_MIN;
}

bool io_compressed_is_zstd(const struct io_probe *probe)
{
    return compressed_zstd_frame(probe->head, probe->head_len);
}

bool io_compressed_is_lz4(const struct io_probe *probe)
{
    return compressed_lz4_frame(probe->head, probe->head_len);
}

/*
 * RFC 8878, 3.1.2: magic 0x184D2A50 to 0x184D2A5F, u32le length, that many bytes; then one that is
 * not skipped.
 */
bool io_compressed_is_skippable(const struct io_probe *probe)
{
    static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd }, lz4[] = { 0x04, 0x22, 0x4d, 0x18 };
    const uint8_t *head = probe->head;
    uint64_t at = 0;

    while (at + 8 <= probe->head_len && (bytes_u32le(head + at) & 0xfffffff0) == 0x184d2a50)
        at += 8 + (uint64_t)bytes_u32le(head + at + 4);
    if (at == 0 || at + 4 > probe->head_len)
        return false;
    const size_t left = (size_t)(probe->head_len - at);
    return (memcmp(head + at, zstd, sizeof zstd) == 0 && compressed_zstd_frame(head + at, left)) ||
           (memcmp(head + at, lz4, sizeof lz4) == 0 && compressed_lz4_frame(head + at, left));
}

/*
 * lz4_Frame_format.md, "Legacy frame": blocks of 8 MiB before they are compressed, each with its
 * u32le length.
 */
bool io_compressed_is_lz4_legacy(const struct io_probe *probe)
{
    enum { AT_LEN = 4, BLOCK = 8 << 20, LEN_MAX = BLOCK + BLOCK / 255 + 16 };
    const uint32_t len = bytes_u32le(probe->head + AT_LEN);

    return probe->head_len >= AT_LEN + 4 && len > 0 && len <= LEN_MAX &&
           len <= probe->size - AT_LEN - 4;
}

/*
 * The LZMA alone format: properties, u32le dictionary, u64le size or all ones, and the range
 * coder's first byte, which is 0.
 * Source: lzma-file-format.txt of XZ Utils.
 */
bool io_compressed_is_lzma(const struct io_probe *probe)
{
    enum { AT_DICTIONARY = 1, AT_SIZE = 5, AT_CODER = 13, LEN_MIN = 18, SIZE_BITS = 48 };
    const uint32_t dictionary = bytes_u32le(probe->head + AT_DICTIONARY);
    const uint64_t size = bytes_u64le(probe->head + AT_SIZE);

    return probe->head_len >= LEN_MIN && dictionary >= 4096 &&
           (dictionary & (dictionary - 1)) == 0 && (size == UINT64_MAX || size >> SIZE_BITS == 0) &&
           probe->head[AT_CODER] == 0;
}

/* The lzip manual, "File format": version 1, and a dictionary of 4 KiB to 512 MiB. */
bool io_compressed_is_lzip(const struct io_probe *probe)
{
    enum { AT_DICTIONARY = 5, BITS = 0x1f, BITS_MIN = 12, BITS_MAX = 29, LEN_MIN = 36 };
    const uint32_t bits = probe->head[AT_DICTIONARY] & BITS;

    return probe->size >= LEN_MIN && bits >= BITS_MIN && bits <= BITS_MAX;
}

/*
 * compress(1): the longest code, 9 to 16 bits, and two reserved bits; then codes of 9 bits, of
 * which the first is a byte.
 */
bool io_compressed_is_compress(const struct io_probe *probe)
{
    enum { AT_BITS = 2, BITS = 0x1f, RESERVED = 0x60, BITS_MIN = 9, BITS_MAX = 16, LEN_MIN = 5 };
    const uint32_t flags = probe->head[AT_BITS];

    return probe->head_len >= LEN_MIN && (flags & RESERVED) == 0 && (flags & BITS) >= BITS_MIN &&
           (flags & BITS) <= BITS_MAX && (probe->head[AT_BITS + 2] & 1) == 0;
}

/*
 * APPNOTE.TXT 6.3.10, 4.3.7 and 4.4: a local file header of a version, with flags and a method that
 * there are, and a name.
 */
bool io_compressed_is_zip(const struct io_probe *probe)
{
    enum { AT_VERSION = 4, AT_FLAGS = 6, AT_METHOD = 8, AT_NAME_LEN = 26, AT_NAME = 30 };
    enum {
        VERSION_MIN = 10,
        VERSION_MAX = 63,
        FLAGS_UNUSED = 0xc780,
        METHOD_LOW = 20,
        METHOD_HIGH = 93
    };
    const uint8_t *head = probe->head;
    const uint32_t version = head[AT_VERSION], method = bytes_u16le(head + AT_METHOD);
    const uint64_t name_len = bytes_u16le(head + AT_NAME_LEN), seen = probe->head_len;

    if (seen <= AT_NAME || name_len == 0 || AT_NAME + name_len > probe->size)
        return false;
    if (version < VERSION_MIN || version > VERSION_MAX ||
        (bytes_u16le(head + AT_FLAGS) & FLAGS_UNUSED) != 0 ||
        (method > METHOD_LOW && (method < METHOD_HIGH || method > 99)))
        return false;
    return memchr(head + AT_NAME, 0,
                  (size_t)(AT_NAME + name_len < seen ? name_len : seen - AT_NAME)) == NULL;
}

/* 7zFormat.txt of the LZMA SDK: version 0, and the CRC-32 of the start header. */
bool io_compressed_is_7z(const struct io_probe *probe)
{
    enum { AT_MAJOR = 6, AT_SUM = 8, AT_START = 12, START_LEN = 20 };

    return probe->head_len >= AT_START + START_LEN && probe->head[AT_MAJOR] == 0 &&
           compressed_crc32(probe->head + AT_START, START_LEN) == bytes_u32le(probe->head + AT_SUM);
}
