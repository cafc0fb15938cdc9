/*
 * match/matcher.h - the one interface to every matching engine.
 *
 *   dictionary --match_open--> matcher with lanes
 *   segment bytes in a lane's buffer --match_submit--> (engine works) --match_collect--> sorted hits
 *
 * A lane carries one segment at a time. The caller fills the lane's buffer, submits it and goes on filling others; lanes
 * are collected in the order in which they were submitted. A CPU engine has a pool of threads behind it, a GPU engine
 * streams: callers cannot tell. No allocation happens after match_open, but for what `simd` makes once, when it first meets text that is
 * full of candidates, and what a thread of `auto` compiles that it may need later.
 *
 * A match is reported with the segment in which its last byte lies, so that one across a boundary is reported once and
 * no byte is read twice. (A regular expression, which has no fixed length, is reported with the segment that holds the
 * byte LIMIT_REGEX_MATCH_LEN - 1 after its first one, or with the last segment of the range, for then its longest match is
 * known.)
 *
 * Order: all hits of a segment, through every piece that match_collect hands out for it, ascend by (offset, pattern). Between
 * segments they interleave, for a match may begin in the carry: the next segment's begin at or behind its offset - carry_len,
 * so a hit before that place has all its forerunners.
 */
#ifndef BURIN_MATCH_MATCHER_H
#define BURIN_MATCH_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"
#include "match/dictionary.h"

struct match_matcher; /* owned by the caller of match_open; used by one thread at a time */

/*
 * How segments go to a device and their hits come back: A keeps as many there as there are lanes, or as fit, B two, one of them
 * searched while the other is written; auto chooses. The CPU's engines have no use for it.
 */
enum match_strategy { MATCH_STRATEGY_AUTO, MATCH_STRATEGY_A, MATCH_STRATEGY_B };

#define MATCH_DEVICES_ALL UINT32_MAX /* as many as there are */
enum { MATCH_DEVICES_MAX = 16 };     /* of one host */

struct device_provider;

struct match_options {
    const char *engine;   /* name from match/engines.def, or NULL / "auto" */
    uint32_t threads;     /* CPU threads, 1..LIMIT_THREADS */
    uint32_t lanes;       /* segments in flight, 1..LIMIT_LANES */
    uint32_t segment_len; /* bytes of the largest segment */
    uint32_t hits_max;    /* hits handed out by one call of match_collect; 0: a good default */
    enum match_strategy strategy;
    uint32_t device_mask; /* 1 << n: device n is among those that segments go round; 0: the first alone */
    bool devices_later;   /* the CPU searches until devices are ready; without, match_open waits for them, or fails */
    uint32_t patience;    /* with devices_later: milliseconds before they are started at all, for who ends sooner */
    uint64_t bytes;       /* of all segments together, from which follows how long is left; 0: not known */
    const struct device_provider *devices; /* NULL: those of the machine; tests have others */
    /*
     * Asked by all threads while they match, at least once for some ten KiB of slow work; true makes match_collect end with
     * ERR_INTERRUPTED soon. NULL: nothing stops them.
     */
    bool (*stop)(void);
};

struct match_segment {
    uint64_t offset;    /* image offset of the first fresh byte */
    uint32_t fresh_len; /* bytes at match_lane_bytes(); may be 0 only for an empty image */
    uint32_t carry_len; /* bytes just before them that were scanned with the segment before; 0 at the start of a range,
                            else min(match_carry(), bytes of the range so far) */
    bool ends_range;    /* the range ends with this segment */
};

struct match_hits {
    const struct hit *items; /* by offset, then pattern; valid until the next call for this lane */
    uint32_t count;
    bool more; /* this segment may have further hits: call match_collect again before any other lane */
};

/*
 * The dictionary must outlive the matcher. Errors: ERR_ARG for an engine that does not exist; ERR_ENV, also for one that cannot run here (says
 * why and names others).
 */
ERR_MUST_CHECK enum err_code match_open(const struct match_dictionary *dictionary, const struct match_options *options,
                                        struct match_matcher **out, struct err *err);
void match_close(struct match_matcher *matcher); /* waits for work in flight; NULL is a no-op */

const char *match_engine(
    const struct match_matcher *matcher); /* the engine that is at work: "ac"; `auto` may change it */
/* The same and why, one line: "engine simd for 60 patterns of 2 to 14 bytes: ..." */
void match_engine_why(const struct match_matcher *matcher, char *text, size_t size);
/* True, with a line for people, when something has gone wrong that need not end the scan: a device is lost. Each is told once. */
bool match_news(struct match_matcher *matcher, char *text, size_t size);
uint32_t match_lane_count(const struct match_matcher *matcher);
uint32_t match_carry(const struct match_matcher *matcher); /* bytes that may be written before match_lane_bytes() */

/* segment_len writable bytes, 4096-aligned, with at least match_carry() writable bytes in front of them. */
uint8_t *match_lane_bytes(struct match_matcher *matcher, uint32_t lane);

ERR_MUST_CHECK enum err_code match_submit(struct match_matcher *matcher, uint32_t lane,
                                          const struct match_segment *segment, struct err *err);

/*
 * Something else that is done with each segment, by the thread that has just searched it and has its
 * bytes in the cache of its processor; match_wait and match_collect wait for it, too. bytes are the
 * fresh ones. Given before the first segment.
 */
typedef void match_look(void *arg, uint32_t lane, const uint8_t *bytes, uint32_t len);
void match_set_look(struct match_matcher *matcher, match_look *look, void *arg);

/*
 * Scans a segment that was submitted and that no thread has taken, for a caller who has to wait for something else; false when there is
 * none.
 */
bool match_help(struct match_matcher *matcher);

/* Waits for the lane that was submitted first among those not yet collected; it must be `lane`. */
ERR_MUST_CHECK enum err_code match_collect(struct match_matcher *matcher, uint32_t lane, struct match_hits *out,
                                           struct err *err);

/* The table behind `burin info --engines`. */
struct match_engine_info {
    const char *name, *what; /* "ac", "Aho-Corasick automaton, interleaved streams" */
    const char *device;      /* "CPU", "CUDA" */
    const char *missing;     /* NULL: runs here; else why it does not */
};
uint32_t match_engine_count(void);
struct match_engine_info match_engine_get(uint32_t index);
/* The same by name, without starting a device's runtime to see whether it works; false when there is no such engine. */
bool match_engine_look(const char *name, struct match_engine_info *out);

/* The devices that engines run on besides the CPU. */
enum { MATCH_DEVICE_NAME_MAX = 64 };
struct match_device_info {
    char name[MATCH_DEVICE_NAME_MAX]; /* "NVIDIA H200" */
    uint64_t memory, memory_free;     /* bytes */
    uint32_t processors, version;     /* multiprocessors; compute capability, 90 for 9.0 */
};
const char *match_device_missing(void); /* NULL: there is one; else why there is none */
const char *match_device_absent(void);  /* the same by a quick look: NULL does not promise that one works */
uint32_t match_device_count(void);
ERR_MUST_CHECK enum err_code match_device_get(uint32_t index, struct match_device_info *out, struct err *err);

#endif
