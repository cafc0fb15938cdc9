/* SPDX-License-Identifier: Apache-2.0
 * match/digest/digest_steps.h - MD5 (RFC 1321), SHA-1 and SHA-256 (FIPS 180-4) of one 64-byte
 * block, for words of any width. A template.
 *
 * Define DIGEST_WORD (an unsigned 32-bit integer, or a vector of them, one for each text that is
 * hashed) and DIGEST_FN (what stands before a function's type) before. The same lines run on one
 * text, on 4, 8 or 16 at a time in vectors, and on a device, a text for each thread. A step's
 * constants are written into it, so that a compiler that unrolls nothing still needs no table.
 */
#define DIGEST_ROL(x, n) ((x) << (n) | (x) >> (32 - (n)))

/* One step: the four of a round rotate their names, so nothing is moved. */
#define DIGEST_MD5(f, a, b, c, d, i, n, k) a = b + DIGEST_ROL(a + f(b, c, d) + m[i] + (k), n)
#define DIGEST_F(b, c, d) (d ^ (b & (c ^ d)))
#define DIGEST_G(b, c, d) (c ^ (d & (b ^ c)))
#define DIGEST_H(b, c, d) (b ^ c ^ d)
#define DIGEST_I(b, c, d) (c ^ (b | ~d))

