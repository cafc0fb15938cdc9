/* SPDX-License-Identifier: Apache-2.0
 * match/words/words.h - the engine for large dictionaries: its tables, which words_build.c makes,
 * and its forms, which use them. A form is the code for one instruction set.
 *
 * Each pattern is looked for by one fingerprint, some neighbouring bytes of it. Patterns whose
 * fingerprints are equally long make a group. A block of text goes through these steps for each
 * group:
 *
 *   places      --sets, sieve or map: may a fingerprint begin with these bytes?-->  survivors
 *   survivors   --bitmap: does a fingerprint have this hash?-->                     candidates
 *   candidates  --heads: the entries of fingerprints with this hash-->              entries
 *   entries     --compare the first and last eight bytes, then the rest-->     hits
 *
 * Each step writes a list and has no branch that depends on a single place, so the processor
 * mispredicts no branch before the comparison. The first step is an AND of tables as in Teddy
 * (Hyperscan, src/fdr). Filters of growing length that stay in the cache are the idea of DFC (Choi
 * et al., NSDI 2016). Hashing one block of bytes of each pattern is the idea of Wu and Manber
 * (TR-94-17). Where a processor gathers fast, a step that looks at every second place comes before
 * the bitmap in place of the sets: see words_couples.h.
 *
 * Dense text is full of patterns, of their beginnings, or of patterns with one byte wrong; there
 * most places pass most steps. A second program, whose fingerprints are rare in such text, takes
 * over there. With many patterns and AVX-512 it has tables of its own. See words_dense.h and
 * words_cells.h.
 */
#ifndef BURIN_MATCH_WORDS_WORDS_H
#define BURIN_MATCH_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "match/engine.h"

enum {
    WORDS_DEPTH = 6, /* most bytes of a fingerprint that the sets look at */
    /* Most of them by half bytes: tables of more do not fit in the registers */
    WORDS_HALVES = 4,
    WORDS_PAIRS = 1 << 16,  /* values of two bytes */
    WORDS_BUCKETS = 8,      /* bits of a set */
    WORDS_FINGERPRINT = 16, /* bytes of the longest fingerprint */
    WORDS_WORD = 8,         /* bytes that are compared at a time */
    WORDS_HEAD_BITS = 31,   /* bits of a head that number an entry */
    WORDS_GROUPS = 8,       /* most groups: lengths of fingerprints in use */
    WORDS_SIEVE_DEPTH = 4,  /* fewest bytes that a sieve hashes */
    WORDS_TABLE_BITS = 4,
    WORDS_TABLES = 1 << WORDS_TABLE_BITS, /* most tables of a sieve */
    WORDS_STEP = 64,                      /* places that a form may look at together */
    WORDS_RIDE_DEPTH = 3,                 /* bytes that are looked at of a group that rides */
    WORDS_BLOCK = 32768,                  /* bytes of text that go through the steps together */
    /* Bytes behind a block that forms and comparisons may read */
    WORDS_PAD = 512,
};

#define WORDS_HEAD_SEVERAL (1u << WORDS_HEAD_BITS)
#define WORDS_HEAD_FIRST (WORDS_HEAD_SEVERAL - 1)
#define WORDS_SECOND                                                                               \
    0xd6e8feb86659fd93u /* odd multiplier that makes a second hash of the first                    \
                         */

/*
 * One pattern and its fingerprint. An entry is one line of the cache, because in dense text most
 * entries must be fetched from memory.
 */
struct words_entry {
    /*
     * The first and the last eight bytes of the pattern. In a pattern of up to eight bytes: the
     * whole pattern, and nothing.
     */
    _Alignas(64) uint64_t want[2];
    uint64_t mask[2]; /* the bits of want that count */
    /* Index in words_program.rest: all bytes of the pattern, then all its masks */
    uint64_t rest;
    uint32_t pattern; /* its index in the dictionary */
    uint8_t len;      /* bytes of the pattern */
    uint8_t at;       /* offset of the fingerprint in the pattern */
    uint8_t last;     /* offset of the last eight bytes; 0 in a pattern of up to eight bytes */
    bool more;        /* the pattern has bytes besides those in want */
    bool ends;        /* the next entry has another hash */
};

/*
 * A Bloom filter of up to 16384 bits in tables that vector instructions can look up. A hash of the
 * first bytes of a fingerprint chooses a table, a byte of the table, and two bits of that byte. The
 * hash has 16 bits. Its lower byte: seven bits for the index of the byte, and the top bit for the
 * table. Its upper byte: on top the other bits of the table, highest first, then the number of the
 * two bits.
 */
