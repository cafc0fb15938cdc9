/* SPDX-License-Identifier: Apache-2.0
 * Entries of FAT and exFAT: names, times, chains that stand, chains that are gone, volumes that
 * nothing but votes tell of. */
#include "tests/io/leftover/lib_leftover.h"

enum {
    SECTOR = 512,
    SIZE = 2 << 20,
    /* FAT16: 1 sector reserved, one table of 16 sectors, 512 entries in the root, clusters of 1 KiB
     */
    FAT_AT = SECTOR,
    ROOT_AT = 17 * SECTOR,
    DATA_AT = ROOT_AT + 512 * 32,
    UNIT = 1024,
};

static uint8_t *fat16(void)
{
    uint8_t *bytes = zeros(SIZE);

    memcpy(bytes, "\xeb\x3c\x90mkfs.fat", 11);
    put(bytes + 11, SECTOR, 2);
    bytes[13] = UNIT / SECTOR;
    put(bytes + 14, 1, 2);
    bytes[16] = 1;
    put(bytes + 17, 512, 2);
    put(bytes + 19, 0, 2);
    bytes[21] = 0xf8;
    put(bytes + 22, 16, 2);
    /* FAT16 has at least 4,085 clusters: the volume is larger than the image that is left of it. */
    put(bytes + 32, DATA_AT / SECTOR + 2 * 5000, 4);
    put(bytes + 510, 0xaa55, 2);
    put(bytes + FAT_AT, 0xfff8, 2);
    put(bytes + FAT_AT + 2, 0xffff, 2);
    return bytes;
}

static void chain(uint8_t *bytes, const uint32_t *clusters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(bytes + FAT_AT + (size_t)2 * clusters[i], i + 1 < count ? clusters[i + 1] : 0xffff, 2);
}

/* An entry of 2021-03-04 05:06:08; the first cluster's upper half is 0. */
static void entry(uint8_t *at, const char *name, uint32_t first, uint32_t size)
{
    memcpy(at, name, 11);
    at[11] = 0x20;
    put(at + 22, 5 << 11 | 6 << 5 | 4, 2);
    put(at + 24, (2021 - 1980) << 9 | 3 << 5 | 4, 2);
    put(at + 26, first, 2);
    put(at + 28, size, 4);
}

static uint64_t place(uint32_t cluster)
{
    return DATA_AT + (uint64_t)(cluster - 2) * UNIT;
}

static void chains_that_stand_are_followed(void **state)
{
    const uint32_t clusters[] = { 10, 11, 20, 9 };
    const uint64_t want[][2] = { { place(10), 2 * UNIT }, { place(20), UNIT }, { place(9), 5 } };
    uint8_t *bytes = fat16();

    (void)state;
    chain(bytes, clusters, 4);
    entry(bytes + ROOT_AT, "A       TXT", 10, 3 * UNIT + 5);
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 1);
    assert_int_equal(told->layouts[0].source, IO_LAYOUT_FAT_ENTRY);
    assert_string_equal(told->layouts[0].path, "A.TXT");
    /* date -u -d '2021-03-04 05:06:08' +%s */
    assert_int_equal(told->layouts[0].modified, 1614834368);
    assert_true(told->layouts[0].in_use && !told->layouts[0].open_end);
    assert_int_equal(told->layouts[0].unit, UNIT);
    assert_int_equal(told->layouts[0].unit_at, DATA_AT);
    assert_int_equal(told->layouts[0].area.offset, DATA_AT);
    told_runs(&told->layouts[0], want, 3);
    free(told);
    free(bytes);
}

/* A chain that is shorter or longer than the size, or goes round, is not the file's. */
static void wrong_chains_leave_the_end_open(void **state)
{
    const uint32_t clusters[] = { 10, 11, 20, 9 };
    static const uint32_t sizes[] = { 2 * UNIT, 9 * UNIT };
    uint8_t *bytes = fat16();

    (void)state;
    chain(bytes, clusters, 4);
    for (uint32_t i = 0; i < 3; i++) {
        entry(bytes + ROOT_AT, "A       TXT", 10, sizes[i % 2]);
        if (i == 2)
            put(bytes + FAT_AT + 18, 10, 2);
        struct told *told = told_by(bytes, SIZE, NULL, 0);
        assert_int_equal(told->count, 1);
        assert_true(told->layouts[0].open_end && !told->layouts[0].in_use);
        assert_int_equal(told->layouts[0].size, sizes[i % 2]);
        free(told);
    }
    free(bytes);
}

