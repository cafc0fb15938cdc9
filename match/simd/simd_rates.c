/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_rates.c - see simd_rates.h. */
#include "match/simd/simd_rates.h"

void simd_rates_load(struct simd_rates_model *model, const struct simd_form *form)
{
    *model = (struct simd_rates_model){ .form = form };
    for (uint32_t k = 0; k < SIMD_CLASSES; k++) {
        model->share.of[k] = (float)simd_model[k].share / SIMD_MILLION;
        for (uint32_t v = 0; v < 256; v++)
            model->values[v].of[k] = (float)simd_model[k].bytes[v] / SIMD_MILLION;
    }
}

static bool rates_is_wild(const struct simd_pattern *pattern, uint32_t i)
{
    return i >= pattern->len || pattern->masks[i] == 0;
}

/* A set of the halves of values that fit: bit n for half n. */
static uint32_t rates_halves(uint32_t byte, uint32_t mask)
{
    uint32_t set = 0;

    for (uint32_t n = 0; n < 16; n++)
        set |= (uint32_t)(((n ^ byte) & mask & 15) == 0) << n;
    return set;
}

static uint32_t rates_halves_of(const uint16_t counts[16])
{
    uint32_t set = 0;

    for (uint32_t n = 0; n < 16; n++)
        set |= (uint32_t)(counts[n] != 0) << n;
    return set;
}

void simd_rates_add(struct simd_rates *to, const struct simd_rates *from)
{
    for (uint32_t k = 0; k < SIMD_CLASSES; k++)
        to->of[k] += from->of[k];
}

/* Adds every value made of a low and a high half of the sets. */
static void rates_add_product(const struct simd_rates_model *model, uint32_t lows, uint32_t highs,
                              struct simd_rates *sum)
{
    for (uint32_t rest = highs; rest != 0; rest &= rest - 1)
        for (uint32_t low = lows; low != 0; low &= low - 1)
            simd_rates_add(
                sum,
                &model->values[(uint32_t)__builtin_ctz(rest) << 4 | (uint32_t)__builtin_ctz(low)]);
}

/* What the table at place j of the bucket accepts when byte and mask join it, by class. */
static struct simd_rates rates_joined(const struct simd_rates_model *model,
                                      const struct simd_rates_bucket *bucket, uint32_t j,
                                      uint8_t byte, uint8_t mask)
{
    struct simd_rates sum = bucket->factor[j];
    const uint32_t free = ~(uint32_t)mask & 0xff, kernel = model->kernels[j];
    uint64_t seen[4] = { 0 };
    uint32_t sub = 0;

    if (model->form->sharpness == SIMD_NIBBLES) {
        const uint32_t lows = rates_halves_of(bucket->lows[j]),
                       highs = rates_halves_of(bucket->highs[j]);
        const uint32_t more_lows = rates_halves(byte, mask) & ~lows,
                       more_highs = rates_halves(byte >> 4, mask >> 4) & ~highs;

        /* What the halves accept that are there is known: of hundreds of values, most. */
        rates_add_product(model, more_lows, highs | more_highs, &sum);
        rates_add_product(model, lows, more_highs, &sum);
        return sum;
    }
    do {
        const uint32_t v = byte | sub, w = v ^ kernel;

        if (bucket->accepts[j][v] == 0 && bucket->accepts[j][w] == 0 &&
            (seen[v / 64] >> v % 64 & 1) == 0) {
            simd_rates_add(&sum, &model->values[v]);
            if (kernel != 0)
                simd_rates_add(&sum, &model->values[w]);
            seen[v / 64] |= UINT64_C(1) << v % 64;
            seen[w / 64] |= UINT64_C(1) << w % 64;
        }
        sub = (sub - free) & free; /* the next value that differs in free bits alone */
    } while (sub != 0);
    return sum;
}

static float rates_sum(const struct simd_rates *rates)
{
    float sum = 0;

    for (uint32_t k = 0; k < SIMD_CLASSES; k++)
        sum += rates->of[k];
    return sum;
}

/* The same for one value, as it is nearly always: product times what is accepted then. */
static inline void rates_join_value(const struct simd_rates_model *model,
                                    const struct simd_rates_bucket *bucket, uint32_t j, uint32_t v,
                                    struct simd_rates *product)
{
    const uint32_t w = v ^ model->kernels[j];
    const struct simd_rates *factor = &bucket->factor[j], *one = &model->values[v],
                            *two = &model->values[w];

