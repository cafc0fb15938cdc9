/*
 * match/words/words.h - the engine for large dictionaries as tables: what words_build.c makes, and what its forms work with.
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
 *
 * In text that is full of words, of their beginnings or of words with a byte wrong, most steps let most through. There another program takes over,
 * with windows that are rare in such text; with many patterns, and AVX-512, it has tables of its own. See words_dense.h and words_cells.h.
 */
#ifndef BURIN_MATCH_WORDS_WORDS_H
#define BURIN_MATCH_WORDS_WORDS_H

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
    struct words_entry *entries;                         /* by hash, */
    uint32_t entry_count;                                /* so many */
    uint8_t sets[WORDS_DEPTH][256];                      /* bit b: a window of bucket b may have this byte here */
    uint8_t seven[WORDS_DEPTH][128];                     /* the same for a byte mapped to seven bits: two share each */
    uint8_t low[WORDS_DEPTH][16], high[WORDS_DEPTH][16]; /* the same for half bytes, and less sharp */
    uint64_t seven_map;                                  /* the matrix for GF2P8AFFINEQB that does so */
    struct words_sieve *sieve; /* a sharper first step; NULL: it would not be, or the form has no use for it */
    uint8_t *
        map; /* 1 for a hash that a window has, else 0: fewer hashes than in the bitmap, but no bits to take apart; or NULL */
    uint32_t map_shift; /* the hash >> this is the index */
    uint64_t *twins;    /* instead of all that, in a dense program; see words_twins. NULL: no */
    uint32_t twins_shift;
    struct words_line *lines; /* and its patterns; see words_cells.h */
    uint32_t lines_shift;     /* the hash >> this is the first that a window's may be in */
    uint8_t *pairs; /* [WORDS_PAIRS]: the same for two bytes at once, those at pairs_at; of the portable form alone */
    uint32_t pairs_at;
    bool dense_seven, dense_halves, dense_pairs; /* these sets let most bytes of a disk survive */
};

struct words_form;
struct words_late;
struct words_line;
struct words_asked;
struct words_found;

