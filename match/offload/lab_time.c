/* SPDX-License-Identifier: Apache-2.0
 * match/offload/lab_time.c - see match/lab.h: searches of a text in a device's memory, timed by the
 * device's clock.
 *
 * Indices of a view have 32 bits, so a long text is searched in stretches, each with the bytes
 * before it that a match may begin in and with room for hits of its own: they are enqueued one
 * behind the other, and what is timed is all of them. How many hits there are is what a first
 * search finds out, with hardly any room for them.
 */
#include <stdlib.h>

#include "match/offload/lab_time.h"
#include "match/offload/resident.h"

enum {
    LAB_TIME_STRETCH = UINT32_C(1) << 31,
    LAB_TIME_STRETCH_LEAST = 1 << 20, /* below it memory is short for other reasons */
    LAB_TIME_STRETCH_UNIT = 4096,     /* stretches begin as aligned as the segments of a scan */
    LAB_TIME_ROOM = 1024,             /* hits of a stretch in the first search */
};

/* What one measurement needs besides. */
struct measure {
    const struct lab_time_search *search;
    struct match_timing *want;
    struct match_resident *resident;
    uint64_t len, stretch;
    bool from_host;
    uint32_t count;    /* of stretches */
    uint32_t hits_max; /* of each */
    size_t found_size; /* of each: struct ring_found and the hits */
    uint8_t *found;    /* on the device: [count] */
    void *scratch;
    struct ring_found *results; /* [count], without hits */
};

static void lab_time_plan(struct measure *m, uint64_t stretch)
{
    m->stretch = stretch;
    m->count = (uint32_t)((m->len + stretch - 1) / stretch);
}

static uint32_t lab_time_before(const struct measure *m, uint64_t from)
{
    return from < m->search->before ? (uint32_t)from : m->search->before;
}

static uint32_t lab_time_text_max(const struct measure *m)
{
    return (uint32_t)(m->stretch < m->len ? m->stretch : m->len) + m->search->before;
}

static struct ring_view lab_time_view(const struct measure *m, uint32_t index)
{
    const uint64_t from = index * m->stretch, left = m->len - from;
    const uint32_t before = lab_time_before(m, from),
                   fresh = (uint32_t)(left < m->stretch ? left : m->stretch);
    uint8_t *text = m->from_host ? m->resident->pinned : m->resident->text;
    struct ring_found *found = (struct ring_found *)(void *)(m->found + index * m->found_size);

    return (struct ring_view){
        .text = text + from - before,
        .len = before + fresh,
        .from = before,
        .to = before + fresh,
        .found = found,
        .hits = (struct ring_hit *)(found + 1),
        .hits_max = m->hits_max,
        .scratch = m->scratch,
        .launch = m->want->used,
    };
}

static enum err_code lab_time_enqueue(void *arg, struct err *err)
{
    struct measure *m = arg;
    struct device_stream *stream = m->resident->stream;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < m->count; i++) {
        const struct ring_view view = lab_time_view(m, i);

        rc = device_fill(stream, view.found, 0, sizeof *view.found, err);
        if (rc == ERR_OK)
            rc = m->search->search.enqueue(m->search->search.arg, stream, &view, err);
    }
    return rc;
}

/* Room for so many hits of each stretch. */
static enum err_code lab_time_room(struct measure *m, uint32_t hits_max, struct err *err)
{
    void *found = NULL;
    const size_t size = sizeof(struct ring_found) + (size_t)hits_max * sizeof(struct ring_hit);

    m->hits_max = hits_max;
    m->found_size = (size + RESIDENT_AROUND - 1) / RESIDENT_AROUND * RESIDENT_AROUND;
    device_free(m->resident->device, m->found);
    m->found = NULL;
    const enum err_code rc =
        device_alloc(m->resident->device, m->found_size * m->count, &found, err);
    m->found = found;
    return rc;
}

