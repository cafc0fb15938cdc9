/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_rare.c - see words_rare.h. */
#include <assert.h>
#include <stdlib.h>

#include "match/words/words_rare.h"

enum {
    RARE_SAMPLE_LEVEL = 1 << 17, /* bytes of the sample to choose the lengths of fingerprints in, */
    RARE_TRIALS = 1 << 13,       /* which so many patterns are asked for */
    RARE_TEXT_WEIGHT =
        4, /* of a fingerprint in the sample, in those that patterns have in common */
    RARE_CUT_WEIGHT = 12, /* at most, of one in a pattern: in text of patterns cut short the first
                             fingerprints are the commonest */
    RARE_PLACES = 48,     /* fingerprints of one pattern that are looked at */
    RARE_LETTER = 0x40,   /* bytes with this bit are folded */
};

/* Cycles, as in words_choose.c: of an entry to be compared; of one more group, for each byte of
 * text. */
static const double rare_entry_cost = 35, rare_group_cost = 2.5;

const uint8_t words_rare_levels[WORDS_RARE_LEVELS] = { WORDS_TWIN_MIN, 3, 4, 5, 6, WORDS_TWIN_MAX };

/* A pattern as text, folded. */
struct rare_text {
    uint8_t bytes[LIMIT_PATTERN_LEN + WORDS_PAD];
    uint8_t whole[LIMIT_PATTERN_LEN]; /* bytes up to here, and this one, that have no bits masked
                                         but those of cases; 255 at most */
};

/* Fills text; returns the longest stretch of whole bytes. */
static uint32_t rare_read(const struct words_rare *d, const struct words_entry *entry,
                          struct rare_text *text)
{
    uint8_t masks[LIMIT_PATTERN_LEN + WORDS_WORD];
    uint32_t whole = 0, run = 0;

    if (entry->more) {
        memcpy(text->bytes, d->sparse->rest + entry->rest, entry->len);
        memcpy(masks, d->sparse->rest + entry->rest + entry->len, entry->len);
    } else {
        memcpy(text->bytes, &entry->want[0], WORDS_WORD);
        memcpy(masks, &entry->mask[0], WORDS_WORD);
        if (entry->last > 0) {
            memcpy(text->bytes + entry->last, &entry->want[1], WORDS_WORD);
            memcpy(masks + entry->last, &entry->mask[1], WORDS_WORD);
        }
    }
    for (uint32_t i = 0; i < entry->len; i++) {
        const uint8_t byte = text->bytes[i];
        const bool letter = d->fold != 0 && (byte & RARE_LETTER) != 0;

        whole = masks[i] == 0xff || (letter && masks[i] == 0xdf) ? whole + 1 : 0;
        run = whole > run ? whole : run;
        text->whole[i] = (uint8_t)whole;
        text->bytes[i] = (uint8_t)words_fold(byte, d->fold);
    }
    return run;
}

/* Fills at with the fingerprints to choose from; returns how many. */
static uint32_t rare_places(const struct rare_text *text, uint32_t len, uint32_t fingerprint,
                            uint8_t at[RARE_PLACES])
{
    uint32_t count = 0;

    for (uint32_t i = fingerprint - 1; i < len; i += 1 + len / RARE_PLACES)
        if (text->whole[i] >= fingerprint)
            at[count++] = (uint8_t)(i + 1 - fingerprint);
    return count;
}

static inline struct words_rare_seen *rare_fingerprint(const struct words_rare *d, uint64_t word,
                                                       uint32_t fingerprint)
{
    return &d->fingerprints[(word << 8 * (WORDS_WORD - fingerprint)) * 0x9e3779b97f4a7c15u >>
                            (64 - d->bits)];
}

static void rare_see(const struct words_rare *d, uint64_t word, uint32_t fingerprint,
                     uint32_t weight)
{
    struct words_rare_seen *const seen = rare_fingerprint(d, word, fingerprint);

    seen->seen = (uint16_t)(seen->seen + (seen->seen < UINT16_MAX - weight ? weight : 0));
}

/* Counts fingerprints of one length in so much of the sample, and in every so manieth pattern: what
 * many have in common is common in text, too. */
