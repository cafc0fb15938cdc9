/* SPDX-License-Identifier: Apache-2.0
 * io/system/direct.h - files opened a second time, with O_DIRECT (io/ only). */
#ifndef BURIN_IO_SYSTEM_DIRECT_H
#define BURIN_IO_SYSTEM_DIRECT_H

#include <stdint.h>

/* What O_DIRECT asks for, bytes. 0: the system does not say. */
struct io_direct_align {
    uint32_t offset; /* of offset and length; of a block device, its logical sector */
    uint32_t memory;
};
struct io_direct_align io_direct_align(int fd);

/*
 * Opens the file or device of fd a second time for reading, with O_DIRECT or 0 in flags: flags set
 * on a duplicate would change fd as well. Returns a descriptor, or -1.
 */
int io_direct_open(int fd, int flags);

struct io_direct_file {
    int fd;         /* the image's */
    int direct;     /* the same file with O_DIRECT; -1: refused */
    uint32_t align; /* bytes, of offset, length and memory */
};

struct io_direct {
    struct io_direct_file *files; /* owned, in the order in which the stream came to them */
    uint32_t count;
};

/* The file behind the image's fd, opened when it is asked for first. NULL without memory. Valid
 * until the next call. */
struct io_direct_file *io_direct_find(struct io_direct *direct, int fd);

/* From now on fd is read without O_DIRECT. */
void io_direct_refuse(struct io_direct *direct, int fd);

void io_direct_release(struct io_direct *direct);

#endif