struct words_sieve {
    _Alignas(64) uint8_t tables[WORDS_TABLES][128];
    uint8_t needs[64]; /* the two bits, by the upper byte of the hash without its top two bits */
    /*
     * For each byte of the fingerprint: matrices for GF2P8AFFINEQB that give the two bytes of the
     * hash.
     */
    uint64_t low[WORDS_DEPTH], high[WORDS_DEPTH];
    uint32_t depth;      /* bytes that are hashed: WORDS_SIEVE_DEPTH or WORDS_DEPTH */
    uint32_t table_bits; /* log 2 of the tables in use: WORDS_TABLE_BITS, or one less */
};

struct words_group {
    uint32_t fingerprint; /* bytes of each fingerprint, 1..WORDS_FINGERPRINT */
    uint32_t depth;       /* bytes of a fingerprint that the sets look at */
    uint64_t fold;        /* 0x20 in every byte when case is folded, else 0; see words_fold */
    /* Multipliers of a fingerprint's two words; they shift out bytes behind the fingerprint */
    uint64_t key[2];
    uint32_t bitmap_shift, heads_shift; /* hash >> this is the index */
    void *tables;                       /* the memory of bitmap, second, heads and entries */
    uint64_t *bitmap;                   /* a bit for each hash: 1 when a fingerprint has it */
    /* The same for a second hash, asked after the first; NULL in a small group */
    uint64_t *second;
    uint32_t second_shift;
    /*
     * For each hash that the bitmap has: the index of its first entry, with WORDS_HEAD_SEVERAL set
     * when there are more.
     */
    uint32_t *heads;
    struct words_entry *entries; /* [entry_count], sorted by hash */
    uint32_t entry_count;
    uint8_t sets[WORDS_DEPTH][256]; /* bit b: a fingerprint of bucket b may have this byte here */
    /* As sets, by seven bits of a byte: two values share an entry */
    uint8_t seven[WORDS_DEPTH][128];
    /* As sets, by half bytes; lets more through */
    uint8_t low[WORDS_DEPTH][16], high[WORDS_DEPTH][16];
    uint64_t seven_map;        /* matrix for GF2P8AFFINEQB that maps a byte to its seven bits */
    struct words_sieve *sieve; /* a first step that lets less through than the sets, or NULL */
    /*
     * A byte for each hash: 1 when a fingerprint has it, else 0. It has fewer hashes than the
     * bitmap, but a look-up takes no shifts of bits. Or NULL.
     */
    uint8_t *map;
    uint32_t map_shift; /* hash >> this is the index */
    /* In a dense program, replaces the tables above: see words_twin_hash. Or NULL */
    uint64_t *twins;
    uint32_t twins_shift;
    struct words_line *lines; /* the patterns that go with twins; see words_cells.h */
    uint32_t lines_shift;     /* hash >> this is the first line that a fingerprint may be in */
    /* [WORDS_PAIRS]: as sets, by the two bytes at pairs_at; portable form only */
    uint8_t *pairs;
    uint32_t pairs_at;
    bool dense_seven, dense_halves, dense_pairs; /* these sets let most bytes of a disk through */
    bool by_halves; /* the processor takes longer to look up 128 bytes than 64 twice */
    /*
     * A group of few fingerprints that is looked for by the same step; or NULL. Its sets, by the
     * lower six bits of a byte. See words_ride.h.
     */
    const struct words_group *rider;
    uint8_t ride[WORDS_RIDE_DEPTH][64];
    bool rides; /* it is one */
    /*
     * A first step in place of sets and sieve, for which each pattern has two entries. Only places
     * that are an even number of bytes behind the first one of a scan are looked at. See
     * words_couples.h. Or NULL.
     */
    struct words_couples *couples;
};

struct words_couples;
struct words_form;
struct words_late;
struct words_line;
struct words_asked;
struct words_found;

struct words_program {
    const struct words_form *form;
    struct words_group groups[WORDS_GROUPS];
    uint32_t group_count;
    uint32_t longest; /* bytes of the longest pattern */
    uint32_t reach;   /* greatest offset of a fingerprint in its pattern */
    uint8_t *rest;    /* see words_entry.rest */
    /* The program for dense text; see words_dense.h. NULL: there is none */
    struct words_late *late;
    const struct words_program *sparse; /* of a program for dense text: the one it was made from */
};

