/* SPDX-License-Identifier: Apache-2.0
 * match/offload/ring.h - takes segments through a device: each is written to the device, searched
 * there, and its hits are read back.
 *
 * A slot is a pinned buffer on the host. A buffer is a set of buffers on the device. Segments use
 * the buffers in turn. A segment has three steps (write, search, read), and a step begins as soon
 * as what it needs is done. With a buffer for every segment, this is strategy A of Zha and Sahni
 * (section 4.1, Figure 4; one stream for each segment). With fewer buffers, the buffers form a
 * ring. With in_turns and two buffers, it is their strategy B (Figure 5): a segment is searched
 * when the next one is started, and every turn ends with a wait for all its steps.
 *
 * When the device fails, the scan goes on: ring_take then returns the reason as an error for every
 * segment.
 */
#ifndef BURIN_MATCH_OFFLOAD_RING_H
#define BURIN_MATCH_OFFLOAD_RING_H

#include "match/device/device.h"
#include "match/engine.h"
#include "match/kernel/view.h"

/* How an engine searches a text on the device. */
struct ring_search {
    void *arg;
    /* Enqueues the search of a view. The ring has enqueued the zeroing of view->found before. */
    enum err_code (*enqueue)(void *arg, struct device_stream *stream, const struct ring_view *view,
                             struct err *err);
    size_t (*scratch)(uint32_t text_max); /* bytes of device memory that one search needs */

    /*
     * NULL for a search that writes hits on the device. Otherwise the search writes an intermediate
     * result to its scratch: the first output(arg, text_len) bytes of it are read back. collect
     * turns them into hits on the host: it appends the matches that end in text [from, to), or
     * returns false, and leaves sink as it was, when they do not fit.
     */
    size_t (*output)(void *arg, uint32_t text_len);
    bool (*collect)(void *arg, const void *output, const struct match_text *text, uint32_t from,
                    uint32_t to, struct match_sink *sink);

    bool in_place; /* kernels read the text in pinned host memory; it is not copied to the device */
};

struct ring_options {
    uint32_t slots;
    /* Buffers wanted, 1 or more; fewer are made when the device has no memory for all */
    uint32_t buffers;
    bool in_turns; /* strategy B; buffers is 2 */
    /*
     * True: each buffer has a stream for its searches and reads, as in strategy A. False: each step
     * has one stream for all buffers. Writes always have one stream.
     */
    bool own_streams;
    uint32_t text_max; /* bytes of the longest text, with its carry */
    /* Most bytes before a stretch that its search reads: longest pattern - 1 */
    uint32_t before;
    uint32_t hits_max;          /* most hits of a text that fit on the device */
    struct match_launch launch; /* of the search's kernel */
};

/* Times of the segments that have been taken so far. */
struct ring_times {
    uint64_t segments, bytes;
    uint64_t timed; /* segments whose steps were timed */
    /* Seconds of each step on the device, sums over the timed segments */
    double write, process, read;
    /* Seconds from the start of the first segment to the end of the last */
    double all;
};

/*
 * Owned by the caller of ring_open. Several threads may call ring_take at a time, for different
 * slots.
 */
struct ring;

ERR_MUST_CHECK enum err_code ring_open(struct device *device, const struct ring_search *search,
                                       const struct ring_options *options, struct ring **out,
                                       struct err *err);
void ring_close(struct ring *ring); /* waits for work in flight; NULL is a no-op */

uint32_t ring_buffers(const struct ring *ring); /* the number of buffers in use */

/* From now on only the first `buffers` buffers are used. Not with in_turns. */
void ring_use(struct ring *ring, uint32_t buffers);

/*
 * Enqueues the search for matches that end in text [from, text->len). The bytes of text must stay
 * unchanged until they have been taken.
 */
void ring_start(struct ring *ring, uint32_t slot, const struct match_text *text, uint32_t from);

/*
 * The caller waits for the slot: steps that wait for a further segment (strategy B) are enqueued
 * now.
 */
void ring_hurry(struct ring *ring, uint32_t slot);

/*
 * Appends the matches that end in text [from, to). When they do not fit, *fits is false and sink is
 * as it was. For the stretch that ring_start was given, the call waits for that search; any other
 * stretch is searched anew. With strategy B, the call may wait until another thread calls
 * ring_hurry. Errors: ERR_ENV when the device is lost.
 */
ERR_MUST_CHECK enum err_code ring_take(struct ring *ring, uint32_t slot,
                                       const struct match_text *text, uint32_t from, uint32_t to,
                                       struct match_sink *sink, bool *fits, struct err *err);

/* As ring_take, for a text that need not be in a slot: searches it now and waits for the hits. */
ERR_MUST_CHECK enum err_code ring_find(struct ring *ring, const struct match_text *text,
                                       uint32_t from, uint32_t to, struct match_sink *sink,
                                       bool *fits, struct err *err);

struct ring_times ring_times(struct ring *ring);

#endif
