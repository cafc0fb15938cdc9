/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_checks.c - the second and the third pass of the vector engine over dense text.
 * See simd.h.
 *
 * There, several places of each block are candidates, and one of them or none is a match. Nearly
 * every slot has one pattern or none: what tells whether it is there lies in one line of the cache,
 * and says it without a branch that depends on the text. What bounds these passes is the number of
 * their instructions: whatever happens rarely is left to a third loop.
 */
#include <stdlib.h>
#include <string.h>

#include "base/uninitialized.h"
#include "match/simd/simd_leads.h"

enum {
    CHECKS_NEVER = -(1 << 20), /* `later` of what is no hit: no place counts */
};

/* Leads of a kind. */
struct checks_list {
    uint32_t *leads, count;
};

/* Whether the pattern is all in its line. */
static bool checks_is_whole(const struct simd_pattern *pattern)
{
    return pattern->len <= SIMD_AROUND;
}

/* The first byte of the pattern that is in its line: as many before the fingerprint as behind it
 * where not all are. */
static uint32_t checks_first(const struct simd_pattern *pattern)
{
    const uint32_t first =
        pattern->fingerprint > SIMD_AROUND / 2 ? pattern->fingerprint - SIMD_AROUND / 2 : 0;
    const uint32_t last = checks_is_whole(pattern) ? 0 : pattern->len - SIMD_AROUND;

    return first < last ? first : last;
}

/* A line for so many bytes, or for as many of them as it holds. */
static void checks_fill_line(struct simd_line *line, const uint8_t *bytes, const uint8_t *masks,
                             uint32_t len)
{
    for (uint32_t i = 0; i < len && i < SIMD_AROUND; i++) {
        line->against[i] = (uint8_t)~bytes[i];
        line->mask[i] = masks[i];
    }
}

/* Lines and checks of the patterns that are whole, or not, from number `all` on; returns the first
 * one behind them. */
static uint32_t checks_add(struct simd_plan *plan, uint32_t count, bool whole, uint32_t all)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct simd_pattern *pattern = &plan->patterns[i];
        const uint32_t first = checks_first(pattern), left = pattern->len - first;

        if (checks_is_whole(pattern) != whole)
            continue;
        plan->check_of[i] = (uint16_t)all;
        plan->checks[all] = (struct simd_check){
            .index = pattern->index,
            .len = pattern->len,
            .fingerprint = pattern->fingerprint,
            .later = whole ? pattern->later : CHECKS_NEVER,
            .shift = SIMD_BEFORE + first - pattern->fingerprint,
            .number = (uint16_t)i,
        };
        checks_fill_line(&plan->lines[all++], pattern->bytes + first, pattern->masks + first, left);
    }
    return all;
}

/* The way to a check. */
static struct simd_way checks_way(const struct simd_plan *plan, uint32_t number)
{
    return (struct simd_way){ .line = number * (uint32_t)sizeof *plan->lines,
                              .shift = plan->checks[number].shift };
}

/* The way of a slot. */
static struct simd_way *checks_slot_way(struct simd_sets *sets, uint32_t slot)
{
    return &sets->ways[1u << (slot >> SIMD_DENSE_BITS)][slot & ((1u << SIMD_DENSE_BITS) - 1)];
}

/* A check of no pattern, which begins at the place. */
static struct simd_check checks_other(uint32_t number)
{
    return (struct simd_check){ .later = CHECKS_NEVER,
                                .shift = SIMD_BEFORE,
                                .number = (uint16_t)number };
}

/* The leads of slots: of the one pattern that they have, or of checks from number `all` on, behind
 * which is what it returns. */
static uint32_t checks_add_slots(struct simd_plan *plan, uint32_t all)
{
    for (uint32_t slot = 0; slot < (uint32_t)SIMD_BUCKETS << SIMD_DENSE_BITS; slot++) {
        uint8_t want[SIMD_DEPTH], mask[SIMD_DEPTH];

        if (simd_first_of(plan, slot + 1) - simd_first_of(plan, slot) < 2)
            continue;
        memcpy(want, &plan->keys[slot].want, SIMD_DEPTH);
        memcpy(mask, &plan->keys[slot].mask, SIMD_DEPTH);
        checks_fill_line(&plan->lines[all], want, mask, SIMD_DEPTH);
        plan->checks[all] = checks_other(slot);
        *checks_slot_way(plan->sets, slot) = checks_way(plan, all++);
    }
    return all;
}

