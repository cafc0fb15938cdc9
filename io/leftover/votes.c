/* io/leftover/votes.c - see votes.h. */
#include "io/leftover/votes.h"

#include <string.h>

#include "base/bisect.h"
#include "base/limits.h"

struct votes {
    const uint64_t *firsts, *starts;
    uint64_t first_count, start_count, first_step, start_step;
    uint32_t unit;
};

/* Where cluster 0 lies if file number f begins at start number s; false: before the image. */
static bool votes_place(const struct votes *votes, uint64_t f, uint64_t s, uint64_t *place)
{
    const uint64_t first = votes->firsts[f], start = votes->starts[s];

    if (first > start / votes->unit)
        return false;
    *place = start - first * votes->unit;
    return *place % LIMIT_SECTOR == 0;
}

static uint32_t votes_slot(uint64_t place)
{
    return (uint32_t)((place / LIMIT_SECTOR * UINT64_C(0x9e3779b97f4a7c15)) >> 42);
}

static void votes_fill(const struct votes *votes, uint16_t *table)
{
    uint64_t place = 0;

    memset(table, 0, VOTES_TABLE * sizeof *table);
    for (uint64_t f = 0; f < votes->first_count; f += votes->first_step)
        for (uint64_t s = 0; s < votes->start_count; s += votes->start_step)
            if (votes_place(votes, f, s, &place)) {
                uint16_t *slot = &table[votes_slot(place)];

                *slot = (uint16_t)(*slot + (*slot < UINT16_MAX));
            }
}

/* Of places in one slot the one that has most of its votes, if one has more than half. */
static uint64_t votes_majority(const struct votes *votes, uint32_t slot)
{
    uint64_t place = 0, held = 0, lead = 0;

    for (uint64_t f = 0; f < votes->first_count; f += votes->first_step)
        for (uint64_t s = 0; s < votes->start_count; s += votes->start_step) {
            if (!votes_place(votes, f, s, &place) || votes_slot(place) != slot)
                continue;
            if (lead == 0)
                held = place;
            if (place == held)
                lead++;
            else
                lead--;
        }
    return held;
}

static bool votes_before(const void *item, uint64_t at)
{
    return *(const uint64_t *)item < at;
}

uint32_t votes_count(const uint64_t *firsts, uint32_t count, const uint64_t *starts,
                     uint64_t start_count, uint32_t unit, uint16_t *table, uint64_t *at)
{
    const struct votes votes = { .firsts = firsts,
                                 .starts = starts,
                                 .first_count = count,
                                 .start_count = start_count,
                                 .first_step = (count + VOTES_FIRSTS - 1) / VOTES_FIRSTS,
                                 .start_step = (start_count + VOTES_STARTS - 1) / VOTES_STARTS,
                                 .unit = unit };
    uint32_t best = 0, next = 0, hits = 0, asked = 0;

    if (count == 0 || start_count == 0)
        return 0;
    votes_fill(&votes, table);
    for (uint32_t i = 1; i < VOTES_TABLE; i++) {
        if (table[i] > table[best]) {
            next = table[best];
            best = i;
        } else if (table[i] > next) {
            next = table[i];
        }
    }
    if (table[best] < VOTES_LEAST || table[best] < VOTES_MARGIN * next)
        return 0;
    *at = votes_majority(&votes, best);
    for (uint64_t f = 0; f < count; f += votes.first_step, asked++) {
        const uint64_t want = *at + firsts[f] * unit;
        const size_t i = bisect(starts, start_count, sizeof *starts, votes_before, want);

        hits += i < start_count && starts[i] == want;
    }
    return hits >= VOTES_LEAST && hits * 8 >= asked ? hits : 0;
}
