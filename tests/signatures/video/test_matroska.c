/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/video/test_matroska.c - where a live stream ends, and elements made to waste
 * time.
 *
 * Goal: nothing of unknown size among blocks, and work in proportion to the bytes. Method: small
 * files built here from RFC 9559.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { ROOM = 32 << 10 };

/* EBML header, a Segment of no known size, Info and Tracks with track 1, a Cluster of no known size
 * with a time and a block. */
static const char stream[] = "\x1a\x45\xdf\xa3\x87\x42\x82\x84webm"
                             "\x18\x53\x80\x67\xff"
                             "\x15\x49\xa9\x66\x84\x2a\xd7\xb1\x80"
                             "\x16\x54\xae\x6b\x88\xae\x86\xd7\x81\x01\x83\x81\x01"
                             "\x1f\x43\xb6\x75\xff\xe7\x81\x00"
                             "\xa3\x94\x81\x00\x00\x80"
                             "sixteen bytes...";
enum { STREAM = sizeof stream - 1 };

static void block_without_a_size_ends_a_stream(void **unused)
{
    static uint8_t bytes[ROOM];
    static const char *const behind[] = { "\xa3\xff\x81\0\0\x80", "\xa0\xff\xa1\x84\x81\0\0\0",
                                          "\xec\xff" };

    (void)unused;
    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, stream, STREAM);
        memcpy(bytes + STREAM, behind[i], i == 1 ? 8 : 2);
        const struct harness_verdict v =
            harness_check(harness_sig("matroska"), bytes, sizeof bytes);
        assert_int_equal(v.result.verdict, SIG_COMPLETE);
        assert_int_equal(v.result.len, STREAM);
    }
}

/* A group, or a list of tracks, of thousands of elements is read again from its beginning whenever
 * bytes are missing. */
static void long_lists_are_none(void **unused)
{
    static uint8_t bytes[ROOM];
    const struct sig *sig = harness_sig("matroska");

    (void)unused;
    for (int kind = 0; kind < 3; kind++) {
        const size_t tracks = 26; /* where the element Tracks begins */
        const size_t at = kind == 0 ? STREAM : tracks;

        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, stream, STREAM);
        memcpy(bytes + at, kind == 0 ? "\xa0\x20\x70\0" : "\x16\x54\xae\x6b\x20\x70\0",
               kind == 0 ? 4 : 7);
        if (kind == 2)
            memcpy(bytes + at + 7, "\xae\x20\x6f\x80", 4);
        for (size_t i = at + (kind == 0 ? 4 : kind == 1 ? 7 : 11); i + 2 <= sizeof bytes; i += 2)
            memcpy(bytes + i, "\xec\x80", 2); /* Void */
        const struct harness_verdict v = harness_run(sig, bytes, sizeof bytes, 16, 0);
        assert_true(v.views < 16 * (uint64_t)ROOM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_without_a_size_ends_a_stream),
        cmocka_unit_test(long_lists_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
