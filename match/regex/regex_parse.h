/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_parse.h - the syntax of regular expressions.
 *
 * POSIX extended expressions on bytes, in the C locale, as the library TRE reads them, which
 * scalpel 2 uses, but for its faults: TRE 0.8.0 takes {,m} for up to m + 1 times, loses (?i) and
 * (?-i) in some groups, and misses some matches of groups that repeat groups.
 *
 *   . [a-z] [^a-z] [[:alpha:]]   one byte; . is any byte, line ends and NUL included
 *   * + ? {n} {n,} {n,m} {,m}    repeats; counts up to 255, but {n,} with any n
 *   ( ) (?: ) |                  groups and alternatives
 *   \xHH \x{HH} \n \t \r \f \a \e   bytes; \d \D \s \S \w \W: classes; \Q...\E: text as it is; \
 *                                   before all else: that byte
 *   (?i) (?-i) (?i: )            letters of both cases from here to the end of the group; n: . is
 *                                no line feed
 *   (?#...)                      a comment
 *   *? +? ?? {n,m}?  (?U)        as little as possible: see struct regex_tree
 *
 * Case folding holds for letters that stand for themselves, in brackets too, and not for \xHH or an
 * escaped letter.
 */
#ifndef BURIN_MATCH_REGEX_REGEX_PARSE_H
#define BURIN_MATCH_REGEX_REGEX_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "match/regex/regex_tree.h"

/* What is wrong with an expression. */
struct regex_fault {
    uint32_t at;     /* byte of the expression, counted from 0 */
    bool syntax;     /* it is no expression; else it is one that cannot be looked for */
    const char *why; /* static, and what to do */
};

/*
 * text: 1..LIMIT_PATTERN_LEN bytes. False, with *fault, when it cannot be read, or asks for what
 * looks beyond the match: ^ and $, word edges, back-references, approximate matching. escapes: in
 * brackets too a backslash is one, as in Perl; else it stands for itself there, as in POSIX. Takes
 * about 4 KiB of stack whatever the expression.
 */
bool regex_parse(const uint8_t *text, uint32_t len, bool fold_case, bool escapes,
                 struct regex_tree *tree, struct regex_fault *fault);

/*
 * The set that [...] stands for; *at is behind the opening bracket, and then behind the closing
 * one. fold: letters stand for both cases.
 */
bool regex_parse_bracket(const uint8_t *text, uint32_t len, uint32_t *at, bool fold, bool escapes,
                         struct regex_set *out, struct regex_fault *fault);

/* Adds the bytes of \d, \W and their like, c being what follows the backslash; false: none. */
bool regex_parse_escaped_class(uint8_t c, struct regex_set *out);

/* The byte that an escape stands for: *at is on the backslash, which something follows, and then
 * behind the escape. */
bool regex_parse_escaped_byte(const uint8_t *text, uint32_t len, uint32_t *at, uint8_t *out,
                              struct regex_fault *fault);

/*
 * Adds the bytes of a class of the C locale, "alpha" or "digit"; false when there is none of that
 * name.
 */
bool regex_parse_class(const char *name, size_t len, struct regex_set *out);

/* Adds the other case of each letter. */
void regex_parse_fold(struct regex_set *set);

#endif
