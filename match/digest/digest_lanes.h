/* SPDX-License-Identifier: Apache-2.0
 * match/digest/digest_lanes.h - hashes of DIGEST_LANES texts of one length at a time, each in a
 * lane of vectors. A template.
 *
 * Define DIGEST_LANES (4, 8 or 16) and DIGEST_TARGET (a function attribute, or nothing) before.
 * Texts lie anywhere; 64 bytes of each are read as rows of a matrix, which is transposed by
 * exchanging ever smaller squares of it.
 */
#include "match/digest.h"

typedef uint32_t digest_word __attribute__((vector_size(4 * DIGEST_LANES)));

#define DIGEST_WORD digest_word
#define DIGEST_FN DIGEST_TARGET static inline __attribute__((always_inline))
#include "match/digest/digest_steps.h"

/* Rows i and i + n exchange what is not theirs. */
#define DIGEST_EXCHANGE(n, low, high)                                                              \
    for (int i = 0; i < DIGEST_LANES; i++) {                                                       \
        if ((i & (n)) != 0)                                                                        \
            continue;                                                                              \
        const digest_word x = rows[i], y = rows[i + (n)];                                          \
        rows[i] = __builtin_shufflevector(x, y, low);                                              \
        rows[i + (n)] = __builtin_shufflevector(x, y, high);                                       \
    }
#define DIGEST_LIST(...) __VA_ARGS__

DIGEST_FN void digest_transpose(digest_word rows[DIGEST_LANES])
{
#if DIGEST_LANES == 16
#pragma GCC unroll 16
    DIGEST_EXCHANGE(8, DIGEST_LIST(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
                    DIGEST_LIST(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
#pragma GCC unroll 16
    DIGEST_EXCHANGE(4, DIGEST_LIST(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
                    DIGEST_LIST(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
#pragma GCC unroll 16
    DIGEST_EXCHANGE(2, DIGEST_LIST(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
                    DIGEST_LIST(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
#pragma GCC unroll 16
    DIGEST_EXCHANGE(1, DIGEST_LIST(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
                    DIGEST_LIST(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
#elif DIGEST_LANES == 8
#pragma GCC unroll 16
    DIGEST_EXCHANGE(4, DIGEST_LIST(0, 1, 2, 3, 8, 9, 10, 11),
                    DIGEST_LIST(4, 5, 6, 7, 12, 13, 14, 15))
#pragma GCC unroll 16
    DIGEST_EXCHANGE(2, DIGEST_LIST(0, 1, 8, 9, 4, 5, 12, 13),
                    DIGEST_LIST(2, 3, 10, 11, 6, 7, 14, 15))
#pragma GCC unroll 16
    DIGEST_EXCHANGE(1, DIGEST_LIST(0, 8, 2, 10, 4, 12, 6, 14),
                    DIGEST_LIST(1, 9, 3, 11, 5, 13, 7, 15))
#else
#pragma GCC unroll 16
    DIGEST_EXCHANGE(2, DIGEST_LIST(0, 1, 4, 5), DIGEST_LIST(2, 3, 6, 7))
#pragma GCC unroll 16
    DIGEST_EXCHANGE(1, DIGEST_LIST(0, 4, 2, 6), DIGEST_LIST(1, 5, 3, 7))
#endif
}

/* Words at to at + 15 of all texts, one text a lane. */
DIGEST_FN void digest_load(const uint8_t *const *texts, uint32_t at, digest_word m[16])
{
    for (uint32_t part = 0; part < 16 / DIGEST_LANES; part++) {
        digest_word *rows = m + part * DIGEST_LANES;

#pragma GCC unroll 16
        for (uint32_t lane = 0; lane < DIGEST_LANES; lane++)
            memcpy(&rows[lane], texts[lane] + at + part * 4 * DIGEST_LANES, sizeof rows[lane]);
        digest_transpose(rows);
    }
}

/* The SHA family reads big-endian words. */
DIGEST_FN void digest_swap(digest_word m[16])
{
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 16; i++)
        m[i] = (DIGEST_ROL(m[i], 8) & 0x00ff00ffu) | (DIGEST_ROL(m[i], 24) & 0xff00ff00u);
}

/* What MD5 and SHA put behind a text that ends with a block. */
DIGEST_FN void digest_padding(enum digest_kind kind, uint32_t len, digest_word m[16])
{
    for (uint32_t i = 0; i < 16; i++)
        m[i] = (digest_word){ 0 };
    m[0] += kind == DIGEST_MD5 ? 0x80u : 0x80000000u;
    m[kind == DIGEST_MD5 ? 14 : 15] += len * 8;
}

DIGEST_FN void digest_store(enum digest_kind kind, const digest_word s[8], uint8_t *out)
{
    const uint32_t words = digest_len(kind) / 4;

    for (uint32_t lane = 0; lane < DIGEST_LANES; lane++)
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t word = kind == DIGEST_MD5 ? s[i][lane] : __builtin_bswap32(s[i][lane]);

            memcpy(out + (lane * words + i) * 4, &word, sizeof word);
        }
}

DIGEST_FN void digest_run(enum digest_kind kind, const uint8_t *const *texts, uint32_t len,
                          uint8_t *out)
{
    digest_word s[8], m[16];

    for (uint32_t i = 0; i < 8; i++)
        s[i] = (digest_word){ 0 } + digest_begin[kind][i];
    for (uint32_t at = 0; at <= len; at += 64) {
        if (at < len)
            digest_load(texts, at, m);
        else
            digest_padding(kind, len, m);
        if (at < len && kind != DIGEST_MD5)
            digest_swap(m);
        if (kind == DIGEST_MD5)
            digest_md5(s, m);
        else if (kind == DIGEST_SHA1)
            digest_sha1(s, m);
        else
            digest_sha256(s, m);
    }
    digest_store(kind, s, out);
}

/* A copy for each kind, so that nothing is asked in the loop. */
DIGEST_TARGET static void digest_all(enum digest_kind kind, const uint8_t *const *texts,
                                     uint32_t len, uint8_t *out)
{
    if (kind == DIGEST_MD5)
        digest_run(DIGEST_MD5, texts, len, out);
    else if (kind == DIGEST_SHA1)
        digest_run(DIGEST_SHA1, texts, len, out);
    else
        digest_run(DIGEST_SHA256, texts, len, out);
}
