/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_dense.c - see simd_dense.h. */
#include <stdlib.h>
#include <string.h>

#include "match/simd/simd_dense.h"
#include "match/simd/simd_samples.h"

enum {
    DENSE_FINGERPRINTS_MIN = 2, /* of a pattern that are tried: */
    DENSE_FINGERPRINTS_MAX = 16,
    DENSE_TRIALS = 2400, /* of all patterns together */
    DENSE_SWEEPS = 3,
    DENSE_DEAR = 2, /* candidates that are no worse than one that may be either of two patterns */
    DENSE_SEEN = 2 * SIMD_PATTERNS_MAX,
    DENSE_PART =
        32, /* words of a set that are looked at before it is asked whether they cost too much */
    DENSE_PARTS = SAMPLES_WORDS / DENSE_PART,
};

/* Words that have been seen, by hash; those of another round are none. */
struct dense_seen {
    uint64_t words[DENSE_SEEN];
    uint32_t samples[DENSE_SEEN], rounds[DENSE_SEEN], round;
};

struct dense_bucket {
    struct simd_set accepts[SAMPLES_LOOKS]; /* samples that a look-up lets through, */
    struct simd_set passes;                 /* that all of them do, */
    struct simd_set others;                 /* and that another bucket does */
    uint32_t members[SIMD_PATTERNS_MAX], count;
    uint64_t common;                       /* bits of their fingerprints that all of them go by */
    uint32_t doubtful, costs[DENSE_PARTS]; /* as it is */
};

struct dense {
    struct simd_pattern *patterns;
    uint32_t *alone; /* by pattern: samples that its fingerprint lets through by itself */
    uint32_t count;
    uint32_t dear; /* DENSE_DEAR, or nothing */
    struct simd_samples samples;
    struct dense_bucket buckets[SIMD_BUCKETS];
    struct dense_seen seen;
};

/* A pattern that may come into a bucket. */
struct dense_guest {
    struct simd_view view;
    struct simd_key word; /* the bytes at its fingerprint */
    uint32_t alone;
};