static void long_name(uint8_t *at, uint32_t number, const char *text, uint32_t sum)
{
    static const uint8_t places[] = { 1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30 };

    at[0] = (uint8_t)number;
    at[11] = 0x0f;
    at[13] = (uint8_t)sum;
    for (uint32_t i = 0; i < 13; i++)
        put(at + places[i],
            i < strlen(text)    ? (uint8_t)text[i]
            : i == strlen(text) ? 0
                                : 0xffff,
            2);
}

static void deleted_files_have_an_open_end(void **state)
{
    const uint64_t want[][2] = { { place(10), UNIT } };
    uint8_t *bytes = fat16();

    (void)state;
    long_name(bytes + ROOT_AT, 0xe5, "lovely dog.jp", 0);
    long_name(bytes + ROOT_AT + 32, 0xe5, "A photo of a ", 0);
    entry(bytes + ROOT_AT + 64, "\xe5PHOTO~1JPG", 10, 5000);
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 1);
    assert_true(told->layouts[0].open_end);
    assert_int_equal(told->layouts[0].size, 5000);
    assert_string_equal(told->layouts[0].path, "A photo of a lovely dog.jp");
    told_runs(&told->layouts[0], want, 1);
    free(told);
    free(bytes);
}

/* Folders, files of one cluster and clusters behind the end are not told. */
static void others_are_left_out(void **state)
{
    uint8_t *bytes = fat16();

    (void)state;
    entry(bytes + ROOT_AT, "A          ", 10, UNIT);
    entry(bytes + ROOT_AT + 32, "B          ", 10, 5000);
    bytes[ROOT_AT + 32 + 11] = 0x10;
    entry(bytes + ROOT_AT + 64, "C          ", 60000, 5000);
    entry(bytes + ROOT_AT + 96, "D          ", 0, 5000);
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 0);
    free(told);
    free(bytes);
}

/* Nothing but folders and headers is left: 60 files vote for clusters of 1 KiB. */
static void votes_tell_without_a_boot_sector(void **state)
{
    enum { FILES = 60 };
    uint64_t starts[FILES], random = 9;
    uint32_t cluster = 20;
    uint8_t *bytes = fat16();

    (void)state;
    memset(bytes, 0, ROOT_AT);
    for (uint32_t i = 0; i < FILES; i++) {
        char name[12];

        cluster += 3 + (uint32_t)(test_random(&random) % 20);
        snprintf(name, sizeof name, "\xe5ILE%04uBIN", i);
        entry(bytes + ROOT_AT + (size_t)32 * i, name, cluster, 2000 + i);
        starts[i] = place(cluster);
    }
    struct told *told = told_by(bytes, SIZE, starts, FILES);
    assert_int_equal(told->count, FILES);
    for (uint32_t i = 0; i < FILES; i++) {
        const uint64_t want[][2] = { { starts[i], UNIT } };

        assert_int_equal(told->layouts[i].size, 2000 + i);
        told_runs(&told->layouts[i], want, 1);
    }
    free(told);
    free(bytes);
}

/* Of 1,200 folders the last 176, at which another thread looks, name clusters of the image. */
static void votes_of_many_folders_are_counted(void **state)
{
    enum { FOLDERS = 1200, OUTSIDE = 1024, FILES = FOLDERS - OUTSIDE };
    uint64_t starts[FILES], random = 9;
    uint32_t cluster = 20;
    uint8_t *bytes = fat16();

    (void)state;
    memset(bytes, 0, ROOT_AT);
    for (uint32_t i = 0; i < FOLDERS; i++) {
        uint8_t *sector = bytes + DATA_AT + (size_t)2 * i * SECTOR;

        if (i < OUTSIDE) {
            entry(sector, "\xe5ILE    BIN", 4000 + i, 2000);
            continue;
        }
        cluster += 1 + (uint32_t)(test_random(&random) % 20);
        entry(sector, "\xe5ILE    BIN", cluster, 2000);
        starts[i - OUTSIDE] = place(cluster);
    }
    struct told *told = told_by(bytes, SIZE, starts, FILES);
    assert_int_equal(told->count, FILES);
    for (uint32_t i = 0; i < TOLD_MAX && i < FILES; i++)
        assert_int_equal(told->runs[i][0].offset, starts[i]);
    assert_int_equal(told->layouts[0].unit, UNIT);
    assert_int_equal(told->layouts[0].unit_at, DATA_AT);
    free(told);
    free(bytes);
}

