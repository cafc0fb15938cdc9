/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_rates.h - how many places of a disk a bucket of the vector engine lets through,
 * by the model of simd_model.h, with what the tables of a form do not tell apart.
 */
#ifndef BURIN_MATCH_SIMD_SIMD_RATES_H
#define BURIN_MATCH_SIMD_SIMD_RATES_H

#include "match/model/simd_model.h"
#include "match/simd/simd.h"

/* By class of the model: a share, or a probability. */
struct simd_rates {
    float of[SIMD_CLASSES];
};

struct simd_rates_bucket {
    uint16_t accepts[SIMD_DEPTH]
                    [256]; /* patterns that accept the value at this place of the fingerprint */
    uint64_t values[SIMD_DEPTH][4]; /* a bit for each value that one of them accepts */
    uint16_t lows[SIMD_DEPTH][16], highs[SIMD_DEPTH][16];
    uint16_t any[SIMD_DEPTH]; /* patterns that accept everything there */
    struct simd_rates factor[SIMD_DEPTH];
    float rate;
};

struct simd_rates_model {
    const struct simd_form *form;
    uint8_t kernels[SIMD_DEPTH]; /* v and v ^ kernels[j] share an entry of table j; 0: none do */
    struct simd_rates share, values[256];
};

void simd_rates_load(struct simd_rates_model *model, const struct simd_form *form);

void simd_rates_add(struct simd_rates *to, const struct simd_rates *from);

/* The rate of the bucket with this fingerprint of the pattern in it. */
float simd_rates_with(const struct simd_rates_model *model, const struct simd_rates_bucket *bucket,
                      const struct simd_pattern *pattern, uint32_t fingerprint);

/* Works out what depends on the patterns of the bucket, and on the kernels. */
void simd_rates_refresh(const struct simd_rates_model *model, struct simd_rates_bucket *bucket);

/* Puts the pattern with its fingerprint into the bucket, or with sign -1 takes it out. */
void simd_rates_change(const struct simd_rates_model *model, struct simd_rates_bucket *bucket,
                       const struct simd_pattern *pattern, int sign);

#endif