static void checks_add_sets(struct simd_plan *plan, uint32_t all)
{
    struct simd_sets *sets = plan->sets;

    for (uint32_t set = 1; set < SIMD_SETS; set++) {
        const uint32_t b = (uint32_t)__builtin_ctz(set);

        if ((set & (set - 1)) == 0) {
            sets->common[set] = plan->buckets.common[b];
            sets->factor[set] = plan->buckets.factor[b];
            continue;
        }
        plan->checks[all] = checks_other(set);
        for (uint32_t i = 0; i < 1u << SIMD_DENSE_BITS; i++)
            sets->ways[set][i] = checks_way(plan, all);
        all++;
    }
}

/* Leads of slots with one pattern, and what follows a pattern in its end. */
static void checks_link(struct simd_plan *plan, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (plan->patterns[i].followed)
            plan->checks[plan->check_of[i]].next = plan->check_of[i + 1];
    for (uint32_t slot = 0; slot < (uint32_t)SIMD_BUCKETS << SIMD_DENSE_BITS; slot++) {
        const uint32_t first = simd_first_of(plan, slot);

        if (simd_first_of(plan, slot + 1) - first == 1)
            *checks_slot_way(plan->sets, slot) = checks_way(plan, plan->check_of[first]);
    }
}

bool simd_fill_checks(struct simd_plan *plan, uint32_t count)
{
    const uint32_t most = 2 + 2 * count + SIMD_SETS; /* and one for an even number of them */
    uint32_t all = 1;

    plan->sets = calloc(1, sizeof *plan->sets);
    plan->checks = aligned_alloc(SIMD_LINE, most * sizeof *plan->checks);
    plan->check_of = calloc(count + 1u, sizeof *plan->check_of);
    plan->lines = aligned_alloc(SIMD_LINE, most * sizeof *plan->lines);
    if (plan->sets == NULL || plan->checks == NULL || plan->check_of == NULL || plan->lines == NULL)
        return false;
    memset(plan->checks, 0, most * sizeof *plan->checks);
    memset(plan->lines, 0, most * sizeof *plan->lines); /* these hold everywhere */
    plan->checks[0] = checks_other(0);
    memset(plan->lines[0].mask, 0xff, SIMD_AROUND); /* and this one hardly anywhere */
    all = checks_add(plan, count, true, all);
    plan->limits.whole = all << SIMD_PLACE_BITS;
    all = checks_add_slots(plan, all);
    plan->limits.several = all << SIMD_PLACE_BITS;
    all = checks_add(plan, count, false, all);
    plan->limits.patterns = all << SIMD_PLACE_BITS;
    checks_add_sets(plan, all);
    checks_link(plan, count);
    if (plan->ahead < SIMD_AROUND)
        plan->ahead = SIMD_AROUND;
    return true;
}

/* The check of a lead. */
static inline const struct simd_check *checks_at(const struct simd_check *checks, uint32_t lead)
{
    return &checks[lead >> SIMD_PLACE_BITS];
}

/* Hits of patterns that lie in their lines; the other leads stay. All that begin in the piece count
 * for the scan. */
static void checks_take(const struct simd_scan *scan, const struct simd_piece *piece,
                        struct simd_found *restrict found)
{
    const struct simd_check *restrict checks = piece->plan->checks;
    const uint64_t offset = scan->text->offset + piece->p;
    const uint32_t count = found->count, first = piece->first, places = piece->places;
    const uint32_t whole = piece->plan->limits.whole;
    struct hit *restrict hits = scan->sink->items;
    uint32_t *restrict leads = found->leads;
    size_t hit = scan->sink->count, kept = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t lead = leads[i], place = lead & SIMD_PLACE_MASK;
        const struct simd_check *check = checks_at(checks, lead);

        hits[hit] = (struct hit){ .offset = offset + place - check->fingerprint,
                                  .pattern = check->index,
                                  .len = check->len };
        hit += place - (uint32_t)check->later - first < places;
        leads[kept] = lead;
        kept += lead >= whole;
    }
    scan->sink->count = (uint32_t)hit;
    found->count = (uint32_t)kept;
}

/* Leads of slots with several patterns go to `slots`, the others stay. */
static void checks_split(const struct simd_plan *plan, struct simd_found *restrict found,
                         struct checks_list *restrict slots)
{
    const uint32_t count = found->count, whole = plan->limits.whole, several = plan->limits.several;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lead = found->leads[i];

        slots->leads[slots->count] = lead;
        slots->count += lead - whole < several - whole;
        found->leads[kept] = lead;
        kept += lead >= several;
    }
    found->count = kept;
}

/* Compares what may stand at a place one by one: patterns of the lead's check; false when the sink
 * is full. */
