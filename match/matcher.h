/*
 * match/matcher.h - the one interface to every matching engine.
 *
 *   dictionary --match_open--> matcher with slots
 *   a source of bytes, in a slot --match_submit--> (engine works) --match_collect--> sorted hits
 *
 * A slot carries one segment at a time. The caller fills the slot's buffer, or names a function
 * that does, submits the slot and goes on with others. Slots are collected in the order in which
 * they were submitted. A CPU engine works with a pool of threads, a GPU engine with streams; the
 * calls are the same.
 *
 * Memory: match_open allocates everything, with three exceptions. `simd` and `words` allocate a
 * second set of tables when they first meet text that is full of candidates; `auto` compiles
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
 * Threads: one thread at a time uses a matcher; below it is the caller. The matcher has a pool of
 * threads, which search. On them it calls three functions of the caller's: options->stop, the look
 * of match_set_look, and the read of a source (see match_submit). The functions about engines and
 * devices at the end of this file need no matcher.
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
    uint32_t threads;     /* CPU threads, 1..LIMIT_THREADS */
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
     * With devices_later: milliseconds of searching before devices are started. They are started
     * later still, or never, when the search would end soon without them.
     */
    uint32_t device_delay;
    /* Bytes of all segments together, to tell how long the search lasts; 0: not known */
    uint64_t bytes;
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

/*
 * Fills the buffer of a slot, and sets *segment to what the buffer holds.
 *
 * Errors   Any. The slot then holds no bytes, and match_collect returns the error.
 * Threads  Called by a thread of the pool, or by the caller's inside match_collect, match_help and
 *          match_drain; by one at a time, in the order in which the slots were submitted. It must
 *          not use the matcher but for match_slot_bytes and match_carry.
 */
typedef enum err_code match_read(void *arg, uint32_t slot, struct match_segment *segment,
                                 struct err *err);

/*
 * Where a segment comes from: bytes that are there, or a function that reads them.
 *
 * The bytes that a thread has just read lie in the cache of its own processor. Another processor
 * that fetches them from that cache can be half as fast as one that fetches them from memory. So
 * where one processor reads about as fast as it matches, it is best that each thread reads the
 * segment that it then matches. Where there are more, a reader with a thread of its own is faster.
 */
struct match_source {
    match_read *read;             /* NULL: the bytes are in the slot's buffer */
    void *arg;                    /* of read; it must stay until the slot has been collected */
    struct match_segment segment; /* without read: what the buffer holds */
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

/*
 * Ends the threads and frees the slots; NULL is a no-op. Work in flight is finished first, and
 * slots that were submitted with a read are read: match_drain says when that is over.
 */
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

/*
 * Most bytes in front of match_slot_bytes() that may be written: see match_dictionary_carry.
 * Threads: also a match_read.
 */
uint32_t match_carry(const struct match_matcher *matcher);

/*
 * The slot's buffer: segment_len writable bytes, 4096-aligned, with at least match_carry() writable
 * bytes in front of them.
 *
 * Ownership  The matcher's. The caller may write to it while the slot is not in flight, a
 *            match_read while it reads that slot. Its address never changes.
 * Threads    Also a match_read.
 */
uint8_t *match_slot_bytes(struct match_matcher *matcher, uint32_t slot);

/*
 * Whether sources may be functions. False for an engine that has a device or threads of its own,
 * and for a pool of one thread.
 */
bool match_can_read(const struct match_matcher *matcher);

/*
 * Hands the slot to the engine, and returns at once.
 *
 *   source->read NULL   The bytes are in the buffer. The threads of the pool search; the caller's
 *                       searches only in match_help, match_collect and match_drain, and there only
 *                       what no thread has taken.
 *   source->read given  Needs match_can_read. A thread of the pool calls read and then searches
 *                       what it has read; the next thread begins to read as soon as read has
 *                       returned. From the first such slot on, the caller takes the place of one of
 *                       the threads, in match_collect, match_help and match_drain. All sources of a
 *                       matcher then have a read.
 *
 * slot       One that is not in flight.
 * Ownership  The buffer is the matcher's until the slot's last piece has been collected. source is
 *            copied.
 * Errors     None; match_collect has those of the slot.
 */
void match_submit(struct match_matcher *matcher, uint32_t slot, const struct match_source *source);

/*
 * A function that is called with the fresh bytes of each segment after its search; len: bytes.
 *
 * Threads  The thread that has searched the segment calls it, because that thread's processor has
 *          the bytes in its cache: several at a time, one for a slot. match_collect and match_drain
 *          wait for it too.
 */
typedef void match_look(void *arg, uint32_t slot, const uint8_t *bytes, uint32_t len);

/* Sets it, before the first segment is submitted. arg must outlive the matcher's work. */
void match_set_look(struct match_matcher *matcher, match_look *look, void *arg);

/*
 * Runs one submitted slot that no thread has taken yet, in the calling thread. A caller uses it
 * while it has to wait for something else. Returns false when there is no such slot, when as many
 * run as there are threads, and for an engine that has a device or threads of its own.
 */
bool match_help(struct match_matcher *matcher);

/*
 * Waits until the slot has been searched, and hands out its hits. The calling thread runs slots
 * that no thread has taken meanwhile (see match_submit).
 *
 * slot       The oldest one that has not been collected; again and again while out->more.
 * Ownership  out->items is the matcher's, and valid until the slot is collected or submitted again.
 * Errors     ERR_INTERRUPTED  options->stop returned true.
 *            others           what the source's read or the search returned. The slot counts as
 *                             collected.
 */
ERR_MUST_CHECK enum err_code match_collect(struct match_matcher *matcher, uint32_t slot,
                                           struct match_hits *out, struct err *err);

/*
 * Waits for all slots in flight and drops their hits: they count as collected. No read and no look
 * is called any more when it returns, so what they use may be closed.
 */
void match_drain(struct match_matcher *matcher);

/* The table behind `burin info --engines`. */
struct match_engine_info {
    const char *name, *what; /* "ac", "Aho-Corasick automaton, interleaved streams" */
    const char *device;      /* "CPU", "CUDA" */
    const char *missing;     /* NULL: it runs here; else the reason why not */
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
