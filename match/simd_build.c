/* match/simd_build.c - tables and slots of the vector engine. See simd.h. */
#include <stdlib.h>
#include <string.h>

#include "match/simd.h"
#include "match/simd_group.h"

enum { SIMD_FACTORS = 64 };

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

static void simd_fill_word(struct simd_pattern *pattern)
{
    for (uint32_t i = 0; i < SIMD_DEPTH && pattern->window + i < pattern->len; i++) {
        pattern->mask |= (uint64_t)pattern->masks[pattern->window + i] << 8 * i;
        pattern->want |= (uint64_t)pattern->bytes[pattern->window + i] << 8 * i;
    }
}

/* What the window of the pattern accepts, added to the tables. */
static void simd_fill_tables(struct simd_program *program, const struct simd_pattern *pattern)
{
    const uint32_t bucket = pattern->bucket;

    for (uint32_t j = 0; j < SIMD_DEPTH; j++)
        for (uint32_t v = 0; v < 256; v++)
            if ((((uint64_t)v << 8 * j ^ pattern->want) & pattern->mask & UINT64_C(0xff) << 8 * j) == 0) {
                program->columns[v] |= UINT64_C(1) << (8 * j + bucket);
                program->low[j][v & 15] |= (uint8_t)(1u << bucket);
                program->high[j][v >> 4] |= (uint8_t)(1u << bucket);
            }
}

/* A table of 128 entries: v and v ^ kernel share one. */
static void simd_fill_half(struct simd_program *program, uint32_t j, uint32_t kernel)
{
    struct simd_half *half = &program->halves[j];
    const uint32_t top = 31 - (uint32_t)__builtin_clz(kernel | 1);
    uint32_t row = 0;

    for (uint32_t bit = 0; bit < 8; bit++)
        if (bit != top) /* the row of result bit i is byte 7 - i of the matrix */
            half->map |= (uint64_t)(1u << bit | (kernel >> bit & 1) << top) << 8 * (7 - row++);
    for (uint32_t v = 0; v < 256; v++) {
        const uint32_t x = (v >> top & 1) != 0 ? v ^ kernel : v; /* bit `top` is gone */

        half->table[(x & ((1u << top) - 1)) | x >> (top + 1) << top] |= (uint8_t)(program->columns[v] >> 8 * j);
    }
}

/* The eight bytes of the pattern from `from` on as they are looked at from its window. */
static void simd_fill_more(struct simd_slot *slot, const struct simd_pattern *pattern, uint32_t from)
{
    slot->more = (int32_t)from - (int32_t)pattern->window;
    for (uint32_t i = 0; i < SIMD_DEPTH; i++) {
        slot->mask_more |= (uint64_t)pattern->masks[from + i] << 8 * i;
        slot->want_more |= (uint64_t)pattern->bytes[from + i] << 8 * i;
    }
}

static void simd_fill_slot(struct simd_slot *slot, const struct simd_pattern *pattern, bool is_first)
{
    if (is_first) {
        slot->want = pattern->want;
        slot->mask = pattern->mask;
        if (pattern->len > SIMD_DEPTH) /* the last word, or the first when the window covers the last */
            simd_fill_more(slot, pattern, pattern->window + SIMD_DEPTH < pattern->len ? pattern->len - SIMD_DEPTH : 0);
    } else {
        slot->want_more = slot->mask_more = 0;
    }
    slot->mask &= pattern->mask & ~(slot->want ^ pattern->want);
    slot->want &= slot->mask;
}

/* Patterns of the bucket that share a slot with another word. */
static uint32_t simd_collisions(const struct simd_program *program, uint32_t b)
{
    const struct simd_bucket *bucket = &program->buckets[b];
    uint32_t count = 0;

    for (uint32_t i = 0; i < program->count; i++) {
        const struct simd_pattern *x = &program->patterns[i];
        bool meets = false;

        for (uint32_t k = 0; x->bucket == b && k < i && !meets; k++) {
            const struct simd_pattern *y = &program->patterns[k];

            meets = y->bucket == b && ((x->want ^ y->want) & bucket->common) != 0 &&
                    simd_hash(bucket, x->want) == simd_hash(bucket, y->want);
        }
        count += meets;
    }
    return count;
}

/* Of some odd factors the one with the fewest collisions. */
static void simd_choose_factor(const struct simd_program *program, struct simd_bucket *bucket, uint32_t b)
{
    uint64_t factor = UINT64_C(0x9e3779b97f4a7c15), best = factor;
    uint32_t fewest = UINT32_MAX;

    for (uint32_t trial = 0; trial < SIMD_FACTORS && fewest > 0; trial++) {
        bucket->factor = factor;
        const uint32_t count = simd_collisions(program, b);

        if (count < fewest) {
            fewest = count;
            best = factor;
        }
        factor = (factor ^ factor >> 29) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
    }
    bucket->factor = best;
}

/* Whether a pattern of the slot is compared in full by its words; more: with the second one, of the slot. */
static bool simd_is_whole(const struct simd_slot *slot, const struct simd_pattern *pattern, bool more)
{
    const int64_t at = (int64_t)pattern->window + slot->more;

    for (uint32_t i = 0; i < pattern->len; i++) {
        const bool in_word = i >= pattern->window && i < pattern->window + SIMD_DEPTH;
        const bool in_more = more && i >= at && i < at + SIMD_DEPTH;

        if (pattern->masks[i] != 0 && !in_word && !in_more)
            return false;
    }
    return true;
}

