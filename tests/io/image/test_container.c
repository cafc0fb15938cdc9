/*
 * tests/io/image/test_container.c - containers give the bytes that were put in, or an error.
 *
 * Method: Debian's own tools (ewfacquire, qemu-img, affconvert) make each container from random
 * bytes and runs of zeros, and io_image_read_at must give those bytes back, also from unaligned
 * places. Then parts are lost, cut and changed. A test whose tool is not installed is skipped.
 */
#include <sys/stat.h>

#include "tests/io/lib_container.h"

/* libtsk 4.11.1 forgets what it has allocated when an open fails. Ours must not. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libvhdi_\nleak:libvmdk_\nleak:tsk_malloc\n";
}

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

static void vhd(void **state)
{
    tool(*state, "qemu-img",
         "convert -f raw -O vpc -o subformat=fixed,force_size=on disk.raw fixed.vhd");
    same_bytes(*state, "fixed.vhd", "VHD", 1);
    tool(*state, "qemu-img", "convert -f raw -O vpc -o subformat=dynamic disk.raw dynamic.vhd");
    same_bytes(*state, "dynamic.vhd", "VHD", 1);
    shell(*state, "truncate -s 1M dynamic.vhd");
    refused(*state, "dynamic.vhd", "damaged, incomplete");
    /* byte 63 of the footer is the type: 3 dynamic, 4 differencing */
    shell(*state, "printf '\\004' | dd of=dynamic.vhd bs=1 seek=63 conv=notrunc status=none");
    refused(*state, "dynamic.vhd", "differencing");
    /* a footer whose checksum is wrong is the content of a raw disk */
    shell(*state, "printf X | dd of=fixed.vhd bs=1 seek=3145800 conv=notrunc status=none");
    struct io_image *image;
    struct err err = { 0 };
    assert_int_equal(open_in(*state, "fixed.vhd", &image, &err), ERR_OK);
    assert_string_equal(io_image_format(image), "raw");
    io_image_close(image);
}

enum { VHD_FOOTER = 512, VHD_HEADER = 1024 };

/*
 * Puts a big-endian number into a footer or header and makes its checksum right: the ones'
 * complement of the sum of the other bytes.
 */
static void vhd_put(uint8_t *bytes, size_t len, size_t at, uint64_t value, uint32_t width,
                    size_t sum_at)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < width; i++)
        bytes[at + i] = (uint8_t)(value >> (width - 1 - i) * 8);
    for (size_t i = 0; i < len; i++)
        sum += i >= sum_at && i < sum_at + 4 ? 0 : bytes[i];
    for (uint32_t i = 0; i < 4; i++)
        bytes[sum_at + i] = (uint8_t)(~sum >> (3 - i) * 8);
}

/*
 * Makes dynamic.vhd with another first size and size now, and another number and size of blocks;
 * 0: as they are.
 */
static void vhd_with(const struct disk *disk, uint64_t first, uint64_t size, uint32_t entries,
                     uint32_t block)
{
    uint8_t *bytes = malloc(2 * DISK_LEN);
    char path[128];

    snprintf(path, sizeof path, "%s/dynamic.vhd", disk->folder);
    tool(disk, "qemu-img", "convert -f raw -O vpc -o subformat=dynamic disk.raw dynamic.vhd");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t len = fread(bytes, 1, 2 * DISK_LEN, file);
    fclose(file);
    if (entries != 0)
        vhd_put(bytes + VHD_FOOTER, VHD_HEADER, 28, entries, 4, 36);
    if (block != 0)
        vhd_put(bytes + VHD_FOOTER, VHD_HEADER, 32, block, 4, 36);
    if (first != 0)
        vhd_put(bytes, VHD_FOOTER, 40, first, 8, 64);
    if (size != 0)
        vhd_put(bytes, VHD_FOOTER, 48, size, 8, 64);
    memcpy(bytes + len - VHD_FOOTER, bytes, VHD_FOOTER);
    test_write_file(path, bytes, len);
    free(bytes);
}

