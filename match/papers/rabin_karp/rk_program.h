/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/rk_program.h - what the Rabin-Karp engine compiles a dictionary to. */
#ifndef BURIN_MATCH_PAPERS_RABIN_KARP_RK_PROGRAM_H
#define BURIN_MATCH_PAPERS_RABIN_KARP_RK_PROGRAM_H

#include "match/engine.h"
#include "match/papers/rabin_karp/rk.h"
#include "match/pattern/sink_writer.h"

enum {
    RK_BASE = 257,       /* prime, and beyond the alphabet */
    RK_Q = 65521,        /* the paper's: the largest prime below 2^16; slots of a hash table */
    RK_GROUP = 16 << 10, /* patterns of a group at most: a fourth of the slots */
    RK_BLOCK = 8 << 10,  /* windows that share prefix sums */
};

struct rk_entry {
    uint32_t literal; /* of rk.literals.items */
    uint16_t hash;    /* of its run */
    uint8_t at;       /* the run's place in the literal */
};

/* Literals whose runs have one length, and are looked for in the same text. */
struct rk_group {
    uint8_t *control;      /* [RK_Q] */
    uint16_t *table;       /* [RK_Q]: numbers within the group */
    uint32_t first, count; /* of rk.entries */
    uint32_t len;
};

struct rk {
    struct match_literals literals;
    struct rk_entry *entries; /* one for each literal, by group; those without a run at the end */
    uint16_t *hashes;         /* of entries, once more */
    uint32_t masked;          /* the first of these */
    struct rk_group *groups;
    uint32_t group_count,
        plain_count;  /* those that look in folded text come behind the plain ones */
    uint32_t longest; /* run, at least 1 */
    uint32_t threads, base;
    uint8_t fold[256];
    uint16_t powers[RK_Q];
};

/* base: RK_BASE, or another prime to see what it does. */
ERR_MUST_CHECK enum err_code rk_build(const struct match_dictionary *dictionary, uint32_t base,
                                      uint32_t threads, struct rk **out, struct err *err);
void rk_destroy(struct rk *rk); /* NULL is a no-op */

/* One scan by any of the forms. */
struct rk_scan {
    const struct rk *rk;
    const struct match_text *text;
    uint32_t from, to; /* last bytes of matches to report */
    struct sink_part *part;
};

/* Some bytes of the text, maybe folded: windows are those that begin at the first count of n bytes.
 */
struct rk_block {
    const uint8_t *bytes;
    uint32_t n, count;
    uint32_t at; /* of bytes[0] in the text */
};

/* Looks for the groups [first, past) in a block. False when the sink is full. NULL: all patterns
 * are compared at every place. */
typedef bool rk_groups(struct rk_scan *scan, uint32_t first, uint32_t past,
                       const struct rk_block *block);

/* The scan of a form; openmp: blocks are spread over rk->threads. */
bool rk_run(const struct rk *rk, const struct match_text *text, uint32_t from, uint32_t to,
            struct match_sink *sink, rk_groups *groups, bool openmp);

/* Match: compares a pattern whose run has been found at text[at]. False when the sink is full. */
bool rk_match(struct rk_scan *scan, const struct rk_entry *entry, uint32_t at);

/* What the engines of all forms share. */
ERR_MUST_CHECK enum err_code rk_compile(const struct match_dictionary *dictionary,
                                        const struct match_setup *setup, void **program,
                                        struct err *err);
void rk_release(void *program);
const char *rk_missing(void);
const char *rk_openmp_missing(void);

#endif
