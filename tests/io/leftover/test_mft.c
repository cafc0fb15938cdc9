/* SPDX-License-Identifier: Apache-2.0
 * Layouts of NTFS: by the boot sector, by its copy, by votes; streams of many records. */
#include "tests/io/leftover/lib_ntfs.h"

enum { UNIT = 4096, CLUSTERS = 512, SIZE = CLUSTERS * UNIT, MFT = 4 };

/* Clusters 100 to 102, then 50 and 51. */
static const uint8_t two[] = { 0x11, 3, 100, 0x11, 2, 0xce, 0 };

static void boot(uint8_t *sector)
{
    memcpy(sector, "\xeb\x52\x90NTFS    ", 11);
    put(sector + 11, 512, 2);
    sector[13] = UNIT / 512;
    put(sector + 40, SIZE / 512 - 1, 8);
    put(sector + 48, MFT, 8);
    put(sector + 56, CLUSTERS / 2, 8);
    put(sector + 510, 0xaa55, 2);
}

static uint8_t *image(bool first, bool copy, uint32_t flags)
{
    uint8_t *bytes = zeros(SIZE);

    if (first)
        boot(bytes);
    if (copy)
        boot(bytes + SIZE - 512);
    record_make(bytes + (size_t)MFT * UNIT + RECORD, &(struct record){ .number = 1,
                                                                       .flags = flags,
                                                                       .name = "b.jpg",
                                                                       .last_vcn = 4,
                                                                       .allocated = 5 * UNIT,
                                                                       .size = 4 * UNIT + 10,
                                                                       .runs = two,
                                                                       .runs_len = sizeof two });
    return bytes;
}

static void boot_sectors_tell(void **state)
{
    static const uint64_t want[][2] = { { 100 * UNIT, 3 * UNIT }, { 50 * UNIT, UNIT + 10 } };

    (void)state;
    for (uint32_t i = 1; i < 4; i++) {
        uint8_t *bytes = image((i & 1) != 0, (i & 2) != 0, i == 2);
        struct told *told = told_by(bytes, SIZE, NULL, 0);

        assert_int_equal(told->count, 1);
        assert_int_equal(told->layouts[0].source, IO_LAYOUT_MFT_RECORD);
        assert_int_equal(told->layouts[0].size, 4 * UNIT + 10);
        assert_int_equal(told->layouts[0].unit, UNIT);
        assert_int_equal(told->layouts[0].unit_at % UNIT, 0);
        assert_int_equal(told->layouts[0].in_use, i == 2);
        assert_int_equal(told->layouts[0].modified, 1000000000);
        assert_int_equal(told->layouts[0].at, MFT * UNIT + RECORD);
        assert_string_equal(told->layouts[0].path, "b.jpg");
        assert_string_equal(told->layouts[0].text, "MFT record 1");
        told_runs(&told->layouts[0], want, 2);
        free(told);
        free(bytes);
    }
}

/* Nothing but blocks of a folder is left; one of them was written over in part. */
static void blocks_of_folders_are_told(void **state)
{
    uint8_t *bytes = zeros(SIZE);

    (void)state;
    index_make(bytes + 20 * UNIT);
    index_make(bytes + 31 * UNIT);
    index_make(bytes + SIZE - UNIT);
    memset(bytes + 31 * UNIT + 1024, 7, 512);
    const struct folders folders = folders_of(bytes, SIZE);
    assert_int_equal(folders.count, 2);
    assert_int_equal(folders.clusters[0].offset, 20 * UNIT);
    assert_int_equal(folders.clusters[1].offset, SIZE - UNIT);
    assert_int_equal(folders.clusters[0].len, UNIT);
    assert_int_equal(folders.clusters[1].len, UNIT);
    free(bytes);
}

/* A stray record, outside of the MFT, and a copy of the first: the layout is told once. */
static void stray_records_are_found_and_told_once(void **state)
{
    uint8_t *bytes = image(true, false, 1);

    (void)state;
    memcpy(bytes + 300 * UNIT + 512, bytes + (size_t)MFT * UNIT + RECORD, RECORD);
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 1);
    free(told);
    memset(bytes + (size_t)MFT * UNIT + RECORD, 0, RECORD);
    told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 1);
    assert_int_equal(told->layouts[0].at, 300 * UNIT + 512);
    free(told);
    free(bytes);
}

/* The stream begins in record 5 and goes on in 7, which names it; a deletion has counted the number
 * of record 5 up from 9 to 10. */
