/* match/offload/offload_device.c - see offload_device.h. */
#include <stdio.h>

#include "match/offload/completion_time.h"
#include "match/offload/lab_time.h"
#include "match/offload/offload_device.h"
#include "match/offload/tune_search.h"

enum {
    OFFLOAD_TIMED = 8,   /* segments whose times are known before auto chooses */
    OFFLOAD_LONG = 1000, /* segments to choose for: how many come is not known */
    OFFLOAD_PERCENT =
        101, /* of the least time are good enough: the rest is noise, and memory saved */
};

static size_t offload_no_scratch(uint32_t text_max)
{
    (void)text_max;
    return 0;
}

static enum err_code offload_enqueue(void *arg, struct device_stream *stream,
                                     const struct ring_view *view, struct err *err)
{
    const struct offload_device *device = arg;

    return device->source->form->enqueue(&device->load.tables, &device->extra, stream, view, err);
}

static size_t offload_output(void *arg, uint32_t text_len)
{
    const struct offload_device *device = arg;

    return device->source->form->output(&device->load.tables, text_len);
}

static bool offload_collect(void *arg, const void *output, const struct match_text *text,
                            uint32_t from, uint32_t to, struct match_sink *sink)
{
    const struct offload_device *device = arg;

    return device->source->form->collect(device->source->ac, output, text, from, to, sink);
}

static enum err_code offload_send_extra(struct offload_device *device, struct err *err)
{
    struct offload_extra *extra = &device->extra;
    struct device_stream *stream = NULL;

    *extra =
        (struct offload_extra){ .host = device->source->extra, .size = device->source->extra_size };
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
    return device_texture_open(device->device, (const uint8_t *)extra->device + texture.at,
                               (uint32_t)texture.cells, texture.cell_size, &extra->texture, err);
}

static enum err_code offload_ring(struct offload_device *device, struct err *err)
{
    const struct match_setup *setup = &device->source->setup;
    const bool in_turns = setup->strategy == MATCH_STRATEGY_B;
    const struct ring_options options = {
        .slots = setup->slots,
        .buffers = in_turns ? 2 : setup->slots,
        .in_turns = in_turns,
        .own_streams = setup->strategy == MATCH_STRATEGY_A,
        .text_max = setup->carry + setup->segment_len,
        .before = device->source->ac->longest - 1,
        .hits_max = setup->hits_max,
        .launch = device->launch,
    };

    return ring_open(device->device, &device->search, &options, &device->ring, err);
}

static struct tune_key offload_key(const struct offload_device *device)
{
    return (struct tune_key){ .engine = device->source->form->name,
                              .device = &device->device->info,
                              .dictionary = tune_digest(device->source->ac->dictionary) };
}

/* The launch that was found for it once, if any was looked for. */
static void offload_recall(struct offload_device *device)
{
    const struct offload_form *form = device->source->form;

    if (form->launch_count == 0)
        return;
    const struct tune_key key = offload_key(device);
    if (!tune_recall(&key, form->launches, form->launch_count, &device->launch))
        device->launch = (struct match_launch){ 0, 0 };
}

enum err_code offload_device_open(struct offload_device *out, const struct offload_source *source,
                                  const struct device_provider *provider, uint32_t index,
                                  struct err *err)
{
    const struct offload_form *form = source->form;

    *out = (struct offload_device){
        .source = source,
        .search = { .arg = out,
                    .enqueue = offload_enqueue,
                    .scratch = form->scratch == NULL ? offload_no_scratch : form->scratch,
                    .output = form->collect == NULL ? NULL : offload_output,
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
    if (rc == ERR_OK) {
        offload_recall(out);
        rc = offload_ring(out, err);
    }
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
static struct completion_time_job offload_job(const struct offload_device *device,
                                              const struct ring_times *times, uint64_t segments)
{
    const double n = times->timed == 0 ? 1 : (double)times->timed;

    return (struct completion_time_job){
        .segments = segments == 0 ? 1 : (uint32_t)segments,
        .channels = device->device->info.copy_engines >= 2 ? 2 : 1,
        .write = times->write / n,
        .process = times->process / n,
        .read = times->read / n,
    };
}

/* The fewest buffers that do, of those that fit on the device: with one for each segment it would
 * be strategy A. */
static void offload_choose(struct offload_device *device)
{
    const struct ring_times times = ring_times(device->ring);

    if (device->chosen || device->source->setup.strategy != MATCH_STRATEGY_AUTO ||
        times.timed < OFFLOAD_TIMED)
        return;
    const struct completion_time_job job = offload_job(device, &times, OFFLOAD_LONG);
    const uint32_t most = ring_buffers(device->ring);
    const double enough = completion_time_ring(&job, most) * OFFLOAD_PERCENT / 100;
    uint32_t buffers = most < 2 ? most : 2;

    while (buffers < most && completion_time_ring(&job, buffers) > enough)
        buffers++;
    ring_use(device->ring, buffers);
    device->chosen = true;
}

void offload_device_start(struct offload_device *device, uint32_t slot,
                          const struct match_text *text, uint32_t from)
{
    offload_choose(device);
    ring_start(device->ring, slot, text, from);
}

static struct lab_time_search offload_search(const struct offload_device *device)
{
    return (struct lab_time_search){ .device = device->device,
                                     .search = device->search,
                                     .before = device->source->ac->longest - 1,
                                     .launch = device->launch };
}

enum err_code offload_device_time(const struct offload_device *device, struct match_timing *timing,
                                  struct err *err)
{
    const struct lab_time_search search = offload_search(device);

    return lab_time_run(&search, timing, err);
}

enum err_code offload_device_tune(struct offload_device *device, struct match_timing *timing,
                                  struct match_launch *best, struct err *err)
{
    const struct offload_form *form = device->source->form;
    const struct lab_time_search search = offload_search(device);
    enum err_code rc = tune_search(&search, form->launches, form->launch_count, timing, best, err);

    if (rc != ERR_OK || form->launch_count == 0)
        return rc;
    const struct tune_key key = offload_key(device);
    (void)tune_remember(
        &key, *best); /* a cache that cannot be written costs the next run a little time, no more */
    device->launch = *best;
    return ERR_OK;
}

struct match_transfer offload_device_transfer(const struct offload_device *device)
{
    const struct ring_times times = ring_times(device->ring);
    const struct completion_time_job job = offload_job(device, &times, times.segments);
    const uint32_t buffers = ring_buffers(device->ring);
    const double b = completion_time_b(&job);

    return (struct match_transfer){
        .device = device->device->index,
        .buffers = buffers,
        .segments = times.segments,
        .write = job.write,
        .process = job.process,
        .read = job.read,
        .took = times.all,
        .predicted = device->source->setup.strategy == MATCH_STRATEGY_B
                         ? b
                         : completion_time_ring(&job, buffers),
        .predicted_a = completion_time_a(&job),
        .predicted_b = b,
    };
}

void offload_device_say(const struct offload_device *device, char *text, size_t size)
{
    static const char *const names[] = { "auto", "A", "B" };
    const struct match_transfer t = offload_device_transfer(device);

    snprintf(text, size,
             "strategy %s, %u buffers on device %u (%s): %llu segments, each %.3f ms to write, "
             "%.3f to search, %.3f to "
             "read; predicted %.3f s (A %.3f, B %.3f), took %.3f s",
             names[device->source->setup.strategy], t.buffers, t.device, device->device->info.name,
             (unsigned long long)t.segments, t.write * 1e3, t.process * 1e3, t.read * 1e3,
             t.predicted, t.predicted_a, t.predicted_b, t.took);
}
