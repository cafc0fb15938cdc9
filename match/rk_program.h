/* match/rk_program.h - what the Rabin-Karp engine compiles a dictionary to. */
#ifndef BURIN_MATCH_RK_PROGRAM_H
#define BURIN_MATCH_RK_PROGRAM_H

#include "match/rk.h"

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
    uint8_t *control; /* [RK_Q] */
    uint16_t *table;  /* [RK_Q]: numbers within the group */
    uint32_t first;   /* of rk.entries */
    uint32_t len;
};

struct rk {
    struct match_literals literals;
    struct rk_entry *entries; /* one for each literal, by group; those without a run at the end */
    uint32_t masked;          /* the first of these */
    struct rk_group *groups;
    uint32_t group_count, plain_count; /* those that look in folded text come behind the plain ones */
    uint32_t longest;                  /* run, at least 1 */
    uint32_t threads;
    uint8_t fold[256];
    uint16_t powers[RK_Q];
};

ERR_MUST_CHECK enum err_code rk_build(const struct match_dictionary *dictionary, uint32_t threads, struct rk **out,
                                      struct err *err);
void rk_destroy(struct rk *rk); /* NULL is a no-op */

#endif
