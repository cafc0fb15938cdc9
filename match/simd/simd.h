/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd.h - the vector engine: its tables, which simd_build.c makes, and its forms
 * (simd_avx512.c and so on), which use them. A form is the code for one instruction set.
 *
 * Each pattern is looked for by a fingerprint of up to SIMD_DEPTH of its bytes, and belongs to one
 * of SIMD_BUCKETS buckets. For each byte of the fingerprint a table gives, for each value, the set
 * of buckets that accept it. The AND of these sets over the fingerprint is not empty where a
 * pattern may stand. Such a filter is known as Teddy (Hyperscan, src/fdr).
 *
 * A piece of text that stays in the cache goes through three passes, with hardly a branch that
 * depends on the text:
 *   1. A form looks at SIMD_FINGERPRINT bytes of the fingerprint, 64 places (a block) at a time.
 * For each place that a bucket accepts (a candidate), a hash of the whole fingerprint leads to a
 * slot.
 *   2. The slot knows which bits all its patterns have in common at the fingerprint, and where a
 * second word lies that tells them apart. A hash of the second word leads to an end of the slot.
 * The end knows the common bits of its patterns there; most ends have one pattern (simd_sift.c).
 *   3. What is left are nearly all matches; they are compared exactly (simd_verify.c).
 *
 * A place with the number of its slot, end or pattern is called a lead.
 *
 * There are two plans: choices of fingerprints and buckets. The sparse plan lets the fewest places
 * of a usual disk through. Dense text, made of beginnings of patterns or of patterns with one byte
 * wrong, makes it let many through; there the dense plan takes over (simd_dense.c). Each piece is
 * searched with one of the two. The first thread that meets some dense pieces makes the dense plan;
 * the other threads go on with the sparse plan until it is there. Nearly every slot of the dense
 * plan has one pattern or none, and its passes 2 and 3 go straight to a check of that pattern
 * (simd_checks.c). The longer the text stays dense, the longer the pieces are.
 */
#ifndef BURIN_MATCH_SIMD_SIMD_H
#define BURIN_MATCH_SIMD_SIMD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/thread.h"
#include "match/engine.h"
#include "match/pattern/literals.h"

enum {
    SIMD_FINGERPRINT = 4, /* bytes of the fingerprint that the first pass looks at */
    SIMD_DEPTH = 8,       /* bytes of the whole fingerprint: one 64-bit word */
    SIMD_BUCKETS = 8,
    SIMD_PATTERNS_MAX = 512, /* with more patterns the buckets are too full to be of use */
    SIMD_BLOCK = 64,         /* places of a block: bits of a word */
    SIMD_BLOCKS_MAX = 64,    /* most blocks of one call of a filter */
    SIMD_PIECE = SIMD_BLOCK * SIMD_BLOCKS_MAX,
    SIMD_AHEAD = SIMD_DEPTH, /* bytes behind the last place of a piece that may be read */
    SIMD_LEADS_MAX = SIMD_PIECE * SIMD_BUCKETS,
    SIMD_PLACE_MASK = 0xffff,
    /* Bits of a lead for the place; the others number a slot or end */
    SIMD_PLACE_BITS = 16,
    SIMD_PREFETCH = 6144,          /* bytes ahead; without it the speed was measured to be half */
    SIMD_DENSE_BITS = 8,           /* bits of the hash of a slot, in the dense plan */
    SIMD_SETS = 1 << SIMD_BUCKETS, /* number of sets of buckets */
    SIMD_CHECK_BYTES = 32,         /* bytes of a struct simd_check */
    SIMD_LINE = 64,                /* bytes of a line of the cache */
    /*
     * Most blocks of one call of a filter for dense text. SIMD_LEADS_MAX leads suffice for them,
     * bucket by bucket.
     */
    SIMD_DENSE_BLOCKS = 256,
    SIMD_DENSE_PIECE = SIMD_BLOCK * SIMD_DENSE_BLOCKS,
    SIMD_PROBE = 8,   /* blocks of a piece that show whether it is dense */
    SIMD_AROUND = 32, /* bytes around a place that a check of the dense plan compares */
    SIMD_BEFORE = 32, /* most bytes before the place at which these bytes begin */
    /* Most bytes from the sparse plan's fingerprint of a pattern to the dense plan's. */
    SIMD_MARGIN = SIMD_BLOCK,
};