DIGEST_FN void digest_md5(DIGEST_WORD s[8], const DIGEST_WORD m[16])
{
    DIGEST_WORD a = s[0], b = s[1], c = s[2], d = s[3];

    DIGEST_MD5(DIGEST_F, a, b, c, d, 0, 7, 0xd76aa478u);
    DIGEST_MD5(DIGEST_F, d, a, b, c, 1, 12, 0xe8c7b756u);
    DIGEST_MD5(DIGEST_F, c, d, a, b, 2, 17, 0x242070dbu);
    DIGEST_MD5(DIGEST_F, b, c, d, a, 3, 22, 0xc1bdceeeu);
    DIGEST_MD5(DIGEST_F, a, b, c, d, 4, 7, 0xf57c0fafu);
    DIGEST_MD5(DIGEST_F, d, a, b, c, 5, 12, 0x4787c62au);
    DIGEST_MD5(DIGEST_F, c, d, a, b, 6, 17, 0xa8304613u);
    DIGEST_MD5(DIGEST_F, b, c, d, a, 7, 22, 0xfd469501u);
    DIGEST_MD5(DIGEST_F, a, b, c, d, 8, 7, 0x698098d8u);
    DIGEST_MD5(DIGEST_F, d, a, b, c, 9, 12, 0x8b44f7afu);
    DIGEST_MD5(DIGEST_F, c, d, a, b, 10, 17, 0xffff5bb1u);
    DIGEST_MD5(DIGEST_F, b, c, d, a, 11, 22, 0x895cd7beu);
    DIGEST_MD5(DIGEST_F, a, b, c, d, 12, 7, 0x6b901122u);
    DIGEST_MD5(DIGEST_F, d, a, b, c, 13, 12, 0xfd987193u);
    DIGEST_MD5(DIGEST_F, c, d, a, b, 14, 17, 0xa679438eu);
    DIGEST_MD5(DIGEST_F, b, c, d, a, 15, 22, 0x49b40821u);
    DIGEST_MD5(DIGEST_G, a, b, c, d, 1, 5, 0xf61e2562u);
    DIGEST_MD5(DIGEST_G, d, a, b, c, 6, 9, 0xc040b340u);
    DIGEST_MD5(DIGEST_G, c, d, a, b, 11, 14, 0x265e5a51u);
    DIGEST_MD5(DIGEST_G, b, c, d, a, 0, 20, 0xe9b6c7aau);
    DIGEST_MD5(DIGEST_G, a, b, c, d, 5, 5, 0xd62f105du);
    DIGEST_MD5(DIGEST_G, d, a, b, c, 10, 9, 0x02441453u);
    DIGEST_MD5(DIGEST_G, c, d, a, b, 15, 14, 0xd8a1e681u);
    DIGEST_MD5(DIGEST_G, b, c, d, a, 4, 20, 0xe7d3fbc8u);
    DIGEST_MD5(DIGEST_G, a, b, c, d, 9, 5, 0x21e1cde6u);
    DIGEST_MD5(DIGEST_G, d, a, b, c, 14, 9, 0xc33707d6u);
    DIGEST_MD5(DIGEST_G, c, d, a, b, 3, 14, 0xf4d50d87u);
    DIGEST_MD5(DIGEST_G, b, c, d, a, 8, 20, 0x455a14edu);
    DIGEST_MD5(DIGEST_G, a, b, c, d, 13, 5, 0xa9e3e905u);
    DIGEST_MD5(DIGEST_G, d, a, b, c, 2, 9, 0xfcefa3f8u);
    DIGEST_MD5(DIGEST_G, c, d, a, b, 7, 14, 0x676f02d9u);
    DIGEST_MD5(DIGEST_G, b, c, d, a, 12, 20, 0x8d2a4c8au);
    DIGEST_MD5(DIGEST_H, a, b, c, d, 5, 4, 0xfffa3942u);
    DIGEST_MD5(DIGEST_H, d, a, b, c, 8, 11, 0x8771f681u);
    DIGEST_MD5(DIGEST_H, c, d, a, b, 11, 16, 0x6d9d6122u);
    DIGEST_MD5(DIGEST_H, b, c, d, a, 14, 23, 0xfde5380cu);
    DIGEST_MD5(DIGEST_H, a, b, c, d, 1, 4, 0xa4beea44u);
    DIGEST_MD5(DIGEST_H, d, a, b, c, 4, 11, 0x4bdecfa9u);
    DIGEST_MD5(DIGEST_H, c, d, a, b, 7, 16, 0xf6bb4b60u);
    DIGEST_MD5(DIGEST_H, b, c, d, a, 10, 23, 0xbebfbc70u);
    DIGEST_MD5(DIGEST_H, a, b, c, d, 13, 4, 0x289b7ec6u);
    DIGEST_MD5(DIGEST_H, d, a, b, c, 0, 11, 0xeaa127fau);
    DIGEST_MD5(DIGEST_H, c, d, a, b, 3, 16, 0xd4ef3085u);
    DIGEST_MD5(DIGEST_H, b, c, d, a, 6, 23, 0x04881d05u);
    DIGEST_MD5(DIGEST_H, a, b, c, d, 9, 4, 0xd9d4d039u);
    DIGEST_MD5(DIGEST_H, d, a, b, c, 12, 11, 0xe6db99e5u);
    DIGEST_MD5(DIGEST_H, c, d, a, b, 15, 16, 0x1fa27cf8u);
    DIGEST_MD5(DIGEST_H, b, c, d, a, 2, 23, 0xc4ac5665u);
    DIGEST_MD5(DIGEST_I, a, b, c, d, 0, 6, 0xf4292244u);
    DIGEST_MD5(DIGEST_I, d, a, b, c, 7, 10, 0x432aff97u);
    DIGEST_MD5(DIGEST_I, c, d, a, b, 14, 15, 0xab9423a7u);
    DIGEST_MD5(DIGEST_I, b, c, d, a, 5, 21, 0xfc93a039u);
    DIGEST_MD5(DIGEST_I, a, b, c, d, 12, 6, 0x655b59c3u);
    DIGEST_MD5(DIGEST_I, d, a, b, c, 3, 10, 0x8f0ccc92u);
    DIGEST_MD5(DIGEST_I, c, d, a, b, 10, 15, 0xffeff47du);
    DIGEST_MD5(DIGEST_I, b, c, d, a, 1, 21, 0x85845dd1u);
    DIGEST_MD5(DIGEST_I, a, b, c, d, 8, 6, 0x6fa87e4fu);
    DIGEST_MD5(DIGEST_I, d, a, b, c, 15, 10, 0xfe2ce6e0u);
    DIGEST_MD5(DIGEST_I, c, d, a, b, 6, 15, 0xa3014314u);
    DIGEST_MD5(DIGEST_I, b, c, d, a, 13, 21, 0x4e0811a1u);
    DIGEST_MD5(DIGEST_I, a, b, c, d, 4, 6, 0xf7537e82u);
    DIGEST_MD5(DIGEST_I, d, a, b, c, 11, 10, 0xbd3af235u);
    DIGEST_MD5(DIGEST_I, c, d, a, b, 2, 15, 0x2ad7d2bbu);
    DIGEST_MD5(DIGEST_I, b, c, d, a, 9, 21, 0xeb86d391u);
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
}

