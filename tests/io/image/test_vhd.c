/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_vhd.c - VHD disks give the bytes that were put in, or an error.
 *
 * Method: qemu-img writes them. Then they are cut, every bit of footer, header and block table is
 * changed, and bits of a bitmap are cleared, which qemu never does. Offsets of fields are those of
 * the Virtual Hard Disk Image Format Specification 1.0.
 * Labels: slow
 */
#include "tests/io/lib_damage.h"

static void vhd(void **state)
{
    tool(*state, "qemu-img",
         "convert -f raw -O vpc -o subformat=fixed,force_size=on disk.raw fixed.vhd");
    same_bytes(*state, "fixed.vhd", "VHD", 1);
    tool(*state, "qemu-img", "convert -f raw -O vpc -o subformat=dynamic disk.raw dynamic.vhd");
    same_bytes(*state, "dynamic.vhd", "VHD", 1);
    shell(*state, "truncate -s 1M dynamic.vhd");
    refused(*state, "dynamic.vhd", "cut short: a block");
    /* a footer whose checksum is wrong is the content of a raw disk */
    flip(*state, "fixed.vhd", 3145800);
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
    refused(*state, "dynamic.vhd", "cut short: the block table");
    vhd_with(*state, UINT64_C(3) << 40, UINT64_C(3) << 40, 4096, 1 << 30);
    refused(*state, "dynamic.vhd", "has room for 2190433320960");
    /* The first size is of no matter: this one was made larger. */
    vhd_with(*state, 2 << 20, 4 << 20, 0, 0);
    assert_int_equal(open_in(*state, "dynamic.vhd", &image, &err), ERR_OK);
    assert_int_equal(io_image_size(image), 4 << 20);
    io_image_close(image);
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

enum { TABLE_AT = 1536, VHD_BLOCK = 2 << 20, BITMAP = 512 };

static void what_a_cleared_bit_leaves_out_is_zeros(void **state)
{
    const struct disk *disk = *state;
    uint8_t *want = malloc(DISK_LEN), *got = malloc(DISK_LEN);
    const uint8_t bits[] = { 0x7f, 0xff, 0xf0 };
    struct damaged d;
    struct io_image *image;
    struct io_span span;
    struct err err = { 0 };

    tool(disk, "qemu-img",
         "convert -f raw -O vpc -o subformat=dynamic,force_size=on disk.raw a.vhd");
    damaged_begin(&d, disk, "a.vhd", "vhd");
    /* The first block: sectors 0 and 20 to 23 are not its own. The second ends inside a bitmap byte
     * of the disk's end. */
    const size_t block = (size_t)(d.bytes[TABLE_AT + 2] << 8 | d.bytes[TABLE_AT + 3]) * 512;
    assert_int_equal(d.bytes[block], 0xff);
    damaged_put(&d, block, bits, sizeof bits);
    memcpy(want, disk->bytes, DISK_LEN);
    memset(want, 0, 512);
    memset(want + 20 * 512, 0, 4 * 512);
    assert_int_equal(open_in(disk, "damaged-a.vhd", &image, &err), ERR_OK);
    assert_int_equal(io_image_read_at(image, 0, got, DISK_LEN, &err), ERR_OK);
    assert_memory_equal(got, want, DISK_LEN);
    for (uint64_t at = 0, i = 0; i < 4; i++, at += span.len) {
        static const uint64_t lens[] = { 512, 19 * 512, 4 * 512, VHD_BLOCK - 24 * 512 };

        assert_true(io_image_map(image, at, &span));
        assert_int_equal(span.len, lens[i]);
        assert_int_equal(span.how, i % 2 == 0 ? IO_SPAN_ZERO : IO_SPAN_STORED);
        if (i % 2 == 1)
            assert_int_equal(span.fd_offset, block + BITMAP + at);
    }
    io_image_close(image);
    damaged_end(&d);
    free(want);
    free(got);
}

static void a_cut_or_changed_vhd_is_found_out(void **state)
{
    struct damaged d;

    tool(*state, "qemu-img",
         "convert -f raw -O vpc -o subformat=dynamic,force_size=on disk.raw a.vhd");
    damaged_begin(&d, *state, "a.vhd", "vhd");
    damaged_cut(&d, 4096);
    /* The start has a copy of the footer that ends the file. */
    assert_int_equal(d.counts[DAMAGE_NONE], 1);
    damaged_flip_some(&d, 0, 512, DAMAGE_SHARE);
    damaged_flip_some(&d, d.len - 512, 512, DAMAGE_SHARE);
    assert_int_equal(d.counts[DAMAGE_NONE], 1 + 2 * 512 * 8 / DAMAGE_SHARE);
    damaged_flip_some(&d, 512, 1024, DAMAGE_SHARE); /* the header */
    damaged_flip(&d, TABLE_AT, 2 * 4);              /* all blocks of the disk */
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    damaged_end(&d);
}

static void a_cut_or_changed_fixed_vhd_is_found_out(void **state)
{
    struct damaged d;

    tool(*state, "qemu-img",
         "convert -f raw -O vpc -o subformat=fixed,force_size=on disk.raw a.vhd");
    damaged_begin(&d, *state, "a.vhd", "vhd");
    damaged_cut(&d, 65536);
    damaged_flip_some(&d, d.len - 512, 512, DAMAGE_SHARE);
    assert_int_equal(d.counts[DAMAGE_NONE], 0);
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    damaged_end(&d);
}

static void entry(const struct disk *disk, uint32_t number, uint32_t sector, const char *word)
{
    const uint8_t bytes[] = { (uint8_t)(sector >> 24), (uint8_t)(sector >> 16),
                              (uint8_t)(sector >> 8), (uint8_t)sector };
    struct damaged d;

    damaged_begin(&d, disk, "a.vhd", "vhd");
    damaged_put(&d, TABLE_AT + 4 * number, bytes, 4);
    refused(disk, "damaged-a.vhd", word);
    damaged_end(&d);
}

/* Both footers with another type. */
static void a_differencing_vhd_is_refused(void **state)
{
    const struct disk *disk = *state;
    struct damaged d;

    tool(disk, "qemu-img",
         "convert -f raw -O vpc -o subformat=dynamic,force_size=on disk.raw a.vhd");
    damaged_begin(&d, disk, "a.vhd", "vhd");
    vhd_put(d.bytes, VHD_FOOTER, 60, 4, 4, 64);
    damaged_put(&d, 0, d.bytes, VHD_FOOTER);
    damaged_put(&d, d.len - VHD_FOOTER, d.bytes, VHD_FOOTER);
    refused(disk, "damaged-a.vhd", "differencing");
    vhd_put(d.bytes, VHD_FOOTER, 60, 5, 4, 64);
    damaged_put(&d, 0, d.bytes, VHD_FOOTER);
    damaged_put(&d, d.len - VHD_FOOTER, d.bytes, VHD_FOOTER);
    refused(disk, "damaged-a.vhd", "of a kind that is not known: type 5");
    damaged_end(&d);
}

static void blocks_lie_in_the_file_and_apart(void **state)
{
    tool(*state, "qemu-img",
         "convert -f raw -O vpc -o subformat=dynamic,force_size=on disk.raw a.vhd");
    entry(*state, 0, 0, "bytes at 0 of the file twice");
    entry(*state, 1, 4, "twice");
    entry(*state, 1, 5, "twice");
    entry(*state, 1, 0xfffffffe, "cut short: a block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(vhd, make, clean),
        cmocka_unit_test_setup_teardown(a_vhd_has_no_more_bytes_than_room_for_them, make, clean),
        cmocka_unit_test_setup_teardown(a_vhd_with_a_damaged_start_can_be_asked_for, make, clean),
        cmocka_unit_test_setup_teardown(what_a_cleared_bit_leaves_out_is_zeros, make, clean),
        cmocka_unit_test_setup_teardown(a_cut_or_changed_vhd_is_found_out, make, clean),
        cmocka_unit_test_setup_teardown(a_cut_or_changed_fixed_vhd_is_found_out, make, clean),
        cmocka_unit_test_setup_teardown(a_differencing_vhd_is_refused, make, clean),
        cmocka_unit_test_setup_teardown(blocks_lie_in_the_file_and_apart, make, clean),
    };
    return cmocka_run_group_tests_name("io vhd", tests, NULL, NULL);
}
