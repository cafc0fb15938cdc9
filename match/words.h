/*
 * match/words.h - the engine for large dictionaries as tables: what words_build.c makes, and what its forms work with.
 *
 * Every pattern is watched through one window of its bytes. Patterns whose windows are equally long make a group, and a block of
 * text goes through these steps for each group:
 *
 *   places --sets, sieve or map: may a window begin with these bytes?--> survivors --bitmap: is the hash of the window taken?--> candidates
 *          --heads: the entries with that hash, fetched ahead--> entries --first and last eight bytes, the rest--> hits
 *
 * Each step writes a list and takes no branch for a single place, so that nothing is guessed wrong before the comparison. The first
 * step is an AND of tables as in Teddy (Hyperscan, src/fdr); ever longer filters that stay in the cache are the idea of DFC (Choi et
 * al., NSDI 2016), and hashing one block of bytes of each pattern that of Wu and Manber (TR-94-17).
 */
#ifndef BURIN_MATCH_WORDS_H
#define BURIN_MATCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "match/engine.h"

enum {
    WORDS_DEPTH = 6,  /* bytes of a window that the sets look at */
    WORDS_HALVES = 4, /* of them as looked up by half bytes: more would not fit in the registers */
    WORDS_PAIRS = 1 << 16,
    WORDS_BUCKETS = 8, /* bits of a set */
    WORDS_WINDOW = 16, /* bytes of the longest window */
    WORDS_WORD = 8,    /* bytes compared at once */
    WORDS_HEAD_BITS = 31,
    WORDS_GROUPS = 8,      /* window lengths in use, at most */
    WORDS_SIEVE_DEPTH = 4, /* bytes that a sieve hashes at least */
    WORDS_TABLE_BITS = 4,
    WORDS_TABLES = 1 << WORDS_TABLE_BITS, /* of a sieve */
    WORDS_STEP = 64,                      /* places that a form may look at together */
    WORDS_BLOCK = 32768,                  /* bytes of text that go through the steps together */
    WORDS_PAD = 512, /* bytes behind a block that may be read: by a form, of windows, of patterns */
};

#define WORDS_HEAD_SEVERAL (1u << WORDS_HEAD_BITS)
#define WORDS_HEAD_FIRST (WORDS_HEAD_SEVERAL - 1)
#define WORDS_SECOND 0xd6e8feb86659fd93u /* makes another hash of one: odd, of no pattern */

/* One pattern behind one window: a line of the cache, for text full of words meets entries that are in none of the near ones. */
struct words_entry {
    _Alignas(64)
        uint64_t want[2]; /* the first and the last eight bytes; a pattern of eight or less: all of it, and nothing */
    uint64_t mask[2];
    uint32_t pattern; /* in the dictionary */
    uint32_t rest;    /* in words_program.rest: bytes, then masks, of all of the pattern */
    uint8_t len;      /* of the pattern */
    uint8_t at;       /* of the window in the pattern */
    uint8_t last;     /* where the last eight bytes begin; 0 in a pattern of eight or less */
    bool more;        /* longer than the two words */
    bool ends;        /* no further one has the same hash */
};

/*
 * A Bloom filter of up to 16384 bits that vectors can look up: a hash of the first bytes of a window has a table, a byte in it, and two
 * bits of the byte. The lower byte of the hash is the index and, on top, one bit of the table; the upper one has the other bits of the
 * table on top, the highest of them first, and then the number of the two bits.
 */
struct words_sieve {
    _Alignas(64) uint8_t tables[WORDS_TABLES][128];
    uint8_t needs[64];                            /* the two bits, by the upper byte less its upper two bits */
    uint64_t low[WORDS_DEPTH], high[WORDS_DEPTH]; /* matrices for GF2P8AFFINEQB: both bytes of the hash, by place */
    uint32_t depth;                               /* bytes hashed: WORDS_SIEVE_DEPTH or WORDS_DEPTH */
    uint32_t table_bits;                          /* WORDS_TABLE_BITS, or one less */
};

