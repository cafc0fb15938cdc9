/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/ranges.c - see ranges.h. */
#include <string.h>

#include "carver/mount/ranges.h"

/* The number at *text, which has no zero in front, and moves *text behind it. */
static bool ranges_number(const char **text, uint64_t *out)
{
    const char *at = *text;
    uint64_t value = 0;

    if (*at < '0' || *at > '9' || (*at == '0' && at[1] >= '0' && at[1] <= '9'))
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');

        if (value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *text = at;
    *out = value;
    return true;
}

static bool ranges_extension(const char *text)
{
    const size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789");

    return len > 0 && len <= RANGES_EXTENSION_MAX && text[len] == '\0';
}

bool ranges_read(const char *name, uint64_t image_size, struct ranges *out)
{
    const char *at = name;

    out->count = 0;
    out->len = 0;
    if (strnlen(name, RANGES_NAME_MAX + 1) > RANGES_NAME_MAX)
        return false;
    for (;;) {
        const bool hole = *at == 'S';
        uint64_t offset = RANGES_HOLE, len = 0;

        at += hole;
        if (!hole && (!ranges_number(&at, &offset) || *at++ != '+'))
            return false;
        if (!ranges_number(&at, &len) || len == 0 || len > INT64_MAX - out->len ||
            out->count == RANGES_MAX)
            return false;
        if (!hole && (offset > image_size || len > image_size - offset))
            return false;
        out->pieces[out->count++] = (struct ranges_piece){ out->len, offset };
        out->len += len;
        if (*at != '_')
            break;
        at++;
    }
    return *at == '\0' || (*at == '.' && ranges_extension(at + 1));
}
