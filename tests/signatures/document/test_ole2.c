/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/document/test_ole2.c - what the samples of compound files cannot show.
 *
 * Goal: places of the allocation table behind the header's 109, broken chains and the end of odd
 * files. Method: compound files built here, sector by sector, from [MS-CFB].
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"
#include "tests/signatures/put.h"

enum { SECTOR = 512, PER = 128, SPAN = 4096 };

#define END UINT32_C(0xfffffffe)
#define IS_FAT UINT32_C(0xfffffffd)
#define IS_DIFAT UINT32_C(0xfffffffc)

struct file {
    uint8_t *bytes;
    uint32_t sectors, fats, stream_at, stream_sectors;
};

static uint8_t *sector(const struct file *file, uint32_t number)
{
    return file->bytes + ((size_t)number + 1) * SECTOR;
}

/* The FAT begins at sector 0. */
static void fat(const struct file *file, uint32_t number, uint32_t value)
{
    put_u32le(sector(file, number / PER) + number % PER * 4, value);
}

static void entry(uint8_t *at, const char *name, uint8_t kind, uint32_t child, uint32_t start,
                  uint32_t size)
{
    const size_t len = strlen(name);

    memset(at, 0, 128);
    for (size_t i = 0; i < len; i++)
        at[2 * i] = (uint8_t)name[i];
    put_u16le(at + 64, (uint32_t)(2 * len + 2));
    at[66] = kind;
    at[67] = 1;
    put_u32le(at + 68, UINT32_MAX);
    put_u32le(at + 72, UINT32_MAX);
    put_u32le(at + 76, child);
    put_u32le(at + 116, start);
    put_u32le(at + 120, size);
}

/* Sectors: the FAT, its places behind the 109th, the directory, one stream. `free` more sectors are
 * in the table and not in use. */
static struct file build(uint32_t stream_sectors, uint32_t free_sectors)
{
    static const uint8_t head[] = { 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1 };
    struct file file = { .stream_sectors = stream_sectors };
    uint32_t difat, used;

    do {
        file.fats++;
        difat = file.fats > 109 ? (file.fats - 109 + PER - 2) / (PER - 1) : 0;
        used = file.fats + difat + 1 + stream_sectors;
    } while (file.fats * PER < used + free_sectors);
    file.sectors = used;
    file.stream_at = file.fats + difat + 1;
    file.bytes = calloc((size_t)used + 1, SECTOR);
    assert_non_null(file.bytes);
    memset(sector(&file, 0), 0xff, (size_t)file.fats * SECTOR);
    memcpy(file.bytes, head, sizeof head);
    put_u16le(file.bytes + 24, 0x3e);
    put_u16le(file.bytes + 26, 3);
    put_u16le(file.bytes + 28, 0xfffe);
    put_u16le(file.bytes + 30, 9);
    put_u16le(file.bytes + 32, 6);
    put_u32le(file.bytes + 44, file.fats);
    put_u32le(file.bytes + 48, file.fats + difat);
    put_u32le(file.bytes + 56, 4096);
    put_u32le(file.bytes + 60, END);
    put_u32le(file.bytes + 68, difat > 0 ? file.fats : END);
    put_u32le(file.bytes + 72, difat);
    memset(file.bytes + 76, 0xff, 436);
    memset(sector(&file, file.fats), 0xff, (size_t)difat * SECTOR);
    for (uint32_t i = 0; i < file.fats; i++) {
        const uint32_t more = i - 109, last = PER - 1;

        put_u32le(i < 109 ? file.bytes + 76 + 4 * i
                          : sector(&file, file.fats + more / last) + 4 * (more % last),
                  i);
        fat(&file, i, IS_FAT);
    }
    for (uint32_t i = 0; i < difat; i++) {
        fat(&file, file.fats + i, IS_DIFAT);
        put_u32le(sector(&file, file.fats + i) + 4 * (PER - 1),
                  i + 1 < difat ? file.fats + i + 1 : END);
    }
    fat(&file, file.fats + difat, END);
    for (uint32_t i = 0; i < stream_sectors; i++)
        fat(&file, file.stream_at + i, i + 1 < stream_sectors ? file.stream_at + i + 1 : END);
    memset(sector(&file, file.stream_at - 1), 0, SECTOR);
    entry(sector(&file, file.stream_at - 1), "Root Entry", 5, 1, END, 0);
    entry(sector(&file, file.stream_at - 1) + 128, "Package", 2, UINT32_MAX, file.stream_at,
          stream_sectors * SECTOR);
    return file;
}

