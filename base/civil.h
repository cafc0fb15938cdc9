/* SPDX-License-Identifier: Apache-2.0
 * base/civil.h - days of the Gregorian calendar as numbers. */
#ifndef BURIN_BASE_CIVIL_H
#define BURIN_BASE_CIVIL_H

#include <stdint.h>

enum { CIVIL_DAY = 86400 /* seconds */ };

/* Days from 1970-01-01 to this day; year 0 or later, month 1..12, day 1..31. */
static inline int64_t civil_days(uint32_t year, uint32_t month, uint32_t day)
{
    /* With March as the first month of a year, a leap day is its last day. */
    const int64_t years = (int64_t)year - (month <= 2), from_march = (month + 9) % 12;
    const int64_t leap = years >= 0 ? years / 4 - years / 100 + years / 400 : -1;

    return 365 * years + leap + (153 * from_march + 2) / 5 + (int64_t)day - 1 - 719468;
}

#endif
