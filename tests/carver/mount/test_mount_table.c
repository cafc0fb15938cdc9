/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/mount/test_mount_table.c - what is mounted at a folder, as /proc/self/mountinfo says
 * it (proc(5)). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "carver/mount/mount_table.h"

static const char table[] = "21 26 0:20 / /proc rw,nosuid - proc proc rw\n"
                            "26 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
                            "90 26 0:48 / /mnt/a ro - fuse.burin case ro\n"
                            "91 26 0:49 / /mnt/with\\040space\\134 ro - fuse.burin case ro\n"
                            "92 90 0:50 / /mnt/a ro - tmpfs tmpfs ro\n"
                            "no line of a table\n"
                            "93 26 0 / /mnt/short ro\n"
                            "94 26 0:51 /mnt/root\n"
                            "95 26 0:52 / /mnt/cut\\04";

static bool find(const char *folder, dev_t *device)
{
    FILE *in = fmemopen((char *)table, sizeof table - 1, "r");

    assert_non_null(in);
    const bool found = mount_table_find_in(in, folder, device);
    fclose(in);
    return found;
}

static void the_last_mount_of_a_folder_is_found(void **state)
{
    dev_t device = 0;

    (void)state;
    assert_true(find("/", &device));
    assert_true(device == makedev(254, 0));
    assert_true(find("/mnt/a", &device));
    assert_true(device == makedev(0, 50));
    assert_true(find("/mnt/with space\\", &device));
    assert_true(device == makedev(0, 49));
}

static void other_folders_and_broken_lines_are_none(void **state)
{
    static const char *const none[] = { "/mnt", "/mnt/",      "/mnt/aa",  "/mnt/with",
                                        "/pro", "/mnt/short", "/mnt/root" };
    dev_t device = 0;

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (find(none[i], &device))
            fail_msg("'%s' is found", none[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_mount_of_a_folder_is_found),
        cmocka_unit_test(other_folders_and_broken_lines_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
