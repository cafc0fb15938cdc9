/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_number.c - numbers of cards and accounts, from their first character on.
 */
#include "carver/feature/check.h"
#include "carver/feature/feature_parts.h"
#include "carver/feature/letter.h"

/* Digits from character k on, as many as are beside each other; at most `most`. */
static int32_t number_run(const struct feature_view *view, int32_t k, int32_t most)
{
    int32_t len = 0;

    while (len < most && letter_digit(feature_char(view, k + len)))
        len++;
    return len;
}

/* Whether what stands behind character `to` makes the number a longer one, or no number. */
static bool number_goes_on(const struct feature_view *view, int32_t to, char between)
{
    const char next = feature_char(view, to), after = feature_char(view, to + 1);

    if (letter_alnum(next) || next == '_')
        return true;
    if (next == ' ' && between == ' ')
        return number_run(view, to + 1, 5) == 4;
    return (next == '.' || next == '-') && letter_digit(after);
}

/* The same, of what stands before it. */
static bool number_went_before(const struct feature_view *view, char between)
{
    const char last = feature_char(view, -1), before = feature_char(view, -2);

    return letter_alnum(last) || last == '_' || last == '.' || last == '+' || last == '-' ||
           (last == between && letter_digit(before));
}

/*
 * Groups as they are printed: 4 4 4 4, 4 4 4 4 3, 4 6 5 and 4 6 4, with the same character between
 * all. Copies their digits; *to is where they end. 0: none.
 */
static uint32_t number_groups(const struct feature_view *view, char digits[CHECK_CARD_MAX + 1],
                              int32_t *to)
{
    static const int8_t shapes[][5] = {
        { 4, 4, 4, 4, 3 }, { 4, 4, 4, 4 }, { 4, 6, 5 }, { 4, 6, 4 }
    };
    const char between = feature_char(view, 4);

    if (between != ' ' && between != '-')
        return 0;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint32_t len = 0;
        int32_t at = 0;
        bool right = true;

        for (int32_t k = 0; k < 5 && shapes[i][k] > 0 && right; k++) {
            right = (k == 0 || feature_char(view, at++) == between) &&
                    number_run(view, at, shapes[i][k] + 1) == shapes[i][k];
            if (right)
                len += feature_copy(view, at, at + shapes[i][k], digits + len);
            at += shapes[i][k];
        }
        *to = at;
        if (right)
            return len;
    }
    return 0;
}

bool feature_card(const struct feature_view *view, struct feature_span *out)
{
    char digits[CHECK_CARD_MAX + 1];
    const char first = feature_char(view, 0);
    const int32_t run = number_run(view, 0, CHECK_CARD_MAX + 1);
    int32_t to = run;
    uint32_t len = 0;

    if (first < '2' || first > '6')
        return false;
    if (run == 4)
        len = number_groups(view, digits, &to);
    else if (run >= CHECK_CARD_MIN && run <= CHECK_CARD_MAX)
        len = feature_copy(view, 0, run, digits);
    const char between = run == 4 ? feature_char(view, 4) : ' ';
    *out = (struct feature_span){ 0, to };
    return len > 0 && !number_went_before(view, between) && !number_goes_on(view, to, between) &&
           check_card(digits, len);
}

bool feature_iban(const struct feature_view *view, struct feature_span *out)
{
    char text[CHECK_IBAN_MAX] = { feature_char(view, 0), feature_char(view, 1) };
    const uint32_t len = (uint32_t)check_iban_len(text);
    const bool spaced = feature_char(view, 4) == ' ';
    int32_t to = 0;

    if (len == 0)
        return false;
    for (uint32_t i = 0; i < len; i++) {
        if (spaced && i > 0 && i % 4 == 0 && feature_char(view, to++) != ' ')
            return false;
        const char c = text[i] = feature_char(view, to++);
        if (!letter_digit(c) && !letter_upper(c))
            return false;
    }
    const char next = feature_char(view, to);
    *out = (struct feature_span){ 0, to };
    return !letter_alnum(next) && next != '_' && check_iban(text, len);
}
