/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_nfa.h - an expression as an automaton of positions: its sets, with all counts
 * written out.
 *
 * A place is where a match may stand between two bytes: before a position, whose set the next byte
 * must be in, at a fork, which is two places at once, or at the end of a match. Thompson, Regular
 * Expression Search Algorithm, CACM 11 (1968).
 */
#ifndef BURIN_MATCH_REGEX_REGEX_NFA_H
#define BURIN_MATCH_REGEX_REGEX_NFA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "match/regex/regex_tree.h"

enum {
    REGEX_END = UINT16_MAX,                      /* the place at the end of a match */
    REGEX_FORKS_MAX = 2 * LIMIT_REGEX_POSITIONS, /* places fit into 16 bits */
};

struct regex_nfa {
    uint32_t positions, forks;
    uint16_t start;      /* the place where a match begins; places are positions, then forks */
    uint16_t *set;       /* [positions]: of sets */
    uint16_t *next;      /* [positions]: the place behind */
    uint16_t (*fork)[2]; /* [forks] */
    uint32_t set_count;
    struct regex_set *sets;

    /* Bytes that all sets take alike are a class. */
    uint32_t classes;
    uint8_t class_of[256];
    uint8_t *sample; /* [classes]: a byte of it */
};

/*
 * The tree has at most LIMIT_REGEX_POSITIONS positions and REGEX_FORKS_MAX forks. False: the arena
 * is full.
 */
bool regex_nfa_build(const struct regex_tree *tree, struct arena *arena, struct regex_nfa *nfa);

#endif
