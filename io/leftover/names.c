/* io/leftover/names.c - see names.h. */
#include "io/leftover/names.h"

void names_utf8(const uint16_t *units, uint32_t count, char *out)
{
    static const uint8_t leads[] = { 0, 0xc0, 0xe0, 0xf0 };

    for (uint32_t i = 0; i < count && units[i] != 0; i++) {
        uint32_t point = units[i];

        if (point >= 0xd800 && point < 0xdc00 && i + 1 < count && units[i + 1] >= 0xdc00 &&
            units[i + 1] < 0xe000)
            point = 0x10000 + ((point - 0xd800) << 10) + (units[++i] - UINT32_C(0xdc00));
        else if (point >= 0xd800 && point < 0xe000)
            point = 0xfffd; /* half of a pair */
        if (point < 0x80) {
            *out++ = (char)point;
            continue;
        }
        const uint32_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
        *out++ = (char)(leads[more] | point >> (6 * more));
        for (uint32_t k = more; k > 0; k--)
            *out++ = (char)(0x80 | (point >> (6 * (k - 1)) & 0x3f));
    }
    *out = '\0';
}

int64_t names_dos_time(uint32_t date, uint32_t time)
{
    const int64_t month = date >> 5 & 15, day = date & 31;
    /* Days of the civil calendar, with March as the first month of a year. */
    const int64_t year = 1980 + (int64_t)(date >> 9 & 127) - (month <= 2);
    const int64_t from_march = (month + 9) % 12;

    if (month < 1 || month > 12 || day < 1)
        return INT64_MIN;
    const int64_t days = 365 * year + year / 4 - year / 100 + year / 400 +
                         (153 * from_march + 2) / 5 + day - 1 - 719468;
    return days * 86400 + (int64_t)(time >> 11 & 31) * 3600 + (int64_t)(time >> 5 & 63) * 60 +
           (int64_t)(time & 31) * 2;
}
