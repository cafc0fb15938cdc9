/* carver/cli/print_number.c - see print_number.h. */
#include <stdbool.h>

#include "carver/cli/print_number.h"

enum { NUMBER_MAX = 20 }; /* bytes of the longest: 2^64 - 1, or -2^63 with its sign */

static void number_print(FILE *out, uint64_t value, bool negative)
{
    char text[NUMBER_MAX];
    size_t at = sizeof text;

    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    if (negative)
        text[--at] = '-';
    fwrite(text + at, 1, sizeof text - at, out);
}

void print_uint(FILE *out, uint64_t value)
{
    number_print(out, value, false);
}

void print_int(FILE *out, int64_t value)
{
    number_print(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}
