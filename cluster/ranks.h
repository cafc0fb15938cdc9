/* SPDX-License-Identifier: Apache-2.0
 * cluster/ranks.h - the work of a rank: it does the parts that rank 0 gives it, one after the
 * other, with burin scan --part. Rank 0 does so too, gives them out, and merges.
 *
 *   rank 0 ──GIVE part──► rank ──END part, status──► rank 0
 *          ──DROP part──►        another one has done it
 *          ──STOP──►             ──BYE──►
 *          ──LEAVE──►            the case file is made
 *
 * All messages have 16 bytes. Nobody waits in MPI, which would keep a processor busy: messages are
 * looked for a hundred times a second.
 */
#ifndef BURIN_CLUSTER_RANKS_H
#define BURIN_CLUSTER_RANKS_H

#include "base/err.h"
#include "cluster/options.h"

/*
 * MPI has been initialized. *leaves: all ranks are there, and MPI can be finalized; else MPI_Abort
 * has to end them. Returns the exit status; of rank 0 that of the whole work.
 */
int ranks_work(const struct options *options, bool *leaves);

#endif