/* Scratch for a stretch: where there is no memory for it, stretches become shorter. */
static enum err_code lab_time_scratch(struct measure *m, struct err *err)
{
    uint64_t stretch = m->want->stretch == 0 || m->want->stretch > LAB_TIME_STRETCH
                           ? LAB_TIME_STRETCH
                           : m->want->stretch;

    for (;; stretch /= 2) {
        lab_time_plan(m, (stretch + LAB_TIME_STRETCH_UNIT - 1) / LAB_TIME_STRETCH_UNIT *
                             LAB_TIME_STRETCH_UNIT);
        const size_t size = m->search->search.scratch(lab_time_text_max(m));
        if (size == 0)
            return ERR_OK;
        const enum err_code rc = device_alloc(m->resident->device, size, &m->scratch, err);
        if (rc == ERR_OK && m->search->search.collect != NULL) /* as in ring_open.c */
            return device_fill(m->resident->stream, m->scratch, 0, size, err);
        if (rc == ERR_OK || stretch / 2 < LAB_TIME_STRETCH_LEAST)
            return rc;
    }
}

static enum err_code lab_time_results(struct measure *m, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < m->count; i++)
        rc = device_copy_out(m->resident->stream, &m->results[i], m->found + i * m->found_size,
                             sizeof *m->results, err);
    return rc == ERR_OK ? device_stream_wait(m->resident->stream, err) : rc;
}

static uint32_t lab_time_most(const struct measure *m)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < m->count; i++)
        if (most < m->results[i].count)
            most = m->results[i].count;
    return most;
}

/* Hands out the hits of a stretch. */
static enum err_code lab_time_each(const struct measure *m, uint32_t index, struct ring_hit *hits,
                                   struct err *err)
{
    const struct ring_view view = lab_time_view(m, index);
    const uint32_t count = m->results[index].count;
    const uint64_t offset = index * m->stretch - view.from;
    enum err_code rc =
        device_copy_out(m->resident->stream, hits, view.hits, count * sizeof *hits, err);

    if (rc == ERR_OK)
        rc = device_stream_wait(m->resident->stream, err);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const struct hit hit = { .offset = offset + hits[i].start,
                                 .pattern = ring_hit_pattern(&hits[i]),
                                 .len = ring_hit_len(&hits[i]) };

        m->want->each(m->want->arg, &hit);
    }
    return rc;
}

/* What the host makes of an output of stretch `index`. Hits are handed out and forgotten. */
static enum err_code lab_time_collect_from(const struct measure *m, uint32_t index,
                                           const void *output, struct err *err)
{
    const struct ring_search *search = &m->search->search;
    const struct ring_view view = lab_time_view(m, index);
    const uint64_t at = index * m->stretch - view.from;
    const struct match_text text = { .bytes = m->resident->bytes + at,
                                     .len = view.len,
                                     .offset = at };
    struct match_sink sink = { .max = 1 << 16 };
    enum err_code rc = ERR_OK;

    do { /* once more with twice the room, until all fit */
        sink.count = 0;
        sink.max *= 2;
        free(sink.items);
        sink.items = malloc((size_t)sink.max * sizeof *sink.items);
        if (sink.items == NULL)
            rc = ERR_NO_MEMORY(err, sink.max * sizeof *sink.items);
    } while (rc == ERR_OK &&
             !search->collect(search->arg, output, &text, view.from, view.to, &sink));
    for (uint32_t i = 0; rc == ERR_OK && m->want->each != NULL && i < sink.count; i++)
        m->want->each(m->want->arg, &sink.items[i]);
    m->want->hits += rc == ERR_OK ? sink.count : 0;
    free(sink.items);
    return rc;
}

/* Of searches whose hits the host finds: each stretch once more, for all of them share one scratch.
 */
