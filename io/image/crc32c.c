/* SPDX-License-Identifier: Apache-2.0
 * io/image/crc32c.c - see crc32c.h. */
#include "io/image/crc32c.h"

#include <string.h>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

enum { CRC32C_BYTES = 256 };

#define CRC32C_POLYNOMIAL UINT32_C(0x82f63b78) /* 0x1edc6f41, the lowest bit first */

uint32_t io_crc32c_plain(uint32_t crc, const uint8_t *bytes, size_t len)
{
    uint32_t table[CRC32C_BYTES]; /* made anew: few processors lack the instruction */

    if (len == 0)
        return crc;
    for (uint32_t i = 0; i < CRC32C_BYTES; i++) {
        table[i] = i;
        for (uint32_t bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? CRC32C_POLYNOMIAL : 0);
    }
    crc = ~crc;
    for (size_t i = 0; i < len; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}

#if defined(__x86_64__)
/* By the processor's instruction. crc: the complement of that of what came before, as what it
 * gives. */
__attribute__((target("sse4.2"))) static uint32_t crc32c_words(uint32_t crc, const uint8_t *bytes,
                                                               size_t len)
{
    uint64_t all = crc, word;

    for (; len >= sizeof word; bytes += sizeof word, len -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        all = _mm_crc32_u64(all, word);
    }
    crc = (uint32_t)all;
    for (; len > 0; bytes++, len--)
        crc = _mm_crc32_u8(crc, *bytes);
    return crc;
}
#endif

uint32_t io_crc32c(uint32_t crc, const uint8_t *bytes, size_t len)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2"))
        return ~crc32c_words(~crc, bytes, len);
#endif
    return io_crc32c_plain(crc, bytes, len);
}
