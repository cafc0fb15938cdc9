/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/shift_and.c - the engine `shift-and`, the CUDA default.
 *
 *   text --filter (filter.h): may a qgram end in these 16 bytes?--> candidates --verify: hash
 * table, comparison--> hits
 *
 * The filter looks at every byte, and its look-ups have no bank conflicts: the table stands in
 * shared memory once for each slot of a warp. What is behind it sees a few of a hundred chunks of a
 * disk.
 */
#include <stdlib.h>
#include <string.h>

#include "match/offload/offload.h"
#include "match/shift_and/filter_build.h"
#include "match/shift_and/qgrams_build.h"
#include "match/shift_and/qgrams_search.h"
#include "match/shift_and/shift_and.h"

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

static void shift_and_qgrams_host(const void *args)
{
    const struct qgrams_search *s = args;
    const struct ring_view *view = &s->search.view;
    const uint32_t skew = qgrams_skew(s);

    for (uint32_t place = qgrams_first(s) * QGRAMS_CHUNK; place < qgrams_end(s) * QGRAMS_CHUNK;
         place++) {
        const uint32_t at = place - QGRAMS_BEFORE - skew;

        if (place < QGRAMS_BEFORE + skew || at >= view->len || place % s->stride != 0)
            continue;
        const struct qgrams_around text = { .before = qgrams_load_before(s, place - QGRAMS_BEFORE),
                                            .behind = qgrams_load(s, place - QGRAMS_BEFORE) };
        if (!qgrams_has(s->qgrams, qgrams_fold((uint32_t)text.behind),
                        qgrams_fold((uint32_t)(text.behind >> 32))))
            continue;
        view->found->candidates++;
        const struct qgrams_slot slot = qgrams_find(s, text.behind);
        for (uint32_t i = slot.first; i < slot.first + slot.count; i++)
            if (qgrams_match(s, &s->entries[i], &text, at))
                search_emit(view, at - s->entries[i].at, s->entries[i].what >> 8,
                            s->entries[i].what & 0xff);
    }
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
static const struct device_kernel shift_and_qgrams_kernel = {
    .name = "shift-and qgrams",
    .args_size = sizeof(struct qgrams_search),
    .host = shift_and_qgrams_host,
    .cuda = QGRAMS_CUDA,
};

/* In one block: this, the filter and the qgrams, each with what is behind it. */
struct shift_and_extra {
    alignas(16) uint64_t filter_at; /* 0: no pattern goes by it */
    uint64_t qgrams_at;
};

/* Puts the head before the qgrams, in their own memory: those of long lists are large. */
static enum err_code shift_and_head(struct qgrams **qgrams, size_t qgrams_size, void **extra,
                                    size_t *size, struct err *err)
{
    const struct shift_and_extra head = { .qgrams_at = sizeof head };
    uint8_t *grown = realloc(*qgrams, sizeof head + qgrams_size);

    *size = sizeof head + qgrams_size;
    if (grown == NULL)
        return ERR_NO_MEMORY(err, *size);
    *qgrams = NULL;
    memmove(grown + sizeof head, grown, qgrams_size);
    memcpy(grown, &head, sizeof head);
    *extra = grown;
    return ERR_OK;
}

/* Puts the two parts into one block; no part is a NULL. */
static enum err_code shift_and_join(const struct filter *filter, size_t filter_size,
                                    const struct qgrams *qgrams, size_t qgrams_size, void **extra,
                                    size_t *size, struct err *err)
{
    const struct shift_and_extra head = {
        .filter_at = filter == NULL ? 0 : sizeof head,
        .qgrams_at = qgrams == NULL ? 0 : sizeof head + filter_size,
    };

    *size = sizeof head + filter_size + qgrams_size;
    *extra = aligned_alloc(alignof(struct shift_and_extra), *size);
    if (*extra == NULL)
        return ERR_NO_MEMORY(err, *size);
    memcpy(*extra, &head, sizeof head);
    if (filter != NULL)
        memcpy((uint8_t *)*extra + head.filter_at, filter, filter_size);
    if (qgrams != NULL)
        memcpy((uint8_t *)*extra + head.qgrams_at, qgrams, qgrams_size);
    return ERR_OK;
}

/* Long lists of words go by qgrams; what is left of the dictionary, or all of a small one, by the
 * filter. */
static enum err_code shift_and_extra(const struct match_dictionary *dictionary, void **extra,
                                     size_t *size, struct err *err)
{
    const uint32_t patterns = match_dictionary_count(dictionary);
    bool *taken = calloc(patterns + 1, sizeof *taken);
    struct filter *filter = NULL;
    struct qgrams *qgrams = NULL;
    size_t filter_size = 0, qgrams_size = 0;
    uint32_t literals = 0;
    enum err_code rc = taken == NULL ? ERR_NO_MEMORY(err, patterns) : ERR_OK;

    *extra = NULL;
    for (uint32_t i = 0; i < patterns; i++)
        literals += match_dictionary_get(dictionary, i)->kind == MATCH_LITERAL;
    const uint32_t words = rc == ERR_OK ? qgrams_take(dictionary, taken) : 0;
    if (rc == ERR_OK && words > 0)
        rc = qgrams_build(dictionary, taken, &qgrams, &qgrams_size, err);
    if (rc == ERR_OK && words < literals)
        rc = filter_build(dictionary, taken, &filter, &filter_size, err);
    if (rc == ERR_OK)
        rc = filter == NULL && qgrams != NULL
                 ? shift_and_head(&qgrams, qgrams_size, extra, size, err)
                 : shift_and_join(filter, filter_size, qgrams, qgrams_size, extra, size, err);
    free(filter);
    free(qgrams);
    free(taken);
    return rc;
}

/* Room for every chunk: the candidates always fit. */
static size_t shift_and_scratch(uint32_t text_max)
{
    return ((size_t)text_max / SHIFT_AND_CHUNK + 2) * sizeof(uint32_t);
}

static enum err_code shift_and_filter(const struct search *search, const struct filter *here,
                                      const struct filter *there, struct device_stream *stream,
                                      struct err *err)
{
    const struct filter_entry *entries = (const struct filter_entry *)(there + 1);
    const struct shift_and args = { .search = *search,
                                    .filter = there,
                                    .entries = entries,
                                    .slots =
                                        (const struct filter_slot *)(entries + here->entry_count) };
    enum err_code rc = device_launch(stream, &shift_and_filter_kernel, &args, err);

    return rc == ERR_OK ? device_launch(stream, &shift_and_verify_kernel, &args, err) : rc;
}

static enum err_code shift_and_qgrams(const struct search *search, const struct qgrams *here,
                                      const struct qgrams *there, struct device_stream *stream,
                                      struct err *err)
{
    const struct qgrams_entry *entries = (const struct qgrams_entry *)(there + 1);
    const struct qgrams_search args = { .search = *search,
                                        .qgrams = there,
                                        .entries = entries,
                                        .slots = (const struct qgrams_slot *)(entries +
                                                                              here->entry_count),
                                        .stride = here->stride,
                                        .qgram = here->qgram };

    return device_launch(stream, &shift_and_qgrams_kernel, &args, err);
}

static enum err_code shift_and_enqueue(const struct tables *tables,
                                       const struct offload_extra *extra,
                                       struct device_stream *stream, const struct ring_view *view,
                                       struct err *err)
{
    const struct shift_and_extra *head = extra->host;
    const uint8_t *here = extra->host, *there = extra->device;
    const struct search search = { .tables = *tables, .view = *view };
    enum err_code rc = ERR_OK;

    if (head->filter_at > 0)
        rc = shift_and_filter(
            &search, (const struct filter *)(const void *)(here + head->filter_at),
            (const struct filter *)(const void *)(there + head->filter_at), stream, err);
    if (rc == ERR_OK && head->qgrams_at > 0)
        rc = shift_and_qgrams(
            &search, (const struct qgrams *)(const void *)(here + head->qgrams_at),
            (const struct qgrams *)(const void *)(there + head->qgrams_at), stream, err);
    return rc;
}

/* Rows of four words that a thread loads together, in the usual launch of the two kernels, then in
 * those of each. */
static const struct match_launch shift_and_launches[] = {
    { 1024, 24 }, { 1024, 16 }, { 1024, 32 }, { 1024, 4 }, { 1024, 8 }, { 1024, 12 }
};

static const struct offload_form shift_and_form = {
    .name = "shift-and",
    .scratch = shift_and_scratch,
    .extra = shift_and_extra,
    .enqueue = shift_and_enqueue,
    .launches = shift_and_launches,
    .launch_count = sizeof shift_and_launches / sizeof shift_and_launches[0],
};

static enum err_code shift_and_compile(const struct match_dictionary *dictionary,
                                       const struct match_setup *setup, void **program,
                                       struct err *err)
{
    return offload_compile(&shift_and_form, dictionary, setup, program, err);
}

/* The tables for the device, and the engine that searches what it cannot. */
static uint64_t shift_and_bytes(const struct match_dictionary *dictionary)
{
    struct match_needs cpu;

    match_needs(dictionary, NULL, &cpu);
    return qgrams_bytes(match_dictionary_count(dictionary)) + cpu.bytes;
}

const struct match_engine match_shift_and_engine = {
    .name = "shift-and",
    .what = "shift-and of four bytes on a GPU, tables without bank conflicts, candidates looked up "
            "and compared",
    .device = "CUDA",
    .missing = device_cuda_missing,
    .compile = shift_and_compile,
    .release = offload_release,
    .bytes = shift_and_bytes,
    .offload = &offload_calls,
};
