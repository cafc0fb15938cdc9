/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/science/test_dicom.c - DICOM files without a picture, sequences in each other,
 * and data sets that stop too early. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { ROOM = 2048 };

struct file {
    uint8_t bytes[ROOM];
    size_t len;
};

static void put(struct file *file, const void *bytes, size_t len)
{
    memcpy(file->bytes + file->len, bytes, len);
    file->len += len;
}

/* An element of a VR with a 16-bit length; its value has an even one. */
static void element(struct file *file, uint16_t group, uint16_t number, const char *vr,
                    const char *value)
{
    const size_t len = strlen(value);
    const uint8_t head[8] = { (uint8_t)group,         (uint8_t)(group >> 8), (uint8_t)number,
                              (uint8_t)(number >> 8), (uint8_t)vr[0],        (uint8_t)vr[1],
                              (uint8_t)len,           (uint8_t)(len >> 8) };

    assert_int_equal(len % 2, 0);
    put(file, head, sizeof head);
    put(file, value, len);
}

/* Up to the meta elements; class: the end of its UID, which makes the UID's length even. */
static void begin(struct file *file, const char *object_class)
{
    memset(file, 0, sizeof *file);
    file->len = 128;
    put(file, "DICM", 4);
    element(file, 2, 2, "UI", object_class);
    element(file, 2, 0x10, "UI", "1.2.840.10008.1.2.1 ");
}

static void body(struct file *file)
{
    element(file, 8, 0x20, "DA", "20200102");
    element(file, 8, 0x30, "TM", "101112");
    element(file, 8, 0x50, "SH", "1234");
    element(file, 8, 0x60, "CS", "OT");
    element(file, 8, 0x70, "LO", "Somebody");
    element(file, 0x10, 0x10, "PN", "Nobody");
    element(file, 0x10, 0x20, "LO", "ID");
    element(file, 0x20, 0x10, "SH", "10");
    element(file, 0x20, 0x11, "IS", "11");
}

#define PLAN "1.2.840.10008.5.1.4.1.1.481.5 "
#define PICTURE "1.2.840.10008.5.1.4.1.1.7 "

static struct sig_result check(const struct file *file, size_t behind, uint8_t with)
{
    struct file copy = *file;

    for (size_t i = 0; i < behind; i++)
        copy.bytes[file->len + i] = (uint8_t)(with == 0 ? 0 : with + 37 * i);
    return harness_check(harness_sig("dcm"), copy.bytes, file->len + behind).result;
}

static void a_plan_needs_no_picture(void **state)
{
    struct file file;

    (void)state;
    begin(&file, PLAN);
    body(&file);
    assert_int_equal(check(&file, 0, 0).verdict, SIG_COMPLETE);
    assert_int_equal(check(&file, 100, 0).len, file.len);
    assert_int_equal(check(&file, 100, 99).verdict, SIG_COMPLETE);
    assert_int_equal(check(&file, 100, 99).len, file.len);
    assert_false(check(&file, 100, 99).proven);
}

/* Foreign bytes begin at the edge of a sector: an element that reaches over one may be overwritten.
 */
static void a_data_set_without_a_picture_ends_inside_a_sector(void **state)
{
    char text[601] = { 0 };
    struct file file;

    (void)state;
    memset(text, 'x', sizeof text - 1);
    begin(&file, PLAN);
    body(&file);
    assert_int_equal(check(&file, 600, 99).verdict, SIG_COMPLETE);
    assert_int_equal(check(&file, 600, 99).len, file.len);
    assert_false(check(&file, 600, 99).proven);
    element(&file, 0x20, 0x4000, "LT", text);
    assert_int_equal(check(&file, 600, 0).verdict, SIG_COMPLETE);
    assert_int_not_equal(check(&file, 600, 99).verdict, SIG_COMPLETE);
}

