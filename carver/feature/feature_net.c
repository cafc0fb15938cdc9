/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_net.c - addresses of IP in text, from their first character on. */
#include <string.h>

#include "carver/feature/check.h"
#include "carver/feature/feature_parts.h"
#include "carver/feature/letter.h"

enum { NET_CONTEXT = 8, NET_V4_MAX = 15, NET_V6_MAX = 45 };

/* Words before numbers with dots that are versions of programs. */
static bool net_is_version(const struct feature_view *view)
{
    static const char *const words[] = { "ver", "rsion", "rv:", "release", ">=", "<=", "==", "~>" };
    char before[NET_CONTEXT + 1];

    for (int32_t i = 0; i < NET_CONTEXT; i++) {
        const char c = letter_small(feature_char(view, i - NET_CONTEXT));

        before[i] = c != '\0' ? c : '\x80';
    }
    before[NET_CONTEXT] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(before, words[i]) != NULL)
            return true;
    /* "PSW/1.5.19.3", but not "http://10.1.2.3"; "v 1.2.3.4" */
    return (before[NET_CONTEXT - 1] == '/' && before[NET_CONTEXT - 2] != '/') ||
           (before[NET_CONTEXT - 1] == ' ' && before[NET_CONTEXT - 2] == 'v' &&
            !letter_alnum(before[NET_CONTEXT - 3]));
}

static bool net_v4(const struct feature_view *view, struct feature_span *out)
{
    char text[NET_V4_MAX + 1];
    const char last = feature_char(view, -1);
    uint32_t len = 0;

    while (len < sizeof text && (letter_digit(feature_char(view, (int32_t)len)) ||
                                 feature_char(view, (int32_t)len) == '.')) {
        text[len] = feature_char(view, (int32_t)len);
        len++;
    }
    while (len > 0 && len < sizeof text && text[len - 1] == '.')
        len--; /* the end of a sentence */
    const int32_t to = (int32_t)len;
    const char next = feature_char(view, to), after = feature_char(view, to + 1);
    *out = (struct feature_span){ 0, to };
    return len <= NET_V4_MAX && check_ipv4(text, len) && last != '-' && last != '+' &&
           last != '_' && !letter_alnum(next) && next != '_' && next != '-' && next != '+' &&
           !(next == '.' && letter_alnum(after)) && !net_is_version(view);
}

static bool net_v6(const struct feature_view *view, struct feature_span *out)
{
    char text[NET_V6_MAX + 1];
    uint32_t len = 0;

    while (len < sizeof text) {
        const char c = feature_char(view, (int32_t)len);

        if (!letter_hex(c) && c != ':' && c != '.')
            break;
        text[len++] = c;
    }
    while (len > 1 && (text[len - 1] == '.' || (text[len - 1] == ':' && text[len - 2] != ':')))
        len--;
    const char next = feature_char(view, (int32_t)len);
    *out = (struct feature_span){ 0, (int32_t)len };
    return len <= NET_V6_MAX && !letter_alnum(next) && next != '_' && check_ipv6(text, len);
}

bool feature_ip(const struct feature_view *view, struct feature_span *out)
{
    return feature_char(view, 4) == ':' ? net_v6(view, out) : net_v4(view, out);
}
