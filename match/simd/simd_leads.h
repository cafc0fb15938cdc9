/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_leads.h - for the forms of the vector engine: from what their tables let through
 * to leads whose slots have the word.
 *
 * Inlined into each form, and so compiled with the instructions that the form has.
 */
#ifndef BURIN_MATCH_SIMD_SIMD_LEADS_H
#define BURIN_MATCH_SIMD_SIMD_LEADS_H

#include "base/uninitialized.h"
#include "match/simd/simd.h"

#define SIMD_INLINE static inline __attribute__((always_inline))

enum {
    SIMD_AT_ONCE =
        4, /* places of a block that are written down before it is asked whether there are more, */
    SIMD_DENSE_AT_ONCE = 8, /* and in dense text */
};

/* What the tables let through of a piece. */
struct simd_marks {
    uint64_t words[SIMD_BLOCKS_MAX]; /* a bit for each place that is a candidate */
    uint8_t own[SIMD_PIECE];
    uint16_t places[SIMD_PIECE + SIMD_AT_ONCE]; /* of the candidates, ascending */
    uint8_t *buckets;                           /* of each of them: room for all places */
};

/* The number of the lowest bit; anything up to SIMD_BLOCK where there is none. */
typedef uint32_t simd_lowest(uint64_t word);

static inline uint32_t simd_lowest_of_some(uint64_t word)
{
    return (uint32_t)__builtin_ctzll(word | UINT64_C(1) << (SIMD_BLOCK - 1));
}

/*
 * Writes the places of a block down, those of the bits of word from base on, behind `count` others;
 * hardly with a branch that depends on how many there are. at_once: so many before it is asked
 * whether there are more. counts: there is an instruction that counts bits.
 */
SIMD_INLINE uint32_t simd_add_places(simd_lowest *lowest, uint32_t at_once, uint64_t word,
                                     uint32_t base, uint32_t count, bool counts, uint16_t *places)
{
    const uint32_t past = count + (counts ? (uint32_t)__builtin_popcountll(word) : 0);

    do {
        for (uint32_t k = 0; k < at_once; k++) {
            places[count] = (uint16_t)(base + lowest(word));
            count += counts || word != 0;
            word &= word - 1;
        }
    } while (word != 0);
    return counts ? past : count;
}

/* The leads of `count` places, one for each bucket of a place, whose slots have the word. */
SIMD_INLINE void simd_add_leads(const struct simd_plan *plan, const uint8_t *restrict at,
                                const struct simd_marks *restrict marks, uint32_t count,
                                struct simd_found *restrict found)
{
    const struct simd_spreads *restrict spreads = &plan->buckets;
    const struct simd_key *restrict keys = plan->keys;
    const uint32_t bits = spreads->bits, shift = 64 - bits;
    uint32_t *restrict leads = found->leads;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = marks->places[i];
        uint32_t rest = marks->buckets[place];
        const uint64_t word = bytes_u64le(at + place);

        do {
            const uint32_t b = (uint32_t)__builtin_ctz(rest);
            const uint64_t slot =
                (word & spreads->common[b]) * spreads->factor[b] >> shift | (uint64_t)b << bits;

            *leads = (uint32_t)slot << SIMD_PLACE_BITS | place;
            leads += (word & keys[slot].mask) == keys[slot].want;
            rest &= rest - 1;
        } while (rest != 0);
    }
    found->count = (uint32_t)(leads - found->leads);
}

/* The leads of all blocks; bit n of `some` says whether words[n] has bits. */
SIMD_INLINE void simd_find_leads(const struct simd_plan *plan, const uint8_t *at, uint64_t some,
                                 struct simd_marks *marks, bool counts, struct simd_found *found)
{
    uint32_t count = 0;

    for (; some != 0; some &= some - 1) {
        const uint32_t block = (uint32_t)__builtin_ctzll(some);

        count = simd_add_places(simd_lowest_of_some, SIMD_AT_ONCE, marks->words[block],
                                block * SIMD_BLOCK, count, counts, marks->places);
    }
    simd_add_leads(plan, at, marks, count, found);
}

/* Whether the first SIMD_PROBE blocks have more than `most` places. */
SIMD_INLINE bool simd_is_dense(const uint64_t *words, uint64_t some, uint32_t most)
{
    const uint64_t ones = UINT64_MAX / 3, pairs = UINT64_MAX / 5, nibbles = UINT64_MAX / 17,
                   bytes = UINT64_MAX / 255;
    const uint64_t empty = ~some & ((1u << SIMD_PROBE) - 1);
    uint64_t count = 0;

    if ((empty & (empty - 1)) != 0) /* two or more blocks, as a rule: so this is cheap */
        return false;
    for (uint32_t i = 0; i < SIMD_PROBE; i++) {
        uint64_t word = words[i];

        word -= word >> 1 & ones;
        word = (word & pairs) + (word >> 2 & pairs);
        count += ((word + (word >> 4)) & nibbles) * bytes >> 56;
    }
    return count > most;
}

