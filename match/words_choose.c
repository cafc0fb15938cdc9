/* match/words_choose.c - see words_choose.h. */
#include <assert.h>
#include <stdlib.h>

#include "match/words_choose.h"

enum {
    CHOOSE_BIT = 16,        /* rarity is counted in sixteenths of a bit */
    CHOOSE_WINDOWS = 48,    /* of one pattern that are looked at */
    CHOOSE_TABLE_BITS = 18, /* of the count of windows taken */
    CHOOSE_COUNT_BITS = 18, /* LIMIT_PATTERN_COUNT is below 1 << this */
};

/* Cycles, as those of a form: of a candidate; of one more entry for a candidate. */
static const double choose_candidate_cost = 30, choose_entry_cost = 20;

static const uint8_t choose_levels[] = { 1, 2, 3, 4, 5, 6, 8, 12, WORDS_WINDOW };
enum { CHOOSE_LEVELS = sizeof choose_levels / sizeof choose_levels[0] };

struct choose {
    const struct match_dictionary *dictionary;
    const struct words_form *form;
    struct words_picks *picks;
    uint16_t first[256], next[256][256];        /* rarity of a byte, and after another one */
    uint32_t *taken;                            /* [1 << CHOOSE_TABLE_BITS]: patterns behind the windows with a hash */
    double costs[CHOOSE_LEVELS][CHOOSE_LEVELS]; /* of patterns with runs of one level at another, by candidates */
    uint32_t counts[CHOOSE_LEVELS];             /* patterns of a level */
    double hold[CHOOSE_COUNT_BITS];             /* chance that one of 1 << i bytes of patterns is a byte of a disk */
};

void words_shares(double shares[256])
{
    static const char common[] = " etaoinsr";
    double sum = 0;

    for (uint32_t i = 0; i < 256; i++) {
        if (i == 0)
            shares[i] = 900;
        else if (i == 0xff)
            shares[i] = 80;
        else if (memchr(common, (int)i, sizeof common - 1) != NULL)
            shares[i] = 50;
        else if ((i >= 'a' && i <= 'z') || i <= 4 || i == 8 || i == 0x10 || i == 0x40 || i == 0x80)
            shares[i] = 25;
        else
            shares[i] = i < 128 ? 10 : 7;
        sum += shares[i];
    }
    for (uint32_t i = 0; i < 256; i++)
        shares[i] /= sum;
}

