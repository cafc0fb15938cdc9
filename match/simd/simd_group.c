/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_group.c - see simd_group.h. */
#include <stdlib.h>
#include <string.h>

#include "match/simd/simd_group.h"
#include "match/simd/simd_rates.h"

enum {
    GROUP_FINGERPRINTS = 8, /* of a pattern that are tried: the rarest by themselves */
    GROUP_TRIALS_MAX = 120000,
    GROUP_SWEEPS_MAX = 8,
    GROUP_SHORT = 2,   /* bytes */
    GROUP_FEW_MAX = 5, /* buckets kept for patterns that are short */
};

struct group_fingerprint {
    uint32_t at;
    float rate;
};

struct group_member {
    struct group_fingerprint fingerprints[GROUP_FINGERPRINTS];
    uint32_t count;
    /* What the best fingerprint adds to each bucket, and which one it is, as of a change of that
     * bucket.
     */
    struct group_offer {
        uint32_t change; /* 0: not known */
        uint32_t fingerprint;
        float more;
    } offers[SIMD_BUCKETS];
};

struct group {
    struct simd_rates_model model;
    struct simd_pattern *patterns;
    struct group_member *members; /* [count], as patterns */
    uint32_t *order;              /* [count], the most frequent first */
    uint32_t count;
    struct simd_rates_bucket buckets[SIMD_BUCKETS], empty;
    uint32_t changes[SIMD_BUCKETS], last_change; /* of each bucket: the number of its last one;
                                                    patterns taken out for a moment do not count */
};

/* The fingerprint of the pattern that adds the fewest candidates to the bucket, and how many. */
static struct group_offer group_offer(const struct group *g, uint32_t index, uint32_t b)
{
    const struct simd_pattern *pattern = &g->patterns[index];
    const struct group_member *member = &g->members[index];
    struct group_offer best = { .change = g->changes[b] };

    for (uint32_t w = 0; w < member->count; w++) {
        const float more =
            simd_rates_with(&g->model, &g->buckets[b], pattern, member->fingerprints[w].at) -
            g->buckets[b].rate;

        if (w == 0 || more < best.more) {
            best.more = more;
            best.fingerprint = member->fingerprints[w].at;
        }
    }
    return best;
}

/* Where the pattern adds the fewest candidates, in buckets [from, to). `again`: it has just been
 * taken out of its bucket. */
static void group_place(struct group *g, uint32_t index, uint32_t from, uint32_t to, bool again)
{
    struct simd_pattern *pattern = &g->patterns[index];
    struct group_member *member = &g->members[index];
    const uint32_t fingerprint = pattern->fingerprint, bucket = pattern->bucket;
    float least = 0;

    for (uint32_t b = from; b < to; b++) {
        const bool was_here = again && b == bucket;
        struct group_offer offer = member->offers[b];

        if (was_here || offer.change != g->changes[b] || offer.change == 0)
            offer = group_offer(g, index, b);
        if (!was_here)
            member->offers[b] = offer;
        if (b == from || offer.more < least) {
            least = offer.more;
            pattern->bucket = b;
            pattern->fingerprint = offer.fingerprint;
        }
    }
    simd_rates_change(&g->model, &g->buckets[pattern->bucket], pattern, 1);
    if (again && pattern->bucket == bucket && pattern->fingerprint == fingerprint)
        return;
    g->changes[pattern->bucket] = ++g->last_change;
    if (again)
        g->changes[bucket] = ++g->last_change;
}

/* The fingerprints of each pattern that are the rarest by themselves, ascending. */
static void group_fingerprints(struct group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        struct group_member *member = &g->members[i];

        for (uint32_t at = 0; at < g->patterns[i].len; at++) {
            const struct group_fingerprint fingerprint = {
                at, simd_rates_with(&g->model, &g->empty, &g->patterns[i], at)
            };
            uint32_t to = member->count < GROUP_FINGERPRINTS ? member->count++ : GROUP_FINGERPRINTS;

            for (; to > 0 && fingerprint.rate < member->fingerprints[to - 1].rate; to--)
                if (to < GROUP_FINGERPRINTS)
                    member->fingerprints[to] = member->fingerprints[to - 1];
            if (to < GROUP_FINGERPRINTS)
                member->fingerprints[to] = fingerprint;
        }
        uint32_t to = i;
        for (; to > 0 &&
               g->members[g->order[to - 1]].fingerprints[0].rate < member->fingerprints[0].rate;
             to--)
            g->order[to] = g->order[to - 1];
        g->order[to] = i;
    }
}

static double group_total(const struct group *g)
{
    double sum = 0;

    for (uint32_t b = 0; b < SIMD_BUCKETS; b++)
        sum += g->buckets[b].rate;
    return sum;
}

/* Takes each pattern out and places it anew, as long as it helps and not too long. */
static void group_improve(struct group *g, uint32_t sweeps)
{
    uint32_t trials = 0;
    double before = group_total(g);

    for (uint32_t sweep = 0; sweep < sweeps && trials < GROUP_TRIALS_MAX; sweep++) {
        for (uint32_t i = 0; i < g->count; i++) {
            const struct simd_pattern *pattern = &g->patterns[g->order[i]];

            simd_rates_change(&g->model, &g->buckets[pattern->bucket], pattern, -1);
            group_place(g, g->order[i], 0, SIMD_BUCKETS, true);
            trials += SIMD_BUCKETS * g->members[g->order[i]].count;
        }
        const double after = group_total(g);
        if (after > before * 0.999)
            return;
        before = after;
    }
}

