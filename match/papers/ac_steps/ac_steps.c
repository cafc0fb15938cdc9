/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/ac_steps.c - the engines of two papers, each one step of making
 * Aho-Corasick fast on a GPU.
 *
 * ac0 to ac4: Zha and Sahni, section 5.1.1; ac5 is one step more. ac-zero-copy and ac-diagonal:
 * Tran et al., "Performance Optimization of Aho-Corasick Algorithm on a GPU", section V. All walk
 * the same automaton, each thread a stretch of the text; they differ in how the text and the
 * transitions come to the threads, which is the business of their kernels. On the stand-in there is
 * nothing to differ in.
 *
 * Hits are compacted on the device. The forms :states write one state per byte as in the first
 * paper, and the host finds the hits in them.
 */
#include <stddef.h>

#include "match/offload/offload.h"
#include "match/papers/ac_steps/ac_steps.h"
#include "match/papers/ac_steps/states_collect.h"

static void ac_steps_host(const void *args)
{
    const struct search *s = args;

    search_walk(s, NULL, search_first(s), s->view.to);
}

#define AC_STEPS_SHAPE(threads_, words_) { .threads = (threads_), .words = (words_) },

static const struct match_launch ac_steps_block_launches[] = { AC_STEPS_BLOCK_SHAPES(
    AC_STEPS_SHAPE) };
static const struct match_launch ac_steps_diagonal_launches[] = { AC_STEPS_DIAGONAL_SHAPES(
    AC_STEPS_SHAPE) };
static const struct match_launch ac_steps_place_launches[] = { AC_STEPS_PLACE_SHAPES(
    AC_STEPS_SHAPE) };

#define SHAPES(list) .launches = (list), .launch_count = sizeof(list) / sizeof(list)[0]

/* What follows what_text are further members of the form. */
#define AC_STEPS(id, kernel_id, host_form, name_text, what_text, ...)                              \
    static const struct device_kernel id##_kernel = {                                              \
        .name = name_text,                                                                         \
        .args_size = sizeof(struct search),                                                        \
        .host = host_form,                                                                         \
        .cuda = AC_STEPS_CUDA(kernel_id),                                                          \
    };                                                                                             \
    static enum err_code id##_enqueue(                                                             \
        const struct tables *tables, const struct offload_extra *extra,                            \
        struct device_stream *stream, const struct ring_view *view, struct err *err)               \
    {                                                                                              \
        (void)extra;                                                                               \
        return device_launch(stream, &id##_kernel,                                                 \
                             &(struct search){ .tables = *tables, .view = *view }, err);           \
    }                                                                                              \
    static const struct offload_form id##_form = { .name = name_text,                              \
                                                   .enqueue = id##_enqueue,                        \
                                                   __VA_ARGS__ };                                  \
    static enum err_code id##_compile(const struct match_dictionary *dictionary,                   \
                                      const struct match_setup *setup, void **program,             \
                                      struct err *err)                                             \
    {                                                                                              \
        return offload_compile(&id##_form, dictionary, setup, program, err);                       \
    }                                                                                              \
    const struct match_engine match_##id##_engine = {                                              \
        .name = name_text,                                                                         \
        .what = what_text,                                                                         \
        .device = "CUDA",                                                                          \
        .missing = device_cuda_missing,                                                            \
        .compile = id##_compile,                                                                   \
        .release = offload_release,                                                                \
        .offload = &offload_calls,                                                                 \
    };

AC_STEPS(
    ac0, ac0, ac_steps_host, "ac0",
    "Aho-Corasick on a GPU, basic: a stretch of the text for each thread, all in device memory",
    .rows = TABLES_PLAIN)
AC_STEPS(ac1, ac1, ac_steps_host, "ac1", "ac0 with the automaton in a texture",
         .rows = TABLES_TEXTURE)
AC_STEPS(ac2, ac2, ac_steps_host, "ac2", "ac1 with the text read 16 bytes at a time",
         .rows = TABLES_PLAIN)
AC_STEPS(
    ac3, ac3, ac_steps_host, "ac3",
    "ac2 with the text read into shared memory by all threads together, an odd number of words "
    "for each",
    .rows = TABLES_PLAIN, SHAPES(ac_steps_block_launches))
AC_STEPS(ac4, ac4, ac_steps_host, "ac4", "ac3 with each thread's text in registers",
         .rows = TABLES_PLAIN, SHAPES(ac_steps_block_launches))

AC_STEPS(
    ac5, ac5, ac_steps_host, "ac5",
    "ac4 with the automaton in shared memory, where it fits; with many states, with smaller rows",
    .rows = TABLES_CLASSES)

#define STATES(kind)                                                                               \
    .rows = kind, .scratch = states_scratch, .output = states_output, .collect = states_collect

AC_STEPS(ac0_states, ac0_states, states_host, "ac0:states",
         "ac0 writing the state after every byte, for the host", STATES(TABLES_PLAIN))
AC_STEPS(ac1_states, ac1_states, states_host, "ac1:states",
         "ac1 writing the state after every byte, for the host", STATES(TABLES_TEXTURE))
AC_STEPS(ac2_states, ac2_states, states_host, "ac2:states",
         "ac2 writing the state after every byte, for the host", STATES(TABLES_PLAIN))
AC_STEPS(ac3_states, ac3_states, states_host, "ac3:states",
         "ac3 writing the state after every byte, for the host", STATES(TABLES_PLAIN),
         SHAPES(ac_steps_block_launches))
AC_STEPS(ac4_states, ac4_states, states_host, "ac4:states",
         "ac4 writing the state after every byte, its threads together, for the host",
         STATES(TABLES_PLAIN), SHAPES(ac_steps_block_launches))

AC_STEPS(ac_zero_copy, ac_zero_copy, ac_steps_host, "ac-zero-copy",
         "ac1 with the text read where it stands on the host", .rows = TABLES_TEXTURE,
         SHAPES(ac_steps_place_launches), .in_place = true)
AC_STEPS(ac_diagonal, ac_diagonal, ac_steps_host, "ac-diagonal",
         "Aho-Corasick on a GPU, the text in shared memory in diagonals, so that no two threads "
         "share a bank",
         .rows = TABLES_TEXTURE, SHAPES(ac_steps_diagonal_launches))
AC_STEPS(ac_diagonal_zero_copy, ac_diagonal, ac_steps_host, "ac-diagonal:zero-copy",
         "ac-diagonal with the text read where it stands on the host", .rows = TABLES_TEXTURE,
         SHAPES(ac_steps_diagonal_launches), .in_place = true)
AC_STEPS(ac_diagonal_coalesced, ac_diagonal_coalesced, ac_steps_host, "ac-diagonal:coalesced",
         "ac-diagonal without the diagonals", .rows = TABLES_TEXTURE,
         SHAPES(ac_steps_diagonal_launches))
AC_STEPS(ac_diagonal_naive, ac_diagonal_naive, ac_steps_host, "ac-diagonal:naive",
         "ac-diagonal with each thread loading its own stretch, without the diagonals",
         .rows = TABLES_TEXTURE, SHAPES(ac_steps_diagonal_launches))
