/* match/cuda/offload.c - see offload.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "match/cuda/completion_time.h"
#include "match/cuda/measure.h"
#include "match/cuda/offload.h"

enum {
    OFFLOAD_MEASURED = 8,  /* segments whose times are known before auto chooses */
    OFFLOAD_LONG = 1000,   /* segments to choose for: how many come is not known */
    OFFLOAD_PERCENT = 101, /* of the least time are good enough: the rest is noise, and memory saved */
};

struct offload {
    const struct offload_form *form;
    struct ac *ac; /* also the program of the CPU engine that takes over */
    struct device *device;
    struct tables_load load;
    struct offload_extra extra;
    struct ring *ring;
    enum match_strategy strategy;
    bool chosen; /* auto has */
    uint32_t lanes;
    void **pinned; /* [lanes] */
};

static size_t offload_no_scratch(uint32_t text_max)
{
    (void)text_max;
    return 0;
}

static enum err_code offload_enqueue(void *arg, struct device_stream *stream, const struct ring_view *view,
                                     struct err *err)
{
    const struct offload *offload = arg;

    return offload->form->enqueue(&offload->load.tables, &offload->extra, stream, view, err);
}

static enum err_code offload_extra(struct offload *offload, const struct match_dictionary *dictionary, struct err *err)
{
    struct offload_extra *extra = &offload->extra;
    struct device_stream *stream = NULL;

    if (offload->form->extra == NULL)
        return ERR_OK;
    enum err_code rc = offload->form->extra(dictionary, &extra->host, &extra->size, err);
    if (rc == ERR_OK)
        rc = device_alloc(offload->device, extra->size, &extra->device, err);
    if (rc == ERR_OK)
        rc = device_stream_open(offload->device, &stream, err);
    if (rc == ERR_OK)
        rc = device_copy_in(stream, extra->device, extra->host, extra->size, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(stream, err);
    device_stream_close(stream);
    return rc;
}

static struct ring_search offload_search(struct offload *offload)
{
    return (struct ring_search){ .arg = offload,
                                 .enqueue = offload_enqueue,
                                 .scratch =
                                     offload->form->scratch == NULL ? offload_no_scratch : offload->form->scratch };
}

static enum err_code offload_ring(struct offload *offload, const struct match_setup *setup, struct err *err)
{
    const bool in_turns = setup->strategy == MATCH_STRATEGY_B;
    const struct ring_search search = offload_search(offload);
    const struct ring_options options = {
        .lanes = setup->lanes,
        .slots = in_turns ? 2 : setup->lanes,
        .in_turns = in_turns,
        .own_streams = setup->strategy == MATCH_STRATEGY_A,
        .text_max = setup->carry + setup->segment_len,
        .before = offload->ac->longest - 1,
        .hits_max = setup->hits_max,
    };

    return ring_open(offload->device, &search, &options, &offload->ring, err);
}

enum err_code offload_compile(const struct offload_form *form, const struct match_dictionary *dictionary,
                              const struct match_setup *setup, void **program, struct err *err)
{
    const struct device_provider cuda = device_cuda();
    const struct device_provider *provider = setup->devices == NULL ? &cuda : setup->devices;
    struct offload *offload = calloc(1, sizeof *offload);

    *program = NULL;
    if (offload == NULL)
        return ERR_NO_MEMORY(err, sizeof *offload);
    offload->form = form;
    offload->lanes = setup->lanes;
    offload->strategy = setup->strategy;
    offload->pinned = calloc(setup->lanes, sizeof *offload->pinned);
    enum err_code rc = ERR_OK;
    if (offload->pinned == NULL)
        rc = ERR_NO_MEMORY(err, setup->lanes * sizeof *offload->pinned);
    if (rc == ERR_OK)
        rc = ac_build(dictionary, &offload->ac, err);
    if (rc == ERR_OK)
        rc = device_open(provider, 0, &offload->device, err);
    if (rc == ERR_OK)
        rc = tables_load(&offload->load, offload->device, offload->ac, form->walks, err);
    if (rc == ERR_OK)
        rc = offload_extra(offload, dictionary, err);
    if (rc == ERR_OK)
        rc = offload_ring(offload, setup, err);
    if (rc != ERR_OK) {
        offload_release(offload);
        return rc;
    }
    *program = offload;
    return ERR_OK;
}

void offload_release(void *program)
{
    struct offload *offload = program;

    if (offload == NULL)
        return;
    ring_close(offload->ring);
    if (offload->device != NULL) {
        for (uint32_t i = 0; i < offload->lanes; i++)
            if (offload->pinned[i] != NULL)
                device_unpin(offload->device, offload->pinned[i]);
        device_free(offload->device, offload->extra.device);
        if (offload->load.device != NULL)
            tables_unload(&offload->load);
    }
    device_close(offload->device);
    ac_destroy(offload->ac);
    free(offload->extra.host);
    free(offload->pinned);
    free(offload);
}

static enum err_code offload_attach(void *program, uint32_t lane, void *memory, size_t size, struct err *err)
{
    struct offload *offload = program;
    enum err_code rc = device_pin(offload->device, memory, size, err);

