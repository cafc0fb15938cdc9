/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_couples.c - see words_couples.h. */
#include "match/words/words_couples.h"

#include <stdlib.h>

enum {
    COUPLES_MIN = 64,  /* patterns: the sets of fewer are sharp enough */
    COUPLES_KEYS = 24, /* tried, at most */
    COUPLES_FILLS = 4, /* patterns: of more, runs of zeros would be let through */
};

static const uint8_t couples_fills[] = { 0, 0xff, ' ' };

bool words_couples_suit(const struct words_form *form, const struct words_coupled *coupled)
{
    return form->couples && coupled->run > WORDS_COUPLE_LEAST && coupled->count > COUPLES_MIN &&
           coupled->count < WORDS_COUPLES_MAX && coupled->fills <= COUPLES_FILLS;
}

bool words_fills(const struct match_pattern *pattern)
{
    bool fills = false;

    for (uint32_t i = 0; i + WORDS_COUPLE_LEAST - WORDS_COUPLE <= pattern->len; i++) {
        const uint8_t *const bytes = pattern->bytes + i;
        bool same = true;

        for (uint32_t k = 1; k < WORDS_COUPLE_LEAST - WORDS_COUPLE; k++)
            same = same && bytes[k] == bytes[0];
        fills = fills || (same && memchr(couples_fills, bytes[0], sizeof couples_fills) != NULL);
    }
    return fills;
}

uint32_t words_couples_fingerprint(uint32_t run)
{
    return run > WORDS_COUPLE_MOST ? WORDS_COUPLE_MOST : run - 1;
}

/* The word and the bits of a fingerprint at the first place of a couple, or at the second. */
static uint32_t *couples_at(struct words_group *group, uint64_t bytes, bool second, uint32_t *bits)
{
    const uint32_t behind = 8 * (group->fingerprint - WORDS_COUPLE);
    const uint64_t own = second ? bytes >> behind : bytes;
    const uint64_t common = second ? bytes : bytes >> 8 * WORDS_COUPLE;

    *bits = words_couple_bits(group->couples, (uint32_t)own & 0xffff);
    return &group->couples->words[words_couple_word(group->couples, (uint32_t)common)];
}

/* Whether fingerprints of one byte over and over are let through, of the bytes that disks are
 * filled with. */
static bool couples_let_runs(struct words_group *group)
{
    bool lets = false;

    for (uint32_t i = 0; i < 2 * sizeof couples_fills; i++) {
        const uint64_t byte = couples_fills[i / 2] | (group->fold & 0xff);
        uint32_t bits;
        const uint32_t word = *couples_at(group, byte * 0x0101010101010101u, i % 2 != 0, &bits);

        lets = lets || (word & bits) == bits;
    }
    return lets;
}

bool words_couples_fill(struct words_group *group, const uint64_t *starts, uint32_t count)
{
    struct words_couples *couples = aligned_alloc(64, sizeof *couples);

    group->couples = couples;
    if (couples == NULL)
        return false;
    for (uint32_t number = 0; number < COUPLES_KEYS; number++) {
        memset(couples->words, 0, sizeof couples->words);
        couples->key = (0x9e3779b1u + (number << 8))
                       << 8 * (WORDS_COUPLE_MOST - group->fingerprint);
        couples->turn = 1 + number;
        for (uint32_t i = 0; i < count; i++) {
            uint64_t bytes = 0;

            for (uint32_t j = 0; j < group->fingerprint; j++)
                bytes |= (starts[i] >> 8 * (group->fingerprint - 1 - j) & 0xff) << 8 * j;
            bytes |= group->fold;
            for (uint32_t second = 0; second < 2; second++) {
                uint32_t bits;
                uint32_t *const word = couples_at(group, bytes, second != 0, &bits);

                *word |= bits;
            }
        }
        if (!couples_let_runs(group))
            break;
    }
    return true;
}
