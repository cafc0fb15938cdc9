/*
 * match/cuda/ladder.c - the engines of two papers, each one step of making Aho-Corasick fast on a GPU.
 *
 * ac0 to ac4: Zha and Sahni, section 5.1.1. ac-diagonal: Tran et al., "Performance Optimization of Aho-Corasick Algorithm on a
 * GPU", section V. All walk the same automaton, each thread a stretch of the text; they differ in how the text and the transitions
 * come to the threads, which is the business of their kernels. Hits are compacted instead of one state being written per byte. On
 * the stand-in there is nothing to differ in.
 */
#include "match/cuda/ladder.h"
#include "match/cuda/offload.h"

static void ladder_host(const void *args)
{
    const struct search *s = args;

    search_walk(s, search_first(s), s->view.to);
}

static bool ladder_suits(const struct match_dictionary *dictionary)
{
    (void)dictionary;
    return false; /* for comparison */
}

#define LADDER(id, name_text, what_text)                                                                               \
    static const struct device_kernel id##_kernel = {                                                                  \
        .name = name_text,                                                                                             \
        .args_size = sizeof(struct search),                                                                            \
        .host = ladder_host,                                                                                           \
        .cuda = LADDER_CUDA(id),                                                                                       \
    };                                                                                                                 \
    static enum err_code id##_enqueue(const struct tables *tables, const struct offload_extra *extra,                  \
                                      struct device_stream *stream, const struct ring_view *view, struct err *err)     \
    {                                                                                                                  \
        (void)extra;                                                                                                   \
        return device_launch(stream, &id##_kernel, &(struct search){ .tables = *tables, .view = *view }, err);         \
    }                                                                                                                  \
    static const struct offload_form id##_form = { .name = name_text, .walks = true, .enqueue = id##_enqueue };        \
    static enum err_code id##_compile(const struct match_dictionary *dictionary, const struct match_setup *setup,      \
                                      void **program, struct err *err)                                                 \
    {                                                                                                                  \
        return offload_compile(&id##_form, dictionary, setup, program, err);                                           \
    }                                                                                                                  \
    const struct match_engine match_##id##_engine = {                                                                  \
        .name = name_text,                                                                                             \
        .what = what_text,                                                                                             \
        .device = "CUDA",                                                                                              \
        .missing = device_cuda_missing,                                                                                \
        .suits = ladder_suits,                                                                                         \
        .compile = id##_compile,                                                                                       \
        .release = offload_release,                                                                                    \
        .offload = &offload_calls,                                                                                     \
    };

LADDER(ac0, "ac0", "Aho-Corasick on a GPU, basic: a stretch of the text for each thread, all in device memory")
LADDER(ac1, "ac1", "ac0 with the automaton read by way of the texture cache")
LADDER(ac2, "ac2", "ac1 with the text read 16 bytes at a time")
LADDER(ac3, "ac3", "ac2 with the text read into shared memory by all threads together, an odd number of words for each")
LADDER(ac4, "ac4", "ac3 with each thread's text in registers")
LADDER(ac_diagonal, "ac-diagonal",
       "Aho-Corasick on a GPU, the text in shared memory in diagonals, so that no two threads share a bank")
