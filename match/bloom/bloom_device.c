/* SPDX-License-Identifier: Apache-2.0
 * match/bloom/bloom_device.c - see bloom_parts.h. On the stand-in the kernels are the serial form.
 */
#include <stdlib.h>

#include "match/bloom/bloom_parts.h"

struct bloom_device {
    struct device_stream *stream;
    struct bloom_view view; /* addresses of the device */
};

static void bloom_device_insert_host(const void *args)
{
    const struct bloom_work *work = args;

    bloom_insert(&work->view, &work->keys, 1);
}

static void bloom_device_query_host(const void *args)
{
    const struct bloom_work *work = args;

    bloom_query(&work->view, &work->keys, work->answers, 1);
}

#ifdef BURIN_HAVE_CUDA
#define BLOOM_CUDA(name) name
#else
#define BLOOM_CUDA(name) NULL
#endif

static const struct device_kernel bloom_device_inserting = { .name = "bloom insert",
                                                             .args_size = sizeof(struct bloom_work),
                                                             .host = bloom_device_insert_host,
                                                             .cuda =
                                                                 BLOOM_CUDA(bloom_insert_cuda) };
static const struct device_kernel bloom_device_querying = { .name = "bloom query",
                                                            .args_size = sizeof(struct bloom_work),
                                                            .host = bloom_device_query_host,
                                                            .cuda = BLOOM_CUDA(bloom_query_cuda) };

enum err_code bloom_device_open(struct device_stream *stream, const struct bloom_view *like,
                                struct bloom_device **out, struct err *err)
{
    const size_t salts = like->salts != NULL ? like->shape.k * sizeof *like->salts : 0;
    struct bloom_device *bloom = calloc(1, sizeof *bloom);
    void *memory = NULL;

    *out = NULL;
    if (bloom == NULL)
        return ERR_NO_MEMORY(err, sizeof *bloom);
    bloom->stream = stream;
    bloom->view.shape = like->shape;
    enum err_code rc = device_alloc(stream->device, bloom_size(&like->shape) + salts, &memory, err);
    bloom->view.words = memory;
    if (rc == ERR_OK)
        rc = bloom_device_clear(bloom, err);
    if (rc == ERR_OK && salts > 0) {
        uint8_t *behind = (uint8_t *)memory + bloom_size(&like->shape);

        rc = device_copy_in(stream, behind, like->salts, salts, err);
        bloom->view.salts = (const uint32_t *)(const void *)behind;
    }
    if (rc == ERR_OK)
        rc = device_stream_wait(stream, err);
    if (rc == ERR_OK)
        *out = bloom;
    else
        bloom_device_close(bloom);
    return rc;
}

void bloom_device_close(struct bloom_device *bloom)
{
    if (bloom == NULL)
        return;
    device_free(bloom->stream->device, bloom->view.words);
    free(bloom);
}

enum err_code bloom_device_clear(struct bloom_device *bloom, struct err *err)
{
    return device_fill(bloom->stream, bloom->view.words, 0, bloom_size(&bloom->view.shape), err);
}

enum err_code bloom_device_load(struct bloom_device *bloom, const uint32_t *words, struct err *err)
{
    return device_copy_in(bloom->stream, bloom->view.words, words, bloom_size(&bloom->view.shape),
                          err);
}

enum err_code bloom_device_store(struct bloom_device *bloom, uint32_t *words, struct err *err)
{
    return device_copy_out(bloom->stream, words, bloom->view.words, bloom_size(&bloom->view.shape),
                           err);
}

enum err_code bloom_device_insert(struct bloom_device *bloom, const struct bloom_keys *keys,
                                  struct err *err)
{
    const struct bloom_work work = { .view = bloom->view, .keys = *keys };

    return device_launch(bloom->stream, &bloom_device_inserting, &work, err);
}

enum err_code bloom_device_query_in(const struct bloom_device *bloom, struct device_stream *stream,
                                    const struct bloom_keys *keys, uint8_t *answers,
                                    struct err *err)
{
    const struct bloom_work work = { .view = bloom->view, .keys = *keys, .answers = answers };

    return device_launch(stream, &bloom_device_querying, &work, err);
}

enum err_code bloom_device_query(struct bloom_device *bloom, const struct bloom_keys *keys,
                                 uint8_t *answers, struct err *err)
{
    return bloom_device_query_in(bloom, bloom->stream, keys, answers, err);
}
