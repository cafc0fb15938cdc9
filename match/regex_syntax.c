/*
 * match/regex_syntax.c - see regex_syntax.h.
 *
 * Reads extended expressions as TRE does: besides POSIX, \Q...\E quotes and (?i) sets flags. Recursion is as deep as the
 * parentheses, at most LIMIT_PATTERN_LEN.
 */
#include <stdbool.h>
#include <string.h>

#include "match/regex_syntax.h"

struct regex_syntax {
    const uint8_t *text;
    uint32_t len, at;
    const char *refused; /* NULL: nothing so far */
};

static bool regex_syntax_more(const struct regex_syntax *syntax)
{
    return syntax->at < syntax->len && syntax->refused == NULL;
}

/* Steps over [...], at stands behind the opening bracket. */
static void regex_syntax_bracket(struct regex_syntax *syntax)
{
    if (syntax->at < syntax->len && syntax->text[syntax->at] == '^')
        syntax->at++;
    if (syntax->at < syntax->len && syntax->text[syntax->at] == ']')
        syntax->at++;
    while (syntax->at < syntax->len && syntax->text[syntax->at] != ']') {
        const uint8_t kind = syntax->at + 1 < syntax->len ? syntax->text[syntax->at + 1] : 0;

        if (syntax->text[syntax->at] == '[' && kind != 0 && strchr(":.=", kind) != NULL) {
            syntax->at += 2;
            while (syntax->at + 1 < syntax->len &&
                   !(syntax->text[syntax->at] == kind && syntax->text[syntax->at + 1] == ']'))
                syntax->at++;
            syntax->at++;
        }
        syntax->at++;
    }
    syntax->at++;
}

/* Steps over what follows a backslash; true when it stands for bytes of the match. */
static bool regex_syntax_escape(struct regex_syntax *syntax)
{
    if (syntax->at >= syntax->len)
        return false;

    const uint8_t c = syntax->text[syntax->at++];
    if (c != 0 && strchr("<>bB", c) != NULL)
        syntax->refused = "the word edges \\< \\> \\b \\B look at bytes beside the match; leave them out";
    if (c >= '1' && c <= '9')
        syntax->refused = "back-references are not supported; write the text out";
    if (c == 'x' && syntax->at < syntax->len && syntax->text[syntax->at] == '{')
        while (syntax->at < syntax->len && syntax->text[syntax->at++] != '}')
            ;
    if (c != 'Q')
        return true;

    const uint32_t quoted = syntax->at;
    while (syntax->at < syntax->len &&
           !(syntax->text[syntax->at] == '\\' && syntax->at + 1 < syntax->len && syntax->text[syntax->at + 1] == 'E'))
        syntax->at++;
    const bool consumes = syntax->at > quoted;
    syntax->at += 2;
    return consumes;
}

/* Steps over the operators behind an atom; true when one of them says "no times". */
static bool regex_syntax_zero_times(struct regex_syntax *syntax)
{
    bool zero = false;

    while (regex_syntax_more(syntax) && strchr("*+?{", syntax->text[syntax->at]) != NULL && syntax->text[syntax->at]) {
        if (syntax->text[syntax->at++] != '{')
            continue;
        const uint8_t *bounds = syntax->text + syntax->at;
        const uint8_t *end = memchr(bounds, '}', syntax->len - syntax->at);
        const size_t len = end == NULL ? 0 : (size_t)(end - bounds);

        zero |= (len == 1 && memcmp(bounds, "0", 1) == 0) || (len == 2 && memcmp(bounds, ",0", 2) == 0) ||
                (len == 3 && memcmp(bounds, "0,0", 3) == 0);
        syntax->at = end == NULL ? syntax->len : syntax->at + (uint32_t)len + 1;
    }
    return zero;
}

static bool regex_syntax_branches(struct regex_syntax *syntax);

/* Steps over (...), at stands behind the opening parenthesis; true when it can consume bytes. */
static bool regex_syntax_group(struct regex_syntax *syntax)
{
    if (syntax->at < syntax->len && syntax->text[syntax->at] == '?') {
        while (syntax->at < syntax->len && syntax->text[syntax->at] != ':' && syntax->text[syntax->at] != ')')
            syntax->at++;
        if (syntax->at < syntax->len && syntax->text[syntax->at] == ')') {
            syntax->at++;
            return false;
        }
        syntax->at++;
    }
    const bool consumes = regex_syntax_branches(syntax);
    syntax->at++;
    return consumes;
}

/* Steps over branches up to the parenthesis that closes them, or the end; true when they can consume bytes. */
static bool regex_syntax_branches(struct regex_syntax *syntax)
{
    bool consumes = false;

    while (regex_syntax_more(syntax) && syntax->text[syntax->at] != ')') {
        const uint8_t c = syntax->text[syntax->at++];
        bool atom = true;

        if (c == '^' || c == '$')
            syntax->refused =
                "an image has no lines, so ^ and $ match nowhere; leave them out, or write \\x5e or \\x24 for "
                "the characters";
        else if (c == '[')
            regex_syntax_bracket(syntax);
        else if (c == '(')
            atom = regex_syntax_group(syntax);
        else if (c == '\\')
            atom = regex_syntax_escape(syntax);
        else if (c == '|')
            continue;
        if (!regex_syntax_zero_times(syntax))
            consumes |= atom;
    }
    return consumes;
}

const char *match_regex_refused(const uint8_t *text, uint32_t len)
{
    struct regex_syntax syntax = { .text = text, .len = len };
    bool consumes = false;

    while (regex_syntax_more(&syntax)) {
        consumes |= regex_syntax_branches(&syntax);
        syntax.at++; /* a parenthesis that closes nothing is a character */
    }
    if (syntax.refused == NULL && !consumes)
        syntax.refused = "it can match nothing but the empty string";
    return syntax.refused;
}