/*
 * A form's look goes from marks->words[from] to before words[to], and returns the bits of those
 * that are not zero. From it the form's filter for sparse pieces:
 */
typedef uint64_t simd_look(const struct simd_plan *plan, const uint8_t *at, uint32_t from,
                           uint32_t to, struct simd_marks *marks);

SIMD_INLINE bool simd_find_sparse(simd_look *look, bool counts, const struct simd_plan *plan,
                                  const uint8_t *at, uint32_t blocks, uint32_t most,
                                  struct simd_found *found)
{
    struct simd_marks marks UNINITIALIZED;
    marks.buckets = marks.own;
    uint64_t some = 0;

    for (uint32_t from = 0, to = blocks > SIMD_PROBE ? SIMD_PROBE : blocks; from < blocks;
         to = blocks) {
        some |= look(plan, at, from, to, &marks);
        if (to == SIMD_PROBE && simd_is_dense(marks.words, some, most))
            return false;
        from = to;
    }
    simd_find_leads(plan, at, some, &marks, counts, found);
    return true;
}

/* And for dense ones. The buckets of the candidates are by place. */
SIMD_INLINE void simd_find_dense(simd_look *look, simd_lowest *lowest, bool counts,
                                 const struct simd_plan *plan, const uint8_t *at, uint32_t blocks,
                                 struct simd_places *candidates)
{
    struct simd_marks marks UNINITIALIZED;
    uint32_t count = 0;

    for (uint32_t from = 0; from < blocks; from += SIMD_BLOCKS_MAX) {
        const uint32_t some = blocks - from < SIMD_BLOCKS_MAX ? blocks - from : SIMD_BLOCKS_MAX;

        marks.buckets = candidates->buckets + from * SIMD_BLOCK;
        (void)look(plan, at + from * SIMD_BLOCK, 0, some, &marks);
        for (uint32_t i = 0; i < some; i++)
            count = simd_add_places(lowest, SIMD_DENSE_AT_ONCE, marks.words[i],
                                    (from + i) * SIMD_BLOCK, count, counts, candidates->places);
    }
    candidates->count = count;
}

/* Adds 1 to a number if the bytes there are those of the line. */
typedef size_t simd_holds(const struct simd_line *line, const uint8_t *at, size_t count);

static inline size_t simd_line_holds(const struct simd_line *line, const uint8_t *at, size_t count)
{
    uint64_t wrong = 0;

    for (uint32_t i = 0; i < SIMD_AROUND; i += 8)
        wrong |=
            ~(bytes_u64le(at + i) ^ bytes_u64le(line->against + i)) & bytes_u64le(line->mask + i);
    return count + (wrong == 0);
}

/* The way of a candidate of these buckets. */
static inline const struct simd_way *simd_way_of(const struct simd_sets *sets, uint32_t set,
                                                 uint64_t word)
{
    return &sets->ways[set]
                      [(word & sets->common[set]) * sets->factor[set] >> (64 - SIMD_DENSE_BITS)];
}

/* The lead with place 0 for a line. */
static inline uint32_t simd_lead_of(uint32_t line)
{
    return line * (uint32_t)((1 << SIMD_PLACE_BITS) / sizeof(struct simd_line));
}

/* From a form's own way to compare a line, its simd_sift_dense; without a branch that depends on
 * the text. */
SIMD_INLINE void simd_sift_lines(simd_holds *holds, const struct simd_plan *restrict plan,
                                 const uint8_t *restrict at,
                                 const struct simd_places *restrict candidates,
                                 struct simd_found *restrict found)
{
    const struct simd_sets *restrict sets = plan->sets;
    const char *restrict lines = (const char *)plan->lines;
    const uint32_t count = candidates->count;
    uint32_t *restrict leads = found->leads;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t place = candidates->places[i];
        const struct simd_way *way =
            simd_way_of(sets, candidates->buckets[place], bytes_u64le(at + place));

        leads[kept] = simd_lead_of(way->line) | (uint32_t)place;
        kept =
            holds((const void *)(lines + way->line), at - SIMD_BEFORE + (place + way->shift), kept);
    }
    found->count = (uint32_t)kept;
}

/* The same for its simd_sift_again. */
SIMD_INLINE void simd_sift_lines_again(simd_holds *holds, const struct simd_plan *restrict plan,
                                       const uint8_t *restrict at,
                                       struct simd_found *restrict again,
                                       struct simd_found *restrict found)
{
    const uint32_t count = again->count;
    size_t kept = 0, more = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t lead = again->leads[i], place = lead & SIMD_PLACE_MASK,
                       number = lead >> SIMD_PLACE_BITS;
        const struct simd_check *check = &plan->checks[number];
        const uint32_t next = check->next;

        found->leads[kept] = lead;
        kept = holds(&plan->lines[number], at - SIMD_BEFORE + (place + check->shift), kept);
        again->leads[more] = next << SIMD_PLACE_BITS | place;
        more += next != 0;
    }
    found->count = (uint32_t)kept;
    again->count = (uint32_t)more;
}

#endif
