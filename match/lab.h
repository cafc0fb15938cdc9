/*
 * match/lab.h - searches timed on a device, with the text in its memory, beside what the device can do at most.
 *
 * A resident text is sent to a device once; then any engine with a device behind it is timed on it by way of its offload's measure.
 * For `burin bench cuda` and the tuner.
 */
#ifndef BURIN_MATCH_LAB_H
#define BURIN_MATCH_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"
#include "match/shape.h"

struct device_provider;
struct match_resident; /* owned by the caller of match_resident_open; used by one thread at a time */

struct match_resident_setup {
    const struct device_provider *devices; /* NULL: those of the machine */
    uint32_t device;
    const uint8_t *bytes; /* of the caller; pinned, and read again, until the text is closed */
    uint64_t len;         /* any number */
};

ERR_MUST_CHECK enum err_code match_resident_open(const struct match_resident_setup *setup, struct match_resident **out,
                                                 struct err *err);
void match_resident_close(struct match_resident *resident); /* NULL is a no-op */

const char *match_resident_device(const struct match_resident *resident); /* "NVIDIA H200" */

/* What takes the least time that there is: kernels cannot beat READ, nor host to host the copies. */
enum match_limit {
    MATCH_LIMIT_READ,      /* a kernel that loads the text and does nothing else */
    MATCH_LIMIT_IN,        /* copies from pinned memory of the host to the device */
    MATCH_LIMIT_OUT,       /* and back */
    MATCH_LIMIT_READ_HOST, /* a kernel that loads the text from pinned memory of the host: zero-copy */
};

/* Times, `runs` times, what is done with the first len bytes of the text: 0 for all of them. */
ERR_MUST_CHECK enum err_code match_resident_limit(struct match_resident *resident, enum match_limit limit, uint64_t len,
                                                  uint32_t runs, double *seconds, struct err *err);

/* One engine timed on one text. The engine's setup has one lane, and segments as small as one likes. */
struct match_measure {
    struct match_resident *resident;
    uint64_t len;     /* bytes of the text to search, from its beginning; 0: all */
    uint64_t stretch; /* bytes searched by one launch, at most; 0: as many as indices of 32 bits and the memory allow */
    bool from_host;   /* the kernels read the pinned text of the host */
    struct match_shape shape; /* of the kernel's blocks; zeros: the one that tuning has found, or the usual one */
    uint32_t runs;            /* that count, after one that does not */

    /* Told of every hit, in any order; NULL: nobody. offset is that in the text. */
    void (*each)(void *arg, const struct hit *hit);
    void *arg;

    /* The answer. */
    double *seconds; /* [runs], of the caller: by the device's clock, from the first launch to the last one's end */
    uint64_t hits;
    uint64_t candidates;     /* of the filter, where the search has one */
    struct match_shape used; /* zeros: the usual one */
};

/* How segments fared that went through a device and back, beside what the theorems of completion_time.h say. */
struct match_transfer {
    uint32_t device, buffers;
    uint64_t segments;
    double write, process, read; /* seconds of one segment, on average */
    double took;                 /* seconds from the first segment's start to the last one's end */
    double predicted;            /* for the strategy that was used */
    double predicted_a, predicted_b;
};

/* What an engine with a device behind it has for benchmarks and tests: match_offload.lab. */
struct match_lab {
    /* Times the search of a text that is on the device. */
    enum err_code (*measure)(void *program, struct match_measure *measure, struct err *err);

    /* Times it in each of its shapes, remembers the fastest one for the dictionary and the device, and goes on with it. */
    enum err_code (*tune)(void *program, struct match_measure *measure, struct match_shape *best, struct err *err);

    /* What the devices have done so far, device by device; returns for how many, max at most. */
    uint32_t (*transfers)(void *program, struct match_transfer *out, uint32_t max);

    /* Shapes that the engine's kernel comes in, count of them; 0: one alone. */
    const struct match_shape *(*shapes)(void *program, uint32_t *count);
};

#endif
