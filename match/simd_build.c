/* match/simd_build.c - windows, buckets and tables of the vector engine. See simd.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "match/simd.h"

/* A set of byte values for each place of a window: all ones for a value that is in it, so that the compiler can work in vectors. */
struct simd_sets {
    uint16_t has[SIMD_WINDOW][256];
};

enum { SIMD_ONE = 1 << 16 };

struct simd_group {
    struct simd_sets sets;
    double cost;
    uint32_t count; /* patterns; 0: the group is gone */
};

struct simd_builder {
    uint16_t weight[256]; /* probability of a byte on a disk, times SIMD_ONE */
    uint16_t run[256];    /* share of places that lie in a run of this byte, likewise */
    struct simd_group *groups;
    uint32_t *group_of; /* pattern -> group */
    uint32_t *nearest;  /* group -> the later group that it is cheapest to join with */
    double *nearest_cost;
    uint32_t count;
};

static void simd_builder_weights(struct simd_builder *b)
{
    static const char common[] = " etaoinsr";
    uint32_t weight[256], sum = 0;

    for (uint32_t i = 0; i < 256; i++) {
        if (i == 0)
            weight[i] = 900;
        else if (i == 0xff)
            weight[i] = 80;
        else if (memchr(common, (int)i, sizeof common - 1) != NULL)
            weight[i] = 50;
        else if ((i >= 'a' && i <= 'z') || i <= 4 || i == 8 || i == 0x10 || i == 0x40 || i == 0x80)
            weight[i] = 25;
        else
            weight[i] = i < 128 ? 10 : 7;
        sum += weight[i];
        b->run[i] = i == 0 ? SIMD_ONE / 5 : i == 0xff || i == ' ' ? SIMD_ONE / 100 : SIMD_ONE / 2000;
    }
    for (uint32_t i = 0; i < 256; i++)
        b->weight[i] = (uint16_t)(weight[i] * SIMD_ONE / sum);
}

/* Share of places that pass the window: bytes as if they were independent, and runs of one byte, which are not. */
static double simd_rate(const struct simd_builder *b, const struct simd_sets *sets)
{
    double product = 1;
    uint32_t runs = 0;

    for (uint32_t j = 0; j < SIMD_WINDOW; j++) {
        uint32_t sum = 0;

        for (uint32_t v = 0; v < 256; v++)
            sum += sets->has[j][v] & b->weight[v];
        product *= (double)sum / SIMD_ONE;
    }
    _Static_assert(SIMD_WINDOW == 4, "the four places of a window are named one by one below");
    for (uint32_t v = 0; v < 256; v++)
        runs += sets->has[0][v] & sets->has[1][v] & sets->has[2][v] & sets->has[3][v] & b->run[v];
    return product + (double)runs / SIMD_ONE;
}

/* A candidate costs a misprediction, and a comparison for each pattern of its bucket. */
static double simd_cost(const struct simd_builder *b, const struct simd_sets *sets, uint32_t count)
{
    return simd_rate(b, sets) * (4 + (double)count);
}

static void simd_window_sets(const struct simd_pattern *pattern, uint32_t window, struct simd_sets *sets)
{
    for (uint32_t j = 0; j < SIMD_WINDOW; j++)
        for (uint32_t v = 0; v < 256; v++)
            sets->has[j][v] =
                window + j >= pattern->len || ((v ^ pattern->bytes[window + j]) & pattern->masks[window + j]) == 0
                    ? 0xffff
                    : 0;
}