static void streams_of_many_records_are_joined(void **state)
{
    static const uint8_t more[] = { 0x21, 4, 200, 0, 0 };
    static const uint64_t want[][2] = { { 100 * UNIT, 3 * UNIT },
                                        { 50 * UNIT, 2 * UNIT },
                                        { 200 * UNIT, 3 * UNIT + 1 } };
    uint8_t *bytes = image(true, false, 1);
    uint8_t *mft = bytes + (size_t)MFT * UNIT;

    (void)state;
    memset(mft + RECORD, 0, RECORD);
    record_make(mft + (size_t)5 * RECORD, &(struct record){ .number = 5,
                                                            .sequence = 10,
                                                            .name = "c",
                                                            .last_vcn = 4,
                                                            .allocated = 9 * UNIT,
                                                            .size = 8 * UNIT + 1,
                                                            .runs = two,
                                                            .runs_len = sizeof two });
    record_make(mft + (size_t)7 * RECORD, &(struct record){ .number = 7,
                                                            .base = UINT64_C(9) << 48 | 5,
                                                            .first_vcn = 5,
                                                            .last_vcn = 8,
                                                            .runs = more,
                                                            .runs_len = sizeof more });
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 1);
    told_runs(&told->layouts[0], want, 3);
    assert_string_equal(told->layouts[0].path, "c");
    free(told);
    /* Without the other record it is shorter than its size, and not told. */
    memset(mft + (size_t)7 * RECORD, 0, RECORD);
    told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 0);
    free(told);
    free(bytes);
}

static void runs_over_each_other_and_outside_are_none(void **state)
{
    static const uint8_t over[] = { 0x11, 3, 100, 0x11, 2, 1, 0 };
    static const uint8_t outside[] = { 0x11, 3, 100, 0x21, 2, 0, 0x20, 0 };
    uint8_t *bytes = image(true, false, 1);
    struct record record = { .number = 1,
                             .last_vcn = 4,
                             .allocated = 5 * UNIT,
                             .size = 5 * UNIT,
                             .runs = over,
                             .runs_len = sizeof over };

    (void)state;
    record_make(bytes + (size_t)MFT * UNIT + RECORD, &record);
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 0);
    free(told);
    record.runs = outside;
    record.runs_len = sizeof outside;
    record_make(bytes + (size_t)MFT * UNIT + RECORD, &record);
    told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 0);
    free(told);
    free(bytes);
}

/* No boot sector: 40 files, whose headers are known, vote. Clusters of 2,048 bytes from 1,536 on.
 */
static void votes_tell_without_boot_sectors(void **state)
{
    enum { FILES = 40, SMALL = 2048, BASE = 1536 };
    uint8_t *bytes = zeros(SIZE);
    uint64_t starts[FILES], at = 20, random = 5;

    (void)state;
    for (uint32_t i = 0; i < FILES; i++) {
        uint8_t run[] = { 0x21, 2, 0, 0, 0x11, 1, 3, 0 };

        at += 4 + test_random(&random) % 13;
        put(run + 2, at, 2);
        starts[i] = BASE + at * SMALL;
        record_make(bytes + (size_t)800 * SMALL + (size_t)i * RECORD,
                    &(struct record){ .number = i,
                                      .last_vcn = 2,
                                      .allocated = 3 * SMALL,
                                      .size = 3 * SMALL,
                                      .runs = run,
                                      .runs_len = sizeof run });
    }
    struct told *told = told_by(bytes, SIZE, starts, FILES);
    assert_int_equal(told->count, FILES);
    for (uint32_t i = 0; i < FILES; i++) {
        const uint64_t want[][2] = { { starts[i], 2 * SMALL }, { starts[i] + 3 * SMALL, SMALL } };

        told_runs(&told->layouts[i], want, 2);
        assert_int_equal(told->layouts[i].unit, SMALL);
        assert_int_equal(told->layouts[i].unit_at, BASE);
    }
    free(told);
    /* Without headers nothing says where clusters lie. */
    told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 0);
    free(told);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boot_sectors_tell),
        cmocka_unit_test(stray_records_are_found_and_told_once),
        cmocka_unit_test(blocks_of_folders_are_told),
        cmocka_unit_test(streams_of_many_records_are_joined),
        cmocka_unit_test(runs_over_each_other_and_outside_are_none),
        cmocka_unit_test(votes_tell_without_boot_sectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
