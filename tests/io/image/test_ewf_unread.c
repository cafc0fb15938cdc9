/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_ewf_unread.c - sectors that an E01 says were not read when it was made.
 *
 * Method: ewfacquire makes the image, and ewf_unread.py writes into it which sectors were not read;
 * ewfinfo, of libewf, must read the same out of it. The image has the disk's bytes in these sectors
 * all the same: whoever believes them is found out.
 */
#include <errno.h>

#include "tests/io/lib_container.h"

enum { SECTOR = 512, SECTORS = DISK_LEN / SECTOR, LIST_MAX = 64 };

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

/* Makes NAME.E01 of disk.raw, in which these sectors were not read. */
static void acquire(const struct disk *disk, const char *how, const char *name, const char *unread)
{
    char line[512], root[256];

    assert_non_null(getcwd(root, sizeof root));
    snprintf(line, sizeof line, "-u -q %s -t %s disk.raw", how, name);
    tool(disk, "ewfacquire", line);
    snprintf(line, sizeof line,
             "last=$(ls %s.E* | tail -1) && python3 '%s/tests/io/ewf_unread.py' $last $last %s",
             name, root, unread);
    shell(disk, line);
}

/* The disk as it is to be read: zeros in these sectors. */
static void blank(const struct disk *disk, uint64_t sector, uint64_t count)
{
    memset(disk->bytes + sector * SECTOR, 0, count * SECTOR);
}

static void expect_range(const struct list *list, uint32_t i, uint64_t sector, uint64_t count,
                         enum io_bad_source source)
{
    assert_true(i < list->count);
    assert_int_equal(list->items[i].offset, sector * SECTOR);
    assert_int_equal(list->items[i].len, count * SECTOR);
    assert_int_equal(list->items[i].source, source);
    assert_int_equal(list->items[i].cause, source == IO_BAD_ACQUISITION ? 0 : EIO);
}

static void salvaged(const struct disk *disk, const char *name, struct list *list)
{
    uint8_t *got = malloc(DISK_LEN);
    struct io_image *image;
    struct err err = { 0 };

    list->count = 0;
    if (open_in(disk, name, &image, &err) != ERR_OK)
        fail_msg("%s: %s", name, err.text);
    assert_int_equal(io_salvage_read(image, 0, got, DISK_LEN, collect, list, &err), ERR_OK);
    assert_memory_equal(got, disk->bytes, DISK_LEN);
    io_image_close(image);
    free(got);
}

/*
 * Sectors 100 to 104 lie inside of a chunk; 3000 to 3127 begin and end inside of one, and hold a
 * whole one.
 */
static void unread_sectors_are_bad_and_those_beside_them_are_not(void **state)
{
    const struct disk *disk = *state;
    struct list list;

    acquire(disk, "-c best", "one", "100+5 3000+128");
    acquire(disk, "-c none -S 1048576", "set", "100+5 3000+128");
    shell(disk, "ewfinfo one.E01 | grep -q 'at sector(s): 100 - 104 number: 5$'");
    shell(disk, "ewfinfo one.E01 | grep -q 'at sector(s): 3000 - 3127 number: 128$'");
    blank(disk, 100, 5);
    blank(disk, 3000, 128);
    for (int i = 0; i < 2; i++) {
        salvaged(disk, i == 0 ? "one.E01" : "set.E01", &list);
        assert_int_equal(list.count, 2);
        expect_range(&list, 0, 100, 5, IO_BAD_ACQUISITION);
        expect_range(&list, 1, 3000, 128, IO_BAD_ACQUISITION);
    }
}

static void a_plain_read_across_them_fails(void **state)
{
    const struct disk *disk = *state;
    struct io_image *image;
    struct err err = { 0 };
    uint8_t got[4 * SECTOR];

    acquire(disk, "-c best", "one", "100+5");
    assert_int_equal(open_in(disk, "one.E01", &image, &err), ERR_OK);
    assert_int_equal(io_image_read_at(image, 99 * SECTOR, got, sizeof got, &err), ERR_IO);
    assert_non_null(strstr(err.text, "not read when it was made"));
    assert_int_equal(io_image_read_at(image, 99 * SECTOR, got, SECTOR, &err), ERR_OK);
    assert_memory_equal(got, disk->bytes + 99 * SECTOR, SECTOR);
    assert_int_equal(io_image_read_at(image, 105 * SECTOR, got, SECTOR, &err), ERR_OK);
    assert_memory_equal(got, disk->bytes + 105 * SECTOR, SECTOR);
    io_image_close(image);
}

/*
 * A chunk with a wrong checksum is bad as a whole; what was not read in it is told apart from that.
 */
static void in_a_damaged_chunk(void **state)
{
    const struct disk *disk = *state;
    struct list list;

    acquire(disk, "-c none", "one", "590+10");
    shell(disk, "printf XXXXX | dd of=one.E01 bs=1 seek=300000 conv=notrunc status=none");
    blank(disk, 576, 64);
    salvaged(disk, "one.E01", &list);
    assert_int_equal(list.count, 3);
    expect_range(&list, 0, 576, 14, IO_BAD_CHECKSUM);
    expect_range(&list, 1, 590, 10, IO_BAD_ACQUISITION);
    expect_range(&list, 2, 600, 40, IO_BAD_CHECKSUM);
}

/*
 * Out of order, one over another, side by side, empty, behind the end, in two sections: libewf
 * forgets the first one.
 */
