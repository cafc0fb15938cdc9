/*
 * match/simd_checks.c - the second and the third pass of the vector engine over dense text. See simd.h.
 *
 * There, several places of each block are candidates, and one of them or none is a match. Nearly every slot has one pattern or
 * none: what tells whether it is there lies in one line of the cache, and says it without a branch that depends on the text. What
 * bounds these passes is the number of their instructions: whatever happens rarely is left to a third loop.
 */
#include <stdlib.h>

#include "match/simd.h"

enum {
    CHECKS_STEP = (1 << SIMD_PLACE_BITS) / sizeof(struct simd_check), /* of a lead for each byte of a check */
    CHECKS_WORDS = 4,          /* of a pattern that is compared without a branch */
    CHECKS_NEVER = -(1 << 20), /* `later` of what is no hit: no place counts */
};

/* Leads with slots that have several patterns. */
struct checks_slots {
    uint32_t *leads, count;
};

static struct simd_check checks_of(const struct simd_pattern *pattern, uint32_t number)
{
    const bool is_short = pattern->len >= SIMD_DEPTH && pattern->len <= CHECKS_WORDS * SIMD_DEPTH;

    return (struct simd_check){
        .rest = !pattern->whole,
        .want = pattern->want,
        .mask = pattern->mask,
        .want_more = pattern->want_more,
        .mask_more = pattern->mask_more,
        .more = pattern->more,
        .index = pattern->index,
        .len = pattern->len,
        .window = pattern->window,
        .later = pattern->whole ? pattern->later : CHECKS_NEVER,
        .kind = pattern->whole ? SIMD_WHOLE
                : is_short     ? SIMD_LONGER
                               : SIMD_LONG,
        .number = (uint16_t)number,
        .next = pattern->followed ? (uint16_t)(number + 2) : 0,
    };
}

/* In this order: one that never holds, of each pattern, of each set of buckets but single ones, of each slot that has several patterns. */
bool simd_fill_checks(struct simd_plan *plan, uint32_t count)
{
    const uint32_t slots = (uint32_t)SIMD_BUCKETS << SIMD_DENSE_BITS;
    struct simd_sets *sets = plan->sets = calloc(1, sizeof *sets);
    uint32_t all = 1;

    plan->checks = aligned_alloc(SIMD_LINE, (1 + 2 * count + SIMD_SETS) * sizeof *plan->checks);
    if (sets == NULL || plan->checks == NULL)
        return false;
    plan->checks[0] = (struct simd_check){ .want = 1 };
    for (uint32_t i = 0; i < count; i++)
        plan->checks[all++] = checks_of(&plan->patterns[i], i);
    for (uint32_t set = 1; set < SIMD_SETS; set++) {
        const uint32_t b = (uint32_t)__builtin_ctz(set);

        if ((set & (set - 1)) == 0) {
            sets->common[set] = plan->buckets.common[b];
            sets->factor[set] = plan->buckets.factor[b];
            continue;
        }
        sets->leads[set][0] = all << SIMD_PLACE_BITS;
        plan->checks[all++] = (struct simd_check){
            .later = CHECKS_NEVER, .rest = true, .kind = SIMD_BUCKETS_OF, .number = (uint16_t)set
        };
    }
    for (uint32_t slot = 0; slot < slots; slot++) {
        const uint32_t first = simd_first_of(plan, slot), past = simd_first_of(plan, slot + 1);
        uint32_t *lead = &sets->leads[1u << (slot >> SIMD_DENSE_BITS)][slot & ((1u << SIMD_DENSE_BITS) - 1)];

        if (past - first == 1)
            *lead = (1 + first) << SIMD_PLACE_BITS;
        if (past - first <= 1)
            continue;
        *lead = all << SIMD_PLACE_BITS;
        plan->checks[all++] = (struct simd_check){ .want = plan->keys[slot].want,
                                                   .mask = plan->keys[slot].mask,
                                                   .later = CHECKS_NEVER,
                                                   .several = true,
                                                   .kind = SIMD_SEVERAL,
                                                   .number = (uint16_t)slot };
    }
    return true;
}

/* The check of a lead. */
static inline const struct simd_check *checks_at(const struct simd_check *checks, uint32_t lead)
{
    return &checks[lead >> SIMD_PLACE_BITS];
}

/* The same of one with place 0, an instruction shorter. */
static inline const struct simd_check *checks_of_lead(const struct simd_check *checks, uint32_t lead)
{
    return (const struct simd_check *)(const void *)((const char *)checks + lead / CHECKS_STEP);
}

