/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_tail.c - where the end record of a ZIP archive says that it stands
 * itself, and so where the last piece lies: records laid down byte for byte by APPNOTE.TXT 4.3.7,
 * 4.3.12 and 4.3.16, at places worked out by hand; and the section that "startxref" names, by
 * ISO 32000-1, 7.5.4, 7.5.5 and 7.5.8.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/assemble/tail.h"

extern const struct sig sig_zip, sig_pdf;

enum { SECTOR = 512, IMAGE = 128 * 1024, FILE_AT = 200 * SECTOR };

struct image {
    uint8_t bytes[IMAGE];
    struct unread unread; /* nothing */
};

/* An end record at an offset, of a directory that stands there and has so many bytes. */
static void record(struct image *image, size_t offset, uint32_t size, uint32_t at)
{
    uint8_t *p = image->bytes + offset;

    memcpy(p, "PK\5\6\0\0\0\0\1\0\1\0", 12);
    for (int i = 0; i < 4; i++) {
        p[12 + i] = (uint8_t)(size >> 8 * i);
        p[16 + i] = (uint8_t)(at >> 8 * i);
    }
}

static struct image *image_new(void)
{
    struct image *image = calloc(1, sizeof *image);

    assert_non_null(image);
    return image;
}

/* The header of a first member at an offset: its name, CRC-32 and date. */
static void local(struct image *image, size_t offset, const char *name, uint8_t crc, uint8_t date)
{
    uint8_t *p = image->bytes + offset;

    memcpy(p, "PK\3\4\24\0\0\0\10\0", 10);
    p[12] = date;
    p[14] = crc;
    p[26] = (uint8_t)strlen(name);
    memcpy(p + 30, name, strlen(name));
}

/* Its entry in the directory, whose one entry it is, before an end record of a file that has so
 * many bytes before the directory. */
static void directory(struct image *image, size_t offset, const char *name, uint8_t crc,
                      uint8_t date, uint32_t at)
{
    uint8_t *p = image->bytes + offset;
    const uint32_t size = 46 + (uint32_t)strlen(name);

    memcpy(p, "PK\1\2\24\3\24\0\0\0\10\0", 12);
    p[14] = date;
    p[16] = crc;
    p[28] = (uint8_t)strlen(name);
    memcpy(p + 46, name, strlen(name));
    record(image, offset + size, size, at);
}

/* What is found for a file that begins at start; the image is released. */
static uint32_t shifts_by(const struct sig *sig, struct image *image, uint64_t start, uint64_t from,
                          int64_t shifts[TAIL_SHIFTS])
{
    const struct tail_job job = { .sig = sig, .start = start, .from = from, .image_len = IMAGE };
    struct io_image *opened = NULL;
    struct splice splice;
    struct err err = { 0 };
    uint64_t read = 0;

    assert_int_equal(io_image_open_memory(image->bytes, IMAGE, &opened, &err), ERR_OK);
    assert_int_equal(splice_open(opened, &image->unread, 1, &splice, &err), ERR_OK);
    const uint32_t count = tail_shifts(&splice, &job, shifts, &read);
    assert_int_equal(splice_error(&splice, NULL), ERR_OK);
    assert_true(read > 0 && read <= 2 * (uint64_t)IMAGE);
    splice_close(&splice);
    io_image_close(opened);
    free(image);
    return count;
}

static uint32_t shifts_of(struct image *image, uint64_t start, uint64_t from,
                          int64_t shifts[TAIL_SHIFTS])
{
    return shifts_by(&sig_zip, image, start, from, shifts);
}

/* The only one; 0: there is none. */
static int64_t gap_of(struct image *image, uint64_t start, uint64_t from)
{
    int64_t shifts[TAIL_SHIFTS];
    const uint32_t count = shifts_of(image, start, from, shifts);

    assert_true(count <= 1);
    return count == 1 ? shifts[0] : 0;
}

/* The record is byte 5046 of a file that begins at 1024, and stands 7 sectors behind that. */
static void test_gap(void **state)
{
    struct image *image = image_new();

    (void)state;
    record(image, 1024 + 5046 + 7 * SECTOR, 46, 5000);
    assert_int_equal(gap_of(image, 1024, 1024), 7 * SECTOR);
}

/* It stands over the border of any two parts that a power of two may give, and at the image's end,
 * where the last bytes of a comment's length are missing. */
static void test_borders(void **state)
{
    (void)state;
    for (size_t border = 4096; border < IMAGE; border *= 2)
        for (size_t before = 1; before < 22; before++) {
            struct image *image = image_new();
            const size_t offset = border - before;

            record(image, offset, 50, (uint32_t)(offset - 50 - 3 * SECTOR));
            assert_int_equal(gap_of(image, 0, 0), 3 * SECTOR);
        }
    struct image *image = image_new();
    record(image, IMAGE - 20, 50, (uint32_t)(IMAGE - 20 - 50 - SECTOR));
    assert_int_equal(gap_of(image, 0, 0), SECTOR);
}

/* Records of other files come first: of one without a gap, with half a sector, too far away, or
 * behind itself; and one of zip64, which says nothing. */
