/*
 * match/simd/simd.h - the vector engine as tables: what simd_build.c makes, and what its forms (simd_avx512.c and so on) work with.
 *
 * Every pattern is watched through a window of up to SIMD_DEPTH of its bytes, and belongs to one of SIMD_BUCKETS buckets. For each
 * window byte a table says, for each value of a byte, which buckets accept it: the AND of the looked-up bits over the window is
 * non-zero where a pattern may stand. A filter of this kind is known as Teddy (Hyperscan, src/fdr).
 *
 * The work is done in passes over a piece of text that stays in the cache, nearly without branches that depend on the text:
 *   1. a form looks at SIMD_WINDOW bytes of the window, 64 places at a time, and keeps a bit for each such block; for each of the
 *      places a hash of the whole window, SIMD_DEPTH bytes, leads to a slot of the bucket;
 *   2. the slot knows what its patterns have in common, and where there lies a second word that tells them apart: a hash of that
 *      leads to an end of the slot, which knows what its patterns, mostly one, have in common there (simd_sift.c);
 *   3. what is left, nearly all of it matches, is compared exactly (simd_verify.c).
 *
 * There are two plans of windows and buckets. The sparse one lets the fewest places of a disk through. Where it lets many of them
 * through all the same, because the text is made of beginnings of patterns, or of patterns with a byte wrong, the dense one takes
 * over, which is made for such text (simd_dense.c): piece by piece, so that a place counts for one of the two. It is made by the
 * thread that first meets some pieces of it; the others go on with the sparse one until it is there. Nearly every slot of it has one
 * pattern or none, and the second and the third pass go straight to what tells whether that is there (simd_checks.c). The longer
 * the text stays dense, the longer its pieces are.
 */
#ifndef BURIN_MATCH_SIMD_SIMD_H
#define BURIN_MATCH_SIMD_SIMD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "match/engine.h"
#include "match/pattern/literals.h"

enum {
    SIMD_WINDOW = 4, /* bytes looked at first */
    SIMD_DEPTH = 8,  /* bytes of the whole window: one 64-bit word */
    SIMD_BUCKETS = 8,
    SIMD_PATTERNS_MAX = 512, /* more than this and the buckets are too full to be of use */
    SIMD_BLOCK = 64,         /* places in a word of the filter */
    SIMD_BLOCKS_MAX = 64,    /* of one call of a filter */
    SIMD_PIECE = SIMD_BLOCK * SIMD_BLOCKS_MAX,
    SIMD_AHEAD = SIMD_DEPTH, /* bytes behind the last place of a piece that may be read */
    SIMD_LEADS_MAX = SIMD_PIECE * SIMD_BUCKETS,
    SIMD_PLACE_MASK = 0xffff,
    SIMD_PLACE_BITS = 16,          /* of a lead; the rest is a number of a slot or an end */
    SIMD_PREFETCH = 6144,          /* bytes ahead; measured: without, half of the speed */
    SIMD_DENSE_BITS = 8,           /* of the hash of a slot, in the dense plan */
    SIMD_SETS = 1 << SIMD_BUCKETS, /* of buckets */
    SIMD_CHECK_BYTES = 32,
    SIMD_LINE = 64, /* bytes of a line of the cache */
    SIMD_DENSE_BLOCKS =
        256, /* of one call of a filter for dense text; SIMD_LEADS_MAX leads are enough for them, bucket by bucket */
    SIMD_DENSE_PIECE = SIMD_BLOCK * SIMD_DENSE_BLOCKS,
    SIMD_PROBE = 8,           /* blocks of a piece that show whether it is dense */
    SIMD_AROUND = 32,         /* bytes around a place that a check of the dense plan looks at: */
    SIMD_BEFORE = 32,         /* they begin at most so far before it */
    SIMD_MARGIN = SIMD_BLOCK, /* the dense plan's window of a pattern lies within so many bytes of the sparse one's */
};