/* The slots of the bucket from number `slot` on; its patterns are copied to sorted[out] and on, by slot. Returns the next slot. */
static uint32_t simd_fill_bucket(struct simd_program *program, uint32_t b, uint32_t slot, struct simd_pattern *sorted,
                                 uint32_t *out)
{
    struct simd_bucket *bucket = &program->buckets[b];
    uint32_t count = 0;

    *bucket = (struct simd_bucket){ .common = UINT64_MAX, .start = slot, .shift = 63 };
    for (uint32_t i = 0; i < program->count; i++)
        if (program->patterns[i].bucket == b) {
            bucket->common &= program->patterns[i].mask;
            count++;
        }
    while (2 * count >> (64 - bucket->shift) != 0)
        bucket->shift--;
    simd_choose_factor(program, bucket, b);
    for (uint32_t hash = 0; hash < UINT32_C(1) << (64 - bucket->shift); hash++, slot++) {
        program->slots[slot].want = 1;
        program->slots[slot].first = *out;
        for (uint32_t i = 0; i < program->count; i++) {
            const struct simd_pattern *pattern = &program->patterns[i];

            if (pattern->bucket != b || simd_hash(bucket, pattern->want) != hash)
                continue;
            simd_fill_slot(&program->slots[slot], pattern, *out == program->slots[slot].first);
            sorted[(*out)++] = *pattern;
        }
        const uint32_t first = program->slots[slot].first;
        for (uint32_t i = first; i < *out; i++)
            sorted[i].whole =
                simd_is_whole(&program->slots[slot], &sorted[i], *out - first == 1 && sorted[i].len > SIMD_DEPTH);
    }
    program->slots[slot].first = *out;
    return slot + 1;
}

static enum err_code simd_fill(struct simd_program *program, struct simd_pattern *sorted, struct err *err)
{
    uint8_t kernels[SIMD_DEPTH] = { 0 };
    uint32_t slot = 0, out = 0;

    const enum err_code rc = simd_group(program->form, program->patterns, program->count, kernels, &program->rate, err);
    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < program->count; i++) {
        const uint32_t after = program->patterns[i].len - 1 - program->patterns[i].window;

        simd_fill_word(&program->patterns[i]);
        simd_fill_tables(program, &program->patterns[i]);
        program->before = program->before < after ? after : program->before;
    }
    for (uint32_t j = 0; j < SIMD_DEPTH; j++)
        simd_fill_half(program, j, kernels[j]);
    for (uint32_t b = 0; b < SIMD_BUCKETS; b++)
        slot = simd_fill_bucket(program, b, slot, sorted, &out);
    return ERR_OK;
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

/* A program with room for so much and nothing in it; NULL when there is no memory. */
static struct simd_program *simd_allocate(uint32_t patterns, uint32_t slots, size_t bytes)
{
    struct simd_program *program = calloc(1, sizeof *program);

    if (program == NULL)
        return NULL;
    program->patterns = calloc(patterns + 1u, sizeof *program->patterns);
    program->slots = calloc(slots, sizeof *program->slots);
    program->bytes = malloc(bytes + 1);
    if (program->patterns != NULL && program->slots != NULL && program->bytes != NULL)
        return program;
    simd_destroy(program);
    return NULL;
}

enum err_code simd_build(const struct match_dictionary *dictionary, const struct simd_form *form,
                         struct simd_program **out, struct err *err)
{
    const uint32_t all = match_dictionary_count(dictionary), count = simd_literals(dictionary);
    const uint32_t slots =
        4 * count + 4 * SIMD_BUCKETS; /* a bucket has at most four for each pattern, and three more */
    size_t bytes = 0;

    *out = NULL;
    if (!simd_suits(dictionary))
        return ERR_RAISE(err, ERR_ARG,
                         "engine simd takes at most %d patterns, the dictionary has %u; choose --engine ac",
                         SIMD_PATTERNS_MAX, count);
    for (uint32_t i = 0; i < all; i++)
        bytes += 2u * match_dictionary_get(dictionary, i)->len;
    struct simd_program *program = simd_allocate(count, slots, bytes);
    struct simd_pattern *sorted = calloc(count + 1u, sizeof *sorted);
    if (program == NULL || sorted == NULL) {
        simd_destroy(program);
        free(sorted);
        return ERR_NO_MEMORY(err, bytes + slots * sizeof *program->slots);
    }
    program->form = form;
    uint8_t *next = program->bytes;
    for (uint32_t i = 0; i < all; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        simd_copy_pattern(pattern, i, next, &program->patterns[program->count++]);
        next += 2u * pattern->len;
    }
    const enum err_code rc = simd_fill(program, sorted, err);
    if (rc != ERR_OK) {
        simd_destroy(program);
        free(sorted);
        return rc;
    }
    free(program->patterns);
    program->patterns = sorted;
    *out = program;
    return ERR_OK;
}

void simd_destroy(struct simd_program *program)
{
    if (program == NULL)
        return;
    free(program->patterns);
    free(program->slots);
    free(program->bytes);
    free(program);
}
