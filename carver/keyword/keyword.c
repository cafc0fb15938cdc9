/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword.c - see keyword.h. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hex.h"
#include "base/limits.h"
#include "carver/cli/print_safe.h"
#include "carver/keyword/keyword.h"
#include "carver/keyword/keyword_encode.h"
#include "carver/keyword/keyword_letters.h"
#include "carver/keyword/keyword_parts.h"

static enum err_code keyword_encodings(struct keyword_set *set, const char *list, struct err *err)
{
    for (const char *word = list; word != NULL;) {
        const size_t len = strcspn(word, ",");
        char name[KEYWORD_ENCODING_NAME] = "";

        if (len == 0 || len >= KEYWORD_ENCODING_NAME || set->encoding_count == LIMIT_ENCODINGS)
            return ERR_RAISE(err, ERR_ARG, "--encoding %s: write 1 to %d names with commas between",
                             list, LIMIT_ENCODINGS);
        memcpy(name, word, len);
        const enum err_code rc =
            keyword_encoding_open(name, &set->encodings[set->encoding_count], err);
        if (rc != ERR_OK)
            return rc;
        set->encoding_count++;
        word = word[len] == ',' ? word + len + 1 : NULL;
    }
    return ERR_OK;
}

enum err_code keyword_set_open(const char *encodings, bool ignore_case, struct keyword_set *out,
                               struct err *err)
{
    *out = (struct keyword_set){ .ignore_case = ignore_case };
    arena_init(&out->arena, SIZE_MAX);
    enum err_code rc = keyword_encodings(out, encodings, err);
    if (rc == ERR_OK && ignore_case)
        rc = keyword_letters_open(&out->letters, err);
    if (rc != ERR_OK)
        keyword_set_close(out);
    return rc;
}

void keyword_set_close(struct keyword_set *set)
{
    for (uint32_t i = 0; i < set->encoding_count; i++)
        keyword_encoding_close(&set->encodings[i]);
    keyword_letters_close(set->letters);
    arena_release(&set->arena);
    free(set->items);
    *set = (struct keyword_set){ 0 };
}

enum err_code keyword_count(struct keyword_set *set, struct err *err)
{
    if (set->word_count == LIMIT_KEYWORDS)
        return ERR_RAISE(err, ERR_ARG,
                         "more than %d keywords: split the list, and search once for each part",
                         LIMIT_KEYWORDS);
    set->word_count++;
    return ERR_OK;
}

struct match_pattern keyword_pattern(const struct keyword *k)
{
    return (struct match_pattern){ .kind = k->regex     ? MATCH_REGEX
                                           : k->feature ? MATCH_FOUND
                                                        : MATCH_LITERAL,
                                   .bytes = k->bytes,
                                   .mask = k->mask,
                                   .len = k->len,
                                   .fold_case = k->fold_case,
                                   .zeros_before = k->zeros_before,
                                   .zeros_after = k->zeros_after,
                                   .escapes = k->regex };
}

static bool keyword_same(const struct keyword *a, const struct keyword *b)
{
    const uint8_t *x = a->mask, *y = b->mask;

    return a->len == b->len && a->fold_case == b->fold_case && a->regex == b->regex &&
           a->feature == b->feature && a->zeros_before == b->zeros_before &&
           a->zeros_after == b->zeros_after && memcmp(a->bytes, b->bytes, a->len) == 0 &&
           (x == NULL) == (y == NULL) && (x == NULL || memcmp(x, y, a->len) == 0);
}

enum err_code keyword_append(struct keyword_set *set, uint32_t first, const struct keyword *keyword,
                             struct err *err)
{
    for (uint32_t i = first; i < set->count; i++)
        if (keyword_same(&set->items[i], keyword))
            return ERR_OK; /* utf-8 and ascii, for example */
    const enum err_code rc =
        grow_items(&set->items, set->count, &set->room, sizeof *set->items, err);

    if (rc == ERR_OK)
        set->items[set->count++] = *keyword;
    return rc;
}

/* The word in one encoding, unless another one has given the same bytes; *had says whether the
 * encoding has all its characters. */
static enum err_code keyword_add_encoded(struct keyword_set *set, const char *text,
                                         const struct keyword_encoding *encoding, uint32_t first,
                                         bool *had, struct err *err)
{
    struct keyword keyword = { .text = text, .encoding = encoding->name };
    bool has = false;
    enum err_code rc = keyword_encode(set, encoding, &keyword, &has, err);

    if (rc != ERR_OK || !has)
        return rc;
    *had = true;
    return keyword_append(set, first, &keyword, err);
}

enum err_code keyword_add(struct keyword_set *set, const char *text, struct err *err)
{
    const size_t len = strlen(text);
    const uint32_t first = set->count;
    uint32_t code;
    bool had = false;

