/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/media.c - see media.h. */
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "signatures/facts/media.h"

enum {
    MEDIA_COMMENTS = 64, /* that are looked at, at most */
    MEDIA_COMMENT = 64 + SIG_FACT_LEN,
};

void media_duration(struct sig_facts *facts, uint64_t units, uint64_t rate)
{
    const uint64_t whole = rate > 0 ? units / rate : 0;

    /* A thousand years is no recording. */
    if (rate == 0 || rate > UINT64_C(1) << 48 || whole > UINT64_C(1) << 35)
        return;
    const uint64_t ms = whole * 1000 + units % rate * 1000 / rate;
    if (ms > 0)
        tell_scaled(facts, SIG_FACT_DURATION, (int64_t)ms, 3);
}

void media_comment(struct sig_facts *facts, const uint8_t *text, uint32_t len)
{
    static const struct {
        const char *name;
        enum sig_fact_key key;
    } names[] = { { "TITLE", SIG_FACT_TITLE },  { "ARTIST", SIG_FACT_AUTHOR },
                  { "ALBUM", SIG_FACT_ALBUM },  { "ENCODER", SIG_FACT_SOFTWARE },
                  { "DATE", SIG_FACT_CREATED }, { "SUBJECT", SIG_FACT_SUBJECT } };
    const uint8_t *sign = memchr(text, '=', len);
    const size_t name_len = sign != NULL ? (size_t)(sign - text) : 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (name_len != strlen(names[i].name) ||
            strncasecmp((const char *)text, names[i].name, name_len) != 0)
            continue;
        const uint8_t *value = sign + 1;
        const size_t value_len = len - name_len - 1;
        if (names[i].key == SIG_FACT_CREATED)
            tell_date(facts, SIG_FACT_CREATED, (const char *)value, value_len, "", 0);
        else
            tell_text(facts, names[i].key, value, value_len);
    }
}

void media_comments(struct sig_facts *facts, uint64_t at, uint64_t len)
{
    const uint64_t end = at + len;
    const uint8_t *bytes = len >= 8 ? tell_bytes(facts, at, 4) : NULL;

    if (bytes == NULL || bytes_u32le(bytes) > len - 8)
        return;
    at += 4 + (uint64_t)bytes_u32le(bytes);
    bytes = tell_bytes(facts, at, 4);
    const uint32_t count = bytes != NULL ? bytes_u32le(bytes) : 0;
    at += 4;
    for (uint32_t i = 0; i < count && i < MEDIA_COMMENTS; i++) {
        bytes = end - at >= 4 ? tell_bytes(facts, at, 4) : NULL;
        const uint32_t size = bytes != NULL ? bytes_u32le(bytes) : 0;

        at += 4;
        if (bytes == NULL || size > end - at)
            return;
        const uint32_t want = size < MEDIA_COMMENT ? size : MEDIA_COMMENT;
        bytes = want > 0 ? tell_bytes(facts, at, want) : NULL;
        if (bytes != NULL)
            media_comment(facts, bytes, want);
        at += size;
    }
}

/* A number with its sign and `whole` digits (0: any, and the sign may be missing) before the point,
 * times 10 to the power of `digits`. Returns its bytes; 0: there is none. */
static uint32_t media_number(const uint8_t *text, uint32_t len, uint32_t whole, uint32_t digits,
                             int64_t *out)
{
    const bool sign = len > 0 && (text[0] == '+' || text[0] == '-');
    uint32_t at = sign ? 1 : 0, before = 0, behind = 0;

    *out = 0;
    if (len == 0 || (whole != 0 && !sign))
        return 0;
    for (; at < len && text[at] >= '0' && text[at] <= '9' && before < 6; at++, before++)
        *out = *out * 10 + (text[at] - '0');
    if (before == 0 || (whole != 0 && before != whole))
        return 0;
    if (at < len && text[at] == '.')
        for (at++; at < len && text[at] >= '0' && text[at] <= '9'; at++)
            if (behind < digits) {
                *out = *out * 10 + (text[at] - '0');
                behind++;
            }
    for (; behind < digits; behind++)
        *out *= 10;
    *out = text[0] == '-' ? -*out : *out;
    return at;
}

/* Degrees times 10^7; false: there is no such place, or it is that of zeros. */
static bool media_degrees(struct sig_facts *facts, int64_t lat, int64_t lon)
{
    if (lat > 900000000 || lat < -900000000 || lon > 1800000000 || lon < -1800000000 ||
        (lat == 0 && lon == 0))
        return false;
    tell_scaled(facts, SIG_FACT_GPS_LAT, lat, 7);
    tell_scaled(facts, SIG_FACT_GPS_LON, lon, 7);
    return true;
}

void media_place(struct sig_facts *facts, const uint8_t *text, uint32_t len)
{
    int64_t lat, lon, alt;
    const uint32_t first = media_number(text, len, 2, 7, &lat);
    const uint32_t second = first > 0 ? media_number(text + first, len - first, 3, 7, &lon) : 0;

    if (second == 0 || !media_degrees(facts, lat, lon))
        return;
    if (media_number(text + first + second, len - first - second, 0, 3, &alt) > 0)
        tell_scaled(facts, SIG_FACT_GPS_ALT, alt, 3);
}

/* A text that is a number and nothing else. */
static bool media_whole_number(const char *text, size_t len, uint32_t digits, int64_t *out)
{
    return len > 0 && len <= SIG_FACT_LEN &&
           media_number((const uint8_t *)text, (uint32_t)len, 0, digits, out) == len;
}

void media_decimal(struct sig_facts *facts, enum sig_fact_key key, const char *text, size_t len,
                   uint32_t digits)
{
    int64_t value;

    if (media_whole_number(text, len, digits, &value))
        tell_scaled(facts, key, value, digits);
}

void media_coordinates(struct sig_facts *facts, const char *lat, size_t lat_len, const char *lon,
                       size_t lon_len)
{
    int64_t north, east;

    if (media_whole_number(lat, lat_len, 7, &north) && media_whole_number(lon, lon_len, 7, &east))
        media_degrees(facts, north, east);
}