struct simd_pattern {
    uint64_t want, mask;           /* the bytes from the window on, at most SIMD_DEPTH of them */
    uint64_t want_more, mask_more; /* the same `more` bytes from there */
    int32_t more;
    int32_t later;   /* bytes from the sparse plan's window to this one */
    uint32_t window; /* offset of the window in the pattern */
    uint32_t len;
    uint32_t index; /* in the dictionary */
    bool whole;     /* want and mask, and want_more and mask_more, are all of the pattern */
    bool followed;  /* by another one of its end */
    uint32_t bucket;
    const uint8_t *bytes; /* [len] with case folding turned into mask bits */
    const uint8_t *masks; /* [len] */
};

/* Patterns spread over slots, or ends, by a word of each: those whose word has hash h are in number start + h. */
struct simd_spread {
    uint64_t common; /* bits of the word that all of them go by */
    uint64_t factor; /* that keeps them apart; 0: there is one number */
    uint32_t start;
    uint32_t shift; /* 64 - bits of the hash, of which there is at least one */
};

/* Such a spread for each bucket, of the words at the windows, each with as many slots as the others. */
struct simd_spreads {
    uint64_t common[SIMD_BUCKETS],
        factor[SIMD_BUCKETS]; /* dense plan: common has SIMD_WINDOW bytes, and factor none below them */
    uint32_t bits;            /* of the hash */
};

/* What all patterns of a slot, or of an end, have in common; what no word has when there is none. */
struct simd_key {
    uint64_t want, mask;
};

struct simd_slot {
    struct simd_spread ends; /* by a second word, */
    int32_t more;            /* so many bytes from the first one */
};

/* Dense plan: bytes around a place that tell whether a pattern is there, in one line of the cache. */
struct simd_line {
    _Alignas(SIMD_LINE) uint8_t against[SIMD_AROUND]; /* the bits that are wanted, turned over, */
    uint8_t mask[SIMD_AROUND];                        /* if they are here */
};

/*
 * Dense plan: what is done where the line of the same number holds. Numbers are in this order: 0, which is nothing; patterns that
 * lie in their lines; slots of several patterns; longer patterns; sets of several buckets.
 */
struct simd_check {
    _Alignas(SIMD_CHECK_BYTES) uint32_t index; /* these two as in struct hit */
    uint32_t len, window;
    int32_t later;
    uint32_t shift;  /* as in struct simd_way */
    uint16_t number; /* of the pattern in the plan, or of the slot; or a set of buckets */
    uint16_t next;   /* the check of the next pattern of the end, if it is not 0 */
};

/* The first leads behind those of a kind. */
struct simd_limits {
    uint32_t whole, several, patterns;
};

/* Dense plan: to a line, and to the bytes that it is compared with. */
struct simd_way {
    uint32_t line;  /* bytes from the first line */
    uint32_t shift; /* of the first of these bytes, from SIMD_BEFORE before the place on */
};

/* Dense plan: from a set of buckets, mostly of one, and the hash of a window. */
struct simd_sets {
    uint64_t common[SIMD_SETS], factor[SIMD_SETS];
    struct simd_way ways[SIMD_SETS][1 << SIMD_DENSE_BITS];
};

struct simd_end {
    struct simd_key key; /* of the second word */
    uint32_t first;      /* its patterns are [first, first of the next end) */
};

/* One byte of the window for the forms: the 8 bits of a value are first mapped to 7, so that two values share an entry. */
struct simd_half {
    uint64_t map;       /* matrix for GF2P8AFFINEQB */
    uint8_t table[128]; /* by mapped value */
};

/* Two bytes of the window at once, for the dense plan. */
struct simd_pair {
    uint8_t table[128]; /* by simd_pair_number */
};

enum {
    SIMD_PAIRS_MAX = SIMD_WINDOW / 2,
    SIMD_PAIR_FACTOR = 3,    /* of the second byte */
    SIMD_HALF_MASK = 127,    /* of an index of a table */
    SIMD_DENSE_KERNEL = 128, /* of all halves of the dense plan: bytes are indices as they are */
};

/* The product of the matrix of GF2P8AFFINEQB and one byte. */
static inline uint32_t simd_map(uint64_t matrix, uint32_t byte)
{
    uint32_t result = 0;

    for (uint32_t row = 0; row < 8; row++)
        result |= (uint32_t)__builtin_parity((uint32_t)(matrix >> 8 * (7 - row)) & byte) << row;
    return result;
}

