/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/print_number.c - see print_number.h. */
#include "carver/cli/print_number.h"

#include "base/decimal.h"

void print_uint(FILE *out, uint64_t value)
{
    char text[DECIMAL_MAX];
    const size_t at = decimal_put(text, value, false);

    fwrite(text + at, 1, sizeof text - at, out);
}

void print_int(FILE *out, int64_t value)
{
    char text[DECIMAL_MAX];
    const size_t at = decimal_put_int(text, value);

    fwrite(text + at, 1, sizeof text - at, out);
}
