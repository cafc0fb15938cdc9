/* SPDX-License-Identifier: Apache-2.0
 * io/storage.h - what an image lies on, as far as it says how many may read it at a time.
 *
 * The kernel is asked (sysfs), through partitions, volumes, arrays and loop devices down to the
 * disk. Nothing is written, and next to nothing read.
 */
#ifndef BURIN_IO_STORAGE_H
#define BURIN_IO_STORAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "io/image.h"

enum {
    IO_STORAGE_NAME = 64, /* bytes of a device's name, its NUL included */
};

/* Ascending by what several readers at a time may cost. */
enum io_storage_kind {
    IO_STORAGE_MEMORY,   /* no disk: tmpfs, a disk in memory */
    IO_STORAGE_MANY,     /* NVMe, an array: made for many requests at a time */
    IO_STORAGE_UNKNOWN,  /* anything: a solid-state disk, a stick, a virtual disk, the network */
    IO_STORAGE_SPINNING, /* one disk that seeks */
};

struct io_storage {
    enum io_storage_kind kind;
    char name[IO_STORAGE_NAME]; /* of the disk, such as "sda"; "": not known */
};

/* What the parts of the image lie on; of several, the worst. sysfs: "/sys". */
struct io_storage io_storage_of_image(const char *sysfs, const struct io_image *image);

/* What a block device stands on. */
struct io_storage io_storage_of_device(const char *sysfs, dev_t dev);

/*
 * Whether the page cache holds these bytes of the image, as far as samples say. False for an image
 * that does not lie in files as it is.
 */
bool io_storage_is_cached(const struct io_image *image, uint64_t offset, uint64_t len);

/*
 * From now on the kernel reads nothing of the image that is not asked for. For one that readers
 * (io/reader.h) go through: they ask early, and a read-ahead of the kernel would bring bytes that
 * they read past the page cache as well. Files that are decoded keep their read-ahead.
 */
void io_storage_stop_read_ahead(const struct io_image *image);

#endif
