/*
 * match/cuda/filter_build.c - see filter.h: the choice of windows, and the dealing of them to buckets.
 *
 * The window of a pattern is the four bytes of it that are likely to be rarest on disks, and that not many others have: all that
 * share them are compared wherever they are found. Patterns that share a bucket also let pass
 * what begins like the one and ends like the other, so what counts is how often all four places of a bucket are met at once.
 * Bytes are not independent on disks, least of all zeros: a byte that a bucket takes at all four places costs as much as its
 * runs are long. Each window goes where it costs least, the most common ones first; then all are tried in every other bucket
 * until nothing gains. Thousands of windows fill all buckets anyway: sorted, an eighth goes to each.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "match/ac_literal.h"
#include "match/cuda/filter_build.h"
#include "match/literals.h"

enum {
    BUILD_PASSES = 8,
    BUILD_DEAL_MAX = 4096, /* windows that are dealt one by one */
    BUILD_WORD = 32,
    BUILD_SHARED_BITS = 16,
    BUILD_SHARED = 1 << BUILD_SHARED_BITS,
};

/* The sets of bytes at the four places. */
struct build_window {
    uint32_t pattern, end; /* end: of the window in the pattern */
    uint32_t has[FILTER_DEPTH][256 / BUILD_WORD];
    double rate;
    uint32_t bucket;
    bool listed;          /* not one word of four bytes */
    uint32_t value, mask; /* the window as a word */
};

/* How many windows of the bucket take each byte at each place. */
struct build_bucket {
    uint32_t takes[FILTER_DEPTH][256];
    uint32_t count;
    double rate;
};

struct build {
    const struct match_dictionary *dictionary;
    double weight[256]; /* share of a disk's bytes */
    double run[256];    /* share of places at which four of the byte stand in a row */
    struct build_bucket buckets[FILTER_BUCKETS];
    struct build_window *windows;
    uint32_t count;
    uint32_t shared[BUILD_SHARED]; /* windows chosen, by hash of the four bytes */
};

static bool build_has(const struct build_window *window, uint32_t place, uint32_t byte)
{
    return (window->has[place][byte / BUILD_WORD] >> byte % BUILD_WORD & 1) != 0;
}

static bool build_takes(const struct match_pattern *pattern, uint32_t at, uint8_t byte)
{
    return ((byte ^ pattern->bytes[at]) & match_pattern_mask(pattern, at)) == 0;
}

/* What a bucket lets pass with the window in it besides; NULL: as it is. */
static double build_rate(const struct build *build, const struct build_bucket *bucket,
                         const struct build_window *window)
{
    double rate = 1, runs = 0;

    if (bucket->count == 0 && window == NULL)
        return 0;
    for (uint32_t place = 0; place < FILTER_DEPTH; place++) {
        double share = 0;

        for (uint32_t byte = 0; byte < 256; byte++)
            if (bucket->takes[place][byte] > 0 || (window != NULL && build_has(window, place, byte)))
                share += build->weight[byte];
        rate *= share;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        bool all = true;

        for (uint32_t place = 0; place < FILTER_DEPTH && all; place++)
            all = bucket->takes[place][byte] > 0 || (window != NULL && build_has(window, place, byte));
        runs += all ? build->run[byte] : 0;
    }
    rate += runs;
    return rate < 1 ? rate : 1;
}

/* Share of a disk's bytes that the pattern takes at index `at`. */
static double build_share(const struct build *build, const struct match_pattern *pattern, uint32_t at)
{
    const uint8_t want = pattern->bytes[at], mask = match_pattern_mask(pattern, at);
    double share = 0;

    if (mask == 0xff)
        return build->weight[want];
    if (mask == 0xdf)
        return build->weight[want] + build->weight[want ^ 0x20];
    for (uint32_t byte = 0; byte < 256; byte++)
        if (build_takes(pattern, at, (uint8_t)byte))
            share += build->weight[byte];
    return share;
}

/* How rare the four bytes that end there are by themselves. */
static double build_window_rate(const struct build *build, const struct match_pattern *pattern, const double *shares,
                                uint32_t end)
{
    const uint8_t last = pattern->bytes[end - 1];
    double rate = 1;
    bool run = true;

    for (uint32_t place = 0; place < FILTER_DEPTH && place < end; place++) {
        rate *= shares[end - 1 - place];
        run = run && build_takes(pattern, end - 1 - place, last);
    }
    return run ? rate + build->run[last] : rate;
}

/* Four bytes of the pattern from index `first` on as a word; what is outside of it, or a wildcard, is masked. */
static void build_word(const struct match_pattern *pattern, int32_t first, uint32_t *value, uint32_t *mask)
{
    *value = *mask = 0;
    for (int32_t i = 0; i < 4; i++) {
        if (first + i < 0 || first + i >= (int32_t)pattern->len)
            continue;
        const uint32_t at = (uint32_t)(first + i);
        const uint32_t byte = match_pattern_mask(pattern, at); /* what passes is compared anyway */

        *mask |= byte << i * 8;
        *value |= (pattern->bytes[at] & byte) << i * 8;
    }
}

