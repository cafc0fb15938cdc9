/* match/simd_group.c - see simd_group.h. */
#include <stdlib.h>
#include <string.h>

#include "match/simd_group.h"
#include "match/simd_model.h"

enum {
    GROUP_WINDOWS = 8, /* of a pattern that are tried: the rarest by themselves */
    GROUP_TRIALS_MAX = 120000,
    GROUP_SWEEPS_MAX = 8,
    GROUP_SHORT = 2,   /* bytes */
    GROUP_FEW_MAX = 5, /* buckets kept for patterns that are short */
};

/* By class of the model: a share, or a probability. */
struct group_rates {
    float of[SIMD_CLASSES];
};

struct group_bucket {
    uint16_t accepts[SIMD_DEPTH][256]; /* patterns that accept the value at this place of the window */
    uint16_t lows[SIMD_DEPTH][16], highs[SIMD_DEPTH][16];
    uint16_t any[SIMD_DEPTH]; /* patterns that accept everything there */
    struct group_rates factor[SIMD_DEPTH];
    float rate;
};

struct group_window {
    uint32_t at;
    float rate;
};

struct group_member {
    struct group_window windows[GROUP_WINDOWS];
    uint32_t count;
};

struct group {
    const struct simd_form *form;
    struct simd_pattern *patterns;
    struct group_member *members; /* [count], as patterns */
    uint32_t *order;              /* [count], the most frequent first */
    uint32_t count;
    uint8_t kernels[SIMD_DEPTH];
    struct group_rates share, values[256];
    struct group_bucket buckets[SIMD_BUCKETS], empty;
};

static bool group_is_wild(const struct simd_pattern *pattern, uint32_t i)
{
    return i >= pattern->len || pattern->masks[i] == 0;
}

/* A set of the halves of values that fit: bit n for half n. */
static uint32_t group_halves(uint32_t byte, uint32_t mask)
{
    uint32_t set = 0;

    for (uint32_t n = 0; n < 16; n++)
        set |= (uint32_t)(((n ^ byte) & mask & 15) == 0) << n;
    return set;
}

static uint32_t group_halves_of(const uint16_t counts[16])
{
    uint32_t set = 0;

    for (uint32_t n = 0; n < 16; n++)
        set |= (uint32_t)(counts[n] != 0) << n;
    return set;
}

static void group_add_rates(struct group_rates *to, const struct group_rates *from)
{
    for (uint32_t k = 0; k < SIMD_CLASSES; k++)
        to->of[k] += from->of[k];
}

/* Every value made of a low and a high half of the sets. */
static struct group_rates group_product(const struct group *g, uint32_t lows, uint32_t highs)
{
    struct group_rates sum = { { 0 } };

    for (uint32_t rest = highs; rest != 0; rest &= rest - 1)
        for (uint32_t low = lows; low != 0; low &= low - 1)
            group_add_rates(&sum, &g->values[(uint32_t)__builtin_ctz(rest) << 4 | (uint32_t)__builtin_ctz(low)]);
    return sum;
}

/* What the table at place j of the bucket accepts when byte and mask join it, by class. */
static struct group_rates group_joined(const struct group *g, const struct group_bucket *bucket, uint32_t j,
                                       uint8_t byte, uint8_t mask)
{
    struct group_rates sum = bucket->factor[j];
    const uint32_t free = ~(uint32_t)mask & 0xff, kernel = g->kernels[j];
    uint64_t seen[4] = { 0 };
    uint32_t sub = 0;

    if (g->form->sharpness == SIMD_NIBBLES) {
        const uint32_t lows = group_halves_of(bucket->lows[j]), highs = group_halves_of(bucket->highs[j]);
        const uint32_t more_lows = lows | group_halves(byte, mask),
                       more_highs = highs | group_halves(byte >> 4, mask >> 4);

        return more_lows == lows && more_highs == highs ? sum : group_product(g, more_lows, more_highs);
    }
    do {
        const uint32_t v = byte | sub, w = v ^ kernel;

        if (bucket->accepts[j][v] == 0 && bucket->accepts[j][w] == 0 && (seen[v / 64] >> v % 64 & 1) == 0) {
            group_add_rates(&sum, &g->values[v]);
            if (kernel != 0)
                group_add_rates(&sum, &g->values[w]);
            seen[v / 64] |= UINT64_C(1) << v % 64;
            seen[w / 64] |= UINT64_C(1) << w % 64;
        }
        sub = (sub - free) & free; /* the next value that differs in free bits alone */
    } while (sub != 0);
    return sum;
}

static float group_sum(const struct group_rates *rates)
{
    float sum = 0;

    for (uint32_t k = 0; k < SIMD_CLASSES; k++)
        sum += rates->of[k];
    return sum;
}

