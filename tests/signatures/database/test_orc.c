/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/database/test_orc.c - how far the end of a table is looked for. Other files have
 * sectors that begin with its mark: each was read from there to the end of the image.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { IMAGE = 4 << 20, VIEW = 16 << 10, NEAR = 256 << 10, BEGIN = 16 };

/* The times that bytes are asked for behind this beginning, where no mark follows. */
static uint64_t views(const char *begin, size_t len)
{
    uint8_t *bytes = malloc(IMAGE);

    assert_non_null(bytes);
    memset(bytes, 0xff, IMAGE); /* of any block that would begin here, no length */
    memcpy(bytes, begin, len);
    const struct harness_verdict verdict =
        harness_run(harness_sig("orc"), bytes, IMAGE, VIEW, VIEW);
    assert_int_equal(verdict.result.verdict, SIG_REJECT);
    free(bytes);
    return verdict.views;
}

static void the_mark_alone_is_followed_for_some_blocks(void **state)
{
    (void)state;
    assert_in_range(views("ORC\0\1\0 no stream", BEGIN), NEAR / VIEW, 4 * NEAR / VIEW);
    /* 5 is no field of an entry. */
    assert_in_range(views("ORC\n\6\5\4\10\x17\x50\0....", BEGIN), NEAR / VIEW, 4 * NEAR / VIEW);
}

static void a_row_index_is_followed_to_the_end(void **state)
{
    (void)state;
    assert_true(views("ORC\n\6\x12\4\10\x17\x50\0....", BEGIN) >= IMAGE / VIEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mark_alone_is_followed_for_some_blocks),
        cmocka_unit_test(a_row_index_is_followed_to_the_end),
    };

    return cmocka_run_group_tests_name("orc", tests, NULL, NULL);
}
