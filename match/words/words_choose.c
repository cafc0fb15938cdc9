/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_choose.c - see words_choose.h. */
#include <stdlib.h>

#include "base/uninitialized.h"
#include "match/model/words_model.h"
#include "match/words/words_choose.h"
#include "match/words/words_couples.h"
#include "match/words/words_ride.h"
#include "match/words/words_seen.h"

enum {
    CHOOSE_MEASURED = 1 << 16, /* patterns that tell what all cost */
    CHOOSE_AHEAD = 8,          /* patterns whose fingerprints are asked for together */
};

/* Cycles, as those of a form: of a candidate; of one more entry for a candidate; of sets that runs
 * of zeros may survive. */
static const double choose_candidate_cost = 30, choose_entry_cost = 20, choose_zero_cost = 0.05;
/* The same, for a byte of text, of couples, and of a group that rides with them. */
static const double choose_couples_cost = 0.15, choose_ride_cost = 0.03;

static const uint8_t choose_levels[] = { 1, 2, 3, 4, 5, 6, 8, 12, WORDS_FINGERPRINT };
enum { CHOOSE_LEVELS = sizeof choose_levels / sizeof choose_levels[0] };

struct choose {
    const struct match_dictionary *dictionary;
    const struct words_form *form;
    struct words_picks *picks;
    struct words_model model;
    struct words_seen seen;
    double costs[CHOOSE_LEVELS]
                [CHOOSE_LEVELS]; /* of patterns with runs of one level at another, by candidates */
    uint32_t counts[CHOOSE_LEVELS]; /* patterns of a level */
};

/*
 * Share of the places that survive the sets of `count` fingerprints: of each bucket's a part of the
 * first bytes, and of the others its own.
 */
static double choose_survive(const struct choose *choose, uint32_t count, uint32_t fingerprint)
{
    const struct words_model *model = &choose->model;
    const struct words_form *form = choose->form;
    uint32_t log = 0;

    while (log + 1 < WORDS_MODEL_COUNTS && 1u << log < count)
        log++;
    double share = model->hold[log];
    for (uint32_t i = 1; i < fingerprint && i < form->depth; i++)
        share *= model->hold[log > form->spread ? log - form->spread : 0];
    return share;
}

static uint32_t choose_level(uint32_t run)
{
    uint32_t level = 0;

    while (level + 1 < CHOOSE_LEVELS && choose_levels[level + 1] <= run)
        level++;
    return level;
}

/* The highest level of a set that a pattern can have. */
static uint32_t choose_used(uint32_t run, uint32_t set)
{
    uint32_t level = choose_level(run);

    while ((set >> level & 1) == 0)
        level--;
    return level;
}

/* What the candidates of the patterns cost at every level that they could have: of every so manieth
 * in a long list. */
static void choose_measure(struct choose *choose)
{
    const uint32_t step = choose->picks->count / CHOOSE_MEASURED + 1;

    for (uint32_t i = 0; i < choose->picks->count; i++)
        choose->counts[choose_level(choose->picks->items[i].run)]++;
    for (uint32_t i = 0; i < choose->picks->count; i += step) {
        const struct words_pick *pick = &choose->picks->items[i];
        const struct match_pattern *pattern =
            match_dictionary_get(choose->dictionary, pick->pattern);
        const uint32_t own = choose_level(pick->run);
        uint32_t sums[LIMIT_PATTERN_LEN];

        words_model_sums(&choose->model, pattern, sums);
        for (uint32_t level = 0; level <= own && pick->run > 0; level++) {
            uint8_t at[WORDS_OFFERS];
            const uint32_t count =
                words_fingerprints(pattern, choose_levels[level], (struct words_phase){ 1, 0 }, at);
            double least = 1;

            for (uint32_t k = 0; k < count; k++) {
                const double chance =
                    words_model_chance(&choose->model, pattern, sums, at[k], choose_levels[level]);
                least = chance < least ? chance : least;
            }
            choose->costs[own][level] += least * choose_candidate_cost * step;
        }
    }
}

/* Of a group of so many fingerprints, for each byte of text, without its candidates. */
static double choose_group_cost(const struct choose *choose, uint32_t count, uint32_t fingerprint)
{
    const struct words_form *form = choose->form;
    const struct words_coupled coupled = { .run = fingerprint, .count = count };

    if (words_couples_suit(form, &coupled))
        return choose_couples_cost;
    if (form->couples && count <= WORDS_RIDE_MAX && fingerprint >= WORDS_RIDE_LEAST &&
        choose->picks->count >= 2 * WORDS_RIDE_MAX)
        return choose_ride_cost;
    return form->group_cost + form->survivor_cost * choose_survive(choose, count, fingerprint);
}

