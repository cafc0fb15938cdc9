/* SPDX-License-Identifier: Apache-2.0
 * carver/case/live_device.h - an image that is a device somebody uses, or that may change by
 * itself.
 *
 * Nothing is refused: often there is no other way to see such a disk. But whoever reads the report
 * must know that what was read is no state of one moment, or what the device hides. Of a device and
 * its partitions the tables of the kernel say:
 *
 *   mounted           mountinfo
 *   swap              /proc/swaps
 *   holders           volumes, arrays, encrypted disks on it: sysfs
 *   not read-only     sysfs: anything may write to it meanwhile
 *   discards (TRIM)   sysfs: what was deleted may read as zeros
 *
 * Sources: proc_pid_mountinfo(5), proc_swaps(5), Documentation/ABI/stable/sysfs-block.
 */
#ifndef BURIN_CARVER_CASE_LIVE_DEVICE_H
#define BURIN_CARVER_CASE_LIVE_DEVICE_H

#include <stdint.h>
#include <sys/types.h>

#include "io/image.h"

enum {
    LIVE_KINDS = 5,
    LIVE_TEXT = 512, /* bytes of a sentence, the NUL included */
};

/* The tables. */
struct live_system {
    const char *sysfs;     /* "/sys" */
    const char *mountinfo; /* "/proc/self/mountinfo" */
    const char *swaps;     /* "/proc/swaps" */
};

/* One sentence for each kind that is so. */
struct live_device {
    char text[LIVE_KINDS][LIVE_TEXT];
    uint32_t count;
};

/* Of a block device. */
void live_device_look(const struct live_system *system, dev_t dev, struct live_device *out);

/* Of the image's parts that are block devices: of the first one that there is something to say of.
 */
void live_device_of_image(const struct io_image *image, struct live_device *out);

#endif
