/* SPDX-License-Identifier: Apache-2.0
 * cluster/claims.h - which parts of an image are done, and which rank does which: what rank 0
 * knows. Pure: no messages, no clocks, no files.
 *
 *   free ──next──► under way, by one rank or two ──end──► done
 *     ▲                                          │
 *     └──── tried again: killed, no room ────────┘
 *
 * A part with bytes that could not be read is given to a rank of another host, once. A part that
 * takes far longer than others is given to a second rank where there is nothing else to do; the
 * first one to end it counts.
 */
#ifndef BURIN_CLUSTER_CLAIMS_H
#define BURIN_CLUSTER_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CLAIMS_TRIES = 3,      /* of a part, before the work is given up */
    CLAIMS_SLOW_MS = 5000, /* longer than twice the mean of the parts done: it is slow */
};

#define CLAIMS_NONE UINT32_MAX

struct claims; /* owned by the caller of claims_open; one thread */

/* hosts[rank_count]: a number for each host. count and rank_count at least 1. NULL: no memory. */
struct claims *claims_open(uint32_t count, uint32_t rank_count, const uint32_t *hosts);
void claims_close(struct claims *claims); /* NULL is a no-op */

void claims_set_done(struct claims *claims, uint32_t part); /* before it is given */

/* The part that an idle rank is to do from now on, or CLAIMS_NONE. now_ms: of a clock that never
 * goes back. */
uint32_t claims_next(struct claims *claims, uint32_t rank, uint64_t now_ms);

/*
 * What the rank was doing has ended with an exit status of burin scan --part, or 128 and a signal.
 * Returns a rank that does the same part in vain now, or CLAIMS_NONE.
 */
uint32_t claims_end(struct claims *claims, uint32_t rank, int status, uint64_t now_ms);

/* The part that a rank does; CLAIMS_NONE: none. */
uint32_t claims_part(const struct claims *claims, uint32_t rank);

uint32_t claims_done(const struct claims *claims); /* so many parts are done */

/* The exit status with which the work has to end, because a part cannot be done; 0: none yet.
 * *part: which. */
int claims_failed(const struct claims *claims, uint32_t *part);

#endif
