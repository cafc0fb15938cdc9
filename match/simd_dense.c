/* match/simd_dense.c - see simd_dense.h. */
#include <stdlib.h>
#include <string.h>

#include "match/simd_dense.h"

enum {
    DENSE_WORDS = 128,
    DENSE_SAMPLES = 64 * DENSE_WORDS,
    DENSE_TEXT = DENSE_SAMPLES + SIMD_DEPTH + 1,

    DENSE_ZEROS = 128,        /* of it, for what a disk is full of must stay rare */
    DENSE_LOOKS = SIMD_DEPTH, /* look-ups of a window, at most */
    DENSE_WINDOWS_MIN = 2,    /* of a pattern that are tried: */
    DENSE_WINDOWS_MAX = 16,
    DENSE_TRIALS = 2400, /* of all patterns together */
    DENSE_SWEEPS = 3,
};

/* A bit for each sample. */
struct dense_set {
    uint64_t of[DENSE_WORDS];
};

/* A look-up: of one or two bytes of the window, of which it sees but the numbers, added up without carry. */
struct dense_look {
    uint32_t at, count;
    uint8_t number[2][256];
};

struct dense {
    struct simd_pattern *patterns;
    uint32_t count, looks;
    struct dense_look look[DENSE_LOOKS];
    struct dense_set has[DENSE_LOOKS][256];              /* the samples of which a look-up gives a number */
    struct dense_set accepts[SIMD_BUCKETS][DENSE_LOOKS]; /* those that it lets through */
    uint32_t passes[SIMD_BUCKETS];                       /* those that all let through */
    struct dense_set any;                                /* all of them */
    uint8_t text[DENSE_TEXT];
};

static uint32_t dense_random(uint64_t *state, uint32_t below)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * 2685821657736338717u) >> 32) % below;
}

/*
 * Beginnings of patterns, and whole patterns with a byte of the second half wrong, mostly the last one; half of it each. text:
 * [DENSE_TEXT], of zeros.
 */
static void dense_write_text(const struct simd_pattern *patterns, uint32_t count, uint8_t *text)
{
    const uint32_t end = DENSE_TEXT - DENSE_ZEROS;
    uint64_t state = 1;

    for (uint32_t at = 0; at < end;) {
        const struct simd_pattern *pattern = &patterns[dense_random(&state, count)];
        const uint32_t put = pattern->len < end - at ? pattern->len : end - at;

        for (uint32_t i = 0; i < put; i++) {
            const uint32_t open = dense_random(&state, 4) == 0 ? 0 : dense_random(&state, 256); /* zeros are frequent */

            text[at + i] = (uint8_t)(pattern->bytes[i] | (open & ~(uint32_t)pattern->masks[i]));
        }
        if (at < end / 2) {
            at += pattern->len > 1 ? 1 + dense_random(&state, pattern->len - 1) : 1;
            continue;
        }
        const uint32_t back = dense_random(&state, 4) != 0 ? 0 : dense_random(&state, pattern->len / 2 + 1);
        const uint32_t wrong = pattern->len - 1 - (back < pattern->len ? back : 0);
        if (wrong < put)
            text[at + wrong] ^= (uint8_t)(1 + dense_random(&state, 31));
        at += put;
    }
}

/* The look-ups of the form, as far as they tell bytes apart. */
static void dense_choose_looks(struct dense *d, const struct simd_form *form, const uint8_t kernels[SIMD_DEPTH])
{
    const uint32_t halves = form->sharpness == SIMD_NIBBLES ? 2 : 1;

    for (uint32_t j = 0; j < form->depth * halves; j++) {
        struct dense_look *look = &d->look[d->looks++];

        *look = (struct dense_look){ .at = j / halves, .count = 1 };
        for (uint32_t v = 0; v < 256; v++) {
            const uint32_t twin = v ^ kernels[look->at];

            look->number[0][v] = (uint8_t)(halves == 1 ? (twin < v ? twin : v) : j % 2 == 0 ? v & 15 : v >> 4);
        }
    }
    for (uint32_t n = 0; form->sharpness == SIMD_PAIRS && n < SIMD_PAIRS_MAX; n++) {
        struct dense_look *look = &d->look[d->looks++];

        *look = (struct dense_look){ .at = 2 * n, .count = 2 };
        for (uint32_t i = 0; i < 2; i++)
            for (uint32_t v = 0; v < 256; v++)
                look->number[i][v] = (uint8_t)simd_map(simd_pair_maps[i], v);
    }
}

/* What the look-up sees of one or two bytes. */
static uint32_t dense_number(const struct dense_look *look, uint32_t first, uint32_t second)
{
    return look->number[0][first] ^ look->number[1][second]; /* of zeros where there is but one */
}

