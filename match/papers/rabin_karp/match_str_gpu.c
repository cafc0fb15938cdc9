/* SPDX-License-Identifier: Apache-2.0
 * match/papers/rabin_karp/match_str_gpu.c - the engine match-str:cuda: a thread for each place of
 * the text, a kernel for each pattern.
 *
 * What the paper that ../rk.c names measures its work against (section 5). There the host first
 * writes every window of the text out as a column of an array, for the sake of coalesced reads;
 * threads that compare at neighbouring places read neighbouring bytes without it.
 */
#include <stdlib.h>

#include "match/offload/offload.h"
#include "match/papers/rabin_karp/match_str.h"

static void match_str_host(const void *args)
{
    const struct match_str *a = args;

    for (uint32_t start = match_str_first(a); start < a->search.view.to; start++)
        match_str_at(a, start, NULL);
}

static const struct device_kernel match_str_kernel = {
    .name = "match-str",
    .args_size = sizeof(struct match_str),
    .host = match_str_host,
    .cuda = MATCH_STR_CUDA,
};

enum err_code match_str_enqueue(const struct tables *tables, const struct ring_view *view,
                                const uint32_t *what, uint32_t count, struct device_stream *stream,
                                struct err *err)
{
    const struct match_str args = { .search = { .tables = *tables, .view = *view },
                                    .what = what,
                                    .count = count };

    return count == 0 ? ERR_OK : device_launch(stream, &match_str_kernel, &args, err);
}

/* The number of patterns, and they. */
static enum err_code match_str_extra(const struct match_dictionary *dictionary, void **extra,
                                     size_t *size, struct err *err)
{
    const uint32_t all = match_dictionary_count(dictionary);
    uint32_t *list = malloc((all + 1u) * sizeof *list), count = 0;

    *extra = list;
    *size = (all + 1u) * sizeof *list;
    if (list == NULL)
        return ERR_NO_MEMORY(err, *size);
    for (uint32_t i = 0; i < all; i++)
        if (match_dictionary_get(dictionary, i)->kind == MATCH_LITERAL)
            list[++count] = i << 8 | match_dictionary_get(dictionary, i)->len;
    list[0] = count;
    return ERR_OK;
}

static enum err_code match_str_form_enqueue(const struct tables *tables,
                                            const struct offload_extra *extra,
                                            struct device_stream *stream,
                                            const struct ring_view *view, struct err *err)
{
    const uint32_t *here = extra->host, *there = extra->device;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 1; rc == ERR_OK && i <= here[0]; i++)
        rc = match_str_enqueue(tables, view, there + i, 1, stream, err);
    return rc;
}

static const struct offload_form match_str_form = {
    .name = "match-str:cuda",
    .extra = match_str_extra,
    .enqueue = match_str_form_enqueue,
};

static enum err_code match_str_compile(const struct match_dictionary *dictionary,
                                       const struct match_setup *setup, void **program,
                                       struct err *err)
{
    return offload_compile(&match_str_form, dictionary, setup, program, err);
}

const struct match_engine match_match_str_cuda_engine = {
    .name = "match-str:cuda",
    .what = "every pattern compared at every place, on a GPU",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .compile = match_str_compile,
    .release = offload_release,
    .offload = &offload_calls,
};
