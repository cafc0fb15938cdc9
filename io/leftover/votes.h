/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/votes.h - where the clusters of a file system begin, when nothing says so.
 *
 * Clusters that files begin at, and places where headers of files lie, vote: each pair of both
 * stands for one place of cluster 0. The right one has many pairs, all others have few. So does
 * the right size of a cluster.
 */
#ifndef BURIN_IO_LEFTOVER_VOTES_H
#define BURIN_IO_LEFTOVER_VOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum {
    VOTES_FIRSTS = 64,             /* clusters that vote, of all that there are */
    VOTES_STARTS = 1 << 16,        /* headers that vote */
    VOTES_BITS = 20,               /* the table stays in the second cache */
    VOTES_TABLE = 1 << VOTES_BITS, /* counters of 2 bytes, at most */
    VOTES_BITS_LEAST = 10,
    VOTES_PLACES = 16, /* best places that are counted with all clusters there are */
    VOTES_LEAST = 8,   /* pairs that a place needs, an eighth of all that could be, */
    VOTES_MARGIN = 2,  /* and so many times those of the last of the best places */
};

/* What clusters of one size are asked. */
struct votes_poll {
    const uint64_t *firsts; /* [count]: numbers of clusters */
    const uint64_t *starts; /* [start_count]: image offsets, ascending */
    uint64_t start_count;
    uint32_t count;
    uint32_t unit; /* bytes of a cluster, a number of sectors */
    /*
     * For how many of the firsts a start lies where it must; 0: no place is right, or two are
     * equally so. Files that are laid side by side make neighbours of the right place nearly as
     * good.
     */
    uint32_t hits;
    uint64_t at; /* where there are hits: image offset of cluster 0 */
};

/*
 * Counts the votes of each poll, by so many threads, the caller's among them. Memory: 3 MiB for
 * each of up to 4 threads; of more of them 9 MiB a poll, and 105 MiB for all. Errors: ERR_ENV, no
 * memory.
 */
ERR_MUST_CHECK enum err_code votes_all(struct votes_poll *polls, uint32_t poll_count,
                                       uint32_t threads, struct err *err);

#endif
