/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_encode.c - see keyword_encode.h. */
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "carver/cli/print_safe.h"
#include "carver/keyword/keyword_encode.h"
#include "carver/keyword/keyword_letters.h"

/* Characters below this one, most letters of Europe and the near east, are looked up once. */
enum { ENCODE_KNOWN = 0x800 };

struct keyword_known {
    struct keyword_char chars[ENCODE_KNOWN];
    bool seen[ENCODE_KNOWN];
};

size_t keyword_convert(iconv_t converter, const char *text, size_t len, uint8_t *out, size_t room)
{
    char *from = (char *)(uintptr_t)text, *to = (char *)out;
    size_t left = len, free_len = room;

    iconv(converter, NULL, NULL, NULL, NULL);
    return iconv(converter, &from, &left, &to, &free_len) == 0 && left == 0 ? room - free_len : 0;
}

static enum err_code keyword_stateful(const char *encoding, struct err *err)
{
    return ERR_RAISE(
        err, ERR_ARG,
        "--encoding %s: in this encoding a word has no fixed bytes; take utf-8, utf-16le, "
        "utf-16be, utf-32le, utf-32be or a code page",
        encoding);
}

/* Whether printable characters of ASCII are their own bytes, with so many zeros around each. */
static void keyword_find_ascii(struct keyword_encoding *encoding)
{
    uint8_t bytes[4 * KEYWORD_CHAR_MAX];
    const uint32_t unit = encoding->unit;
    bool same = unit <= 1 + MATCH_ZEROS_MAX;

    for (char c = ' '; c < 0x7f && same; c++) {
        const size_t len = keyword_convert(encoding->converter, &c, 1, bytes, sizeof bytes);
        uint32_t at = 0, zeros = 0;

        while (at + 1 < unit && bytes[at] == 0)
            at++;
        for (uint32_t i = 0; i < unit; i++)
            zeros += bytes[i] == 0;
        same = len == unit && bytes[at] == (uint8_t)c && zeros == unit - 1;
        encoding->zeros_before = (uint8_t)at;
        encoding->zeros_after = (uint8_t)(unit - 1 - at);
    }
    encoding->ascii = same;
}

enum err_code keyword_encoding_open(const char *name, struct keyword_encoding *out, struct err *err)
{
    uint8_t one[4 * KEYWORD_CHAR_MAX], two[4 * KEYWORD_CHAR_MAX];
    const iconv_t converter = iconv_open(name, "UTF-8");

    if (converter == (iconv_t)-1)
        return ERR_RAISE(err, ERR_ARG, "--encoding %s: unknown encoding; `iconv -l` lists all",
                         name);
    const size_t one_len = keyword_convert(converter, "A", 1, one, sizeof one);
    const size_t two_len = keyword_convert(converter, "AA", 2, two, sizeof two);
    if (one_len == 0 || one_len > KEYWORD_CHAR_MAX || two_len != 2 * one_len ||
        memcmp(one, two, one_len) != 0 || memcmp(one, two + one_len, one_len) != 0) {
        iconv_close(converter);
        return keyword_stateful(name, err);
    }
    *out = (struct keyword_encoding){ .converter = converter,
                                      .unit = (uint32_t)one_len,
                                      .known = calloc(1, sizeof *out->known) };
    memcpy(out->name, name, strlen(name) + 1);
    keyword_find_ascii(out);
    if (out->known != NULL)
        return ERR_OK;
    keyword_encoding_close(out);
    return ERR_NO_MEMORY(err, sizeof *out->known);
}

void keyword_encoding_close(struct keyword_encoding *encoding)
{
    iconv_close(encoding->converter);
    free(encoding->known);
}

/* The character in all forms that take as many bytes as itself. */
static void keyword_convert_char(const struct keyword_set *set, iconv_t converter, uint32_t code,
                                 struct keyword_char *out)
{
    uint32_t forms[KEYWORD_FORMS_MAX] = { code };
    const uint32_t count =
        set->ignore_case ? keyword_letters_forms(set->letters, code, forms, KEYWORD_FORMS_MAX) : 1;

    *out = (struct keyword_char){ 0 };
    for (uint32_t i = 0; i < count; i++) {
        char text[UTF8_MAX];
        uint8_t bytes[4 * KEYWORD_CHAR_MAX];
        const size_t len =
            keyword_convert(converter, text, utf8_put(forms[i], text), bytes, sizeof bytes);

        if (i == 0 && (len == 0 || len > KEYWORD_CHAR_MAX))
            return;
        if (i == 0)
            out->len = (uint8_t)len;
        if (len == out->len)
            memcpy(out->forms[out->form_count++], bytes, len);
    }
}

/* The same, of a character that may have come up before. */
static void keyword_char(const struct keyword_set *set, const struct keyword_encoding *encoding,
                         uint32_t code, struct keyword_char *out)
{
    struct keyword_known *const known = encoding->known;

    if (code >= ENCODE_KNOWN) {
        keyword_convert_char(set, encoding->converter, code, out);
        return;
    }
    if (!known->seen[code])
        keyword_convert_char(set, encoding->converter, code, &known->chars[code]);
    known->seen[code] = true;
    *out = known->chars[code];
}