static void rare_count(const struct words_rare *d, uint32_t fingerprint, uint32_t sampled,
                       uint32_t step)
{
    struct rare_text text;

    memset(d->fingerprints, 0, sizeof *d->fingerprints << d->bits);
    for (uint32_t i = 0; i < sampled; i++)
        rare_see(d, words_fold(words_load(d->sample + i), d->fold), fingerprint, RARE_TEXT_WEIGHT);
    for (uint32_t i = 0; i < d->count; i += step) {
        const struct words_entry *const pattern = d->patterns[i];

        assert(pattern != NULL);
        const uint32_t len = pattern->len;
        (void)rare_read(d, pattern, &text);
        for (uint32_t k = 0; k + fingerprint <= len; k++)
            rare_see(d, words_load(text.bytes + k), fingerprint,
                     1 + RARE_CUT_WEIGHT * (len - k - fingerprint) / len);
    }
}

/* What the patterns cost at each level that they could have: some of them, in a part of the sample.
 */
static void rare_measure(struct words_rare *d)
{
    const uint32_t step = d->count / RARE_TRIALS + 1;
    const uint32_t len = d->len < RARE_SAMPLE_LEVEL ? d->len : RARE_SAMPLE_LEVEL;
    struct rare_text text;
    uint8_t at[RARE_PLACES];

    for (uint32_t level = 0; level < WORDS_RARE_LEVELS; level++) {
        const uint32_t fingerprint = words_rare_levels[level];

        rare_count(d, fingerprint, len, step);
        for (uint32_t i = 0; i < d->count; i += step) {
            uint32_t least = UINT16_MAX;

            if (d->levels[i] < level)
                continue;
            (void)rare_read(d, d->patterns[i], &text);
            for (uint32_t k = rare_places(&text, d->patterns[i]->len, fingerprint, at); k > 0;
                 k--) {
                const uint32_t seen =
                    rare_fingerprint(d, words_load(text.bytes + at[k - 1]), fingerprint)->seen;
                least = seen < least ? seen : least;
            }
            d->costs[d->levels[i]][level] +=
                least * rare_entry_cost * step / RARE_TEXT_WEIGHT / len;
        }
    }
}

/* The set of levels, a bit for each, that costs least when every pattern goes to the highest that
 * it can have. */
static uint32_t rare_level_set(const struct words_rare *d)
{
    uint32_t best = 0;
    double best_cost = 0;

    for (uint32_t set = 1; set < 1u << WORDS_RARE_LEVELS; set++) {
        double cost = rare_group_cost * __builtin_popcount(set);
        uint32_t level = WORDS_RARE_LEVELS;
        bool holds = true;

        for (uint32_t own = 0; own < WORDS_RARE_LEVELS; own++) {
            if (set >> own & 1)
                level = own;
            holds = holds && (d->counts[own] == 0 || level < WORDS_RARE_LEVELS);
            cost += holds && level < WORDS_RARE_LEVELS ? d->costs[own][level] : 0;
        }
        if (holds && (best == 0 || cost <= best_cost)) { /* of several the longer ones */
            best = set;
            best_cost = cost;
        }
    }
    return best;
}

/* The fingerprint that was seen least; of several the one that the fewest others have, and then the
 * last one. */
static uint8_t rare_choose(const struct words_rare *d, const struct rare_text *text,
                           uint32_t fingerprint, uint32_t len)
{
    struct words_rare_seen *best = NULL;
    uint8_t at[RARE_PLACES], best_at = 0;
    const uint32_t count = rare_places(text, len, fingerprint, at);

    for (uint32_t k = 0; k < count; k++) {
        struct words_rare_seen *const its =
            rare_fingerprint(d, words_load(text->bytes + at[k]), fingerprint);

        if (best == NULL || its->seen < best->seen ||
            (its->seen == best->seen && its->taken <= best->taken)) {
            best = its;
            best_at = at[k];
        }
    }
    if (best != NULL)
        best->taken = (uint16_t)(best->taken + (best->taken < UINT16_MAX));
    return best_at;
}

/* Whether a pattern of one word is told by its bytes, folded: these match in either case, or
 * nothing else is folded to them. */
