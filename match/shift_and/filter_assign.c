/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/filter_assign.c - the assigning of qgrams to the buckets of filter.h.
 *
 * Patterns that share a bucket also let pass what begins like the one and ends like the other, so
 * what counts is how often all four places of a bucket are met at once. Bytes are not independent
 * on disks, least of all zeros: a byte that a bucket takes at all four places costs as much as its
 * runs are long. Each qgram goes where it costs least, the most common ones first; then all are
 * tried in every other bucket until nothing gains. Thousands of qgrams fill all buckets anyway:
 * sorted, an eighth goes to each.
 */
#include <stdlib.h>

#include "match/shift_and/filter_parts.h"

enum {
    ASSIGN_PASSES = 8,
    ASSIGN_MAX = 4096, /* qgrams that are assigned one by one */
};

/* What a bucket lets pass with the qgram in it besides; NULL: as it is. */
static double assign_rate(const struct filter_build *build, const struct filter_bucket *bucket,
                          const struct filter_qgram *qgram)
{
    double rate = 1, runs = 0;

    if (bucket->count == 0 && qgram == NULL)
        return 0;
    for (uint32_t place = 0; place < FILTER_DEPTH; place++) {
        double share = 0;

        for (uint32_t byte = 0; byte < 256; byte++)
            if (bucket->takes[place][byte] > 0 ||
                (qgram != NULL && filter_qgram_has(qgram, place, byte)))
                share += build->weight[byte];
        rate *= share;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        bool all = true;

        for (uint32_t place = 0; place < FILTER_DEPTH && all; place++)
            all = bucket->takes[place][byte] > 0 ||
                  (qgram != NULL && filter_qgram_has(qgram, place, byte));
        runs += all ? build->run[byte] : 0;
    }
    rate += runs;
    return rate < 1 ? rate : 1;
}

static void assign_put(struct filter_build *build, struct filter_qgram *qgram, uint32_t to, int by)
{
    struct filter_bucket *bucket = &build->buckets[to];

    for (uint32_t place = 0; place < FILTER_DEPTH; place++)
        for (uint32_t byte = 0; byte < 256; byte++)
            if (filter_qgram_has(qgram, place, byte))
                bucket->takes[place][byte] += (uint32_t)by;
    bucket->count += (uint32_t)by;
    qgram->bucket = to;
}

/* Puts the qgram where it costs least. */
static void assign_place(struct filter_build *build, struct filter_qgram *qgram)
{
    double least = 2;
    uint32_t best = 0;

    for (uint32_t i = 0; i < FILTER_BUCKETS; i++) {
        const double more = assign_rate(build, &build->buckets[i], qgram) - build->buckets[i].rate;

        if (more < least) {
            least = more;
            best = i;
        }
    }
    assign_put(build, qgram, best, 1);
    build->buckets[best].rate = assign_rate(build, &build->buckets[best], NULL);
}

static double assign_total(const struct filter_build *build)
{
    double total = 0;

    for (uint32_t i = 0; i < FILTER_BUCKETS; i++)
        total += build->buckets[i].rate;
    return total;
}

static void assign_improve(struct filter_build *build)
{
    for (uint32_t pass = 0; pass < ASSIGN_PASSES; pass++) {
        const double before = assign_total(build);

        for (uint32_t i = 0; i < build->count; i++) {
            struct filter_bucket *from = &build->buckets[build->qgrams[i].bucket];

            assign_put(build, &build->qgrams[i], build->qgrams[i].bucket, -1);
            from->rate = assign_rate(build, from, NULL);
            assign_place(build, &build->qgrams[i]);
        }
        if (assign_total(build) >= before)
            return;
    }
}

/* The common ones first: each gets a bucket while there are empty ones, and the rare ones fit in
 * anywhere. */
static int assign_commoner(const void *a, const void *b)
{
    const struct filter_qgram *x = a, *y = b;

    if (x->rate != y->rate)
        return x->rate > y->rate ? -1 : 1;
    return x->pattern < y->pattern ? -1 : 1;
}

static int assign_by_value(const void *a, const void *b)
{
    const struct filter_qgram *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->pattern < y->pattern ? -1 : 1;
}

void filter_assign(struct filter_build *build)
{
    if (build->count > ASSIGN_MAX) {
        qsort(build->qgrams, build->count, sizeof *build->qgrams, assign_by_value);
        for (uint32_t i = 0; i < build->count; i++)
            assign_put(build, &build->qgrams[i],
                       (uint32_t)((uint64_t)i * FILTER_BUCKETS / build->count), 1);
        return;
    }
    qsort(build->qgrams, build->count, sizeof *build->qgrams, assign_commoner);
    for (uint32_t i = 0; i < build->count; i++)
        assign_place(build, &build->qgrams[i]);
    assign_improve(build);
}