/* The rate of the bucket with this window of the pattern in it. */
static float group_rate_with(const struct group *g, const struct group_bucket *bucket,
                             const struct simd_pattern *pattern, uint32_t window)
{
    struct group_rates product = g->share;

    for (uint32_t j = 0; j < g->form->depth; j++) {
        const uint32_t i = window + j;

        if (bucket->any[j] != 0 || group_is_wild(pattern, i))
            continue;
        const struct group_rates factor = group_joined(g, bucket, j, pattern->bytes[i], pattern->masks[i]);
        for (uint32_t k = 0; k < SIMD_CLASSES; k++)
            product.of[k] *= factor.of[k];
    }
    return group_sum(&product);
}

/* Works out what depends on the patterns of the bucket, and on the kernels. */
static void group_refresh(const struct group *g, struct group_bucket *bucket)
{
    struct group_rates product = g->share;

    for (uint32_t j = 0; j < g->form->depth; j++) {
        struct group_rates sum = { { 0 } };

        if (g->form->sharpness == SIMD_NIBBLES)
            sum = group_product(g, group_halves_of(bucket->lows[j]), group_halves_of(bucket->highs[j]));
        else
            for (uint32_t v = 0; v < 256; v++)
                if (bucket->accepts[j][v] != 0 || bucket->accepts[j][v ^ g->kernels[j]] != 0)
                    group_add_rates(&sum, &g->values[v]);
        bucket->factor[j] = sum;
        for (uint32_t k = 0; bucket->any[j] == 0 && k < SIMD_CLASSES; k++)
            product.of[k] *= sum.of[k];
    }
    bucket->rate = group_sum(&product);
}

/* Puts the pattern into its bucket, or with sign -1 takes it out. */
static void group_change(struct group *g, const struct simd_pattern *pattern, int sign)
{
    struct group_bucket *bucket = &g->buckets[pattern->bucket];
    const uint16_t one = (uint16_t)sign;

    for (uint32_t j = 0; j < g->form->depth; j++) {
        const uint32_t i = pattern->window + j;

        if (group_is_wild(pattern, i)) {
            bucket->any[j] = (uint16_t)(bucket->any[j] + one);
            continue;
        }
        for (uint32_t v = 0; v < 256; v++)
            if (((v ^ pattern->bytes[i]) & pattern->masks[i]) == 0)
                bucket->accepts[j][v] = (uint16_t)(bucket->accepts[j][v] + one);
        const uint32_t lows = group_halves(pattern->bytes[i], pattern->masks[i]);
        const uint32_t highs = group_halves(pattern->bytes[i] >> 4, pattern->masks[i] >> 4);
        for (uint32_t n = 0; n < 16; n++) {
            bucket->lows[j][n] = (uint16_t)(bucket->lows[j][n] + (lows >> n & 1) * one);
            bucket->highs[j][n] = (uint16_t)(bucket->highs[j][n] + (highs >> n & 1) * one);
        }
    }
    group_refresh(g, bucket);
}

/* Where the pattern adds the fewest candidates, in buckets [from, to). */
static void group_place(struct group *g, uint32_t index, uint32_t from, uint32_t to)
{
    struct simd_pattern *pattern = &g->patterns[index];
    const struct group_member *member = &g->members[index];
    float least = 0;

    for (uint32_t b = from; b < to; b++)
        for (uint32_t w = 0; w < member->count; w++) {
            const float more = group_rate_with(g, &g->buckets[b], pattern, member->windows[w].at) - g->buckets[b].rate;

            if ((b == from && w == 0) || more < least) {
                least = more;
                pattern->bucket = b;
                pattern->window = member->windows[w].at;
            }
        }
    group_change(g, pattern, 1);
}

/* The windows of each pattern that are the rarest by themselves, ascending. */
static void group_windows(struct group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        struct group_member *member = &g->members[i];

        for (uint32_t at = 0; at < g->patterns[i].len; at++) {
            const struct group_window window = { at, group_rate_with(g, &g->empty, &g->patterns[i], at) };
            uint32_t to = member->count < GROUP_WINDOWS ? member->count++ : GROUP_WINDOWS;

            for (; to > 0 && window.rate < member->windows[to - 1].rate; to--)
                if (to < GROUP_WINDOWS)
                    member->windows[to] = member->windows[to - 1];
            if (to < GROUP_WINDOWS)
                member->windows[to] = window;
        }
        uint32_t to = i;
        for (; to > 0 && g->members[g->order[to - 1]].windows[0].rate < member->windows[0].rate; to--)
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
            group_change(g, &g->patterns[g->order[i]], -1);
            group_place(g, g->order[i], 0, SIMD_BUCKETS);
            trials += SIMD_BUCKETS * g->members[g->order[i]].count;
        }
        const double after = group_total(g);
        if (after > before * 0.999)
            return;
        before = after;
    }
}

