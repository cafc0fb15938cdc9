/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/sampler.h - reads the units of a sweep with many requests in flight, and has
 * threads look at them.
 *
 *   strata ──► ranges ──► reader (aio, up to 64 in flight) ──► batches ──► threads ──► in order
 *
 * What is told of a unit does not depend on threads, engine or speed, and units are told in the
 * order of the image.
 *
 * Threads: one thread at a time uses a sampler; it has threads of its own.
 */
#ifndef BURIN_CARVER_TRIAGE_SAMPLER_H
#define BURIN_CARVER_TRIAGE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/triage/strata.h"
#include "carver/triage/unit_look.h"
#include "io/image.h"

struct sampler; /* owned by the caller of sampler_open */

struct sampler_options {
    struct io_image *image;
    const struct unit_aim *aim;
    const char *backend;  /* of the reader; NULL: the best */
    uint32_t threads;     /* 1..LIMIT_THREADS */
    uint64_t deadline_ns; /* of CLOCK_MONOTONIC, when reading ends; 0: never */
    bool (*stop)(void);   /* ends it at once, with ERR_INTERRUPTED */
};

/* A unit that was looked at. */
struct sampler_unit {
    uint64_t offset; /* of the image */
    uint32_t len;    /* bytes */
    struct unit_seen seen;
};

typedef enum err_code (*sampler_fn)(void *arg, const struct sampler_unit *unit, struct err *err);

/* All that options points to must outlive the sampler. */
ERR_MUST_CHECK enum err_code sampler_open(const struct sampler_options *options,
                                          struct sampler **out, struct err *err);
void sampler_close(struct sampler *sampler); /* NULL is a no-op */

/*
 * Looks at the units of one sweep, and calls each for every one of them, ascending. A unit of which
 * a byte could not be read is BLOCK_UNREADABLE. *whole: false when time was up before the end; what
 * each was called for is then a part of the sweep.
 */
ERR_MUST_CHECK enum err_code sampler_sweep(struct sampler *sampler, const struct strata *strata,
                                           uint32_t sweep, sampler_fn each, void *arg, bool *whole,
                                           struct err *err);

/* For the log: how it reads. */
const char *sampler_backend(const struct sampler *sampler);

#endif
