/* SPDX-License-Identifier: Apache-2.0
 * tests/io/test_aff.c - AFF files of which pages are damaged or missing, and sectors marked.
 *
 * Method: affconvert makes the file, affsegment takes segments out of it or changes them, and bytes
 * of it are changed here. What is read must be the disk's bytes, or zeros that are told of.
 */
#include <fcntl.h>
#include <pthread.h>

#include "tests/io/lib_container.h"

enum { SECTOR = 512, PAGE_LEN = 256 * 1024, PAGES = DISK_LEN / PAGE_LEN, LIST_MAX = 256 };

struct list {
    struct io_bad_range items[LIST_MAX];
    uint32_t count;
};

static void collect(void *arg, const struct io_bad_range *range)
{
    struct list *list = arg;

    assert_true(list->count < LIST_MAX);
    list->items[list->count++] = *range;
}

static void expect_range(const struct list *list, uint32_t i, uint64_t offset, uint64_t len,
                         enum io_bad_source source)
{
    assert_true(i < list->count);
    assert_int_equal(list->items[i].offset, offset);
    assert_int_equal(list->items[i].len, len);
    assert_int_equal(list->items[i].source, source);
    assert_int_equal(list->items[i].cause, 0);
}

/*
 * The disk in letters: pages that are no shorter when they are packed are not packed, and damage to
 * them shows nowhere.
 */
static int make_text(void **state)
{
    char path[128];

    make(state);
    struct disk *disk = *state;
    for (uint32_t i = 0; i < DISK_LEN; i++)
        disk->bytes[i] = (uint8_t)('a' + disk->bytes[i] % 16);
    snprintf(path, sizeof path, "%s/disk.raw", disk->folder);
    test_write_file(path, disk->bytes, DISK_LEN);
    return 0;
}

/* Makes disk.aff in pages of PAGE_LEN; how: further options. */
static void convert(const struct disk *disk, const char *how)
{
    char line[128];

    shell(disk, "rm -f disk.aff");
    snprintf(line, sizeof line, "-q %s -s%dk disk.raw", how, PAGE_LEN / 1024);
    tool(disk, "affconvert", line);
}