/* Whether the words of the check are there. */
static inline bool checks_holds(const struct simd_check *check, uint64_t word, const uint8_t *at)
{
    const uint64_t wrong =
        ((word & check->mask) ^ check->want) | ((bytes_u64le(at + check->more) & check->mask_more) ^ check->want_more);

    return wrong == 0;
}

static inline uint32_t checks_lead(const struct simd_sets *sets, uint32_t set, uint64_t word)
{
    return sets->leads[set][(word & sets->common[set]) * sets->factor[set] >> (64 - SIMD_DENSE_BITS)];
}

/* Leads of candidates with the checks that hold. */
static void checks_sift(const struct simd_plan *restrict plan, const uint8_t *restrict at,
                        const struct simd_places *restrict candidates, struct simd_found *restrict found)
{
    const struct simd_sets *restrict sets = plan->sets;
    const struct simd_check *restrict checks = plan->checks;
    const uint32_t count = candidates->count;
    uint32_t *restrict leads = found->leads;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t place = candidates->places[i];
        const uint64_t word = bytes_u64le(at + place);
        const uint32_t lead = checks_lead(sets, candidates->buckets[i], word);

        leads[kept] = lead | (uint32_t)place;
        kept += checks_holds(checks_of_lead(checks, lead), word, at + place);
    }
    found->count = (uint32_t)kept;
}

/* The same for leads with checks, which are replaced by the next ones, where there are any. */
static void checks_sift_again(const struct simd_check *restrict checks, const uint8_t *restrict at,
                              struct simd_found *restrict again, struct simd_found *restrict found)
{
    const uint32_t count = again->count;
    uint32_t kept = 0, more = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lead = again->leads[i], place = lead & SIMD_PLACE_MASK;
        const struct simd_check *check = checks_at(checks, lead);

        found->leads[kept] = lead;
        kept += checks_holds(check, bytes_u64le(at + place), at + place);
        again->leads[more] = (uint32_t)check->next << SIMD_PLACE_BITS | place;
        more += check->next != 0;
    }
    found->count = kept;
    again->count = more;
}

/*
 * Hits of patterns that were checked to their last byte. Leads with slots that have several patterns go to `slots`, the others stay. All
 * that begin in the piece count for the scan.
 */
static void checks_take(const struct simd_scan *scan, const struct simd_piece *piece, struct simd_found *restrict found,
                        struct checks_slots *restrict slots)
{
    const struct simd_check *restrict checks = piece->plan->checks;
    const uint64_t offset = scan->text->offset + piece->p;
    const uint32_t count = found->count, first = piece->first, places = piece->places;
    struct hit *restrict hits = scan->sink->items;
    uint32_t *restrict leads = found->leads, *restrict slot = slots->leads;
    size_t hit = scan->sink->count, kept = 0, several = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t lead = leads[i], place = lead & SIMD_PLACE_MASK;
        const struct simd_check *check = checks_at(checks, lead);

        hits[hit] =
            (struct hit){ .offset = offset + place - check->window, .pattern = check->index, .len = check->len };
        hit += place - (uint32_t)check->later - first < places;
        slot[several] = (uint32_t)check->number << SIMD_PLACE_BITS | place;
        several += check->several;
        leads[kept] = lead;
        kept += check->rest;
    }
    scan->sink->count = (uint32_t)hit;
    found->count = (uint32_t)kept;
    slots->count = (uint32_t)several;
}

/* Whether the pattern stands there: its words from the first on, the last ones at its end. */
static inline bool checks_has_all(const struct simd_pattern *pattern, const uint8_t *text)
{
    uint64_t wrong = 0;

    for (uint32_t k = 0; k < CHECKS_WORDS; k++) {
        const uint32_t last = pattern->len - SIMD_DEPTH, at = k * SIMD_DEPTH < last ? k * SIMD_DEPTH : last;

        wrong |= (bytes_u64le(text + at) & bytes_u64le(pattern->masks + at)) ^ bytes_u64le(pattern->bytes + at);
    }
    return wrong == 0;
}