struct simd_pattern {
    uint64_t want, mask;           /* the bytes from the fingerprint on, at most SIMD_DEPTH */
    uint64_t want_more, mask_more; /* the second word: the bytes from fingerprint + more on */
    int32_t more;                  /* bytes from the fingerprint to the second word */
    int32_t later;                 /* bytes from the sparse plan's fingerprint to this one */
    uint32_t fingerprint;          /* offset of the fingerprint in the pattern */
    uint32_t len;                  /* bytes of the pattern */
    uint32_t index;                /* its index in the dictionary */
    bool whole;                    /* the two words together are the whole pattern */
    bool followed;                 /* the next pattern belongs to the same end */
    uint32_t bucket;
    const uint8_t *bytes; /* [len] with case folding turned into mask bits */
    const uint8_t *masks; /* [len] */
};

/*
 * A hash of a word that spreads patterns over slots or ends: patterns whose word has hash h are in
 * slot or end number start + h. See simd_hash.
 */
struct simd_spread {
    uint64_t common; /* bits of the word that are hashed */
    uint64_t factor; /* multiplier of the hash; 0: all hashes are 0 */
    uint32_t start;
    uint32_t shift; /* 64 less the bits of the hash, which are at least 1 */
};

/*
 * Such a spread for each bucket, of the words at the fingerprints, each with as many slots as the
 * others.
 */
struct simd_spreads {
    uint64_t common[SIMD_BUCKETS],
        /* Dense plan: common has SIMD_FINGERPRINT bytes, and factor none below them */
        factor[SIMD_BUCKETS];
    uint32_t bits; /* of the hash */
};

/*
 * The bits that all patterns of a slot or end have in common. Without patterns: bits no word has.
 */
struct simd_key {
    uint64_t want, mask;
};

struct simd_slot {
    struct simd_spread ends; /* the ends of the slot, by the hash of the second word */
    int32_t more;            /* bytes from the fingerprint to the second word */
};

/*
 * Dense plan: the bytes around a place that a pattern wants, in one line of the cache. The line
 * holds where all bits in mask are right.
 */
struct simd_line {
    _Alignas(SIMD_LINE) uint8_t against[SIMD_AROUND]; /* the wanted bits, inverted */
    uint8_t mask[SIMD_AROUND];                        /* the bits that count */
};

/*
 * Dense plan: what to do where the line of the same number holds. The numbers of checks are in this
 * order: 0, which does nothing; patterns that fit into their lines; slots of several patterns;
 * longer patterns; sets of several buckets.
 */
struct simd_check {
    _Alignas(SIMD_CHECK_BYTES) uint32_t index; /* index and len as pattern and len of struct hit */
    uint32_t len, fingerprint;
    int32_t later;
    uint32_t shift;  /* as in struct simd_way */
    uint16_t number; /* number of the pattern in the plan, or of the slot, or the set of buckets */
    uint16_t next;   /* the check of the next pattern of the end; 0: there is none */
};

/* For each kind of check, the least lead that comes after all leads of the kind. */
struct simd_limits {
    uint32_t whole, several, patterns;
};

/* Dense plan: a line, and the place of the bytes that are compared with it. */
struct simd_way {
    uint32_t line;  /* bytes from the first line */
    uint32_t shift; /* bytes from (place - SIMD_BEFORE) to the first byte that is compared */
};

/*
 * Dense plan: a way for each set of buckets (most sets have one bucket) and each hash of a
 * fingerprint.
 */
struct simd_sets {
    uint64_t common[SIMD_SETS], factor[SIMD_SETS];
    struct simd_way ways[SIMD_SETS][1 << SIMD_DENSE_BITS];
};

struct simd_end {
    struct simd_key key; /* the common bits of the second word */
    uint32_t first;      /* its patterns have numbers from here up to first of the next end */
};

