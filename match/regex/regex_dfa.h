/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_dfa.h - the longest match that begins at a place, by a deterministic automaton
 * that is made while it runs.
 *
 * A state is the set of positions that the next byte may take; it is made when a text first leads
 * to it, and kept in a cache of fixed size. A full cache is emptied. How much was done is counted,
 * so that the caller can turn to regex_rows.h where a text makes state after state, or walks that
 * are long.
 */
#ifndef BURIN_MATCH_REGEX_REGEX_DFA_H
#define BURIN_MATCH_REGEX_REGEX_DFA_H

#include <stdbool.h>
#include <stdint.h>

#include "match/regex/regex_nfa.h"

enum {
    REGEX_DFA_HEADS = 256, /* of chains of states */
    REGEX_DFA_WORDS_MIN =
        8192, /* of 4 bytes: a cache that has room for a few of the largest states */
};

/* What making a state needs, for the largest automaton; no part of the cache. One thread's. */
struct regex_dfa_work {
    uint64_t seen[LIMIT_REGEX_POSITIONS / 64 + 1]; /* positions reached */
    uint64_t seen_fork[REGEX_FORKS_MAX / 64 + 1];
    uint16_t stack[REGEX_FORKS_MAX + 1];  /* forks whose other side is still to be looked at */
    uint16_t list[LIMIT_REGEX_POSITIONS]; /* positions reached, ascending */
};

struct regex_dfa {
    const struct regex_nfa *nfa;
    struct regex_dfa_work *work;
    uint32_t *memory; /* [words]: heads of chains, then states */
    uint32_t words, used;
    uint32_t start;
    uint32_t emptied; /* how often */
};

/* memory: words of 4 bytes, at least REGEX_DFA_WORDS_MIN, and the work stay the caller's. */
void regex_dfa_init(struct regex_dfa *dfa, const struct regex_nfa *nfa, struct regex_dfa_work *work,
                    uint32_t *memory, uint32_t words);

/*
 * Bytes of the longest match that begins at bytes[0] and lies in len bytes, or of the shortest one;
 * 0: there is none that is not empty. Adds to *effort what it took, in steps of one byte.
 */
uint32_t regex_dfa_match(struct regex_dfa *dfa, const uint8_t *bytes, uint32_t len, bool shortest,
                         int64_t *effort);

/*
 * For regex_table.h. Makes all states, at most `most`, and returns how many there are, or 0 when
 * there are more or the cache is too small for them. Their numbers count from 1; places[number - 1]
 * is where each stands, the one to begin with first. Nothing else can be done with dfa then.
 */
uint32_t regex_dfa_complete(struct regex_dfa *dfa, uint32_t most, uint32_t *places);

/*
 * The number of the state to which a class leads from a place; 0: nowhere. *ends: a match may end
 * there.
 */
uint32_t regex_dfa_next(const struct regex_dfa *dfa, uint32_t place, uint32_t class, bool *ends);

#endif
