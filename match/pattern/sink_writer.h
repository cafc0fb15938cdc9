/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/sink_writer.h - a sink that one scan fills, from one thread or from several at a
 * time.
 *
 * What does not fit is counted and not kept: then the whole scan has to be given up, and the sink
 * is as it was.
 */
#ifndef BURIN_MATCH_PATTERN_SINK_WRITER_H
#define BURIN_MATCH_PATTERN_SINK_WRITER_H

#include <stdatomic.h>
#include <string.h>

#include "match/engine.h"

struct sink_writer {
    struct match_sink *sink;
    bool several; /* threads */
    _Atomic uint32_t count;
};

/* What one thread has found and not put into the sink yet: threads that each put in hit after hit
 * wait for one another most of the time. */
enum { SINK_PART_HITS = 256 };

struct sink_part {
    struct sink_writer *writer;
    uint32_t count;
    struct hit hits[SINK_PART_HITS];
};

static inline void sink_writer_init(struct sink_writer *writer, struct match_sink *sink,
                                    bool several)
{
    writer->sink = sink;
    writer->several = several;
    atomic_init(&writer->count, sink->count);
}

static inline bool sink_writer_full(struct sink_writer *writer)
{
    return atomic_load_explicit(&writer->count, memory_order_relaxed) > writer->sink->max;
}

static inline void sink_part_init(struct sink_part *part, struct sink_writer *writer)
{
    part->writer = writer;
    part->count = 0; /* hits are written before they are read */
}

/* To be called when a thread has added the last one, and false then, too, when the sink is full. */
static inline bool sink_part_end(struct sink_part *part)
{
    struct sink_writer *writer = part->writer;

    if (part->count == 0)
        return true;
    const uint32_t at =
        atomic_fetch_add_explicit(&writer->count, part->count, memory_order_relaxed);
    const bool fits = at <= writer->sink->max && part->count <= writer->sink->max - at;
    if (fits)
        memcpy(writer->sink->items + at, part->hits, part->count * sizeof part->hits[0]);
    part->count = 0;
    return fits;
}

/* False when the sink is full: the caller stops. */
static inline bool sink_part_add(struct sink_part *part, struct hit hit)
{
    struct sink_writer *writer = part->writer;

    if (writer->several) {
        part->hits[part->count++] = hit;
        return part->count < SINK_PART_HITS || sink_part_end(part);
    }
    const uint32_t at = atomic_load_explicit(&writer->count, memory_order_relaxed);
    atomic_store_explicit(&writer->count, at + 1, memory_order_relaxed);
    if (at >= writer->sink->max)
        return false;
    writer->sink->items[at] = hit;
    return true;
}

/* When all threads are done: the answer of scan. */
static inline bool sink_writer_end(struct sink_writer *writer)
{
    if (sink_writer_full(writer))
        return false;
    writer->sink->count = atomic_load_explicit(&writer->count, memory_order_relaxed);
    return true;
}

#endif
