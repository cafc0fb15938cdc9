/* SPDX-License-Identifier: Apache-2.0
 * match/digest/digest.cu - the kernel of digest_parts.h: the steps of digest_steps.h with a word
 * for each thread.
 *
 * Threads of a warp read 64 bytes each, a block length apart: every byte of a line that the first
 * read brings is used by the reads that follow it, from the cache.
 */
extern "C" {
#include "match/digest/digest_parts.h"
}

#define DIGEST_WORD uint32_t
#define DIGEST_FN static __device__ __forceinline__
#include "match/digest/digest_steps.h"

enum { DIGEST_THREADS = 64 };

static __device__ __forceinline__ void digest_read(const uint8_t *text, bool big, uint32_t m[16])
{
    if (reinterpret_cast<uintptr_t>(text) % 16 == 0) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint4 four = *reinterpret_cast<const uint4 *>(text + 16 * i);

            m[4 * i] = four.x;
            m[4 * i + 1] = four.y;
            m[4 * i + 2] = four.z;
            m[4 * i + 3] = four.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < 16; i++)
            m[i] = text[4 * i] | text[4 * i + 1] << 8 | text[4 * i + 2] << 16 |
                   (uint32_t)text[4 * i + 3] << 24;
    }
    if (big)
#pragma unroll
        for (int i = 0; i < 16; i++)
            m[i] = __byte_perm(m[i], 0, 0x0123);
}

template <digest_kind KIND>
static __device__ __forceinline__ void digest_step(uint32_t s[8], uint32_t m[16])
{
    if (KIND == DIGEST_MD5)
        digest_md5(s, m);
    else if (KIND == DIGEST_SHA1)
        digest_sha1(s, m);
    else
        digest_sha256(s, m);
}

template <digest_kind KIND>
static __global__ void __launch_bounds__(DIGEST_THREADS) digest_all(const struct digest_work work)
{
    const uint32_t n = blockIdx.x * DIGEST_THREADS + threadIdx.x;
    const uint32_t words = KIND == DIGEST_MD5 ? 4 : KIND == DIGEST_SHA1 ? 5 : 8;
    uint32_t s[8] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 }, m[16];

    if (n >= work.count)
        return;
    if (KIND == DIGEST_SHA256) {
        s[0] = 0x6a09e667, s[1] = 0xbb67ae85, s[2] = 0x3c6ef372, s[3] = 0xa54ff53a;
        s[4] = 0x510e527f, s[5] = 0x9b05688c, s[6] = 0x1f83d9ab, s[7] = 0x5be0cd19;
    }
    const uint8_t *text = work.blocks + (size_t)n * work.step;
    for (uint32_t at = 0; at < work.block_len; at += DIGEST_STEP) {
        digest_read(text + at, KIND != DIGEST_MD5, m);
        digest_step<KIND>(s, m);
    }
#pragma unroll
    for (int i = 0; i < 16; i++)
        m[i] = 0;
    m[0] = KIND == DIGEST_MD5 ? 0x80u : 0x80000000u;
    m[KIND == DIGEST_MD5 ? 14 : 15] = work.block_len * 8;
    digest_step<KIND>(s, m);
    uint32_t *out = reinterpret_cast<uint32_t *>(work.digests) + (size_t)n * words;
#pragma unroll
    for (uint32_t i = 0; i < words; i++)
        out[i] = KIND == DIGEST_MD5 ? s[i] : __byte_perm(s[i], 0, 0x0123);
}

extern "C" int digest_cuda(const void *args, void *stream)
{
    const struct digest_work *work = static_cast<const struct digest_work *>(args);
    const uint32_t blocks = (work->count + DIGEST_THREADS - 1) / DIGEST_THREADS;
    const cudaStream_t on = static_cast<cudaStream_t>(stream);

    if (work->kind == DIGEST_MD5)
        digest_all<DIGEST_MD5><<<blocks, DIGEST_THREADS, 0, on>>>(*work);
    else if (work->kind == DIGEST_SHA1)
        digest_all<DIGEST_SHA1><<<blocks, DIGEST_THREADS, 0, on>>>(*work);
    else
        digest_all<DIGEST_SHA256><<<blocks, DIGEST_THREADS, 0, on>>>(*work);
    return static_cast<int>(cudaPeekAtLastError());
}