static uint32_t dense_count(const uint64_t *words, uint32_t count)
{
    const uint64_t ones = UINT64_MAX / 3, pairs = UINT64_MAX / 5, nibbles = UINT64_MAX / 17;
    uint64_t bytes = 0;

    for (uint32_t w = 0; w < count; w++) {
        uint64_t word = words[w];

        word -= word >> 1 & ones;
        word = (word & pairs) + (word >> 2 & pairs);
        word = (word + (word >> 4)) & nibbles; /* bytes of 8 at most */
        bytes += (word & UINT64_C(0x00ff00ff00ff00ff)) + (word >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    }
    return (uint32_t)((bytes * UINT64_C(0x0001000100010001)) >> 48);
}

/* The samples of a part that the bucket lets through, with a guest in it if there is one. */
static void dense_pass(const struct dense *d, const struct dense_bucket *bucket,
                       const struct dense_guest *guest, uint32_t part, uint64_t out[DENSE_PART])
{
    const uint32_t from = part * DENSE_PART;

    memcpy(out, d->samples.any.of + from, DENSE_PART * sizeof *out);
    for (uint32_t i = 0; i < d->samples.looks; i++) {
        const uint64_t *accepts = bucket->accepts[i].of + from;
        const uint64_t *more = guest != NULL ? guest->view.sets[i]->of + from : accepts;

        for (uint32_t w = 0; w < DENSE_PART; w++)
            out[w] &= accepts[w] | more[w];
    }
}

/* What a part of the samples costs. */
static uint32_t dense_cost(const struct dense *d, const struct dense_bucket *bucket,
                           const struct dense_guest *guest, uint32_t part)
{
    uint64_t set[DENSE_PART];

    dense_pass(d, bucket, guest, part, set);
    const uint32_t count = dense_count(set, DENSE_PART);
    if (d->dear == 0)
        return count;
    for (uint32_t w = 0; w < DENSE_PART; w++)
        set[w] &= bucket->others.of[part * DENSE_PART + w];
    return count + d->dear * dense_count(set, DENSE_PART);
}

/* What is doubtful by this word, of which so many samples are: nothing when it is the first one of
 * its kind, else also what that had. */
static uint32_t dense_meet(struct dense_seen *seen, uint64_t word, uint32_t samples)
{
    uint32_t at = (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32) % DENSE_SEEN;

    for (; seen->rounds[at] == seen->round; at = (at + 1) % DENSE_SEEN)
        if (seen->words[at] == word) {
            samples += seen->samples[at];
            seen->samples[at] = 0;
            return samples;
        }
    seen->rounds[at] = seen->round;
    seen->words[at] = word;
    seen->samples[at] = samples;
    return 0;
}

/* How many samples lead to one of several patterns that the bucket cannot tell apart, with a guest
 * in it if there is one. */
static uint32_t dense_doubtful(struct dense *d, const struct dense_bucket *bucket,
                               const struct dense_guest *guest)
{
    const uint64_t common = bucket->common & (guest != NULL ? guest->word.mask : UINT64_MAX);
    uint32_t sum = 0;

    if (d->dear == 0)
        return 0;
    d->seen.round++;
    if (guest != NULL)
        (void)dense_meet(&d->seen, guest->word.want & common, guest->alone);
    for (uint32_t i = 0; i < bucket->count; i++)
        sum += dense_meet(&d->seen, d->patterns[bucket->members[i]].want & common,
                          d->alone[bucket->members[i]]);
    return sum;
}

/* What the guest adds to the cost of the bucket; `most` or anything above it if it is not less. */
static uint32_t dense_more(struct dense *d, const struct dense_bucket *bucket,
                           const struct dense_guest *guest, uint32_t most)
{
    uint32_t more = d->dear * (dense_doubtful(d, bucket, guest) - bucket->doubtful);

    for (uint32_t part = 0; part < DENSE_PARTS && more < most;
         part++) /* each adds something or nothing */
        more += dense_cost(d, bucket, guest, part) - bucket->costs[part];
    return more;
}

/* The bytes of a pattern at its fingerprint. */
static struct simd_key dense_word(const struct simd_pattern *pattern, uint32_t fingerprint)
{
    struct simd_key word = { 0, 0 };

    for (uint32_t i = 0; i < SIMD_FINGERPRINT && fingerprint + i < pattern->len; i++) {
        word.mask |= (uint64_t)pattern->masks[fingerprint + i] << 8 * i;
        word.want |= (uint64_t)pattern->bytes[fingerprint + i] << 8 * i;
    }
    return word;
}

static void dense_see(const struct dense *d, const struct simd_pattern *pattern,
                      uint32_t fingerprint, struct dense_guest *guest)
{
    uint64_t all[DENSE_PART];

    simd_samples_see(&d->samples, pattern, fingerprint, &guest->view);
    guest->word = dense_word(pattern, fingerprint);
    guest->alone = 0;
    for (uint32_t part = 0; part < DENSE_PARTS; part++) {
        for (uint32_t w = 0; w < DENSE_PART; w++)
            all[w] = UINT64_MAX;
        for (uint32_t i = 0; i < d->samples.looks; i++)
            for (uint32_t w = 0; w < DENSE_PART; w++)
                all[w] &= guest->view.sets[i]->of[part * DENSE_PART + w];
        guest->alone += dense_count(all, DENSE_PART);
    }
}

/* Puts a pattern into its bucket. */
static void dense_add(struct dense *d, uint32_t index)
{
    const struct simd_pattern *pattern = &d->patterns[index];
    struct dense_bucket *bucket = &d->buckets[pattern->bucket];
    struct simd_view view;

    bucket->members[bucket->count++] = index;
    bucket->common &= pattern->mask;
    simd_samples_see(&d->samples, pattern, pattern->fingerprint, &view);
    for (uint32_t i = 0; i < d->samples.looks; i++)
        for (uint32_t w = 0; w < SAMPLES_WORDS; w++)
            bucket->accepts[i].of[w] |= view.sets[i]->of[w];
}

static void dense_empty(struct dense_bucket *bucket)
{
    memset(bucket->accepts, 0, sizeof bucket->accepts);
    bucket->common = UINT64_MAX;
    bucket->count = 0;
}

/* Takes a pattern out of its bucket. */
static void dense_remove(struct dense *d, uint32_t index)
{
    struct dense_bucket *bucket = &d->buckets[d->patterns[index].bucket];
    const uint32_t count = bucket->count;

    dense_empty(bucket);
    for (uint32_t i = 0; i < count; i++) /* the others move up */
        if (bucket->members[i] != index)
            dense_add(d, bucket->members[i]);
}

/* What each bucket lets through, and the others do. */
static void dense_compare(struct dense *d)
{
    for (uint32_t b = 0; b < SIMD_BUCKETS; b++)
        for (uint32_t part = 0; part < DENSE_PARTS; part++)
            dense_pass(d, &d->buckets[b], NULL, part, d->buckets[b].passes.of + part * DENSE_PART);
    for (uint32_t w = 0; w < SAMPLES_WORDS; w++) {
        uint64_t before = 0, behind = 0;

        for (uint32_t b = 0; b < SIMD_BUCKETS; b++) {
            d->buckets[b].others.of[w] = before;
            before |= d->buckets[b].passes.of[w];
        }
        for (uint32_t b = SIMD_BUCKETS; b-- > 0;) {
            d->buckets[b].others.of[w] |= behind;
            behind |= d->buckets[b].passes.of[w];
        }
    }
}

/* What each bucket costs as it is. */
static void dense_weigh(struct dense *d)
{
    if (d->dear > 0)
        dense_compare(d);
    for (uint32_t b = 0; b < SIMD_BUCKETS; b++) {
        struct dense_bucket *bucket = &d->buckets[b];

        bucket->doubtful = dense_doubtful(d, bucket, NULL);
        for (uint32_t part = 0; part < DENSE_PARTS; part++)
            bucket->costs[part] = dense_cost(d, bucket, NULL, part);
    }
}

/* Where the pattern costs the least; its fingerprints lie in [from, to]. */
static void dense_place(struct dense *d, uint32_t index, uint32_t from, uint32_t to)
{
    struct simd_pattern *pattern = &d->patterns[index];
    const uint32_t most = DENSE_TRIALS / d->count < DENSE_FINGERPRINTS_MAX ? DENSE_TRIALS / d->count
                                                                           : DENSE_FINGERPRINTS_MAX;
    const uint32_t step =
        (to - from) / (most > DENSE_FINGERPRINTS_MIN ? most : DENSE_FINGERPRINTS_MIN) + 1;
    uint32_t least = UINT32_MAX;
    struct dense_guest guest;

    dense_weigh(d);
    for (uint32_t fingerprint = to;;
         fingerprint -= fingerprint - from < step ? fingerprint - from : step) {
        dense_see(d, pattern, fingerprint, &guest);
        for (uint32_t b = 0; b < SIMD_BUCKETS; b++) {
            const uint32_t more = dense_more(d, &d->buckets[b], &guest, least);

            if (more < least) {
                least = more;
                pattern->bucket = b;
                pattern->fingerprint = fingerprint;
                pattern->want = guest.word.want;
                pattern->mask = guest.word.mask;
                d->alone[index] = guest.alone;
            }
        }
        if (fingerprint == from)
            break;
    }
    dense_add(d, index);
}

/*
 * Fingerprints that are tried: full ones, as near to the sparse plan's as a piece wants it. In the
 * first sweep candidates alone count, for what else there is depends on patterns that are not there
 * yet.
 */
static void dense_place_all(struct dense *d, const uint32_t *sparse, const atomic_bool *stop)
{
    for (uint32_t b = 0; b < SIMD_BUCKETS; b++)
        dense_empty(&d->buckets[b]);
    for (uint32_t sweep = 0; sweep < DENSE_SWEEPS; sweep++) {
        d->dear = sweep > 0 ? DENSE_DEAR : 0;
        for (uint32_t i = 0; i < d->count && !atomic_load_explicit(stop, memory_order_relaxed);
             i++) {
            const uint32_t len = d->patterns[i].len,
                           last = len > SIMD_FINGERPRINT ? len - SIMD_FINGERPRINT : 0;
            const uint32_t from = sparse[i] > SIMD_MARGIN ? sparse[i] - SIMD_MARGIN : 0;
            const uint32_t to = last < sparse[i] + SIMD_MARGIN ? last : sparse[i] + SIMD_MARGIN;

            if (sweep > 0)
                dense_remove(d, i);
            dense_place(d, i, from < to ? from : to, to);
        }
    }
}

enum err_code simd_dense(const struct simd_form *form, struct simd_pattern *patterns,
                         uint32_t count, const atomic_bool *stop, struct err *err)
{
    struct dense *d = calloc(1, sizeof *d);
    uint32_t *sparse = calloc(count + 1u, sizeof *sparse); /* fingerprints */
    uint32_t *alone = calloc(count + 1u, sizeof *alone);
    enum err_code rc = ERR_OK;

    if (d == NULL || sparse == NULL || alone == NULL) {
        rc = ERR_NO_MEMORY(err, sizeof *d + count * (sizeof *sparse + sizeof *alone));
    } else if (count > 0) {
        d->patterns = patterns;
        d->alone = alone;
        d->count = count;
        simd_samples_make(form, patterns, count, &d->samples);
        for (uint32_t i = 0; i < count; i++)
            sparse[i] = patterns[i].fingerprint;
        dense_place_all(d, sparse, stop);
        if (atomic_load_explicit(stop, memory_order_relaxed))
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request");
        for (uint32_t i = 0; i < count; i++)
            patterns[i].later = (int32_t)patterns[i].fingerprint - (int32_t)sparse[i];
    }
    free(alone);
    free(sparse);
    free(d);
    return rc;
}

/* The buckets of the plan that accept value v at place j of the fingerprint, as the form sees it.
 */
static uint8_t dense_accepts(enum simd_sharpness sharpness, const struct simd_plan *plan,
                             uint32_t j, uint32_t v)
{
    if (sharpness == SIMD_NIBBLES)
        return plan->low[j][v & 15] & plan->high[j][v >> 4];
    if (sharpness == SIMD_PAIRS)
        return plan->halves[j].table[simd_map(plan->halves[j].map, v)];
    return (uint8_t)(plan->columns[v] >> 8 * j);
}

uint32_t simd_dense_most(const struct simd_form *form, const struct simd_plan *sparse,
                         uint32_t count)
{
    uint8_t text[SAMPLES_TEXT] = { 0 }, accepts[SIMD_DEPTH][256];
    uint32_t sum = 0;

    if (count == 0)
        return UINT32_MAX;
    simd_samples_text(sparse->patterns, count, text);
    for (uint32_t j = 0; j < form->depth; j++)
        for (uint32_t v = 0; v < 256; v++)
            accepts[j][v] = dense_accepts(form->sharpness, sparse, j, v);
    for (uint32_t s = 0; s < SAMPLES_COUNT; s++) {
        uint32_t buckets = UINT8_MAX;

        for (uint32_t j = 0; j < form->depth; j++)
            buckets &= accepts[j][text[s + j]];
        sum += buckets != 0;
    }
    const uint32_t most = sum / 2 / (SAMPLES_COUNT / (SIMD_PROBE * SIMD_BLOCK));
    return most > SIMD_PROBE ? most : SIMD_PROBE;
}