/* The file, to be changed and written back. */
static uint8_t *load(const struct disk *disk, size_t *len)
{
    uint8_t *bytes = malloc(2 * DISK_LEN);
    char path[128];

    snprintf(path, sizeof path, "%s/disk.aff", disk->folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *len = fread(bytes, 1, 2 * DISK_LEN, file);
    fclose(file);
    return bytes;
}

static void store(const struct disk *disk, uint8_t *bytes, size_t len)
{
    char path[128];

    snprintf(path, sizeof path, "%s/disk.aff", disk->folder);
    test_write_file(path, bytes, len);
    free(bytes);
}

/* Changes a byte in the middle of a page's segment. */
static void damage(const struct disk *disk, int page)
{
    char head[16 + 8] = "AFF";
    size_t len;
    uint8_t *bytes = load(disk, &len);
    const int name_len = snprintf(head + 16, 8, "page%d", page);
    uint8_t *at = bytes;

    do { /* the segment whose name is that, and no longer */
        at = memmem(at + 1, len - (size_t)(at + 1 - bytes), head + 16, (size_t)name_len);
        assert_non_null(at);
    } while (at[-9] != name_len);
    at[name_len + 3000] ^= 0x55;
    store(disk, bytes, len);
}

static struct io_image *opened(const struct disk *disk)
{
    struct io_image *image;
    struct err err = { 0 };

    if (open_in(disk, "disk.aff", &image, &err) != ERR_OK)
        fail_msg("%s", err.text);
    assert_int_equal(io_image_size(image), DISK_LEN);
    return image;
}

/* Reads the image in steps, as segments do. */
static void salvaged(const struct disk *disk, struct io_image *image, size_t step,
                     struct list *list)
{
    uint8_t *got = malloc(step);
    struct err err = { 0 };

    list->count = 0;
    for (uint64_t at = 0; at < DISK_LEN; at += step) {
        const size_t len = DISK_LEN - at < step ? (size_t)(DISK_LEN - at) : step;

        assert_int_equal(io_salvage_read(image, at, got, len, collect, list, &err), ERR_OK);
        assert_memory_equal(got, disk->bytes + at, len);
    }
    free(got);
}

/* Bytes that this process has read from files so far; 0: the system does not say. */
static unsigned long long bytes_read(void)
{
    FILE *file = fopen("/proc/self/io", "r");
    unsigned long long count = 0;

    if (file != NULL && fscanf(file, "rchar: %llu", &count) != 1)
        count = 0;
    if (file != NULL)
        fclose(file);
    return count;
}

/* The page is bad as a whole, and is not unpacked again for every piece of it. */
static void a_damaged_page_is_one_bad_range(void **state)
{
    const struct disk *disk = *state;
    struct list list;

    convert(disk, "");
    damage(disk, 2);
    damage(disk, 11);
    memset(disk->bytes + 2 * PAGE_LEN, 0, PAGE_LEN);
    memset(disk->bytes + 11 * PAGE_LEN, 0, PAGE_LEN);
    struct io_image *image = opened(disk);
    const unsigned long long before = bytes_read();
    salvaged(disk, image, DISK_LEN, &list);
    assert_int_equal(list.count, 2);
    expect_range(&list, 0, 2 * PAGE_LEN, PAGE_LEN, IO_BAD_READ);
    expect_range(&list, 1, 11 * PAGE_LEN, PAGE_LEN, IO_BAD_READ);
    salvaged(disk, image, 65536, &list); /* a quarter of a page at a time, and again */
    assert_int_equal(list.count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        const uint64_t page = i < 4 ? 2 : 11;

        expect_range(&list, i, page * PAGE_LEN + i % 4 * 65536, 65536, IO_BAD_READ);
    }
    salvaged(disk, image, 4096 + 512, &list);
    const unsigned long long read = bytes_read() - before;
    if (read > 0) /* 12 pages read three times, and as often again for halves */
        assert_true(read < (unsigned long long)8 * DISK_LEN);
    io_image_close(image);
}

/*
 * One thread reads a damaged page, the other writes to standard error: its words alone arrive, all
 * of them.
 */
struct talker {
    int done;
    uint32_t said;
};

static void *talk(void *arg)
{
    struct talker *talker = arg;

    while (!__atomic_load_n(&talker->done, __ATOMIC_ACQUIRE) || talker->said < 1000)
        if (write(STDERR_FILENO, "word\n", 5) == 5)
            talker->said++;
    return NULL;
}

static void libraries_are_silent_and_other_threads_are_heard(void **state)
{
    const struct disk *disk = *state;
    struct talker talker = { 0 };
    struct list list;
    pthread_t thread;
    char path[128], line[16];
    uint32_t heard = 0;

    convert(disk, "");
    damage(disk, 2);
    memset(disk->bytes + 2 * PAGE_LEN, 0, PAGE_LEN);
    snprintf(path, sizeof path, "%s/stderr", disk->folder);
    const int kept = dup(STDERR_FILENO),
              file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
    assert_int_equal(pthread_create(&thread, NULL, talk, &talker), 0);
    struct io_image *image = opened(disk);
    salvaged(disk, image, 65536, &list);
    io_image_close(image);
    __atomic_store_n(&talker.done, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL) {
        assert_string_equal(line, "word\n");
        heard++;
    }
    fclose(in);
    assert_int_equal(heard, talker.said);
}

/* Nobody read the medium there; afflib has no word for it but zeros. */
static void missing_pages_were_not_acquired(void **state)
{
    const struct disk *disk = *state;
    struct list list;

    convert(disk, "");
    tool(disk, "affsegment", "-dpage0 -dpage4 -dpage5 disk.aff");
    memset(disk->bytes, 0, PAGE_LEN);
    memset(disk->bytes + 4 * PAGE_LEN, 0, 2 * PAGE_LEN);
    struct io_image *image = opened(disk);
    salvaged(disk, image, DISK_LEN, &list);
    assert_int_equal(list.count, 2);
    expect_range(&list, 0, 0, PAGE_LEN, IO_BAD_ACQUISITION);
    expect_range(&list, 1, 4 * PAGE_LEN, 2 * PAGE_LEN, IO_BAD_ACQUISITION);
    io_image_close(image);
}

/* What stands in the segment "badflag" fills the sectors that could not be read. */
static void marked_sectors_were_not_acquired(void **state)
{
    static const uint32_t sectors[] = {
        0, 100, 101, 102, PAGE_LEN / SECTOR * 3 - 1, PAGE_LEN / SECTOR * 3
    };
    const struct disk *disk = *state;
    struct list list;
    size_t len;

    convert(disk, "-x"); /* not compressed: the disk's bytes stand in the file */
    uint8_t *bytes = load(disk, &len), flag[SECTOR];
    const uint8_t *name = memmem(bytes, len, "badflagBAD SECTOR", 17);
    assert_non_null(name);
    memcpy(flag, name + 7, SECTOR);
    for (size_t i = 0; i < sizeof sectors / sizeof sectors[0]; i++) {
        uint8_t *sector = disk->bytes + (size_t)sectors[i] * SECTOR,
                *there = memmem(bytes, len, sector, SECTOR);

        assert_non_null(there);
        memcpy(there, flag, SECTOR);
        memset(sector, 0, SECTOR);
    }
    store(disk, bytes, len);
    struct io_image *image = opened(disk);
    salvaged(disk, image, DISK_LEN, &list);
    assert_int_equal(list.count, 3);
    expect_range(&list, 0, 0, SECTOR, IO_BAD_ACQUISITION);
    expect_range(&list, 1, 100 * SECTOR, 3 * SECTOR, IO_BAD_ACQUISITION);
    expect_range(&list, 2, 3 * PAGE_LEN - SECTOR, 2 * SECTOR, IO_BAD_ACQUISITION);
    struct err err = { 0 };
    uint8_t got[SECTOR];
    assert_int_equal(io_image_read_at(image, 100 * SECTOR + 7, got, 10, &err),
                     ERR_IO); /* not even a part of one */
    assert_int_equal(io_image_read_at(image, 99 * SECTOR + 7, got, 10, &err), ERR_OK);
    assert_memory_equal(got, disk->bytes + 99 * SECTOR + 7, 10);
    io_image_close(image);
}

static void aff_refused(const struct disk *disk, const char *change, const char *word)
{
    struct io_image *image;
    struct err err = { 0 };

    convert(disk, "");
    if (strncmp(change, "truncate", 8) == 0)
        shell(disk, change);
    else
        tool(disk, "affsegment", change);
    assert_int_equal(open_in(disk, "disk.aff", &image, &err), ERR_INPUT);
    if (strstr(err.text, word) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", change, err.text, word);
}

static void what_an_aff_cannot_have_is_refused(void **state)
{
    const struct disk *disk = *state;
    char pages[96];

    aff_refused(disk, "-spagesize/33554432 disk.aff", "pages of 33554432 bytes");
    aff_refused(disk, "-spagesize/1000 disk.aff", "pages of 1000 bytes");
    aff_refused(disk, "-dpagesize disk.aff", "pages of 0 bytes");
    /* The size is two big-endian words, the lower one first: 2^62. */
    shell(disk, "printf '\\0\\0\\0\\0\\100\\0\\0\\0' >size");
    aff_refused(disk, "'-simagesize/2=<size' disk.aff",
                "has 4611686018427387904 bytes, and its pages end at 3145728");
    snprintf(pages, sizeof pages, "-dpage%d disk.aff", PAGES - 1);
    aff_refused(disk, pages, "its pages end at 2883584");
    aff_refused(disk, "truncate -s 100000 disk.aff", "there is no whole segment at");
}

/* The name that it had in the first version of the format. */
static void a_page_size_by_its_old_name(void **state)
{
    const struct disk *disk = *state;
    struct list list;

    convert(disk, "");
    tool(disk, "affsegment", "-dpagesize -ssegsize/262144 disk.aff");
    damage(disk, 2);
    memset(disk->bytes + 2 * PAGE_LEN, 0, PAGE_LEN);
    struct io_image *image = opened(disk);
    salvaged(disk, image, DISK_LEN, &list);
    assert_int_equal(list.count, 1);
    expect_range(&list, 0, 2 * PAGE_LEN, PAGE_LEN, IO_BAD_READ);
    io_image_close(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_damaged_page_is_one_bad_range, make_text, clean),
        cmocka_unit_test_setup_teardown(libraries_are_silent_and_other_threads_are_heard, make_text,
                                        clean),
        cmocka_unit_test_setup_teardown(missing_pages_were_not_acquired, make_text, clean),
        cmocka_unit_test_setup_teardown(marked_sectors_were_not_acquired, make_text, clean),
        cmocka_unit_test_setup_teardown(what_an_aff_cannot_have_is_refused, make_text, clean),
        cmocka_unit_test_setup_teardown(a_page_size_by_its_old_name, make_text, clean),
    };
    return cmocka_run_group_tests_name("io AFF", tests, NULL, NULL);
}
