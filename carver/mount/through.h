/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/through.h - files that the kernel reads itself: a read of image/N.raw does not come
 * to this program where the image is one file and the kernel is asked by root. It costs what a read
 * of the image costs.
 *
 *   greeting_take     (greeting.h) the kernel is told that this program knows of it
 *   through_lend      root alone: the kernel has the file, and gives it a number
 *   through_opened    the answer to an open: read the file of that number
 *
 * Source: Linux 6.9 and later, Documentation/filesystems/fuse/fuse-passthrough.rst and
 * include/uapi/linux/fuse.h. libfuse3 knows of it from 3.17 on.
 *
 * Threads: any.
 */
#ifndef BURIN_CARVER_MOUNT_THROUGH_H
#define BURIN_CARVER_MOUNT_THROUGH_H

#include <stdint.h>

/*
 * Lends the kernel a file that is open for reading alone, for the connection to it. Reads by the
 * kernel do not set the time at which the file was read last, and nothing can be written by them.
 * Returns its number; 0: the kernel does not take it.
 */
uint32_t through_lend(int connection, int file);

/* The answer to an open, without its head, as the kernel reads it. */
struct through_opened {
    uint64_t handle;
    uint32_t flags, number;
};
struct through_opened through_opened(uint32_t number);

#endif
