/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/tell_date.c - dates: text becomes a number, and a number a text; see tell.h. */
#include <stdio.h>
#include <string.h>

#include "base/civil.h"
#include "signatures/facts/tell.h"

/* What a date of zeros is in a FILETIME of Windows, and in texts made from one: no date. */
#define DATE_FILETIME_ZERO INT64_C(-11644473600)

enum {
    DATE_YEAR_MAX = 9999,
    DATE_ZONE_HOURS = 14, /* Kiribati is as far ahead of UTC as any place */
};

/* What is left of a text. */
struct date_text {
    const char *at;
    size_t len;
};

static void date_skip(struct date_text *text, size_t count)
{
    text->at += count;
    text->len -= count;
}

/* A number of exactly so many digits; false: there is none. */
static bool date_digits(struct date_text *text, uint32_t digits, uint32_t *out)
{
    *out = 0;
    if (text->len < digits)
        return false;
    for (uint32_t i = 0; i < digits; i++) {
        const uint32_t digit = (uint8_t)text->at[i] - (uint32_t)'0';

        if (digit > 9)
            return false;
        *out = *out * 10 + digit;
    }
    date_skip(text, digits);
    return true;
}

/* One of these characters. */
static bool date_mark(struct date_text *text, const char *marks)
{
    if (text->len == 0 || text->at[0] == '\0' || strchr(marks, text->at[0]) == NULL)
        return false;
    date_skip(text, 1);
    return true;
}

static bool date_two(struct date_text *text, const char *mark, uint32_t least, uint32_t most,
                     uint32_t *out)
{
    return date_mark(text, mark) && date_digits(text, 2, out) && *out >= least && *out <= most;
}

static bool date_day(struct date_text *text, int64_t *seconds)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    uint32_t year, month, day;

    if (!date_digits(text, 4, &year) || year < 1 || !date_two(text, ":-/", 1, 12, &month) ||
        !date_two(text, ":-/", 1, 31, &day))
        return false;
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    *seconds = civil_days(year, month, day) * CIVIL_DAY;
    return day <= days[month - 1] + (uint32_t)(leap && month == 2);
}

/* The time of day, if one follows. False: what follows is none. */
static bool date_time(struct date_text *text, int64_t *seconds)
{
    uint32_t hour, minute, second = 0, fraction;

    if (text->len == 0)
        return true;
    if (!date_two(text, " T", 0, 23, &hour) || !date_two(text, ":", 0, 59, &minute))
        return false;
    if (text->len > 0 && text->at[0] == ':' && !date_two(text, ":", 0, 60, &second))
        return false;
    if (date_mark(text, ".,"))
        while (date_digits(text, 1, &fraction))
            continue;
    *seconds += (int64_t)hour * 3600 + (int64_t)minute * 60 + second;
    return true;
}

/* Seconds ahead of UTC; false: there is no zone. */
static bool date_zone(struct date_text *text, int64_t *seconds)
{
    const char *sign = text->at;
    uint32_t hours, minutes = 0;

    while (date_mark(text, " "))
        sign = text->at;
    *seconds = 0;
    if (date_mark(text, "Z"))
        return true;
    if (!date_mark(text, "+-") || !date_digits(text, 2, &hours) || hours > DATE_ZONE_HOURS)
        return false;
    (void)date_mark(text, ":");
    if (text->len > 0 && (!date_digits(text, 2, &minutes) || minutes > 59))
        return false;
    *seconds = (int64_t)hours * 3600 + (int64_t)minutes * 60;
    *seconds = *sign == '-' ? -*seconds : *seconds;
    return true;
}

/* The date, and what is left of the text behind it. */
static bool date_read(struct date_text *text, int64_t *seconds)
{
    while (text->len > 0 && text->at[text->len - 1] == ' ')
        text->len--;
    while (date_mark(text, " "))
        continue;
    return date_day(text, seconds) && date_time(text, seconds);
}

bool sig_fact_date(const char *text, size_t len, int64_t *seconds, bool *zone)
{
    struct date_text rest = { text, strnlen(text, len) };
    int64_t ahead = 0;

    if (!date_read(&rest, seconds))
        return false;
    *zone = date_zone(&rest, &ahead);
    *seconds -= ahead;
    return rest.len == 0;
}

/* Tells a date; the text is not empty. */
static void date_tell(struct sig_facts *facts, enum sig_fact_key key, const char *text, size_t len,
                      int64_t seconds)
{
    const uint32_t before = facts->count;

    if (seconds == DATE_FILETIME_ZERO)
        return;
    tell_text(facts, key, text, len);
    if (facts->count == before)
        return;
    facts->items[before].has_number = true;
    facts->items[before].number = seconds;
}

void tell_date(struct sig_facts *facts, enum sig_fact_key key, const char *text, size_t len,
               const char *zone, size_t zone_len)
{
    struct date_text rest = { text, strnlen(text, len) }, other = { zone, strnlen(zone, zone_len) };
    int64_t seconds = 0, ahead = 0;

    if (!date_read(&rest, &seconds))
        return;
    const bool known = date_zone(&rest, &ahead) || date_zone(&other, &ahead);
    date_tell(facts, known ? key : (enum sig_fact_key)(key + 1), text, len, seconds - ahead);
}

void tell_moment(struct sig_facts *facts, enum sig_fact_key key, int64_t unix_time)
{
    char text[32];
    int64_t days = unix_time / CIVIL_DAY, seconds = unix_time % CIVIL_DAY;
    uint32_t year = 1, month = 1;

    days -= seconds < 0;
    seconds += seconds < 0 ? CIVIL_DAY : 0;
    if (unix_time == 0 || days < civil_days(1, 1, 1) || days > civil_days(DATE_YEAR_MAX, 12, 31))
        return;
    year = (uint32_t)((days - civil_days(1, 1, 1)) / 366 + 1); /* at or before it */
    while (civil_days(year + 1, 1, 1) <= days)
        year++;
    while (month < 12 && civil_days(year, month + 1, 1) <= days)
        month++;
    const int len =
        snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month,
                 (uint32_t)(days - civil_days(year, month, 1)) + 1, (uint32_t)(seconds / 3600),
                 (uint32_t)(seconds / 60 % 60), (uint32_t)(seconds % 60));
    date_tell(facts, key, text, (size_t)len, unix_time);
}
