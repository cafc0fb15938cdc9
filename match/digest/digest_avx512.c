/* SPDX-License-Identifier: Apache-2.0
 * match/digest/digest_avx512.c - 16 texts at a time with AVX-512. See digest_lanes.h. */
#include "match/digest.h"

#ifdef __x86_64__
#define DIGEST_LANES 16
#define DIGEST_TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#include "match/digest/digest_lanes.h"

void digest_run_avx512(enum digest_kind kind, const uint8_t *const *texts, uint32_t len,
                       uint8_t *out)
{
    digest_all(kind, texts, len, out);
}
#endif
