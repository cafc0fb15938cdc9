/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/sound/test_mp3.c - frames built by hand (MPEG-1, layer III, 32 kbit/s, 32 kHz:
 * 144 bytes), and where a file of them ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { FILE_MAX = 1 << 16, FRAME = 144 };

struct file {
    uint8_t bytes[FILE_MAX];
    size_t len;
};

static void put_frames(struct file *f, int count)
{
    for (int i = 0; i < count; i++, f->len += FRAME) {
        memset(f->bytes + f->len, 0xd5, FRAME);
        memcpy(f->bytes + f->len, "\xff\xfb\x18\xc0\0\0", 6);
    }
}

static void put(struct file *f, const void *bytes, size_t len)
{
    memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
}
#define PUT(f, literal) put((f), (literal), sizeof(literal) - 1)

static struct harness_verdict check(const struct file *f)
{
    return harness_check(harness_sig("mp3"), f->bytes, sizeof f->bytes);
}

static void assert_whole(const struct file *f, size_t len)
{
    const struct harness_verdict v = check(f);

    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
}

static void test_too_few(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_frames(&f, 7);
    assert_int_equal(check(&f).result.verdict, SIG_REJECT);
    put_frames(&f, 1);
    assert_whole(&f, f.len);
}

/* A frame whose sound begins in the one before cannot be the first one, unless a tag says so. */
static void test_middle_of_a_stream(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_frames(&f, 20);
    f.bytes[4] = 0x40;
    assert_int_equal(check(&f).result.verdict, SIG_REJECT);
    f.len = 0;
    PUT(&f, "ID3\3\0\0\0\0\0\4\0\0\0\0");
    put_frames(&f, 20);
    f.bytes[14 + 4] = 0x40;
    assert_whole(&f, f.len);
}

static void test_written_into(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_frames(&f, 40);
    PUT(&f, "something else");
    const size_t right = f.len - 14;
    put_frames(&f, 40);
    const struct harness_verdict v = check(&f);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, right);
}

/* Frames that begin on a sector behind the end are another file's. */
static void test_another_file(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_frames(&f, 40);
    const size_t right = f.len;
    f.len = (right + 511) / 512 * 512;
    put_frames(&f, 40);
    assert_whole(&f, right);
}

/* The last frame goes over the edge of a sector, and no zeros fill that: compressed data may have
 * begun at the edge, text has not. */
static void test_edge_of_a_fragment(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_frames(&f, 29);
    assert_true(f.len > 4096 && f.len - FRAME < 4096);
    assert_whole(&f, f.len);
    memset(f.bytes + f.len, 0x5a, 1000);
    assert_whole(&f, f.len);
    memset(f.bytes + f.len, 0x9a, 1000);
    assert_int_equal(check(&f).result.verdict, SIG_BREAKS);
}

/* From a sector inside of the last frame on there is text, or zeros. */
static void test_overwritten_tail(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_frames(&f, 22);
    assert_true(f.len > 3072 + 64 && f.len - FRAME < 3072 - 32);
    assert_whole(&f, f.len);
    memset(f.bytes + 3072, 0, 2000);
    assert_int_equal(check(&f).result.verdict, SIG_BREAKS);
    for (size_t i = 3072; i < 5072; i++)
        f.bytes[i] = (uint8_t) "the quick brown fox "[i % 20];
    assert_int_equal(check(&f).result.verdict, SIG_BREAKS);
}

static void test_counted(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_frames(&f, 10);
    memcpy(f.bytes + 21, "Info\0\0\0\3\0\0\0\x09\0\0\5\xa0",
           16);         /* 9 frames besides this one, 1440 bytes */
    put_frames(&f, 10); /* those of another file */
    assert_whole(&f, 10 * FRAME);
    f.bytes[21 + 11] = 40;
    f.bytes[21 + 14] = 0x20;
    assert_int_equal(check(&f).result.verdict, SIG_BREAKS); /* fewer than told */
}

static void test_tags_behind(void **unused)
{
    static const char v1[128] = "TAGtitle";
    static const char ape[] = "APETAGEX\xd0\7\0\0\x2f\0\0\0\1\0\0\0\0\0\0\xa0\0\0\0\0\0\0\0\0"
                              "\1\0\0\0\0\0\0\0Title\0A"
                              "APETAGEX\xd0\7\0\0\x2f\0\0\0\1\0\0\0\0\0\0\x80\0\0\0\0\0\0\0\0";
    struct file f = { 0 };

    (void)unused;
    put_frames(&f, 10);
    put(&f, ape, sizeof ape - 1);
    assert_whole(&f, f.len);
    assert_true(check(&f).result.proven);
    const size_t without = f.len;
    PUT(&f, "LYRICSBEGIN some words LYRICSEND");
    put(&f, v1, sizeof v1);
    assert_whole(&f, f.len);
    f.len = without;
    PUT(&f, "LYRICSBEGININD0000210");
    PUT(&f, "LYR00005words000034LYRICS200");
    put(&f, v1, sizeof v1);
    assert_whole(&f, f.len);
    memset(f.bytes + f.len, 0, sizeof f.bytes - f.len);
    f.len = 10 * FRAME;
    put(&f, ape + 32, sizeof ape - 1 - 32); /* without its header */
    memset(f.bytes + f.len, 0, sizeof f.bytes - f.len);
    assert_whole(&f, f.len);
    f.len = 10 * FRAME - 50; /* the last frame was cut off by the tag */
    put(&f, v1, sizeof v1);
    memset(f.bytes + f.len, 0, sizeof f.bytes - f.len);
    assert_whole(&f, f.len);
}

/* Layer I has few fixed bits: a pattern of four bytes, and machine code, have headers of it. */
static void test_no_sound(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    while (f.len < FILE_MAX / 2)
        PUT(&f, "\xff\xff\x70\x81");
    assert_int_equal(check(&f).result.verdict, SIG_REJECT);
    /* 224 kbit/s, 44.1 kHz: 240 bytes; bit rates and emphasis change from frame to frame */
    for (f.len = 0; f.len < FILE_MAX / 2; f.len += 2 * 240 + 8) {
        memset(f.bytes + f.len, 0x11, 2 * 240 + 8);
        memcpy(f.bytes + f.len, "\xff\xff\x70\x81", 4);
        memcpy(f.bytes + f.len + 240, "\xff\xff\x70\x00", 4);
    }
    assert_int_equal(check(&f).result.verdict, SIG_REJECT);
    for (f.len = 0; f.len < FILE_MAX / 2; f.len += 240) {
        memset(f.bytes + f.len, 0x11, 240);
        memcpy(f.bytes + f.len, "\xff\xff\x70\x81", 4);
    }
    assert_int_not_equal(check(&f).result.verdict, SIG_REJECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_middle_of_a_stream),
        cmocka_unit_test(test_written_into),
        cmocka_unit_test(test_another_file),
        cmocka_unit_test(test_edge_of_a_fragment),
        cmocka_unit_test(test_overwritten_tail),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_tags_behind),
        cmocka_unit_test(test_no_sound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