/* The same for patterns that are somewhat longer. */
static void checks_take_longer(const struct simd_scan *scan, const struct simd_piece *piece,
                               struct simd_found *restrict found)
{
    static const uint8_t nothing[CHECKS_WORDS * SIMD_DEPTH];
    const struct simd_pattern none = { .len = SIMD_DEPTH, .bytes = nothing, .masks = nothing };
    const struct simd_check *checks = piece->plan->checks;
    const uint64_t offset = scan->text->offset + piece->p;
    const uint32_t count = found->count;
    struct hit *hits = scan->sink->items;
    uint32_t hit = scan->sink->count, kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lead = found->leads[i], place = lead & SIMD_PLACE_MASK;
        const struct simd_check *check = checks_at(checks, lead);
        const bool is_longer = check->kind == SIMD_LONGER;
        const struct simd_pattern *pattern = is_longer ? &piece->plan->patterns[check->number] : &none;
        const bool counts = place - (uint32_t)pattern->later - piece->first < piece->places;

        hits[hit] =
            (struct hit){ .offset = offset + place - check->window, .pattern = check->index, .len = check->len };
        hit += (uint32_t)is_longer & (uint32_t)counts &
               (uint32_t)checks_has_all(pattern, piece->at + place - pattern->window);
        found->leads[kept] = lead;
        kept += !is_longer;
    }
    scan->sink->count = hit;
    found->count = kept;
}

/* Compares what may stand at a place one by one: patterns of the lead's check; false when the sink is full. */
static bool checks_verify(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t lead)
{
    const struct simd_plan *plan = piece->plan;
    const struct simd_check *check = checks_at(plan->checks, lead);
    const uint32_t place = lead & SIMD_PLACE_MASK, number = check->number;

    if (check->kind == SIMD_SEVERAL)
        return simd_verify(scan, piece, place, simd_first_of(plan, number), simd_first_of(plan, number + 1));
    return lead >> SIMD_PLACE_BITS == 0 || simd_verify(scan, piece, place, number, number + 1);
}

/* What is left of leads. Those with slots that have several patterns go to `slots`. */
static bool checks_finish(const struct simd_scan *scan, const struct simd_piece *piece, const struct simd_found *found,
                          struct checks_slots *slots)
{
    const struct simd_plan *plan = piece->plan;

    for (uint32_t i = 0; i < found->count; i++) {
        const uint32_t lead = found->leads[i], place = lead & SIMD_PLACE_MASK;
        const struct simd_check *check = checks_at(plan->checks, lead);

        if (check->kind == SIMD_SEVERAL) {
            slots->leads[slots->count++] = (uint32_t)check->number << SIMD_PLACE_BITS | place;
        } else if (check->kind == SIMD_BUCKETS_OF) {
            for (uint32_t rest = check->number; rest != 0; rest &= rest - 1) {
                const uint64_t word = bytes_u64le(piece->at + place);

                if (!checks_verify(scan, piece, checks_lead(plan->sets, rest & (0 - rest), word) | place))
                    return false;
            }
        } else if (!checks_verify(scan, piece, lead)) {
            return false;
        }
    }
    return true;
}

/* Whether all matches with windows in the piece end where the scan looks for them. */
static bool checks_are_all_in(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t blocks)
{
    return piece->p >= scan->from + piece->plan->back &&
           (uint64_t)piece->p + (uint64_t)blocks * SIMD_BLOCK + piece->plan->before < scan->to;
}

/* The third pass over leads with checks; those with slots that have several patterns go to `slots`. */
static bool checks_follow(const struct simd_scan *scan, const struct simd_piece *piece, bool all_in,
                          struct simd_found *found, struct checks_slots *slots)
{
    slots->count = 0;
    if (all_in && scan->sink->max - scan->sink->count > found->count) {
        checks_take(scan, piece, found, slots);
        checks_take_longer(scan, piece, found);
    }
    return checks_finish(scan, piece, found, slots);
}

bool simd_check(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t blocks,
                const struct simd_places *candidates, struct simd_found *found, struct simd_found *again)
{
    const struct simd_plan *plan = piece->plan;
    const bool all_in = checks_are_all_in(scan, piece, blocks);
    struct checks_slots slots = { .leads = again->leads };

    checks_sift(plan, piece->at, candidates, found);
    if (!checks_follow(scan, piece, all_in, found, &slots))
        return false;
    again->count = slots.count;
    simd_sift_ends(piece, again);
    for (uint32_t i = 0; i < again->count; i++)
        again->leads[i] += UINT32_C(1) << SIMD_PLACE_BITS; /* from a pattern to its check */
    while (again->count > 0) {
        uint32_t nowhere[1]; /* a pattern's check has no slot: nothing stays */
        struct checks_slots none = { .leads = nowhere };

        checks_sift_again(plan->checks, piece->at, again, found);
        if (!checks_follow(scan, piece, all_in, found, &none))
            return false;
    }
    return true;
}