static inline uint64_t words_load(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/*
 * Sets bit 5 of each byte that has bit 6, where fold is 0x20: capital letters become small, and @ [
 * \ ] ^ _ become other characters as well. Bytes without bit 6, such as zeros and digits, do not
 * change.
 */
static inline uint64_t words_fold(uint64_t word, uint64_t fold)
{
    return word | (word >> 1 & fold);
}

/* The hash of the fingerprint at bytes. Its upper bits depend on all bytes of the fingerprint. */
static inline uint64_t words_hash(const struct words_group *group, const uint8_t *bytes)
{
    const uint64_t first = words_fold(words_load(bytes), group->fold) * group->key[0];

    return group->fingerprint <= WORDS_WORD
               ? first
               : first + words_fold(words_load(bytes + WORDS_WORD), group->fold) * group->key[1];
}

/*
 * Twins: a Bloom filter in which one 64-bit word answers for two neighbouring places. The
 * fingerprints at an even place and at the next place have all bytes but one in common; the hash of
 * the common bytes chooses the word. The lower half of the word has two bits for the first byte of
 * the fingerprint at the even place, the upper half two bits for the last byte of the other
 * fingerprint. (Blocked Bloom filters: Putze, Sanders, Singler, WEA 2007.)
 */
enum {
    WORDS_TWIN_MIN = 2,
    WORDS_TWIN_MAX = 7,
    WORDS_TWIN_BITS = 31,
    WORDS_TWIN_FIRST = 32,
    WORDS_TWIN_SECOND = 37
};

#define WORDS_TWIN_KEY 0x9e3779b97f4a7c15u

/* The hash of the common bytes of two such fingerprints. both: the folded bytes of both
 * fingerprints. */
static inline uint64_t words_twin_hash(const struct words_group *group, uint64_t both)
{
    return (both >> 8 << 8 * (WORDS_WORD + 1 - group->fingerprint)) * WORDS_TWIN_KEY;
}

/* The number, within its half, of the first and of the second bit for a byte. */
static inline uint32_t words_twin_first(uint64_t byte, uint64_t hash)
{
    return (uint32_t)(byte ^ hash >> WORDS_TWIN_FIRST) & WORDS_TWIN_BITS;
}

static inline uint32_t words_twin_second(uint64_t byte, uint64_t hash)
{
    return (uint32_t)((byte + (byte << 2)) ^ hash >> WORDS_TWIN_SECOND) & WORDS_TWIN_BITS;
}

/* Whether the bitmap has the hash of the fingerprint at bytes: 1 or 0. */
static inline uint32_t words_taken(const struct words_group *group, const uint8_t *bytes)
{
    const uint64_t bit = words_hash(group, bytes) >> group->bitmap_shift;

    return (uint32_t)(group->bitmap[bit / 64] >> bit % 64 & 1);
}

/* Keeps those of the places that the bitmap has let through whose second hash is there, too. */
static inline uint32_t words_doubt(const struct words_group *group, const uint8_t *bytes,
                                   uint16_t *places, uint32_t count)
{
    uint32_t kept = 0;

    if (group->second == NULL)
        return count;
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t place = places[i];
        const uint64_t bit = words_hash(group, bytes + place) * WORDS_SECOND >> group->second_shift;

        places[kept] = place;
        kept += (uint32_t)(group->second[bit / 64] >> bit % 64 & 1);
    }
    return kept;
}

/*
 * Keeps the candidates among survivors; returns how many. It is inline, so that each form has a
 * copy in its own instructions.
 */
static inline uint32_t words_filter(const struct words_group *group, const uint8_t *bytes,
                                    uint16_t *places, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint16_t place = places[i];

        places[kept] = place;
        kept += words_taken(group, bytes + place);
    }
    return words_doubt(group, bytes, places, kept);
}

/*
 * Finds the candidates among all places; returns how many. Where the sets let nearly all places
 * through, this is faster than the sets and their list of survivors.
 */
static inline uint32_t words_filter_all(const struct words_group *group, const uint8_t *bytes,
                                        uint32_t len, uint16_t *out)
{
    uint32_t count = 0;

#pragma GCC unroll 8
    for (uint32_t i = 0; i < len; i++) {
        out[count] = (uint16_t)i;
        count += words_taken(group, bytes + i);
    }
    return words_doubt(group, bytes, out, count);
}

/* Places that survive the sets of a rider, ascending; room for as many as a step may find. */
struct words_ridden {
    uint16_t *places;
    uint32_t count;
};

/*
 * Finds the places of [from, to) that group->map lets through; returns how many. from and to are
 * even. Each form has a copy in its own instructions.
 */
static inline uint32_t words_mapped(const struct words_group *group, const uint8_t *bytes,
                                    uint32_t from, uint32_t to, uint16_t *out,
                                    struct words_ridden *ridden)
{
    uint32_t count = 0;

    (void)ridden;

