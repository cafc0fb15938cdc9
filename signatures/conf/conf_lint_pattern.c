/* SPDX-License-Identifier: Apache-2.0
 * signatures/conf/conf_lint_pattern.c - warnings of what is written in a header or footer column.
 */
#include <string.h>

#include "signatures/conf/conf_lint.h"

enum { LINT_QUOTED_LEN = 4 }; /* an escape in a message: as it would be if it were whole */

/* Columns do not reach beyond 32 bits; a token with a pattern is short. */
static uint32_t lint_column(const struct conf_token *token, size_t at)
{
    return token->column + (uint32_t)at;
}

static void lint_escapes(struct lint *lint, const struct conf_token *token)
{
    uint8_t out[LINT_QUOTED_LEN];
    uint32_t used, made;

    for (size_t i = 0; i < token->len; i += used) {
        const char *at = token->text + i;
        const size_t left = token->len - i;
        char quoted[CONF_QUOTE_MAX];

        used = 1;
        if (*at != '\\')
            continue;
        const enum conf_escape kind = conf_escape(at, left, out, &used, &made);
        if (kind == CONF_ESCAPE_RIGHT) {
            if (out[0] == lint->parse->wildcard && used == 4)
                LINT_WARN(lint, lint_column(token, i),
                          "%.4s is the wildcard, written out or not, and matches any byte; to look "
                          "for this byte, set "
                          "another wildcard in a line above the rules, as in: wildcard *",
                          at);
            continue;
        }
        if (left == 1) {
            LINT_WARN(lint, lint_column(token, i),
                      "a stray \\ at the end is a backslash to look for; take it off, or write "
                      "\\\\ for one");
            continue;
        }
        const bool number = (at[1] >= '0' && at[1] <= '9') || at[1] == 'x';
        const struct conf_token shown = { at,
                                          number && left > LINT_QUOTED_LEN ? LINT_QUOTED_LEN
                                          : number                         ? left
                                                                           : 2,
                                          0 };

        conf_quote(&shown, quoted);
        if (kind == CONF_ESCAPE_BROKEN)
            LINT_WARN(lint, lint_column(token, i),
                      "%s is not an escape: the backslash is dropped and the rest is looked for as "
                      "text; write \\xHH with "
                      "two hex digits, or three octal digits up to \\377",
                      quoted);
        else if (number)
            LINT_WARN(
                lint, lint_column(token, i),
                "%s is not an escape: the backslash stays and all of it is looked for as text; "
                "write \\xHH with two "
                "hex digits, or three octal digits up to \\377",
                quoted);
        else
            LINT_WARN(lint, lint_column(token, i),
                      "%s is not an escape: the backslash stays and both are looked for; write "
                      "\\\\ for a backslash, or leave it out",
                      quoted);
    }
}

static bool lint_is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* "x4fx67": hex bytes that have lost their backslashes. */
static void lint_lost_backslashes(struct lint *lint, const struct conf_token *token)
{
    for (size_t i = 0; i + 6 <= token->len; i++) {
        const char *at = token->text + i;

        if (i > 0 && at[-1] == '\\')
            continue;
        if (at[0] == 'x' && lint_is_hex(at[1]) && lint_is_hex(at[2]) && at[3] == 'x' &&
            lint_is_hex(at[4]) && lint_is_hex(at[5])) {
            LINT_WARN(lint, lint_column(token, i),
                      "%.6s is looked for as text, letter by letter; write \\%.3s\\%.3s for the "
                      "two bytes",
                      at, at, at + 3);
            return;
        }
    }
}

/* An expression without anything that makes it one: a path. */
static bool lint_is_path(const struct conf_token *token)
{
    static const char special[] = "[](){}*+?|^$\\";

    for (size_t i = 1; i + 1 < token->len; i++)
        if (strchr(special, token->text[i]) != NULL)
            return false;
    return true;
}

void conf_lint_pattern(struct lint *lint, const struct conf_token *token, const char *what)
{
    const bool plain_slashes =
        lint->parse->compat == SIG_COMPAT_FOREMOST && conf_is_regex(token, SIG_COMPAT_NONE);

    for (size_t i = 0; i < token->len; i++)
        if ((uint8_t)token->text[i] < 0x20 || token->text[i] == 0x7f) {
            LINT_WARN(lint, lint_column(token, i),
                      "a control character (0x%02x) is looked for as it is; write \\x%02x if it is "
                      "meant, else remove it",
                      (uint8_t)token->text[i], (uint8_t)token->text[i]);
            break;
        }
    if (conf_is_regex(token, lint->parse->compat)) {
        if (lint_is_path(token))
            LINT_WARN(lint, token->column,
                      "this %s is a regular expression, because it begins and ends with /, and the "
                      "slashes are not "
                      "looked for; write \\x2f for a slash",
                      what);
        return;
    }
    if (plain_slashes)
        LINT_WARN(
            lint, token->column,
            "foremost has no regular expressions: this %s is looked for as text, slashes included",
            what);
    lint_escapes(lint, token);
    lint_lost_backslashes(lint, token);
}
