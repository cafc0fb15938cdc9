/* SPDX-License-Identifier: Apache-2.0
 * match/papers/quick_search/quick_search_gpu.c - the engine quick-search:cuda.
 *
 * The thesis (match/quick_search/quick_search.h names it; section 7.2.3) gives each thread a
 * keyword and the whole text, all in device memory, and was slower with it than one CPU. Here each
 * thread has a stretch of the text, in shared memory, and takes all keywords over it one after the
 * other, with their shifts in shared memory too.
 */
#include <stdlib.h>
#include <string.h>

#include "match/offload/offload.h"
#include "match/papers/quick_search/quick_search_gpu.h"
#include "match/quick_search/quick_search.h"

static void quick_search_host_word(const struct quick_search_args *a, uint32_t k)
{
    const struct quick_search_word *word = &quick_search_words(a->head)[k];
    const uint8_t *behind = quick_search_bytes(a->head);
    const uint8_t *shifts = behind + a->head->shifts_at + (size_t)k * QUICK_SEARCH_SHIFTS;
    const struct ring_view *view = &a->search.view;
    const uint32_t len = word->what & 0xff, first = view->from + 1 > len ? view->from + 1 : len;
    uint32_t past = quick_search_next(word, behind + word->at, shifts, view->text, first, view->to);

    while (past <= view->to) {
        search_emit(view, past - len, word->what >> 8, len);
        past = quick_search_shift(shifts, view->text, past, view->to);
        past = quick_search_next(word, behind + word->at, shifts, view->text, past, view->to);
    }
}

static void quick_search_host(const void *args)
{
    const struct quick_search_args *a = args;

    for (uint32_t k = 0; k < a->count; k++)
        quick_search_host_word(a, k);
}

static const struct device_kernel quick_search_kernel = {
    .name = "quick search",
    .args_size = sizeof(struct quick_search_args),
    .host = quick_search_host,
    .cuda = QUICK_SEARCH_CUDA,
};

static void quick_search_fill(const struct match_literals *literals, struct quick_search_head *head)
{
    struct quick_search_word *words = (struct quick_search_word *)(void *)(head + 1);
    uint8_t *behind = (uint8_t *)(head + 1);
    uint32_t at = head->shifts_at + literals->count * QUICK_SEARCH_SHIFTS;

    for (uint32_t k = 0; k < literals->count; k++) {
        const struct match_literal *literal = &literals->items[k];

        words[k] = (struct quick_search_word){ .what = literal->index << 8 | literal->len,
                                               .at = at,
                                               .last = literal->bytes[literal->len - 1],
                                               .last_mask = literal->masks[literal->len - 1] };
        quick_search_skips(literal, behind + head->shifts_at + (size_t)k * QUICK_SEARCH_SHIFTS);
        memcpy(behind + at, literal->bytes, literal->len);
        memcpy(behind + at + literal->len, literal->masks, literal->len);
        at += 2 * literal->len;
    }
}

static enum err_code quick_search_extra(const struct match_dictionary *dictionary, void **extra,
                                        size_t *size, struct err *err)
{
    struct match_literals literals;
    enum err_code rc = match_literals_open(dictionary, &literals, err);

    *extra = NULL;
    if (rc != ERR_OK)
        return rc;
    const struct quick_search_head head = {
        .count = literals.count,
        .shifts_at = literals.count * (uint32_t)sizeof(struct quick_search_word)
    };
    *size = sizeof head + head.shifts_at + (size_t)literals.count * QUICK_SEARCH_SHIFTS;
    for (uint32_t k = 0; k < literals.count; k++)
        *size += 2u * literals.items[k].len;
    *extra = calloc(1, *size);
    if (*extra == NULL) {
        rc = ERR_NO_MEMORY(err, *size);
    } else {
        memcpy(*extra, &head, sizeof head);
        quick_search_fill(&literals, *extra);
    }
    match_literals_close(&literals);
    return rc;
}

static enum err_code quick_search_enqueue(const struct tables *tables,
                                          const struct offload_extra *extra,
                                          struct device_stream *stream,
                                          const struct ring_view *view, struct err *err)
{
    const struct quick_search_head *here = extra->host;
    const struct quick_search_args args = { .search = { .tables = *tables, .view = *view },
                                            .head = extra->device,
                                            .count = here->count,
                                            .device = stage_device_of(stream) };

    return device_launch(stream, &quick_search_kernel, &args, err);
}

static const struct offload_form quick_search_form = {
    .name = "quick-search:cuda",
    .extra = quick_search_extra,
    .enqueue = quick_search_enqueue,
};

static enum err_code quick_search_cuda_compile(const struct match_dictionary *dictionary,
                                               const struct match_setup *setup, void **program,
                                               struct err *err)
{
    return offload_compile(&quick_search_form, dictionary, setup, program, err);
}

const struct match_engine match_quick_search_cuda_engine = {
    .name = "quick-search:cuda",
    .what = "Quick Search on a GPU, keyword by keyword over text in shared memory",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .compile = quick_search_cuda_compile,
    .release = offload_release,
    .offload = &offload_calls,
};
