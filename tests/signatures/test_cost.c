/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_cost.c - what a validator costs on made-up input that is its header, or the
 * beginning of a file, over and over.
 *
 * The work is measured without a clock: how often bytes are asked for, when all are there and when
 * they come 512 at a time. A validator that goes on where it stopped, and does not ask anew for
 * each line or control word, stays far below these bounds; one that begins again each time, or asks
 * byte by byte, is far above.
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

enum { COST_LEN = 128 << 10, COST_STEP = 512 };

/* "Windows Registry Editor Version 5.00", big-endian with its mark. */
#define UTF16_REG                                                                                  \
    "\xfe\xff\0W\0i\0n\0d\0o\0w\0s\0 \0R\0e\0g\0i\0s\0t\0r\0y\0 \0E\0d\0i\0t\0o\0r\0 "             \
    "\0V\0e\0r\0s\0i\0o\0n"                                                                        \
    "\0 \0005\0.\0000\0000\0\r\0\n"

static const struct {
    const char *sig;
    const char *head; /* once, in front */
    uint32_t head_len;
    const char *text; /* over and over */
    uint32_t text_len;
    uint64_t whole, steps; /* times that bytes may be asked for */
} rows[] = {
#define ROW(sig, head, text, whole, steps)                                                         \
    {                                                                                              \
        (sig), (head), sizeof(head) - 1, (text), sizeof(text) - 1, (whole), (steps)                \
    }
    /* The second line of each record is no field: nothing behind it is looked at. */
    ROW("warc", "", "WARC/1.0\r\n", 4, 8),
    /* No field may come twice. */
    ROW("warc", "", "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date", 4, 8),
    ROW("warc", "", "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:355f97bb>x", 4,
        8),
    /* A line that does not end: 512 bytes, then twice as many each time. */
    ROW("warc", "", "filedesc://", 8, 30),
    /*
     * Lines without the empty one behind them, 64 KiB of them: one question for each line, and no
     * line twice.
     */
    ROW("hdr", "", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n", 4000, 4300),
    ROW("hdr", "", "#?RGBE\n#", 8300, 8600),
    /* One question for each 16 KiB, and for each step. */
    ROW("rtf", "", "{\\rtf1\\bin9 ", 20, 1000),
    ROW("tex", "", "%\n", 20, 600),
    /* UTF-16 is turned 4096 characters at a time, and not for each line anew. */
    ROW("winreg", UTF16_REG, "\0[\0H\0K\0]\0\r\0\n", 100, 1000),
#undef ROW
};

static void headers_over_and_over_cost_little(void **state)
{
    uint8_t *bytes = malloc(COST_LEN);

    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sig *sig = harness_sig(rows[i].sig);

        memcpy(bytes, rows[i].head, rows[i].head_len);
        for (uint32_t at = rows[i].head_len; at < COST_LEN; at++)
            bytes[at] = (uint8_t)rows[i].text[(at - rows[i].head_len) % rows[i].text_len];
        const uint64_t whole = harness_run(sig, bytes, COST_LEN, 0, 0).views;
        const uint64_t steps = harness_run(sig, bytes, COST_LEN, COST_STEP, 0).views;
        if (whole > rows[i].whole || steps > rows[i].steps)
            fail_msg("%s, row %zu: %" PRIu64 " questions, and %" PRIu64
                     " where bytes come in steps",
                     sig->name, i, whole, steps);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(headers_over_and_over_cost_little) };

    return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