/* The set of levels in use, a bit for each, that costs least when every pattern goes to the highest
 * that it can have. */
static uint32_t choose_level_set(const struct choose *choose)
{
    uint32_t best = 0;
    double best_cost = -1;

    for (uint32_t set = 1; set < 1u << CHOOSE_LEVELS; set++) {
        double cost = 0;
        uint32_t level = CHOOSE_LEVELS, count = 0;
        bool holds = __builtin_popcount(set) <= WORDS_GROUPS;

        for (uint32_t own = 0; own < CHOOSE_LEVELS; own++) {
            if (set >> own & 1) {
                level = own;
                count = 0;
            }
            count += choose->counts[own];
            holds = holds && (count == 0 || level < CHOOSE_LEVELS);
            if (!holds)
                break;
            cost += level < CHOOSE_LEVELS ? choose->costs[own][level] : 0;
            if (count > 0 && (own + 1 == CHOOSE_LEVELS || (set >> (own + 1) & 1)))
                cost += choose_group_cost(choose, count, choose_levels[level]);
        }
        if (holds && (best_cost < 0 || cost < best_cost)) {
            best = set;
            best_cost = cost;
        }
    }
    return best;
}

/* Counts the fingerprints that a pattern may be watched through. */
static void choose_see(const struct words_offer *offer)
{
    for (uint32_t k = 0; k < offer->count; k++) {
        uint16_t *const seen = &offer->its[k]->seen;

        *seen = (uint16_t)(*seen + (*seen < UINT16_MAX));
    }
}

/* Of a pattern in which every byte is masked: the byte with the fewest values. */
static uint8_t choose_masked(const struct match_pattern *pattern)
{
    uint32_t most = 0;
    uint8_t best = 0;

    for (uint32_t i = 0; i < pattern->len; i++) {
        const uint32_t bits = (uint32_t)__builtin_popcount(pattern->mask[i]);
        best = bits > most ? (uint8_t)i : best;
        most = bits > most ? bits : most;
    }
    return best;
}

/*
 * The fingerprint that adds least: a rare one, or one that is taken already and so costs only one
 * more comparison. What many patterns have in common
 * ("ation") is common in text, too, and more so than its pairs of letters say.
 */
static void choose_at(const struct choose *choose, struct words_pick *pick,
                      const struct words_offer *offer)
{
    const struct match_pattern *pattern = offer->pattern;
    uint32_t sums[LIMIT_PATTERN_LEN] UNINITIALIZED, best = 0;
    double best_cost = -1;

    if (offer->count == 0) {
        pick->at = choose_masked(pattern);
        return;
    }
    words_model_sums(&choose->model, pattern, sums);
    for (uint32_t k = 0; k < offer->count; k++) {
        const struct words_fingerprint_seen *fingerprint = offer->its[k];
        const double chance =
            words_model_chance(&choose->model, pattern, sums, offer->at[k], pick->fingerprint);
        const double seen = fingerprint->seen;
        const double cost = chance * seen * seen *
                                ((fingerprint->taken == 0 ? choose_candidate_cost : 0) +
                                 choose_entry_cost * (1 + fingerprint->taken / 4.0)) +
                            (pattern->bytes[offer->at[k]] == 0 ? choose_zero_cost : 0);

        if (best_cost < 0 || cost < best_cost) {
            best_cost = cost;
            best = k;
        }
    }
    uint16_t *const taken = &offer->its[best]->taken;
    *taken = (uint16_t)(*taken + (*taken < UINT16_MAX));
    pick->at = offer->at[best];
}

/* Counts the fingerprints of all picks, or chooses among them, in the order of the picks. */
static void choose_all(const struct choose *choose, bool counts)
{
    struct words_offer offers[CHOOSE_AHEAD] UNINITIALIZED;

    for (uint32_t from = 0, to; from < choose->picks->count; from = to) {
        struct words_pick *const picks = choose->picks->items + from;

        to =
            choose->picks->count - from < CHOOSE_AHEAD ? choose->picks->count : from + CHOOSE_AHEAD;
        for (uint32_t i = 0; i < to - from; i++)
            words_offer(&choose->seen, match_dictionary_get(choose->dictionary, picks[i].pattern),
                        picks[i].run > 0 ? picks[i].fingerprint : 0,
                        (struct words_phase){ picks[i].every, picks[i].phase }, &offers[i]);
        for (uint32_t i = 0; i < to - from; i++)
            if (counts)
                choose_see(&offers[i]);
            else
                choose_at(choose, &picks[i], &offers[i]);
    }
}

