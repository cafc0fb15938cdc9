/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/letter.h - characters of ASCII, whatever the locale. */
#ifndef BURIN_CARVER_FEATURE_LETTER_H
#define BURIN_CARVER_FEATURE_LETTER_H

#include <stdbool.h>

static inline bool letter_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool letter_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool letter_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool letter_alpha(char c)
{
    return letter_upper(c) || letter_lower(c);
}

static inline bool letter_alnum(char c)
{
    return letter_alpha(c) || letter_digit(c);
}

static inline bool letter_hex(char c)
{
    return letter_digit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

/* Base64 as URLs have it (RFC 4648, section 5). */
static inline bool letter_base64url(char c)
{
    return letter_alnum(c) || c == '-' || c == '_';
}

static inline char letter_small(char c)
{
    return letter_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

#endif
