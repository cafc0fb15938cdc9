/* SPDX-License-Identifier: Apache-2.0
 * base/sysfs.h - what Linux says of block devices in sysfs
 * (Documentation/ABI/stable/sysfs-block, testing/sysfs-dev).
 *
 * A folder is that of one device, such as /sys/devices/.../block/sda.
 */
#ifndef BURIN_BASE_SYSFS_H
#define BURIN_BASE_SYSFS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The folder of a block device, without links; sysfs: "/sys". False where there is none. */
bool sysfs_device(const char *sysfs, dev_t dev, char folder[PATH_MAX]);

/*
 * The text of FOLDER/NAME without the line feed at its end; false where there is none or it is too
 * long.
 */
bool sysfs_text(const char *folder, const char *name, char out[PATH_MAX]);

/* Whether there is a FOLDER/NAME. */
bool sysfs_has(const char *folder, const char *name);

/* The number of the device whose folder this is; false where it does not say. */
bool sysfs_number(const char *folder, dev_t *dev);

/* A disk in memory: one of brd's, or of zram's that writes nothing back to a disk. */
bool sysfs_in_memory(const char *folder, dev_t dev);

#endif
