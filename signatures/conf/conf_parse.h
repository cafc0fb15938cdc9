/* SPDX-License-Identifier: Apache-2.0
 * signatures/conf/conf_parse.h - what the files of the configuration parser share. Not for others:
 * they include conf.h.
 *
 *   conf.c        the file, its lines and tokens, the two passes
 *   conf_rule.c   six columns -> struct sig
 *   conf_lint.c   warnings of what surely is not meant
 */
#ifndef BURIN_SIGNATURES_CONF_CONF_PARSE_H
#define BURIN_SIGNATURES_CONF_CONF_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "signatures/conf.h"

enum conf_column {
    CONF_EXTENSION,
    CONF_CASE,
    CONF_SIZE,
    CONF_HEADER,
    CONF_FOOTER,
    CONF_TYPE,
    CONF_COLUMNS
};

enum {
    CONF_TOKENS_MAX = CONF_COLUMNS + 1,            /* one more than is used, to warn of it */
    CONF_PATTERN_TEXT_MAX = 4 * LIMIT_PATTERN_LEN, /* \xHH is the longest way to write a byte */
    CONF_QUOTE_MAX = 96,                           /* a token in a message, NUL included */
};

struct conf_token {
    const char *text;
    size_t len;
    uint32_t column; /* counted from 1, in bytes */
};

struct conf_line {
    uint32_t number; /* counted from 1 */
    const char *text;
    size_t len; /* without the line end */
    uint32_t count;
    struct conf_token
        tokens[CONF_TOKENS_MAX]; /* those behind count are empty and stand at the line's end */
};

/* All state of one parse; lives on the stack of sig_conf_parse. */
struct conf_parse {
    const char *path; /* of the arena */
    enum sig_compat compat;
    struct sig_conf *conf;
    const char *rest; /* text not yet read */
    size_t rest_len;
    uint32_t line;          /* number of the last line read */
    uint8_t wildcard;       /* the final one: it holds for the whole file */
    uint32_t wildcard_line; /* where it was set; 0: nowhere */
    uint32_t warning_room;
    bool warnings_cut;
};

/* A header or footer after translation. */
struct conf_pattern {
    uint8_t bytes[CONF_PATTERN_TEXT_MAX], mask[CONF_PATTERN_TEXT_MAX];
    uint32_t len;
    bool regex, wild; /* wild: at least one wildcard */
};

/*
 * The peers' translate(): text of at most CONF_PATTERN_TEXT_MAX bytes into out, which has room for
 * as many. Returns the length.
 */
uint32_t conf_translate(const char *text, size_t len, uint8_t *out);

/* One escape at text[0] == '\\': *used bytes of text become *made bytes of out (at most *used). */
enum conf_escape {
    CONF_ESCAPE_RIGHT,   /* one byte, as documented */
    CONF_ESCAPE_UNKNOWN, /* the backslash stays */
    CONF_ESCAPE_BROKEN,  /* \x or octal without its digits: the backslash goes */
};
enum conf_escape conf_escape(const char *text, size_t len, uint8_t *out, uint32_t *used,
                             uint32_t *made);

/* Length of a plain "/expression/" token without its slashes is len - 2. In foremost it is plain
 * text. */
bool conf_is_regex(const struct conf_token *token, enum sig_compat compat);

/* Is token the word, whatever its case? */
bool conf_is_word(const struct conf_token *token, const char *word);
bool conf_has_prefix(const struct conf_token *token, const char *word);

/* The token as it may be shown to a person: printable, cut to fit. Returns out. */
const char *conf_quote(const struct conf_token *token, char out[CONF_QUOTE_MAX]);

/* Fills rule from the columns of line. Errors name path, line and column. */
ERR_MUST_CHECK enum err_code conf_rule(struct conf_parse *parse, const struct conf_line *line,
                                       struct sig *rule, struct err *err);

/* Adds a warning; silently stops at SIG_CONF_WARNINGS_MAX after one that says so. Only memory makes
 * it fail. */
ERR_MUST_CHECK enum err_code conf_warn(struct conf_parse *parse, uint32_t line, uint32_t column,
                                       struct err *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Warnings of one rule line, of one wildcard line, and of the rules as a whole (sorts the warnings
 * by line, too). */
ERR_MUST_CHECK enum err_code conf_lint_rule(struct conf_parse *parse, const struct conf_line *line,
                                            const struct sig *rule, struct err *err);
ERR_MUST_CHECK enum err_code conf_lint_wildcard(struct conf_parse *parse,
                                                const struct conf_line *line, struct err *err);
ERR_MUST_CHECK enum err_code conf_lint_all(struct conf_parse *parse, struct err *err);

#endif
