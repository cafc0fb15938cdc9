/* SPDX-License-Identifier: Apache-2.0
 * io/image/rate.h - how many bytes of an image are read in a second at most (io/ and tests only).
 *
 * A token bucket, kept as the time at which all that was taken is paid (the form of a virtual
 * schedule: ITU-T I.371, annex A). What was not used counts for IO_RATE_SAVED_NS at most, so that a
 * pause is followed by no burst. Any thread may call all of this.
 */
#ifndef BURIN_IO_IMAGE_RATE_H
#define BURIN_IO_IMAGE_RATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    IO_RATE_SAVED_NS = 100000000, /* nanoseconds */
    IO_RATE_PIECE = 512 * 1024,   /* bytes: who reads more pays for it piece by piece */
};

/* Zeroed has no limit. */
struct io_rate {
    uint64_t per_second;     /* bytes; 0: no limit */
    _Atomic uint64_t due_ns; /* when what was taken is paid */
    bool (*stop)(void);      /* NULL, or whether nobody is to wait any more */
};

/* Sets the limit, before the image is read by several threads. now_ns: of the clock of
 * io_rate_take. */
void io_rate_set(struct io_rate *rate, uint64_t per_second, bool (*stop)(void), uint64_t now_ns);

/* Takes bytes out of the bucket. Returns how many nanoseconds to wait before they are read. */
uint64_t io_rate_take(struct io_rate *rate, uint64_t now_ns, uint64_t bytes);

/* Takes bytes and waits by CLOCK_MONOTONIC, in steps, until they may be read or stop says so. */
void io_rate_pay(struct io_rate *rate, uint64_t bytes);

#endif