/* Words of the block give way to those of the schedule, sixteen steps behind them. */
#define DIGEST_SHA1_NEXT(i)                                                                        \
    (m[(i) % 16] =                                                                                 \
         DIGEST_ROL(m[((i) + 13) % 16] ^ m[((i) + 8) % 16] ^ m[((i) + 2) % 16] ^ m[(i) % 16], 1))
#define DIGEST_SHA1(f, a, b, c, d, e, w, k)                                                        \
    e += DIGEST_ROL(a, 5) + f(b, c, d) + (w) + (k), b = DIGEST_ROL(b, 30)
#define DIGEST_MAJORITY(b, c, d) ((b & c) | (d & (b | c)))

DIGEST_FN void digest_sha1(DIGEST_WORD s[8], DIGEST_WORD m[16])
{
    DIGEST_WORD a = s[0], b = s[1], c = s[2], d = s[3], e = s[4];

    DIGEST_SHA1(DIGEST_F, a, b, c, d, e, m[0], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, e, a, b, c, d, m[1], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, d, e, a, b, c, m[2], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, c, d, e, a, b, m[3], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, b, c, d, e, a, m[4], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, a, b, c, d, e, m[5], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, e, a, b, c, d, m[6], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, d, e, a, b, c, m[7], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, c, d, e, a, b, m[8], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, b, c, d, e, a, m[9], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, a, b, c, d, e, m[10], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, e, a, b, c, d, m[11], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, d, e, a, b, c, m[12], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, c, d, e, a, b, m[13], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, b, c, d, e, a, m[14], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, a, b, c, d, e, m[15], 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, e, a, b, c, d, DIGEST_SHA1_NEXT(16), 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, d, e, a, b, c, DIGEST_SHA1_NEXT(17), 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, c, d, e, a, b, DIGEST_SHA1_NEXT(18), 0x5a827999u);
    DIGEST_SHA1(DIGEST_F, b, c, d, e, a, DIGEST_SHA1_NEXT(19), 0x5a827999u);
    DIGEST_SHA1(DIGEST_H, a, b, c, d, e, DIGEST_SHA1_NEXT(20), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, e, a, b, c, d, DIGEST_SHA1_NEXT(21), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, d, e, a, b, c, DIGEST_SHA1_NEXT(22), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, c, d, e, a, b, DIGEST_SHA1_NEXT(23), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, b, c, d, e, a, DIGEST_SHA1_NEXT(24), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, a, b, c, d, e, DIGEST_SHA1_NEXT(25), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, e, a, b, c, d, DIGEST_SHA1_NEXT(26), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, d, e, a, b, c, DIGEST_SHA1_NEXT(27), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, c, d, e, a, b, DIGEST_SHA1_NEXT(28), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, b, c, d, e, a, DIGEST_SHA1_NEXT(29), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, a, b, c, d, e, DIGEST_SHA1_NEXT(30), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, e, a, b, c, d, DIGEST_SHA1_NEXT(31), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, d, e, a, b, c, DIGEST_SHA1_NEXT(32), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, c, d, e, a, b, DIGEST_SHA1_NEXT(33), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, b, c, d, e, a, DIGEST_SHA1_NEXT(34), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, a, b, c, d, e, DIGEST_SHA1_NEXT(35), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, e, a, b, c, d, DIGEST_SHA1_NEXT(36), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, d, e, a, b, c, DIGEST_SHA1_NEXT(37), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, c, d, e, a, b, DIGEST_SHA1_NEXT(38), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_H, b, c, d, e, a, DIGEST_SHA1_NEXT(39), 0x6ed9eba1u);
    DIGEST_SHA1(DIGEST_MAJORITY, a, b, c, d, e, DIGEST_SHA1_NEXT(40), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, e, a, b, c, d, DIGEST_SHA1_NEXT(41), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, d, e, a, b, c, DIGEST_SHA1_NEXT(42), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, c, d, e, a, b, DIGEST_SHA1_NEXT(43), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, b, c, d, e, a, DIGEST_SHA1_NEXT(44), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, a, b, c, d, e, DIGEST_SHA1_NEXT(45), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, e, a, b, c, d, DIGEST_SHA1_NEXT(46), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, d, e, a, b, c, DIGEST_SHA1_NEXT(47), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, c, d, e, a, b, DIGEST_SHA1_NEXT(48), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, b, c, d, e, a, DIGEST_SHA1_NEXT(49), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, a, b, c, d, e, DIGEST_SHA1_NEXT(50), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, e, a, b, c, d, DIGEST_SHA1_NEXT(51), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, d, e, a, b, c, DIGEST_SHA1_NEXT(52), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, c, d, e, a, b, DIGEST_SHA1_NEXT(53), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, b, c, d, e, a, DIGEST_SHA1_NEXT(54), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, a, b, c, d, e, DIGEST_SHA1_NEXT(55), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, e, a, b, c, d, DIGEST_SHA1_NEXT(56), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, d, e, a, b, c, DIGEST_SHA1_NEXT(57), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, c, d, e, a, b, DIGEST_SHA1_NEXT(58), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_MAJORITY, b, c, d, e, a, DIGEST_SHA1_NEXT(59), 0x8f1bbcdcu);
    DIGEST_SHA1(DIGEST_H, a, b, c, d, e, DIGEST_SHA1_NEXT(60), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, e, a, b, c, d, DIGEST_SHA1_NEXT(61), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, d, e, a, b, c, DIGEST_SHA1_NEXT(62), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, c, d, e, a, b, DIGEST_SHA1_NEXT(63), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, b, c, d, e, a, DIGEST_SHA1_NEXT(64), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, a, b, c, d, e, DIGEST_SHA1_NEXT(65), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, e, a, b, c, d, DIGEST_SHA1_NEXT(66), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, d, e, a, b, c, DIGEST_SHA1_NEXT(67), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, c, d, e, a, b, DIGEST_SHA1_NEXT(68), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, b, c, d, e, a, DIGEST_SHA1_NEXT(69), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, a, b, c, d, e, DIGEST_SHA1_NEXT(70), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, e, a, b, c, d, DIGEST_SHA1_NEXT(71), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, d, e, a, b, c, DIGEST_SHA1_NEXT(72), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, c, d, e, a, b, DIGEST_SHA1_NEXT(73), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, b, c, d, e, a, DIGEST_SHA1_NEXT(74), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, a, b, c, d, e, DIGEST_SHA1_NEXT(75), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, e, a, b, c, d, DIGEST_SHA1_NEXT(76), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, d, e, a, b, c, DIGEST_SHA1_NEXT(77), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, c, d, e, a, b, DIGEST_SHA1_NEXT(78), 0xca62c1d6u);
    DIGEST_SHA1(DIGEST_H, b, c, d, e, a, DIGEST_SHA1_NEXT(79), 0xca62c1d6u);
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
}

