/*
 * match/simd_checks.c - the second and the third pass of the vector engine over dense text. See simd.h.
 *
 * There, several places of each block are candidates, and one of them or none is a match. Nearly every slot has one pattern or
 * none: what tells whether it is there lies in one line of the cache, and says it without a branch that depends on the text. What
 * bounds these passes is the number of their instructions: whatever happens rarely is left to a third loop.
 */
#include <stdlib.h>
#include <string.h>

#include "match/simd_leads.h"

enum {
    CHECKS_NEVER = -(1 << 20), /* `later` of what is no hit: no place counts */
};

/* Leads of a kind. */
struct checks_list {
    uint32_t *leads, count;
};

/* The bytes of the pattern around the place that lies `second` bytes from its window. */
static struct simd_line checks_line(const struct simd_pattern *pattern, int32_t second)
{
    struct simd_line line = { .mask = { 0 } };

    for (int32_t k = 0; k < SIMD_AROUND; k++) {
        const int32_t i = (int32_t)pattern->window + second + k - SIMD_BEFORE;

        if (i < 0 || i >= (int32_t)pattern->len)
            continue;
        line.want[k] = pattern->bytes[i];
        line.mask[k] = pattern->masks[i];
    }
    return line;
}

enum checks_kind { CHECKS_WHOLE, CHECKS_LONGER, CHECKS_LONG };

/* Whether the pattern is all in its line, or in two. */
static enum checks_kind checks_kind(const struct simd_pattern *pattern)
{
    const bool before = pattern->window > SIMD_BEFORE,
               behind = pattern->len - pattern->window > SIMD_AROUND - SIMD_BEFORE;

    if (!before && !behind)
        return CHECKS_WHOLE;
    return (before && behind) || pattern->len > SIMD_AROUND ? CHECKS_LONG : CHECKS_LONGER;
}

/* Lines and checks of the patterns of a kind, from number `all` on; returns the first one behind them. */
static uint32_t checks_add(struct simd_plan *plan, uint32_t count, enum checks_kind kind, uint32_t all)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct simd_pattern *pattern = &plan->patterns[i];
        const int32_t from = -(int32_t)pattern->window + SIMD_BEFORE,
                      to =
                          from + (int32_t)pattern->len - SIMD_AROUND; /* of the lines of its first and its last bytes */

        if (checks_kind(pattern) != kind)
            continue;
        plan->check_of[i] = (uint16_t)all;
        plan->checks[all] = (struct simd_check){
            .index = pattern->index,
            .len = pattern->len,
            .window = pattern->window,
            .later = kind == CHECKS_WHOLE ? pattern->later : CHECKS_NEVER,
            .second = pattern->window > SIMD_BEFORE ? from : to,
            .number = (uint16_t)i,
        };
        plan->lines[all] = checks_line(pattern, 0);
        plan->seconds[all] = checks_line(pattern, plan->checks[all].second);
        all++;
    }
    return all;
}

/* Where the line of a slot is. */
static uint32_t *checks_slot_line(struct simd_sets *sets, uint32_t slot)
{
    return &sets->lines[1u << (slot >> SIMD_DENSE_BITS)][slot & ((1u << SIMD_DENSE_BITS) - 1)];
}

/* The leads of slots: of the one pattern that they have, or of checks from number `all` on, behind which is what it returns. */
static uint32_t checks_add_slots(struct simd_plan *plan, uint32_t all)
{
    for (uint32_t slot = 0; slot < (uint32_t)SIMD_BUCKETS << SIMD_DENSE_BITS; slot++) {
        if (simd_first_of(plan, slot + 1) - simd_first_of(plan, slot) < 2)
            continue;
        *checks_slot_line(plan->sets, slot) = all * (uint32_t)sizeof *plan->lines;
        memcpy(plan->lines[all].want + SIMD_BEFORE, &plan->keys[slot].want, SIMD_DEPTH);
        memcpy(plan->lines[all].mask + SIMD_BEFORE, &plan->keys[slot].mask, SIMD_DEPTH);
        plan->checks[all++] = (struct simd_check){ .later = CHECKS_NEVER, .number = (uint16_t)slot };
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
        for (uint32_t i = 0; i < 1u << SIMD_DENSE_BITS; i++)
            sets->lines[set][i] = all * (uint32_t)sizeof *plan->lines;
        plan->checks[all++] = (struct simd_check){ .later = CHECKS_NEVER, .number = (uint16_t)set };
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
            *checks_slot_line(plan->sets, slot) = plan->check_of[first] * (uint32_t)sizeof *plan->lines;
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
    plan->seconds = aligned_alloc(SIMD_LINE, most * sizeof *plan->seconds);
    if (plan->sets == NULL || plan->checks == NULL || plan->check_of == NULL || plan->lines == NULL ||
        plan->seconds == NULL)
        return false;
    memset(plan->checks, 0, most * sizeof *plan->checks);
    memset(plan->lines, 0, most * sizeof *plan->lines); /* these hold everywhere */
    memset(plan->seconds, 0, most * sizeof *plan->seconds);
    plan->lines[0].want[0] = 1;
    all = checks_add(plan, count, CHECKS_WHOLE, all);
    plan->limits.whole = all << SIMD_PLACE_BITS;
    all = checks_add_slots(plan, all);
    plan->limits.several = all << SIMD_PLACE_BITS;
    all = checks_add(plan, count, CHECKS_LONGER, all);
    plan->limits.longer = all << SIMD_PLACE_BITS;
    all = checks_add(plan, count, CHECKS_LONG, all);
    plan->limits.patterns = all << SIMD_PLACE_BITS;
    checks_add_sets(plan, all);
    checks_link(plan, count);
    if (plan->ahead < SIMD_AROUND - SIMD_BEFORE)
        plan->ahead = SIMD_AROUND - SIMD_BEFORE;
    return true;
}

/* The check of a lead. */
static inline const struct simd_check *checks_at(const struct simd_check *checks, uint32_t lead)
{
    return &checks[lead >> SIMD_PLACE_BITS];
}

/* Hits of patterns that lie in their lines; the other leads stay. All that begin in the piece count for the scan. */
static void checks_take(const struct simd_scan *scan, const struct simd_piece *piece, struct simd_found *restrict found)
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

        hits[hit] =
            (struct hit){ .offset = offset + place - check->window, .pattern = check->index, .len = check->len };
        hit += place - (uint32_t)check->later - first < places;
        leads[kept] = lead;
        kept += lead >= whole;
    }
    scan->sink->count = (uint32_t)hit;
    found->count = (uint32_t)kept;
}