static struct harness_verdict check(const struct file *file)
{
    return harness_run(harness_sig("ole"), file->bytes, ((size_t)file->sectors + 1) * SECTOR, 0,
                       SPAN);
}

static void assert_whole(const struct file *file)
{
    const struct harness_verdict v = check(file);

    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, ((size_t)file->sectors + 1) * SECTOR);
    assert_string_equal(v.type->name, "ole");
}

static void tables_of_every_size(void **unused)
{
    static const uint32_t sizes[] = { 8, 126, 127, 108 * 128, 109 * 128, 110 * 128, 237 * 128 };

    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct file file = build(sizes[i], 0);

        assert_whole(&file);
        free(file.bytes);
    }
}

static void bad_chains_break(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 7; kind++) {
        struct file file = build(300, 0);
        const uint32_t at = file.stream_at;
        uint8_t *stream = sector(&file, at - 1) + 128;

        switch (kind) {
        case 0: /* ends early */
            fat(&file, at + 200, END);
            break;
        case 1: /* a circle */
            fat(&file, at + 299, at);
            break;
        case 2: /* through a free sector */
            fat(&file, at + 100, UINT32_MAX);
            break;
        case 3: /* two lead to one */
            fat(&file, at + 299, at + 50);
            break;
        case 4: /* out of the file */
            fat(&file, at + 150, 100000);
            break;
        case 5: /* the stream begins within its chain */
            put_u32le(stream + 116, at + 1);
            put_u32le(stream + 120, 299 * SECTOR);
            fat(&file, at + 299, at);
            break;
        default: /* a sibling that is not there */
            put_u32le(stream + 68, 1000);
            break;
        }
        const struct harness_verdict v = check(&file);
        assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
        free(file.bytes);
    }
}

/* The rest of the table is marked as chains of one sector, in which nothing begins. */
static void marked_sectors_that_are_not_there(void **unused)
{
    struct file file = build(40, 0);

    (void)unused;
    for (uint32_t i = file.sectors; i < file.fats * PER; i++)
        fat(&file, i, END);
    assert_whole(&file);
    fat(&file, file.fats * PER - 1, UINT32_MAX); /* a lost sector inside of the table counts */
    const struct harness_verdict v = check(&file);
    assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
    free(file.bytes);
}

/* As LibreOffice leaves it: a sector of the directory as it was, behind the last one in use. */
static void former_directory_belongs_to_the_file(void **unused)
{
    struct file file = build(40, 3);

    (void)unused;
    file.bytes = realloc(file.bytes, ((size_t)file.sectors + 3) * SECTOR);
    assert_non_null(file.bytes);
    memcpy(sector(&file, file.sectors), sector(&file, file.stream_at - 1), SECTOR);
    memset(sector(&file, file.sectors + 1), 0, SECTOR);
    file.sectors++;
    assert_whole(&file);
    const struct harness_verdict v =
        harness_run(harness_sig("ole"), file.bytes, ((size_t)file.sectors + 2) * SECTOR, 0, 0);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, ((size_t)file.sectors + 1) * SECTOR);
    free(file.bytes);
}

/* The list of a long document's pages takes several sectors, its two halves are read side by side.
 */
