/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/qgrams_build.c - see qgrams.h: the choice of qgrams.
 *
 * Of each word the qgrams are taken that are likely to be rarest in text, and that not many others
 * have: all words with a qgram are compared wherever it stands. How rare a qgram is says the
 * model of the engine `words`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "match/model/words_model.h"
#include "match/pattern/literals.h"
#include "match/shift_and/qgrams_build.h"
#include "match/shift_and/qgrams_cost.h"

enum {
    TAKE_LEAST = 400, /* patterns below which buckets do better */
    TAKE_TEXT = 80, /* the same of words long enough for a stride, which buckets with common letters
                       cannot keep out */
    SLOTS_FREE = 8, /* slots for each entry: a warp waits for the longest search of 32; */
    SLOTS_MANY = 4, /* of a long list half as many, since each is a place of far memory anyway */
    LIST_LONG = 1 << 18, /* words */
    SHARED_BITS = 20,    /* of counts of qgrams, log 2, at least, */
    SHARED_MOST = 24,    /* and at most: eight for a word */
};

struct qgrams_build {
    const struct match_dictionary *dictionary;
    const bool *taken;
    uint32_t qgram, stride;
    struct qgrams *out;
    struct qgrams_entry *entries; /* behind it */
    struct qgrams_slot *slots;    /* behind them */
    uint32_t *keys;               /* [entries] */
    uint32_t *order;              /* [entries]: by key */
    uint32_t count;               /* of entries */
    uint32_t shared_bits;
    uint32_t *shared; /* [1 << shared_bits]: qgrams taken, by hash */
    uint32_t *seen;   /* the same: qgrams there are in all words, taken or not */
    struct words_model model;
};

/* The words of a dictionary that go by qgrams. */
struct qgrams_words {
    const struct match_dictionary *dictionary;
    const bool *taken;
    uint32_t count, least; /* bytes of the shortest run */
};

/* The longest run of bytes without a masked one; its end in *end. */
static uint32_t build_run(const struct match_pattern *pattern, uint32_t *end)
{
    uint32_t best = 0, run = 0;

    for (uint32_t i = 0; i < pattern->len; i++) {
        run = pattern->mask == NULL || pattern->mask[i] == 0xff ? run + 1 : 0;
        if (run > best) {
            best = run;
            *end = i + 1;
        }
    }
    return best;
}

static bool build_is_text(const struct match_pattern *pattern)
{
    for (uint32_t i = 0; i < pattern->len; i++) {
        const uint8_t small = pattern->bytes[i] | 0x20;

        if (small < 'a' || small > 'z')
            return false;
    }
    return true;
}

uint32_t qgrams_take(const struct match_dictionary *dictionary, bool *taken)
{
    uint32_t count = 0, text = 0, least = UINT32_MAX, end = 0;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);
        const uint32_t run = pattern->kind == MATCH_LITERAL ? build_run(pattern, &end) : 0;

        taken[i] = run >= QGRAMS_LEAST;
        if (!taken[i])
            continue;
        least = run < least ? run : least;
        text += build_is_text(pattern);
        count++;
    }
    if (count >= TAKE_LEAST || (text >= TAKE_TEXT && least >= QGRAMS_LEAST + QGRAMS_STRIDE))
        return count;
    memset(taken, 0, match_dictionary_count(dictionary) * sizeof *taken);
    return 0;
}

/* The shortest run that can be looked for, and how many there are. */
static uint32_t build_least(const struct match_dictionary *dictionary, const bool *taken,
                            uint32_t *words)
{
    uint32_t least = UINT32_MAX, end = 0;

    *words = 0;
    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        if (!taken[i])
            continue;
        const uint32_t run = build_run(match_dictionary_get(dictionary, i), &end);

        least = run < least ? run : least;
        ++*words;
    }
    return least;
}

/* Four bytes of the pattern, folded; zeros where it ends. */
static uint32_t build_word(const struct match_pattern *pattern, uint32_t at)
{
    uint32_t word = 0;

    for (uint32_t i = 0; i < 4 && at + i < pattern->len; i++)
        word |= (uint32_t)pattern->bytes[at + i] << i * 8;
    return qgrams_fold(word);
}

static uint32_t build_key(const struct qgrams_build *build, const struct match_pattern *pattern,
                          uint32_t at)
{
    return qgrams_key(build->out, build_word(pattern, at), build_word(pattern, at + 4));
}

static uint32_t build_place(const struct qgrams_build *build, uint32_t key)
{
    return key * 0x9e3779b1u >> (32 - build->shared_bits);
}

/* Counts the qgrams of a word that are whole. */
static void build_see(struct qgrams_build *build, const struct match_pattern *pattern)
{
    uint32_t end = 0;
    const uint32_t run = build_run(pattern, &end);

    for (uint32_t at = end - run; at + build->qgram <= end; at++)
        build->seen[build_place(build, build_key(build, pattern, at))]++;
}

