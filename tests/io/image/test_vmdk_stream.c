/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_vmdk_stream.c - VMDKs in one packed file give the bytes that were put in, or
 * say what is bad.
 *
 * Method: qemu-img writes them. Then they are cut, and the bits of headers, directory, tables,
 * heads of grains and grains are changed. Offsets are those of the VMware Virtual Disk Format 5.0.
 * Labels: slow
 */
#include "base/bytes.h"
#include "tests/io/lib_damage.h"

enum { SECTOR = 512, GRAIN = 65536, AT_DIRECTORY = 56 };

static void begin(struct damaged *d, const struct disk *disk)
{
    tool(disk, "qemu-img", "convert -f raw -O vmdk -o subformat=streamOptimized disk.raw a.vmdk");
    damaged_begin(d, disk, "a.vmdk", "vmdk");
}

/* qemu-img puts the directory in front of the grains. */
static size_t directory(const struct damaged *d)
{
    return (size_t)bytes_u64le(d->bytes + AT_DIRECTORY) * SECTOR;
}

static size_t table(const struct damaged *d)
{
    return (size_t)bytes_u32le(d->bytes + directory(d)) * SECTOR;
}

static void stream_vmdk(void **state)
{
    const struct disk *disk = *state;
    struct io_image *image;
    struct io_span span;
    struct err err = { 0 };
    uint8_t *got = malloc(DISK_LEN);

    tool(disk, "qemu-img", "convert -f raw -O vmdk -o subformat=streamOptimized disk.raw a.vmdk");
    same_bytes(disk, "a.vmdk", "VMDK", 1);
    shell(disk, "mv a.vmdk b.vmdk"); /* its name is of no matter */
    same_bytes(disk, "b.vmdk", "VMDK", 1);
    assert_int_equal(open_in(disk, "b.vmdk", &image, &err), ERR_OK);
    assert_true(io_image_map(image, 0, &span)); /* every thread reads it */
    assert_int_equal(span.how, IO_SPAN_ASK);
    io_image_close(image);
    /* The last grain is not whole; and a long hole. */
    shell(disk, "truncate -s 2950656 disk.raw");
    tool(disk, "qemu-img", "convert -f raw -O vmdk -o subformat=streamOptimized disk.raw a.vmdk");
    assert_int_equal(open_in(disk, "a.vmdk", &image, &err), ERR_OK);
    assert_int_equal(io_image_size(image), 2950656);
    assert_int_equal(io_image_read_at(image, 0, got, 2950656, &err), ERR_OK);
    assert_memory_equal(got, disk->bytes, 2950656);
    io_image_close(image);
    shell(disk, "truncate -s 200M disk.raw");
    tool(disk, "qemu-img", "convert -f raw -O vmdk -o subformat=streamOptimized disk.raw a.vmdk");
    assert_int_equal(open_in(disk, "a.vmdk", &image, &err), ERR_OK);
    assert_int_equal(io_image_size(image), 200 << 20);
    assert_true(io_image_map(image, 3 << 20, &span));
    assert_int_equal(span.how, IO_SPAN_ZERO);
    assert_int_equal(io_image_read_at(image, (200 << 20) - 4096, got, 4096, &err), ERR_OK);
    for (size_t i = 0; i < 4096; i++)
        assert_int_equal(got[i], 0);
    io_image_close(image);
    free(got);
}

static void what_a_cut_one_lacks_is_told(void **state)
{
    struct damaged d;

    begin(&d, *state);
    damaged_cut(&d, 65536);
    assert_in_range(d.counts[DAMAGE_NONE], 0, 1); /* the last sector is filled up */
    assert_in_range(d.counts[DAMAGE_TOLD], 1, d.len / 65536 + 1);
    damaged_end(&d);
}

/*
 * Every grain says which one it is, and has a checksum. What is not found out: an entry with one
 * bit, from that of a grain to those that stand for none, which takes more than one changed bit.
 */
