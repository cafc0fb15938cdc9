/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_dense.h - fingerprints and buckets of the vector engine for text that is made of
 * beginnings of patterns and of patterns with a byte wrong: so that as few of its places as
 * possible are candidates.
 *
 * They are found by counting, on a short text made that way. Patterns are placed one by one, each
 * where it adds the fewest candidates; then each is taken out and placed again.
 */
#ifndef BURIN_MATCH_SIMD_SIMD_DENSE_H
#define BURIN_MATCH_SIMD_SIMD_DENSE_H

#include "match/simd/simd.h"

/* Patterns have the fingerprints and buckets of the sparse plan, and get those of the dense one;
 * ERR_INTERRUPTED: it was stopped before. */
ERR_MUST_CHECK enum err_code simd_dense(const struct simd_form *form, struct simd_pattern *patterns,
                                        uint32_t count, const atomic_bool *stop, struct err *err);

/* How many candidates of the sparse plan there may be in SIMD_PROBE blocks before the dense one is
 * better. */
uint32_t simd_dense_most(const struct simd_form *form, const struct simd_plan *sparse,
                         uint32_t count);

#endif
