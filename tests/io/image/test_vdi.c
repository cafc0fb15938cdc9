/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_vdi.c - VirtualBox disks give the bytes that were put in, or an error.
 *
 * Method: qemu-img writes them. Then they are cut, and every bit of header and map is changed. The
 * offsets of fields are those of VirtualBox's VDICore.h.
 * Labels: slow
 */
#include "tests/io/lib_damage.h"

enum { HEADER = 512, BLOCK = 1 << 20 };

static void vdi(void **state)
{
    tool(*state, "qemu-img", "convert -f raw -O vdi disk.raw disk.vdi");
    same_bytes(*state, "disk.vdi", "VDI", 1);
    tool(*state, "qemu-img", "convert -f raw -O vdi -o static=on disk.raw fixed.vdi");
    same_bytes(*state, "fixed.vdi", "VDI", 1);
    shell(*state, "truncate -s 70000640 disk.raw");
    tool(*state, "qemu-img", "convert -f raw -O vdi disk.raw long.vdi");
    struct io_image *image;
    struct io_span span;
    struct err err = { 0 };
    assert_int_equal(open_in(*state, "long.vdi", &image, &err), ERR_OK);
    assert_int_equal(io_image_size(image), 70000640);
    /* Stored blocks are joined; behind them is nothing up to the end. */
    assert_true(io_image_map(image, 5, &span));
    assert_int_equal(span.how, IO_SPAN_STORED);
    assert_int_equal(span.len, DISK_LEN - 5);
    assert_true(io_image_map(image, DISK_LEN, &span));
    assert_int_equal(span.how, IO_SPAN_ZERO);
    assert_int_equal(span.len, 70000640 - DISK_LEN);
    io_image_close(image);
}

static void a_vdi_that_is_cut_is_refused(void **state)
{
    struct damaged d;

    tool(*state, "qemu-img", "convert -f raw -O vdi disk.raw disk.vdi");
    damaged_begin(&d, *state, "disk.vdi", "vdi");
    damaged_cut(&d, 4096);
    assert_int_equal(d.counts[DAMAGE_REFUSED], (d.len + 4095) / 4096 - 1 + (d.len % 4096 != 1));
    damaged_end(&d);
}

/*
 * A VDI has no checksums. What no other field tells of: bits of the size that stay in the same
 * block (the low 20), and the place of the data where it is moved inside of the file.
 */
static void a_changed_bit_of_a_vdi_is_found_out(void **state)
{
    struct damaged d;

    tool(*state, "qemu-img", "convert -f raw -O vdi disk.raw disk.vdi");
    damaged_begin(&d, *state, "disk.vdi", "vdi");
    damaged_flip(&d, 64, 20);  /* magic, version, length, type, flags */
    damaged_flip(&d, 340, 28); /* places, geometry */
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    damaged_flip(&d, 368, 8); /* size */

    damaged_flip(&d, 376, 16);       /* block, extra, counts */
    damaged_flip(&d, 424, 32);       /* parents */
    damaged_flip(&d, HEADER, 3 * 4); /* the map */
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    damaged_end(&d);
}

static void changed(const struct disk *disk, size_t at, uint64_t value, const char *word)
{
    struct damaged d;
    uint8_t bytes[4];

    damaged_begin(&d, disk, "disk.vdi", "vdi");
    for (uint32_t i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> i * 8);
    damaged_put(&d, at, bytes, sizeof bytes);
    refused(disk, "damaged-disk.vdi", word);
    damaged_end(&d);
}

static void what_a_vdi_may_not_be(void **state)
{
    tool(*state, "qemu-img", "convert -f raw -O vdi disk.raw disk.vdi");
    changed(*state, 76, 4, "snapshot");
    changed(*state, 440, 1, "snapshot");
    changed(*state, 68, 2 << 16, "version 131072");
    changed(*state, 360, 4096, "bytes of a sector: 4096");
    changed(*state, 376, 3 << 20, "bytes of a block: 3145728");
    changed(*state, 380, 512, "in front of a block: 512");
    changed(*state, 388, 2, "says 2 stored blocks, and its map 3");
    changed(*state, HEADER, 1, "twice");
    changed(*state, HEADER, 3, "cut short: a block");
    changed(*state, 340, 0, "twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(vdi, make, clean),
        cmocka_unit_test_setup_teardown(a_vdi_that_is_cut_is_refused, make, clean),
        cmocka_unit_test_setup_teardown(a_changed_bit_of_a_vdi_is_found_out, make, clean),
        cmocka_unit_test_setup_teardown(what_a_vdi_may_not_be, make, clean),
    };
    return cmocka_run_group_tests_name("io vdi", tests, NULL, NULL);
}