static uint8_t choose_small(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

static bool choose_is_letter(uint32_t byte)
{
    return byte >= 'a' && byte <= 'z';
}

/* Bits of surprise, in sixteenths. */
static uint16_t choose_rarity(double chance)
{
    const double scaled = chance * 4294967296.0;
    const uint64_t whole = scaled < 1 ? 1 : (uint64_t)scaled;
    const uint32_t log = 63 - (uint32_t)__builtin_clzll(whole);

    return (uint16_t)(32 * CHOOSE_BIT - (log * CHOOSE_BIT + (uint32_t)(whole * CHOOSE_BIT >> log) - CHOOSE_BIT));
}

static double choose_chance(uint32_t rarity)
{
    double chance = 1.0 - (double)(rarity % CHOOSE_BIT) / (2 * CHOOSE_BIT);

    for (uint32_t i = rarity / CHOOSE_BIT; i > 0; i--)
        chance /= 2;
    return chance;
}

/* What follows a byte where the dictionary does not say: the same once more in a run; in text, a letter. */
static double choose_prior(const double shares[256], double letters, uint32_t byte, uint32_t next)
{
    if (choose_is_letter(byte))
        return choose_is_letter(next) ? 0.8 * shares[next] / letters : 0.2 * shares[next] / (1 - letters);
    const double run = byte == 0 ? 0.85 : byte == 0xff || byte == ' ' ? 0.4 : 0.02;
    return byte == next ? run : (1 - run) * shares[next] / (1 - shares[byte]);
}

/* Fills hold; pairs[a][b] counts b behind a. */
static void choose_hold(struct choose *choose, const uint32_t (*pairs)[256], const double shares[256])
{
    double counts[256] = { 0 }, sum = 1;

    for (uint32_t a = 0; a < 256; a++) {
        for (uint32_t b = 0; b < 256; b++) {
            counts[b] += pairs[a][b];
            sum += pairs[a][b];
        }
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        double none = 1 - counts[byte] / sum;

        for (uint32_t i = 0; i < CHOOSE_COUNT_BITS; i++) {
            choose->hold[i] += byte == choose_small((uint8_t)byte) ? shares[byte] * (1 - none) : 0;
            none *= none;
        }
    }
}

/* Share of places that survive the sets of so many windows: of each bucket's a part of the first bytes, and of the others its own. */
static double choose_survive(const struct choose *choose, uint32_t count, uint32_t window)
{
    uint32_t log = 0;
    double share;

    while (log + 1 < CHOOSE_COUNT_BITS && 1u << log < count)
        log++;
    share = choose->hold[log];
    for (uint32_t i = 1; i < window && i < choose->form->depth; i++)
        share *= choose->hold[log > choose->form->spread ? log - choose->form->spread : 0];
    return share;
}

static enum err_code choose_model(struct choose *choose, struct err *err)
{
    const double weight = 64; /* of what is known of disks, in pairs of bytes of the dictionary */
    double shares[256], letters = 0;
    uint32_t(*pairs)[256] = calloc(256, sizeof *pairs);

    if (pairs == NULL)
        return ERR_NO_MEMORY(err, 256 * sizeof *pairs);
    for (uint32_t i = 0; i < choose->picks->count; i++) {
        const struct match_pattern *pattern = match_dictionary_get(choose->dictionary, choose->picks->items[i].pattern);

        for (uint32_t k = 1; k < pattern->len; k++)
            pairs[choose_small(pattern->bytes[k - 1])][choose_small(pattern->bytes[k])]++;
    }
    words_shares(shares);
    for (uint32_t a = 'A'; a <= 'Z'; a++)
        letters += shares[a | 0x20] += shares[a];
    for (uint32_t a = 0; a < 256; a++) {
        double sum = 0;

        for (uint32_t b = 0; b < 256; b++)
            sum += pairs[a][b];
        choose->first[a] = choose_rarity(shares[choose_small((uint8_t)a)]);
        for (uint32_t b = 0; b < 256; b++)
            choose->next[a][b] =
                choose_rarity((pairs[a][b] + weight * choose_prior(shares, letters, a, b)) / (sum + weight));
    }
    choose_hold(choose, (const uint32_t(*)[256])pairs, shares);
    free(pairs);
    return ERR_OK;
}

/* Fills at with the windows to choose from; returns how many. */
static uint32_t choose_windows(const struct match_pattern *pattern, uint32_t window, uint8_t at[CHOOSE_WINDOWS])
{
    uint32_t all = 0, count = 0;

    assert(window > 0);
    for (uint32_t pass = 0; pass < 2; pass++) { /* counts them, then takes every so manieth */
        const uint32_t step = all / CHOOSE_WINDOWS + 1;
        uint32_t whole = 0, seen = 0;

        for (uint32_t i = 0; i < pattern->len; i++) {
            whole = pattern->mask == NULL || pattern->mask[i] == 0xff ? whole + 1 : 0;
            if (whole < window)
                continue;
            if (pass == 0)
                all++;
            else if (seen++ % step == 0)
                at[count++] = (uint8_t)(i + 1 - window);
        }
    }
    return count;
}

/* Sums of rarities: that of bytes [a, b) is first[byte a] + sums[b - 1] - sums[a]. */
static void choose_sums(const struct choose *choose, const struct match_pattern *pattern,
                        uint32_t sums[LIMIT_PATTERN_LEN])
{
    sums[0] = 0;
    for (uint32_t i = 1; i < pattern->len; i++)
        sums[i] = sums[i - 1] + choose->next[choose_small(pattern->bytes[i - 1])][choose_small(pattern->bytes[i])];
}

static uint32_t choose_window_rarity(const struct choose *choose, const struct match_pattern *pattern,
                                     const uint32_t *sums, uint32_t at, uint32_t window)
{
    return choose->first[pattern->bytes[at]] + sums[at + window - 1] - sums[at];
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
        const struct match_pattern *pattern = match_dictionary_get(choose->dictionary, pick->pattern);
        const uint32_t own = choose_level(pick->run);
        uint32_t sums[LIMIT_PATTERN_LEN];

        choose_sums(choose, pattern, sums);
        choose->counts[own]++;
        for (uint32_t level = 0; level <= own && pick->run > 0; level++) {
            uint8_t at[CHOOSE_WINDOWS];
            const uint32_t count = choose_windows(pattern, choose_levels[level], at);
            uint32_t most = 0;

            for (uint32_t k = 0; k < count; k++) {
                const uint32_t rarity = choose_window_rarity(choose, pattern, sums, at[k], choose_levels[level]);
                most = rarity > most ? rarity : most;
            }
            choose->costs[own][level] += choose_chance(most) * choose_candidate_cost;
        }
    }
}

