/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount_table.h - what is mounted at a folder, as the kernel lists it
 * (/proc/self/mountinfo, proc(5)); nothing of the mount itself is asked, which may be dead.
 */
#ifndef BURIN_CARVER_MOUNT_MOUNT_TABLE_H
#define BURIN_CARVER_MOUNT_MOUNT_TABLE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* The device of what was mounted last at the folder (absolute, without links). False: nothing is.
 */
bool mount_table_find(const char *folder, dev_t *device);

/* The same of a table that is read from in. */
bool mount_table_find_in(FILE *in, const char *folder, dev_t *device);

#endif
