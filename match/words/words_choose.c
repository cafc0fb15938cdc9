/* match/words/words_choose.c - see words_choose.h. */
#include <assert.h>
#include <stdlib.h>

#include "match/model/words_model.h"
#include "match/words/words_choose.h"

enum {
    CHOOSE_FINGERPRINTS = 48, /* of one pattern that are looked at */
    CHOOSE_TABLE_BITS = 20,   /* of the counts of fingerprints */
};

/* Cycles, as those of a form: of a candidate; of one more entry for a candidate; of sets that runs
 * of zeros may survive. */
static const double choose_candidate_cost = 30, choose_entry_cost = 20, choose_zero_cost = 0.05;

static const uint8_t choose_levels[] = { 1, 2, 3, 4, 5, 6, 8, 12, WORDS_FINGERPRINT };
enum { CHOOSE_LEVELS = sizeof choose_levels / sizeof choose_levels[0] };

/* Fingerprints with the same bytes. */
struct choose_fingerprint {
    uint32_t seen;  /* times that they are in patterns, */
    uint32_t taken; /* and the patterns that are watched through them */
};

struct choose {
    const struct match_dictionary *dictionary;
    const struct words_form *form;
    struct words_picks *picks;
    struct words_model model;
    struct choose_fingerprint *fingerprints; /* [1 << CHOOSE_TABLE_BITS]: by hash */
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

/* Fills at with the fingerprints to choose from; returns how many. */
static uint32_t choose_fingerprints(const struct match_pattern *pattern, uint32_t fingerprint,
                                    uint8_t at[CHOOSE_FINGERPRINTS])
{
    uint32_t all = 0, count = 0;

    assert(fingerprint > 0);
    for (uint32_t pass = 0; pass < 2; pass++) { /* counts them, then takes every so manieth */
        const uint32_t step = all / CHOOSE_FINGERPRINTS + 1;
        uint32_t whole = 0, seen = 0;

        for (uint32_t i = 0; i < pattern->len; i++) {
            whole = pattern->mask == NULL || pattern->mask[i] == 0xff ? whole + 1 : 0;
            if (whole < fingerprint)
                continue;
            if (pass == 0)
                all++;
            else if (seen++ % step == 0)
                at[count++] = (uint8_t)(i + 1 - fingerprint);
        }
    }
    return count;
}

static uint32_t choose_level(uint32_t run)
{
    uint32_t level = 0;

    while (level + 1 < CHOOSE_LEVELS && choose_levels[level + 1] <= run)
        level++;
    return level;
}

/* What the candidates of the patterns cost at every level that they could have. */
static void choose_measure(struct choose *choose)
{
    for (uint32_t i = 0; i < choose->picks->count; i++) {
        const struct words_pick *pick = &choose->picks->items[i];
        const struct match_pattern *pattern =
            match_dictionary_get(choose->dictionary, pick->pattern);
        const uint32_t own = choose_level(pick->run);
        uint32_t sums[LIMIT_PATTERN_LEN];

        words_model_sums(&choose->model, pattern, sums);
        choose->counts[own]++;
        for (uint32_t level = 0; level <= own && pick->run > 0; level++) {
            uint8_t at[CHOOSE_FINGERPRINTS];
            const uint32_t count = choose_fingerprints(pattern, choose_levels[level], at);
            double least = 1;

            for (uint32_t k = 0; k < count; k++) {
                const double chance =
                    words_model_chance(&choose->model, pattern, sums, at[k], choose_levels[level]);
                least = chance < least ? chance : least;
            }
            choose->costs[own][level] += least * choose_candidate_cost;
        }
    }
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
                cost += choose->form->group_cost +
                        choose->form->survivor_cost *
                            choose_survive(choose, count, choose_levels[level]);
        }
        if (holds && (best_cost < 0 || cost < best_cost)) {
            best = set;
            best_cost = cost;
        }
    }
    return best;
}

static struct choose_fingerprint *choose_fingerprint(const struct choose *choose,
                                                     const struct match_pattern *pattern,
                                                     uint32_t at, uint32_t fingerprint)
{
    uint64_t hash = fingerprint;

    for (uint32_t i = 0; i < fingerprint; i++)
        hash = (hash ^ words_small(pattern->bytes[at + i])) * 0x9e3779b97f4a7c15u;
    return &choose->fingerprints[hash >> (64 - CHOOSE_TABLE_BITS)];
}

