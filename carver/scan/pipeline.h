/*
 * carver/scan/pipeline.h - one image through reader, matcher and planner into the case file.
 */
#ifndef BURIN_CARVER_SCAN_PIPELINE_H
#define BURIN_CARVER_SCAN_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/record.h"
#include "carver/known/known_scan.h"
#include "carver/plan/plan.h"
#include "carver/scan/pipeline_matcher.h"
#include "io/image.h"
#include "io/reader.h"
#include "match/matcher.h"

enum { PIPELINE_NAME_MAX = 128, PIPELINE_WHY_MAX = 2048 };

struct pipeline_options {
    const struct io_range *ranges; /* ascending, not touching each other; at least one */
    uint32_t range_count;
    const char *io;     /* backend of the reader, or NULL */
    const char *engine; /* or NULL */
    enum match_strategy strategy;
    uint32_t device_mask; /* as in match_options */
    uint32_t patience;    /* milliseconds before devices are started; 0: they are waited for */
    uint32_t threads;     /* of the matcher */
    uint32_t segment_len; /* bytes, a power of two */
    struct plan_options plan;
    struct pipeline_matcher *early; /* opened with pipeline_match_options, or NULL; the first run takes its matcher */
    const struct known_scan *known; /* sets whose blocks are looked for, or NULL */
    bool known_on_device;           /* by the first device of device_mask */
    /* Called after each segment, in the caller's thread; true asks for a clean stop. */
    bool (*tick)(void *arg, uint64_t bytes_done, const struct record *record);
    /* Called when something has gone wrong that need not end the scan, with a line for people; or NULL. */
    void (*news)(void *arg, const char *line);
    void *tick_arg; /* of both */
};

struct pipeline_totals {
    uint64_t bytes; /* read and matched */
    struct record_totals recorded;
    uint64_t reread; /* bytes that checkers read a second time */
    struct plan_totals plan;
    struct known_totals known;
    char reader[PIPELINE_NAME_MAX], engine[PIPELINE_NAME_MAX]; /* the engine that was at work at the end */
    char engine_why[PIPELINE_WHY_MAX];                         /* a line for the log */
};

/*
 * What the pipeline opens its matcher with. It goes by engine, threads, segment_len and plan.hits_only, and what has to do with devices
 * besides: strategy, device_mask, patience, ranges.
 */
struct match_options pipeline_match_options(const struct pipeline_options *options);

/*
 * Segments in flight for these threads and this segment size: as many as keep all busy within LIMIT_SEGMENT_MEMORY, and as checkers look
 * back on, if there are any.
 */
uint32_t pipeline_lanes(uint32_t threads, uint32_t segment_len, bool checkers);

/*
 * Errors: ERR_INTERRUPTED when tick asked for a stop. Whatever happens, all that was found before it is committed if the case
 * file still takes it.
 */
ERR_MUST_CHECK enum err_code pipeline_run(struct io_image *image, const struct pipeline_options *options,
                                          struct record *record, struct pipeline_totals *totals, struct err *err);

#endif