#define DIGEST_ROR(x, n) DIGEST_ROL(x, 32 - (n))
#define DIGEST_SHA256_NEXT(i)                                                                      \
    (m[(i) % 16] += (DIGEST_ROR(m[((i) + 1) % 16], 7) ^ DIGEST_ROR(m[((i) + 1) % 16], 18) ^        \
                     m[((i) + 1) % 16] >> 3) +                                                     \
                    m[((i) + 9) % 16] +                                                            \
                    (DIGEST_ROR(m[((i) + 14) % 16], 17) ^ DIGEST_ROR(m[((i) + 14) % 16], 19) ^     \
                     m[((i) + 14) % 16] >> 10))
#define DIGEST_SHA256(a, b, c, d, e, f, g, h, w, k)                                                \
    h += (DIGEST_ROR(e, 6) ^ DIGEST_ROR(e, 11) ^ DIGEST_ROR(e, 25)) + DIGEST_F(e, f, g) + (w) +    \
         (k),                                                                                      \
        d += h,                                                                                    \
        h += (DIGEST_ROR(a, 2) ^ DIGEST_ROR(a, 13) ^ DIGEST_ROR(a, 22)) + DIGEST_MAJORITY(a, b, c)

DIGEST_FN void digest_sha256(DIGEST_WORD s[8], DIGEST_WORD m[16])
{
    DIGEST_WORD a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];

    DIGEST_SHA256(a, b, c, d, e, f, g, h, m[0], 0x428a2f98u);
    DIGEST_SHA256(h, a, b, c, d, e, f, g, m[1], 0x71374491u);
    DIGEST_SHA256(g, h, a, b, c, d, e, f, m[2], 0xb5c0fbcfu);
    DIGEST_SHA256(f, g, h, a, b, c, d, e, m[3], 0xe9b5dba5u);
    DIGEST_SHA256(e, f, g, h, a, b, c, d, m[4], 0x3956c25bu);
    DIGEST_SHA256(d, e, f, g, h, a, b, c, m[5], 0x59f111f1u);
    DIGEST_SHA256(c, d, e, f, g, h, a, b, m[6], 0x923f82a4u);
    DIGEST_SHA256(b, c, d, e, f, g, h, a, m[7], 0xab1c5ed5u);
    DIGEST_SHA256(a, b, c, d, e, f, g, h, m[8], 0xd807aa98u);
    DIGEST_SHA256(h, a, b, c, d, e, f, g, m[9], 0x12835b01u);
    DIGEST_SHA256(g, h, a, b, c, d, e, f, m[10], 0x243185beu);
    DIGEST_SHA256(f, g, h, a, b, c, d, e, m[11], 0x550c7dc3u);
    DIGEST_SHA256(e, f, g, h, a, b, c, d, m[12], 0x72be5d74u);
    DIGEST_SHA256(d, e, f, g, h, a, b, c, m[13], 0x80deb1feu);
    DIGEST_SHA256(c, d, e, f, g, h, a, b, m[14], 0x9bdc06a7u);
    DIGEST_SHA256(b, c, d, e, f, g, h, a, m[15], 0xc19bf174u);
    DIGEST_SHA256(a, b, c, d, e, f, g, h, DIGEST_SHA256_NEXT(16), 0xe49b69c1u);
    DIGEST_SHA256(h, a, b, c, d, e, f, g, DIGEST_SHA256_NEXT(17), 0xefbe4786u);
    DIGEST_SHA256(g, h, a, b, c, d, e, f, DIGEST_SHA256_NEXT(18), 0x0fc19dc6u);
    DIGEST_SHA256(f, g, h, a, b, c, d, e, DIGEST_SHA256_NEXT(19), 0x240ca1ccu);
    DIGEST_SHA256(e, f, g, h, a, b, c, d, DIGEST_SHA256_NEXT(20), 0x2de92c6fu);
    DIGEST_SHA256(d, e, f, g, h, a, b, c, DIGEST_SHA256_NEXT(21), 0x4a7484aau);
    DIGEST_SHA256(c, d, e, f, g, h, a, b, DIGEST_SHA256_NEXT(22), 0x5cb0a9dcu);
    DIGEST_SHA256(b, c, d, e, f, g, h, a, DIGEST_SHA256_NEXT(23), 0x76f988dau);
    DIGEST_SHA256(a, b, c, d, e, f, g, h, DIGEST_SHA256_NEXT(24), 0x983e5152u);
    DIGEST_SHA256(h, a, b, c, d, e, f, g, DIGEST_SHA256_NEXT(25), 0xa831c66du);
    DIGEST_SHA256(g, h, a, b, c, d, e, f, DIGEST_SHA256_NEXT(26), 0xb00327c8u);
    DIGEST_SHA256(f, g, h, a, b, c, d, e, DIGEST_SHA256_NEXT(27), 0xbf597fc7u);
    DIGEST_SHA256(e, f, g, h, a, b, c, d, DIGEST_SHA256_NEXT(28), 0xc6e00bf3u);
    DIGEST_SHA256(d, e, f, g, h, a, b, c, DIGEST_SHA256_NEXT(29), 0xd5a79147u);
    DIGEST_SHA256(c, d, e, f, g, h, a, b, DIGEST_SHA256_NEXT(30), 0x06ca6351u);
    DIGEST_SHA256(b, c, d, e, f, g, h, a, DIGEST_SHA256_NEXT(31), 0x14292967u);
    DIGEST_SHA256(a, b, c, d, e, f, g, h, DIGEST_SHA256_NEXT(32), 0x27b70a85u);
    DIGEST_SHA256(h, a, b, c, d, e, f, g, DIGEST_SHA256_NEXT(33), 0x2e1b2138u);
    DIGEST_SHA256(g, h, a, b, c, d, e, f, DIGEST_SHA256_NEXT(34), 0x4d2c6dfcu);
    DIGEST_SHA256(f, g, h, a, b, c, d, e, DIGEST_SHA256_NEXT(35), 0x53380d13u);
    DIGEST_SHA256(e, f, g, h, a, b, c, d, DIGEST_SHA256_NEXT(36), 0x650a7354u);
    DIGEST_SHA256(d, e, f, g, h, a, b, c, DIGEST_SHA256_NEXT(37), 0x766a0abbu);
    DIGEST_SHA256(c, d, e, f, g, h, a, b, DIGEST_SHA256_NEXT(38), 0x81c2c92eu);
    DIGEST_SHA256(b, c, d, e, f, g, h, a, DIGEST_SHA256_NEXT(39), 0x92722c85u);
    DIGEST_SHA256(a, b, c, d, e, f, g, h, DIGEST_SHA256_NEXT(40), 0xa2bfe8a1u);
    DIGEST_SHA256(h, a, b, c, d, e, f, g, DIGEST_SHA256_NEXT(41), 0xa81a664bu);
    DIGEST_SHA256(g, h, a, b, c, d, e, f, DIGEST_SHA256_NEXT(42), 0xc24b8b70u);
    DIGEST_SHA256(f, g, h, a, b, c, d, e, DIGEST_SHA256_NEXT(43), 0xc76c51a3u);
    DIGEST_SHA256(e, f, g, h, a, b, c, d, DIGEST_SHA256_NEXT(44), 0xd192e819u);
    DIGEST_SHA256(d, e, f, g, h, a, b, c, DIGEST_SHA256_NEXT(45), 0xd6990624u);
    DIGEST_SHA256(c, d, e, f, g, h, a, b, DIGEST_SHA256_NEXT(46), 0xf40e3585u);
    DIGEST_SHA256(b, c, d, e, f, g, h, a, DIGEST_SHA256_NEXT(47), 0x106aa070u);
    DIGEST_SHA256(a, b, c, d, e, f, g, h, DIGEST_SHA256_NEXT(48), 0x19a4c116u);
    DIGEST_SHA256(h, a, b, c, d, e, f, g, DIGEST_SHA256_NEXT(49), 0x1e376c08u);
    DIGEST_SHA256(g, h, a, b, c, d, e, f, DIGEST_SHA256_NEXT(50), 0x2748774cu);
    DIGEST_SHA256(f, g, h, a, b, c, d, e, DIGEST_SHA256_NEXT(51), 0x34b0bcb5u);
    DIGEST_SHA256(e, f, g, h, a, b, c, d, DIGEST_SHA256_NEXT(52), 0x391c0cb3u);
    DIGEST_SHA256(d, e, f, g, h, a, b, c, DIGEST_SHA256_NEXT(53), 0x4ed8aa4au);
    DIGEST_SHA256(c, d, e, f, g, h, a, b, DIGEST_SHA256_NEXT(54), 0x5b9cca4fu);
    DIGEST_SHA256(b, c, d, e, f, g, h, a, DIGEST_SHA256_NEXT(55), 0x682e6ff3u);
    DIGEST_SHA256(a, b, c, d, e, f, g, h, DIGEST_SHA256_NEXT(56), 0x748f82eeu);
    DIGEST_SHA256(h, a, b, c, d, e, f, g, DIGEST_SHA256_NEXT(57), 0x78a5636fu);
    DIGEST_SHA256(g, h, a, b, c, d, e, f, DIGEST_SHA256_NEXT(58), 0x84c87814u);
    DIGEST_SHA256(f, g, h, a, b, c, d, e, DIGEST_SHA256_NEXT(59), 0x8cc70208u);
    DIGEST_SHA256(e, f, g, h, a, b, c, d, DIGEST_SHA256_NEXT(60), 0x90befffau);
    DIGEST_SHA256(d, e, f, g, h, a, b, c, DIGEST_SHA256_NEXT(61), 0xa4506cebu);
    DIGEST_SHA256(c, d, e, f, g, h, a, b, DIGEST_SHA256_NEXT(62), 0xbef9a3f7u);
    DIGEST_SHA256(b, c, d, e, f, g, h, a, DIGEST_SHA256_NEXT(63), 0xc67178f2u);
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
    s[5] += f;
    s[6] += g;
    s[7] += h;
}
