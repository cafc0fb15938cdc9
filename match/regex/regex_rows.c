/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_rows.c - the form of regex_rows.h for any processor, and the choice. */
#include "match/regex/regex_rows.h"

#define ROWS_TARGET
#include "match/regex/regex_rows_scan.h"

uint32_t regex_rows_scan_portable(const struct regex_rows *rows, const struct regex_task *task)
{
    return rows_scan(rows, task);
}

uint32_t regex_rows_scan(const struct regex_rows *rows, const struct regex_task *task)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return regex_rows_scan_avx2(rows, task);
#endif
    return regex_rows_scan_portable(rows, task);
}

size_t regex_rows_size(const struct regex_rows *rows)
{
    struct rows_state state;

    return rows_lay(rows, NULL, &state);
}