static void long_document(void **unused)
{
    enum { PAGES = 500, TABLE = 8, WORD = PAGES + 1 };
    struct file file = build(TABLE + WORD, 0);
    uint8_t *directory = sector(&file, file.stream_at - 1), *table = sector(&file, file.stream_at);
    uint8_t *word = sector(&file, file.stream_at + TABLE);

    (void)unused;
    fat(&file, file.stream_at + TABLE - 1, END);
    entry(directory + 128, "1Table", 2, UINT32_MAX, file.stream_at, TABLE * SECTOR);
    entry(directory + 256, "WordDocument", 2, UINT32_MAX, file.stream_at + TABLE, WORD * SECTOR);
    put_u32le(directory + 128 + 72, 2);
    put_u16le(word, 0xa5ec);
    put_u16le(word + 2, 0xc1);
    put_u16le(word + 10, 0x200);
    put_u32le(word + 0xfe, 4 + 8 * PAGES);
    for (uint32_t i = 0; i < PAGES; i++) {
        uint8_t *page = word + (size_t)(i + 1) * SECTOR;

        put_u32le(table + 4 * i, 1000 + i);
        put_u32le(table + 4 * (PAGES + 1 + i), i + 1);
        put_u32le(page, 1000 + i);
        put_u32le(page + 4, 1001 + i);
        page[SECTOR - 1] = 1;
    }
    put_u32le(table + 4 * PAGES, 1000 + PAGES);
    const struct harness_verdict v =
        harness_check(harness_sig("ole"), file.bytes, ((size_t)file.sectors + 1) * SECTOR);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_string_equal(v.type->name, "doc");
    put_u32le(word + (size_t)PAGES * SECTOR + 4, 0); /* the last page is another one */
    assert_int_not_equal(check(&file).result.verdict, SIG_COMPLETE);
    free(file.bytes);
}

