/* match/ac_filter.c - see ac_filter.h: which literal goes in which bucket. */
#include <string.h>

#include "match/ac.h"
#include "match/ac_filter.h"
#include "match/ac_filter_simd.h"
#include "match/ac_trie.h"

enum {
    FILTER_BUCKETS = 8,
    FILTER_STARTS_MAX = 1024, /* different beginnings of literals; a filter for more lets too much pass */
    FILTER_ROUNDS = 4,        /* of moving literals to better buckets */
};

/* Chance of a candidate at a byte of a disk above which the filter costs more than it saves. */
static const double filter_chance_max = 1.0 / 16;

/* The first bytes of a literal. */
struct filter_start {
    uint8_t bytes[AC_FILTER_DEPTH];
    uint8_t len; /* 1..AC_FILTER_DEPTH */
    uint8_t bucket;
};

/* How many literals of a bucket have a byte at an index; any counts those that end before it. */
struct filter_bucket {
    uint16_t bytes[AC_FILTER_DEPTH][256];
    uint16_t any[AC_FILTER_DEPTH];
    double chance[AC_FILTER_DEPTH]; /* of one of the bytes */
};

struct filter_plan {
    uint32_t count;
    struct filter_start starts[FILTER_STARTS_MAX];
    struct filter_bucket buckets[FILTER_BUCKETS];
};

/* Every path of three edges from the root, or to a literal that is shorter; false when there are too many. */
static bool filter_collect(struct filter_plan *plan, const struct ac_trie *trie, uint32_t node,
                           struct filter_start start)
{
    if (node != 0 && (trie->nodes[node].entry != AC_NONE || start.len == AC_FILTER_DEPTH)) {
        if (plan->count == FILTER_STARTS_MAX)
            return false;
        plan->starts[plan->count++] = start;
        return true; /* a shorter literal lets all pass that the longer ones with the same beginning would */
    }
    for (uint32_t child = trie->nodes[node].child; child != 0; child = trie->nodes[child].sibling) {
        struct filter_start longer = start;

        longer.bytes[longer.len++] = trie->nodes[child].byte;
        if (!filter_collect(plan, trie, child, longer))
            return false;
    }
    return true;
}

static double filter_byte_chance(uint8_t byte)
{
    return ac_literal_weight(byte) / 65536.0;
}

/* Half of a disk's zeros stand in runs, and of the 0xff many: bytes are not independent. */
static double filter_chance(const struct filter_bucket *bucket)
{
    double chance = 0.8;
    bool zeros = true, ones = true;

    for (uint32_t i = 0; i < AC_FILTER_DEPTH; i++) {
        chance *= bucket->any[i] > 0 ? 1.0 : bucket->chance[i];
        zeros = zeros && (bucket->any[i] > 0 || bucket->bytes[i][0] > 0);
        ones = ones && (bucket->any[i] > 0 || bucket->bytes[i][0xff] > 0);
    }
    return chance + (zeros ? 0.2 : 0.0) + (ones ? 0.01 : 0.0);
}

static void filter_put(struct filter_plan *plan, const struct filter_start *start, int by)
{
    struct filter_bucket *bucket = &plan->buckets[start->bucket];

    for (uint32_t i = 0; i < AC_FILTER_DEPTH; i++) {
        if (i >= start->len) {
            bucket->any[i] = (uint16_t)(bucket->any[i] + by);
            continue;
        }
        uint16_t *count = &bucket->bytes[i][start->bytes[i]];
        if (by > 0 && *count == 0)
            bucket->chance[i] += filter_byte_chance(start->bytes[i]);
        *count = (uint16_t)(*count + by);
        if (by < 0 && *count == 0)
            bucket->chance[i] -= filter_byte_chance(start->bytes[i]);
    }
}

/* Puts start where it adds least. */
static void filter_place(struct filter_plan *plan, struct filter_start *start)
{
    double best = 2.0;
    uint8_t best_bucket = 0;

    for (uint8_t b = 0; b < FILTER_BUCKETS; b++) {
        const double before = filter_chance(&plan->buckets[b]);

        start->bucket = b;
        filter_put(plan, start, 1);
        const double added = filter_chance(&plan->buckets[b]) - before;
        filter_put(plan, start, -1);
        if (added < best) {
            best = added;
            best_bucket = b;
        }
    }
    start->bucket = best_bucket;
    filter_put(plan, start, 1);
}

/* Short beginnings first: they spoil a bucket most. Then each is moved as long as that helps. Returns the chance in all. */
static double filter_assign(struct filter_plan *plan)
{
    double chance = 0;

    for (uint32_t len = 1; len <= AC_FILTER_DEPTH; len++)
        for (uint32_t i = 0; i < plan->count; i++)
            if (plan->starts[i].len == len)
                filter_place(plan, &plan->starts[i]);
    for (uint32_t round = 0; round < FILTER_ROUNDS; round++) {
        for (uint32_t i = 0; i < plan->count; i++) {
            filter_put(plan, &plan->starts[i], -1);
            filter_place(plan, &plan->starts[i]);
        }
    }
    for (uint32_t b = 0; b < FILTER_BUCKETS; b++)
        chance += filter_chance(&plan->buckets[b]);
    return chance;
}

static void filter_tables(struct ac_filter *filter, const struct filter_plan *plan, const uint8_t fold[256])
{
    for (uint32_t i = 0; i < AC_FILTER_DEPTH; i++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint8_t buckets = 0;

            for (uint32_t b = 0; b < FILTER_BUCKETS; b++)
                if (plan->buckets[b].any[i] > 0 || plan->buckets[b].bytes[i][fold[byte]] > 0)
                    buckets = (uint8_t)(buckets | 1 << b);
            filter->buckets[i][byte] = buckets;
            filter->low[i][byte & 15] |= buckets;
            filter->high[i][byte >> 4] |= buckets;
        }
    }
}

void ac_filter_init(struct ac_filter *filter, const struct ac_trie *trie, const uint8_t fold[256])
{
    struct filter_plan plan = { 0 };

    *filter = (struct ac_filter){ 0 };
    if (!filter_collect(&plan, trie, 0, (struct filter_start){ 0 }) || filter_assign(&plan) > filter_chance_max)
        return;
    filter_tables(filter, &plan, fold);
    filter->find = ac_filter_simd();
}
