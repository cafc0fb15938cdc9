/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/cli/test_print_number.c - numbers, against printf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "carver/cli/print_number.h"

static void as_printf_does(void **state)
{
    static const uint64_t values[] = { 0,          1,          9,          10,
                                       99,         100,        4294967295, 4294967296,
                                       INT64_MAX,  1ull << 63, UINT64_MAX, UINT64_MAX - 1,
                                       1000000000, 999999999 };
    char *got = NULL, want[128];
    size_t len = 0;

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        FILE *out = open_memstream(&got, &len);

        assert_non_null(out);
        print_uint(out, values[i]);
        putc(' ', out);
        print_int(out, (int64_t)values[i]);
        fclose(out);
        snprintf(want, sizeof want, "%" PRIu64 " %" PRId64, values[i], (int64_t)values[i]);
        assert_string_equal(got, want);
        free(got);
        got = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_printf_does) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
