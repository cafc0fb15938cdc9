/*
 * match/offload/ring.h - segments on their way through a device: written to it, searched there, their hits read back.
 *
 * A lane is a pinned buffer on the host, a slot a pair of buffers on the device. Segments take the slots in turn, and each of the
 * three steps of each segment begins as soon as what it needs is done: with a slot for every segment this is strategy A of Zha
 * and Sahni (section 4.1, Figure 4; one stream a segment), with fewer it goes on as a ring. In turns, with two slots, it is their
 * strategy B (Figure 5): a segment is searched when the next one comes, and every turn ends with a wait for all.
 *
 * A device that fails ends nothing: from then on ring_take answers for every segment that the device is lost, and why.
 */
#ifndef BURIN_MATCH_OFFLOAD_RING_H
#define BURIN_MATCH_OFFLOAD_RING_H

#include "match/device/device.h"
#include "match/engine.h"
#include "match/kernel/view.h"

/* Enqueues the search of a view; found is zeroed before. */
struct ring_search {
    void *arg;
    enum err_code (*enqueue)(void *arg, struct device_stream *stream, const struct ring_view *view, struct err *err);
    size_t (*scratch)(uint32_t text_max); /* bytes of device memory that the search of one text needs */

    /*
     * NULL, or the search leaves no hits on the device, but in its scratch what hits are made of on the host: the first
     * output(arg, text_len) bytes are read back, and collect appends the matches that end in text [from, to). False, with sink as it
     * was, when there is no room for them.
     */
    size_t (*output)(void *arg, uint32_t text_len);
    bool (*collect)(void *arg, const void *output, const struct match_text *text, uint32_t from, uint32_t to,
                    struct match_sink *sink);

    bool in_place; /* texts are not copied to the device: kernels read them where they are pinned */
};

struct ring_options {
    uint32_t lanes;
    uint32_t slots;           /* 1 or more; as many as fit on the device are made, at least one */
    bool in_turns;            /* strategy B: slots is 2 */
    bool own_streams;         /* one for each slot, as in strategy A, but for writes; else one for each step */
    uint32_t text_max;        /* bytes of the longest text, the carry included */
    uint32_t before;          /* bytes before a stretch that its search may read: longest pattern - 1 */
    uint32_t hits_max;        /* room for hits of a text */
    struct match_shape shape; /* for the search */
};

/* Of the segments taken so far. */
struct ring_times {
    uint64_t segments, bytes;
    uint64_t measured; /* of the segments */
    double write, process,
        read;   /* seconds that the three steps of those took on the device, waits left out, summed up */
    double all; /* seconds from the start of the first to the end of the last */
};

struct ring; /* owned by the caller of ring_open; lanes may be taken by several threads at once */

ERR_MUST_CHECK enum err_code ring_open(struct device *device, const struct ring_search *search,
                                       const struct ring_options *options, struct ring **out, struct err *err);
void ring_close(struct ring *ring); /* waits for work in flight; NULL is a no-op */

uint32_t ring_slots(const struct ring *ring); /* in use */

/* Goes on with the first so many slots; not in turns. */
void ring_use(struct ring *ring, uint32_t slots);

/* Enqueues text, which stays as it is until taken: the search is for matches that end in [from, text->len). */
void ring_start(struct ring *ring, uint32_t lane, const struct match_text *text, uint32_t from);

/* Somebody waits for the lane: what is still held back for its turn is enqueued. */
void ring_hurry(struct ring *ring, uint32_t lane);

/*
 * Appends the matches that end in text [from, to). *fits is false, with sink as it was, when there is no room for them. The
 * stretch that was started is waited for; any other one is searched anew. Waits for ring_hurry where strategy B holds the lane.
 */
ERR_MUST_CHECK enum err_code ring_take(struct ring *ring, uint32_t lane, const struct match_text *text, uint32_t from,
                                       uint32_t to, struct match_sink *sink, bool *fits, struct err *err);

/* Searches text [from, to) now, whether or not any lane has it, and waits for the answer. */
ERR_MUST_CHECK enum err_code ring_find(struct ring *ring, const struct match_text *text, uint32_t from, uint32_t to,
                                       struct match_sink *sink, bool *fits, struct err *err);

struct ring_times ring_times(struct ring *ring);

#endif
