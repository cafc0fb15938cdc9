/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_table.h - an expression as a whole deterministic automaton, where that is
 * small.
 *
 * Most expressions have some ten states. Then all of them are made at once, and threads share them.
 *
 * Where matches are long and many, the starts are followed at a time. Starts whose automata are in
 * the same state go on as one, since what comes after is the same for them; so there are never more
 * to follow than states, and those that began of late. The youngest start of such a group stands
 * for it, for it is the last one of which matches count. Each start remembers when it became part
 * of which other one; what ended later than that is its match too.
 */
#ifndef BURIN_MATCH_REGEX_REGEX_TABLE_H
#define BURIN_MATCH_REGEX_REGEX_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "match/regex/regex_dfa.h"
#include "match/regex/regex_task.h"

enum {
    TABLE_STATES_MAX = 256,
    TABLE_BLOCK = 64, /* bytes after which starts in the same state become one */
    TABLE_WALKERS = TABLE_STATES_MAX + TABLE_BLOCK,
    TABLE_STARTS = 2 * LIMIT_REGEX_MATCH_LEN, /* that are remembered, a power of two */
};

#define TABLE_ENDS ((uint32_t)1 << 31) /* of a state: a match may end there */

/* Immutable. State 0 leads to itself; no match is left there. */
struct regex_table {
    uint32_t states; /* 0: the automaton is too large */
    uint32_t shift;  /* a state goes by its number << shift */
    uint32_t start;
    uint32_t *next; /* [states << shift], by state and class of byte; with TABLE_ENDS */
};

/*
 * dfa: an empty one, that will be used up. With shortest nothing follows where a match may end.
 * table->states is 0 when there are more than TABLE_STATES_MAX or the cache of dfa is too small.
 * False: the arena is full.
 */
bool regex_table_build(struct regex_dfa *dfa, bool shortest, struct arena *arena,
                       struct regex_table *table);

/* As regex_dfa_match. */
uint32_t regex_table_match(const struct regex_table *table, const struct regex_nfa *nfa,
                           const uint8_t *bytes, uint32_t len, int64_t *effort);

/* Bytes that regex_table_scan works in, aligned to 64. */
size_t regex_table_size(void);

/* As regex_rows_scan. */
uint32_t regex_table_scan(const struct regex_table *table, const struct regex_task *task);

#endif