/* The set of levels in use, a bit for each, that costs least when every pattern goes to the highest that it can have. */
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
                        choose->form->survivor_cost * choose_survive(choose, count, choose_levels[level]);
        }
        if (holds && (best_cost < 0 || cost < best_cost)) {
            best = set;
            best_cost = cost;
        }
    }
    return best;
}

static uint32_t *choose_taken(const struct choose *choose, const struct match_pattern *pattern, uint32_t at,
                              uint32_t window)
{
    uint64_t hash = window;

    for (uint32_t i = 0; i < window; i++)
        hash = (hash ^ choose_small(pattern->bytes[at + i])) * 0x9e3779b97f4a7c15u;
    return &choose->taken[hash >> (64 - CHOOSE_TABLE_BITS)];
}

/* The window that adds least: a rare one, or one that is taken already and so costs only one more comparison. */
static uint8_t choose_at(const struct choose *choose, const struct words_pick *pick)
{
    const struct match_pattern *pattern = match_dictionary_get(choose->dictionary, pick->pattern);
    uint32_t sums[LIMIT_PATTERN_LEN], *best_taken = NULL;
    uint8_t at[CHOOSE_WINDOWS], best = 0;
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
    choose_sums(choose, pattern, sums);
    const uint32_t count = choose_windows(pattern, pick->window, at);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t *taken = choose_taken(choose, pattern, at[k], pick->window);
        const uint32_t rarity = choose_window_rarity(choose, pattern, sums, at[k], pick->window);
        const double cost = choose_chance(rarity) *
                            ((*taken == 0 ? choose_candidate_cost : 0) + choose_entry_cost * (1 + *taken / 4.0));

        if (best_cost < 0 || cost < best_cost) {
            best_cost = cost;
            best = at[k];
            best_taken = taken;
        }
    }
    if (best_taken != NULL)
        ++*best_taken;
    return best;
}

/* By window, then those with the least choice first, so that the others can make use of their windows. */
static int choose_order(const void *a, const void *b)
{
    const struct words_pick *x = a, *y = b;

    if (x->window != y->window)
        return x->window < y->window ? -1 : 1;
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
        choose->picks->items[choose->picks->count++] =
            (struct words_pick){ .pattern = i, .run = (uint8_t)(run < WORDS_WINDOW ? run : WORDS_WINDOW) };
    }
}

enum err_code words_choose(const struct match_dictionary *dictionary, const struct words_form *form,
                           struct words_picks *out, struct err *err)
{
    const size_t size = (match_dictionary_count(dictionary) + 1) * sizeof *out->items;
    struct choose *choose = calloc(1, sizeof *choose);
    uint32_t *taken = calloc((size_t)1 << CHOOSE_TABLE_BITS, sizeof *taken);
    enum err_code rc = ERR_OK;

    *out = (struct words_picks){ .items = malloc(size) };
    if (choose == NULL || taken == NULL || out->items == NULL) {
        rc = ERR_NO_MEMORY(err, size + sizeof *choose + (sizeof *taken << CHOOSE_TABLE_BITS));
        goto out;
    }
    choose->dictionary = dictionary;
    choose->form = form;
    choose->picks = out;
    choose->taken = taken;
    choose_runs(choose);
    rc = choose_model(choose, err);
    if (rc != ERR_OK)
        goto out;
    choose_measure(choose);
    const uint32_t set = choose_level_set(choose);
    for (uint32_t i = 0; i < out->count; i++) {
        uint32_t level = choose_level(out->items[i].run);

        while ((set >> level & 1) == 0)
            level--;
        out->items[i].window = choose_levels[level];
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
    free(taken);
    free(choose);
    return rc;
}
