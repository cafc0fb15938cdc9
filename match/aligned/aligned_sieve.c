/* SPDX-License-Identifier: Apache-2.0
 * match/aligned/aligned_sieve.c - see aligned_sieve.h. */
#include "match/aligned/aligned_sieve.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIEVE_FIRST = 8, /* bytes of a sector that may be looked at wherever the keys of the rows are */
    SIEVE_BESIDE = 8, /* as many from the key of each row on */
    SIEVE_RUNS_MAX = 512,
};

/* A sector of zeros, and a look that saves fewer sectors than this is not worth it. */
#define SIEVE_ZEROS 0.3f
#define SIEVE_GAIN 0.015f
#define SIEVE_NEVER 1e9f

/* A place that may be looked at. */
struct sieve_place {
    uint32_t place; /* bytes behind the start of the sector */
    uint64_t buckets[256];
    uint64_t open; /* buckets that allow every byte there */
    bool chosen;
    float chance[ALIGNED_SIEVE_BUCKETS]; /* of a byte there to be one that the bucket allows */
};

struct sieve_work {
    uint32_t count;
    struct sieve_place places[]; /* as many as the rows of the members may have */
};

static float sieve_share(uint32_t byte)
{
    if (byte == 0)
        return 0.08f;
    if (byte == 0xff)
        return 0.02f;
    return byte >= ' ' && byte <= '~' ? 0.5f / 95 : 0.4f / 159;
}

/* What byte i of the pattern is sorted by: those that allow many values come last. */
static uint32_t sieve_order(const struct match_pattern *pattern, uint32_t i)
{
    const uint8_t mask = i >= pattern->len ? 0 : pattern->mask == NULL ? 0xff : pattern->mask[i];

    if (mask != 0xff)
        return 0x200u - mask;
    return pattern->fold_case ? aligned_sieve_fold(pattern->bytes[i]) : pattern->bytes[i];
}

static int sieve_compare(const void *x, const void *y)
{
    const struct aligned_sieve_member *a = x, *b = y;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    for (uint32_t i = 0; i < SIEVE_BESIDE; i++) {
        const uint32_t p = sieve_order(a->pattern, a->key_at + i),
                       q = sieve_order(b->pattern, b->key_at + i);

        if (p != q)
            return p < q ? -1 : 1;
    }
    return 0;
}

static void sieve_allow(struct sieve_place *place, const struct aligned_sieve_member *member,
                        uint64_t bucket)
{
    const struct match_pattern *pattern = member->pattern;
    const uint32_t i = place->place - member->distance;
    const bool is_inside = place->place >= member->distance && i < pattern->len;
    const uint8_t mask = !is_inside ? 0 : pattern->mask == NULL ? 0xff : pattern->mask[i];

    if (mask == 0)
        place->open |= bucket;
    else if (mask == 0xff && !pattern->fold_case)
        place->buckets[pattern->bytes[i]] |= bucket;
    else
        for (uint32_t v = 0; v < 256; v++)
            if (aligned_sieve_byte(pattern, i, (uint8_t)v))
                place->buckets[v] |= bucket;
}

/* Once all are allowed what they allow. */
static void sieve_place_end(struct sieve_place *place)
{
    for (uint32_t b = 0; b < ALIGNED_SIEVE_BUCKETS; b++)
        place->chance[b] = (float)(place->open >> b & 1);
    for (uint32_t v = 0; v < 256; v++) {
        for (uint64_t rest = place->buckets[v] & ~place->open; rest != 0; rest &= rest - 1)
            place->chance[__builtin_ctzll(rest)] += sieve_share(v);
        place->buckets[v] |= place->open;
    }
}

/* What a run of members allows at the first bytes of its key, all of them together. */
struct sieve_run {
    uint32_t end, row; /* it begins where the run before ends */
    float rate;        /* sectors that it leaves over */
    struct sieve_set {
        uint64_t bits[4];
        float chance; /* of a byte to be in it */
    } allowed[SIEVE_BESIDE];
};

static void sieve_set_end(struct sieve_set *set)
{
    set->chance = 0;
    for (uint32_t w = 0; w < 4; w++)
        for (uint64_t rest = set->bits[w]; rest != 0; rest &= rest - 1)
            set->chance += sieve_share(64 * w + (uint32_t)__builtin_ctzll(rest));
}

static struct sieve_set sieve_set_of(const struct match_pattern *pattern, uint32_t i)
{
    const uint8_t mask = i >= pattern->len ? 0 : pattern->mask == NULL ? 0xff : pattern->mask[i];
    struct sieve_set set = { .chance = 0 };