static bool rare_is_plain(const struct words_rare *d, const struct words_entry *pattern)
{
    bool plain = true;

    for (uint32_t i = 0; i < pattern->len; i++) {
        const uint8_t byte = (uint8_t)(pattern->want[0] >> 8 * i),
                      mask = (uint8_t)(pattern->mask[0] >> 8 * i);
        const bool folded = d->fold != 0 && (byte & RARE_LETTER) != 0;

        plain = plain && mask == (folded ? 0xdf : 0xff);
    }
    return plain;
}

void words_rare_fingerprint(const struct words_rare *d, uint32_t number, uint32_t fingerprint_len,
                            struct words_fingerprint *fingerprint)
{
    const struct words_entry *pattern = d->patterns[number];
    struct rare_text text;

    (void)rare_read(d, pattern, &text);
    fingerprint->number = number;
    fingerprint->ref = d->refs[number];
    fingerprint->at = rare_choose(d, &text, fingerprint_len, pattern->len);
    const uint32_t past = fingerprint->at + fingerprint_len, whole = text.whole[past - 1];
    const uint32_t its = whole < WORDS_WORD ? whole : WORDS_WORD;
    memcpy((uint8_t *)&fingerprint->bytes + WORDS_WORD - its, text.bytes + past - its, its);
    fingerprint->cut = (uint8_t)(8 * (WORDS_WORD - its));
    if (past == its && past == pattern->len && rare_is_plain(d, pattern)) {
        fingerprint->whole = true;
        fingerprint->ref = pattern->pattern | past << WORDS_WHOLE_BITS;
    }
}

/* The patterns of the sparse program, each with the level of the longest fingerprint that it can
 * have; false: one can have none. */
static bool rare_collect(struct words_rare *d)
{
    struct rare_text text;

    for (uint32_t g = 0; g < d->sparse->group_count; g++)
        d->fold |= d->sparse->groups[g].fold;
    for (uint32_t g = 0; g < d->sparse->group_count; g++) {
        for (uint32_t i = 0; i < d->sparse->groups[g].entry_count; i++) {
            const struct words_entry *pattern = &d->sparse->groups[g].entries[i];

            if (d->sparse->groups[g].couples != NULL && pattern->at % 2 != 0)
                continue; /* there is another entry of the same pattern */
            const uint32_t run = rare_read(d, pattern, &text);
            uint32_t level = 0;

            if (run < WORDS_TWIN_MIN)
                return false;
            while (level + 1 < WORDS_RARE_LEVELS && words_rare_levels[level + 1] <= run)
                level++;
            d->counts[level]++;
            d->patterns[d->count] = pattern;
            d->refs[d->count] = g << WORDS_REF_BITS | i;
            d->levels[d->count++] = (uint8_t)level;
        }
    }
    return true;
}

void words_rare_count(const struct words_rare *rare, uint32_t fingerprint)
{
    rare_count(rare, fingerprint, rare->len, 1);
}

bool words_rare_open(struct words_rare *rare, const struct words_program *sparse,
                     const uint8_t *sample, uint32_t len)
{
    uint32_t count = 0;

    *rare = (struct words_rare){ .sparse = sparse, .sample = sample, .len = len, .bits = 12 };
    for (uint32_t g = 0; g < sparse->group_count; g++)
        count += sparse->groups[g].entry_count;
    while (1u << rare->bits < 2 * len)
        rare->bits++;
    rare->patterns = calloc(count + (size_t)1, sizeof *rare->patterns);
    rare->refs = malloc((count + (size_t)1) * sizeof *rare->refs);
    rare->levels = malloc(count + (size_t)1);
    rare->fingerprints = malloc(sizeof *rare->fingerprints << rare->bits);
    if (rare->patterns == NULL || rare->refs == NULL || rare->levels == NULL ||
        rare->fingerprints == NULL || !rare_collect(rare)) {
        words_rare_close(rare);
        return false;
    }
    rare_measure(rare);
    rare->set = rare_level_set(rare);
    for (uint32_t i = 0; i < rare->count; i++)
        while ((rare->set >> rare->levels[i] & 1) == 0)
            rare->levels[i]--;
    return true;
}

void words_rare_close(struct words_rare *rare)
{
    free(rare->patterns);
    free(rare->refs);
    free(rare->levels);
    free(rare->fingerprints);
    *rare = (struct words_rare){ 0 };
}