static enum err_code lab_time_collect(const struct measure *m, struct err *err)
{
    const struct ring_search *search = &m->search->search;
    struct device_stream *stream = m->resident->stream;
    void *output = malloc(search->output(search->arg, lab_time_text_max(m)));
    enum err_code rc = output == NULL
                           ? ERR_NO_MEMORY(err, search->output(search->arg, lab_time_text_max(m)))
                           : ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < m->count; i++) {
        const struct ring_view view = lab_time_view(m, i);

        rc = search->enqueue(search->arg, stream, &view, err);
        if (rc == ERR_OK)
            rc = device_copy_out(stream, output, m->scratch, search->output(search->arg, view.len),
                                 err);
        if (rc == ERR_OK)
            rc = device_stream_wait(stream, err);
        if (rc == ERR_OK)
            rc = lab_time_collect_from(m, i, output, err);
    }
    free(output);
    return rc;
}

/* Counts what the last run found, and hands it out. */
static enum err_code lab_time_answer(struct measure *m, struct err *err)
{
    struct ring_hit *hits = NULL;
    enum err_code rc = lab_time_results(m, err);

    m->want->hits = m->want->candidates = 0;
    if (rc == ERR_OK && m->search->search.collect != NULL)
        return lab_time_collect(m, err);
    for (uint32_t i = 0; rc == ERR_OK && i < m->count; i++) {
        m->want->hits += m->results[i].count;
        m->want->candidates += m->results[i].candidates;
        if (m->results[i].count > m->hits_max)
            rc = ERR_RAISE(err, ERR_ENV,
                           "device %u (%s) found %u hits in a text in which it had found %u",
                           m->resident->device->index, m->resident->device->info.name,
                           m->results[i].count, m->hits_max);
    }
    if (rc != ERR_OK || m->want->each == NULL)
        return rc;
    hits = malloc((size_t)m->hits_max * sizeof *hits + 1);
    if (hits == NULL)
        return ERR_NO_MEMORY(err, (size_t)m->hits_max * sizeof *hits);
    for (uint32_t i = 0; rc == ERR_OK && i < m->count; i++)
        rc = lab_time_each(m, i, hits, err);
    free(hits);
    return rc;
}

static enum err_code lab_time_runs(struct measure *m, struct err *err)
{
    double first = 0;
    enum err_code rc = lab_time_room(m, LAB_TIME_ROOM, err);

    if (rc == ERR_OK)
        rc = resident_time(m->resident, lab_time_enqueue, m, &first, err);
    if (rc == ERR_OK)
        rc = lab_time_results(m, err);
    if (rc == ERR_OK)
        rc = lab_time_room(m, lab_time_most(m), err);
    for (uint32_t i = 0; rc == ERR_OK && i < m->want->runs; i++)
        rc = resident_time(m->resident, lab_time_enqueue, m, &m->want->seconds[i], err);
    return rc == ERR_OK ? lab_time_answer(m, err) : rc;
}

enum err_code lab_time_run(const struct lab_time_search *search, struct match_timing *want,
                           struct err *err)
{
    struct match_resident *resident = want->resident;
    struct measure m = { .search = search, .want = want, .resident = resident };

    if (search->device->index != resident->device->index)
        return ERR_RAISE(err, ERR_ARG, "the text is on device %u, and the engine on device %u",
                         resident->device->index, search->device->index);
    m.len = resident_len(resident, want->len);
    m.from_host = want->from_host || search->search.in_place;
    if (m.from_host)
        m.len -=
            m.len % 16; /* kernels load 16 bytes at a time, and behind the text there is nothing */
    want->hits = want->candidates = 0;
    want->used = want->launch.threads == 0 ? search->launch : want->launch;
    if (m.len == 0)
        return ERR_RAISE(err, ERR_INPUT, "there is no text to search");
    enum err_code rc = lab_time_scratch(&m, err);
    if (rc == ERR_OK) {
        m.results = calloc(m.count, sizeof *m.results);
        rc = m.results == NULL ? ERR_NO_MEMORY(err, m.count * sizeof *m.results)
                               : lab_time_runs(&m, err);
    }
    if (rc != ERR_OK) { /* what is enqueued uses what is freed here */
        const enum err_code waited = device_stream_wait(resident->stream, NULL);

        (void)waited;
    }
    free(m.results);
    device_free(resident->device, m.found);
    device_free(resident->device, m.scratch);
    return rc;
}