/* Whether the mask of a character's forms lets through nothing else: two forms that differ in one
 * bit. */
static bool keyword_char_exact(const struct keyword_char *c)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < c->len && c->form_count == 2; i++)
        bits += (uint32_t)__builtin_popcount((uint32_t)(c->forms[0][i] ^ c->forms[1][i]));
    return c->form_count == 1 || (c->form_count == 2 && bits == 1);
}

/* Whether the mask says no more than that ASCII letters stand for both cases, which engines know as
 * a case of its own. */
static bool keyword_folds(const uint8_t *bytes, const uint8_t *mask, uint32_t len)
{
    bool folds = true;

    for (uint32_t i = 0; i < len && folds; i++) {
        const uint8_t small = bytes[i] | 0x20;

        folds = mask[i] == (small >= 'a' && small <= 'z' ? 0xdf : 0xff);
    }
    return folds;
}

/* See struct keyword. */
static enum err_code keyword_forms(struct keyword_set *set, const struct keyword_char *chars,
                                   uint32_t count, struct keyword *keyword, struct err *err)
{
    size_t size = 0;

    for (uint32_t i = 0; i < count; i++)
        size += 2u + chars[i].form_count * chars[i].len;
    uint8_t *const forms = arena_alloc(&set->arena, size), *at = forms;
    if (forms == NULL)
        return ERR_NO_MEMORY(err, size);
    for (uint32_t i = 0; i < count; i++) {
        *at++ = chars[i].form_count;
        *at++ = chars[i].len;
        for (uint32_t f = 0; f < chars[i].form_count; f++, at += chars[i].len)
            memcpy(at, chars[i].forms[f], chars[i].len);
    }
    keyword->forms = forms;
    return ERR_OK;
}

/* Bytes, mask and what else the pattern needs, of characters whose first form is the word. */
static enum err_code keyword_shape(struct keyword_set *set, const struct keyword_char *chars,
                                   uint32_t count, struct keyword *keyword, struct err *err)
{
    uint8_t bytes[LIMIT_PATTERN_LEN], mask[LIMIT_PATTERN_LEN];
    bool exact = true, masked = false;
    uint32_t at = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct keyword_char *c = &chars[i];

        for (uint32_t k = 0; k < c->len; k++, at++) {
            bytes[at] = c->forms[0][k];
            mask[at] = 0xff;
            for (uint32_t f = 1; f < c->form_count; f++)
                mask[at] &= (uint8_t) ~(c->forms[0][k] ^ c->forms[f][k]);
            masked = masked || mask[at] != 0xff;
        }
        exact = exact && keyword_char_exact(c);
    }
    keyword->fold_case = masked && exact && keyword_folds(bytes, mask, keyword->len);
    masked = masked && !keyword->fold_case;
    keyword->bytes = (const uint8_t *)arena_copy(&set->arena, bytes, keyword->len);
    keyword->mask = masked ? (const uint8_t *)arena_copy(&set->arena, mask, keyword->len) : NULL;
    if (keyword->bytes == NULL || (masked && keyword->mask == NULL))
        return ERR_NO_MEMORY(err, keyword->len);
    return exact ? ERR_OK : keyword_forms(set, chars, count, keyword, err);
}

enum err_code keyword_encode(struct keyword_set *set, const struct keyword_encoding *encoding,
                             struct keyword *keyword, bool *had, struct err *err)
{
    const char *text = keyword->text;
    struct keyword_char chars[LIMIT_PATTERN_LEN + 1]; /* each takes a byte at least; one more shows
                                                         that a word is too long */
    uint8_t whole[LIMIT_PATTERN_LEN + KEYWORD_CHAR_MAX];
    const size_t text_len = strlen(text);
    uint32_t count = 0;
    bool fits = true, known = true;
    for (size_t at = 0; at < text_len && fits && known;) {
        uint32_t code;

        at += utf8_sequence(text + at, text_len - at, &code);
        keyword_char(set, encoding, code, &chars[count]);
        known = chars[count].len > 0;
        fits = known && keyword->len + chars[count].len <= LIMIT_PATTERN_LEN;
        keyword->len += chars[count++].len;
    }
    if (!known)
        return ERR_OK;
    if (!fits)
        return ERR_RAISE(err, ERR_ARG, "the keyword '%.40s...' has more than %d bytes in %s", text,
                         LIMIT_PATTERN_LEN, encoding->name);
    *had = true;
    const size_t whole_len =
        keyword_convert(encoding->converter, text, text_len, whole, sizeof whole);
    enum err_code rc = keyword_shape(set, chars, count, keyword, err);
    if (rc == ERR_OK &&
        (whole_len != keyword->len || memcmp(whole, keyword->bytes, whole_len) != 0))
        rc = keyword_stateful(encoding->name, err);
    return rc;
}
