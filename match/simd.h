/*
 * match/simd.h - the vector engine as tables: what simd_build.c makes, and what its forms (simd_avx512.c and so on) work with.
 *
 * Every pattern is watched through a window of up to SIMD_DEPTH of its bytes, and belongs to one of SIMD_BUCKETS buckets. For each
 * window byte a table says, for each value of a byte, which buckets accept it: the AND of the looked-up bits over the window is
 * non-zero where a pattern may stand. A filter of this kind is known as Teddy (Hyperscan, src/fdr).
 *
 * The work is done in passes over a piece of text that stays in the cache, each without a branch that depends on the text:
 *   1. a form looks at SIMD_WINDOW bytes of the window, 64 places at a time, and leaves a word of 64 bits for each such block;
 *   2. the places of all bits are put through the sharper tables of the whole window, SIMD_DEPTH bytes (simd_sift.c);
 *   3. what is left, nearly all of it matches, is compared exactly: a hash in each bucket leads to the pattern (simd_verify.c).
 */
#ifndef BURIN_MATCH_SIMD_H
#define BURIN_MATCH_SIMD_H

#include <stdbool.h>
#include <stdint.h>

#include "match/engine.h"

enum {
    SIMD_WINDOW = 4, /* bytes looked at first */
    SIMD_DEPTH = 8,  /* bytes of the whole window: one 64-bit word */
    SIMD_BUCKETS = 8,
    SIMD_PATTERNS_MAX = 512, /* more than this and the buckets are too full to be of use */
    SIMD_BLOCK = 64,         /* places in a word of the filter */
    SIMD_BLOCKS_MAX = 64,    /* of one call of a filter */
    SIMD_PIECE = SIMD_BLOCK * SIMD_BLOCKS_MAX,
    SIMD_AHEAD = SIMD_DEPTH, /* bytes behind the last place of a piece that may be read */
    SIMD_PREFETCH = 2304,    /* bytes ahead; the processor's own guess stops at the next page */
};

struct simd_pattern {
    uint64_t want, mask; /* the bytes from the window on, at most SIMD_DEPTH of them */
    uint32_t index;      /* in the dictionary */
    uint32_t len;
    uint32_t window;      /* offset of the window in the pattern */
    bool whole;           /* want and mask are all of the pattern */
    const uint8_t *bytes; /* [len] with case folding turned into mask bits */
    const uint8_t *masks; /* [len] */
};

/* Patterns of a bucket: those whose word has hash h are [first[start + h], first[start + h + 1]). */
struct simd_bucket {
    uint64_t common; /* bits of the word that every pattern of the bucket goes by */
    uint32_t start;
    uint32_t shift; /* 64 - bits of the hash, of which there is at least one */
};

/* One byte of the window for the forms: the 8 bits of a value are first mapped to 7, so that two values share an entry. */
struct simd_half {
    uint64_t map;       /* matrix for GF2P8AFFINEQB */
    uint8_t table[128]; /* by mapped value */
};

struct simd_program;

/*
 * The first pass: sets bit i % 64 of words[i / 64] for every place i below blocks * SIMD_BLOCK at which the window of a
 * pattern may begin, and clears all others. Bytes up to at[blocks * SIMD_BLOCK + SIMD_AHEAD - 1] may be read. blocks:
 * 1..SIMD_BLOCKS_MAX.
 */
typedef void simd_filter(const struct simd_program *program, const uint8_t *at, uint32_t blocks, uint64_t *words);

struct simd_program {
    simd_filter *filter;             /* the form */
    uint8_t tables[SIMD_DEPTH][256]; /* bit b: bucket b accepts this value here */
    uint64_t columns[256];           /* byte j: the value's bits in table j */
    struct simd_half halves[SIMD_DEPTH];
    uint8_t low[SIMD_DEPTH][16], high[SIMD_DEPTH][16]; /* the same for the two halves of a value, less sharp */
    struct simd_bucket buckets[SIMD_BUCKETS];
    uint32_t *first;
    struct simd_pattern *patterns;
    uint32_t count;
    uint32_t before; /* most bytes of a pattern between its window's first byte and its last one */
    uint8_t *bytes;  /* owns what the patterns point to */
};

simd_filter simd_filter_avx512, simd_filter_avx2, simd_filter_ssse3, simd_filter_portable;

static inline uint32_t simd_hash(const struct simd_bucket *bucket, uint64_t word)
{
    return (uint32_t)(((word & bucket->common) * UINT64_C(0x9e3779b97f4a7c15)) >> bucket->shift);
}

/* Whether the patterns of the dictionary are few enough. */
bool simd_suits(const struct match_dictionary *dictionary);

enum err_code simd_build(const struct match_dictionary *dictionary, simd_filter *filter, struct simd_program **out,
                         struct err *err);
void simd_destroy(struct simd_program *program); /* NULL is a no-op */

/* What one call of scan works on. */
struct simd_scan {
    const struct simd_program *program;
    const struct match_text *text;
    uint32_t from, to;
    struct match_sink *sink;
};

/* Places of a piece that passed, in order, and the buckets that they passed for. */
struct simd_places {
    uint16_t at[SIMD_PIECE];
    uint8_t buckets[SIMD_PIECE];
};

/* The second pass: the places of all bits in words whose whole window is accepted. Returns how many. */
uint32_t simd_sift(const struct simd_program *program, const uint8_t *at, uint32_t blocks, const uint64_t *words,
                   struct simd_places *out);

/* The third: compares the patterns of the buckets at window place p, where the text reads word; false when the sink is full. */
bool simd_verify(const struct simd_scan *scan, uint32_t p, uint64_t word, uint32_t buckets);

#endif