/*
 * The table of one byte of the fingerprint, for forms that look up 7 bits: a value's 8 bits are
 * mapped to 7, so two values share an entry.
 */
struct simd_half {
    uint64_t map;       /* matrix for GF2P8AFFINEQB */
    uint8_t table[128]; /* by mapped value */
};

/* Two bytes of the fingerprint at once, for the dense plan. */
struct simd_pair {
    uint8_t table[128]; /* by simd_pair_number */
};

enum {
    SIMD_PAIRS_MAX = SIMD_FINGERPRINT / 2,
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

/*
 * Whether a pattern that leaves these bits of a word open is taken for one that leaves all of them
 * open.
 */
static inline bool simd_pair_is_open(uint32_t free)
{
    return __builtin_popcount(free) > 8;
}

/* Leads of a piece: place in the piece | number << SIMD_PLACE_BITS. */
struct simd_found {
    uint32_t count;
    uint32_t leads[SIMD_LEADS_MAX + SIMD_BUCKETS]; /* more room, because whole vectors are stored */
};

/* Candidates of a dense piece. */
struct simd_places {
    _Alignas(SIMD_LINE)
        /* By candidate, or by place, as the form wants them */
        uint8_t buckets[SIMD_DENSE_PIECE + SIMD_BLOCK];
    /* Ascending; some more, for what is stored at the end */
    uint16_t places[SIMD_DENSE_PIECE + SIMD_BLOCK];
    uint32_t count;
};

/* A plan: a fingerprint and a bucket for each pattern, and the tables that follow from them. */
struct simd_plan {
    uint64_t
        columns[256]; /* byte j: the buckets that accept this value at place j of the fingerprint */
    struct simd_half halves[SIMD_DEPTH];
    struct simd_pair pairs[SIMD_PAIRS_MAX];
    /* As columns, by the half bytes of a value; the AND of both lets more values through. */
    uint8_t low[SIMD_DEPTH][16], high[SIMD_DEPTH][16];
    struct simd_spreads buckets;
    struct simd_key *keys; /* by slot */
    struct simd_slot *slots;
    struct simd_end *ends;
    struct simd_pattern *patterns; /* in the order of the ends */
    struct simd_sets *sets;        /* dense plan only, like the fields up to limits */
    struct simd_line *lines;       /* by the number of a check */
    struct simd_check *checks;
    uint16_t *check_of; /* the number of the check of each pattern */
    struct simd_limits limits;
    uint32_t
        before; /* most bytes from the first byte of a pattern's fingerprint to its last byte */
    /*
     * All patterns begin, and every second word lies, within `back` bytes before a place and
     * `ahead` bytes from it on.
     */
    uint32_t back, ahead;
};

/*
 * The first pass and the first half of the second: finds leads with slots whose key fits. It may
 * read bytes up to at[blocks * SIMD_BLOCK + SIMD_AHEAD - 1]. blocks: 1..SIMD_BLOCKS_MAX. Returns
 * false, with nothing found, when more than `most` places of the first SIMD_PROBE blocks are
 * candidates.
 */
typedef bool simd_filter(const struct simd_plan *plan, const uint8_t *at, uint32_t blocks,
                         uint32_t most, struct simd_found *found);

/* Finds the candidates of a dense piece. blocks: 1..SIMD_DENSE_BLOCKS. */
typedef void simd_filter_dense(const struct simd_plan *plan, const uint8_t *at, uint32_t blocks,
                               struct simd_places *candidates);

/* Leads of candidates with the checks whose lines hold. It may write behind the last candidate. */
typedef void simd_sift_dense(const struct simd_plan *plan, const uint8_t *at,
                             struct simd_places *candidates, struct simd_found *found);

/*
 * Leads with checks whose lines hold; they are replaced by the next ones of their ends, where there
 * are any.
 */
typedef void simd_sift_again(const struct simd_plan *plan, const uint8_t *at,
                             struct simd_found *again, struct simd_found *found);

/* Which values of a byte the tables of a form confuse. */
enum simd_sharpness {
    SIMD_EXACT, /* none */
    /* Two values share an entry: struct simd_half; dense plan: struct simd_pair too */
    SIMD_PAIRS,
    SIMD_NIBBLES, /* a value whose two half bytes come from two accepted values is accepted */
};

struct simd_form {
    const char *(*missing)(void); /* NULL when it runs on this machine; else the reason why not */
    simd_filter *filter;          /* NULL when this build lacks the form */
    simd_filter_dense *dense;
    simd_sift_dense *sift;
    simd_sift_again *again;
    uint32_t depth; /* bytes of the fingerprint that it looks at */
    enum simd_sharpness sharpness;
};

/* The dense plan, which is made while threads scan. */
struct simd_late {
    _Atomic(struct simd_plan *) plan; /* NULL: not made yet, or there was no memory for it */
    atomic_bool taken;                /* it is being made or has been made */
    atomic_bool stop;                 /* nobody needs it any more */
    pthread_mutex_t lock;             /* of what follows, and to set taken */
    struct thread maker;
};

struct simd_program {
    const struct simd_form *form;
    double rate; /* share of the places of a disk that are expected to be candidates */
    struct simd_plan sparse;
    struct simd_late *late;
    /* Most candidates of the sparse plan in SIMD_PROBE blocks that are not dense */
    uint32_t most;
    bool in_run[256]; /* whether a fingerprint of the sparse plan may lie in a run of this byte */
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

/* The dense plan; NULL while it is not there. Any thread may call it. */
static inline const struct simd_plan *simd_dense_plan(const struct simd_program *program)
{
    return atomic_load_explicit(&program->late->plan, memory_order_acquire);
}

/*
 * Begins to make the plan in a thread of its own, unless that was done: it takes tens of
 * milliseconds, and what a scan finds behind the place is waited for.
 */
void simd_begin_dense_plan(const struct simd_program *program);

/* Makes the plan, or waits for who makes it. NULL: there was no memory. */
const struct simd_plan *simd_make_dense_plan(const struct simd_program *program);

/*
 * For simd_build: the slots and ends of a plan for patterns that have fingerprints and buckets;
 * plan->patterns[count] gets them in the order of the ends. hash_bits: of the dense plan, whose
 * hashes are of SIMD_FINGERPRINT bytes; 0: as many as the patterns want. False: there is no memory.
 */
bool simd_fill_slots(struct simd_plan *plan, struct simd_pattern *patterns, uint32_t count,
                     uint32_t hash_bits);

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
    const uint8_t *at; /* what stands at place 0, and behind */
    uint32_t p;        /* the index of place 0 in the text */
    /* The patterns that count have their sparse fingerprints at places [first, first + places) */
    uint32_t first, places;
    bool inside; /* all second words lie in the text, and patterns begin there */
};

/*
 * The second pass. The first half of it, where the form has not done it: those leads stay whose
 * slot has the word.
 */
void simd_sift(const struct simd_plan *plan, const uint8_t *at, struct simd_found *found);

/*
 * The other half: leads stay whose end has the second word, and have the first pattern of the end
 * instead of a slot. The piece is inside.
 */
void simd_sift_ends(const struct simd_piece *piece, struct simd_found *found);

/*
 * The third. Patterns that are whole become hits, and their leads go on to the next pattern of the
 * end, if there is one; the others stay: hardly with a branch that depends on a lead. The piece is
 * inside; the sink must have room for a hit of each, and one more.
 */
void simd_take_whole(const struct simd_scan *scan, const struct simd_piece *piece,
                     struct simd_found *found);

/*
 * What is left of it: compares patterns [from, to) with their fingerprints at a place; false when
 * the sink is full.
 */
bool simd_verify(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t place,
                 uint32_t from, uint32_t to);

/*
 * Both passes over the candidates of so many blocks of a dense piece. found and again are room.
 * False when the sink is full.
 */
bool simd_check(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t blocks,
                struct simd_places *candidates, struct simd_found *found, struct simd_found *again);

#endif