    if (mask == 0)
        memset(set.bits, 0xff, sizeof set.bits);
    else if (mask == 0xff && !pattern->fold_case)
        set.bits[pattern->bytes[i] / 64] |= UINT64_C(1) << pattern->bytes[i] % 64;
    else
        for (uint32_t v = 0; v < 256; v++)
            set.bits[v / 64] |= (uint64_t)aligned_sieve_byte(pattern, i, (uint8_t)v) << v % 64;
    sieve_set_end(&set);
    return set;
}

static struct sieve_set sieve_set_union(const struct sieve_set *a, const struct sieve_set *b)
{
    struct sieve_set sum = *a;
    uint64_t more = 0, less = 0;

    for (uint32_t w = 0; w < 4; w++) {
        sum.bits[w] |= b->bits[w];
        more |= b->bits[w] & ~a->bits[w];
        less |= a->bits[w] & ~b->bits[w];
    }
    if (more != 0 && less == 0)
        sum.chance = b->chance;
    else if (more != 0)
        sieve_set_end(&sum);
    return sum;
}

/* The runs as one. */
static struct sieve_run sieve_union(const struct sieve_run *a, const struct sieve_run *b)
{
    struct sieve_run sum = { .end = b->end, .row = b->row, .rate = 1 };
    uint64_t zeros = 1;

    for (uint32_t i = 0; i < SIEVE_BESIDE; i++) {
        sum.allowed[i] = sieve_set_union(&a->allowed[i], &b->allowed[i]);
        sum.rate *= sum.allowed[i].chance;
        zeros &= sum.allowed[i].bits[0];
    }
    sum.rate += SIEVE_ZEROS * (float)zeros;
    return sum;
}

/* How many more sectors the runs leave over as one; neighbours of different rows stay apart. */
static float sieve_cost(const struct sieve_run *a, const struct sieve_run *b)
{
    return a->row == b->row ? sieve_union(a, b).rate - a->rate - b->rate : SIEVE_NEVER;
}

/* Sorted members as runs, each of one row; `most` at most and one for each row. Returns how many.
 */
static uint32_t sieve_runs(struct sieve_run *runs, const struct aligned_sieve_member *members,
                           uint32_t count, uint32_t most)
{
    const uint32_t len = (count + most - 1) / most;
    uint32_t used = 0, first = 0;

    for (uint32_t m = 0; m < count; m++) {
        const struct match_pattern *pattern = members[m].pattern;
        struct sieve_run run = { .end = m + 1, .row = members[m].row };

        for (uint32_t i = 0; i < SIEVE_BESIDE; i++)
            run.allowed[i] = sieve_set_of(pattern, members[m].key_at + i);
        if (m > 0 && members[m].row == members[m - 1].row && m - first < len) {
            runs[used - 1] = sieve_union(&runs[used - 1], &run);
        } else {
            runs[used++] = sieve_union(&run, &run);
            first = m;
        }
    }
    return used;
}

/* Makes one of two neighbours where that costs least, until there are few enough: runs[order[i]].
 * Runs are large, and stay where they are. */
static uint32_t sieve_join(struct sieve_run *runs, uint16_t *order, uint32_t count)
{
    float costs[SIEVE_RUNS_MAX]; /* of joining the run with the next one */

    for (uint32_t i = 0; i < count; i++)
        order[i] = (uint16_t)i;
    for (uint32_t i = 0; i + 1 < count; i++)
        costs[i] = sieve_cost(&runs[i], &runs[i + 1]);
    for (; count > ALIGNED_SIEVE_BUCKETS; count--) {
        uint32_t best = 0;

        for (uint32_t i = 1; i + 1 < count; i++)
            best = costs[i] < costs[best] ? i : best;
        runs[order[best]] = sieve_union(&runs[order[best]], &runs[order[best + 1]]);
        memmove(&order[best + 1], &order[best + 2], (count - best - 2) * sizeof *order);
        memmove(&costs[best], &costs[best + 1], (count - best - 2) * sizeof *costs);
        for (uint32_t i = best > 0 ? best - 1 : 0; i <= best && i + 2 < count; i++)
            costs[i] = sieve_cost(&runs[order[i]], &runs[order[i + 1]]);
    }
    return count;
}

/* Runs of sorted members become buckets. */
static enum err_code sieve_fill(struct sieve_work *work, struct aligned_sieve *sieve,
                                const struct aligned_sieve_member *members, uint32_t count,
                                struct err *err)
{
    const uint32_t most = count < SIEVE_RUNS_MAX ? count : SIEVE_RUNS_MAX;
    struct sieve_run *runs = calloc(most, sizeof *runs);
    uint16_t order[SIEVE_RUNS_MAX];

