/* SPDX-License-Identifier: Apache-2.0
 * tests/io/system/test_storage.c - what a disk is, down partitions, volumes, arrays and loop
 * devices.
 *
 * The devices are made up: a sysfs of our own in a folder, laid out as Linux does
 * (Documentation/ABI/stable/sysfs-block, testing/sysfs-block, sysfs-dev).
 */
#include <sys/sysmacros.h>

#include "tests/io/lib_io.h"

#include "io/storage.h"
#include "io/system/sys.h"

static char folder[64], sysfs[80];

/* device WAY NUMBER ROTATIONAL, partition WAY NUMBER, slave UPPER LOWER, loop WAY FILE. */
static const char functions[] =
    "set -e; S=$F/sys; mkdir -p $S/dev/block;"
    "link() { ln -s ../../devices/$1 $S/dev/block/$2; echo $2 >$S/devices/$1/dev; };"
    "device() { mkdir -p $S/devices/$1/queue $S/devices/$1/slaves;"
    "  echo $3 >$S/devices/$1/queue/rotational; link $1 $2; };"
    "partition() { mkdir -p $S/devices/$1; echo 1 >$S/devices/$1/partition; link $1 $2; };"
    "slave() { ln -s $S/devices/$2 $S/devices/$1/slaves/${2##*/}; };"
    "loop() { mkdir -p $S/devices/$1/loop; echo \"$2\" >$S/devices/$1/loop/backing_file; };";

static int make_devices(void **state)
{
    char command[4096];

    (void)state;
    test_make_folder(folder);
    snprintf(sysfs, sizeof sysfs, "%s/sys", folder);
    snprintf(command, sizeof command,
             "F=%s; %s"
             "device pci/ata1/block/sda 8:0 1; partition pci/ata1/block/sda/sda1 8:1;"
             "device pci/ata2/block/sdb 8:16 0; device pci/ata3/block/sdc 8:32 1;"
             "device pci/usb2/block/sdd 8:48 1;"
             "device pci/virtio1/block/vda 254:0 1;"
             "device pci/nvme/nvme0/nvme0n1 259:0 0;"
             "partition pci/nvme/nvme0/nvme0n1/nvme0n1p2 259:2;"
             "device virtual/block/nbd0 43:0 1; device virtual/block/ram0 1:0 0;"
             "device virtual/block/zram0 253:9 0; echo 0 >$S/devices/virtual/block/zram0/mm_stat;"
             "device virtual/block/dm-0 253:0 1; slave virtual/block/dm-0 pci/ata1/block/sda/sda1;"
             "device virtual/block/dm-1 253:1 1; slave virtual/block/dm-1 virtual/block/dm-0;"
             "device virtual/block/md0 9:0 1; slave virtual/block/md0 pci/ata1/block/sda;"
             "slave virtual/block/md0 pci/ata3/block/sdc;"
             "device virtual/block/dm-2 253:2 1; slave virtual/block/dm-2 virtual/block/md0;"
             "device virtual/block/dm-3 253:3 1; slave virtual/block/dm-3 pci/ata1/block/sda;"
             "slave virtual/block/dm-3 pci/ata1/block/sda/sda1;"
             "device virtual/block/dm-4 253:4 1; slave virtual/block/dm-4 virtual/block/dm-4;"
             "device virtual/block/loop0 7:0 1; loop virtual/block/loop0 $F/gone",
             folder, functions);
    return system(command);
}

static int remove_devices(void **state)
{
    (void)state;
    test_remove_folder(folder);
    return 0;
}

static void devices_are_found_down_to_the_disk(void **state)
{
    static const struct {
        unsigned major_number, minor_number;
        enum io_storage_kind kind;
        const char *name;
    } rows[] = {
        { 8, 0, IO_STORAGE_SPINNING, "sda" },   /* a disk */
        { 8, 1, IO_STORAGE_SPINNING, "sda" },   /* its partition */
        { 8, 16, IO_STORAGE_UNKNOWN, "sdb" },   /* does not spin: how quick is it? */
        { 8, 48, IO_STORAGE_SPINNING, "sdd" },  /* on USB */
        { 254, 0, IO_STORAGE_UNKNOWN, "vda" },  /* a virtual disk is said to spin */
        { 259, 0, IO_STORAGE_MANY, "nvme0n1" }, /* NVMe */
        { 259, 2, IO_STORAGE_MANY, "nvme0n1" }, /* its partition */
        { 43, 0, IO_STORAGE_UNKNOWN, "nbd0" },  /* the network */
        { 1, 0, IO_STORAGE_MEMORY, "ram0" },    /* in memory */
        { 253, 9, IO_STORAGE_MEMORY, "zram0" }, /* in memory, packed */
        { 253, 0, IO_STORAGE_SPINNING, "sda" }, /* a volume on the partition */
        { 253, 1, IO_STORAGE_SPINNING, "sda" }, /* one that is encrypted on that */
        { 9, 0, IO_STORAGE_MANY, "md0" },       /* an array of two disks */
        { 253, 2, IO_STORAGE_MANY, "md0" },     /* a volume on it */
        { 253, 3, IO_STORAGE_SPINNING, "sda" }, /* a volume of two pieces of one disk */
        { 253, 4, IO_STORAGE_UNKNOWN, "" },     /* that stands on itself */
        { 7, 0, IO_STORAGE_UNKNOWN, "" },       /* a loop device of a file that is gone */
        { 77, 7, IO_STORAGE_UNKNOWN, "" },      /* not in sysfs */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct io_storage found =
            io_storage_of_device(sysfs, makedev(rows[i].major_number, rows[i].minor_number));

        if (found.kind != rows[i].kind || strcmp(found.name, rows[i].name) != 0)
            fail_msg("%u:%u: kind %d, name %s", rows[i].major_number, rows[i].minor_number,
                     (int)found.kind, found.name);
    }
}

/* The page cache has what has just been written, where it tells. */
static void what_was_written_is_cached(void **state)
{
    uint8_t *bytes = test_bytes(1 << 20, 1);
    const struct io_sys *sys = &io_sys_kernel;
    struct io_image *image;
    struct io_span span;
    struct err err;
    char path[96];
    uint8_t byte;

    (void)state;
    snprintf(path, sizeof path, "%s/file", folder);
    test_write_file(path, bytes, 1 << 20);
    assert_int_equal(io_image_open(path, "raw", &image, &err), ERR_OK);
    assert_true(io_image_map(image, 0, &span));
    assert_true(io_storage_is_cached(image, 0, 1 << 20) ==
                (sys->pread_cached(sys->arg, span.fd, &byte, 1, 0) == 1));
    assert_false(io_storage_is_cached(image, 0, 0));
    io_image_close(image);
    assert_int_equal(io_image_open_memory(bytes, 1 << 20, &image, &err), ERR_OK);
    assert_false(io_storage_is_cached(image, 0, 1 << 20)); /* it lies in no file */
    assert_int_equal(io_storage_of_image(sysfs, image).kind, IO_STORAGE_UNKNOWN);
    io_image_close(image);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_found_down_to_the_disk),
        cmocka_unit_test(what_was_written_is_cached),
    };

    return cmocka_run_group_tests(tests, make_devices, remove_devices);
}