/*
 * How much the qgram costs. What many words of the list have in common ("ation") is common in text
 * too, more so than its pairs of letters say; and the words that share a qgram are compared one
 * after the other.
 */
static double build_cost(const struct qgrams_build *build, const struct match_pattern *pattern,
                         const uint32_t *sums, uint32_t at)
{
    const uint32_t place = build_place(build, build_key(build, pattern, at));
    const double seen = build->seen[place], shared = 1 + build->shared[place];

    return words_model_chance(&build->model, pattern, sums, at, build->qgram) * seen * seen * seen *
           shared;
}

/* What can be compared next to the qgram. */
static void build_around(const struct match_pattern *pattern, struct qgrams_entry *entry)
{
    const uint32_t at = entry->at;

    for (uint32_t i = 0; i < pattern->len; i++) {
        const uint64_t mask = match_pattern_mask(pattern, i);

        if (i >= at + QGRAMS_AROUND || i + QGRAMS_AROUND < at) {
            entry->more = 1;
        } else if (i >= at) {
            entry->behind_mask |= mask << (i - at) * 8;
            entry->behind |= (pattern->bytes[i] & mask) << (i - at) * 8;
        } else {
            entry->before_mask |= mask << (i + QGRAMS_AROUND - at) * 8;
            entry->before |= (pattern->bytes[i] & mask) << (i + QGRAMS_AROUND - at) * 8;
        }
    }
}

static void build_set(struct qgrams *qgrams, uint32_t first, uint32_t next)
{
    uint32_t *word =
        &qgrams->bits[qgrams_hash(first, next, qgrams->multiplier) >> (32 - QGRAMS_BITS)];

    *word |= 1u << (first & 31);
    if (qgrams->qgram > QGRAMS_LEAST)
        *word |= 1u << (next & 31);
}

/* A qgram among those that begin at [from, to), every stride-th of them. */
static void build_choose(struct qgrams_build *build, uint32_t index, uint32_t from, uint32_t to)
{
    const struct match_pattern *pattern = match_dictionary_get(build->dictionary, index);
    uint32_t sums[LIMIT_PATTERN_LEN], best = from;
    double least = INFINITY;

    words_model_sums(&build->model, pattern, sums);
    for (uint32_t at = from; at < to; at += build->stride) {
        const double cost = build_cost(build, pattern, sums, at);

        if (cost < least) {
            least = cost;
            best = at;
        }
    }
    struct qgrams_entry *entry = &build->entries[build->count];

    *entry = (struct qgrams_entry){ .what = index << 8 | pattern->len, .at = (uint16_t)best };
    build_around(pattern, entry);
    build->keys[build->count++] = build_key(build, pattern, best);
    build->shared[build_place(build, build_key(build, pattern, best))]++;
    build_set(build->out, build_word(pattern, best), build_word(pattern, best + 4));
}

static void build_qgrams(struct qgrams_build *build)
{
    for (uint32_t i = 0; i < match_dictionary_count(build->dictionary); i++)
        if (build->taken[i])
            build_see(build, match_dictionary_get(build->dictionary, i));
    for (uint32_t i = 0; i < match_dictionary_count(build->dictionary); i++) {
        uint32_t end = 0;

        if (!build->taken[i])
            continue;
        const uint32_t run = build_run(match_dictionary_get(build->dictionary, i), &end);
        const uint32_t first = end - run, to = end - build->qgram + 1;

        for (uint32_t k = 0; k < build->stride; k++)
            build_choose(build, i, first + k, to);
    }
}

static int build_by_key(const void *a, const void *b, void *arg)
{
    const uint32_t *keys = arg, x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (keys[x] != keys[y])
        return keys[x] < keys[y] ? -1 : 1;
    return x < y ? -1 : 1;
}

/* Puts entries with the same key next to each other, and their keys into slots. */
static enum err_code build_slots(struct qgrams_build *build, struct err *err)
{
    const uint32_t mask = (1u << build->out->slot_bits) - 1;
    struct qgrams_entry *sorted = malloc(build->count * sizeof *sorted);
    struct qgrams_slot *last = NULL;

    if (sorted == NULL)
        return ERR_NO_MEMORY(err, build->count * sizeof *sorted);
    for (uint32_t i = 0; i < build->count; i++)
        build->order[i] = i;
    qsort_r(build->order, build->count, sizeof *build->order, build_by_key, build->keys);
    for (uint32_t i = 0; i < build->count; i++) {
        const uint32_t key = build->keys[build->order[i]];

        sorted[i] = build->entries[build->order[i]];
        if (last == NULL || last->key != key) {
            uint32_t at = qgrams_slot_of(build->out, key);

            while (build->slots[at].count > 0)
                at = (at + 1) & mask;
            last = &build->slots[at];
            *last = (struct qgrams_slot){ .key = key, .first = i };
        }
        last->count++;
    }
    memcpy(build->entries, sorted, build->count * sizeof *sorted);
    free(sorted);
    return ERR_OK;
}

