/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/names.c - see names.h. */
#include "io/leftover/names.h"
#include "base/civil.h"
#include "base/utf8.h"

void names_utf8(const uint16_t *units, uint32_t count, char *out)
{
    for (uint32_t i = 0; i < count && units[i] != 0; i++) {
        uint32_t point = units[i];

        if (point >= 0xd800 && point < 0xdc00 && i + 1 < count && units[i + 1] >= 0xdc00 &&
            units[i + 1] < 0xe000)
            point = 0x10000 + ((point - 0xd800) << 10) + (units[++i] - UINT32_C(0xdc00));
        else if (point >= 0xd800 && point < 0xe000)
            point = 0xfffd; /* half of a pair */
        out += utf8_put(point, out);
    }
    *out = '\0';
}

int64_t names_dos_time(uint32_t date, uint32_t time)
{
    const uint32_t month = date >> 5 & 15, day = date & 31;

    if (month < 1 || month > 12 || day < 1)
        return INT64_MIN;
    return civil_days(1980 + (date >> 9 & 127), month, day) * CIVIL_DAY +
           (int64_t)(time >> 11 & 31) * 3600 + (int64_t)(time >> 5 & 63) * 60 +
           (int64_t)(time & 31) * 2;
}