static void dense_read_text(struct dense *d)
{
    memset(&d->any, 0xff, sizeof d->any);
    for (uint32_t i = 0; i < d->looks; i++)
        for (uint32_t s = 0; s < DENSE_SAMPLES; s++) {
            const uint8_t *at = d->text + s + d->look[i].at;

            d->has[i][dense_number(&d->look[i], at[0], at[1])].of[s / 64] |= UINT64_C(1) << s % 64;
        }
}

/* The samples that a look-up lets through for the pattern with this window; `room` is for them where there is no set of them yet. */
static const struct dense_set *dense_samples(const struct dense *d, uint32_t look, const struct simd_pattern *pattern,
                                             uint32_t window, struct dense_set *room)
{
    const struct dense_look *l = &d->look[look];
    const uint32_t i = window + l->at;
    uint32_t want = 0, mask = 0, sub = 0;

    for (uint32_t k = 0; k < l->count && i + k < pattern->len; k++) {
        want |= (uint32_t)pattern->bytes[i + k] << 8 * k;
        mask |= (uint32_t)pattern->masks[i + k] << 8 * k;
    }
    const uint32_t free = ~mask & (l->count == 2 ? 0xffff : 0xff);
    if (l->count == 2 ? simd_pair_is_open(free) : free == 0xff)
        return &d->any;
    if (free == 0)
        return &d->has[look][dense_number(l, want & 0xff, want >> 8)];
    memset(room, 0, sizeof *room);
    do {
        const uint32_t word = want | sub;
        const struct dense_set *set = &d->has[look][dense_number(l, word & 0xff, word >> 8)];

        for (uint32_t w = 0; w < DENSE_WORDS; w++)
            room->of[w] |= set->of[w];
        sub = (sub - free) & free; /* the next word that differs in free bits alone */
    } while (sub != 0);
    return room;
}

/* A pattern with a window, as its look-ups see it. */
struct dense_view {
    const struct dense_set *sets[DENSE_LOOKS];
    struct dense_set room[DENSE_LOOKS];
};

static void dense_see(const struct dense *d, const struct simd_pattern *pattern, uint32_t window,
                      struct dense_view *view)
{
    for (uint32_t i = 0; i < d->looks; i++)
        view->sets[i] = dense_samples(d, i, pattern, window, &view->room[i]);
}