    if (bucket->accepts[j][v] != 0 || bucket->accepts[j][w] != 0)
        for (uint32_t k = 0; k < SIMD_CLASSES; k++)
            product->of[k] *= factor->of[k];
    else if (v == w)
        for (uint32_t k = 0; k < SIMD_CLASSES; k++)
            product->of[k] *= factor->of[k] + one->of[k];
    else
        for (uint32_t k = 0; k < SIMD_CLASSES; k++)
            product->of[k] *= factor->of[k] + one->of[k] + two->of[k];
}

float simd_rates_with(const struct simd_rates_model *model, const struct simd_rates_bucket *bucket,
                      const struct simd_pattern *pattern, uint32_t fingerprint)
{
    struct simd_rates product = model->share;

    for (uint32_t j = 0; j < model->form->depth; j++) {
        const uint32_t i = fingerprint + j;

        if (bucket->any[j] != 0 || rates_is_wild(pattern, i))
            continue;
        if (pattern->masks[i] == 0xff && model->form->sharpness != SIMD_NIBBLES) {
            rates_join_value(model, bucket, j, pattern->bytes[i], &product);
            continue;
        }
        const struct simd_rates factor =
            rates_joined(model, bucket, j, pattern->bytes[i], pattern->masks[i]);
        for (uint32_t k = 0; k < SIMD_CLASSES; k++)
            product.of[k] *= factor.of[k];
    }
    return rates_sum(&product);
}

/* Every value that the table at place j of the bucket accepts, with those that the kernel puts
 * beside them. */
static struct simd_rates rates_accepted(const struct simd_rates_model *model,
                                        const struct simd_rates_bucket *bucket, uint32_t j)
{
    struct simd_rates sum = { { 0 } };
    uint64_t all[4] = { 0 };

    for (uint32_t word = 0; word < 4; word++)
        for (uint64_t rest = bucket->values[j][word]; rest != 0; rest &= rest - 1) {
            const uint32_t v = 64 * word + (uint32_t)__builtin_ctzll(rest),
                           w = v ^ model->kernels[j];

            all[word] |= rest & -rest;
            all[w / 64] |= UINT64_C(1) << w % 64;
        }
    for (uint32_t word = 0; word < 4; word++)
        for (; all[word] != 0; all[word] &= all[word] - 1)
            simd_rates_add(&sum, &model->values[64 * word + (uint32_t)__builtin_ctzll(all[word])]);
    return sum;
}

void simd_rates_refresh(const struct simd_rates_model *model, struct simd_rates_bucket *bucket)
{
    struct simd_rates product = model->share;

    for (uint32_t j = 0; j < model->form->depth; j++) {
        struct simd_rates sum = { { 0 } };

        if (model->form->sharpness == SIMD_NIBBLES)
            rates_add_product(model, rates_halves_of(bucket->lows[j]),
                              rates_halves_of(bucket->highs[j]), &sum);
        else
            sum = rates_accepted(model, bucket, j);
        bucket->factor[j] = sum;
        for (uint32_t k = 0; bucket->any[j] == 0 && k < SIMD_CLASSES; k++)
            product.of[k] *= sum.of[k];
    }
    bucket->rate = rates_sum(&product);
}

void simd_rates_change(const struct simd_rates_model *model, struct simd_rates_bucket *bucket,
                       const struct simd_pattern *pattern, int sign)
{
    const uint16_t one = (uint16_t)sign;

    for (uint32_t j = 0; j < model->form->depth; j++) {
        const uint32_t i = pattern->fingerprint + j;

        if (rates_is_wild(pattern, i)) {
            bucket->any[j] = (uint16_t)(bucket->any[j] + one);
            continue;
        }
        const uint32_t free = ~(uint32_t)pattern->masks[i] & 0xff;
        uint32_t sub = 0;
        do { /* values that differ in free bits alone */
            const uint32_t v = pattern->bytes[i] | sub;
            const uint64_t bit = UINT64_C(1) << v % 64;

            bucket->accepts[j][v] = (uint16_t)(bucket->accepts[j][v] + one);
            bucket->values[j][v / 64] = bucket->accepts[j][v] != 0
                                            ? bucket->values[j][v / 64] | bit
                                            : bucket->values[j][v / 64] & ~bit;
            sub = (sub - free) & free;
        } while (sub != 0);
        const uint32_t lows = rates_halves(pattern->bytes[i], pattern->masks[i]);
        const uint32_t highs = rates_halves(pattern->bytes[i] >> 4, pattern->masks[i] >> 4);
        for (uint32_t n = 0; n < 16; n++) {
            bucket->lows[j][n] = (uint16_t)(bucket->lows[j][n] + (lows >> n & 1) * one);
            bucket->highs[j][n] = (uint16_t)(bucket->highs[j][n] + (highs >> n & 1) * one);
        }
    }
    simd_rates_refresh(model, bucket);
}
