/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_sift.c - the second pass of the vector engine: leads that cannot be matches are
 * dropped. See simd.h.
 *
 * Where leads are many, what they are is hard to foresee: there is no branch that depends on a
 * lead.
 */
#include "match/simd/simd.h"

void simd_sift(const struct simd_plan *plan, const uint8_t *at, struct simd_found *found)
{
    const struct simd_key *keys = plan->keys;
    const uint32_t count = found->count;
    uint32_t *leads = found->leads;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lead = leads[i];
        const struct simd_key *key = &keys[lead >> SIMD_PLACE_BITS];

        leads[kept] = lead;
        kept += (bytes_u64le(at + (lead & SIMD_PLACE_MASK)) & key->mask) == key->want;
    }
    found->count = kept;
}

void simd_sift_ends(const struct simd_piece *piece, struct simd_found *found)
{
    const uint8_t *const at = piece->at;
    const struct simd_slot *slots = piece->plan->slots;
    const struct simd_end *ends = piece->plan->ends;
    const uint32_t count = found->count;
    uint32_t *leads = found->leads;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = leads[i] & SIMD_PLACE_MASK;
        const struct simd_slot *slot = &slots[leads[i] >> SIMD_PLACE_BITS];
        const uint64_t word = bytes_u64le(at + place + slot->more);
        const uint32_t number = slot->ends.start + simd_hash(&slot->ends, word);
        const struct simd_key *key = &ends[number].key;

        leads[kept] = ends[number].first << SIMD_PLACE_BITS | place;
        kept += (word & key->mask) == key->want;
    }
    found->count = kept;
}
