/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_device.h - one of the devices behind an engine: the device, opened, and the
 * engine's tables on it. All matchers of the engine use it; each has a queue of its own to it.
 *
 * Threads: once it is open it does not change, but for offload_device_tune.
 */
#ifndef BURIN_MATCH_OFFLOAD_OFFLOAD_DEVICE_H
#define BURIN_MATCH_OFFLOAD_OFFLOAD_DEVICE_H

#include "match/ac/ac.h"
#include "match/offload/offload.h"
#include "match/offload/ring.h"
#include "match/offload/tables_load.h"

/* The same for all devices; immutable once made. */
struct offload_source {
    const struct offload_form *form;
    const struct match_dictionary *dictionary;
    uint32_t longest; /* literal, bytes */
    struct ac *ac;    /* NULL: the form searches without it */
    void *extra;      /* the form's, on the host */
    size_t extra_size;
    struct match_setup setup;
};

struct offload_device {
    const struct offload_source *source;
    struct device *device;
    struct tables_load load;
    struct offload_extra extra;
    struct ring_search search;
    struct match_launch launch; /* that tuning has found; zeros: the usual one */
};

/* Puts the engine's tables on out->device, which the caller has opened. When that fails, the device
 * is closed and all is NULL. out stays where it is until it is closed. */
ERR_MUST_CHECK enum err_code offload_device_load(struct offload_device *out,
                                                 const struct offload_source *source,
                                                 struct err *err);
void offload_device_close(struct offload_device *device); /* also of what is all NULL */

ERR_MUST_CHECK enum err_code offload_device_time(const struct offload_device *device,
                                                 struct match_timing *timing, struct err *err);

/* Not while segments are under way. */
ERR_MUST_CHECK enum err_code offload_device_tune(struct offload_device *device,
                                                 struct match_timing *timing,
                                                 struct match_launch *best, struct err *err);

#endif