static uint32_t build_slots_wanted(uint32_t entries)
{
    return (entries < LIST_LONG * QGRAMS_STRIDE ? SLOTS_FREE : SLOTS_MANY) * entries;
}

static enum err_code build_make(struct qgrams_build *build, uint32_t entries, size_t *size,
                                struct err *err)
{
    const uint32_t slots = build_slots_wanted(entries);
    uint32_t bits = 4;

    while ((1u << bits) < slots)
        bits++;
    build->shared_bits = SHARED_BITS;
    while (build->shared_bits < SHARED_MOST && 1u << build->shared_bits < 8 * entries)
        build->shared_bits++;
    *size =
        sizeof *build->out + entries * sizeof *build->entries + sizeof *build->slots * (1u << bits);
    build->out = aligned_alloc(alignof(struct qgrams_entry), *size);
    build->keys = calloc(entries + 1u, sizeof *build->keys);
    build->order = calloc(entries + 1u, sizeof *build->order);
    build->shared = calloc(1u << build->shared_bits, sizeof *build->shared);
    build->seen = calloc(1u << build->shared_bits, sizeof *build->seen);
    if (build->out == NULL || build->keys == NULL || build->order == NULL ||
        build->shared == NULL || build->seen == NULL)
        return ERR_NO_MEMORY(err, *size);
    memset(build->out, 0, *size);
    build->entries = (struct qgrams_entry *)(build->out + 1);
    build->slots = (struct qgrams_slot *)(build->entries + entries);
    build->out->stride = build->stride;
    build->out->qgram = build->qgram;
    build->out->slot_bits = bits;
    build->out->entry_count = entries;
    if (build->qgram > QGRAMS_LEAST) {
        build->out->multiplier = (uint32_t)QGRAMS_SECOND << (QGRAMS_MOST - build->qgram) * 8;
        build->out->keep = UINT32_MAX >> (QGRAMS_MOST - build->qgram) * 8;
    }
    enum err_code rc = words_model_init(&build->model, build->dictionary, err);
    if (rc != ERR_OK)
        return rc;
    build_qgrams(build);
    return build_slots(build, err);
}

/* Q-grams of the longest length that a stride leaves, and what they will cost. */
static enum err_code build_with(const struct qgrams_words *words, uint32_t stride,
                                struct qgrams **out, size_t *size, double *cost, struct err *err)
{
    const uint32_t longest = words->least - (stride - 1);
    struct qgrams_build *build = calloc(1, sizeof *build);

    *out = NULL;
    if (build == NULL)
        return ERR_NO_MEMORY(err, sizeof *build);
    build->dictionary = words->dictionary;
    build->taken = words->taken;
    build->stride = stride;
    build->qgram = longest < QGRAMS_MOST ? longest : QGRAMS_MOST;
    const enum err_code rc = build_make(build, words->count * stride, size, err);
    if (rc == ERR_OK) {
        *out = build->out;
        *cost = qgrams_cost(build->out, build->slots);
    } else {
        free(build->out);
    }
    free(build->keys);
    free(build->order);
    free(build->shared);
    free(build->seen);
    free(build);
    return rc;
}

/* Those of both strides are there together; entries are sorted in a copy. */
uint64_t qgrams_bytes(uint32_t words)
{
    const uint64_t entries = (uint64_t)words * (1 + QGRAMS_STRIDE),
                   slots = 2 * (uint64_t)build_slots_wanted(words * QGRAMS_STRIDE);

    return entries * (sizeof(struct qgrams_entry) + 2 * sizeof(uint32_t)) +
           (slots + slots / QGRAMS_STRIDE) * sizeof(struct qgrams_slot) +
           (uint64_t)words * QGRAMS_STRIDE * sizeof(struct qgrams_entry);
}

/* With the stride that will cost less, where words allow one. */
enum err_code qgrams_build(const struct match_dictionary *dictionary, const bool *taken,
                           struct qgrams **out, size_t *size, struct err *err)
{
    struct qgrams_words words = { .dictionary = dictionary, .taken = taken };
    struct qgrams *other = NULL;
    size_t other_size = 0;
    double cost = 0, other_cost = 0;

    words.least = build_least(dictionary, taken, &words.count);
    enum err_code rc = build_with(&words, 1, out, size, &cost, err);
    if (rc != ERR_OK || words.least < QGRAMS_LEAST + QGRAMS_STRIDE)
        return rc;
    rc = build_with(&words, QGRAMS_STRIDE, &other, &other_size, &other_cost, err);
    if (rc == ERR_OK && cost <= other_cost) {
        free(other);
        return ERR_OK;
    }
    free(*out);
    *out = other; /* or NULL */
    *size = other_size;
    return rc;
}
