/* match/simd_build.c - tables and slots of the vector engine. See simd.h. */
#include <stdlib.h>

#include "match/simd.h"
#include "match/simd_group.h"

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

static enum err_code simd_fill(struct simd_program *program, struct simd_pattern *sorted, struct err *err)
{
    uint8_t kernels[SIMD_DEPTH] = { 0 };

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
    return simd_fill_slots(program, sorted)
               ? ERR_OK
               : ERR_NO_MEMORY(err, program->count * (sizeof *program->slots + sizeof *program->ends));
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

enum err_code simd_build(const struct match_dictionary *dictionary, const struct simd_form *form,
                         struct simd_program **out, struct err *err)
{
    const uint32_t count = simd_literals(dictionary);

    *out = NULL;
    if (!simd_suits(dictionary))
        return ERR_RAISE(err, ERR_ARG,
                         "engine simd takes at most %d patterns, the dictionary has %u; choose --engine words",
                         SIMD_PATTERNS_MAX, count);
    struct simd_program *program = calloc(1, sizeof *program);
    if (program == NULL)
        return ERR_NO_MEMORY(err, sizeof *program);
    struct simd_pattern *sorted = NULL;
    enum err_code rc = match_literals_open(dictionary, &program->literals, err);
    if (rc != ERR_OK)
        goto out;
    program->form = form;
    program->patterns = calloc(count + 1u, sizeof *program->patterns);
    sorted = calloc(count + 1u, sizeof *sorted);
    if (program->patterns == NULL || sorted == NULL) {
        rc = ERR_NO_MEMORY(err, 2 * (count + 1u) * sizeof *sorted);
        goto out;
    }
    program->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct match_literal *literal = &program->literals.items[i];

        program->patterns[i] = (struct simd_pattern){
            .index = literal->index, .len = literal->len, .bytes = literal->bytes, .masks = literal->masks
        };
    }
    rc = simd_fill(program, sorted, err);
    if (rc != ERR_OK)
        goto out;
    free(program->patterns);
    program->patterns = sorted;
    sorted = NULL;
    *out = program;
out:
    free(sorted);
    if (rc != ERR_OK)
        simd_destroy(program);
    return rc;
}

void simd_destroy(struct simd_program *program)
{
    if (program == NULL)
        return;
    free(program->patterns);
    free(program->keys);
    free(program->slots);
    free(program->ends);
    match_literals_close(&program->literals);
    free(program);
}
