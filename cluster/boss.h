/* SPDX-License-Identifier: Apache-2.0
 * cluster/boss.h - what rank 0 knows of all ranks, and tells a person.
 */
#ifndef BURIN_CLUSTER_BOSS_H
#define BURIN_CLUSTER_BOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/child.h"
#include "cluster/claims.h"
#include "cluster/options.h"

struct boss_rank {
    bool bye;          /* it has stopped */
    uint64_t position; /* bytes of its part that it has gone over */
    uint64_t heard_ms; /* when it was last heard of */
};

/* Zeroed is none. */
struct boss {
    const struct options *options;
    uint32_t count; /* parts */
    uint32_t rank_count;
    struct claims *claims;   /* owned, as is the next */
    struct boss_rank *ranks; /* [rank_count] */
    uint64_t bytes;          /* of the parts that were done */
    uint64_t since_ms, drawn_ms;
    bool terminal;
    struct child merge; /* that follows the parts; or none */
    int merged;         /* its status, once it has ended */
    bool bad;           /* some bytes could not be read */
};

/*
 * Finds out what there is to do: the parts that the folder has, or how many there are to be.
 * Begins the merge that follows, if one is wanted. hosts[rank_count]. Returns 0 or an exit status,
 * with words for it said. Release it in any case.
 */
int boss_open(struct boss *boss, const struct options *options, uint32_t rank_count,
              const uint32_t *hosts, uint64_t now_ms);
void boss_close(struct boss *boss);

/* The rank's part has ended; returns what claims_end returns. */
uint32_t boss_end(struct boss *boss, uint32_t rank, int status, uint64_t now_ms);

void boss_heard(struct boss *boss, uint32_t rank, uint64_t position, uint64_t now_ms);

/* Tells how far the work is: on a terminal a line that is drawn again each second, elsewhere one
 * every 30 seconds. */
void boss_draw(struct boss *boss, uint64_t now_ms);

/* Whether nothing is left to do. *status: 0, or why no more is tried. */
bool boss_over(struct boss *boss, int *status);

/* The last line, unless quiet; after it, merges, if a case file is wanted. Returns the exit status.
 */
int boss_finish(struct boss *boss, int status, uint64_t now_ms);

#endif
