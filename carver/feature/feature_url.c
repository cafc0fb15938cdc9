/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature_url.c - URLs (RFC 3986), around the colon behind their scheme. */
#include <string.h>

#include "carver/feature/check.h"
#include "carver/feature/feature_parts.h"
#include "carver/feature/letter.h"

enum { URL_SCHEME = 8 /* characters of the longest one */, URL_AUTHORITY = 300 };

/* Longer ones before those that are their ends. */
static const char *const url_schemes[] = { "https", "http", "sftp",   "tftp", "ftps", "ftp",
                                           "file",  "wss",  "ws",     "smb",  "afp",  "nfs",
                                           "ldaps", "ldap", "imaps",  "imap", "pop3", "smtps",
                                           "smtp",  "ssh",  "git",    "svn",  "ircs", "irc",
                                           "rtsp",  "rtmp", "telnet", "rdp",  "vnc",  "sip" };

/* Characters of the scheme that ends at the place; it may stand right behind other letters. */
static int32_t url_scheme(const struct feature_view *view)
{
    char before[URL_SCHEME];

    for (int32_t i = 0; i < URL_SCHEME; i++)
        before[i] = letter_small(feature_char(view, i - URL_SCHEME));
    for (size_t i = 0; i < sizeof url_schemes / sizeof url_schemes[0]; i++) {
        const size_t len = strlen(url_schemes[i]);

        if (memcmp(before + URL_SCHEME - len, url_schemes[i], len) == 0)
            return (int32_t)len;
    }
    return 0;
}

static bool url_char(char c)
{
    return letter_alnum(c) || (c != '\0' && strchr("-._~:/?#@!$&()*+,;=%", c) != NULL);
}

/* Whether a server's name stands at character k: letters, digits, dots, dashes, two at least. */
static bool url_name(const struct feature_view *view, int32_t k, int32_t end)
{
    char name[URL_AUTHORITY];
    const int32_t len = end - k;
    bool number = true;

    if (len < 2 || len > URL_AUTHORITY || !letter_alnum(feature_char(view, k)))
        return false;
    for (int32_t i = 0; i < len; i++) {
        const char c = name[i] = feature_char(view, k + i);

        if ((!letter_alnum(c) && c != '.' && c != '-' && c != '_') ||
            (c == '.' && i > 0 && name[i - 1] == '.'))
            return false;
        number = number && (letter_digit(c) || c == '.');
    }
    return !number || check_ipv4(name, (size_t)len);
}

/* Where the server's part ends, which begins at character k; 0: there is none. */
static int32_t url_authority(const struct feature_view *view, int32_t k)
{
    char host[64];
    int32_t end = k, name = k, colon;

    while (end - k < URL_AUTHORITY && feature_char(view, end) != '/' &&
           feature_char(view, end) != '?' && feature_char(view, end) != '#' &&
           (url_char(feature_char(view, end)) || feature_char(view, end) == '[' ||
            feature_char(view, end) == ']'))
        if (feature_char(view, end++) == '@')
            name = end;
    while (end > name && strchr(".,;:!)*(&", feature_char(view, end - 1)) != NULL)
        end--; /* of the sentence around it */
    if (feature_char(view, name) == '[') {
        for (colon = name + 1; colon < end && feature_char(view, colon) != ']';)
            colon++;
        if (colon == end || colon - name > (int32_t)sizeof host)
            return 0;
        const size_t len = feature_copy(view, name + 1, colon, host);
        return check_ipv6(host, len) ? end : 0;
    }
    for (colon = name; colon < end && feature_char(view, colon) != ':';)
        colon++;
    for (int32_t i = colon + 1; i < end; i++)
        if (!letter_digit(feature_char(view, i)))
            return 0;
    return url_name(view, name, colon) ? end : 0;
}

bool feature_url(const struct feature_view *view, struct feature_span *out)
{
    const int32_t scheme = url_scheme(view);
    const bool local = scheme == 4 && letter_small(feature_char(view, -4)) == 'f' &&
                       letter_small(feature_char(view, -3)) == 'i' && feature_char(view, 3) == '/';
    int32_t to = scheme == 0 ? 0 : local ? 4 : url_authority(view, 3);
    bool opened = false;

    if (to == 0)
        return false;
    const char next = feature_char(view, to);
    while (to + scheme < FEATURE_LEN_MAX && (local || next == '/' || next == '?' || next == '#') &&
           url_char(feature_char(view, to)))
        opened = feature_char(view, to++) == '(' || opened;
    while (to > 3 && strchr(".,;:!?*(&$", feature_char(view, to - 1)) != NULL)
        to--;
    while (to > 3 && !opened && feature_char(view, to - 1) == ')')
        to--;
    *out = (struct feature_span){ -scheme, to };
    return !local || to > 4;
}
