/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_form.h - the four functions of a form of the vector engine, made from the three
 * that differ. A template for the file of a form.
 *
 * Define SIMD_TARGET (the instructions that the form has, as a function attribute, or nothing)
 * before, SIMD_LOOK (looks up blocks in the tables), SIMD_LOWEST (a simd_lowest), SIMD_COUNTS
 * (whether an instruction counts bits) and SIMD_HOLDS (compares a line with the bytes at a place).
 * All are inlined, and so compiled with the form's instructions.
 */
#include "match/simd/simd_leads.h"

SIMD_TARGET static bool simd_form_filter(const struct simd_plan *plan, const uint8_t *at,
                                         uint32_t blocks, uint32_t most, struct simd_found *found)
{
    return simd_find_sparse(SIMD_LOOK, SIMD_COUNTS, plan, at, blocks, most, found);
}

SIMD_TARGET static void simd_form_dense(const struct simd_plan *plan, const uint8_t *at,
                                        uint32_t blocks, struct simd_places *candidates)
{
    simd_find_dense(SIMD_LOOK, SIMD_LOWEST, SIMD_COUNTS, plan, at, blocks, candidates);
}

SIMD_TARGET static void simd_form_sift(const struct simd_plan *plan, const uint8_t *at,
                                       struct simd_places *candidates, struct simd_found *found)
{
    simd_sift_lines(SIMD_HOLDS, plan, at, candidates, found);
}

SIMD_TARGET static void simd_form_again(const struct simd_plan *plan, const uint8_t *at,
                                        struct simd_found *again, struct simd_found *found)
{
    simd_sift_lines_again(SIMD_HOLDS, plan, at, again, found);
}
