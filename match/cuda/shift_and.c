/*
 * match/cuda/shift_and.c - the engine `shift-and`, the CUDA default.
 *
 *   text --filter (filter.h): may a window end in these 16 bytes?--> candidates --verify: hash table, comparison--> hits
 *
 * The filter looks at every byte, and its look-ups have no bank conflicts: the table stands in shared memory once for each lane of
 * a warp. What is behind it sees a few of a hundred chunks of a disk.
 */
#include "match/cuda/shift_and.h"
#include "match/cuda/filter_build.h"
#include "match/cuda/offload.h"

static void shift_and_filter_host(const void *args)
{
    const struct shift_and *a = args;
    uint32_t *candidates = a->search.view.scratch;

    for (uint32_t chunk = shift_and_first(a); chunk < shift_and_end(a); chunk++) {
        const struct shift_and_words words = shift_and_load(a, chunk);

        if (shift_and_places(a->filter, &words) != 0)
            candidates[a->search.view.found->candidates++] = chunk;
    }
}

static void shift_and_verify_host(const void *args)
{
    const struct shift_and *a = args;
    const uint32_t *candidates = a->search.view.scratch;

    for (uint32_t i = 0; i < a->search.view.found->candidates; i++)
        shift_and_verify(a, candidates[i]);
}

static const struct device_kernel shift_and_filter_kernel = {
    .name = "shift-and filter",
    .args_size = sizeof(struct shift_and),
    .host = shift_and_filter_host,
    .cuda = SHIFT_AND_FILTER_CUDA,
};
static const struct device_kernel shift_and_verify_kernel = {
    .name = "shift-and verify",
    .args_size = sizeof(struct shift_and),
    .host = shift_and_verify_host,
    .cuda = SHIFT_AND_VERIFY_CUDA,
};

static enum err_code shift_and_extra(const struct match_dictionary *dictionary, void **extra, size_t *size,
                                     struct err *err)
{
    struct filter *filter = NULL;
    enum err_code rc = filter_build(dictionary, &filter, size, err);

    *extra = filter;
    return rc;
}

/* Room for every chunk: the candidates always fit. */
static size_t shift_and_scratch(uint32_t text_max)
{
    return ((size_t)text_max / SHIFT_AND_CHUNK + 2) * sizeof(uint32_t);
}

static enum err_code shift_and_enqueue(const struct tables *tables, const struct offload_extra *extra,
                                       struct device_stream *stream, const struct ring_view *view, struct err *err)
{
    const struct filter *here = extra->host, *there = extra->device;
    const struct filter_entry *entries = (const struct filter_entry *)(there + 1);
    const struct shift_and args = { .search = { .tables = *tables, .view = *view },
                                    .filter = there,
                                    .entries = entries,
                                    .slots = (const struct filter_slot *)(entries + here->entry_count) };
    enum err_code rc = device_launch(stream, &shift_and_filter_kernel, &args, err);

    return rc == ERR_OK ? device_launch(stream, &shift_and_verify_kernel, &args, err) : rc;
}

static const struct offload_form shift_and_form = {
    .name = "shift-and",
    .scratch = shift_and_scratch,
    .extra = shift_and_extra,
    .enqueue = shift_and_enqueue,
};

static enum err_code shift_and_compile(const struct match_dictionary *dictionary, const struct match_setup *setup,
                                       void **program, struct err *err)
{
    return offload_compile(&shift_and_form, dictionary, setup, program, err);
}

static bool shift_and_suits(const struct match_dictionary *dictionary)
{
    (void)dictionary;
    return false; /* one disk does not feed a GPU: it is for those who ask for it */
}

const struct match_engine match_shift_and_engine = {
    .name = "shift-and",
    .what = "shift-and of four bytes on a GPU, tables without bank conflicts, candidates looked up and compared",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .suits = shift_and_suits,
    .compile = shift_and_compile,
    .release = offload_release,
    .offload = &offload_calls,
};