static struct filter_entry build_entry(const struct match_pattern *pattern, const struct build_window *window)
{
    const bool behind = pattern->len - window->end > window->end - FILTER_DEPTH;
    struct filter_entry entry = {
        .value = window->value, .mask = window->mask, .what = window->pattern << 8 | pattern->len, .end = window->end
    };

    if (window->listed)
        return entry;
    build_word(pattern, (int32_t)window->end - (behind ? 0 : 2 * FILTER_DEPTH), &entry.value, &entry.mask);
    entry.end |= behind ? (uint32_t)FILTER_BEHIND : 0;
    return entry;
}

static uint32_t build_shared(const struct match_pattern *pattern, uint32_t end)
{
    uint32_t value, mask;

    build_word(pattern, (int32_t)end - FILTER_DEPTH, &value, &mask);
    return filter_hash(filter_key(value), BUILD_SHARED_BITS);
}

static void build_window(struct build *build, uint32_t index, struct build_window *window)
{
    const struct match_pattern *pattern = match_dictionary_get(build->dictionary, index);

    double shares[LIMIT_PATTERN_LEN], least = INFINITY;

    *window = (struct build_window){ .pattern = index, .bucket = FILTER_BUCKETS };
    for (uint32_t i = 0; i < pattern->len; i++)
        shares[i] = build_share(build, pattern, i);
    for (uint32_t end = pattern->len < FILTER_DEPTH ? pattern->len : FILTER_DEPTH; end <= pattern->len; end++) {
        const double rate = build_window_rate(build, pattern, shares, end);
        const double cost = rate * (1 + build->shared[build_shared(pattern, end)]);

        if (cost < least) {
            least = cost;
            window->rate = rate;
            window->end = end;
        }
    }
    build->shared[build_shared(pattern, window->end)]++;
    window->listed = window->end < FILTER_DEPTH;
    for (uint32_t place = 0; place < FILTER_DEPTH; place++) {
        const uint32_t at = window->end + place - FILTER_DEPTH;
        const bool inside = window->end + place >= FILTER_DEPTH;

        for (uint32_t byte = 0; byte < 256; byte++)
            if (!inside || build_takes(pattern, at, (uint8_t)byte))
                window->has[place][byte / BUILD_WORD] |= 1u << byte % BUILD_WORD;
        window->listed |= !inside || (pattern->mask != NULL && pattern->mask[at] != 0xff);
    }
    build_word(pattern, (int32_t)window->end - FILTER_DEPTH, &window->value, &window->mask);
}

static void build_put(struct build *build, struct build_window *window, uint32_t to, int by)
{
    struct build_bucket *bucket = &build->buckets[to];

    for (uint32_t place = 0; place < FILTER_DEPTH; place++)
        for (uint32_t byte = 0; byte < 256; byte++)
            if (build_has(window, place, byte))
                bucket->takes[place][byte] += (uint32_t)by;
    bucket->count += (uint32_t)by;
    window->bucket = to;
}

/* Puts the window where it costs least. */
static void build_place(struct build *build, struct build_window *window)
{
    double least = 2;
    uint32_t best = 0;

    for (uint32_t i = 0; i < FILTER_BUCKETS; i++) {
        const double more = build_rate(build, &build->buckets[i], window) - build->buckets[i].rate;

        if (more < least) {
            least = more;
            best = i;
        }
    }
    build_put(build, window, best, 1);
    build->buckets[best].rate = build_rate(build, &build->buckets[best], NULL);
}

static double build_total(const struct build *build)
{
    double total = 0;

    for (uint32_t i = 0; i < FILTER_BUCKETS; i++)
        total += build->buckets[i].rate;
    return total;
}

static void build_improve(struct build *build)
{
    for (uint32_t pass = 0; pass < BUILD_PASSES; pass++) {
        const double before = build_total(build);

        for (uint32_t i = 0; i < build->count; i++) {
            struct build_bucket *from = &build->buckets[build->windows[i].bucket];

            build_put(build, &build->windows[i], build->windows[i].bucket, -1);
            from->rate = build_rate(build, from, NULL);
            build_place(build, &build->windows[i]);
        }
        if (build_total(build) >= before)
            return;
    }
}

static void build_weigh(struct build *build)
{
    double sum = 0;

    for (uint32_t byte = 0; byte < 256; byte++)
        sum += ac_literal_weight((uint8_t)byte);
    for (uint32_t byte = 0; byte < 256; byte++) {
        build->weight[byte] = ac_literal_weight((uint8_t)byte) / sum;
        build->run[byte] = build->weight[byte] / 64; /* of text, tables and pictures */
    }
    build->run[0x00] = build->weight[0x00] / 2;
    build->run[0xff] = build->weight[0xff] / 2;
}

