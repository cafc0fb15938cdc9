/*
 * match/cuda/ac0.c - the engine `ac0`: Zha and Sahni, section 3.1, algorithm basic (Figure 2). Each thread walks a stretch of the
 * text byte by byte, automaton and text in device memory. Hits are compacted instead of one state being written per byte.
 */
#include "match/cuda/ac0.h"
#include "match/cuda/offload.h"

static void ac0_host(const void *args)
{
    const struct search *s = args;

    search_walk(s, search_first(s), s->view.to);
}

static const struct device_kernel ac0_kernel = {
    .name = "ac0",
    .args_size = sizeof(struct search),
    .host = ac0_host,
    .cuda = AC0_CUDA,
};

static enum err_code ac0_enqueue(const struct tables *tables, const struct offload_extra *extra,
                                 struct device_stream *stream, const struct ring_view *view, struct err *err)
{
    (void)extra;
    return device_launch(stream, &ac0_kernel, &(struct search){ .tables = *tables, .view = *view }, err);
}

static const struct offload_form ac0_form = { .name = "ac0", .walks = true, .enqueue = ac0_enqueue };

static enum err_code ac0_compile(const struct match_dictionary *dictionary, const struct match_setup *setup,
                                 void **program, struct err *err)
{
    return offload_compile(&ac0_form, dictionary, setup, program, err);
}

static bool ac0_suits(const struct match_dictionary *dictionary)
{
    (void)dictionary;
    return false; /* for comparison */
}

const struct match_engine match_ac0_engine = {
    .name = "ac0",
    .what = "Aho-Corasick on a GPU, basic: a stretch of the text for each thread, all in device memory",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .suits = ac0_suits,
    .compile = ac0_compile,
    .release = offload_release,
    .offload = &offload_calls,
};
