/* SPDX-License-Identifier: Apache-2.0
 * tests/match/regex_oracle.h - what a regular expression matches, by the book and slowly.
 *
 * Shares nothing with the program: it reads the expression by itself, writes nothing out and makes
 * nothing simpler. A match is found by carrying a set of places through the parts of the
 * expression: from the places where a part may begin to those where it may end. It knows the part
 * of the syntax that POSIX has, and what TRE adds of escapes; oracle_read says when there is more.
 */
#ifndef BURIN_TESTS_MATCH_REGEX_ORACLE_H
#define BURIN_TESTS_MATCH_REGEX_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

enum { ORACLE_PARTS = 1024, ORACLE_WINDOW = 1024, ORACLE_DEPTH = 48, ORACLE_NO_END = 1 << 20 };

enum oracle_kind { ORACLE_NOTHING, ORACLE_BYTE, ORACLE_BOTH, ORACLE_EITHER, ORACLE_TIMES };

struct oracle_part {
    enum oracle_kind kind;
    int left, right, min, max;
    bool takes[256];
};

struct oracle {
    const uint8_t *text;
    int len, at, depth;
    bool fold, known; /* known: nothing so far that it does not know, or that is wrong */
    bool lazy;
    int count, root;
    uint32_t work, most; /* parts gone through for a match; beyond `most` it gives up. oracle_read
                            sets no end */
    struct oracle_part parts[ORACLE_PARTS];
};

static inline int oracle_add(struct oracle *o, enum oracle_kind kind, int left, int right)
{
    if (o->count == ORACLE_PARTS) {
        o->known = false;
        return 0;
    }
    o->parts[o->count] = (struct oracle_part){ .kind = kind, .left = left, .right = right };
    return o->count++;
}

static inline bool oracle_more(const struct oracle *o)
{
    return o->known && o->at < o->len;
}

static inline bool oracle_is(const struct oracle *o, int ahead, char c)
{
    return o->at + ahead < o->len && o->text[o->at + ahead] == (uint8_t)c;
}

