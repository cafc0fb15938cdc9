/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_samples.h - a short text such as the dense plan of the vector engine is for, and
 * which of its places look-ups let through.
 *
 * The text is beginnings of patterns, and whole patterns with a byte of the second half wrong,
 * mostly the last one; half of it each. What the sets say of samples holds for all of the text in
 * which the same patterns stand, if there are enough of them.
 */
#ifndef BURIN_MATCH_SIMD_SIMD_SAMPLES_H
#define BURIN_MATCH_SIMD_SIMD_SAMPLES_H

#include "match/simd/simd.h"

enum {
    SAMPLES_WORDS = 256,
    SAMPLES_COUNT = 64 * SAMPLES_WORDS,
    SAMPLES_TEXT = SAMPLES_COUNT + SIMD_DEPTH + 1,
    SAMPLES_LOOKS = SIMD_DEPTH, /* look-ups of a fingerprint, at most */
};

/* A bit for each sample. */
struct simd_set {
    uint64_t of[SAMPLES_WORDS];
};

/* A look-up: of one or two bytes of the fingerprint, of which it sees but a number. */
struct simd_look_up {
    uint32_t at, count;
    uint8_t number[256]; /* of one */
};

struct simd_samples {
    uint32_t looks;
    struct simd_look_up look[SAMPLES_LOOKS];
    struct simd_set has[SAMPLES_LOOKS][256]; /* the samples of which a look-up gives a number */
    struct simd_set any;                     /* all of them */
    uint8_t text[SAMPLES_TEXT];
};

/* A pattern with a fingerprint, as its look-ups see it. */
struct simd_view {
    const struct simd_set *sets[SAMPLES_LOOKS];
    struct simd_set room[SAMPLES_LOOKS];
};

/* Writes the text. text: [SAMPLES_TEXT], of zeros. */
void simd_samples_text(const struct simd_pattern *patterns, uint32_t count, uint8_t *text);

/* samples: of zeros. */
void simd_samples_make(const struct simd_form *form, const struct simd_pattern *patterns,
                       uint32_t count, struct simd_samples *samples);

/* The samples that each look-up lets through for the pattern with this fingerprint. The view is
 * good as long as the samples are. */
void simd_samples_see(const struct simd_samples *samples, const struct simd_pattern *pattern,
                      uint32_t fingerprint, struct simd_view *view);

#endif