/* Of two bytes as a word: sums of bytes, which may be made beside look-ups at no cost. */
static inline uint32_t simd_pair_number(uint32_t word)
{
    return ((word & 0xff) + SIMD_PAIR_FACTOR * (word >> 8)) & SIMD_HALF_MASK;
}

/* Whether a pattern that leaves these bits of a word open is taken for one that leaves all of them open. */
static inline bool simd_pair_is_open(uint32_t free)
{
    return __builtin_popcount(free) > 8;
}

/* Leads of a piece: place in the piece | number << SIMD_PLACE_BITS. */
struct simd_found {
    uint32_t count;
    uint32_t leads[SIMD_LEADS_MAX + SIMD_BUCKETS]; /* some more, for vectors stored at the end */
};

/* Candidates of a dense piece. */
struct simd_places {
    _Alignas(SIMD_LINE)
        uint8_t buckets[SIMD_DENSE_PIECE + SIMD_BLOCK]; /* by candidate, or by place, as the form wants them */
    uint16_t places[SIMD_DENSE_PIECE + SIMD_BLOCK];     /* ascending; some more, for what is stored at the end */
    uint32_t count;
};

/* A window and a bucket for each pattern, and all that follows from them. */
struct simd_plan {
    uint64_t columns[256]; /* byte j: the buckets that accept this value at place j of the window */
    struct simd_half halves[SIMD_DEPTH];
    struct simd_pair pairs[SIMD_PAIRS_MAX];
    uint8_t low[SIMD_DEPTH][16], high[SIMD_DEPTH][16]; /* the same for the two halves of a value, less sharp */
    struct simd_spreads buckets;
    struct simd_key *keys; /* by slot */
    struct simd_slot *slots;
    struct simd_end *ends;
    struct simd_pattern *patterns; /* in the order of the ends */
    struct simd_sets *sets;        /* dense plan, and */
    struct simd_line *lines;       /* by check; */
    struct simd_check *checks;
    uint16_t *check_of; /* by pattern */
    struct simd_limits limits;
    uint32_t before; /* most bytes of a pattern between its window's first byte and its last one */
    uint32_t back,
        ahead; /* bytes before a place, and from it on, in which all patterns begin and every second word lies */
};

/*
 * The first pass and the first half of the second: leads with slots whose key fits. Bytes up to at[blocks * SIMD_BLOCK + SIMD_AHEAD - 1]
 * may be read. blocks: 1..SIMD_BLOCKS_MAX. False, and nothing found: more than `most` places of the first SIMD_PROBE blocks are
 * candidates.
 */
typedef bool simd_filter(const struct simd_plan *plan, const uint8_t *at, uint32_t blocks, uint32_t most,
                         struct simd_found *found);

/* The candidates of a dense piece, of which blocks: 1..SIMD_DENSE_BLOCKS. */
typedef void simd_filter_dense(const struct simd_plan *plan, const uint8_t *at, uint32_t blocks,
                               struct simd_places *candidates);

/* Leads of candidates with the checks whose lines hold. It may write behind the last candidate. */
typedef void simd_sift_dense(const struct simd_plan *plan, const uint8_t *at, struct simd_places *candidates,
                             struct simd_found *found);

/* Leads with checks whose lines hold; they are replaced by the next ones of their ends, where there are any. */
typedef void simd_sift_again(const struct simd_plan *plan, const uint8_t *at, struct simd_found *again,
                             struct simd_found *found);

/* What tables of a form do not tell apart. */
enum simd_sharpness {
    SIMD_EXACT,
    SIMD_PAIRS,   /* struct simd_half; in the dense plan struct simd_pair as well */
    SIMD_NIBBLES, /* a value that has its halves from two others */
};

struct simd_form {
    const char *(*missing)(void); /* NULL when this machine has it, else why not */
    simd_filter *filter;          /* NULL where it could not be built */
    simd_filter_dense *dense;
    simd_sift_dense *sift;
    simd_sift_again *again;
    uint32_t depth; /* bytes of the window that it looks at */
    enum simd_sharpness sharpness;
};

