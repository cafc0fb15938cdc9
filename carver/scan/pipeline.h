/*
 * carver/scan/pipeline.h - takes one image through reader, matcher and planner into the case file.
 *
 * Threads: the thread that calls pipeline_run runs the planner and writes the case file; reader and
 * matcher have threads of their own.
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
    const char *io;     /* backend of the reader; NULL: the best one */
    const char *engine; /* engine of the matcher; NULL: "auto" */
    enum match_strategy strategy;
    uint32_t device_mask; /* as in match_options */
    /* Milliseconds before devices are started; 0: the scan waits for devices */
    uint32_t patience;
    uint32_t threads;     /* threads of the matcher */
    uint32_t segment_len; /* bytes, a power of two */
    struct plan_options plan;
    /* A matcher that was opened with pipeline_match_options; the first run takes it. Or NULL. */
    struct pipeline_matcher *early;
    const struct known_scan *known; /* sets whose blocks are looked for, or NULL */
    bool known_on_device;           /* the first device of device_mask hashes the blocks */
    /* Called after each segment, in the caller's thread; true asks for a clean stop. */
    bool (*tick)(void *arg, uint64_t bytes_done, const struct record *record);
    /*
     * Called with a line for people when something has failed that does not end the scan. Or NULL.
     */
    void (*news)(void *arg, const char *line);
    void *tick_arg; /* the argument of tick and news */
};

struct pipeline_totals {
    uint64_t bytes; /* bytes that were read and matched */
    struct record_totals recorded;
    uint64_t reread; /* bytes that checkers read from the image again */
    struct plan_totals plan;
    struct known_totals known;
    /* The backend; the engine at work at the end */
    char reader[PIPELINE_NAME_MAX], engine[PIPELINE_NAME_MAX];
    /* A line for the log: match_engine_why */
    char engine_why[PIPELINE_WHY_MAX];
};

/*
 * The options with which the pipeline opens its matcher. They follow from engine, threads,
 * segment_len and plan.hits_only; for engines with devices also from strategy, device_mask,
 * patience and ranges.
 */
struct match_options pipeline_match_options(const struct pipeline_options *options);

/*
 * The number of segments in flight for these threads and segments of segment_len bytes: enough to
 * keep all threads busy and, with checkers, enough for them to read from memory, within
 * LIMIT_SEGMENT_MEMORY.
 */
uint32_t pipeline_lanes(uint32_t threads, uint32_t segment_len, bool checkers);

/*
 * Scans the image. record and totals are the caller's. Errors: ERR_INTERRUPTED when tick asked for
 * a stop; those of reader, matcher, planner and case file. After every error, what was found before
 * it is committed if the case file still accepts writes.
 */
ERR_MUST_CHECK enum err_code pipeline_run(struct io_image *image,
                                          const struct pipeline_options *options,
                                          struct record *record, struct pipeline_totals *totals,
                                          struct err *err);

#endif
