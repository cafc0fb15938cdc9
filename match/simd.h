/*
 * match/simd.h - the vector engine as tables: what simd_build.c makes, and what its forms (simd_avx512.c, simd_avx2.c) work with.
 *
 * Every pattern is watched through a window of up to SIMD_WINDOW of its bytes, and belongs to one of SIMD_BUCKETS buckets. For each
 * window byte a table says, for each value of a byte, which buckets accept it: the AND of the looked-up bits over the window is
 * non-zero where a pattern may stand. Such places are compared exactly. A filter of this kind is known as Teddy (Hyperscan, src/fdr);
 * here windows and buckets are chosen by the rate of false candidates to be expected on disk data.
 */
#ifndef BURIN_MATCH_SIMD_H
#define BURIN_MATCH_SIMD_H

#include <stdbool.h>
#include <stdint.h>

#include "match/engine.h"

enum {
    SIMD_WINDOW = 4,
    SIMD_BUCKETS = 8,
    SIMD_PATTERNS_MAX = 512, /* more than this and the buckets are too full to be of use */
    SIMD_WORD = 8,           /* bytes compared first */
};

struct simd_pattern {
    uint64_t want, mask; /* the bytes from the window on, at most SIMD_WORD of them */
    uint32_t index;      /* in the dictionary */
    uint32_t len;
    uint32_t window;      /* offset of the window in the pattern */
    bool whole;           /* want and mask are all of the pattern */
    const uint8_t *bytes; /* [len] with case folding turned into mask bits */
    const uint8_t *masks; /* [len] */
};

struct simd_program {
    uint8_t tables[SIMD_WINDOW][256];                    /* bit b: bucket b accepts this value here */
    uint8_t low[SIMD_WINDOW][16], high[SIMD_WINDOW][16]; /* the same for the two halves of the value, less sharp */
    uint32_t first[SIMD_BUCKETS + 1];                    /* patterns of bucket b: [first[b], first[b + 1]) */
    struct simd_pattern *patterns;
    uint32_t count, longest;
    uint8_t *bytes; /* owns what the patterns point to */
};

/* What one call of scan works on. */
struct simd_scan {
    const struct simd_program *program;
    const struct match_text *text;
    uint32_t from, to;
    struct match_sink *sink;
};

/* Whether the patterns of the dictionary are few enough. */
bool simd_suits(const struct match_dictionary *dictionary);

enum err_code simd_build(const struct match_dictionary *dictionary, struct simd_program **out, struct err *err);
void simd_destroy(struct simd_program *program); /* NULL is a no-op */

/* Compares the patterns of the buckets at window place p; false when the sink is full. */
bool simd_verify(const struct simd_scan *scan, uint32_t p, uint32_t buckets);

/*
 * The forms: report every match whose window begins in [p, end), where end + SIMD_WINDOW + 128 bytes of text may be read.
 * False when the sink is full.
 */
bool simd_run_avx512(const struct simd_scan *scan, uint32_t p, uint32_t end);
bool simd_run_avx2(const struct simd_scan *scan, uint32_t p, uint32_t end);

#endif
