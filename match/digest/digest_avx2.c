/* SPDX-License-Identifier: Apache-2.0
 * match/digest/digest_avx2.c - 8 texts at a time with AVX2. See digest_lanes.h. */
#include "match/digest.h"

#ifdef __x86_64__
#define DIGEST_LANES 8
#define DIGEST_TARGET __attribute__((target("avx2")))
#include "match/digest/digest_lanes.h"

void digest_run_avx2(enum digest_kind kind, const uint8_t *const *texts, uint32_t len, uint8_t *out)
{
    digest_all(kind, texts, len, out);
}
#endif