    assert(lane < offload->lanes && offload->pinned[lane] == NULL);
    if (rc == ERR_OK)
        offload->pinned[lane] = memory;
    return rc;
}

/* What the theorems are about, from what has been seen. */
static struct completion_time_job offload_job(const struct offload *offload, const struct ring_times *times,
                                              uint64_t segments)
{
    const double n = times->segments == 0 ? 1 : (double)times->segments;

    return (struct completion_time_job){
        .segments = segments == 0 ? 1 : (uint32_t)segments,
        .channels = offload->device->info.copy_engines >= 2 ? 2 : 1,
        .write = times->write / n,
        .process = times->process / n,
        .read = times->read / n,
    };
}

/* The fewest buffers that do, of those that fit on the device: with one for each segment it would be strategy A. */
static void offload_choose(struct offload *offload)
{
    const struct ring_times times = ring_times(offload->ring);

    if (offload->chosen || offload->strategy != MATCH_STRATEGY_AUTO || times.segments < OFFLOAD_MEASURED)
        return;
    const struct completion_time_job job = offload_job(offload, &times, OFFLOAD_LONG);
    const uint32_t most = ring_slots(offload->ring);
    const double enough = completion_time_ring(&job, most) * OFFLOAD_PERCENT / 100;
    uint32_t slots = most < 2 ? most : 2;

    while (slots < most && completion_time_ring(&job, slots) > enough)
        slots++;
    ring_use(offload->ring, slots);
    offload->chosen = true;
}

static void offload_start(void *program, uint32_t lane, const struct match_text *text, uint32_t from)
{
    struct offload *offload = program;

    offload_choose(offload);
    ring_start(offload->ring, lane, text, from);
}

static void offload_hurry(void *program, uint32_t lane)
{
    ring_hurry(((struct offload *)program)->ring, lane);
}

/* A device that is lost takes no hits with it: its segments are searched here, for their bytes are. */
static bool offload_take(void *program, uint32_t lane, const struct match_text *text, uint32_t from, uint32_t to,
                         struct match_sink *sink)
{
    struct offload *offload = program;
    bool fits = false;

    if (ring_take(offload->ring, lane, text, from, to, sink, &fits, NULL) == ERR_OK)
        return fits;
    return match_ac_engine.scan(offload->ac, text, from, to, sink);
}

static void offload_say(void *program, char *text, size_t size)
{
    static const char *const names[] = { "auto", "A", "B" };
    struct offload *offload = program;
    const struct ring_times times = ring_times(offload->ring);
    const struct completion_time_job job = offload_job(offload, &times, times.segments);
    const char *loss = ring_loss(offload->ring);
    const uint32_t slots = ring_slots(offload->ring);
    const double ring = completion_time_ring(&job, slots), b = completion_time_b(&job);

    if (loss != NULL) {
        snprintf(text, size, "the device was lost and segments searched on the CPU instead: %s", loss);
        return;
    }
    snprintf(text, size,
             "strategy %s, %u buffers on device %u (%s): %llu segments, each %.3f ms to write, %.3f to search, %.3f to "
             "read; predicted %.3f s (A %.3f, B %.3f), took %.3f s",
             names[offload->strategy], slots, offload->device->index, offload->device->info.name,
             (unsigned long long)times.segments, job.write * 1e3, job.process * 1e3, job.read * 1e3,
             offload->strategy == MATCH_STRATEGY_B ? b : ring, completion_time_a(&job), b, times.all);
}

static enum err_code offload_measure(void *program, struct match_measure *measure, struct err *err)
{
    struct offload *offload = program;
    const struct measure_search search = { .device = offload->device,
                                           .search = offload_search(offload),
                                           .before = offload->ac->longest - 1 };

    return measure_run(&search, measure, err);
}

static const struct match_shape *offload_shapes(void *program, uint32_t *count)
{
    const struct offload *offload = program;

    *count = offload->form->shape_count;
    return offload->form->shapes;
}

const struct match_offload offload_calls = {
    .attach = offload_attach,
    .start = offload_start,
    .hurry = offload_hurry,
    .take = offload_take,
    .say = offload_say,
    .measure = offload_measure,
    .shapes = offload_shapes,
};
