/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_parse.c - see regex_parse.h.
 *
 * Reads from left to right with a stack of open groups, each of which holds what has been read of
 * it: the alternatives so far, and the last of them. A change of flags in the middle of a group
 * opens one more, which ends with it.
 */
#include <stddef.h>

#include "match/regex/regex_parse.h"

enum {
    PARSE_FOLD = 1 << 0,    /* letters of both cases */
    PARSE_LINES = 1 << 1,   /* . is no line feed */
    PARSE_LAZY = 1 << 2,    /* repeats take as little as possible, and those with a ? as much */
    PARSE_COUNT_MAX = 255,  /* of repeats; RE_DUP_MAX of POSIX */
    PARSE_NUMBER_MAX = 9999 /* read as far as this */
};

struct parse_group {
    uint16_t before, last; /* alternatives but the last one, and that; before is 0 with no | yet */
    bool several;          /* there was a | */
    bool rest;             /* from a change of flags to the end of the group around it */
    uint8_t flags;         /* of the group around it */
    uint32_t at;           /* of its opening parenthesis */
};

struct parse {
    const uint8_t *text;
    uint32_t len, at;
    struct regex_tree *tree;
    struct regex_fault *fault;
    uint8_t flags;
    bool escapes;  /* in brackets a backslash is one */
    bool quoted;   /* between \Q and \E */
    uint32_t open; /* parentheses */
    uint32_t depth;
    struct parse_group groups[LIMIT_PATTERN_LEN + 1]; /* [depth + 1]; the first is the expression */
};

static bool parse_wrong(struct parse *p, uint32_t at, const char *why)
{
    *p->fault = (struct regex_fault){ .at = at, .syntax = true, .why = why };
    return false;
}

static bool parse_refused(struct parse *p, uint32_t at, const char *why)
{
    *p->fault = (struct regex_fault){ .at = at, .syntax = false, .why = why };
    return false;
}

static uint8_t parse_peek(const struct parse *p, uint32_t ahead)
{
    return p->at + ahead < p->len ? p->text[p->at + ahead] : 0;
}

static uint16_t parse_byte(struct parse *p, uint8_t c, bool fold)
{
    struct regex_set set = { { 0 } };

    regex_set_add(&set, c);
    if (fold)
        regex_parse_fold(&set);
    return regex_tree_set(p->tree, &set);
}

static void parse_append(struct parse *p, uint16_t node)
{
    struct parse_group *group = &p->groups[p->depth];

    group->last = regex_tree_cat(p->tree, group->last, node);
}

static void parse_push(struct parse *p, bool rest, uint32_t at, uint8_t flags)
{
    p->groups[++p->depth] = (struct parse_group){ .rest = rest, .at = at, .flags = p->flags };
    p->flags = flags;
}

static uint16_t parse_inside(struct parse *p, const struct parse_group *group)
{
    return group->several ? regex_tree_alt(p->tree, group->before, group->last) : group->last;
}

/* Ends the innermost group. */
static uint16_t parse_pop(struct parse *p)
{
    const struct parse_group *group = &p->groups[p->depth--];

    p->flags = group->flags;
    return parse_inside(p, group);
}

static void parse_pop_rests(struct parse *p)
{
    while (p->groups[p->depth].rest) {
        const uint16_t node = parse_pop(p);

        parse_append(p, node);
    }
}

static void parse_bar(struct parse *p)
{
    struct parse_group *group = &p->groups[p->depth];

    group->before = parse_inside(p, group);
    group->several = true;
    group->last = 0;
    p->at++;
}

/* Digits at text[at]; false when there are none. */
static bool parse_digits(struct parse *p, uint32_t *out)
{
    const uint32_t first = p->at;

    *out = 0;
    for (; parse_peek(p, 0) >= '0' && parse_peek(p, 0) <= '9'; p->at++)
        *out = *out > PARSE_NUMBER_MAX / 10 ? PARSE_NUMBER_MAX
                                            : *out * 10 + (uint32_t)(p->text[p->at] - '0');
    return p->at > first;
}