static bool checks_verify(const struct simd_scan *scan, const struct simd_piece *piece,
                          uint32_t lead)
{
    const struct simd_plan *plan = piece->plan;
    const uint32_t place = lead & SIMD_PLACE_MASK, number = checks_at(plan->checks, lead)->number;

    if (lead >= plan->limits.whole && lead < plan->limits.several)
        return simd_verify(scan, piece, place, simd_first_of(plan, number),
                           simd_first_of(plan, number + 1));
    return lead >> SIMD_PLACE_BITS == 0 || simd_verify(scan, piece, place, number, number + 1);
}

/* A lead for each bucket of a set: they go to `again`, or, where there is no room, are compared. */
static bool checks_open_set(const struct simd_scan *scan, const struct simd_piece *piece,
                            uint32_t lead, struct simd_found *again)
{
    const uint32_t place = lead & SIMD_PLACE_MASK;
    const uint64_t word = bytes_u64le(piece->at + place);

    for (uint32_t rest = checks_at(piece->plan->checks, lead)->number; rest != 0;
         rest &= rest - 1) {
        const uint32_t one =
            simd_lead_of(simd_way_of(piece->plan->sets, rest & (0 - rest), word)->line) | place;

        if (again->count < SIMD_LEADS_MAX)
            again->leads[again->count++] = one;
        else if (!checks_verify(scan, piece, one))
            return false;
    }
    return true;
}

/* What is left of leads; those of sets lead to others, in `again`. */
static bool checks_finish(const struct simd_scan *scan, const struct simd_piece *piece,
                          const struct simd_found *found, struct simd_found *again)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const uint32_t lead = found->leads[i];

        if (!(lead < piece->plan->limits.patterns ? checks_verify(scan, piece, lead)
                                                  : checks_open_set(scan, piece, lead, again)))
            return false;
    }
    return true;
}

/* Whether all matches with fingerprints in the piece end where the scan looks for them. */
static bool checks_are_all_in(const struct simd_scan *scan, const struct simd_piece *piece,
                              uint32_t blocks)
{
    return piece->p >= scan->from + piece->plan->back &&
           (uint64_t)piece->p + (uint64_t)blocks * SIMD_BLOCK + piece->plan->before < scan->to;
}

/* From slots to the checks of the patterns that each of them leads to, which go to `again`. */
static void checks_open_slots(const struct simd_piece *piece, const struct checks_list *slots,
                              struct simd_found *again)
{
    const struct simd_plan *plan = piece->plan;
    const struct simd_check *checks = plan->checks;
    uint32_t *leads = again->leads + again->count, kept = 0;

    for (uint32_t i = 0; i < slots->count; i++) {
        const uint32_t place = slots->leads[i] & SIMD_PLACE_MASK;
        const struct simd_slot *slot = &plan->slots[checks_at(checks, slots->leads[i])->number];
        const uint64_t word = bytes_u64le(piece->at + place + slot->more);
        const struct simd_end *end = &plan->ends[slot->ends.start + simd_hash(&slot->ends, word)];

        leads[kept] = (uint32_t)plan->check_of[end->first] << SIMD_PLACE_BITS | place;
        kept += (word & end->key.mask) == end->key.want;
    }
    again->count += kept;
}

/* The third pass over leads with checks. Those of the next one go to `again`, behind what is there.
 */
static bool checks_follow(const struct simd_scan *scan, const struct simd_piece *piece, bool all_in,
                          struct simd_found *found, struct simd_found *again)
{
    uint32_t of_slots[SIMD_DENSE_PIECE + 1] UNINITIALIZED;
    struct checks_list slots = { .leads = of_slots };

    if (all_in && found->count <= SIMD_DENSE_PIECE &&
        scan->sink->max - scan->sink->count > found->count &&
        again->count <= SIMD_LEADS_MAX - SIMD_DENSE_PIECE) {
        checks_take(scan, piece, found);
        checks_split(piece->plan, found, &slots);
        checks_open_slots(piece, &slots, again);
    }
    return checks_finish(scan, piece, found, again);
}

bool simd_check(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t blocks,
                struct simd_places *candidates, struct simd_found *found, struct simd_found *again)
{
    const struct simd_form *form = scan->program->form;
    const bool all_in = checks_are_all_in(scan, piece, blocks);

    form->sift(piece->plan, piece->at, candidates, found);
    again->count = 0;
    while (checks_follow(scan, piece, all_in, found, again)) {
        if (again->count == 0)
            return true;
        form->again(piece->plan, piece->at, again, found);
    }
    return false;
}
