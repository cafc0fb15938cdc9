/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_far.c - how far the end of a file is looked for whose beginning does not
 * tell it. Other files hold its first bytes, too: each of these was followed as far as such a file
 * may reach, which took a scan of 8 GiB on 16 processors a third of its time.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { IMAGE = 4 << 20, VIEW = 16 << 10, NEAR = 256 << 10 };

static const struct {
    const char *sig;
    const char *begin;
    uint32_t len;
    bool far;
} rows[] = {
#define ROW(sig, begin, far)                                                                       \
    {                                                                                              \
        (sig), (begin), sizeof(begin) - 1, (far)                                                   \
    }
    ROW("orc", "ORC\0\1\0 no stream", false),
    ROW("orc", "ORC\n\6\5\4\10\x17\x50\0....", false), /* 5 is no field of an entry */
    ROW("orc", "ORC\n\6\x12\4\10\x17\x50\0....", true),
    ROW("bplist", "bplist00\0%s: cannot be read", false),
    ROW("bplist", "bplist00r\x01\x01Nz\x14", false), /* of a program in Python's byte code */
    /* 17 objects: a dictionary of 8 pairs, and these; references of two bytes. */
    ROW("bplist",
        "bplist00\xd8\0\1\0\2\0\3\0\4\0\5\0\6\0\7\0\10\0\11\0\12\0\13\0\14\0\15\0\16\0\17\0\20"
        "QaQbQcQdQeQfQgQhQiQjQkQlQmQnQoQp",
        true),
#undef ROW
};

/* The times that bytes are asked for, where no mark of an end follows. */
static uint64_t far_views(size_t row)
{
    uint8_t *bytes = malloc(IMAGE);

    assert_non_null(bytes);
    memset(bytes, 0xff, IMAGE); /* nothing that begins so is a block or an object */
    memcpy(bytes, rows[row].begin, rows[row].len);
    const struct harness_verdict verdict =
        harness_run(harness_sig(rows[row].sig), bytes, IMAGE, VIEW, VIEW);
    free(bytes);
    assert_true(verdict.result.verdict == SIG_REJECT || rows[row].far);
    return verdict.views;
}

static void only_what_begins_such_a_file_is_followed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t views = far_views(i);

        if (rows[i].far ? views < IMAGE / VIEW : views > 8 * NEAR / VIEW)
            fail_msg("%s, row %zu: %" PRIu64 " questions", rows[i].sig, i, views);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        only_what_begins_such_a_file_is_followed) };

    return cmocka_run_group_tests_name("far", tests, NULL, NULL);
}