/* The second sector of cluster 40 has an entry of a folder, cluster 50 a folder without a file. */
static void clusters_of_folders_are_told(void **state)
{
    uint8_t *bytes = fat16();

    (void)state;
    entry(bytes + place(40) + SECTOR, "A       TXT", 10, 3 * UNIT);
    entry(bytes + place(50), ".          ", 50, 0);
    entry(bytes + place(50) + 32, "..         ", 0, 0);
    bytes[place(50) + 11] = bytes[place(50) + 43] = 0x10;
    const struct folders folders = folders_of(bytes, SIZE);
    assert_int_equal(folders.count, 2);
    assert_int_equal(folders.clusters[0].offset, place(40));
    assert_int_equal(folders.clusters[1].offset, place(50));
    assert_int_equal(folders.clusters[0].len, UNIT);
    assert_int_equal(folders.clusters[1].len, UNIT);
    free(bytes);
}

enum { HEAP = 64 * SECTOR, XUNIT = 4096 };

/* exFAT: the table at sector 24, clusters of 8 sectors from sector 64 on. */
static void exfat_boot(uint8_t *sector)
{
    memcpy(sector,
           "\xeb\x76\x90"
           "EXFAT   ",
           11);
    put(sector + 72, SIZE / SECTOR, 8);
    put(sector + 80, 24, 4);
    put(sector + 84, 8, 4);
    put(sector + 88, 64, 4);
    put(sector + 92, (SIZE - HEAP) / XUNIT, 4);
    sector[108] = 9;
    sector[109] = 3;
    sector[110] = 1;
    put(sector + 510, 0xaa55, 2);
}

static void exfat_set(uint8_t *at, bool deleted, uint32_t flags, uint32_t first, uint64_t size)
{
    const uint32_t use = deleted ? 0 : 0x80;

    at[0] = (uint8_t)(0x05 | use);
    at[1] = 2;
    put(at + 4, 0x20, 2);
    put(at + 12, 5 << 11 | 6 << 5 | 4, 2);
    put(at + 14, (2021 - 1980) << 9 | 3 << 5 | 4, 2);
    at[32] = (uint8_t)(0x40 | use);
    at[33] = (uint8_t)flags;
    at[35] = 5;
    put(at + 40, size, 8);
    put(at + 52, first, 4);
    put(at + 56, size, 8);
    at[64] = (uint8_t)(0x41 | use);
    for (uint32_t i = 0; i < 5; i++)
        at[66 + 2 * i] = (uint8_t) "a.bmp"[i];
}

static void exfat_sets_are_told(void **state)
{
    enum { FOLDER = HEAP + 3 * XUNIT };
    const uint64_t chained[][2] = { { HEAP + 8 * XUNIT, XUNIT }, { HEAP + 18 * XUNIT, 100 } };
    const uint64_t open[][2] = { { HEAP + 28 * XUNIT, XUNIT } };

    (void)state;
    for (uint32_t copy = 0; copy < 2; copy++) { /* the boot sector, and its copy alone */
        uint8_t *bytes = zeros(SIZE);

        exfat_boot(bytes + (size_t)copy * 12 * SECTOR);
        put(bytes + 24 * SECTOR, 0xfffffff8, 4);
        exfat_set(bytes + FOLDER, false, 1, 10, XUNIT + 100);
        put(bytes + 24 * SECTOR + 40, 20, 4);
        put(bytes + 24 * SECTOR + 80, 0xffffffff, 4);
        exfat_set(bytes + FOLDER + 96, true, 1, 30, 3 * XUNIT);
        exfat_set(bytes + FOLDER + 192, true, 3, 40,
                  3 * XUNIT); /* its clusters follow each other */
        struct told *told = told_by(bytes, SIZE, NULL, 0);
        assert_int_equal(told->count, 2);
        assert_int_equal(told->layouts[0].source, IO_LAYOUT_EXFAT_ENTRY);
        assert_int_equal(told->layouts[0].size, XUNIT + 100);
        assert_int_equal(told->layouts[0].modified, 1614834368);
        assert_true(told->layouts[0].in_use);
        assert_string_equal(told->layouts[0].path, "a.bmp");
        told_runs(&told->layouts[0], chained, 2);
        assert_true(told->layouts[1].open_end && !told->layouts[1].in_use);
        assert_int_equal(told->layouts[1].size, 3 * XUNIT);
        told_runs(&told->layouts[1], open, 1);
        free(told);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_that_stand_are_followed),
        cmocka_unit_test(wrong_chains_leave_the_end_open),
        cmocka_unit_test(deleted_files_have_an_open_end),
        cmocka_unit_test(others_are_left_out),
        cmocka_unit_test(votes_tell_without_a_boot_sector),
        cmocka_unit_test(votes_of_many_folders_are_counted),
        cmocka_unit_test(clusters_of_folders_are_told),
        cmocka_unit_test(exfat_sets_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