/* The inside of {...} and its end; at stands behind the opening brace. */
static bool parse_counts(struct parse *p, uint32_t *min, uint32_t *max)
{
    const uint32_t opening = p->at - 1;
    const uint8_t *end = memchr(p->text + p->at, '}', p->len - p->at);

    if (end == NULL)
        return parse_wrong(p, opening, "a { without its }; write \\{ for the character");
    for (const uint8_t *c = p->text + p->at; c < end; c++)
        if (strchr("+-#~<", *c) != NULL && *c != 0)
            return parse_refused(p, opening,
                                 "approximate matching is not supported; leave the {~} out");

    const bool has_min = parse_digits(p, min);
    bool has_max = has_min;
    *max = *min;
    if (parse_peek(p, 0) == ',') {
        p->at++;
        has_max = parse_digits(p, max);
        if (!has_max)
            *max = REGEX_ENDLESS;
    }
    while (parse_peek(p, 0) == ' ' || parse_peek(p, 0) == ',')
        p->at++;
    if (parse_peek(p, 0) != '}' || !(has_min || has_max))
        return parse_wrong(
            p, opening,
            "the braces hold no counts; write {2}, {2,} or {2,5}, or \\{ for the character");
    p->at++;
    if (has_max && (*max > PARSE_COUNT_MAX || *min > *max))
        return parse_wrong(p, opening,
                           *min > *max ? "the first count is larger than the second one"
                                       : "a count is larger than 255");
    return true;
}

/* The repeats behind a node. */
static bool parse_repeats(struct parse *p, uint16_t *node)
{
    while (p->at < p->len) {
        const uint8_t c = p->text[p->at];
        uint32_t min = c == '+', max = c == '?' ? 1 : REGEX_ENDLESS;
        bool lazy = (p->flags & PARSE_LAZY) != 0;

        if (c != '*' && c != '+' && c != '?' && c != '{')
            break;
        p->at++;
        if (c == '{' && !parse_counts(p, &min, &max))
            return false;
        if (parse_peek(p, 0) == '*' || parse_peek(p, 0) == '+')
            return parse_wrong(
                p, p->at,
                "a repeat of a repeat; write parentheses, or \\* or \\+ for the character");
        if (parse_peek(p, 0) == '?') {
            lazy = !lazy;
            p->at++;
        }
        *node = regex_tree_repeat(p->tree, *node, min, max);
        p->tree->lazy |= lazy && max > 0;
    }
    return true;
}

static bool parse_close(struct parse *p)
{
    parse_pop_rests(p);
    uint16_t node = parse_pop(p);
    p->open--;
    p->at++;
    if (!parse_repeats(p, &node))
        return false;
    parse_append(p, node);
    return true;
}

/* (?...: at stands on the parenthesis. */
static bool parse_extension(struct parse *p)
{
    static const char letters[] =
        "inUr"; /* r tells which of two equal matches is taken: nothing here */
    static const uint8_t flags[] = { PARSE_FOLD, PARSE_LINES, PARSE_LAZY, 0 };
    const uint32_t opening = p->at;
    uint8_t now = p->flags;
    bool on = true;

    for (p->at += 2;; p->at++) {
        const uint8_t c = parse_peek(p, 0);
        const char *letter = c == 0 ? NULL : strchr(letters, c);

        if (letter != NULL)
            now = (uint8_t)(on ? now | flags[letter - letters] : now & ~flags[letter - letters]);
        else if (c == '-')
            on = false;
        else if (c == ':' || c == ')' || c == '#')
            break;
        else
            return parse_wrong(
                p, opening, "(? begins flags as (?i), a group as (?:...) or a comment as (?#...)");
    }
    const bool group = parse_peek(p, 0) == ':';
    while (!group && p->at < p->len && p->text[p->at] != ')')
        p->at++;
    if (p->at == p->len)
        return parse_wrong(p, opening, "a comment without its )");
    p->at++;
    p->open += group;
    parse_push(p, !group, opening, now);
    return true;
}