struct words_group {
    uint32_t window;                    /* bytes, 1..WORDS_WINDOW */
    uint32_t depth;                     /* of them the sets look at so many */
    uint64_t fold;                      /* 0x20 in every byte where letters are folded, or 0; see words_fold */
    uint64_t key[2];                    /* multipliers of the words of a window; what is behind it is shifted out */
    uint32_t bitmap_shift, heads_shift; /* the hash >> this is the index */
    void *tables;                       /* the memory of the next four */
    uint64_t *bitmap;                   /* a bit for a hash */
    uint64_t *second;                   /* the same for another hash, to doubt the first; NULL in a small group */
    uint32_t second_shift;
    uint32_t
        *heads; /* by hash: the first entry, and WORDS_HEAD_SEVERAL if there are more; of a hash that the bitmap has */
    struct words_entry *entries;                         /* by hash */
    uint8_t sets[WORDS_DEPTH][256];                      /* bit b: a window of bucket b may have this byte here */
    uint8_t seven[WORDS_DEPTH][128];                     /* the same for a byte mapped to seven bits: two share each */
    uint8_t low[WORDS_DEPTH][16], high[WORDS_DEPTH][16]; /* the same for half bytes, and less sharp */
    uint64_t seven_map;                                  /* the matrix for GF2P8AFFINEQB that does so */
    struct words_sieve *sieve; /* a sharper first step; NULL: it would not be, or the form has no use for it */
    uint8_t *
        map; /* 1 for a hash that a window has, else 0: fewer hashes than in the bitmap, but no bits to take apart; or NULL */
    uint32_t map_shift; /* the hash >> this is the index */
    uint8_t *pairs; /* [WORDS_PAIRS]: the same for two bytes at once, those at pairs_at; of the portable form alone */
    uint32_t pairs_at;
    bool dense_seven, dense_halves, dense_pairs; /* these sets let most bytes of a disk survive */
};

struct words_form;

struct words_program {
    const struct words_form *form;
    struct words_group groups[WORDS_GROUPS];
    uint32_t group_count;
    uint32_t longest; /* pattern, bytes */
    uint8_t *rest;
};

static inline uint64_t words_load(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Letters become small, and what else is in their columns of ASCII with them; zeros and digits stay what they are. */
static inline uint64_t words_fold(uint64_t word, uint64_t fold)
{
    return word | (word >> 1 & fold);
}

/* The upper bits depend on all bytes of the window. */
static inline uint64_t words_hash(const struct words_group *group, const uint8_t *bytes)
{
    const uint64_t first = words_fold(words_load(bytes), group->fold) * group->key[0];

    return group->window <= WORDS_WORD
               ? first
               : first + words_fold(words_load(bytes + WORDS_WORD), group->fold) * group->key[1];
}

/* Whether the bitmap has the hash of the window at bytes: 1 or 0. */
static inline uint32_t words_taken(const struct words_group *group, const uint8_t *bytes)
{
    const uint64_t bit = words_hash(group, bytes) >> group->bitmap_shift;

    return (uint32_t)(group->bitmap[bit / 64] >> bit % 64 & 1);
}

/* Keeps the candidates among survivors. Each form has its own copy, in its own instructions. */
static inline uint32_t words_filter(const struct words_group *group, const uint8_t *bytes, uint16_t *places,
                                    uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint16_t place = places[i];

        places[kept] = place;
        kept += words_taken(group, bytes + place);
    }
    return kept;
}

/* The candidates among all places: where sets let nearly all survive this is faster than they and a list between. */
static inline uint32_t words_filter_all(const struct words_group *group, const uint8_t *bytes, uint32_t len,
                                        uint16_t *out)
{
    uint32_t count = 0, kept = 0;

#pragma GCC unroll 8
    for (uint32_t i = 0; i < len; i++) {
        out[count] = (uint16_t)i;
        count += words_taken(group, bytes + i);
    }
    if (group->second == NULL)
        return count;
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t place = out[i];
        const uint64_t bit = words_hash(group, bytes + place) * WORDS_SECOND >> group->second_shift;

        out[kept] = place;
        kept += (uint32_t)(group->second[bit / 64] >> bit % 64 & 1);
    }
    return kept;
}

