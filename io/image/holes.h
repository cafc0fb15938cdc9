/* SPDX-License-Identifier: Apache-2.0
 * io/image/holes.h - where a sparse file has bytes, and where it has none and reads as zeros (io/
 * and tests only).
 *
 * A file system tells by SEEK_DATA and SEEK_HOLE (lseek(2)); some tell of no holes at all. It may
 * have to walk many extents for an answer, so the last answers are kept. Any thread may ask.
 */
#ifndef BURIN_IO_IMAGE_HOLES_H
#define BURIN_IO_IMAGE_HOLES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum {
    IO_HOLES_LEAST = 64 * 1024, /* bytes: a shorter hole is read as if it were none */
    IO_HOLES_KEPT = 32,         /* answers */
};

struct io_holes {
    bool asks; /* the file may have holes */
    pthread_mutex_t lock;
    struct {
        uint64_t from, to; /* bytes of the file; from == to: none */
        bool hole;
    } kept[IO_HOLES_KEPT];
    uint32_t next; /* of kept, that is forgotten next */
};

/* Begins, for the file that st tells of. A file that has as many blocks as bytes is never asked. */
void io_holes_open(struct io_holes *holes, const struct stat *st);
void io_holes_close(struct io_holes *holes);

/*
 * Whether the file of `size` bytes has a hole at byte `at`, which lies inside. *end: where the
 * hole, or what is none, ends; what is none may go on there.
 */
bool io_holes_at(struct io_holes *holes, int fd, uint64_t size, uint64_t at, uint64_t *end);

#endif