/* What follows a backslash, at which at stands. */
static bool parse_escape(struct parse *p, uint16_t *node)
{
    const uint32_t at = p->at;

    if (at + 1 >= p->len)
        return parse_wrong(p, at, "a backslash at the end; write \\\\ for one");
    uint8_t c = p->text[at + 1];
    struct regex_set set = { { 0 } };
    if (c == '<' || c == '>' || c == 'b' || c == 'B')
        return parse_refused(
            p, at, "the word edges \\< \\> \\b \\B look at bytes beside the match; leave them out");
    if (c >= '0' && c <= '9')
        return parse_refused(
            p, at, "back-references are not supported; write the text out, or \\xHH for a byte");
    if (regex_parse_escaped_class(c, &set)) {
        p->at += 2;
        *node = regex_tree_set(p->tree, &set);
        return true;
    }
    if (!regex_parse_escaped_byte(p->text, p->len, &p->at, &c, p->fault))
        return false;
    *node = parse_byte(p, c, false);
    return true;
}

/* One byte of text between \Q and \E, or its end. */
static void parse_quoted(struct parse *p)
{
    p->quoted = !(p->text[p->at] == '\\' && parse_peek(p, 1) == 'E');
    if (p->quoted) {
        const uint16_t node = parse_byte(p, p->text[p->at], (p->flags & PARSE_FOLD) != 0);

        parse_append(p, node);
    }
    p->at += p->quoted ? 1 : 2;
}

static bool parse_atom(struct parse *p)
{
    const uint8_t c = p->text[p->at];
    struct regex_set set = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
    uint16_t node = 0;

    if (c == '^' || c == '$')
        return parse_refused(p, p->at,
                             "an image has no lines, so ^ and $ match nowhere; leave them out, or "
                             "write \\x5e or \\x24 "
                             "for the characters");
    if (c == '[' || c == '.') {
        p->at++;
        if (c == '[' && !regex_parse_bracket(p->text, p->len, &p->at, (p->flags & PARSE_FOLD) != 0,
                                             p->escapes, &set, p->fault))
            return false;
        if (c == '.' && (p->flags & PARSE_LINES) != 0)
            set.bits[0] &= ~((uint64_t)1 << '\n');
        node = regex_tree_set(p->tree, &set);
    } else if (c == '\\') {
        if (!parse_escape(p, &node))
            return false;
    } else if (c != '*' && c != '+' && c != '?' && c != '{') { /* these repeat nothing */
        p->at++;
        node = parse_byte(p, c, (p->flags & PARSE_FOLD) != 0);
    }
    if (!parse_repeats(p, &node))
        return false;
    parse_append(p, node);
    return true;
}

/* Reads what stands at at. */
static bool parse_next(struct parse *p)
{
    const uint8_t c = p->text[p->at];

    if (p->quoted) {
        parse_quoted(p);
    } else if (c == '|') {
        parse_bar(p);
    } else if (c == '\\' && parse_peek(p, 1) == 'Q') {
        p->quoted = true;
        p->at += 2;
    } else if (c == '(' && parse_peek(p, 1) == '?') {
        return parse_extension(p);
    } else if (c == '(') {
        parse_push(p, false, p->at++, p->flags);
        p->open++;
    } else if (c == ')' && p->open > 0) {
        return parse_close(p);
    } else {
        return parse_atom(p);
    }
    return true;
}

bool regex_parse(const uint8_t *text, uint32_t len, bool fold_case, bool escapes,
                 struct regex_tree *tree, struct regex_fault *fault)
{
    struct parse p = { .text = text,
                       .len = len,
                       .tree = tree,
                       .fault = fault,
                       .flags = fold_case ? PARSE_FOLD : 0,
                       .escapes = escapes };

    regex_tree_init(tree);
    while (p.at < len)
        if (!parse_next(&p))
            return false;
    parse_pop_rests(&p);
    if (p.depth > 0)
        return parse_wrong(&p, p.groups[p.depth].at, "a ( without its )");
    tree->root = parse_inside(&p, &p.groups[0]);
    return true;
}
