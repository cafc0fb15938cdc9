/* SPDX-License-Identifier: Apache-2.0
 * match/offload/lab_time.h - the measuring of engines with a device behind them (match/lab.h), for
 * offload.c. */
#ifndef BURIN_MATCH_OFFLOAD_LAB_TIME_H
#define BURIN_MATCH_OFFLOAD_LAB_TIME_H

#include "match/device/device.h"
#include "match/lab.h"
#include "match/offload/ring.h"

/* How a search is made on one device. */
struct lab_time_search {
    struct device *device;
    struct ring_search search;
    uint32_t before;            /* bytes before a stretch that its search may read */
    struct match_launch launch; /* where none is asked for */
};

ERR_MUST_CHECK enum err_code lab_time_run(const struct lab_time_search *search,
                                          struct match_timing *timing, struct err *err);

/* Arguments of the kernel that reads. */
struct lab_time_read {
    const uint8_t *text; /* 16-byte aligned; len is a multiple of 16 */
    uint64_t len;
    uint32_t *sum; /* of what was read, or the compiler would leave it out */
};

#ifdef BURIN_HAVE_CUDA
int lab_time_read_cuda(const void *args, void *stream);
#define LAB_TIME_READ_CUDA lab_time_read_cuda
#else
#define LAB_TIME_READ_CUDA NULL
#endif

#endif