/* Counts the fingerprints that a pattern may be watched through. */
static void choose_see(const struct choose *choose, const struct words_pick *pick)
{
    const struct match_pattern *pattern = match_dictionary_get(choose->dictionary, pick->pattern);
    uint8_t at[CHOOSE_FINGERPRINTS];

    if (pick->run == 0)
        return;
    const uint32_t count = choose_fingerprints(pattern, pick->fingerprint, at);
    for (uint32_t k = 0; k < count; k++)
        choose_fingerprint(choose, pattern, at[k], pick->fingerprint)->seen++;
}

/*
 * The fingerprint that adds least: a rare one, or one that is taken already and so costs only one
 * more comparison. What many patterns have in common
 * ("ation") is common in text, too, and more so than its pairs of letters say.
 */
static uint8_t choose_at(const struct choose *choose, const struct words_pick *pick)
{
    const struct match_pattern *pattern = match_dictionary_get(choose->dictionary, pick->pattern);
    struct choose_fingerprint *best_fingerprint = NULL;
    uint32_t sums[LIMIT_PATTERN_LEN];
    uint8_t at[CHOOSE_FINGERPRINTS], best = 0;
    double best_cost = -1;

    if (pick->run == 0) { /* the byte with the fewest values */
        uint32_t most = 0;

        for (uint32_t i = 0; i < pattern->len; i++) {
            const uint32_t bits = (uint32_t)__builtin_popcount(pattern->mask[i]);
            best = bits > most ? (uint8_t)i : best;
            most = bits > most ? bits : most;
        }
        return best;
    }
    words_model_sums(&choose->model, pattern, sums);
    const uint32_t count = choose_fingerprints(pattern, pick->fingerprint, at);
    for (uint32_t k = 0; k < count; k++) {
        struct choose_fingerprint *fingerprint =
            choose_fingerprint(choose, pattern, at[k], pick->fingerprint);
        const double chance =
            words_model_chance(&choose->model, pattern, sums, at[k], pick->fingerprint);
        const double seen = fingerprint->seen;
        const double cost = chance * seen * seen *
                                ((fingerprint->taken == 0 ? choose_candidate_cost : 0) +
                                 choose_entry_cost * (1 + fingerprint->taken / 4.0)) +
                            (pattern->bytes[at[k]] == 0 ? choose_zero_cost : 0);

        if (best_cost < 0 || cost < best_cost) {
            best_cost = cost;
            best = at[k];
            best_fingerprint = fingerprint;
        }
    }
    if (best_fingerprint != NULL)
        best_fingerprint->taken++;
    return best;
}

/* By fingerprint, then those with the least choice first, so that the others can make use of their
 * fingerprints. */
static int choose_order(const void *a, const void *b)
{
    const struct words_pick *x = a, *y = b;

    if (x->fingerprint != y->fingerprint)
        return x->fingerprint < y->fingerprint ? -1 : 1;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return (x->pattern > y->pattern) - (x->pattern < y->pattern);
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
        choose->picks->items[choose->picks->count++] = (struct words_pick){
            .pattern = i, .run = (uint8_t)(run < WORDS_FINGERPRINT ? run : WORDS_FINGERPRINT)
        };
    }
}

enum err_code words_choose(const struct match_dictionary *dictionary, const struct words_form *form,
                           struct words_picks *out, struct err *err)
{
    const size_t size = (match_dictionary_count(dictionary) + 1) * sizeof *out->items;
    struct choose *choose = calloc(1, sizeof *choose);
    struct choose_fingerprint *fingerprints =
        calloc((size_t)1 << CHOOSE_TABLE_BITS, sizeof *fingerprints);
    enum err_code rc = ERR_OK;

    *out = (struct words_picks){ .items = malloc(size) };
    if (choose == NULL || fingerprints == NULL || out->items == NULL) {
        rc =
            ERR_NO_MEMORY(err, size + sizeof *choose + (sizeof *fingerprints << CHOOSE_TABLE_BITS));
        goto out;
    }
    choose->dictionary = dictionary;
    choose->form = form;
    choose->picks = out;
    choose->fingerprints = fingerprints;
    choose_runs(choose);
    rc = words_model_init(&choose->model, dictionary, err);
    if (rc != ERR_OK)
        goto out;
    choose_measure(choose);
    const uint32_t set = choose_level_set(choose);
    for (uint32_t i = 0; i < out->count; i++) {
        uint32_t level = choose_level(out->items[i].run);

        while ((set >> level & 1) == 0)
            level--;
        out->items[i].fingerprint = choose_levels[level];
        choose_see(choose, &out->items[i]);
    }
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, choose_order);
    for (uint32_t i = 0; i < out->count; i++)
        out->items[i].at = choose_at(choose, &out->items[i]);
out:
    if (rc != ERR_OK) {
        free(out->items);
        *out = (struct words_picks){ 0 };
    }
    free(fingerprints);
    free(choose);
    return rc;
}