static void simd_choose_window(const struct simd_builder *b, struct simd_pattern *pattern, struct simd_sets *best_sets)
{
    double best = -1;

    for (uint32_t window = 0; window < pattern->len; window++) {
        struct simd_sets sets;

        simd_window_sets(pattern, window, &sets);
        const double rate = simd_rate(b, &sets);
        if (best < 0 || rate < best) {
            best = rate;
            pattern->window = window;
            *best_sets = sets;
        }
    }
    pattern->want = pattern->mask = 0;
    for (uint32_t i = 0; i < SIMD_DEPTH && pattern->window + i < pattern->len; i++) {
        pattern->mask |= (uint64_t)pattern->masks[pattern->window + i] << 8 * i;
        pattern->want |= (uint64_t)(pattern->bytes[pattern->window + i] & pattern->masks[pattern->window + i]) << 8 * i;
    }
    pattern->whole = pattern->window == 0 && pattern->len <= SIMD_DEPTH;
}

/* What joining two groups adds to the cost. */
static double simd_join_cost(const struct simd_builder *b, const struct simd_group *x, const struct simd_group *y)
{
    struct simd_sets both;

    for (uint32_t j = 0; j < SIMD_WINDOW; j++)
        for (uint32_t v = 0; v < 256; v++)
            both.has[j][v] = x->sets.has[j][v] | y->sets.has[j][v];
    return simd_cost(b, &both, x->count + y->count) - x->cost - y->cost;
}

static void simd_find_nearest(struct simd_builder *b, uint32_t g)
{
    b->nearest[g] = UINT32_MAX;
    for (uint32_t k = g + 1; k < b->count; k++) {
        if (b->groups[k].count == 0)
            continue;
        const double cost = simd_join_cost(b, &b->groups[g], &b->groups[k]);
        if (b->nearest[g] == UINT32_MAX || cost < b->nearest_cost[g]) {
            b->nearest[g] = k;
            b->nearest_cost[g] = cost;
        }
    }
}

/* Puts group y into group x and mends what pointed at either. */
static void simd_join(struct simd_builder *b, uint32_t x, uint32_t y, uint32_t pattern_count)
{
    struct simd_group *into = &b->groups[x], *gone = &b->groups[y];

    for (uint32_t j = 0; j < SIMD_WINDOW; j++)
        for (uint32_t v = 0; v < 256; v++)
            into->sets.has[j][v] |= gone->sets.has[j][v];
    into->count += gone->count;
    gone->count = 0;
    into->cost = simd_cost(b, &into->sets, into->count);
    for (uint32_t i = 0; i < pattern_count; i++)
        if (b->group_of[i] == y)
            b->group_of[i] = x;
    for (uint32_t g = 0; g < b->count; g++) {
        if (b->groups[g].count == 0)
            continue;
        if (g == x || b->nearest[g] == x || b->nearest[g] == y) {
            simd_find_nearest(b, g);
        } else if (g < x) {
            const double cost = simd_join_cost(b, &b->groups[g], into);
            if (b->nearest[g] == UINT32_MAX || cost < b->nearest_cost[g]) {
                b->nearest[g] = x;
                b->nearest_cost[g] = cost;
            }
        }
    }
}

/* Joins the cheapest pair of groups until there is one for each bucket. */
static void simd_make_groups(struct simd_builder *b, uint32_t pattern_count)
{
    uint32_t left = b->count;

    for (uint32_t g = 0; g < b->count; g++)
        simd_find_nearest(b, g);
    for (; left > SIMD_BUCKETS; left--) {
        uint32_t best = UINT32_MAX;

        for (uint32_t g = 0; g < b->count; g++)
            if (b->groups[g].count > 0 && b->nearest[g] != UINT32_MAX &&
                (best == UINT32_MAX || b->nearest_cost[g] < b->nearest_cost[best]))
                best = g;
        assert(best != UINT32_MAX);
        simd_join(b, best, b->nearest[best], pattern_count);
    }
}

/* What the window of the pattern accepts, added to the tables. */
static void simd_fill_tables(struct simd_program *program, const struct simd_pattern *pattern, uint32_t bucket)
{
    for (uint32_t j = 0; j < SIMD_DEPTH; j++)
        for (uint32_t v = 0; v < 256; v++)
            if ((((uint64_t)v << 8 * j ^ pattern->want) & pattern->mask & UINT64_C(0xff) << 8 * j) == 0) {
                program->tables[j][v] |= (uint8_t)(1u << bucket);
                program->columns[v] |= UINT64_C(1) << (8 * j + bucket);
                program->low[j][v & 15] |= (uint8_t)(1u << bucket);
                program->high[j][v >> 4] |= (uint8_t)(1u << bucket);
            }
}