/* Leads of slots with several patterns go to `slots`, those of two lines to `longer`, the others stay. */
static void checks_split(const struct simd_plan *plan, struct simd_found *restrict found,
                         struct checks_list *restrict slots, struct checks_list *restrict longer)
{
    const uint32_t count = found->count, whole = plan->limits.whole, several = plan->limits.several;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lead = found->leads[i];

        slots->leads[slots->count] = lead;
        slots->count += lead - whole < several - whole;
        longer->leads[longer->count] = lead;
        longer->count += lead - several < plan->limits.longer - several;
        found->leads[kept] = lead;
        kept += lead >= plan->limits.longer;
    }
    found->count = kept;
}

/* Hits of patterns whose second line holds too. */
static void checks_take_longer(const struct simd_scan *scan, const struct simd_piece *piece,
                               const struct checks_list *restrict longer)
{
    const struct simd_plan *plan = piece->plan;
    const uint64_t offset = scan->text->offset + piece->p;
    struct hit *hits = scan->sink->items;
    uint32_t hit = scan->sink->count;

    for (uint32_t i = 0; i < longer->count; i++) {
        const uint32_t lead = longer->leads[i], place = lead & SIMD_PLACE_MASK;
        const struct simd_check *check = checks_at(plan->checks, lead);
        const bool counts = place - (uint32_t)plan->patterns[check->number].later - piece->first < piece->places;

        hits[hit] =
            (struct hit){ .offset = offset + place - check->window, .pattern = check->index, .len = check->len };
        hit += (uint32_t)counts &
               (uint32_t)simd_line_holds(&plan->seconds[lead >> SIMD_PLACE_BITS], piece->at + place + check->second, 0);
    }
    scan->sink->count = hit;
}

/* Compares what may stand at a place one by one: patterns of the lead's check; false when the sink is full. */
static bool checks_verify(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t lead)
{
    const struct simd_plan *plan = piece->plan;
    const uint32_t place = lead & SIMD_PLACE_MASK, number = checks_at(plan->checks, lead)->number;

    if (lead >= plan->limits.whole && lead < plan->limits.several)
        return simd_verify(scan, piece, place, simd_first_of(plan, number), simd_first_of(plan, number + 1));
    return lead >> SIMD_PLACE_BITS == 0 || simd_verify(scan, piece, place, number, number + 1);
}

/* A lead for each bucket of a set: they go to `again`, or, where there is no room, are compared. */
static bool checks_open_set(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t lead,
                            struct simd_found *again)
{
    const uint32_t place = lead & SIMD_PLACE_MASK;
    const uint64_t word = bytes_u64le(piece->at + place);

    for (uint32_t rest = checks_at(piece->plan->checks, lead)->number; rest != 0; rest &= rest - 1) {
        const uint32_t one = simd_lead_of(simd_line_of(piece->plan->sets, rest & (0 - rest), word)) | place;

        if (again->count < SIMD_LEADS_MAX)
            again->leads[again->count++] = one;
        else if (!checks_verify(scan, piece, one))
            return false;
    }
    return true;
}

/* What is left of leads; those of sets lead to others, in `again`. */
static bool checks_finish(const struct simd_scan *scan, const struct simd_piece *piece, const struct simd_found *found,
                          struct simd_found *again)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const uint32_t lead = found->leads[i];

        if (!(lead < piece->plan->limits.patterns ? checks_verify(scan, piece, lead)
                                                  : checks_open_set(scan, piece, lead, again)))
            return false;
    }
    return true;
}

/* Whether all matches with windows in the piece end where the scan looks for them. */
static bool checks_are_all_in(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t blocks)
{
    return piece->p >= scan->from + piece->plan->back &&
           (uint64_t)piece->p + (uint64_t)blocks * SIMD_BLOCK + piece->plan->before < scan->to;
}

/* From slots to the checks of the patterns that each of them leads to, which go to `again`. */
static void checks_open_slots(const struct simd_piece *piece, const struct checks_list *slots, struct simd_found *again)
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

/* The third pass over leads with checks. Those of the next one go to `again`, behind what is there. */
static bool checks_follow(const struct simd_scan *scan, const struct simd_piece *piece, bool all_in,
                          struct simd_found *found, struct simd_found *again)
{
    uint32_t of_slots[SIMD_DENSE_PIECE + 1], of_longer[SIMD_DENSE_PIECE + 1];
    struct checks_list slots = { .leads = of_slots }, longer = { .leads = of_longer };

    if (all_in && found->count <= SIMD_DENSE_PIECE && scan->sink->max - scan->sink->count > found->count &&
        again->count <= SIMD_LEADS_MAX - SIMD_DENSE_PIECE) {
        checks_take(scan, piece, found);
        checks_split(piece->plan, found, &slots, &longer);
        checks_take_longer(scan, piece, &longer);
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