/* qemu-img makes 2 blocks of 2 MiB for it. The format ends at 2,040 GiB. */
static void a_vhd_has_no_more_bytes_than_room_for_them(void **state)
{
    struct io_image *image;
    struct err err = { 0 };
    char path[128];

    vhd_with(*state, 4 << 20, 4 << 20, 0, 0);
    assert_int_equal(open_in(*state, "dynamic.vhd", &image, &err), ERR_OK);
    assert_int_equal(io_image_size(image), 4 << 20);
    io_image_close(image);
    vhd_with(*state, (4 << 20) + 512, (4 << 20) + 512, 0, 0);
    refused(*state, "dynamic.vhd", "its footer says 4194816 bytes, and it has room for 4194304");
    vhd_with(*state, UINT64_C(1) << 60, UINT64_C(1) << 60, 0, 0);
    refused(*state, "dynamic.vhd", "says 1152921504606846976 bytes, and it has room for 4194304");
    /* Blocks by the million, of which the table is not in the file. */
    vhd_with(*state, UINT64_C(1) << 40, UINT64_C(1) << 40, 1 << 30, 0);
    refused(*state, "dynamic.vhd", "has room for 0");
    vhd_with(*state, UINT64_C(3) << 40, UINT64_C(3) << 40, 4096, 1 << 30);
    refused(*state, "dynamic.vhd", "has room for 2190433320960");
    /* libvhdi takes the first size of a disk that was made larger, and says nothing. */
    vhd_with(*state, 2 << 20, 4 << 20, 0, 0);
    refused(*state, "dynamic.vhd", "was resized from 2097152 to 4194304 bytes");
    /* A fixed one has its bytes in the file. */
    tool(*state, "qemu-img",
         "convert -f raw -O vpc -o subformat=fixed,force_size=on disk.raw fixed.vhd");
    shell(*state, "(head -c 1048576 fixed.vhd; tail -c 512 fixed.vhd) >short.vhd");
    snprintf(path, sizeof path, "%s/short.vhd", ((struct disk *)*state)->folder);
    assert_int_equal(io_image_open(path, "vhd", &image, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "says 3145728 bytes, and it has room for 1048576"));
}

/*
 * Its copy at the end of the file is whole, but nobody looks there unasked: old footers lie about
 * on disks.
 */
static void a_vhd_with_a_damaged_start_can_be_asked_for(void **state)
{
    struct io_image *image;
    struct err err = { 0 };
    uint8_t *got = malloc(DISK_LEN);
    char path[128];

    tool(*state, "qemu-img", "convert -f raw -O vpc -o subformat=dynamic disk.raw dynamic.vhd");
    shell(*state, "printf XXXX | dd of=dynamic.vhd bs=1 conv=notrunc status=none");
    assert_int_equal(open_in(*state, "dynamic.vhd", &image, &err), ERR_OK);
    assert_string_equal(io_image_format(image), "raw");
    io_image_close(image);
    snprintf(path, sizeof path, "%s/dynamic.vhd", ((struct disk *)*state)->folder);
    assert_int_equal(io_image_open(path, "vhd", &image, &err), ERR_OK);
    assert_string_equal(io_image_format(image), "VHD");
    assert_int_equal(io_image_read_at(image, 0, got, DISK_LEN, &err), ERR_OK);
    assert_memory_equal(got, ((struct disk *)*state)->bytes, DISK_LEN);
    io_image_close(image);
    free(got);
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
    } rows[] = { { "qcow2", "QCOW" },
                 { "qcow", "QCOW" },
                 { "vhdx", "VHDX" },
                 { "qed", "QED" },
                 { "parallels", "Parallels" } };
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
        cmocka_unit_test_setup_teardown(vhd, make, clean),
        cmocka_unit_test_setup_teardown(a_vhd_has_no_more_bytes_than_room_for_them, make, clean),
        cmocka_unit_test_setup_teardown(a_vhd_with_a_damaged_start_can_be_asked_for, make, clean),
        cmocka_unit_test_setup_teardown(aff, make, clean),
        cmocka_unit_test_setup_teardown(what_qemu_writes_and_nobody_here_reads, make, clean),
    };
    return cmocka_run_group_tests_name("io containers", tests, NULL, NULL);
}
