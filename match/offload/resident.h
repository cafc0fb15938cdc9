/* SPDX-License-Identifier: Apache-2.0
 * match/offload/resident.h - a text in a device's memory; for the files that make it (resident.c)
 * and that search it (lab_time.c).
 */
#ifndef BURIN_MATCH_OFFLOAD_RESIDENT_H
#define BURIN_MATCH_OFFLOAD_RESIDENT_H

#include "match/device/device.h"
#include "match/lab.h"

enum {
    RESIDENT_AROUND = 256
}; /* bytes of device memory before and behind a text, which are read */

struct match_resident {
    struct device *device;
    struct device_stream *stream;
    struct device_event *begin, *end;
    const uint8_t *bytes; /* the caller's */
    void *pinned;         /* the same, once it is */
    uint64_t len;
    void *memory; /* on the device: RESIDENT_AROUND, text, RESIDENT_AROUND */
    uint8_t *text;
    void *sum; /* on the device: for the kernel that reads */
};

/* Bytes to work on: len of them, or all there are. */
uint64_t resident_len(const struct match_resident *resident, uint64_t len);

/* The work of one run, between two events. */
ERR_MUST_CHECK enum err_code resident_time(struct match_resident *resident,
                                           enum err_code (*work)(void *arg, struct err *err),
                                           void *arg, double *seconds, struct err *err);

#endif
