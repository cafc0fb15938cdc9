/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/md5.c - MD5 (RFC 1321, 3). */
#include "signatures/lib/md5.h"

#include <string.h>

#include "base/bytes.h"

enum { MD5_LENGTH_AT = MD5_BLOCK - 8 };

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t md5_sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static const uint8_t md5_turns[4][4] = {
    { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 }
};

static void md5_block(uint32_t words[4], const uint8_t *block)
{
    uint32_t a = words[0], b = words[1], c = words[2], d = words[3];

    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t round = i / 16, turn = md5_turns[round][i % 4];
        const uint32_t which = (round == 0   ? i
                                : round == 1 ? 5 * i + 1
                                : round == 2 ? 3 * i + 5
                                             : 7 * i) %
                               16;
        const uint32_t mix = round == 0   ? (b & c) | (~b & d)
                             : round == 1 ? (d & b) | (~d & c)
                             : round == 2 ? b ^ c ^ d
                                          : c ^ (b | ~d);
        const uint32_t sum = a + mix + md5_sines[i] + bytes_u32le(block + 4 * (size_t)which);

        a = d;
        d = c;
        c = b;
        b += sum << turn | sum >> (32 - turn);
    }
    words[0] += a;
    words[1] += b;
    words[2] += c;
    words[3] += d;
}

void md5_begin(struct md5 *md5)
{
    *md5 = (struct md5){ .words = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 } };
}

void md5_add(struct md5 *md5, const uint8_t *bytes, uint32_t len)
{
    while (len > 0) {
        const uint32_t have = (uint32_t)(md5->len % MD5_BLOCK);
        const uint32_t part = len < MD5_BLOCK - have ? len : MD5_BLOCK - have;

        memcpy(md5->block + have, bytes, part);
        md5->len += part;
        bytes += part;
        len -= part;
        if (have + part == MD5_BLOCK)
            md5_block(md5->words, md5->block);
    }
}

void md5_end(struct md5 *md5, uint8_t sum[MD5_LEN])
{
    const uint64_t bits = md5->len * 8;
    static const uint8_t padding[MD5_BLOCK] = { 0x80 };
    const uint32_t have = (uint32_t)(md5->len % MD5_BLOCK);
    uint8_t length[8];

    for (uint32_t i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> 8 * i);
    md5_add(md5, padding,
            have < MD5_LENGTH_AT ? MD5_LENGTH_AT - have : MD5_BLOCK + MD5_LENGTH_AT - have);
    md5_add(md5, length, 8);
    for (uint32_t i = 0; i < MD5_LEN; i++)
        sum[i] = (uint8_t)(md5->words[i / 4] >> 8 * (i % 4));
}
