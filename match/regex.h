/* SPDX-License-Identifier: Apache-2.0
 * match/regex.h - regular expressions on bytes, in bounded time and memory.
 *
 * What a match is. It does not depend on how the image is cut: for each offset s of the range, the
 * longest match that begins at s is taken, among those in the LIMIT_REGEX_MATCH_LEN bytes from s
 * on, or in what the range has of them. When it is not empty it is a hit; so one hit a start at
 * most. (An expression in which a repeat takes as little as possible, as .*? does, has the shortest
 * match instead.) The syntax is that of regex_parse.h.
 *
 * What is refused. What looks beyond the match has no place here: the anchors ^ and $ (in scalpel 2
 * they match at the ends of its read buffers, wherever those fall), the word edges \< \> \b \B,
 * back-references and approximate matching. So is an expression that can match nothing, or nothing
 * but the empty string, and one whose counts make it too large: more than LIMIT_REGEX_POSITIONS
 * places, or so many parts that some text could make it take more than about 0.2 s for a MiB.
 *
 * How an expression is compiled (regex_item.h):
 *
 *   text ──regex_parse──► tree ──► regex_need: a text that every match holds, if there is one
 *                          ├─────► regex_nfa: positions, counts written out
 *                          │         └──► regex_table: the whole deterministic automaton, if small
 *                          └─────► regex_rows: parts that are counted and not written out
 *
 * How it is looked for (regex.c). Places that hold the needed text are found 16 bytes at a time;
 * only starts from which it can be reached are tried. There are three ways to try them:
 *
 *   1. Start by start: the table, or where there is none the automaton that is made on the way
 *      (regex_dfa.h). It takes a few steps for most starts, and is what nearly all data gets. But a
 *      text may let each start go on for 1,024 bytes, or lead to a new state with each of them: so
 *      steps are counted, and when they are too many the next stretch is gone over in way 2 or 3.
 *   2. All starts at a time by the table: starts in the same state go on as one. It takes as long
 * as there are states, whatever the text, so it serves where they are few: lists of words, many
 *      short counts.
 *   3. All starts at a time by rows of bits (regex_rows.h), one for each part of the expression. It
 *      takes as long as there are parts, whatever the text, so it serves where counts are large and
 *      states would be many, as in a.{0,200}b.
 *
 * An expression for which neither 2 nor 3 is fast enough is refused when it is compiled, by a bound
 * on what a byte can take (regex_rows_cost.c); so no text decides whether a scan ends.
 *
 * Memory: all expressions of a dictionary, and what threads need to look for them, stay in
 * LIMIT_REGEX_MEMORY together. None is allocated after match_regexes_open. Stack: some KiB,
 * whatever the expression.
 *
 * Threads: what is compiled is read by all of them. A thread that scans borrows working memory
 * (regex_scratch.h); there is as much as threads were announced, or as fits, and a thread for which
 * there is none left waits for another one to be done.
 *
 * Tests: tests/match/regex_oracle.h reads expressions by itself and says what each way must find.
 */
#ifndef BURIN_MATCH_REGEX_H
#define BURIN_MATCH_REGEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"
#include "match/engine.h"

struct match_regexes; /* all expressions of a dictionary; owned by the caller of match_regexes_open
                       */

/*
 * ERR_INPUT when pattern is not an expression that can be looked for; says why, and *at is the byte
 * of it where the fault is, counted from 0.
 */
ERR_MUST_CHECK enum err_code match_regex_check(const struct match_pattern *pattern, uint32_t *at,
                                               struct err *err);

/*
 * Whether some match of the expression holds the text: 1..MATCH_HOLD_MAX bytes. (Of any length: the
 * limit of a match is not looked at.) Errors: ERR_ARG for another length; ERR_INPUT as
 * match_regex_check; ERR_ENV.
 */
enum { MATCH_HOLD_MAX = 63 };
ERR_MUST_CHECK enum err_code match_regex_can_hold(const struct match_pattern *pattern,
                                                  const uint8_t *text, uint32_t len, bool *can,
                                                  struct err *err);

/*
 * *out is NULL when the dictionary has no expressions. threads: that will scan at a time,
 * 1..LIMIT_THREADS. ERR_FULL when the expressions do not fit into LIMIT_REGEX_MEMORY.
 */
ERR_MUST_CHECK enum err_code match_regexes_open(const struct match_dictionary *dictionary,
                                                uint32_t threads, struct match_regexes **out,
                                                struct err *err);
void match_regexes_close(struct match_regexes *regexes); /* NULL is a no-op */

/* Bytes that they take, with the working memory of all threads. */
size_t match_regexes_bytes(const struct match_regexes *regexes);

/*
 * Appends every match that begins at text [from, *to), the text's end being the end of what a match
 * may cover. Hits come by expression, and ascend for each. When there is no room for all of them,
 * *to becomes smaller, and none that begins behind it is appended; it is from when not even those
 * of the first byte fit.
 *
 * stop: asked at times, if it is not NULL; true ends the scan with ERR_INTERRUPTED. After an error
 * sink is as it was.
 */
ERR_MUST_CHECK enum err_code match_regexes_scan(struct match_regexes *regexes,
                                                const struct match_text *text, uint32_t from,
                                                uint32_t *to, bool (*stop)(void),
                                                struct match_sink *sink, struct err *err);

#endif
