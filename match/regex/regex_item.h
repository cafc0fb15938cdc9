/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_item.h - one regular expression, compiled. */
#ifndef BURIN_MATCH_REGEX_REGEX_ITEM_H
#define BURIN_MATCH_REGEX_REGEX_ITEM_H

#include "base/arena.h"
#include "base/err.h"
#include "match/dictionary.h"
#include "match/regex/regex_need.h"
#include "match/regex/regex_nfa.h"
#include "match/regex/regex_rows.h"
#include "match/regex/regex_table.h"

struct regex_item {
    uint32_t pattern; /* of the dictionary */
    uint32_t slot;    /* without a table: which one it is of those that have none; the owner's */
    uint16_t window;  /* bytes of the longest match that counts */
    bool shortest;    /* the shortest match is meant */
    struct regex_set begins; /* first bytes of matches */
    struct regex_need need;
    struct regex_nfa nfa;
    struct regex_table table; /* of no states where the automaton is large */
    struct regex_rows rows;   /* there when slow_by_rows is true */
    bool slow_by_rows;        /* how starts are followed all at a time; else by the table */
};

/*
 * Compiles into the arena. ERR_INPUT when the expression is none that can be looked for, and then
 * *at is the byte of it that is to blame, counted from 0; ERR_FULL when the arena is.
 */
ERR_MUST_CHECK enum err_code regex_item_compile(const struct match_pattern *pattern,
                                                uint32_t number, struct arena *arena,
                                                struct regex_item *item, uint32_t *at,
                                                struct err *err);

#endif