struct words_program {
    const struct words_form *form;
    struct words_group groups[WORDS_GROUPS];
    uint32_t group_count;
    uint32_t longest; /* pattern, bytes */
    uint32_t reach;   /* the furthest that a window begins in its pattern */
    uint8_t *rest;
    struct words_late *late; /* another program, for dense text; see words_dense.h. NULL: there will be none */
    const struct words_program *sparse; /* of a dense one: what it is made of; NULL: it is none */
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

/*
 * A word of 64 bits for two neighbouring places: the windows there have all bytes but one in common, and the hash of these tells which word. In
 * its lower half the first byte of the window at the even place has two bits, in the upper half the last byte of the other's. So one
 * look-up is enough for both places, and two bits of one word for a Bloom filter (blocked: Putze, Sanders, Singler, WEA 2007).
 */
enum { WORDS_TWIN_MIN = 2, WORDS_TWIN_MAX = 7, WORDS_TWIN_BITS = 31, WORDS_TWIN_FIRST = 32, WORDS_TWIN_SECOND = 37 };

#define WORDS_TWIN_KEY 0x9e3779b97f4a7c15u

/* The hash of what the windows at an even place and behind it have in common; both: the bytes of both, folded. */
static inline uint64_t words_twin_hash(const struct words_group *group, uint64_t both)
{
    return (both >> 8 << 8 * (WORDS_WORD + 1 - group->window)) * WORDS_TWIN_KEY;
}

/* The numbers of the two bits of a byte. */
static inline uint32_t words_twin_first(uint64_t byte, uint64_t hash)
{
    return (uint32_t)(byte ^ hash >> WORDS_TWIN_FIRST) & WORDS_TWIN_BITS;
}

static inline uint32_t words_twin_second(uint64_t byte, uint64_t hash)
{
    return (uint32_t)((byte + (byte << 2)) ^ hash >> WORDS_TWIN_SECOND) & WORDS_TWIN_BITS;
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

/* What a form has found: candidates, and places that were looked up on their own, which takes most of the time. */
struct words_counts {
    uint32_t candidates, looks;
};

/*
 * The candidates among the first len places. Survivors are those of the sets, or, from where more than one place in `many` survives these, of the
 * closer step, which takes longer, where the group has what it needs. dense: the sets let so many through that they are not asked at all. Inlined into each form,
 * so that its steps are.
 */
static inline __attribute__((always_inline)) struct words_counts words_find(const struct words_group *group,
                                                                            const uint8_t *bytes, uint32_t len,
                                                                            uint16_t *out, words_step_fn sets,
                                                                            words_step_fn closer, bool has_closer,
                                                                            bool dense, uint32_t many)
{
    bool close = dense && has_closer;
    uint32_t count = 0;

    if (dense && !has_closer)
        return (struct words_counts){ words_filter_all(group, bytes, len, out), len };
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
    return count > len / 2 ? (struct words_counts){ words_filter_all(group, bytes, len, out), len }
                           : (struct words_counts){ words_filter(group, bytes, out, count), count };
}

/*
 * A form of the first steps: the offsets, ascending, of the candidates among the first len bytes, a multiple of WORDS_STEP. Reads up to
 * WORDS_PAD bytes behind them; out has room for len + WORDS_STEP.
 */
typedef struct words_counts (*words_find_fn)(const struct words_group *group, const uint8_t *bytes, uint32_t len,
                                             uint16_t *out);

struct words_form {
    words_find_fn find;
    void (*cells)(const struct words_group *group, struct words_asked *asked,
                  struct words_found *found); /* see words_cells.h; NULL: it has none */
    double group_cost, survivor_cost;         /* cycles for a byte of text, and for a survivor */
    uint32_t depth, spread;                   /* bytes looked at; buckets that work as such, log 2 */
    bool pairs, sieve, map;                   /* wants words_group.pairs, .sieve, .map */
};

extern const struct words_form words_portable;
#ifdef __x86_64__
extern const struct words_form words_avx2, words_avx512;
#endif

bool words_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                struct match_sink *sink);

/* What one call of scan works on. */
struct words_scan {
    const struct words_program *program;
    const struct match_text *text; /* WORDS_PAD bytes behind the last place may be read */
    uint32_t from, to;             /* last bytes of matches to report, */
    uint32_t first, past;          /* and first bytes */
    struct match_sink *sink;
};

/* Whether the middle of a long pattern stands at text too. */
static inline bool words_equal(const struct words_scan *scan, const struct words_entry *entry, const uint8_t *text)
{
    const uint8_t *bytes = scan->program->rest + entry->rest, *masks = bytes + entry->len;

    for (uint32_t i = WORDS_WORD; i < entry->last;
         i += WORDS_WORD) { /* the last step overlaps the last word: no harm */
        if (((words_load(text + i) ^ words_load(bytes + i)) & words_load(masks + i)) != 0)
            return false;
    }
    return true;
}

/* Whether both words of an entry stand in text from there on. */
static inline bool words_has_both(const struct words_entry *entry, const uint8_t *text)
{
    return (((words_load(text) ^ entry->want[0]) & entry->mask[0]) |
            ((words_load(text + entry->last) ^ entry->want[1]) & entry->mask[1])) == 0;
}

/* A hit, if the entry's pattern stands at text[start]; false when the sink is full. */
bool words_compare(const struct words_scan *scan, const struct words_entry *entry, uint32_t start);

/* Whether the windows of the dictionary are few enough, as they are but for patterns with no byte that is not masked. */
bool words_suits(const struct match_dictionary *dictionary);

ERR_MUST_CHECK enum err_code words_build(const struct match_dictionary *dictionary, const struct words_form *form,
                                         struct words_program **out, struct err *err);
void words_destroy(struct words_program *program); /* NULL is a no-op */

#endif
