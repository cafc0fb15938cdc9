/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_runs.h - blocks that a set knows become rows of the case file: those that
 * follow each other in the image and in their file are one row.
 *
 * Threads: one thread uses it.
 */
#ifndef BURIN_CARVER_KNOWN_KNOWN_RUNS_H
#define BURIN_CARVER_KNOWN_KNOWN_RUNS_H

#include "base/pack.h"
#include "carver/case/record.h"
#include "carver/known/known_blocks.h"

/* Blocks of the image that follow each other and are in a set. */
struct known_run {
    struct known_block first;
    uint64_t len;        /* bytes; 0: none */
    uint64_t next_block; /* number that the next one has in its file */
    bool grown;          /* since it was written */
};

struct known_runs {
    const struct known_scan *scan; /* the caller's */
    struct known_totals *totals;   /* likewise */
    struct known_run runs[KNOWN_SETS_MAX];
};

/* Records the blocks of the next part of the image, as far as they end at image offset `to` at the
 * latest. */
ERR_MUST_CHECK enum err_code known_runs_add(struct known_runs *runs,
                                            const struct known_block_list *list, uint64_t to,
                                            struct record *record, struct err *err);

/*
 * Writes down the runs that may go on, and the totals; and, into zeroed ones of the same sets,
 * brings them back. What is wrong with the bytes is in in->failed.
 */
void known_runs_save(const struct known_runs *runs, struct pack *out);
void known_runs_restore(struct known_runs *runs, struct unpack *in);

#endif
