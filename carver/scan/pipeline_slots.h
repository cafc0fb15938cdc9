/* carver/scan/pipeline_slots.h - how many segments a scan has in memory. */
#ifndef BURIN_CARVER_SCAN_PIPELINE_SLOTS_H
#define BURIN_CARVER_SCAN_PIPELINE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The number of segments in flight for these threads and segments of segment_len bytes: enough to
 * keep all threads busy and, with validators, enough for them to read from memory, within
 * LIMIT_SEGMENT_MEMORY. At least 3.
 */
uint32_t pipeline_slots(uint32_t threads, uint32_t segment_len, bool validators);

/*
 * How many of these slots hold segments behind the front that have been collected: as many as
 * validators can use, but not the two that are read into and matched.
 */
uint32_t pipeline_slots_kept(uint32_t slots, uint32_t segment_len, bool validators);

#endif
