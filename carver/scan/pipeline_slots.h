/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pipeline_slots.h - how many threads scan, and how many segments each has in memory.
 */
#ifndef BURIN_CARVER_SCAN_PIPELINE_SLOTS_H
#define BURIN_CARVER_SCAN_PIPELINE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The number of threads that scan, of `threads` that may: fewer where the fewest segments of each
 * would not fit into LIMIT_SEGMENT_MEMORY together. At least 1.
 */
uint32_t pipeline_threads(uint32_t threads, uint32_t segment_len);

/*
 * The number of segments of one thread: those that are read ahead and, with validators, those that
 * they read from memory; within the thread's share of LIMIT_SEGMENT_MEMORY. At least 3.
 */
uint32_t pipeline_slots(uint32_t threads, uint32_t segment_len, bool validators);

#endif
