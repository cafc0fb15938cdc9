/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_letters.c - see keyword_letters.h. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "carver/keyword/keyword_letters.h"

enum {
    LETTERS_END = 0x1e944,
    LETTERS_MAX = 4096
}; /* behind the last letter with two cases; room for all there are */

struct letters_pair {
    uint32_t capital, code;
};

struct keyword_letters {
    locale_t locale;
    struct letters_pair
        pairs[LETTERS_MAX]; /* of letters that have more than one form, by capital, then code */
    uint32_t count;
};

static uint32_t letters_capital(const struct keyword_letters *letters, uint32_t code)
{
    /* Some small letters have a capital one that has another small one: KELVIN SIGN is none of
     * those of k. */
    return (uint32_t)towupper_l(towlower_l((wint_t)code, letters->locale), letters->locale);
}

static int letters_compare(const void *a, const void *b)
{
    const struct letters_pair *x = a, *y = b;

    if (x->capital != y->capital)
        return x->capital < y->capital ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

enum err_code keyword_letters_open(struct keyword_letters **out, struct err *err)
{
    struct keyword_letters *letters = calloc(1, sizeof *letters);

    *out = letters;
    if (letters == NULL)
        return ERR_NO_MEMORY(err, sizeof *letters);
    letters->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (letters->locale == (locale_t)0) {
        free(letters);
        *out = NULL;
        return ERR_RAISE(err, ERR_ENV,
                         "the locale C.UTF-8, which knows capital letters, is not available: %s",
                         strerror(errno));
    }
    for (uint32_t code = 0x80; code < LETTERS_END && letters->count < LETTERS_MAX; code++) {
        const uint32_t capital = letters_capital(letters, code);

        if (capital >= 0x80 &&
            (capital != code || (uint32_t)towlower_l((wint_t)code, letters->locale) != code))
            letters->pairs[letters->count++] = (struct letters_pair){ capital, code };
    }
    qsort(letters->pairs, letters->count, sizeof *letters->pairs, letters_compare);
    return ERR_OK;
}

void keyword_letters_close(struct keyword_letters *letters)
{
    if (letters == NULL)
        return;
    freelocale(letters->locale);
    free(letters);
}

uint32_t keyword_letters_forms(const struct keyword_letters *letters, uint32_t code,
                               uint32_t *forms, uint32_t max)
{
    uint32_t count = 1, low = 0, high = letters->count;

    forms[0] = code;
    if (code < 0x80) {
        const uint32_t small = code | 0x20;

        if (small >= 'a' && small <= 'z' && count < max)
            forms[count++] = code ^ 0x20;
        return count;
    }
    const uint32_t capital = letters_capital(letters, code);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (letters->pairs[middle].capital < capital)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < letters->count && letters->pairs[low].capital == capital && count < max; low++)
        if (letters->pairs[low].code != code)
            forms[count++] = letters->pairs[low].code;
    return count;
}
