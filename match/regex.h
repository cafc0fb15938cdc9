/*
 * match/regex.h - regular-expression patterns, through libtre, on bytes.
 *
 * Which matches there are does not depend on how the image is cut: for each offset s of the range, TRE is asked for its
 * match (the longest one) in the LIMIT_REGEX_MATCH_LEN bytes from s on, or in what the range has of them. When that match
 * is not empty and begins at s, it is a hit; so one hit a start at most.
 *
 * What looks beyond the match has no place here and is refused: the anchors ^ and $ (in scalpel 2 they match at the ends of
 * its read buffers, wherever those fall), the word edges \< \> \b \B, back-references and TRE's approximate matching. So is
 * an expression that can match nothing but the empty string. Expressions are read in the C locale, whatever the program's.
 */
#ifndef BURIN_MATCH_REGEX_H
#define BURIN_MATCH_REGEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"
#include "match/engine.h"

struct match_regexes; /* all expressions of a dictionary; immutable, shared between threads */

/* ERR_INPUT when pattern is not an expression that can be looked for; says why. */
ERR_MUST_CHECK enum err_code match_regex_check(const struct match_pattern *pattern, struct err *err);

/* *out is NULL when the dictionary has no expressions. */
ERR_MUST_CHECK enum err_code match_regexes_open(const struct match_dictionary *dictionary, struct match_regexes **out,
                                                struct err *err);
void match_regexes_close(struct match_regexes *regexes); /* NULL is a no-op */

/*
 * Appends every match that begins at text [from, to), the text's end being the end of what a match may cover. Sets *full,
 * with sink as it was, when there is no room for all of them.
 */
ERR_MUST_CHECK enum err_code match_regexes_scan(const struct match_regexes *regexes, const struct match_text *text,
                                                uint32_t from, uint32_t to, struct match_sink *sink, bool *full,
                                                struct err *err);

#endif