/* The common ones first: each gets a bucket while there are empty ones, and the rare ones fit in anywhere. */
static int build_commoner(const void *a, const void *b)
{
    const struct build_window *x = a, *y = b;

    if (x->rate != y->rate)
        return x->rate > y->rate ? -1 : 1;
    return x->pattern < y->pattern ? -1 : 1;
}

static int build_by_value(const void *a, const void *b)
{
    const struct build_window *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->pattern < y->pattern ? -1 : 1;
}

static void build_deal(struct build *build)
{
    if (build->count > BUILD_DEAL_MAX) {
        qsort(build->windows, build->count, sizeof *build->windows, build_by_value);
        for (uint32_t i = 0; i < build->count; i++)
            build_put(build, &build->windows[i], (uint32_t)((uint64_t)i * FILTER_BUCKETS / build->count), 1);
        return;
    }
    qsort(build->windows, build->count, sizeof *build->windows, build_commoner);
    for (uint32_t i = 0; i < build->count; i++)
        build_place(build, &build->windows[i]);
    build_improve(build);
}

/* Listed windows by bucket, then the others by their key. */
static int build_by_place(const void *a, const void *b)
{
    const struct build_window *x = a, *y = b;
    const uint32_t u = x->listed ? x->bucket : filter_key(x->value);
    const uint32_t v = y->listed ? y->bucket : filter_key(y->value);

    if (x->listed != y->listed)
        return x->listed ? -1 : 1;
    if (u != v)
        return u < v ? -1 : 1;
    return x->pattern < y->pattern ? -1 : 1;
}

static void build_table(const struct build *build, struct filter *filter)
{
    for (uint32_t byte = 0; byte < 256; byte++)
        for (uint32_t i = 0; i < FILTER_BUCKETS; i++)
            for (uint32_t place = 0; place < FILTER_DEPTH; place++)
                if (build->buckets[i].takes[place][byte] > 0)
                    filter->table[byte] |= 1u << (place * FILTER_BUCKETS + i);
}

static void build_entries(const struct build *build, struct filter *filter)
{
    struct filter_entry *entries = (struct filter_entry *)(filter + 1);
    struct filter_slot *slots = (struct filter_slot *)(entries + build->count);
    const uint32_t mask = (1u << filter->slot_bits) - 1;
    struct filter_slot *last = NULL;

    for (uint32_t i = 0; i < build->count; i++) {
        const struct build_window *window = &build->windows[i];
        const uint32_t key = filter_key(window->value);

        entries[i] = build_entry(match_dictionary_get(build->dictionary, window->pattern), window);
        if (window->listed) {
            for (uint32_t b = window->bucket + 1; b <= FILTER_BUCKETS; b++)
                filter->first[b]++;
            continue;
        }
        if (last == NULL || last->key != key) {
            uint32_t at = filter_hash(key, filter->slot_bits);

            while (slots[at].count > 0)
                at = (at + 1) & mask;
            last = &slots[at];
            *last = (struct filter_slot){ .key = key, .first = i };
        }
        last->count++;
    }
}

static enum err_code build_write(struct build *build, struct filter **out, size_t *size, struct err *err)
{
    uint32_t bits = 4;

    while ((1u << bits) < 2 * build->count)
        bits++;
    *size = sizeof **out + build->count * sizeof(struct filter_entry) + sizeof(struct filter_slot) * (1u << bits);
    *out = calloc(1, *size);
    if (*out == NULL)
        return ERR_NO_MEMORY(err, *size);
    (*out)->entry_count = build->count;
    (*out)->slot_bits = bits;
    qsort(build->windows, build->count, sizeof *build->windows, build_by_place);
    build_table(build, *out);
    build_entries(build, *out);
    return ERR_OK;
}

enum err_code filter_build(const struct match_dictionary *dictionary, struct filter **out, size_t *size,
                           struct err *err)
{
    const uint32_t patterns = match_dictionary_count(dictionary);
    struct build *build = calloc(1, sizeof *build);
    struct build_window *windows = calloc(patterns + 1, sizeof *windows);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (build == NULL || windows == NULL) {
        rc = ERR_NO_MEMORY(err, sizeof *build + (patterns + 1) * sizeof *windows);
    } else {
        build->dictionary = dictionary;
        build->windows = windows;
        build_weigh(build);
        for (uint32_t i = 0; i < patterns; i++)
            if (match_dictionary_get(dictionary, i)->kind == MATCH_LITERAL)
                build_window(build, i, &windows[build->count++]);
        build_deal(build);
        rc = build_write(build, out, size, err);
    }
    free(windows);
    free(build);
    return rc;
}