static uint32_t dense_count(const struct dense_set *set)
{
    const uint64_t ones = UINT64_MAX / 3, pairs = UINT64_MAX / 5, nibbles = UINT64_MAX / 17;
    uint64_t bytes = 0;

    for (uint32_t w = 0; w < DENSE_WORDS; w++) {
        uint64_t word = set->of[w];

        word -= word >> 1 & ones;
        word = (word & pairs) + (word >> 2 & pairs);
        word = (word + (word >> 4)) & nibbles; /* bytes of 8 at most */
        bytes += (word & UINT64_C(0x00ff00ff00ff00ff)) + (word >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    }
    return (uint32_t)((bytes * UINT64_C(0x0001000100010001)) >> 48);
}

/* How many samples bucket b lets through with the pattern in it. */
static uint32_t dense_passes_with(const struct dense *d, uint32_t b, const struct dense_view *view)
{
    struct dense_set both = d->any;

    for (uint32_t i = 0; i < d->looks; i++)
        for (uint32_t w = 0; w < DENSE_WORDS; w++)
            both.of[w] &= d->accepts[b][i].of[w] | view->sets[i]->of[w];
    return dense_count(&both);
}

/* Puts the pattern into its bucket. */
static void dense_add(struct dense *d, const struct simd_pattern *pattern)
{
    const uint32_t b = pattern->bucket;
    struct dense_view view;

    dense_see(d, pattern, pattern->window, &view);
    for (uint32_t i = 0; i < d->looks; i++)
        for (uint32_t w = 0; w < DENSE_WORDS; w++)
            d->accepts[b][i].of[w] |= view.sets[i]->of[w];
}

/* Bucket b with all of its patterns but one. */
static void dense_refill(struct dense *d, uint32_t b, uint32_t without)
{
    struct dense_view none;

    memset(d->accepts[b], 0, sizeof d->accepts[b]);
    for (uint32_t i = 0; i < d->count; i++)
        if (i != without && d->patterns[i].bucket == b)
            dense_add(d, &d->patterns[i]);
    for (uint32_t i = 0; i < d->looks; i++)
        none.sets[i] = &d->accepts[b][i];
    d->passes[b] = dense_passes_with(d, b, &none);
}

/* Where the pattern adds the fewest candidates; its windows lie in [from, to]. */
static void dense_place(struct dense *d, struct simd_pattern *pattern, uint32_t from, uint32_t to)
{
    const uint32_t most = DENSE_TRIALS / d->count < DENSE_WINDOWS_MAX ? DENSE_TRIALS / d->count : DENSE_WINDOWS_MAX;
    const uint32_t step = (to - from) / (most > DENSE_WINDOWS_MIN ? most : DENSE_WINDOWS_MIN) + 1;
    uint32_t least = UINT32_MAX;
    struct dense_view view;

    for (uint32_t window = to;; window -= window - from < step ? window - from : step) {
        dense_see(d, pattern, window, &view);
        for (uint32_t b = 0; b < SIMD_BUCKETS; b++) {
            const uint32_t more = dense_passes_with(d, b, &view) - d->passes[b];

            if (more < least) {
                least = more;
                pattern->bucket = b;
                pattern->window = window;
            }
        }
        if (window == from)
            break;
    }
    dense_add(d, pattern);
    d->passes[pattern->bucket] += least;
}

/* Windows that are tried: full ones, as near to the sparse plan's as a piece wants it. */
static void dense_place_all(struct dense *d, const uint32_t *sparse)
{
    for (uint32_t i = 0; i < d->count; i++)
        d->patterns[i].bucket = SIMD_BUCKETS;
    memset(d->accepts, 0, sizeof d->accepts);
    memset(d->passes, 0, sizeof d->passes);
    for (uint32_t sweep = 0; sweep < DENSE_SWEEPS; sweep++)
        for (uint32_t i = 0; i < d->count; i++) {
            struct simd_pattern *pattern = &d->patterns[i];
            const uint32_t last = pattern->len > SIMD_WINDOW ? pattern->len - SIMD_WINDOW : 0;
            const uint32_t from = sparse[i] > SIMD_MARGIN ? sparse[i] - SIMD_MARGIN : 0;
            const uint32_t to = last < sparse[i] + SIMD_MARGIN ? last : sparse[i] + SIMD_MARGIN;

            if (sweep > 0)
                dense_refill(d, pattern->bucket, i);
            dense_place(d, pattern, from < to ? from : to, to);
        }
}

enum err_code simd_dense(const struct simd_form *form, struct simd_pattern *patterns, uint32_t count,
                         const uint8_t kernels[SIMD_DEPTH], struct err *err)
{
    struct dense *d = calloc(1, sizeof *d);
    uint32_t *sparse = calloc(count + 1u, sizeof *sparse); /* windows */
    enum err_code rc = ERR_OK;

    if (d == NULL || sparse == NULL) {
        rc = ERR_NO_MEMORY(err, sizeof *d + count * sizeof *sparse);
    } else if (count > 0) {
        d->patterns = patterns;
        d->count = count;
        dense_write_text(patterns, count, d->text);
        dense_choose_looks(d, form, kernels);
        dense_read_text(d);
        for (uint32_t i = 0; i < count; i++)
            sparse[i] = patterns[i].window;
        dense_place_all(d, sparse);
        for (uint32_t i = 0; i < count; i++)
            patterns[i].later = (int32_t)patterns[i].window - (int32_t)sparse[i];
    }
    free(sparse);
    free(d);
    return rc;
}

/* The buckets of the plan that accept value v at place j of the window, as the form sees it. */
static uint8_t dense_accepts(enum simd_sharpness sharpness, const struct simd_plan *plan, uint32_t j, uint32_t v)
{
    if (sharpness == SIMD_NIBBLES)
        return plan->low[j][v & 15] & plan->high[j][v >> 4];
    if (sharpness == SIMD_PAIRS)
        return plan->halves[j].table[simd_map(plan->halves[j].map, v)];
    return (uint8_t)(plan->columns[v] >> 8 * j);
}

uint32_t simd_dense_most(const struct simd_form *form, const struct simd_plan *sparse, uint32_t count)
{
    uint8_t text[DENSE_TEXT] = { 0 }, accepts[SIMD_DEPTH][256];
    uint32_t sum = 0;

    if (count == 0)
        return UINT32_MAX;
    dense_write_text(sparse->patterns, count, text);
    for (uint32_t j = 0; j < form->depth; j++)
        for (uint32_t v = 0; v < 256; v++)
            accepts[j][v] = dense_accepts(form->sharpness, sparse, j, v);
    for (uint32_t s = 0; s < DENSE_SAMPLES; s++) {
        uint32_t buckets = UINT8_MAX;

        for (uint32_t j = 0; j < form->depth; j++)
            buckets &= accepts[j][text[s + j]];
        sum += buckets != 0;
    }
    const uint32_t most = sum / 2 / (DENSE_SAMPLES / (SIMD_PROBE * SIMD_BLOCK));
    return most > SIMD_PROBE ? most : SIMD_PROBE;
}
