/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload_device.c - see offload_device.h. */
#include "match/offload/offload_device.h"
#include "match/offload/lab_time.h"
#include "match/offload/tune_search.h"

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
    enum err_code rc = device_room(device->device, extra->size, "search's table", err);
    if (rc == ERR_OK)
        rc = device_alloc(device->device, extra->size, &extra->device, err);
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

static struct tune_key offload_key(const struct offload_device *device)
{
    return (struct tune_key){ .engine = device->source->form->name,
                              .device = &device->device->info,
                              .dictionary = tune_digest(device->source->dictionary) };
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

enum err_code offload_device_load(struct offload_device *out, const struct offload_source *source,
                                  struct err *err)
{
    const struct offload_form *form = source->form;

    *out = (struct offload_device){
        .source = source,
        .device = out->device,
        .search = { .arg = out,
                    .enqueue = offload_enqueue,
                    .scratch = form->scratch == NULL ? offload_no_scratch : form->scratch,
                    .output = form->collect == NULL ? NULL : offload_output,
                    .collect = form->collect == NULL ? NULL : offload_collect,
                    .in_place = form->in_place },
    };
    enum err_code rc =
        tables_load(&out->load, out->device, source->dictionary, source->ac, form->rows, err);

    if (rc == ERR_OK)
        rc = offload_send_extra(out, err);
    if (rc == ERR_OK)
        rc = offload_open_texture(out, err);
    if (rc == ERR_OK)
        offload_recall(out);
    else
        offload_device_close(out);
    return rc;
}

void offload_device_close(struct offload_device *device)
{
    if (device->device != NULL) {
        device_texture_close(device->device, device->extra.texture);
        device_free(device->device, device->extra.device);
    }
    if (device->load.device != NULL)
        tables_unload(&device->load);
    device_close(device->device);
    *device = (struct offload_device){ 0 };
}

static struct lab_time_search offload_search(const struct offload_device *device)
{
    return (struct lab_time_search){ .device = device->device,
                                     .search = device->search,
                                     .before = device->source->longest - 1,
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