    if (runs == NULL)
        return ERR_NO_MEMORY(err, most * sizeof *runs);
    const uint32_t used = sieve_join(
        runs, order, sieve_runs(runs, members, count, SIEVE_RUNS_MAX - ALIGNED_SIEVE_ROWS));
    for (uint32_t b = 0, m = 0; b < used; b++) {
        const struct sieve_run *run = &runs[order[b]];

        sieve->rows_of[b] = 1u << run->row;
        sieve->distance[b] = members[m].distance;
        sieve->first[b] = m;
        sieve->first[b + 1] = run->end;
        sieve->all |= UINT64_C(1) << b;
        for (; m < run->end; m++)
            for (uint32_t p = 0; p < work->count; p++)
                sieve_allow(&work->places[p], &members[m], UINT64_C(1) << b);
    }
    free(runs);
    for (uint32_t p = 0; p < work->count; p++)
        sieve_place_end(&work->places[p]);
    return ERR_OK;
}

static void sieve_add_place(struct sieve_work *work, uint32_t place)
{
    for (uint32_t p = 0; p < work->count; p++)
        if (work->places[p].place == place)
            return;
    work->places[work->count++].place = place;
}

/* The first bytes of a sector and the keys of the rows. */
static void sieve_places(struct sieve_work *work, const struct aligned_sieve_member *members,
                         uint32_t count)
{
    for (uint32_t i = 0; i < SIEVE_FIRST; i++)
        sieve_add_place(work, i);
    for (uint32_t m = 0; m < count; m++)
        if (m == 0 || members[m].row != members[m - 1].row)
            for (uint32_t i = 0; i < SIEVE_BESIDE; i++)
                sieve_add_place(work, members[m].distance + members[m].key_at + i);
}

/* Buckets that a sector is expected to leave over if `place` is looked at too. */
static float sieve_left(const struct sieve_place *place, const float *chance, uint64_t zeros)
{
    float sum = SIEVE_ZEROS * (float)__builtin_popcountll(zeros & place->buckets[0]);

    for (uint32_t b = 0; b < ALIGNED_SIEVE_BUCKETS; b++)
        sum += chance[b] * place->chance[b];
    return sum;
}

static void sieve_add_probe(struct aligned_sieve *sieve, const struct sieve_place *place)
{
    sieve->places[sieve->count] = place->place;
    memcpy(sieve->buckets[sieve->count++], place->buckets, sizeof place->buckets);
}

/* One place after another, that which leaves the fewest buckets over. */
static void sieve_choose(struct sieve_work *work, struct aligned_sieve *sieve)
{
    float chance[ALIGNED_SIEVE_BUCKETS], left = 2 * ALIGNED_SIEVE_BUCKETS;
    uint64_t zeros = sieve->all; /* buckets that a sector of zeros leaves over */
    const struct sieve_place *last = NULL;

    for (uint32_t b = 0; b < ALIGNED_SIEVE_BUCKETS; b++)
        chance[b] = 1;
    while (sieve->count < ALIGNED_SIEVE_PROBES) {
        struct sieve_place *best = NULL;
        float least = left - SIEVE_GAIN;

        for (uint32_t p = 0; p < work->count; p++) {
            const float now =
                work->places[p].chosen ? left : sieve_left(&work->places[p], chance, zeros);

            if (now < least) {
                least = now;
                best = &work->places[p];
            }
        }
        if (best == NULL)
            break;
        best->chosen = true;
        left = least;
        zeros &= best->buckets[0];
        for (uint32_t b = 0; b < ALIGNED_SIEVE_BUCKETS; b++)
            chance[b] *= best->chance[b];
        sieve->deepest = sieve->deepest < best->place ? best->place : sieve->deepest;
        sieve_add_probe(sieve, best);
        last = best;
    }
    while (sieve->count % ALIGNED_SIEVE_STEP != 0)
        sieve_add_probe(sieve, last);
}

enum err_code aligned_sieve_init(struct aligned_sieve *sieve, struct aligned_sieve_member *members,
                                 uint32_t count, struct err *err)
{
    uint32_t rows = 0;

    for (uint32_t m = 0; m < count; m++)
        rows = rows <= members[m].row ? members[m].row + 1 : rows;
    const size_t size = sizeof(struct sieve_work) +
                        (SIEVE_FIRST + SIEVE_BESIDE * (size_t)rows) * sizeof(struct sieve_place);
    struct sieve_work *work = calloc(1, size);
    enum err_code rc = ERR_OK;

    memset(sieve, 0, sizeof *sieve);
    if (work == NULL)
        return ERR_NO_MEMORY(err, size);
    if (count > 0) {
        qsort(members, count, sizeof *members, sieve_compare);
        sieve_places(work, members, count);
        rc = sieve_fill(work, sieve, members, count, err);
        if (rc == ERR_OK)
            sieve_choose(work, sieve);
    }
    free(work);
    return rc;
}