/* Which two values share an entry: v and v ^ kernel for one kernel in each table. */
/* The kernel that adds the fewest candidates. */
static uint32_t simd_kernel(const struct simd_builder *b, const uint8_t table[256])
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;

    for (uint32_t kernel = 1; kernel < 256; kernel++) {
        uint64_t cost = 0;

        for (uint32_t v = 0; v < 256; v++)
            cost += b->weight[v] * (uint32_t)__builtin_popcount(table[v] | table[v ^ kernel]);
        if (cost < least) {
            least = cost;
            best = kernel;
        }
    }
    return best;
}

static void simd_fill_half(struct simd_half *half, const uint8_t table[256], uint32_t kernel)
{
    const uint32_t top = 31 - (uint32_t)__builtin_clz(kernel);
    uint32_t row = 0;

    *half = (struct simd_half){ 0 };
    for (uint32_t bit = 0; bit < 8; bit++)
        if (bit != top) /* the row of result bit i is byte 7 - i of the matrix */
            half->map |= (uint64_t)(1u << bit | (kernel >> bit & 1) << top) << 8 * (7 - row++);
    for (uint32_t v = 0; v < 256; v++) {
        const uint32_t x = (v >> top & 1) != 0 ? v ^ kernel : v; /* bit `top` is gone */

        half->table[(x & ((1u << top) - 1)) | x >> (top + 1) << top] |= table[v];
    }
}

/* Patterns sorted by bucket, and by hash in each; sorted and program->first have room for them all. */
static void simd_fill_buckets(const struct simd_builder *b, struct simd_program *program, struct simd_pattern *sorted)
{
    uint32_t bucket = 0, out = 0, slot = 0;

    for (uint32_t g = 0; g < b->count; g++) {
        if (b->groups[g].count == 0)
            continue;
        struct simd_bucket *to = &program->buckets[bucket];

        *to = (struct simd_bucket){ .common = UINT64_MAX, .start = slot, .shift = 63 };
        while (b->groups[g].count >> (64 - to->shift) != 0)
            to->shift--;
        for (uint32_t i = 0; i < program->count; i++)
            if (b->group_of[i] == g)
                to->common &= program->patterns[i].mask;
        for (uint32_t hash = 0; hash < UINT32_C(1) << (64 - to->shift); hash++) {
            program->first[slot++] = out;
            for (uint32_t i = 0; i < program->count; i++)
                if (b->group_of[i] == g && simd_hash(to, program->patterns[i].want) == hash)
                    sorted[out++] = program->patterns[i];
        }
        program->first[slot++] = out;
        for (uint32_t i = program->first[to->start]; i < out; i++)
            simd_fill_tables(program, &sorted[i], bucket);
        bucket++;
    }
}

/* Groups begin as patterns with equal windows: signatures share headers. */
static void simd_start_groups(struct simd_builder *b, struct simd_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        struct simd_group *group = &b->groups[b->count];
        uint32_t same = 0;

        simd_choose_window(b, &program->patterns[i], &group->sets);
        while (same < b->count && memcmp(&b->groups[same].sets, &group->sets, sizeof group->sets) != 0)
            same++;
        b->group_of[i] = same;
        b->groups[same].count++;
        b->count += same == b->count;
    }
    for (uint32_t g = 0; g < b->count; g++)
        b->groups[g].cost = simd_cost(b, &b->groups[g].sets, b->groups[g].count);
}

