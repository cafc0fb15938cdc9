/* SPDX-License-Identifier: Apache-2.0
 * signatures/crc64.c - see crc64.h.
 *
 * Behind n more bytes the CRC of a text counts times x^(8n). That factor is made of powers of two
 * of x^8, by the bits of n.
 */
#include <isa-l.h>
#include <stdbool.h>

#include "signatures/crc64.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define CRC64_POLYNOMIAL UINT64_C(0xc96c5795d7870f42) /* reflected, without x^64 */

/* [i]: x^(8 * 2^i) modulo the polynomial. */
static const uint64_t crc64_powers[64] = {
    UINT64_C(0x0080000000000000), UINT64_C(0x0000800000000000), UINT64_C(0x0000000080000000),
    UINT64_C(0xc96c5795d7870f42), UINT64_C(0x6d5f4ad7e3c3afa0), UINT64_C(0xd49f7e445077d8ea),
    UINT64_C(0x040fb02a53c216fa), UINT64_C(0x6bec35957b9ef3a0), UINT64_C(0xb0e3bb0658964afe),
    UINT64_C(0x218578c7a2dff638), UINT64_C(0x6dbb920f24dd5cf2), UINT64_C(0x7a140cfcdb4d5eb5),
    UINT64_C(0x41b3705ecbc4057b), UINT64_C(0xd46ab656accac1ea), UINT64_C(0x329beda6fc34fb73),
    UINT64_C(0x51a4fcd4350b9797), UINT64_C(0x314fa85637efae9d), UINT64_C(0xacf27e9a1518d512),
    UINT64_C(0xffe2a3388a4d8ce7), UINT64_C(0x48b9697e60cc2e4e), UINT64_C(0xada73cb78dd62460),
    UINT64_C(0x3ea5454d8ce5c1bb), UINT64_C(0x5e84e3a6c70feaf1), UINT64_C(0x90fd49b66cbd81d1),
    UINT64_C(0xe2943e0c1db254e8), UINT64_C(0xecfa6adeca8834a1), UINT64_C(0xf513e212593ee321),
    UINT64_C(0xf36ae57331040916), UINT64_C(0x63fbd333b87b6717), UINT64_C(0xbd60f8e152f50b8b),
    UINT64_C(0xa5ce4a8299c1567d), UINT64_C(0x0bd445f0cbdb55ee), UINT64_C(0xfdd6824e20134285),
    UINT64_C(0xcead8b6ebda2227a), UINT64_C(0xe44b17e4f5d4fb5c), UINT64_C(0x9b29c81ad01ca7c5),
    UINT64_C(0x1b4366e40fea4055), UINT64_C(0x27bca1551aae167b), UINT64_C(0xaa57bcd1b39a5690),
    UINT64_C(0xd7fce83fa1234db9), UINT64_C(0xcce4986efea3ff8e), UINT64_C(0x3602a4d9e65341f1),
    UINT64_C(0x722b1da2df516145), UINT64_C(0xecfc3ddd3a08da83), UINT64_C(0x0fb96dcca83507e6),
    UINT64_C(0x125f2fe78d70f080), UINT64_C(0x842f50b7651aa516), UINT64_C(0x09bc34188cd9836f),
    UINT64_C(0xf43666c84196d909), UINT64_C(0xb56feb30c0df6ccb), UINT64_C(0xaa66e04ce7f30958),
    UINT64_C(0xb7b1187e9af29547), UINT64_C(0x113255f8476495de), UINT64_C(0x8fb19f783095d77e),
    UINT64_C(0xaec4aacc7c82b133), UINT64_C(0xf64e6d09218428cf), UINT64_C(0x036a72ea5ac258a0),
    UINT64_C(0x5235ef12eb7aaa6a), UINT64_C(0x2fed7b1685657853), UINT64_C(0x8ef8951d46606fb5),
    UINT64_C(0x9d58c1090f034d14), UINT64_C(0x36f6c59a9fdaa97b), UINT64_C(0xbe2d517d98682592),
    UINT64_C(0x7bcd738fef5729f1),
};

uint64_t crc64_multiply_bits(uint64_t a, uint64_t b)
{
    uint64_t product = 0;

    for (int bit = 63; bit >= 0; bit--) { /* b is multiplied by x each time */
        product ^= b & (0 - (a >> bit & 1));
        b = b >> 1 ^ (CRC64_POLYNOMIAL & (0 - (b & 1)));
    }
    return product;
}

#ifdef __x86_64__
/*
 * Barrett's reduction: the upper half of the product, which is the lower one of the reflected
 * number, times x^128 / P is the quotient, and that times P goes off. Source: Gopal and others,
 * "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009.
 */
__attribute__((target("pclmul,sse4.1"))) static uint64_t crc64_multiply_pclmul(uint64_t a,
                                                                               uint64_t b)
{
    const __m128i inverse = _mm_set_epi64x(0, (long long)UINT64_C(0x9c3e466c172963d5));
    const __m128i modulus = _mm_set_epi64x(0, (long long)(CRC64_POLYNOMIAL << 1));
    const __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)a), _mm_cvtsi64_si128((long long)b), 0);
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(product),
                   high = (uint64_t)_mm_extract_epi64(product, 1);
    const __m128i quotient =
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)(low << 1)), inverse, 0);
    const __m128i off = _mm_clmulepi64_si128(quotient, modulus, 0);

    return (high << 1 | low >> 63) ^ (uint64_t)_mm_cvtsi128_si64(quotient) ^
           (uint64_t)_mm_extract_epi64(off, 1);
}

static bool crc64_has_pclmul(void)
{
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}
#else
static uint64_t crc64_multiply_pclmul(uint64_t a, uint64_t b)
{
    return crc64_multiply_bits(a, b);
}

static bool crc64_has_pclmul(void)
{
    return false;
}
#endif

uint64_t crc64_multiply(uint64_t a, uint64_t b)
{
    return crc64_has_pclmul() ? crc64_multiply_pclmul(a, b) : crc64_multiply_bits(a, b);
}

uint64_t crc64_add(uint64_t value, const uint8_t *bytes, size_t len)
{
    return crc64_ecma_refl(value, bytes, len);
}

uint64_t crc64_join(uint64_t first, uint64_t second, uint64_t second_len)
{
    const bool pclmul = crc64_has_pclmul();

    for (; second_len != 0; second_len &= second_len - 1) {
        const uint64_t power = crc64_powers[__builtin_ctzll(second_len)];

        first = pclmul ? crc64_multiply_pclmul(first, power) : crc64_multiply_bits(first, power);
    }
    return first ^ second;
}