    if (len == 0)
        return ERR_RAISE(err, ERR_ARG, "an empty keyword would match everywhere");
    for (size_t at = 0, step; at < len; at += step) {
        step = utf8_sequence(text + at, len - at, &code);
        if (step == 0)
            return ERR_RAISE(err, ERR_ARG,
                             "the keyword's byte %zu is not UTF-8: write the word in UTF-8 and "
                             "name its encoding with --encoding, or give its bytes with --hex",
                             at + 1);
    }
    enum err_code rc = keyword_count(set, err);
    const char *copy = rc == ERR_OK ? arena_copy(&set->arena, text, len) : NULL;
    if (rc == ERR_OK && copy == NULL)
        rc = ERR_NO_MEMORY(err, len);
    for (uint32_t i = 0; rc == ERR_OK && i < set->encoding_count; i++)
        rc = keyword_add_encoded(set, copy, &set->encodings[i], first, &had, err);
    if (rc == ERR_OK && !had)
        rc = ERR_RAISE(err, ERR_ARG,
                       "the keyword '%s' has characters that none of the encodings has", text);
    return rc;
}

enum err_code keyword_add_hex(struct keyword_set *set, const char *text, struct err *err)
{
    uint8_t bytes[LIMIT_PATTERN_LEN], mask[LIMIT_PATTERN_LEN];
    uint32_t digits = 0, wild = 0;

    for (const char *p = text; *p != '\0'; p++) {
        const int digit = hex_digit(*p);

        if (*p == ' ')
            continue;
        if (digit < 0 && *p != '?')
            return ERR_RAISE(err, ERR_ARG,
                             "--hex '%s': column %td is neither a hexadecimal digit nor '?'", text,
                             p - text + 1);
        if (digits == 2 * LIMIT_PATTERN_LEN)
            return ERR_RAISE(err, ERR_ARG, "--hex: more than %d bytes", LIMIT_PATTERN_LEN);
        const uint32_t at = digits / 2, shift = digits % 2 == 0 ? 4 : 0;
        if (shift == 4)
            bytes[at] = mask[at] = 0;
        bytes[at] |= (uint8_t)((digit < 0 ? 0u : (uint32_t)digit) << shift);
        mask[at] |= (uint8_t)((digit < 0 ? 0u : 0xfu) << shift);
        wild += digit < 0;
        digits++;
    }
    if (digits == 0 || digits % 2 != 0)
        return ERR_RAISE(err, ERR_ARG, "--hex '%s': two digits for each byte are needed", text);
    if (wild == digits)
        return ERR_RAISE(err, ERR_ARG,
                         "--hex '%s': it has only wildcards and would match everywhere", text);
    struct keyword keyword = { .text = arena_copy(&set->arena, text, strlen(text)),
                               .encoding = "hex",
                               .bytes = (const uint8_t *)arena_copy(&set->arena, bytes, digits / 2),
                               .len = digits / 2 };
    if (wild > 0)
        keyword.mask = (const uint8_t *)arena_copy(&set->arena, mask, digits / 2);
    if (keyword.text == NULL || keyword.bytes == NULL || (wild > 0 && keyword.mask == NULL))
        return ERR_NO_MEMORY(err, strlen(text));
    const enum err_code rc = keyword_count(set, err);
    return rc == ERR_OK ? keyword_append(set, set->count, &keyword, err) : rc;
}

enum err_code keyword_patterns(const struct keyword_set *set, struct patterns *out, struct err *err)
{
    *out = (struct patterns){ .uses = calloc(set->count + 1u, sizeof *out->uses) };
    if (out->uses == NULL)
        return ERR_NO_MEMORY(err, set->count * sizeof *out->uses);
    enum err_code rc = match_dictionary_create(&out->dictionary, err);
    for (uint32_t i = 0; rc == ERR_OK && i < set->count; i++) {
        const struct keyword *k = &set->items[i];
        const struct match_pattern pattern = keyword_pattern(k);
        uint32_t index;

        rc = match_dictionary_add(out->dictionary, &pattern, &index, err);
        if (rc != ERR_OK)
            err_while(err, "adding the keyword '%s'", k->text);
        else
            out->uses[index] = (struct pattern_use){ .row = i, .apart = k->regex || k->feature };
        out->count += rc == ERR_OK;
    }
    if (rc == ERR_OK && set->finder != NULL)
        keyword_find(set, out->dictionary);
    if (rc != ERR_OK)
        patterns_release(out);
    return rc;
}

const char *keyword_kind(const struct keyword *keyword)
{
    return keyword->regex ? "regex" : keyword->feature ? "feature" : "keyword";
}

bool keyword_confirm(const struct keyword *keyword, const uint8_t *bytes)
{
    const uint8_t *forms = keyword->forms;

    for (uint32_t at = 0; forms != NULL && at < keyword->len;) {
        const uint8_t count = forms[0], len = forms[1];
        bool same = false;

        for (uint32_t f = 0; f < count && !same; f++)
            same = memcmp(bytes + at, forms + 2 + f * len, len) == 0;
        if (!same)
            return false;
        forms += 2 + count * len;
        at += len;
    }
    return true;
}
