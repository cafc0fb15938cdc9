/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_container.c - containers give the bytes that were put in, or an error.
 *
 * Method: Debian's own tools (ewfacquire, qemu-img, affconvert) make each container from random
 * bytes and runs of zeros, and io_image_read_at must give those bytes back, also from unaligned
 * places. Then parts are lost, cut and changed. A test whose tool is not installed is skipped.
 */
#include <sys/stat.h>

#include "tests/io/lib_container.h"

static void e01(void **state)
{
    tool(*state, "ewfacquire", "-u -q -c best -t one disk.raw");
    same_bytes(*state, "one.E01", "E01", 1);
    tool(*state, "ewfacquire", "-u -q -c none -S 1048576 -t set disk.raw");
    same_bytes(*state, "set.E01", "E01", 4);
    same_bytes(*state, "set.E03", "E01", 4);
    tool(*state, "ewfacquire", "-u -q -f smart -t smart disk.raw");
    same_bytes(*state, "smart.s01", "E01", 1);
}

static void e01_that_is_not_whole(void **state)
{
    tool(*state, "ewfacquire", "-u -q -c none -S 1048576 -t set disk.raw");
    shell(*state, "mv set.E03 away");
    refused(*state, "set.E01", "/set.E03: this part");
    refused(*state, "set.E04", "/set.E03: this part");
    shell(*state, "mv away set.E03; mv set.E04 away");
    refused(*state, "set.E02", "/set.E04: this part");
    shell(*state, "mv away set.E04; mv set.E01 away");
    refused(*state, "set.E02", "/set.E01: this part");
    shell(*state, "mv away set.E01; truncate -s 500000 set.E02");
    refused(*state, "set.E01", "/set.E02: this part of the E01 image is cut short");
    shell(*state, "cp set.E03 set.E02");
    refused(*state, "set.E01", "/set.E02: this part");
}

static void count_bad(void *arg, const struct io_bad_range *range)
{
    struct io_bad_range *bad = arg;

    bad[bad[0].cause == 0 ? 0 : 1] = *range;
}

/* libewf gives zeros for a chunk with a wrong checksum, and calls it a success. */
static void a_changed_chunk_of_an_e01_is_a_bad_range(void **state)
{
    const struct disk *disk = *state;
    struct io_bad_range bad[2] = { 0 };
    struct io_image *image;
    struct err err = { 0 };
    uint8_t *got = malloc(DISK_LEN);

    tool(disk, "ewfacquire", "-u -q -c none -t one disk.raw");
    shell(disk, "printf XXXXX | dd of=one.E01 bs=1 seek=300000 conv=notrunc status=none");
    assert_int_equal(open_in(disk, "one.E01", &image, &err), ERR_OK);
    assert_int_equal(io_image_read_at(image, 0, got, DISK_LEN, &err), ERR_IO);
    for (int again = 0; again < 2; again++) {
        memset(bad, 0, sizeof bad);
        assert_int_equal(io_salvage_read(image, 0, got, DISK_LEN, count_bad, bad, &err), ERR_OK);
        assert_int_equal(bad[0].len, CHUNK_LEN);
        assert_int_equal(bad[0].source, IO_BAD_CHECKSUM);
        assert_int_equal(bad[0].offset % CHUNK_LEN, 0);
        assert_in_range(bad[0].offset, 300000 - 2 * CHUNK_LEN, 300000);
        assert_int_equal(bad[1].len, 0);
        memset(disk->bytes + bad[0].offset, again == 0 ? 0 : disk->bytes[bad[0].offset], CHUNK_LEN);
        assert_memory_equal(got, disk->bytes, DISK_LEN);
    }
    io_image_close(image);
    free(got);
}

/*
 * libewf joins chunks with a wrong checksum that touch, so that their number does not tell of a new
 * one. They are read one by one here, as segments do.
 */