static void test_others(void **state)
{
    struct image *image = image_new();

    (void)state;
    record(image, 2000, 100, 1900);
    record(image, 3000, 100, 3000 - 100 - SECTOR / 2);
    record(image, 4000, 100, 9000);
    record(image, 5000, UINT32_MAX, UINT32_MAX);
    record(image, 100000, 100, 100000 - 100 - 129 * SECTOR);
    record(image, 110000, 100, 110000 - 100 - 2 * SECTOR);
    assert_int_equal(gap_of(image, 0, 0), 2 * SECTOR);
    image = image_new();
    record(image, 4000, 100, 4000 - 100 - SECTOR);
    assert_int_equal(gap_of(image, 0, 4096), 0); /* it is before the place that is looked from */
}

/* Of ends of several archives those count whose directory begins as this one does, however far
 * away, and before the nearer one of which nothing is known. */
static void test_fits(void **state)
{
    struct image *image = image_new();
    int64_t shifts[TAIL_SHIFTS];

    (void)state;
    local(image, 1024, "name", 7, 9);
    record(image, 1024 + 5046 + 7 * SECTOR, 46, 5000);
    directory(image, 1024 + 3000 + 20 * SECTOR, "name", 8, 9, 3000);
    directory(image, 1024 + 3000 + 30 * SECTOR, "name", 7, 8, 3000);
    directory(image, 1024 + 3000 + 40 * SECTOR, "nome", 7, 9, 3000);
    directory(image, 1024 + 3000 + 50 * SECTOR, "name", 7, 9, 3000);
    directory(image, 1024 + 900 + 150 * SECTOR, "name", 7, 9, 900);
    assert_int_equal(shifts_of(image, 1024, 1536, shifts), 2);
    assert_int_equal(shifts[0], 50 * SECTOR);
    assert_int_equal(shifts[1], 150 * SECTOR);
}

/* One that fits lies before the file, and is looked at where none lies behind it. */
static void test_before(void **state)
{
    struct image *image = image_new();

    (void)state;
    local(image, FILE_AT, "name", 7, 9);
    record(image, 4000, 100, 2000);
    directory(image, FILE_AT + 3000 - 60 * SECTOR, "name", 7, 9, 3000);
    assert_int_equal(gap_of(image, FILE_AT, FILE_AT + SECTOR), -60 * SECTOR);
}

/* An image of directories gives no more than there is room for. */
static void test_many(void **state)
{
    struct image *image = image_new();
    int64_t shifts[TAIL_SHIFTS];

    (void)state;
    local(image, 0, "name", 7, 9);
    for (uint32_t i = 1; i < 200; i++)
        directory(image, i * SECTOR + 100, "name", 7, 9, 100);
    assert_int_equal(shifts_of(image, 0, SECTOR, shifts), TAIL_SHIFTS);
    for (int i = 0; i < TAIL_SHIFTS; i++)
        assert_int_equal(shifts[i], (i + 1) * SECTOR);
}

/* A document at FILE_AT, whose first object is number 1 at byte 9. */
static struct image *document(void)
{
    struct image *image = image_new();

    memcpy(image->bytes + FILE_AT, "%PDF-1.5\n1 0 obj\n", 17);
    return image;
}

static void words(struct image *image, size_t offset, const char *text)
{
    memcpy(image->bytes + offset, text, strlen(text));
}

/*
 * The table stands where the number says, and its end where the table ends. One whose first object
 * is elsewhere, one that is not on whole sectors, and one that names no table are other files'.
 */
static void test_names_table(void **state)
{
    struct image *image = document();
    int64_t shifts[TAIL_SHIFTS];

    (void)state;
    words(image, FILE_AT + 7000 + 20 * SECTOR,
          "xref\n0 2\n0000000000 65535 f \n0000000009 00000 n \n"
          "trailer\n<< /Size 2 >>\nstartxref\n7000\n%%EOF\n");
    words(image, FILE_AT + 3000 + 5 * SECTOR,
          "xref\n0 2\n0000000000 65535 f \n0000000015 00000 n \nstartxref\n3000\n%%EOF\n");
    words(image, FILE_AT + 6000 + 5 * SECTOR + 1,
          "xref\n0 2\n0000000000 65535 f \n0000000009 00000 n \nstartxref\n6000\n%%EOF\n");
    words(image, FILE_AT - 70 * SECTOR, "startxref\n1024\n%%EOF\n");
    assert_int_equal(shifts_by(&sig_pdf, image, FILE_AT, FILE_AT + SECTOR, shifts), 1);
    assert_int_equal(shifts[0], 20 * SECTOR);
}

/* An object is the section; it lies before the file as well as behind it. */
static void test_names_object(void **state)
{
    struct image *image = document();
    int64_t shifts[TAIL_SHIFTS];

    (void)state;
    words(image, FILE_AT + 5000 - 90 * SECTOR,
          "12 0 obj\n<< /Type /XRef >>\nstream\nobj xref\nendstream\nendobj\n"
          "startxref\n5000\n%%EOF\n");
    words(image, FILE_AT + 2000 + 8 * SECTOR,
          "endobj\n31 0 obj\r\n<</Type/XRef>>stream\nendstream endobj startxref 2007 %%EOF");
    assert_int_equal(shifts_by(&sig_pdf, image, FILE_AT, FILE_AT + SECTOR, shifts), 2);
    assert_int_equal(shifts[0], 8 * SECTOR);
    assert_int_equal(shifts[1], -90 * SECTOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap),         cmocka_unit_test(test_borders),
        cmocka_unit_test(test_others),      cmocka_unit_test(test_fits),
        cmocka_unit_test(test_before),      cmocka_unit_test(test_many),
        cmocka_unit_test(test_names_table), cmocka_unit_test(test_names_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