/* The dense plan, which is made while threads scan. */
struct simd_late {
    _Atomic(struct simd_plan *) plan; /* NULL: it is not there yet, or there was no memory for it */
    atomic_bool taken;                /* a thread makes it, or has */
};

struct simd_program {
    const struct simd_form *form;
    double rate; /* share of the places of a disk that are expected to be candidates */
    struct simd_plan sparse;
    struct simd_late *late;
    uint32_t most;    /* candidates of the sparse plan in a probe that is not dense */
    bool in_run[256]; /* whether a window of the sparse plan may lie in a run of this byte */
    uint32_t count;
    struct match_literals literals; /* own what the patterns point to */
};

extern const struct simd_form simd_form_avx512, simd_form_avx2, simd_form_ssse3, simd_form_portable;

static inline uint32_t simd_hash(const struct simd_spread *spread, uint64_t word)
{
    return (uint32_t)(((word & spread->common) * spread->factor) >> spread->shift);
}

/* Whether the patterns of the dictionary are few enough. */
bool simd_suits(const struct match_dictionary *dictionary);

enum err_code simd_build(const struct match_dictionary *dictionary, const struct simd_form *form,
                         struct simd_program **out, struct err *err);
void simd_destroy(struct simd_program *program); /* NULL is a no-op */

/* The dense plan if it is there. */
static inline const struct simd_plan *simd_dense_plan(const struct simd_program *program)
{
    return atomic_load_explicit(&program->late->plan, memory_order_acquire);
}

/* The same, and makes it if nobody has begun to: milliseconds. */
const struct simd_plan *simd_make_dense_plan(const struct simd_program *program);

/*
 * For simd_build: the slots and ends of a plan for patterns that have windows and buckets; plan->patterns[count] gets them in the
 * order of the ends. hash_bits: of the dense plan, whose hashes are of SIMD_WINDOW bytes; 0: as many as the patterns want. False: there is
 * no memory.
 */
bool simd_fill_slots(struct simd_plan *plan, struct simd_pattern *patterns, uint32_t count, uint32_t hash_bits);

/* The first pattern of a slot; that of the next one is the first behind them. */
static inline uint32_t simd_first_of(const struct simd_plan *plan, uint32_t slot)
{
    return plan->ends[plan->slots[slot].ends.start].first;
}

/* For simd_build, when slots are filled: the checks of a dense plan. False: there is no memory. */
bool simd_fill_checks(struct simd_plan *plan, uint32_t count);

/* What one call of scan works on. */
struct simd_scan {
    const struct simd_program *program;
    const struct match_text *text;
    uint32_t from, to;
    struct match_sink *sink;
};

/* A stretch of it, in one go. */
struct simd_piece {
    const struct simd_plan *plan;
    const uint8_t *at;      /* what stands at place 0, and behind */
    uint32_t p;             /* the index of place 0 in the text */
    uint32_t first, places; /* the patterns that count have their sparse windows at places [first, first + places) */
    bool inside;            /* all second words lie in the text, and patterns begin there */
};

/* The second pass. The first half of it, where the form has not done it: those leads stay whose slot has the word. */
void simd_sift(const struct simd_plan *plan, const uint8_t *at, struct simd_found *found);

/*
 * The other half: leads stay whose end has the second word, and have the first pattern of the end instead of a slot. The piece is
 * inside.
 */
void simd_sift_ends(const struct simd_piece *piece, struct simd_found *found);

/*
 * The third. Patterns that are whole become hits, and their leads go on to the next pattern of the end, if there is one; the others
 * stay: hardly with a branch that depends on a lead. The piece is inside; the sink must have room for a hit of each, and one more.
 */
void simd_take_whole(const struct simd_scan *scan, const struct simd_piece *piece, struct simd_found *found);

/* What is left of it: compares patterns [from, to) with their windows at a place; false when the sink is full. */
bool simd_verify(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t place, uint32_t from,
                 uint32_t to);

/* Both passes over the candidates of so many blocks of a dense piece. found and again are room. False when the sink is full. */
bool simd_check(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t blocks,
                struct simd_places *candidates, struct simd_found *found, struct simd_found *again);

#endif