static uint32_t choose_order(const struct words_pick *pick)
{
    return (pick->every * (WORDS_FINGERPRINT + 1u) + pick->fingerprint) * (WORDS_FINGERPRINT + 1u) +
           pick->run;
}

/*
 * By every and fingerprint, then those with the least choice first, so that the others can make use
 * of their fingerprints; then as in the dictionary. False: there is no memory.
 */
static bool choose_sort(struct words_picks *picks)
{
    struct words_pick *sorted = malloc((picks->count + (size_t)1) * sizeof *sorted);
    uint32_t next[(WORDS_COUPLE + 1) * (WORDS_FINGERPRINT + 1) * (WORDS_FINGERPRINT + 1) + 1] = {
        0
    };

    if (sorted == NULL)
        return false;
    for (uint32_t i = 0; i < picks->count; i++)
        next[choose_order(&picks->items[i]) + 1]++;
    for (uint32_t i = 1; i < sizeof next / sizeof next[0]; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 0; i < picks->count; i++)
        sorted[next[choose_order(&picks->items[i])]++] = picks->items[i];
    free(picks->items);
    picks->items = sorted;
    return true;
}

static void choose_runs(struct choose *choose)
{
    for (uint32_t i = 0; i < match_dictionary_count(choose->dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(choose->dictionary, i);
        uint32_t whole = 0, run = 0;

        if (pattern->kind != MATCH_LITERAL)
            continue;
        for (uint32_t k = 0; k < pattern->len; k++) {
            whole = pattern->mask == NULL || pattern->mask[k] == 0xff ? whole + 1 : 0;
            run = whole > run ? whole : run;
        }
        choose->picks->items[choose->picks->count++] =
            (struct words_pick){ .pattern = i,
                                 .run =
                                     (uint8_t)(run < WORDS_FINGERPRINT ? run : WORDS_FINGERPRINT),
                                 .every = 1 };
    }
}

/* Fingerprints of the levels of a set; and two for each pattern of a level that has couples. */
static void choose_fingerprints(struct choose *choose, uint32_t set)
{
    struct words_picks *picks = choose->picks;
    const uint32_t all = picks->count;
    struct words_coupled levels[CHOOSE_LEVELS] = { 0 };

    for (uint32_t i = 0; i < all; i++) {
        const uint32_t level = choose_used(picks->items[i].run, set);

        levels[level].run = choose_levels[level];
        levels[level].count++;
        levels[level].fills +=
            words_fills(match_dictionary_get(choose->dictionary, picks->items[i].pattern));
    }
    for (uint32_t i = 0; i < all; i++) {
        struct words_pick *pick = &picks->items[i];
        const struct words_coupled *level = &levels[choose_used(pick->run, set)];

        pick->fingerprint = (uint8_t)level->run;
        if (!words_couples_suit(choose->form, level))
            continue;
        pick->fingerprint = (uint8_t)words_couples_fingerprint(level->run);
        pick->every = WORDS_COUPLE;
        picks->items[picks->count] = *pick;
        picks->items[picks->count++].phase = 1;
    }
}

enum err_code words_choose(const struct match_dictionary *dictionary, const struct words_form *form,
                           struct words_picks *out, struct err *err)
{
    const size_t size =
        (WORDS_COUPLE * (size_t)match_dictionary_count(dictionary) + 1) * sizeof *out->items;
    struct choose *choose = calloc(1, sizeof *choose);
    enum err_code rc = ERR_OK;

    *out = (struct words_picks){ .items = malloc(size) };
    if (choose == NULL || out->items == NULL) {
        rc = ERR_NO_MEMORY(err, size + sizeof *choose);
        goto out;
    }
    choose->dictionary = dictionary;
    choose->form = form;
    choose->picks = out;
    rc = words_seen_open(match_dictionary_count(dictionary), &choose->seen, err);
    if (rc == ERR_OK)
        rc = words_model_init(&choose->model, dictionary, err);
    if (rc != ERR_OK)
        goto out;
    choose_runs(choose);
    choose_measure(choose);
    choose_fingerprints(choose, choose_level_set(choose));
    choose_all(choose, true);
    if (!choose_sort(out)) {
        rc = ERR_NO_MEMORY(err, size);
        goto out;
    }
    choose_all(choose, false);
out:
    if (rc != ERR_OK) {
        free(out->items);
        *out = (struct words_picks){ 0 };
    }
    if (choose != NULL)
        words_seen_close(&choose->seen);
    free(choose);
    return rc;
}
