/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_regex.c - regular expressions to look for: see keyword.h.
 *
 * An expression speaks of bytes. In an encoding of one byte a character it is converted as it
 * stands; in one that puts zeros around ASCII the matcher puts them around each byte.
 */
#include <string.h>

#include "base/limits.h"
#include "carver/keyword/keyword_encode.h"
#include "carver/keyword/keyword_parts.h"
#include "match/regex.h"

static bool regex_is_ascii(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] >= 0x80)
            return false;
    return true;
}

/* Whether the bytes of ASCII that b has are those that a has: no character was turned into any. */
static bool regex_same_ascii(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    size_t i = 0, k = 0;

    for (;; i++, k++) {
        while (i < a_len && a[i] >= 0x80)
            i++;
        while (k < b_len && b[k] >= 0x80)
            k++;
        if (i == a_len || k == b_len || a[i] != b[k])
            return i == a_len && k == b_len;
    }
}

/* The bytes of the expression in an encoding; 0: it has none there. */
static size_t regex_bytes(const struct keyword_encoding *encoding, const char *text, size_t len,
                          uint8_t out[LIMIT_PATTERN_LEN])
{
    const uint8_t *bytes = (const uint8_t *)text;

    if (!encoding->ascii)
        return 0;
    if (encoding->unit > 1 && !regex_is_ascii(bytes, len))
        return 0;
    if (regex_is_ascii(bytes, len)) {
        memcpy(out, text, len);
        return len;
    }
    const size_t made = keyword_convert(encoding->converter, text, len, out, LIMIT_PATTERN_LEN);
    return regex_same_ascii(bytes, len, out, made) ? made : 0;
}

static enum err_code regex_add_encoded(struct keyword_set *set, const char *text, size_t len,
                                       const struct keyword_encoding *encoding, uint32_t first,
                                       bool *had, struct err *err)
{
    uint8_t bytes[LIMIT_PATTERN_LEN];
    const size_t made = regex_bytes(encoding, text, len, bytes);
    struct keyword keyword = { .text = text,
                               .encoding = encoding->name,
                               .len = (uint32_t)made,
                               .fold_case = set->ignore_case,
                               .regex = true,
                               .zeros_before = encoding->zeros_before,
                               .zeros_after = encoding->zeros_after };
    struct err why = { 0 };
    uint32_t at;

    if (made == 0)
        return ERR_OK;
    *had = true;
    keyword.bytes = (const uint8_t *)arena_copy(&set->arena, bytes, made);
    if (keyword.bytes == NULL)
        return ERR_NO_MEMORY(err, made);
    const struct match_pattern pattern = keyword_pattern(&keyword);
    const enum err_code rc = match_regex_check(&pattern, &at, &why);
    if (rc == ERR_OK)
        return keyword_append(set, first, &keyword, err);
    return rc == ERR_INPUT ? ERR_RAISE(err, ERR_ARG, "%s (at its byte %u, in %s)", why.text, at + 1,
                                       encoding->name)
                           : ERR_RAISE(err, rc, "%s", why.text);
}

enum err_code keyword_add_regex(struct keyword_set *set, const char *text, struct err *err)
{
    const size_t len = strlen(text);
    const uint32_t first = set->count;
    bool had = false;

    if (len == 0)
        return ERR_RAISE(err, ERR_ARG, "an empty expression would match everywhere");
    if (len > LIMIT_PATTERN_LEN)
        return ERR_RAISE(err, ERR_ARG,
                         "a regular expression of %zu bytes is too long: the limit is %d; "
                         "shorten it",
                         len, LIMIT_PATTERN_LEN);
    enum err_code rc = keyword_count(set, err);
    const char *copy = rc == ERR_OK ? arena_copy(&set->arena, text, len) : NULL;
    if (rc == ERR_OK && copy == NULL)
        rc = ERR_NO_MEMORY(err, len);
    for (uint32_t i = 0; rc == ERR_OK && i < set->encoding_count; i++)
        rc = regex_add_encoded(set, copy, len, &set->encodings[i], first, &had, err);
    if (rc == ERR_OK && !had)
        rc = ERR_RAISE(err, ERR_ARG,
                       "the regular expression '%s' can be looked for in none of the encodings: "
                       "they have not its characters, or not ASCII as it is; add utf-8 to "
                       "--encoding",
                       text);
    return rc;
}