    if (group->fingerprint >= WORDS_WORD) {
#pragma GCC unroll 4
        for (uint32_t i = from; i < to; i++) {
            out[count] = (uint16_t)i;
            count += group->map[words_hash(group, bytes + i) >> group->map_shift];
        }
        return count;
    }
#pragma GCC unroll 4
    for (uint32_t i = from; i < to; i += 2) { /* a word holds the fingerprints of two places */
        const uint64_t word = words_fold(words_load(bytes + i), group->fold);

        out[count] = (uint16_t)i;
        count += group->map[word * group->key[0] >> group->map_shift];
        out[count] = (uint16_t)(i + 1);
        count += group->map[(word >> 8) * group->key[0] >> group->map_shift];
    }
    return count;
}

/* Places of [from, to) that survive a step, ascending; returns how many. Those of the rider, if
 * there is one, are added to the others. */
typedef uint32_t (*words_step_fn)(const struct words_group *group, const uint8_t *bytes,
                                  uint32_t from, uint32_t to, uint16_t *out,
                                  struct words_ridden *ridden);

/*
 * After each WORDS_PIECE places it is decided whether the sets still do. Once the closer step has
 * been chosen, it is used for the rest of the block.
 */
enum { WORDS_PIECE = 4096 };

/* What a form has found. Looking places up one by one takes most of the time. */
struct words_counts {
    uint32_t candidates, looks; /* candidates; places that were looked up one by one */
};

/*
 * Finds the candidates among the first len places. The first step is `sets`, as long as at most one
 * place in `many` survives it. After that it is `closer`, which takes longer and lets less through,
 * if has_closer. dense: the sets let too many through to be used at all. The function is inlined
 * into each form, so that the steps are too.
 */
static inline __attribute__((always_inline)) struct words_counts words_find(
    const struct words_group *group, const uint8_t *bytes, uint32_t len, uint16_t *out,
    struct words_ridden *ridden, words_step_fn sets, words_step_fn closer, bool has_closer,
    bool dense, uint32_t many)
{
    bool close = dense && has_closer;
    uint32_t count = 0;

    if (dense && !has_closer)
        return (struct words_counts){ words_filter_all(group, bytes, len, out), len };
    for (uint32_t from = 0, to; from < len; from = to) {
        const uint32_t before = ridden->count;
        uint32_t more = 0;

        to = !has_closer || len - from < WORDS_PIECE ? len : from + WORDS_PIECE;
        if (!close) {
            more = sets(group, bytes, from, to, out + count, ridden);
            close = has_closer && more > (to - from) / many;
        }
        if (close) {
            ridden->count = before;
            more = closer(group, bytes, from, to, out + count, ridden);
        }
        count += more;
    }
    return count > len / 2 ? (struct words_counts){ words_filter_all(group, bytes, len, out), len }
                           : (struct words_counts){ words_filter(group, bytes, out, count), count };
}

/*
 * A form's first steps: writes the offsets of the candidates among the first len bytes to out,
 * ascending. len is a multiple of WORDS_STEP. It reads up to WORDS_PAD bytes behind them. out has
 * room for len + WORDS_STEP offsets, and ridden for as many more: those of the group's rider, which
 * are survivors.
 */
typedef struct words_counts (*words_find_fn)(const struct words_group *group, const uint8_t *bytes,
                                             uint32_t len, uint16_t *out,
                                             struct words_ridden *ridden);

struct words_form {
    words_find_fn find;
    void (*cells)(const struct words_group *group, struct words_asked *asked,
                  /* See words_cells.h; NULL: the form has no such step */
                  struct words_found *found);
    double group_cost, survivor_cost; /* cycles for a byte of text; cycles for a survivor */
    /* Bytes the sets look at; log 2 of buckets that count */
    uint32_t depth, spread;
    bool pairs, sieve, map, rider, couples; /* the form uses those of words_group */
};

extern const struct words_form words_portable;
#ifdef __x86_64__
extern const struct words_form words_avx2, words_avx512, words_gather;
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
static inline bool words_equal(const struct words_scan *scan, const struct words_entry *entry,
                               const uint8_t *text)
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

/*
 * Whether the engine suits the dictionary: a bound on the number of fingerprint entries that the
 * patterns need must be small enough. Only many patterns in which every byte has masked bits exceed
 * it.
 */
bool words_suits(const struct match_dictionary *dictionary);

/* Bytes that words_build takes, as struct match_engine has it. */
uint64_t words_bytes(const struct match_dictionary *dictionary);

ERR_MUST_CHECK enum err_code words_build(const struct match_dictionary *dictionary,
                                         const struct words_form *form, struct words_program **out,
                                         struct err *err);
void words_destroy(struct words_program *program); /* NULL is a no-op */

#endif