static void changed_chunks_side_by_side_are_bad_ranges_each(void **state)
{
    const struct disk *disk = *state;
    uint8_t *got = malloc(DISK_LEN);
    uint32_t bad_chunks = 0;
    struct io_image *image;
    struct err err = { 0 };

    tool(disk, "ewfacquire", "-u -q -c none -t one disk.raw");
    shell(disk, "for at in 300000 333000 366000; do"
                " printf XXXXX | dd of=one.E01 bs=1 seek=$at conv=notrunc status=none; done");
    assert_int_equal(open_in(disk, "one.E01", &image, &err), ERR_OK);
    for (uint64_t at = 0; at < DISK_LEN; at += CHUNK_LEN) {
        struct io_bad_range bad[2] = { 0 };

        assert_int_equal(io_salvage_read(image, at, got, CHUNK_LEN, count_bad, bad, &err), ERR_OK);
        if (bad[0].len == 0) {
            assert_memory_equal(got, disk->bytes + at, CHUNK_LEN);
            continue;
        }
        assert_int_equal(bad[0].offset, at);
        assert_int_equal(bad[0].len, CHUNK_LEN);
        bad_chunks++;
    }
    assert_int_equal(bad_chunks, 3);
    io_image_close(image);
    free(got);
}

static void vmdk(void **state)
{
    static const char *const forms[] = { "monolithicSparse", "streamOptimized", "monolithicFlat",
                                         "twoGbMaxExtentSparse", "twoGbMaxExtentFlat" };
    char line[200], name[64];

    for (uint32_t i = 0; i < 5; i++) {
        snprintf(line, sizeof line, "convert -f raw -O vmdk -o subformat=%s disk.raw %s.vmdk",
                 forms[i], forms[i]);
        tool(*state, "qemu-img", line);
        snprintf(name, sizeof name, "%s.vmdk", forms[i]);
        same_bytes(*state, name, "VMDK", i < 2 ? 1 : 2);
    }
    shell(*state, "rm twoGbMaxExtentFlat-f001.vmdk; truncate -s 1M monolithicFlat-flat.vmdk");
    refused(*state, "twoGbMaxExtentFlat.vmdk", "twoGbMaxExtentFlat-f001.vmdk: this extent");
    refused(*state, "monolithicFlat.vmdk", "damaged, incomplete");
    tool(*state, "qemu-img", "create -f vmdk -b monolithicSparse.vmdk -F vmdk snapshot.vmdk");
    refused(*state, "snapshot.vmdk", "snapshot");
    shell(*state, "cp monolithicSparse.vmdk renamed.vmdk");
    refused(*state, "renamed.vmdk", "call it monolithicSparse.vmdk");
}

static void aff(void **state)
{
    tool(*state, "affconvert", "-q disk.raw");
    same_bytes(*state, "disk.aff", "AFF", 1);
}

static void what_qemu_writes_and_nobody_here_reads(void **state)
{
    static const struct {
        const char *format, *name;
    } rows[] = { { "qcow", "QCOW" } };
    char line[128];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(line, sizeof line, "convert -f raw -O %s disk.raw disk.%s", rows[i].format,
                 rows[i].format);
        tool(*state, "qemu-img", line);
        snprintf(line, sizeof line, "disk.%s", rows[i].format);
        refused(*state, line, rows[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(e01, make, clean),
        cmocka_unit_test_setup_teardown(e01_that_is_not_whole, make, clean),
        cmocka_unit_test_setup_teardown(a_changed_chunk_of_an_e01_is_a_bad_range, make, clean),
        cmocka_unit_test_setup_teardown(changed_chunks_side_by_side_are_bad_ranges_each, make,
                                        clean),
        cmocka_unit_test_setup_teardown(vmdk, make, clean),
        cmocka_unit_test_setup_teardown(aff, make, clean),
        cmocka_unit_test_setup_teardown(what_qemu_writes_and_nobody_here_reads, make, clean),
    };
    return cmocka_run_group_tests_name("io containers", tests, NULL, NULL);
}
