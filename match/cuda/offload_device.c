/* match/cuda/offload_device.c - see offload_device.h. */
#include <stdio.h>

#include "match/cuda/completion_time.h"
#include "match/cuda/measure.h"
#include "match/cuda/offload_device.h"

enum {
    OFFLOAD_MEASURED = 8,  /* segments whose times are known before auto chooses */
    OFFLOAD_LONG = 1000,   /* segments to choose for: how many come is not known */
    OFFLOAD_PERCENT = 101, /* of the least time are good enough: the rest is noise, and memory saved */
};

static size_t offload_no_scratch(uint32_t text_max)
{
    (void)text_max;
    return 0;
}

static enum err_code offload_enqueue(void *arg, struct device_stream *stream, const struct ring_view *view,
                                     struct err *err)
{
    const struct offload_device *device = arg;

    return device->source->form->enqueue(&device->load.tables, &device->extra, stream, view, err);
}

static bool offload_collect(void *arg, const void *output, const struct match_text *text, uint32_t from, uint32_t to,
                            struct match_sink *sink)
{
    const struct offload_device *device = arg;

    return device->source->form->collect(device->source->ac, output, text, from, to, sink);
}

static enum err_code offload_send_extra(struct offload_device *device, struct err *err)
{
    struct offload_extra *extra = &device->extra;
    struct device_stream *stream = NULL;

    *extra = (struct offload_extra){ .host = device->source->extra, .size = device->source->extra_size };
    if (extra->size == 0)
        return ERR_OK;
    enum err_code rc = device_alloc(device->device, extra->size, &extra->device, err);
    if (rc == ERR_OK)
        rc = device_stream_open(device->device, &stream, err);
    if (rc == ERR_OK)
        rc = device_copy_in(stream, extra->device, extra->host, extra->size, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(stream, err);
    device_stream_close(stream);
    return rc;
}

static enum err_code offload_open_texture(struct offload_device *device, struct err *err)
{
    const struct offload_form *form = device->source->form;
    struct offload_extra *extra = &device->extra;

    if (form->texture == NULL)
        return ERR_OK;
    const struct offload_texture texture = form->texture(extra->host);
    if (texture.cells > device->device->info.texels_max)
        return ERR_OK;
    return device_texture_open(device->device, (const uint8_t *)extra->device + texture.at, (uint32_t)texture.cells,
                               texture.cell_size, &extra->texture, err);
}

static enum err_code offload_ring(struct offload_device *device, struct err *err)
{
    const struct match_setup *setup = &device->source->setup;
    const bool in_turns = setup->strategy == MATCH_STRATEGY_B;
    const struct ring_options options = {
        .lanes = setup->lanes,
        .slots = in_turns ? 2 : setup->lanes,
        .in_turns = in_turns,
        .own_streams = setup->strategy == MATCH_STRATEGY_A,
        .text_max = setup->carry + setup->segment_len,
        .before = device->source->ac->longest - 1,
        .hits_max = setup->hits_max,
    };

    return ring_open(device->device, &device->search, &options, &device->ring, err);
}

enum err_code offload_device_open(struct offload_device *out, const struct offload_source *source,
                                  const struct device_provider *provider, uint32_t index, struct err *err)
{
    const struct offload_form *form = source->form;

    *out = (struct offload_device){
        .source = source,
        .search = { .arg = out,
                    .enqueue = offload_enqueue,
                    .scratch = form->scratch == NULL ? offload_no_scratch : form->scratch,
                    .output = form->output,
                    .collect = form->collect == NULL ? NULL : offload_collect,
                    .in_place = form->in_place },
    };
    enum err_code rc = device_open(provider, index, &out->device, err);

    if (rc == ERR_OK)
        rc = tables_load(&out->load, out->device, source->ac, form->rows, err);
    if (rc == ERR_OK)
        rc = offload_send_extra(out, err);
    if (rc == ERR_OK)
        rc = offload_open_texture(out, err);
    if (rc == ERR_OK)
        rc = offload_ring(out, err);
    if (rc != ERR_OK)
        offload_device_close(out);
    return rc;
}

void offload_device_close(struct offload_device *device)
{
    ring_close(device->ring);
    if (device->device != NULL) {
        device_texture_close(device->device, device->extra.texture);
        device_free(device->device, device->extra.device);
    }
    if (device->load.device != NULL)
        tables_unload(&device->load);
    device_close(device->device);
    *device = (struct offload_device){ 0 };
}

/* What the theorems are about, from what has been seen. */
static struct completion_time_job offload_job(const struct offload_device *device, const struct ring_times *times,
                                              uint64_t segments)
{
    const double n = times->measured == 0 ? 1 : (double)times->measured;

    return (struct completion_time_job){
        .segments = segments == 0 ? 1 : (uint32_t)segments,
        .channels = device->device->info.copy_engines >= 2 ? 2 : 1,
        .write = times->write / n,
        .process = times->process / n,
        .read = times->read / n,
    };
}

/* The fewest buffers that do, of those that fit on the device: with one for each segment it would be strategy A. */
static void offload_choose(struct offload_device *device)
{
    const struct ring_times times = ring_times(device->ring);

    if (device->chosen || device->source->setup.strategy != MATCH_STRATEGY_AUTO || times.measured < OFFLOAD_MEASURED)
        return;
    const struct completion_time_job job = offload_job(device, &times, OFFLOAD_LONG);
    const uint32_t most = ring_slots(device->ring);
    const double enough = completion_time_ring(&job, most) * OFFLOAD_PERCENT / 100;
    uint32_t slots = most < 2 ? most : 2;

    while (slots < most && completion_time_ring(&job, slots) > enough)
        slots++;
    ring_use(device->ring, slots);
    device->chosen = true;
}

void offload_device_start(struct offload_device *device, uint32_t lane, const struct match_text *text, uint32_t from)
{
    offload_choose(device);
    ring_start(device->ring, lane, text, from);
}

enum err_code offload_device_measure(const struct offload_device *device, struct match_measure *measure,
                                     struct err *err)
{
    const struct measure_search search = { .device = device->device,
                                           .search = device->search,
                                           .before = device->source->ac->longest - 1 };

    return measure_run(&search, measure, err);
}

void offload_device_say(const struct offload_device *device, char *text, size_t size)
{
    static const char *const names[] = { "auto", "A", "B" };
    const enum match_strategy strategy = device->source->setup.strategy;
    const struct ring_times times = ring_times(device->ring);
    const struct completion_time_job job = offload_job(device, &times, times.segments);
    const uint32_t slots = ring_slots(device->ring);
    const double ring = completion_time_ring(&job, slots), b = completion_time_b(&job);

    snprintf(text, size,
             "strategy %s, %u buffers on device %u (%s): %llu segments, each %.3f ms to write, %.3f to search, %.3f to "
             "read; predicted %.3f s (A %.3f, B %.3f), took %.3f s",
             names[strategy], slots, device->device->index, device->device->info.name,
             (unsigned long long)times.segments, job.write * 1e3, job.process * 1e3, job.read * 1e3,
             strategy == MATCH_STRATEGY_B ? b : ring, completion_time_a(&job), b, times.all);
}