static void any_order_and_several_sections(void **state)
{
    const struct disk *disk = *state;
    char unread[256];
    struct list list;

    snprintf(unread, sizeof unread,
             "500+10 40+2 42+1 505+20 7+0 %d+9 - 2000+1 %d+4000000000 %d+1 1000+3", SECTORS,
             SECTORS - 4, SECTORS + 7);
    acquire(disk, "-c best", "one", unread);
    blank(disk, 40, 3);
    blank(disk, 500, 25);
    blank(disk, 1000, 3);
    blank(disk, 2000, 1);
    blank(disk, SECTORS - 4, 4);
    salvaged(disk, "one.E01", &list);
    assert_int_equal(list.count, 5);
    expect_range(&list, 0, 40, 3, IO_BAD_ACQUISITION);
    expect_range(&list, 1, 500, 25, IO_BAD_ACQUISITION);
    expect_range(&list, 2, 1000, 3, IO_BAD_ACQUISITION);
    expect_range(&list, 3, 2000, 1, IO_BAD_ACQUISITION);
    expect_range(&list, 4, SECTORS - 4, 4, IO_BAD_ACQUISITION);
}

static void the_stream_has_zeros_and_tells_of_them(void **state)
{
    enum { SEGMENT = 65536, DEPTH = 3 };
    static const char *const backends[] = { NULL, "pread" };
    const struct disk *disk = *state;
    uint8_t *buffers = aligned_alloc(IO_BUFFER_ALIGN, (size_t)DEPTH * SEGMENT);
    struct io_image *image;
    struct err err = { 0 };

    acquire(disk, "-c best", "one", "100+5 120+20 3000+128");
    blank(disk, 100, 5);
    blank(disk, 120, 20);
    blank(disk, 3000, 128);
    assert_int_equal(open_in(disk, "one.E01", &image, &err), ERR_OK);
    for (uint32_t b = 0; b < 2; b++) {
        const struct io_reader_options options = { .segment_len = SEGMENT,
                                                   .depth = DEPTH,
                                                   .backend = backends[b] };
        struct io_reader *reader;
        const struct io_bad_range *bad;
        struct list list = { .count = 0 };
        bool lent;
        uint32_t count;

        assert_int_equal(io_reader_open(image, &options, &reader, &err), ERR_OK);
        for (size_t i = 0; i < DEPTH; i++)
            assert_int_equal(io_reader_lend(reader, buffers + i * SEGMENT, NULL, &lent, &err),
                             ERR_OK);
        for (uint64_t at = 0; at < DISK_LEN; at += SEGMENT) {
            struct io_segment segment;

            assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
            assert_int_equal(segment.offset, at);
            assert_memory_equal(segment.bytes, disk->bytes + at, SEGMENT);
            assert_int_equal(io_reader_lend(reader, segment.bytes, NULL, &lent, &err), ERR_OK);
        }
        io_reader_bad_ranges(reader, &bad, &count);
        for (uint32_t i = 0; i < count; i++)
            collect(&list, &bad[i]);
        assert_int_equal(list.count, 3); /* the last two lie in two segments each, and are joined */
        expect_range(&list, 0, 100, 5, IO_BAD_ACQUISITION);
        expect_range(&list, 1, 120, 20, IO_BAD_ACQUISITION);
        expect_range(&list, 2, 3000, 128, IO_BAD_ACQUISITION);
        io_reader_close(reader);
    }
    io_image_close(image);
    free(buffers);
}

static void list_refused(const struct disk *disk, const char *word)
{
    struct io_image *image;
    struct err err = { 0 };

    assert_int_equal(open_in(disk, "one.E01", &image, &err), ERR_INPUT);
    if (strstr(err.text, "not read when this E01 was made is damaged") == NULL ||
        strstr(err.text, word) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void a_list_that_cannot_be_right_is_refused(void **state)
{
    const struct disk *disk = *state;

    acquire(disk, "-c best", "one", "--count 3 100+5 200+1");
    list_refused(disk, "more entries than room");
    shell(disk, "rm one.E01");
    acquire(disk, "-c best", "one", "--count 536870912 100+5");
    list_refused(disk, "more entries than room");
    /* The checksum of the entries stands right in front of the last section, which has 76 bytes. */
    shell(disk, "rm one.E01");
    acquire(disk, "-c best", "one", "100+5");
    shell(disk, "printf X | dd of=one.E01 bs=1 seek=$(($(stat -c %s one.E01) - 78)) conv=notrunc "
                "status=none");
    list_refused(disk, "checksum");
    /* 50,001 entries backwards: libewf takes the square of that. */
    shell(disk, "rm one.E01");
    acquire(disk, "-c best", "one", "$(seq -f '%.0f+1' 200000 -2 100000 | tr '\\n' ' ')");
    list_refused(disk, "out of order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(unread_sectors_are_bad_and_those_beside_them_are_not, make,
                                        clean),
        cmocka_unit_test_setup_teardown(a_plain_read_across_them_fails, make, clean),
        cmocka_unit_test_setup_teardown(in_a_damaged_chunk, make, clean),
        cmocka_unit_test_setup_teardown(any_order_and_several_sections, make, clean),
        cmocka_unit_test_setup_teardown(the_stream_has_zeros_and_tells_of_them, make, clean),
        cmocka_unit_test_setup_teardown(a_list_that_cannot_be_right_is_refused, make, clean),
    };
    return cmocka_run_group_tests_name("io unread sectors of an E01", tests, NULL, NULL);
}
