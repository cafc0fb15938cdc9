/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/pdf_text.c - the few tokens of PDF's syntax that the validator reads. See
 * pdf.h. */
#include <ctype.h>
#include <string.h>

#include "signatures/document/pdf.h"

enum {
    BODY_SPACE_MAX = 256, /* bytes of white space between two tokens of a body */
};

uint32_t pdf_skip_space(const uint8_t *text, uint32_t len, uint32_t at)
{
    while (at < len && pdf_is_space(text[at]))
        at++;
    return at;
}

bool pdf_number(const uint8_t *text, uint32_t len, uint32_t *at, uint64_t *value)
{
    const uint32_t first = *at;

    *value = 0;
    while (*at < len && pdf_is_digit(text[*at]) && *at - first < 18)
        *value = *value * 10 + (uint64_t)(text[(*at)++] - '0');
    return *at > first;
}

bool pdf_word(const uint8_t *text, uint32_t len, uint32_t at, const char *word)
{
    const size_t word_len = strlen(word);

    return at <= len && word_len <= len - at && memcmp(text + at, word, word_len) == 0;
}

uint32_t pdf_object_head(const uint8_t *text, uint32_t len, uint64_t *number)
{
    uint32_t at = 0;
    uint64_t generation;

    if (!pdf_number(text, len, &at, number) || at > 10)
        return 0;
    const uint32_t second = pdf_skip_space(text, len, at);
    if (second == at)
        return 0;
    at = second;
    if (!pdf_number(text, len, &at, &generation) || generation > 65535)
        return 0;
    at = pdf_skip_space(text, len, at);
    return pdf_word(text, len, at, "obj") ? at + 3 : 0;
}

bool pdf_key_number(const uint8_t *text, uint32_t len, const char *key, uint64_t *value)
{
    const uint8_t *found = text;
    const size_t key_len = strlen(key);

    while ((found = memmem(found, len - (size_t)(found - text), key, key_len)) != NULL) {
        uint32_t at = (uint32_t)(found - text + (ptrdiff_t)key_len);
        uint64_t generation;

        found += key_len;
        if (at < len && !pdf_is_space(text[at]))
            continue; /* a longer key */
        at = pdf_skip_space(text, len, at);
        if (!pdf_number(text, len, &at, value))
            return false;
        at = pdf_skip_space(text, len, at);
        if (!pdf_number(text, len, &at, &generation))
            return true;
        at = pdf_skip_space(text, len, at);
        return !pdf_word(text, len, at, "R");
    }
    return false;
}

/* Behind the string whose "(" or "<" is at `at`; len when it does not end in the text. */
static uint32_t pdf_string(const uint8_t *text, uint32_t len, uint32_t at)
{
    uint32_t depth = 1;

    if (text[at++] == '<') {
        while (at < len && (pdf_is_space(text[at]) || isxdigit(text[at])))
            at++;
        return at < len && text[at] == '>' ? at + 1 : len;
    }
    while (at < len && depth > 0) {
        if (text[at] == '\\')
            at++;
        else if (text[at] == '(')
            depth++;
        else if (text[at] == ')')
            depth--;
        at++;
    }
    return at < len ? at : len;
}

static bool pdf_is_regular(uint8_t byte)
{
    return !pdf_is_space(byte) && memchr("()<>[]{}/%", byte, 10) == NULL;
}

/* Is this run of regular characters a number or a keyword that values are made of? */
static bool pdf_is_value(const uint8_t *text, uint32_t len)
{
    uint32_t i = 0;

    while (i < len && (pdf_is_digit(text[i]) || text[i] == '.' || text[i] == '-' || text[i] == '+'))
        i++;
    return i == len || (len == 1 && text[0] == 'R') || (len == 4 && memcmp(text, "true", 4) == 0) ||
           (len == 5 && memcmp(text, "false", 5) == 0) ||
           (len == 4 && memcmp(text, "null", 4) == 0);
}

/* Behind white space, of which no writer puts out much: zeros are what is left where something was.
 */
static bool pdf_body_space(const uint8_t *text, uint32_t len, uint32_t *at)
{
    const uint32_t first = *at;

    *at = pdf_skip_space(text, len, first);
    return *at - first < BODY_SPACE_MAX;
}

bool pdf_body(const uint8_t *text, uint32_t len, uint32_t *at)
{
    uint32_t depth = 0;

    for (*at = 0; pdf_body_space(text, len, at) && *at < len;) {
        const uint32_t token = *at;

        if (text[token] == '%') {
            while (*at < len && text[*at] != '\n' && text[*at] != '\r')
                (*at)++;
        } else if (text[token] == '[' || pdf_word(text, len, token, "<<")) {
            depth++;
            *at += text[token] == '[' ? 1 : 2;
        } else if (text[token] == ']' || pdf_word(text, len, token, ">>")) {
            if (depth-- == 0)
                return false;
            *at += text[token] == ']' ? 1 : 2;
        } else if (text[token] == '(' || text[token] == '<') {
            *at = pdf_string(text, len, token);
        } else {
            *at += text[token] == '/';
            while (*at < len && pdf_is_regular(text[*at]))
                (*at)++;
            if (*at == len)
                return false;
            if (text[token] == '/')
                continue;
            if (depth == 0 &&
                (pdf_word(text, *at, token, "endobj") || pdf_word(text, *at, token, "stream") ||
                 pdf_word(text, *at, token, "startxref"))) {
                *at = token;
                return true;
            }
            if (*at == token || !pdf_is_value(text + token, *at - token))
                return false;
        }
    }
    return false;
}

const uint8_t *pdf_text(struct sig_input *in, uint64_t at, uint64_t to, uint32_t most,
                        uint32_t *len)
{
    if (to > in->limit)
        to = in->limit;
    if (at >= to) {
        *len = 0;
        return NULL;
    }
    *len = to - at < most ? (uint32_t)(to - at) : most;
    return sig_bytes(in, at, *len);
}
