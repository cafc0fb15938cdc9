/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/picture/test_tiff.c - TIFF files that are none, go in circles, or do not say how
 * long they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"
#include "tests/signatures/put.h"

enum { SIZE = 4096, HEADER = 8 };

struct file {
    uint8_t bytes[SIZE];
    uint32_t entries, at; /* of the directory being written */
};

static void file_begin(struct file *file, const char *magic)
{
    memset(file, 0, sizeof *file);
    memcpy(file->bytes, magic, 4);
    put_u32le(file->bytes + 4, HEADER);
}

static void directory_begin(struct file *file, uint32_t at)
{
    file->at = at;
    file->entries = 0;
}

static void entry(struct file *file, uint32_t tag, uint32_t type, uint32_t count, uint32_t value)
{
    uint8_t *at = file->bytes + file->at + 2 + 12 * file->entries++;

    put_u16le(at, tag);
    put_u16le(at + 2, type);
    put_u32le(at + 4, count);
    put_u32le(at + 8, value);
    put_u16le(file->bytes + file->at, file->entries);
}

static void directory_next(struct file *file, uint32_t next)
{
    put_u32le(file->bytes + file->at + 2 + 12 * file->entries, next);
}

/* An 8-bit grey picture of 16 x 16 pixels in one strip. */
static void picture(struct file *file, uint32_t strip)
{
    entry(file, 256, 3, 1, 16);
    entry(file, 257, 3, 1, 16);
    entry(file, 258, 3, 1, 8);
    entry(file, 259, 3, 1, 1);
    entry(file, 262, 3, 1, 1);
    entry(file, 273, 4, 1, strip);
    entry(file, 279, 4, 1, 256);
}

static struct harness_verdict check(const struct file *file)
{
    return harness_check(harness_sig("tiff"), file->bytes, SIZE);
}

static void test_plain(void **unused)
{
    struct file file;

    (void)unused;
    file_begin(&file, "II*\0");
    directory_begin(&file, HEADER);
    picture(&file, 1024);
    const struct harness_verdict v = check(&file);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, 1024 + 256);
    assert_false(v.result.proven);
}

static void test_exif_block(void **unused)
{
    struct file file;

    (void)unused;
    file_begin(&file, "II*\0");
    directory_begin(&file, HEADER);
    entry(&file, 271, 2, 4, 0x656d6f53);
    entry(&file, 34665, 4, 1, 512);
    directory_next(&file, 256);
    directory_begin(&file, 256); /* a thumbnail of pixels, as old cameras wrote them */
    picture(&file, 1024);
    directory_begin(&file, 512);
    entry(&file, 36864, 7, 4, 0x30333230);
    assert_int_equal(check(&file).result.verdict, SIG_REJECT);
}

static void test_circle(void **unused)
{
    struct file file;

    (void)unused;
    file_begin(&file, "II*\0");
    directory_begin(&file, HEADER);
    picture(&file, 1024);
    directory_next(&file, 256);
    directory_begin(&file, 256);
    picture(&file, 2048);
    directory_next(&file, HEADER);
    assert_int_equal(check(&file).result.verdict, SIG_BREAKS);
}

/* Many pages that share one long table of strips, in a file that claims to be huge: work must stay
 * in proportion to the bytes. */
static void test_pages_share_a_table(void **unused)
{
    enum {
        PAGES = 400,
        PAGE = 2 + 10 * 12 + 4,
        STRIPS = 8192,
        TABLE = HEADER + PAGES * PAGE,
        LEN = TABLE + 8 * STRIPS
    };
    static uint8_t bytes[LEN];

    (void)unused;
    for (uint32_t i = 0; i < PAGES; i++) {
        static struct file page;

        file_begin(&page, "II*\0");
        directory_begin(&page, HEADER);
        entry(&page, 256, 3, 1, 1);
        entry(&page, 257, 3, 1, STRIPS);
        entry(&page, 258, 3, 1, 8);
        entry(&page, 259, 3, 1, 5);
        entry(&page, 262, 3, 1, 1);
        entry(&page, 273, 4, STRIPS, TABLE);
        entry(&page, 277, 3, 1, 1);
        entry(&page, 278, 3, 1, 1);
        entry(&page, 279, 4, STRIPS, TABLE + 4 * STRIPS);
        entry(&page, 305, 2, 0x10000000, 0xe0000000);
        directory_next(&page, HEADER + (i + 1) * PAGE);
        memcpy(bytes + HEADER + (size_t)i * PAGE, page.bytes + HEADER, PAGE);
        if (i == 0)
            memcpy(bytes, page.bytes, HEADER);
    }
    const struct harness_verdict v =
        harness_run(harness_sig("tiff"), bytes, LEN, 0, 0); /* all strips are sparse */
    assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
    assert_true(v.views < 16 * (uint64_t)LEN);
}

static void test_subdirectory_of_itself(void **unused)
{
    struct file file;

    (void)unused;
    file_begin(&file, "II*\0");
    directory_begin(&file, HEADER);
    picture(&file, 1024);
    entry(&file, 330, 4, 1, HEADER);
    assert_int_not_equal(check(&file).result.verdict, SIG_COMPLETE);
}

static void test_strip_sizes(void **unused)
{
    static const uint32_t sizes[] = { 0, 255, 256 + 17, 100000 };
    struct file file;

    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        file_begin(&file, "II*\0");
        directory_begin(&file, HEADER);
        picture(&file, 1024);
        file.entries--;
        entry(&file, 279, 4, 1, sizes[i]);
        assert_int_equal(check(&file).result.verdict, SIG_REJECT);
    }
    file_begin(&file, "II*\0"); /* over the directory */
    directory_begin(&file, HEADER);
    picture(&file, 64);
    assert_int_equal(check(&file).result.verdict, SIG_REJECT);
}

static void test_sizes_left_out(void **unused)
{
    struct file file;

    (void)unused;
    file_begin(&file, "II*\0");
    directory_begin(&file, HEADER);
    picture(&file, 1024);
    file.bytes[HEADER] = 6; /* the sizes were the last entry */
    memset(file.bytes + HEADER + 2 + 72, 0, 12);
    const struct harness_verdict v = check(&file);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, 1024 + 256);
}

/* The strip's size is 0 or that of unpacked pixels: 14 pixels take 16 bytes. */
static void test_panasonic(void **unused)
{
    static const uint32_t sizes[] = { 0, 28 * 16 * 2 };
    struct file file;

    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        file_begin(&file, "IIU\0");
        put_u32le(file.bytes + 4, 24);
        directory_begin(&file, 24);
        entry(&file, 2, 3, 1, 28);
        entry(&file, 3, 3, 1, 16);
        entry(&file, 0x111, 4, 1, 0xffffffff);
        entry(&file, 0x117, 4, 1, sizes[i]);
        entry(&file, 0x118, 4, 1, 1024);
        const struct harness_verdict v = check(&file);
        assert_int_equal(v.result.verdict, SIG_COMPLETE);
        assert_int_equal(v.result.len, 1024 + 512);
        assert_string_equal(v.type->name, "rw2");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_exif_block),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_pages_share_a_table),
        cmocka_unit_test(test_subdirectory_of_itself),
        cmocka_unit_test(test_strip_sizes),
        cmocka_unit_test(test_sizes_left_out),
        cmocka_unit_test(test_panasonic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