/* Every pattern placed with `few` buckets kept for those that fill less than half of a window. */
static void group_start(struct group *g, uint32_t few)
{
    memset(g->buckets, 0, sizeof g->buckets);
    for (uint32_t i = 0; i < g->count; i++) {
        const uint32_t index = g->order[i];
        const bool is_short = g->patterns[index].len <= GROUP_SHORT;

        if (few == 0)
            group_place(g, index, 0, SIMD_BUCKETS);
        else
            group_place(g, index, is_short ? 0 : few, is_short ? few : SIMD_BUCKETS);
    }
}

/*
 * Short patterns leave the other places of the window open, in all of their bucket: how many buckets to give up to them is tried
 * out, since placing them one by one spreads them over all of them.
 */
static void group_try_starts(struct group *g)
{
    double least = -1;
    uint32_t best = 0;

    for (uint32_t few = 0; few <= GROUP_FEW_MAX; few++) {
        group_start(g, few);
        group_improve(g, 1);
        if (least < 0 || group_total(g) < least) {
            least = group_total(g);
            best = few;
        }
    }
    group_start(g, best);
}

/* What the kernel adds at place j to all buckets; others[b] is the product of the other places. */
static double group_kernel_cost(const struct group *g, uint32_t j, uint32_t kernel, const struct group_rates *others)
{
    double cost = 0;

    for (uint32_t b = 0; b < SIMD_BUCKETS; b++) {
        const uint16_t *accepts = g->buckets[b].accepts[j];
        struct group_rates sum = { { 0 } };

        if (g->buckets[b].any[j] != 0)
            continue;
        for (uint32_t v = 0; v < 256; v++)
            if (accepts[v] == 0 && accepts[v ^ kernel] != 0)
                group_add_rates(&sum, &g->values[v]);
        for (uint32_t k = 0; k < SIMD_CLASSES; k++)
            cost += (double)(sum.of[k] * others[b].of[k]);
    }
    return cost;
}

/* The best kernel for each table in turn, the others as they are. */
static void group_choose_kernels(struct group *g)
{
    for (uint32_t j = 0; j < g->form->depth; j++) {
        struct group_rates others[SIMD_BUCKETS];
        double least = -1;

        for (uint32_t b = 0; b < SIMD_BUCKETS; b++) {
            others[b] = g->share;
            for (uint32_t i = 0; i < g->form->depth; i++)
                for (uint32_t k = 0; i != j && g->buckets[b].any[i] == 0 && k < SIMD_CLASSES; k++)
                    others[b].of[k] *= g->buckets[b].factor[i].of[k];
        }
        for (uint32_t kernel = 1; kernel < 256; kernel++) {
            const double cost = group_kernel_cost(g, j, kernel, others);

            if (least < 0 || cost < least) {
                least = cost;
                g->kernels[j] = (uint8_t)kernel;
            }
        }
        for (uint32_t b = 0; b < SIMD_BUCKETS; b++)
            group_refresh(g, &g->buckets[b]);
    }
}

static void group_load_model(struct group *g)
{
    for (uint32_t k = 0; k < SIMD_CLASSES; k++) {
        g->share.of[k] = (float)simd_model[k].share / SIMD_MILLION;
        for (uint32_t v = 0; v < 256; v++)
            g->values[v].of[k] = (float)simd_model[k].bytes[v] / SIMD_MILLION;
    }
}

enum err_code simd_group(const struct simd_form *form, struct simd_pattern *patterns, uint32_t count,
                         uint8_t kernels[SIMD_DEPTH], double *rate, struct err *err)
{
    struct group *g = calloc(1, sizeof *g);
    struct group_member *members = calloc(count + 1u, sizeof *members);
    uint32_t *order = calloc(count + 1u, sizeof *order);
    enum err_code rc = ERR_OK;

    if (g == NULL || members == NULL || order == NULL) {
        rc = ERR_NO_MEMORY(err, sizeof *g + count * sizeof *members);
    } else {
        g->form = form;
        g->patterns = patterns;
        g->members = members;
        g->order = order;
        g->count = count;
        group_load_model(g);
        group_windows(g);
        group_try_starts(g);
        group_improve(g, GROUP_SWEEPS_MAX);
        for (uint32_t i = 0; form->sharpness == SIMD_PAIRS && i < 2; i++) {
            group_choose_kernels(g);
            group_improve(g, GROUP_SWEEPS_MAX);
        }
        memcpy(kernels, g->kernels, sizeof g->kernels);
        *rate = group_total(g);
    }
    free(order);
    free(members);
    free(g);
    return rc;
}