/* The survivors of group->map among places [from, to), which are even. Each form has its own copy. */
static inline uint32_t words_mapped(const struct words_group *group, const uint8_t *bytes, uint32_t from, uint32_t to,
                                    uint16_t *out)
{
    uint32_t count = 0;

    if (group->window >= WORDS_WORD) {
#pragma GCC unroll 4
        for (uint32_t i = from; i < to; i++) {
            out[count] = (uint16_t)i;
            count += group->map[words_hash(group, bytes + i) >> group->map_shift];
        }
        return count;
    }
#pragma GCC unroll 4
    for (uint32_t i = from; i < to; i += 2) { /* a word holds the windows of two places */
        const uint64_t word = words_fold(words_load(bytes + i), group->fold);

        out[count] = (uint16_t)i;
        count += group->map[word * group->key[0] >> group->map_shift];
        out[count] = (uint16_t)(i + 1);
        count += group->map[(word >> 8) * group->key[0] >> group->map_shift];
    }
    return count;
}

/* Places of [from, to) that survive a step, ascending; returns how many. */
typedef uint32_t (*words_step_fn)(const struct words_group *group, const uint8_t *bytes, uint32_t from, uint32_t to,
                                  uint16_t *out);

enum {
    WORDS_PIECE = 4096
}; /* places after which the sets are judged; the closer step, once chosen, has the rest of a block */

/*
 * The candidates among the first len places. Survivors are those of the sets, or, from where more than one place in `many` survives these, of the
 * closer step, which takes longer, where the group has what it needs. dense: the sets let so many through that they are not asked at all. Inlined into each form,
 * so that its steps are.
 */
static inline __attribute__((always_inline)) uint32_t words_find(const struct words_group *group, const uint8_t *bytes,
                                                                 uint32_t len, uint16_t *out, words_step_fn sets,
                                                                 words_step_fn closer, bool has_closer, bool dense,
                                                                 uint32_t many)
{
    bool close = dense && has_closer;
    uint32_t count = 0;

    if (dense && !has_closer)
        return words_filter_all(group, bytes, len, out);
    for (uint32_t from = 0, to; from < len; from = to) {
        uint32_t more = 0;

        to = !has_closer || len - from < WORDS_PIECE ? len : from + WORDS_PIECE;
        if (!close) {
            more = sets(group, bytes, from, to, out + count);
            close = has_closer && more > (to - from) / many;
        }
        if (close)
            more = closer(group, bytes, from, to, out + count);
        count += more;
    }
    return count > len / 2 ? words_filter_all(group, bytes, len, out) : words_filter(group, bytes, out, count);
}

/*
 * A form of the first steps: the offsets, ascending, of the candidates among the first len bytes, a multiple of WORDS_STEP. Reads up to
 * WORDS_PAD bytes behind them; out has room for len + WORDS_STEP. Returns their number.
 */
typedef uint32_t (*words_find_fn)(const struct words_group *group, const uint8_t *bytes, uint32_t len, uint16_t *out);

struct words_form {
    words_find_fn find;
    double group_cost, survivor_cost; /* cycles for a byte of text, and for a survivor */
    uint32_t depth, spread;           /* bytes looked at; buckets that work as such, log 2 */
    bool pairs, sieve, map;           /* wants words_group.pairs, .sieve, .map */
};

extern const struct words_form words_portable;
#ifdef __x86_64__
extern const struct words_form words_avx2, words_avx512;
#endif

bool words_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                struct match_sink *sink);

/* Whether the windows of the dictionary are few enough, as they are but for patterns with no byte that is not masked. */
bool words_suits(const struct match_dictionary *dictionary);

ERR_MUST_CHECK enum err_code words_build(const struct match_dictionary *dictionary, const struct words_form *form,
                                         struct words_program **out, struct err *err);
void words_destroy(struct words_program *program); /* NULL is a no-op */

#endif