/* The end of a sequence says that the last element is all there, and tags may come twice. */
static void a_data_set_may_end_with_a_sequence(void **state)
{
    static const uint8_t open[] = { 0x32, 0, 0x64, 0x10, 'S', 'Q', 0, 0, 0xff, 0xff, 0xff, 0xff };
    static const uint8_t item[] = { 0xfe, 0xff, 0, 0xe0, 0xff, 0xff, 0xff, 0xff };
    static const uint8_t ends[] = { 0xfe, 0xff, 0x0d, 0xe0, 0, 0, 0, 0,
                                    0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0 };
    char text[601] = { 0 };
    struct file file;

    (void)state;
    memset(text, 'x', sizeof text - 1);
    begin(&file, PLAN);
    body(&file);
    element(&file, 0x20, 0x11, "IS", "11");
    put(&file, open, sizeof open);
    put(&file, item, sizeof item);
    element(&file, 0x20, 0x4000, "LT", text);
    put(&file, ends, sizeof ends);
    assert_int_equal(check(&file, 600, 0).verdict, SIG_COMPLETE);
    assert_int_equal(check(&file, 600, 99).verdict, SIG_COMPLETE);
    assert_int_equal(check(&file, 600, 99).len, file.len);
}

static void an_empty_data_set_is_none(void **state)
{
    struct file file;

    (void)state;
    begin(&file, PICTURE);
    element(&file, 8, 0x20, "DA", "20200102");
    assert_int_not_equal(check(&file, 600, 0).verdict, SIG_COMPLETE);
    assert_int_not_equal(check(&file, 600, 99).verdict, SIG_COMPLETE);
}

static void sequences_nest(void **state)
{
    static const uint8_t open[] = { 0x32, 0, 0x64, 0x10, 'S', 'Q', 0, 0, 0xff, 0xff, 0xff, 0xff };
    static const uint8_t item[] = { 0xfe, 0xff, 0, 0xe0, 0xff, 0xff, 0xff, 0xff };
    static const uint8_t item_end[] = { 0xfe, 0xff, 0x0d, 0xe0, 0, 0, 0, 0 };
    static const uint8_t end[] = { 0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0 };
    struct file file;

    (void)state;
    begin(&file, PLAN);
    body(&file);
    put(&file, open, sizeof open);
    put(&file, item, sizeof item);
    element(&file, 8, 0x100, "SH", "CODE");
    put(&file, open, sizeof open);
    put(&file, item, sizeof item);
    element(&file, 8, 0x100, "SH", "CODE");
    put(&file, item_end, sizeof item_end);
    put(&file, end, sizeof end);
    put(&file, item_end, sizeof item_end);
    const size_t before = file.len;
    put(&file, end, sizeof end);
    assert_int_equal(check(&file, 64, 7).verdict, SIG_COMPLETE);
    assert_int_equal(check(&file, 64, 7).len, file.len);
    file.bytes[before + 2] = 0x0d; /* an item's end instead of the sequence's */
    assert_int_not_equal(check(&file, 64, 7).verdict, SIG_COMPLETE);
}

static void the_picture_has_the_size_of_its_rows_and_columns(void **state)
{
    static const uint8_t pixels[] = { 0xe0, 0x7f, 0x10, 0, 'O', 'W', 0, 0, 6,
                                      0,    0,    0,    1, 2,   3,   4, 5, 6 };
    struct file file;

    (void)state;
    begin(&file, PICTURE);
    body(&file);
    element(&file, 0x28, 0x2, "US",
            "\1\1"); /* samples, here and below without zeros: the last bytes are put in behind */
    file.bytes[file.len - 1] = 0;
    element(&file, 0x28, 0x10, "US", "\2\1");
    file.bytes[file.len - 1] = 0;
    element(&file, 0x28, 0x11, "US", "\3\1");
    file.bytes[file.len - 1] = 0;
    element(&file, 0x28, 0x100, "US", "\x08\1");
    file.bytes[file.len - 1] = 0;
    const size_t allocated = file.len - 2;
    put(&file, pixels, sizeof pixels);
    assert_int_equal(check(&file, 64, 7).verdict, SIG_COMPLETE);
    assert_int_equal(check(&file, 64, 7).len, file.len);
    assert_false(check(&file, 64, 7).proven);
    file.bytes[allocated] = 16;
    assert_int_not_equal(check(&file, 64, 7).verdict, SIG_COMPLETE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_needs_no_picture),
        cmocka_unit_test(a_data_set_without_a_picture_ends_inside_a_sector),
        cmocka_unit_test(a_data_set_may_end_with_a_sequence),
        cmocka_unit_test(an_empty_data_set_is_none),
        cmocka_unit_test(sequences_nest),
        cmocka_unit_test(the_picture_has_the_size_of_its_rows_and_columns),
    };
    return cmocka_run_group_tests_name("dicom", tests, NULL, NULL);
}
