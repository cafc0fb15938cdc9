/*
 * match/offload/offload_device.h - one of the devices behind an engine: its tables, its ring of
 * segments, its choice of a strategy.
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
    struct ac *ac;
    void *extra; /* the form's, on the host */
    size_t extra_size;
    struct match_setup setup;
};

struct offload_device {
    const struct offload_source *source;
    struct device *device;
    struct tables_load load;
    struct offload_extra extra;
    struct ring_search search;
    struct ring *ring;
    bool chosen;                /* auto has */
    struct match_launch launch; /* that tuning has found; zeros: the usual one */
};

/* Leaves all NULL when it fails. The device may be waited for a while: a runtime that starts takes
 * its time. */
ERR_MUST_CHECK enum err_code offload_device_open(struct offload_device *out,
                                                 const struct offload_source *source,
                                                 const struct device_provider *provider,
                                                 uint32_t index, struct err *err);
void offload_device_close(struct offload_device *device); /* also of what is all NULL */

/* As the calls of match_offload; ERR_ENV when the device is lost. */
void offload_device_start(struct offload_device *device, uint32_t slot,
                          const struct match_text *text, uint32_t from);

ERR_MUST_CHECK enum err_code offload_device_time(const struct offload_device *device,
                                                 struct match_timing *timing, struct err *err);

/* Not while segments are under way. */
ERR_MUST_CHECK enum err_code offload_device_tune(struct offload_device *device,
                                                 struct match_timing *timing,
                                                 struct match_launch *best, struct err *err);

struct match_transfer offload_device_transfer(const struct offload_device *device);

/* A line for people: times, strategy, prediction. */
void offload_device_say(const struct offload_device *device, char *text, size_t size);

#endif