static void a_changed_bit_is_found_out(void **state)
{
    struct damaged d;

    begin(&d, *state);
    const size_t first = (size_t)bytes_u32le(d.bytes + table(&d)) * SECTOR;
    damaged_flip(&d, 0, 36);           /* the header, up to its text */
    damaged_flip(&d, 44, 4);           /* entries of a table */
    damaged_flip(&d, AT_DIRECTORY, 8); /* at the end */
    damaged_flip(&d, 77, 2);           /* the way of packing */
    damaged_flip(&d, directory(&d), 4);
    damaged_flip(&d, table(&d), 40 * 4);
    damaged_flip(&d, first, 12 + 64); /* a grain */
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    assert_in_range(d.counts[DAMAGE_TOLD], 500, 4000);
    damaged_end(&d);
}

/*
 * As VMware writes them: the header says that the place of the directory is in its copy, which
 * stands between two marks at the end.
 */
static void a_header_may_have_its_directory_in_a_copy(void **state)
{
    static const uint8_t marks[SECTOR] = { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3 }, end[SECTOR];
    static const uint8_t at_end[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
    const struct disk *disk = *state;
    struct damaged d;

    begin(&d, disk);
    const size_t len = d.len;
    damaged_put(&d, len, marks, SECTOR);
    damaged_put(&d, len + SECTOR, d.bytes, SECTOR);
    damaged_put(&d, len + 2 * SECTOR, end, SECTOR);
    damaged_put(&d, AT_DIRECTORY, at_end, 8);
    same_bytes(disk, "damaged-a.vmdk", "VMDK", 1);
    shell(disk, "cp damaged-a.vmdk b.vmdk");
    damaged_end(&d);
    damaged_begin(&d, disk, "b.vmdk", "vmdk");
    damaged_flip(&d, len + SECTOR, 28);
    damaged_flip(&d, len + SECTOR + 44, 4);
    damaged_flip(&d, len + SECTOR + AT_DIRECTORY, 8);
    damaged_flip(&d, len + SECTOR + 77, 2);
    damaged_flip(&d, AT_DIRECTORY, 8);
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    assert_int_equal(d.counts[DAMAGE_NONE], 0);
    damaged_cut(&d, 65536);
    damaged_end(&d);
}

static void note(void *arg, const struct io_bad_range *range)
{
    struct io_bad_range *bad = arg;

    assert_int_equal(bad->len, 0);
    *bad = *range;
}

static void a_damaged_grain_is_a_bad_range(void **state)
{
    const struct disk *disk = *state;
    struct io_image *image;
    struct err err = { 0 };
    struct damaged d;

    begin(&d, disk);
    const size_t third = (size_t)bytes_u32le(d.bytes + table(&d) + 2 * 4) * SECTOR;
    for (int marker = 0; marker < 2; marker++) {
        struct io_bad_range bad = { .len = 0 };

        damaged_put(&d, marker ? third : third + 5000, (const uint8_t *)"XX", 2);
        assert_int_equal(open_in(disk, "damaged-a.vmdk", &image, &err), ERR_OK);
        assert_int_equal(io_salvage_read(image, 0, d.got, DISK_LEN, note, &bad, &err), ERR_OK);
        assert_int_equal(bad.offset, 2 * GRAIN);
        assert_int_equal(bad.len, GRAIN);
        assert_int_equal(bad.source, IO_BAD_CHECKSUM);
        assert_memory_equal(d.got, disk->bytes, 2 * GRAIN);
        assert_memory_equal(d.got + 3 * GRAIN, disk->bytes + 3 * GRAIN, DISK_LEN - 3 * GRAIN);
        io_image_close(image);
    }
    damaged_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stream_vmdk, make, clean),
        cmocka_unit_test_setup_teardown(what_a_cut_one_lacks_is_told, make, clean),
        cmocka_unit_test_setup_teardown(a_changed_bit_is_found_out, make, clean),
        cmocka_unit_test_setup_teardown(a_header_may_have_its_directory_in_a_copy, make, clean),
        cmocka_unit_test_setup_teardown(a_damaged_grain_is_a_bad_range, make, clean),
    };
    return cmocka_run_group_tests_name("io vmdk stream", tests, NULL, NULL);
}