/* Copies a pattern; case folding becomes a mask that ignores the bit between the cases. */
static void simd_copy_pattern(const struct match_pattern *from, uint32_t index, uint8_t *bytes, struct simd_pattern *to)
{
    uint8_t *masks = bytes + from->len;

    for (uint32_t i = 0; i < from->len; i++) {
        const uint8_t small = from->bytes[i] | 0x20;

        masks[i] = from->mask == NULL ? 0xff : from->mask[i];
        if (from->fold_case && small >= 'a' && small <= 'z')
            masks[i] &= 0xdf;
        bytes[i] = from->bytes[i] & masks[i];
    }
    *to = (struct simd_pattern){ .index = index, .len = from->len, .bytes = bytes, .masks = masks };
}

static uint32_t simd_literals(const struct match_dictionary *dictionary)
{
    const uint32_t all = match_dictionary_count(dictionary);
    uint32_t count = 0;

    for (uint32_t i = 0; i < all; i++)
        count += match_dictionary_get(dictionary, i)->kind == MATCH_LITERAL;
    return count;
}

bool simd_suits(const struct match_dictionary *dictionary)
{
    return simd_literals(dictionary) <= SIMD_PATTERNS_MAX;
}

enum err_code simd_build(const struct match_dictionary *dictionary, simd_filter *filter, struct simd_program **out,
                         struct err *err)
{
    const uint32_t all = match_dictionary_count(dictionary);

    *out = NULL;
    if (!simd_suits(dictionary)) /* making groups of them is worse than quadratic */
        return ERR_RAISE(err, ERR_ARG,
                         "engine simd takes at most %d patterns, the dictionary has %u; choose --engine ac",
                         SIMD_PATTERNS_MAX, simd_literals(dictionary));
    struct simd_program *program = calloc(1, sizeof *program);
    struct simd_pattern *sorted = calloc(all + 1u, sizeof *sorted);
    struct simd_builder b = { .groups = calloc(all + 1u, sizeof *b.groups),
                              .group_of = calloc(all + 1u, sizeof *b.group_of),
                              .nearest = calloc(all + 1u, sizeof *b.nearest),
                              .nearest_cost = calloc(all + 1u, sizeof *b.nearest_cost) };
    size_t bytes = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < all; i++)
        bytes += 2u * match_dictionary_get(dictionary, i)->len;
    if (program != NULL) {
        program->patterns = calloc(all + 1u, sizeof *program->patterns);
        program->bytes = malloc(bytes + 1);
        program->first = calloc(4u * all + 4u * SIMD_BUCKETS, sizeof *program->first);
        program->filter = filter;
    }
    if (program == NULL || program->patterns == NULL || program->bytes == NULL || program->first == NULL ||
        sorted == NULL || b.groups == NULL || b.group_of == NULL || b.nearest == NULL || b.nearest_cost == NULL) {
        rc = ERR_NO_MEMORY(err, bytes + all * sizeof *b.groups);
        simd_destroy(program);
        program = NULL;
        free(sorted);
        goto out;
    }
    uint8_t *next = program->bytes;
    for (uint32_t i = 0; i < all; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        simd_copy_pattern(pattern, i, next, &program->patterns[program->count++]);
        next += 2u * pattern->len;
    }
    simd_builder_weights(&b);
    simd_start_groups(&b, program);
    simd_make_groups(&b, program->count);
    simd_fill_buckets(&b, program, sorted);
    for (uint32_t j = 0; j < SIMD_DEPTH; j++)
        simd_fill_half(&program->halves[j], program->tables[j], simd_kernel(&b, program->tables[j]));
    for (uint32_t i = 0; i < program->count; i++)
        if (program->before < sorted[i].len - 1 - sorted[i].window)
            program->before = sorted[i].len - 1 - sorted[i].window;
    free(program->patterns);
    program->patterns = sorted;
out:
    free(b.groups);
    free(b.group_of);
    free(b.nearest);
    free(b.nearest_cost);
    *out = program;
    return rc;
}

void simd_destroy(struct simd_program *program)
{
    if (program == NULL)
        return;
    free(program->patterns);
    free(program->bytes);
    free(program->first);
    free(program);
}
