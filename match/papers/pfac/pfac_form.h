/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_form.h - every form of the engines `pfac`, also those that are of use for
 * comparing alone: `burin bench pfac`. */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_FORM_H
#define BURIN_MATCH_PAPERS_PFAC_PFAC_FORM_H

#include "match/engine.h"
#include "match/papers/pfac/pfac_table.h"

/*
 * How walks are dealt out. PFAC_EACH: a thread takes a byte and walks, as in the paper; a warp
 * waits for the longest of its 32 walks. PFAC_QUEUED: a sieve looks at every byte, those that it
 * lets through are queued for each block, and a thread whose walk has ended takes the next.
 */
enum pfac_walks { PFAC_EACH, PFAC_QUEUED, PFAC_WALKS };

/*
 * longest: of the matches that begin at a place only those of the greatest length are reported, as
 * PFAC's library does. That is more than an engine may leave out, so these forms are in no table;
 * they are to be asked for whole texts, and for patterns without masks: ERR_ARG for others.
 */
const struct match_engine *match_pfac_form(enum pfac_kind kind, enum pfac_walks walks,
                                           bool longest);

#endif
