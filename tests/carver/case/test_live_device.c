/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/case/test_live_device.c - what is said of a device that somebody uses.
 *
 * The devices are made up: a sysfs, a table of mounts and one of swaps of our own in a folder, laid
 * out as Linux does (Documentation/ABI/stable/sysfs-block, proc_pid_mountinfo(5), proc_swaps(5)).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "carver/case/live_device.h"

static char folder[64], sysfs[80], mounts[80], swaps[80];

/* device WAY NUMBER READ-ONLY DISCARDS, partition WAY NUMBER, holder WAY NAME */
static const char functions[] =
    "set -e; S=$F/sys; mkdir -p $S/dev/block;"
    "link() { ln -s ../../devices/$1 $S/dev/block/$2; echo $2 >$S/devices/$1/dev; };"
    "device() { mkdir -p $S/devices/$1/queue $S/devices/$1/holders; echo $3 >$S/devices/$1/ro;"
    "  echo $4 >$S/devices/$1/queue/discard_max_bytes; link $1 $2; };"
    "partition() { mkdir -p $S/devices/$1/holders; echo 1 >$S/devices/$1/partition;"
    "  echo 0 >$S/devices/$1/ro; link $1 $2; };"
    "holder() { touch $S/devices/$1/holders/$2; };";

static int make_devices(void **state)
{
    char command[4096];

    (void)state;
    snprintf(folder, sizeof folder, "/tmp/burin-live-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(sysfs, sizeof sysfs, "%s/sys", folder);
    snprintf(mounts, sizeof mounts, "%s/mounts", folder);
    snprintf(swaps, sizeof swaps, "%s/swaps", folder);
    snprintf(command, sizeof command,
             "F=%s; %s"
             "device pci/block/sda 8:0 0 0; partition pci/block/sda/sda1 8:1;"
             "partition pci/block/sda/sda2 8:2; partition pci/block/sda/sda3 8:3;"
             "device pci/block/sdb 8:16 1 0; partition pci/block/sdb/sdb1 8:17;"
             "device pci/block/sdc 8:32 1 2147450880; partition pci/block/sdc/sdc1 8:33;"
             "device pci/block/sdd 8:48 1 0; device pci/block/sdaa 65:160 1 0;"
             "holder pci/block/sda/sda3 dm-0; holder pci/block/sdd md0; holder pci/block/sdd md1;"
             "printf '%%s\\n' '22 1 8:1 / /mnt/a\\040b rw,noatime shared:1 - ext4 /dev/sda1 rw' "
             "'23 1 8:1 /x /mnt/c ro - ext4 /dev/sda1 rw' "
             "'24 1 0:40 / /mnt/btrfs rw - btrfs /dev/sdc1 rw' "
             "'25 1 0:41 / /proc rw - proc proc rw' 'rubbish' '26' >$F/mounts;"
             "printf 'Filename\\tType\\tSize\\tUsed\\tPriority\\n"
             "/dev/sda2                               partition\\t976\\t0\\t-2\\n"
             "/swap/file file 1 0 -3\\n' >$F/swaps",
             folder, functions);
    return system(command);
}

static int remove_devices(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* What is said of a device begins so, one of `want` after another; NULL ends them. */
static void says(unsigned high, unsigned low, const char *const *want)
{
    const struct live_system tables = { .sysfs = sysfs, .mountinfo = mounts, .swaps = swaps };
    struct live_device live;
    uint32_t count = 0;

    live_device_look(&tables, makedev(high, low), &live);
    for (; want[count] != NULL; count++) {
        assert_true(count < live.count);
        assert_int_equal(strncmp(live.text[count], want[count], strlen(want[count])), 0);
    }
    assert_int_equal(live.count, count);
}

static void a_disk_tells_of_its_partitions(void **state)
{
    (void)state;
    says(8, 0,
         (const char *const[]){ "sda1 is mounted at /mnt/a\\040b and 1 more: what is read is no",
                                "sda2 is in use as swap:", "sda3 is in use by dm-0,",
                                "sda is not write-protected:", NULL });
}

static void a_partition_tells_of_itself_alone(void **state)
{
    (void)state;
    says(8, 1, (const char *const[]){ "sda1 is mounted at", "sda1 is not write-protected:", NULL });
    says(8, 2,
         (const char *const[]){ "sda2 is in use as swap:", "sda2 is not write-protected:", NULL });
}

static void a_disk_that_nobody_uses_is_quiet(void **state)
{
    (void)state;
    says(8, 16, (const char *const[]){ NULL });
    says(65, 160, (const char *const[]){ NULL }); /* sdaa is not sda */
    says(9, 9, (const char *const[]){ NULL });    /* there is none */
}

static void a_btrfs_is_found_by_its_device_and_trim_by_the_disk(void **state)
{
    (void)state;
    says(8, 32,
         (const char *const[]){ "sdc1 is mounted at /mnt/btrfs:", "sdc discards what is deleted",
                                NULL });
    says(8, 33,
         (const char *const[]){ "sdc1 is mounted at /mnt/btrfs:", "sdc1 is not write-protected:",
                                "sdc1 discards what is deleted", NULL });
}

static void holders_are_counted(void **state)
{
    (void)state;
    says(8, 48, (const char *const[]){ "sdd is in use by md", NULL });
}

static void tables_that_are_missing_say_nothing(void **state)
{
    const struct live_system tables = { .sysfs = "/nowhere", .mountinfo = "/no", .swaps = "/no" };
    struct live_device live;
    struct io_image *image;
    struct err err = { 0 };

    (void)state;
    live_device_look(&tables, makedev(8, 0), &live);
    assert_int_equal(live.count, 0);
    assert_int_equal(io_image_open_memory((const uint8_t *)"x", 1, &image, &err), ERR_OK);
    live_device_of_image(image, &live); /* no device at all */
    assert_int_equal(live.count, 0);
    io_image_close(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_tells_of_its_partitions),
        cmocka_unit_test(a_partition_tells_of_itself_alone),
        cmocka_unit_test(a_disk_that_nobody_uses_is_quiet),
        cmocka_unit_test(a_btrfs_is_found_by_its_device_and_trim_by_the_disk),
        cmocka_unit_test(holders_are_counted),
        cmocka_unit_test(tables_that_are_missing_say_nothing),
    };
    return cmocka_run_group_tests(tests, make_devices, remove_devices);
}