static inline bool oracle_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool oracle_class(const char *name, int len, int c)
{
    const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z',
               digit = c >= '0' && c <= '9';
    const bool graph = c > 0x20 && c < 0x7f;

#define ORACLE_CLASS(word, what)                                                                   \
    if (len == (int)sizeof(word) - 1 && memcmp(name, word, sizeof(word) - 1) == 0)                 \
    return what
    ORACLE_CLASS("alnum", lower || upper || digit);
    ORACLE_CLASS("alpha", lower || upper);
    ORACLE_CLASS("blank", c == ' ' || c == '\t');
    ORACLE_CLASS("cntrl", c < 0x20 || c == 0x7f);
    ORACLE_CLASS("digit", digit);
    ORACLE_CLASS("graph", graph);
    ORACLE_CLASS("lower", lower);
    ORACLE_CLASS("print", graph || c == ' ');
    ORACLE_CLASS("punct", graph && !lower && !upper && !digit);
    ORACLE_CLASS("space", c == ' ' || (c >= 9 && c <= 13));
    ORACLE_CLASS("upper", upper);
    ORACLE_CLASS("xdigit", digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
#undef ORACLE_CLASS
    return false;
}

/* Behind the opening bracket. */
static inline void oracle_bracket(struct oracle *o, bool takes[256])
{
    const bool negated = oracle_is(o, 0, '^');

    o->at += negated;
    for (const int first = o->at; oracle_more(o) && !(o->text[o->at] == ']' && o->at > first);) {
        const int c = o->text[o->at];

        if (oracle_is(o, 1, '-') && o->at + 2 < o->len && !oracle_is(o, 2, ']')) {
            o->known = c <= o->text[o->at + 2];
            for (int i = c; i <= o->text[o->at + 2]; i++)
                takes[i] = true;
            o->at += 3;
        } else if (c == '[' && oracle_is(o, 1, ':')) {
            const char *name = (const char *)o->text + o->at + 2;
            const char *end = memchr(name, ':', (size_t)(o->len - o->at - 2));
            bool any = false;

            for (int i = 0; i < 256 && end != NULL; i++) {
                takes[i] |= oracle_class(name, (int)(end - name), i);
                any |= oracle_class(name, (int)(end - name), i);
            }
            o->at = end == NULL ? o->len : (int)((const uint8_t *)end - o->text) + 2;
            o->known = any && o->at <= o->len && o->text[o->at - 1] == ']';
        } else {
            o->known = !(c == '[' && (oracle_is(o, 1, '.') || oracle_is(o, 1, '='))) &&
                       !(c == '-' && o->at > first && !oracle_is(o, 1, ']'));
            takes[c] = true;
            o->at++;
        }
    }
    o->known &= o->at < o->len;
    o->at++;
    for (int c = 'a'; c <= 'z' && o->fold; c++)
        takes[c] = takes[c - 32] = takes[c] || takes[c - 32];
    for (int c = 0; c < 256 && negated; c++)
        takes[c] = !takes[c];
}

static inline int oracle_hex(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Behind the backslash. */
static inline void oracle_escape(struct oracle *o, bool takes[256])
{
    static const char names[] = "tnrfae", bytes[] = "\t\n\r\f\a\033";
    int c = oracle_more(o) ? o->text[o->at++] : 0;
    const char *name = c == 0 ? NULL : strchr(names, c);

    o->known &= o->at <= o->len && c != 0 && strchr("0123456789bB<>Q", c) == NULL;
    if (c == 'x') {
        int value = 0;

        o->known &= !oracle_is(o, 0, '{');
        for (int i = 0; i < 2 && o->at < o->len && oracle_hex(o->text[o->at]) >= 0; i++)
            value = value * 16 + oracle_hex(o->text[o->at++]);
        takes[value] = true;
    } else if (name != NULL) {
        takes[(uint8_t)bytes[name - names]] = true;
    } else if (c != 0 && strchr("dDsSwW", c) != NULL) {
        const char *class = (c | 32) == 'd' ? "digit" : (c | 32) == 's' ? "space" : "alnum";

        for (int i = 0; i < 256; i++)
            takes[i] = (oracle_class(class, 5, i) || ((c | 32) == 'w' && i == '_')) == (c >= 'a');
    } else {
        takes[c] = true;
    }
}

static inline int oracle_alternatives(struct oracle *o);

static inline int oracle_atom(struct oracle *o)
{
    const int c = o->text[o->at];
    int part;

    if (c == '(') {
        const bool group = oracle_is(o, 1, '?');

        o->known &= (!group || oracle_is(o, 2, ':')) && o->depth < ORACLE_DEPTH;
        o->at += group ? 3 : 1;
        o->depth++;
        part = oracle_alternatives(o);
        o->depth--;
        o->known &= oracle_is(o, 0, ')');
        o->at++;
        return part;
    }
    if (strchr("*+?{", c) != NULL && c != 0)
        return oracle_add(o, ORACLE_NOTHING, 0, 0);
    part = oracle_add(o, ORACLE_BYTE, 0, 0);
    o->at++;
    o->known &= c != '^' && c != '$';
    if (c == '.')
        memset(o->parts[part].takes, true, 256);
    else if (c == '[')
        oracle_bracket(o, o->parts[part].takes);
    else if (c == '\\')
        oracle_escape(o, o->parts[part].takes);
    else if (o->fold && oracle_letter(c))
        o->parts[part].takes[c] = o->parts[part].takes[c ^ 32] = true;
    else
        o->parts[part].takes[c] = true;
    return part;
}

static inline int oracle_number(struct oracle *o)
{
    int value = -1;

    for (; o->at < o->len && o->text[o->at] >= '0' && o->text[o->at] <= '9'; o->at++)
        value = value > 999 ? 999 : (value < 0 ? 0 : value * 10) + o->text[o->at] - '0';
    return value;
}

static inline int oracle_piece(struct oracle *o)
{
    int part = oracle_atom(o);

    while (oracle_more(o) && o->text[o->at] != 0 && strchr("*+?{", o->text[o->at]) != NULL) {
        const int c = o->text[o->at++];
        int min = c == '+', max = c == '?' ? 1 : ORACLE_NO_END;
        const bool nothing = o->parts[part].kind == ORACLE_NOTHING;

        if (c == '{') {
            min = max = oracle_number(o);
            if (oracle_is(o, 0, ',')) {
                o->at++;
                max = oracle_number(o);
                o->known &= min >= 0 || max >= 0;
                min = min < 0 ? 0 : min;
                max = max < 0 ? ORACLE_NO_END : max;
            }
            o->known &= min >= 0 && oracle_is(o, 0, '}') &&
                        (max == ORACLE_NO_END || (max <= 255 && min <= max));
            o->at++;
        }
        o->known &= !oracle_is(o, 0, '*') && !oracle_is(o, 0, '+');
        if (oracle_is(o, 0, '?')) {
            o->lazy |= max > 0;
            o->at++;
        }
        part =
            max == 0 ? oracle_add(o, ORACLE_NOTHING, 0, 0) : oracle_add(o, ORACLE_TIMES, part, 0);
        o->parts[part].min = min;
        o->parts[part].max = max;
        if (nothing)
            o->parts[part].kind = ORACLE_NOTHING;
    }
    return part;
}

static inline int oracle_branch(struct oracle *o)
{
    int all = oracle_add(o, ORACLE_NOTHING, 0, 0);

    while (oracle_more(o) && o->text[o->at] != '|' && !(o->text[o->at] == ')' && o->depth > 0)) {
        const int next = oracle_piece(o);

        all = oracle_add(o, ORACLE_BOTH, all, next);
    }
    return all;
}

static inline int oracle_alternatives(struct oracle *o)
{
    int all = oracle_branch(o);

    while (oracle_more(o) && o->text[o->at] == '|') {
        o->at++;
        const int next = oracle_branch(o);
        all = oracle_add(o, ORACLE_EITHER, all, next);
    }
    return all;
}

/* False when the expression is wrong, or more than the oracle knows. */
static inline bool oracle_read(struct oracle *o, const uint8_t *text, uint32_t len, bool fold)
{
    memset(o, 0, sizeof *o);
    o->text = text;
    o->len = (int)len;
    o->fold = fold;
    o->known = true;
    o->most = UINT32_MAX;
    o->root = oracle_alternatives(o);
    return o->known && o->at == o->len;
}

/* A set of places, all of them below `end`. */
struct oracle_places {
    int end;
    bool at[ORACLE_WINDOW + 1];
};

static inline bool oracle_join(struct oracle_places *to, const struct oracle_places *from)
{
    bool news = false;

    for (int i = 0; i < from->end; i++) {
        news |= from->at[i] && !to->at[i];
        to->at[i] |= from->at[i];
    }
    to->end = to->end > from->end ? to->end : from->end;
    return news;
}

/* The places behind a byte that the part takes. */
static inline void oracle_take(const struct oracle_part *p, const uint8_t *bytes, int len,
                               struct oracle_places *places)
{
    const int last = places->end < len ? places->end : len;

    places->end = 0;
    for (int i = last; i > 0; i--) {
        places->at[i] = places->at[i - 1] && p->takes[bytes[i - 1]];
        if (places->at[i] && places->end == 0)
            places->end = i + 1;
    }
    places->at[0] = false;
}

/*
 * Places where a part can end that begins at those in *places. Depth is that of the expression, at
 * most a few hundred.
 */
static inline void oracle_carry(struct oracle *o, int part, const uint8_t *bytes, int len,
                                struct oracle_places *places)
{
    const struct oracle_part *p = &o->parts[part];
    struct oracle_places *other;

    if (o->work == o->most || places->end == 0)
        return;
    o->work++;
    if (p->kind == ORACLE_BYTE) {
        oracle_take(p, bytes, len, places);
    } else if (p->kind == ORACLE_BOTH) {
        oracle_carry(o, p->left, bytes, len, places);
        oracle_carry(o, p->right, bytes, len, places);
    } else if (p->kind == ORACLE_EITHER) {
        other = malloc(sizeof *other);
        *other = *places;
        oracle_carry(o, p->left, bytes, len, places);
        oracle_carry(o, p->right, bytes, len, other);
        oracle_join(places, other);
        free(other);
    } else if (p->kind == ORACLE_TIMES) {
        for (int i = 0; i < p->min; i++)
            oracle_carry(o, p->left, bytes, len, places);
        other = malloc(sizeof *other);
        *other = *places;
        for (int i = p->min; i < p->max; i++) {
            oracle_carry(o, p->left, bytes, len, other);
            if (!oracle_join(places, other))
                break;
        }
        free(other);
    }
}

/*
 * Bytes of the match that begins at bytes[0], of at most len bytes; 0: there is none. Means nothing
 * when work has become most.
 */
static inline uint32_t oracle_match(struct oracle *o, const uint8_t *bytes, uint32_t len)
{
    struct oracle_places *places = calloc(1, sizeof *places);
    const int window = len < ORACLE_WINDOW ? (int)len : ORACLE_WINDOW;
    int match = 0;

    o->work = 0;
    places->at[0] = true;
    places->end = 1;
    oracle_carry(o, o->root, bytes, window, places);
    for (int i = 1; i <= window && (match == 0 || !o->lazy); i++)
        if (places->at[i])
            match = i;
    if (o->lazy && places->at[0])
        match = 0;
    free(places);
    return (uint32_t)match;
}

#endif