/* The names in the root storage and its class say what a file is. */
static void names_and_classes_tell_types(void **unused)
{
    static const struct {
        const char *name, *type;
        uint32_t clsid; /* its first word; the rest is 0000-0000-C000-000000000046 */
    } kinds[] = {
        { "VisioDocument", "vsd", 0 },
        { "Quill", "pub", 0 },
        { "QUILL", "pub", 0 },
        { "DestList", "automaticdestinations-ms", 0 },
        { "Catalog", "thumbs.db", 0 },
        { "256_af01", "thumbs.db", 0 },
        { "HwpSummaryInformation", "hwp", 0 },
        { "StarWriterDocument", "sdw", 0 },
        { "StarDrawDocument3", "sdd", 0 },
        { "MatOST", "wps", 0 },
        { "EncryptedPackage", "encrypted-ooxml", 0 },
        { "dd2000", "sdv", 0 },
        { "Anything", "msi", 0xc1084 },
        { "Anything", "msp", 0xc1086 },
        { "Anything", "mst", 0xc1082 },
        { "__properties_version1.0", "msg", 0 },
        { "__properties_version1.0", "oft", 0x6f046 },
        { "Contents", "pub", 0x21201 },
        { "VisioDocuments", "ole", 0 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct file file = build(8, 0);
        uint8_t *directory = sector(&file, file.stream_at - 1);

        entry(directory + 128, kinds[i].name, 2, UINT32_MAX, file.stream_at,
              file.stream_sectors * SECTOR);
        if (kinds[i].clsid != 0) {
            put_u32le(directory + 80, kinds[i].clsid);
            directory[88] = 0xc0;
            directory[95] = 0x46;
        }
        const struct harness_verdict v = check(&file);
        assert_int_equal(v.result.verdict, SIG_COMPLETE);
        assert_string_equal(v.type->name, kinds[i].type);
        free(file.bytes);
    }
}

/* The summary of the sample, a short stream, becomes a CompObj. */
static void comp_obj_has_its_header(void **unused)
{
    enum { LEN = 16896, ENTRY = 16256, STREAM = 512 + 512 * 28 + 64 };
    static const char name[] = "\1\0C\0o\0m\0p\0O\0b\0j\0\0";
    static uint8_t bytes[LEN];
    FILE *sample = fopen("tests/samples/ole2/slides.ppt", "rb");

    (void)unused;
    assert_non_null(sample);
    assert_int_equal(fread(bytes, 1, LEN, sample), LEN);
    fclose(sample);
    memset(bytes + ENTRY, 0, 64);
    memcpy(bytes + ENTRY, name, sizeof name);
    bytes[ENTRY + 64] = 18;
    assert_int_equal(harness_check(harness_sig("ole"), bytes, LEN).result.verdict,
                     SIG_BREAKS); /* still a property set */
    memcpy(bytes + STREAM, "\1\0\376\377\3\12\0\0\377\377\377\377", 12);
    assert_int_equal(harness_check(harness_sig("ole"), bytes, LEN).result.verdict, SIG_COMPLETE);
}

/* The sample's table of pages becomes a short stream, in place of the summary. */
static void small_document(void **unused)
{
    enum {
        LEN = 15872,
        TABLE_ENTRY = 14976,
        SUMMARY_ENTRY = 15360,
        TABLE = 512 + 512,
        LISTS_END = 92,
        MINI = 512 + 512 * 26,
        MINI_FAT = 512 + 512 * 27,
        PAGE = 512 + 512 * (9 + 5)
    };
    static uint8_t bytes[LEN];
    FILE *sample = fopen("tests/samples/ole2/words.doc", "rb");

    (void)unused;
    assert_non_null(sample);
    assert_int_equal(fread(bytes, 1, LEN, sample), LEN);
    fclose(sample);
    memcpy(bytes + MINI, bytes + TABLE, LISTS_END);
    put_u32le(bytes + SUMMARY_ENTRY + 120, 0);
    put_u32le(bytes + TABLE_ENTRY + 116, 0);
    put_u32le(bytes + TABLE_ENTRY + 120, 300);
    assert_int_equal(harness_check(harness_sig("ole"), bytes, LEN).result.verdict, SIG_COMPLETE);
    bytes[PAGE] ^= 1; /* another text position than the one listed */
    assert_int_equal(harness_check(harness_sig("ole"), bytes, LEN).result.verdict, SIG_BREAKS);
    put_u32le(bytes + MINI_FAT, 2); /* in pieces: not looked at */
    put_u32le(bytes + MINI_FAT + 8, 1);
    assert_int_equal(harness_check(harness_sig("ole"), bytes, LEN).result.verdict, SIG_COMPLETE);
}

/* Spreadsheet::WriteExcel gives the record that says how large a sheet is the number that it had in
 * BIFF2. */
static void old_number_of_a_record(void **unused)
{
    enum { LEN = 6656 };
    static const uint8_t dimensions[] = { 0x00, 0x02, 14, 0 };
    static uint8_t bytes[LEN];
    FILE *sample = fopen("tests/samples/ole2/book.xls", "rb");

    (void)unused;
    assert_non_null(sample);
    assert_int_equal(fread(bytes, 1, LEN, sample), LEN);
    fclose(sample);
    uint8_t *at = memmem(bytes, LEN, dimensions, sizeof dimensions);
    assert_non_null(at);
    at[1] = 0;
    assert_int_equal(harness_check(harness_sig("ole"), bytes, LEN).result.verdict, SIG_COMPLETE);
    at[2] = 4;
    assert_int_equal(harness_check(harness_sig("ole"), bytes, LEN).result.verdict, SIG_BREAKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_every_size),
        cmocka_unit_test(bad_chains_break),
        cmocka_unit_test(marked_sectors_that_are_not_there),
        cmocka_unit_test(former_directory_belongs_to_the_file),
        cmocka_unit_test(long_document),
        cmocka_unit_test(names_and_classes_tell_types),
        cmocka_unit_test(comp_obj_has_its_header),
        cmocka_unit_test(small_document),
        cmocka_unit_test(old_number_of_a_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
