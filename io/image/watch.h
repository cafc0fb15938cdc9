/* SPDX-License-Identifier: Apache-2.0
 * io/image/watch.h - the reads of an image that are under way, so that people can be told of one
 * that takes long (io/ only). Any thread may call all of this.
 */
#ifndef BURIN_IO_IMAGE_WATCH_H
#define BURIN_IO_IMAGE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { IO_WATCH_READS = 64 /* watched at a time; more are not */ };

/* Zeroed is none. */
struct io_watch {
    struct {
        _Atomic uint64_t since_ns; /* of CLOCK_MONOTONIC; 0: free */
        _Atomic uint64_t offset;   /* of the image */
    } reads[IO_WATCH_READS];
};

/* A read begins. Returns what io_watch_end takes. */
uint32_t io_watch_begin(struct io_watch *watch, uint64_t offset);
void io_watch_end(struct io_watch *watch, uint32_t read);

/*
 * The read that was begun last of those that have been under way for min_ns or longer: where one
 * read is a part of another, that is the part. now_ns: of CLOCK_MONOTONIC. False: none.
 */
bool io_watch_slow(const struct io_watch *watch, uint64_t now_ns, uint64_t min_ns, uint64_t *offset,
                   uint64_t *taken_ns);

#endif