/* Every pattern placed with `few` buckets kept for those that fill less than half of a fingerprint.
 */
static void group_start(struct group *g, uint32_t few)
{
    memset(g->buckets, 0, sizeof g->buckets);
    for (uint32_t b = 0; b < SIMD_BUCKETS; b++)
        g->changes[b] = ++g->last_change;
    for (uint32_t i = 0; i < g->count; i++) {
        const uint32_t index = g->order[i];
        const bool is_short = g->patterns[index].len <= GROUP_SHORT;

        if (few == 0)
            group_place(g, index, 0, SIMD_BUCKETS, false);
        else
            group_place(g, index, is_short ? 0 : few, is_short ? few : SIMD_BUCKETS, false);
    }
}

/*
 * Short patterns leave the other places of the fingerprint open, in all of their bucket: how many
 * buckets to give up to them is tried out, since placing them one by one spreads them over all of
 * them.
 */
static void group_try_starts(struct group *g)
{
    double least = -1;
    uint32_t best = 0, most = 0;

    for (uint32_t i = 0; i < g->count; i++)
        most = g->patterns[i].len <= GROUP_SHORT ? GROUP_FEW_MAX : most;
    for (uint32_t few = 0; most > 0 && few <= most; few++) {
        group_start(g, few);
        group_improve(g, 1);
        if (least < 0 || group_total(g) < least) {
            least = group_total(g);
            best = few;
        }
    }
    group_start(g, best);
}

/* What the kernel adds at place j to all buckets; costs[b][v] is what value v adds there to bucket
 * b. */
static double group_kernel_cost(const struct group *g, uint32_t j, uint32_t kernel,
                                double costs[SIMD_BUCKETS][256])
{
    double cost = 0;

    for (uint32_t b = 0; b < SIMD_BUCKETS; b++)
        for (uint32_t word = 0; word < 4 && g->buckets[b].any[j] == 0; word++)
            for (uint64_t rest = g->buckets[b].values[j][word]; rest != 0; rest &= rest - 1) {
                const uint32_t v = (64 * word + (uint32_t)__builtin_ctzll(rest)) ^ kernel;

                cost += g->buckets[b].accepts[j][v] == 0 ? costs[b][v] : 0;
            }
    return cost;
}

/* What each value adds to bucket b at place j. */
static void group_value_costs(const struct group *g, uint32_t j, uint32_t b, double costs[256])
{
    struct simd_rates others = g->model.share; /* times the product of the other places */

    for (uint32_t i = 0; i < g->model.form->depth; i++)
        for (uint32_t k = 0; i != j && g->buckets[b].any[i] == 0 && k < SIMD_CLASSES; k++)
            others.of[k] *= g->buckets[b].factor[i].of[k];
    for (uint32_t v = 0; v < 256; v++) {
        costs[v] = 0;
        for (uint32_t k = 0; k < SIMD_CLASSES; k++)
            costs[v] += (double)(g->model.values[v].of[k] * others.of[k]);
    }
}

/* The best kernel for each table in turn, the others as they are. */
static void group_choose_kernels(struct group *g)
{
    double costs[SIMD_BUCKETS][256];

    for (uint32_t j = 0; j < g->model.form->depth; j++) {
        double least = -1;

        for (uint32_t b = 0; b < SIMD_BUCKETS; b++)
            group_value_costs(g, j, b, costs[b]);
        for (uint32_t kernel = 1; kernel < 256; kernel++) {
            const double cost = group_kernel_cost(g, j, kernel, costs);

            if (least < 0 || cost < least) {
                least = cost;
                g->model.kernels[j] = (uint8_t)kernel;
            }
        }
        for (uint32_t b = 0; b < SIMD_BUCKETS; b++) {
            simd_rates_refresh(&g->model, &g->buckets[b]);
            g->changes[b] = ++g->last_change;
        }
    }
}

enum err_code simd_group(const struct simd_form *form, struct simd_pattern *patterns,
                         uint32_t count, uint8_t kernels[SIMD_DEPTH], double *rate, struct err *err)
{
    struct group *g = calloc(1, sizeof *g);
    struct group_member *members = calloc(count + 1u, sizeof *members);
    uint32_t *order = calloc(count + 1u, sizeof *order);
    enum err_code rc = ERR_OK;

    if (g == NULL || members == NULL || order == NULL) {
        rc = ERR_NO_MEMORY(err, sizeof *g + count * sizeof *members);
    } else {
        g->patterns = patterns;
        g->members = members;
        g->order = order;
        g->count = count;
        simd_rates_load(&g->model, form);
        group_fingerprints(g);
        group_try_starts(g);
        group_improve(g, GROUP_SWEEPS_MAX);
        for (uint32_t i = 0; form->sharpness == SIMD_PAIRS && i < 2; i++) {
            group_choose_kernels(g);
            group_improve(g, GROUP_SWEEPS_MAX);
        }
        memcpy(kernels, g->model.kernels, sizeof g->model.kernels);
        *rate = group_total(g);
    }
    free(order);
    free(members);
    free(g);
    return rc;
}
