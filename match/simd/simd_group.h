/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_group.h - through which of its bytes the vector engine watches a pattern, and in
 * which bucket: so that as few places of a disk as possible are candidates.
 *
 * Patterns are placed one by one, the most frequent first, each where it adds the fewest
 * candidates; then each is taken out and placed again until that helps no more. The rates come from
 * the model of simd_model.h, and regard what a form cannot tell apart.
 */
#ifndef BURIN_MATCH_SIMD_SIMD_GROUP_H
#define BURIN_MATCH_SIMD_SIMD_GROUP_H

#include "match/simd/simd.h"

/*
 * Sets fingerprint and bucket of every pattern, and the kernels: v and v ^ kernels[j] share an
 * entry of table j (0: none do). *rate is the expected share of places that are candidates.
 */
ERR_MUST_CHECK enum err_code simd_group(const struct simd_form *form, struct simd_pattern *patterns,
                                        uint32_t count, uint8_t kernels[SIMD_DEPTH], double *rate,
                                        struct err *err);

#endif
