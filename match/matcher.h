/* SPDX-License-Identifier: Apache-2.0
 * match/matcher.h - the one interface to every matching engine.
 *
 *   dictionary --match_open--> matcher with slots --match_share--> more of them, for other threads
 *   bytes, in a slot --match_submit--> (a device works) --match_collect--> sorted hits
 *
 * A matcher is for one thread. What an engine has compiled can be shared by the matchers of many
 * threads, each with slots of its own: see match_share.
 *
 * A slot carries one segment at a time. The caller fills the slot's buffer and submits the slot.
 * Slots are collected in the order in which they were submitted. A CPU engine searches in
 * match_collect, in the caller's thread; a GPU engine from match_submit on, beside the caller. The
 * calls are the same.
 *
 * Memory: match_open allocates everything, with three exceptions. `simd` and `words` allocate a
 * second set of tables when they first meet text that is full of candidates (`words` not for very
 * long lists); `auto` compiles
 * further engines in a thread of its own; and with devices_later, devices are opened in a thread of
 * their own.
 *
 * A match is reported with the segment in which its last byte lies. So a match across a boundary is
 * reported once, and no byte is read twice. (The match of a regular expression has no fixed length.
 * It is reported with the segment that holds the byte LIMIT_REGEX_MATCH_LEN - 1 bytes after its
 * first byte, or with the last segment of the range: there its longest match is known.)
 *
 * Order: all hits of a segment, through all pieces that match_collect hands out for it, ascend by
 * (offset, pattern). Hits of neighbouring segments interleave, because a match may begin in the
 * carry. No hit of the next segment begins before that segment's (offset - carry_len); so all hits
 * before that place have been handed out when the segment before it has been collected.
 *
 * Threads: one thread at a time uses a matcher. options->stop is called by whoever searches. The
 * functions about engines and devices at the end of this file need no matcher.
 */
#ifndef BURIN_MATCH_MATCHER_H
#define BURIN_MATCH_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hit.h"
#include "match/dictionary.h"

struct match_matcher; /* owned by the caller of match_open */

/*
 * How many segments are on a device at a time. With A, there are as many as there are slots, or as
 * many as fit into the device's memory. With B, there are two: one is searched while the other is
 * written. AUTO lets the engine choose. CPU engines ignore the strategy.
 */
enum match_strategy { MATCH_STRATEGY_AUTO, MATCH_STRATEGY_A, MATCH_STRATEGY_B };

#define MATCH_DEVICES_ALL UINT32_MAX /* a device_mask: all devices of the host */
enum { MATCH_DEVICES_MAX = 16 };     /* most devices of one host that are used */

struct device_provider;

struct match_options {
    const char *engine;   /* name from match/engines.def, or NULL / "auto" */
    uint32_t threads;     /* that search at a time, with shared matchers; 1..LIMIT_THREADS */
    uint32_t slots;       /* segments in flight, 1..LIMIT_SLOTS */
    uint32_t segment_len; /* bytes of the largest segment */
    /* Most hits that one call of match_collect hands out; 0: a good default */
    uint32_t hits_max;
    enum match_strategy strategy;
    /* Bit n: device n gets segments, in turn with the others; 0: device 0 only */
    uint32_t device_mask;
    /*
     * True: the CPU searches until the devices are ready. False: match_open waits for the devices,
     * and fails when none can be used.
     */
    bool devices_later;
    /*
     * With devices_later: devices are started only where they make the search end earlier, as far
     * as its beginning tells. Where they do not, that is no warning.
     */
    bool devices_auto;
    /*
     * With devices_later: milliseconds of searching before devices are started. They are started
     * later still, or never, when the search would end soon without them: see match_expect.
     */
    uint32_t device_delay;
    const struct device_provider *devices; /* NULL: the machine's devices; tests give others */
    /*
     * Asked by all threads while they match, at least once for some ten KiB of slow work. When it
     * returns true, match_collect soon returns ERR_INTERRUPTED. NULL: nothing stops the search.
     */
    bool (*stop)(void);
};

struct match_segment {
    uint64_t offset; /* image offset of the first fresh byte */
    /* Fresh bytes, which begin at match_slot_bytes(); 0 only for an empty image */
    uint32_t fresh_len;
    /*
     * Bytes just before the fresh ones that were scanned with the segment before. The caller gives
     * 0 at the start of a range, else min(match_carry(), bytes of the range so far).
     */
    uint32_t carry_len;
    bool ends_range; /* the range ends with this segment */
};

struct match_hits {
    const struct hit *items; /* [count], ascending; see match_collect */
    uint32_t count;
    bool more; /* the segment may have further hits: collect this slot again before any other */
};

/*
 * Compiles the dictionary and allocates the slots.
 *
 * Ownership  *out is the caller's, to be given to match_close. The dictionary must outlive it;
 *            options are copied.
 * Threads    Any thread may call it; the one that uses the matcher may be another one. An engine
 *            with a device is opened by the thread that uses the matcher.
 * Errors     ERR_ARG  no engine has this name.
 *            ERR_ENV  no memory, no threads, or the engine cannot run here; the text says why and
 *                     names engines that can.
 */
ERR_MUST_CHECK enum err_code match_open(const struct match_dictionary *dictionary,
                                        const struct match_options *options,
                                        struct match_matcher **out, struct err *err);

