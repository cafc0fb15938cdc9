/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_phone.c - telephone numbers, where they show that they are some: by "+"
 * and a country, in the form of the North American numbering plan, or behind a word such as "tel:".
 */
#include <string.h>

#include "carver/feature/check.h"
#include "carver/feature/feature_parts.h"
#include "carver/feature/letter.h"

enum { PHONE_CHARS = 28, PHONE_WORD_MIN = 7 /* digits behind a word */ };

/*
 * Digits from character k on, with one of " -./" between, or the "(0)" and "(area)" of some
 * countries. Copies up to CHECK_PHONE_MAX + 1 of them; *to: behind the last one.
 */
static uint32_t phone_digits(const struct feature_view *view, int32_t k, char *digits, int32_t *to)
{
    uint32_t len = 0, whole = 0;
    bool between = false, open = false;

    *to = k;
    for (int32_t at = k; at - k < PHONE_CHARS && len <= CHECK_PHONE_MAX; at++) {
        const char c = feature_char(view, at), next = feature_char(view, at + 1);

        if (letter_digit(c)) {
            digits[len++] = c;
            whole = open ? whole : len;
            *to = open ? *to : at + 1;
            between = false;
        } else if (c == '(' && !open && len > 0) {
            open = true;
            if (next == '0' && feature_char(view, at + 2) == ')')
                at++; /* is not dialled behind the country */
        } else if (c == ')' && open) {
            open = false;
            between = next == ' ' || next == '-';
            at += between;
        } else if (c != '\0' && strchr(" -./", c) != NULL && !between && !open) {
            between = next != '(';
        } else {
            break;
        }
    }
    return whole;
}

static bool phone_ends(const struct feature_view *view, int32_t to)
{
    const char next = feature_char(view, to), after = feature_char(view, to + 1);

    return !letter_alnum(next) && next != '_' && next != '@' &&
           !((next == '.' || next == '-' || next == '/' || next == '(') && letter_digit(after));
}

static bool phone_code(const struct feature_view *view, struct feature_span *out)
{
    char digits[CHECK_PHONE_MAX + 1];
    int32_t to;
    const uint32_t len = phone_digits(view, 1, digits, &to);

    *out = (struct feature_span){ 0, to };
    return phone_ends(view, to) && check_phone(digits, len);
}

/* NNN-NNN-NNNN, NNN.NNN.NNNN, or (NNN) NNN-NNNN, in which there need not be a space. */
static bool phone_nanp(const struct feature_view *view, struct feature_span *out)
{
    char digits[10];
    const bool open = feature_char(view, 0) == '(';
    int32_t at = open;
    uint32_t len = feature_copy(view, at, at + 3, digits);
    const char last = feature_char(view, -1), between = feature_char(view, at += 3);

    if (open ? between != ')' : between != '-' && between != '.')
        return false;
    at += open && feature_char(view, at + 1) == ' ' ? 2 : 1;
    len += feature_copy(view, at, at + 3, digits + len);
    at += 3;
    const char second = feature_char(view, at++);
    if (open ? second != '-' && second != '.' && second != ' ' : second != between)
        return false;
    len += feature_copy(view, at, at + 4, digits + len);
    *out = (struct feature_span){ 0, at + 4 };
    return phone_ends(view, at + 4) && !letter_alnum(last) && last != '_' && last != '.' &&
           last != '/' && last != '$' && last != '#' && last != '%' &&
           !(last == '-' && feature_char(view, -2) != '1') && check_nanp(digits, len);
}

/* Whether one of the words stands before the colon. */
static bool phone_word(const struct feature_view *view)
{
    static const char *const words[] = { "tel",  "phone",   "fax",     "telephone", "mobile",
                                         "cell", "telefon", "telefax", "handy",     "mobil" };
    char before[10];

    for (int32_t i = 0; i < 10; i++)
        before[i] = letter_small(feature_char(view, i - 10));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t len = strlen(words[i]);

        if (memcmp(before + 10 - len, words[i], len) == 0 && !letter_alpha(before[10 - len - 1]))
            return true;
    }
    return false;
}

/* A number in the form of some country. */
static bool phone_named(const struct feature_view *view, struct feature_span *out)
{
    char digits[CHECK_PHONE_MAX + 1];
    struct feature_view number = *view;
    struct feature_span other;
    int32_t at = 1, to;

    while (at < 3 && feature_char(view, at) == ' ')
        at++;
    if (!letter_digit(feature_char(view, at)) || !phone_word(view))
        return false;
    const uint32_t len = phone_digits(view, at, digits, &to);
    bool same = true;
    for (uint32_t i = 1; i < len; i++)
        same = same && digits[i] == digits[0];
    number.at += (int64_t)at * view->unit;
    *out = (struct feature_span){ at, to };
    return len >= PHONE_WORD_MIN && len <= CHECK_PHONE_MAX && !same && phone_ends(view, to) &&
           !phone_nanp(&number, &other); /* which is found at its own place */
}

bool feature_phone(const struct feature_view *view, struct feature_span *out)
{
    switch (feature_char(view, 0)) {
    case '+':
        return phone_code(view, out);
    case ':':
        return phone_named(view, out);
    default:
        return phone_nanp(view, out);
    }
}
