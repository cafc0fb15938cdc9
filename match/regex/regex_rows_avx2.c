/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_rows_avx2.c - the form of regex_rows.h for processors with AVX2. */
#ifdef __x86_64__
#include "match/regex/regex_rows.h"

#define ROWS_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#include "match/regex/regex_rows_scan.h"

uint32_t regex_rows_scan_avx2(const struct regex_rows *rows, const struct regex_task *task)
{
    return rows_scan(rows, task);
}
#endif
