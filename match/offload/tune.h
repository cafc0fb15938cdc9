/* SPDX-License-Identifier: Apache-2.0
 * match/offload/tune.h - the fastest launch of an engine's kernel for a dictionary on a device,
 * remembered between runs.
 *
 * Tran, Lee, Hong and Bae, "Performance Optimization of Aho-Corasick Algorithm on a GPU", section
 * VI.E, search for the number of threads of a block and the bytes of a thread by trying. So does
 * tune_search.h; what it finds is kept in a file of the user's cache, one for each engine, device
 * and dictionary. A file that is not there, or not as it was written, is no more than a kernel in
 * its usual launch.
 */
#ifndef BURIN_MATCH_OFFLOAD_TUNE_H
#define BURIN_MATCH_OFFLOAD_TUNE_H

#include <stdbool.h>

#include "match/device/device.h"
#include "match/dictionary.h"
#include "match/launch.h"

struct tune_key {
    const char *engine;
    const struct device_info *device;
    uint64_t dictionary; /* tune_digest */
};

/* Another dictionary has another digest, as far as 64 bits go. */
uint64_t tune_digest(const struct match_dictionary *dictionary);

/* The launch that was remembered, if it is one of those; else false. */
bool tune_recall(const struct tune_key *key, const struct match_launch *launches, uint32_t count,
                 struct match_launch *out);

/* Tries to; a cache that cannot be written is none. Returns whether it could. */
bool tune_remember(const struct tune_key *key, struct match_launch launch);

#endif
