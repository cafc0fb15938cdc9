/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_mail.c - addresses of mail (RFC 5321), around their "@". */
#include <string.h>

#include "carver/feature/check.h"
#include "carver/feature/feature_parts.h"
#include "carver/feature/letter.h"

enum { MAIL_LOCAL = FEATURE_LEFT - 2 };

static bool mail_local(char c)
{
    return letter_alnum(c) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-';
}

/* Where the part before the "@" begins; 0: there is none. */
static int32_t mail_begin(const struct feature_view *view)
{
    int32_t from = 0;

    while (from >= -MAIL_LOCAL && mail_local(feature_char(view, from - 1)))
        from--;
    if (from < -MAIL_LOCAL || feature_char(view, -1) == '.')
        return 0;
    while (from < 0 && !letter_alnum(feature_char(view, from)))
        from++;
    for (int32_t k = from; k < -1; k++)
        if (feature_char(view, k) == '.' && feature_char(view, k + 1) == '.')
            return 0;
    return from;
}

/*
 * Where the domain behind the "@" ends; 0: there is none. Behind the dot of a sentence's end the
 * next sentence may begin: "Ask joe@example.com.Then".
 */
static int32_t mail_end(const struct feature_view *view)
{
    char domain[CHECK_DOMAIN_MAX];
    uint32_t len = 0, end;

    while (len < sizeof domain) {
        const char c = feature_char(view, 1 + (int32_t)len);

        if (!letter_alnum(c) && c != '-' && c != '.')
            break;
        domain[len++] = c;
    }
    const char next = feature_char(view, 1 + (int32_t)len);
    if (next == '@' || next == '_' || letter_alnum(next))
        return 0;
    while (len > 0 && domain[len - 1] == '.')
        len--;
    for (end = len; end > 0 && !check_domain(domain, end); end--) {
        while (end > 0 && domain[end - 1] != '.')
            end--;
        if (end < 2 || !letter_upper(domain[end]) || !letter_lower(domain[end - 2]))
            return 0;
    }
    return end > 0 ? 1 + (int32_t)end : 0;
}

/* Of random bytes the shortest addresses are the commonest. */
static bool mail_long_enough(const struct feature_view *view, int32_t from, int32_t to)
{
    int32_t dot = to;

    while (feature_char(view, dot - 1) != '.')
        dot--;
    return from <= -3 || (feature_char(view, dot - 3) != '@' && feature_char(view, dot - 3) != '.');
}

bool feature_email(const struct feature_view *view, struct feature_span *out)
{
    const int32_t from = mail_begin(view), to = from < 0 ? mail_end(view) : 0;

    *out = (struct feature_span){ from, to };
    return to > 0 && mail_long_enough(view, from, to);
}
