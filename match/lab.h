/* SPDX-License-Identifier: Apache-2.0
 * match/lab.h - times the search of a text that lies in a device's memory, and measures the limits
 * of the device. For `burin bench cuda` and the tuner.
 *
 * match_resident_open copies a text to a device once; the copy is called resident. Then any engine
 * with a device behind it can be timed on that text, through match_offload.lab->time.
 */
#ifndef BURIN_MATCH_LAB_H
#define BURIN_MATCH_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"
#include "match/launch.h"

struct device_provider;
/* Owned by the caller of match_resident_open; used by one thread at a time */
struct match_resident;

struct match_resident_setup {
    const struct device_provider *devices; /* NULL: the machine's devices; tests give others */
    uint32_t device;                       /* index of the device, counted from 0 */
    /* [len], the caller's; pinned, and needed, until match_resident_close */
    const uint8_t *bytes;
    uint64_t len; /* bytes, any number */
};

/* Opens the device and copies the text to it. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code match_resident_open(const struct match_resident_setup *setup,
                                                 struct match_resident **out, struct err *err);
void match_resident_close(struct match_resident *resident); /* NULL is a no-op */

const char *match_resident_device(const struct match_resident *resident); /* "NVIDIA H200" */

/*
 * Operations that set a lower limit to the time of a search: no kernel is faster than READ, and no
 * search of text on the host is faster than the copies.
 */
enum match_limit {
    MATCH_LIMIT_READ,      /* a kernel that loads the text and does nothing else */
    MATCH_LIMIT_IN,        /* a copy from pinned memory of the host to the device */
    MATCH_LIMIT_OUT,       /* a copy from the device to pinned memory of the host */
    MATCH_LIMIT_READ_HOST, /* a kernel that loads the text from pinned host memory (zero-copy) */
};

/*
 * Times the operation on the first len bytes of the text; len 0: on all of them. seconds: [runs],
 * the time of each run.
 */
ERR_MUST_CHECK enum err_code match_resident_limit(struct match_resident *resident,
                                                  enum match_limit limit, uint64_t len,
                                                  uint32_t runs, double *seconds, struct err *err);

/*
 * One engine timed on one text. The engine was compiled with one slot; the size of its segments
 * does not matter.
 */
struct match_timing {
    struct match_resident *resident;
    uint64_t len; /* bytes of the text to search, from its beginning; 0: all */
    /*
     * Most bytes that one launch searches. 0: as many as 32-bit indices and the memory allow.
     */
    uint64_t stretch;
    bool from_host; /* true: the kernels read the pinned text on the host */
    /*
     * The launch of the kernel's blocks. Zeros: the launch that tuning has found, or the usual one.
     */
    struct match_launch launch;
    uint32_t runs; /* timed runs; one run that is not timed goes before them */

    /*
     * Called for every hit, in any order; hit->offset counts from the start of the text. Or NULL.
     */
    void (*each)(void *arg, const struct hit *hit);
    void *arg;

    /* The answer. */
    /*
     * [runs], the caller's. Time of each run by the device's clock, from the first launch to the
     * end of the last.
     */
    double *seconds;
    uint64_t hits;
    uint64_t candidates;      /* places that the search's filter let through; 0 without a filter */
    struct match_launch used; /* the launch that was timed; zeros: the usual one */
};

/* Times of segments that went through a device, and the times that completion_time.h predicts. */
struct match_transfer {
    uint32_t device, buffers;    /* index of the device; its buffers in use */
    uint64_t segments;           /* segments that the times are of */
    double write, process, read; /* mean seconds of one segment in each step */
    /* Seconds from the first segment's start to the last one's end */
    double took;
    double predicted;                /* seconds, for the strategy that was used */
    double predicted_a, predicted_b; /* seconds, for strategies A and B */
};

/* What an engine with a device behind it offers to benchmarks and tests: match_offload.lab. */
struct match_lab {
    /* Times the search of a resident text. */
    enum err_code (*time)(void *program, struct match_timing *timing, struct err *err);

    /*
     * Times the search in each of the kernel's launches, stores the fastest launch for this
     * dictionary and device, and uses it from then on.
     */
    enum err_code (*tune)(void *program, struct match_timing *timing, struct match_launch *best,
                          struct err *err);

    /* Writes the times of each open device to out, at most max of them; returns how many. */
    uint32_t (*transfers)(void *program, struct match_transfer *out, uint32_t max);

    /* The launches that the engine's kernel was compiled for: [*count]. 0: it has one launch only.
     */
    const struct match_launch *(*launches)(void *program, uint32_t *count);
};

#endif