/* What match_open will take beside slots, for people and for who has to see that it is there. */
struct match_needs {
    const char *engine; /* static text; of `auto` the one that it begins with */
    uint64_t bytes;     /* about so many of memory; 0: nothing is known of the engine */
};
void match_needs(const struct match_dictionary *dictionary, const char *engine,
                 struct match_needs *out);

/*
 * A matcher for another thread, with `slots` slots of its own. It searches with what `of` has
 * compiled.
 *
 * Ownership  *out is the caller's, to be given to match_close before `of` is.
 * Threads    Any thread may call it while others search with `of`, or with what shares it.
 * Errors     ERR_ARG  match_can_share is false.
 *            ERR_ENV  no memory.
 */
ERR_MUST_CHECK enum err_code match_share(const struct match_matcher *of, uint32_t slots,
                                         struct match_matcher **out, struct err *err);

/* False for an engine that has threads of its own. */
bool match_can_share(const struct match_matcher *matcher);

/*
 * Says how many bytes there are to search in all, by this matcher and those that share it, to tell
 * how long that takes: devices_later goes by it. 0, and before it is called: not known. Any thread
 * may call it.
 */
void match_expect(struct match_matcher *matcher, uint64_t bytes);

/* Whether a device searches beside this thread now, so that several slots are worth submitting. */
bool match_beside(const struct match_matcher *matcher);

/* Frees the slots; NULL is a no-op. Work in flight on a device is finished first. */
void match_close(struct match_matcher *matcher);

/* The name of the engine at work, "ac"; static text. `auto` may change it. */
const char *match_engine(const struct match_matcher *matcher);

/*
 * Writes one line for people, of at most size bytes with its NUL: "engine simd for 60 patterns of 2
 * to 14 bytes: ..."
 */
void match_engine_why(const struct match_matcher *matcher, char *text, size_t size);

/*
 * True, with a line for people in text (size bytes with its NUL), when something has gone wrong
 * that does not end the scan: a device was lost. Each fault is reported by one call only.
 */
bool match_warning(struct match_matcher *matcher, char *text, size_t size);

/* The number of slots: options->slots. Slots are numbered from 0. */
uint32_t match_slot_count(const struct match_matcher *matcher);

/* Most bytes in front of match_slot_bytes() that may be written: see match_dictionary_carry. */
uint32_t match_carry(const struct match_matcher *matcher);

/*
 * The slot's buffer: segment_len writable bytes, 4096-aligned, with at least match_carry() writable
 * bytes in front of them.
 *
 * Ownership  The matcher's. The caller may write to it while the slot is not in flight. Its address
 *            never changes.
 */
uint8_t *match_slot_bytes(struct match_matcher *matcher, uint32_t slot);

/*
 * Hands the slot, whose buffer holds the segment, to the engine; a device begins to search it.
 *
 * slot       One that is not in flight.
 * Ownership  The buffer is the matcher's until the slot's last piece has been collected. segment is
 *            copied.
 * Errors     None; match_collect has those of the slot.
 */
void match_submit(struct match_matcher *matcher, uint32_t slot,
                  const struct match_segment *segment);

/*
 * Searches the slot, or waits until a device has, and hands out its hits.
 *
 * slot       The oldest one that has not been collected; again and again while out->more.
 * Ownership  out->items is the matcher's, and valid until the slot is collected or submitted again.
 * Errors     ERR_INTERRUPTED  options->stop returned true.
 *            others           what the search returned. The slot counts as collected.
 */
ERR_MUST_CHECK enum err_code match_collect(struct match_matcher *matcher, uint32_t slot,
                                           struct match_hits *out, struct err *err);

/* Waits for all slots in flight and drops their hits: they count as collected. */
void match_drain(struct match_matcher *matcher);

/* The table behind `burin info --engines`. */
struct match_engine_info {
    const char *name, *what; /* "ac", "Aho-Corasick automaton, interleaved streams" */
    const char *device;      /* "CPU", "CUDA" */
    const char *missing;     /* NULL: it runs here; else the reason why not */
    bool threads_itself;     /* it searches one segment with several threads */
    bool is_paper;           /* it reproduces a published paper, and is taken by name alone */
};
uint32_t match_engine_count(void);
struct match_engine_info match_engine_get(uint32_t index);
/*
 * Looks an engine up by name. It does not start the runtime of a device, so missing may be NULL for
 * a device that does not work. Returns false when no engine has the name.
 */
bool match_engine_look(const char *name, struct match_engine_info *out);

/* The name of the engine that is taken when devices are named and no engine is. */
const char *match_device_engine(void);

/* The devices that engines run on besides the CPU. */
enum { MATCH_DEVICE_NAME_MAX = 64 };
struct match_device_info {
    char name[MATCH_DEVICE_NAME_MAX]; /* "NVIDIA H200" */
    uint64_t memory, memory_free;     /* bytes */
    uint32_t processors, version;     /* multiprocessors; compute capability, 90 for 9.0 */
};
/* NULL: a device works here; else the reason why none does */
const char *match_device_missing(void);
/* The same by a quick look: NULL does not promise that a device works. */
const char *match_device_absent(void);
uint32_t match_device_count(void);
ERR_MUST_CHECK enum err_code match_device_get(uint32_t index, struct match_device_info *out,
                                              struct err *err);

#endif
