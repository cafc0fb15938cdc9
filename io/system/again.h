/* SPDX-License-Identifier: Apache-2.0
 * io/system/again.h - reading a file once more where a read has failed: around the page cache (io/
 * only).
 *
 * The page cache reads whole pages, and others ahead of them. A sector that cannot be read would
 * cost 4,096 bytes that way, and be asked for again and again on the way to its neighbours.
 * O_DIRECT asks the device for what is wanted and no more.
 */
#ifndef BURIN_IO_SYSTEM_AGAIN_H
#define BURIN_IO_SYSTEM_AGAIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_again_file {
    int fd;         /* the image's */
    int own;        /* the same file, opened a second time */
    uint32_t align; /* bytes: what is read begins and ends at multiples of it */
    bool direct;    /* own goes around the page cache */
};

struct io_again {
    pthread_mutex_t lock;        /* of all below */
    struct io_again_file *files; /* owned, those in which a read has failed */
    uint32_t count;
};

void io_again_init(struct io_again *again);

/*
 * Reads len bytes at offset of the image's file fd, from any thread. Returns 0, or an errno; EIO
 * also where the file ends too early. *unit is set to the bytes of the smallest piece that is worth
 * reading alone: the logical sector of the device, what the file system asks of O_DIRECT, or the
 * page where it refuses O_DIRECT.
 */
int io_again_read(struct io_again *again, int fd, uint64_t offset, uint8_t *dst, size_t len,
                  uint32_t *unit);

void io_again_release(struct io_again *again);

#endif
